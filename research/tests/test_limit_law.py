"""The limit law: the values along lines of i + j are those of the formula, and go where the law says."""

from __future__ import annotations

from math import sqrt
from pathlib import Path
from xml.etree import ElementTree

import limit_law
import numpy as np
import pytest

from tictactoe.formulas.match_values import values_by_formula


def test_values_are_those_of_the_table() -> None:
    table = values_by_formula(40)
    of_matches = limit_law.diagonal(40)
    assert of_matches[1:] == pytest.approx(np.diag(table)[::-1], abs=1e-14)
    leads, worth = limit_law.lead_values(30)
    needed = [(30 - lead // 2, 30 + lead // 2) for lead in leads if abs(lead) <= 20]
    means = [(table[40 - i, 40 - j] - table[40 - j, 40 - i]) / 2 for i, j in needed]
    assert list(worth[np.abs(leads) <= 20]) == pytest.approx(means, abs=1e-14)


def test_the_constant_is_found_without_knowing_it() -> None:
    values = limit_law.diagonal(1_000)
    assert pytest.approx(-sqrt(189 / (88 * np.pi)) / 18, rel=1e-14) == limit_law.LIMIT
    constant, next_term, *_ = limit_law.fitted(values, 50)
    assert abs(constant - limit_law.LIMIT) < 1e-6
    assert -0.0015 < next_term < -0.0013


def test_values_of_leads_come_near_to_the_normal_distribution() -> None:
    off = {points: limit_law.largest_difference(points) for points in (25, 100, 400)}
    assert off[25] < 0.008
    assert off[100] < 0.5 * off[25]
    assert off[400] < 0.5 * off[100]


def test_the_picture(tmp_path: Path) -> None:
    path = tmp_path / "law.svg"
    limit_law.draw(limit_law.diagonal(60), path)
    elements = list(ElementTree.parse(path).iter())
    assert len([one for one in elements if one.tag.endswith("}use")]) > 90  # marks, of both panels
