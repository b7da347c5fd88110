"""The limit law: the values along lines of i + j are those of the formula, and go where the law says."""

from __future__ import annotations

from collections.abc import Callable
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


def test_the_second_term() -> None:
    """It is that of the fitted values, its correction solves the equation of the paper, and leads have it."""
    assert limit_law.fitted_second(limit_law.diagonal(1_000), 50)[0] == pytest.approx(limit_law.SECOND, rel=0.003)
    assert limit_law.correction(1e-3, 500) / 1e-3 == pytest.approx(9 / (352 * 500), rel=1e-4)
    points, h, theta = 200.0, 0.05, limit_law.spread()
    for lead in (5.0, 12.0, 30.0):

        def second(of: Callable[[float, float], float], lead: float = lead) -> float:
            return (of(lead + h, points) - 2 * of(lead, points) + of(lead - h, points)) / h**2

        later = (limit_law.correction(lead, points + h) - limit_law.correction(lead, points - h)) / (4 * h)
        slope = sqrt(2 / (np.pi * theta * 2 * points)) * np.exp(-(lead**2) / (4 * theta * points))
        source = slope / (2 * points) * (11 / 36 * lead**2 / (theta * 2 * points) - 1 / 18)
        assert 21 * later - 44 / 9 * second(limit_law.correction) == pytest.approx(source, rel=1e-3)
    for points in (100, 400):
        corrected = points * limit_law.largest_difference(points, corrected=True)
        assert corrected < 0.1 < points * limit_law.largest_difference(points)


@pytest.mark.parametrize("x", [0.3, 1.0, 2.0])
def test_the_law_solves_the_equations_of_a_round_up_to_fourth_order(x: float) -> None:
    """Where the player leads: the residuals are of the order of the fourth power of a step, in both seats."""
    near, far = limit_law.residuals(x, 400), limit_law.residuals(x, 1600)
    assert np.abs(near).max() < 0.5
    assert near == pytest.approx(far, rel=0.05)


def test_the_third_term_is_that_of_the_fitted_values() -> None:
    fitted = limit_law.fitted_second(limit_law.diagonal(10_000), 500)[2]
    assert limit_law.third_term() == pytest.approx(fitted, rel=0.02)


@pytest.mark.parametrize(("rules", "limit"), [("filled", -0.105131), ("filled-none", -0.074339), ("filled-tie", 0)])
def test_rules_that_fill_the_board(rules: str, limit: float) -> None:
    exact = values_by_formula(30, rules, exact=True)
    values = limit_law.diagonal(200, rules)
    assert values[1:31] == pytest.approx(np.diag(exact)[::-1].astype(float), abs=1e-14)
    assert limit_law.limit(rules) == pytest.approx(limit, abs=1e-6)
    assert abs(sqrt(200) * values[200] - limit_law.limit(rules)) < 0.07 / 200


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
