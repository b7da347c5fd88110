"""Solutions and values by formula are right. consoles/match_values.txt shows what is printed."""

from pathlib import Path

import pytest
from support.programs import call, json_of


@pytest.mark.parametrize("rules", ["three-in-a-row", "filled", "filled-none", "filled-tie"])
def test_nobody_gains_anything_over_the_match(rules: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # by_formula is the name of the output that nobody names
    solved = json_of("solve-multiround", "--algorithm", "formula", "--rules", rules, "--winning-score", "3")
    assert solved["rules"] == rules
    assert solved["converged"] is True
    assert len(solved["subgames"]) == 9
    assert max(one["exploitability"] for one in solved["subgames"]) < 1e-14
    judged = json_of("best-response-multiround", "-s", "by_formula")
    assert 0 <= max(one["exploitability"] for one in judged["subgames"]) < 1e-13


def test_a_picture(tmp_path: Path) -> None:
    assert call("rules-atlas", "--values", "-o", tmp_path / "map.svg", "--winning-score", "2").out.startswith("first")
    assert "<svg" in (tmp_path / "map.svg").read_text()
