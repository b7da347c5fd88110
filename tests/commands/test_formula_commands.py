"""solve-by-formula and match-values: what they write is right. consoles/match_values.txt shows what they print."""

from pathlib import Path

import pytest
from support.programs import call, json_of

SOLVE, VALUES = "solve-by-formula", "match-values"


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("rules", ["three-in-a-row", "filled", "filled-none", "filled-tie"])
def test_nobody_gains_anything_over_the_match(rules: str) -> None:
    solved = json_of(SOLVE, "--rules", rules, "--winning-score", "3")
    assert solved["rules"] == rules
    assert solved["converged"] is True
    assert len(solved["subgames"]) == 9
    assert max(one["exploitability"] for one in solved["subgames"]) < 1e-14
    judged = json_of("best-response-multiround", "-s", "by_formula")
    assert 0 <= max(one["exploitability"] for one in judged["subgames"]) < 1e-13


def test_a_picture() -> None:
    assert call(VALUES, "--plot", "map.svg", "--winning-score", "2").out.startswith("first")
    assert "<svg" in Path("map.svg").read_text()
