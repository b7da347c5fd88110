"""solve-by-formula and match-values: what they write is right. consoles/match_values.txt shows what they print."""

import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from support.programs import call, json_of

from tictactoe import open_saved

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


def test_the_match_to_5_is_the_one_that_ships() -> None:
    assert call(SOLVE, "-o", "five", "--quiet").code == 0
    solved, expected = open_saved("five").solution.value, open_saved("match_to_5").solution.value
    assert solved.keys() == expected.keys()
    assert max(abs(solved[score] - expected[score]) for score in solved) < 1e-13


def test_values_of_some_scores() -> None:
    some = json_of(VALUES, "--winning-score", "7", "--score", "6", "6", "--score", "0", "1")
    assert [one["score"] for one in some["scores"]] == [[6, 6], [0, 1]]
    assert some["scores"][0]["value"] == pytest.approx(-1 / 13)
    lines = call(VALUES, "--winning-score", "6").out.splitlines()
    assert (len(lines), lines[-1]) == (36, "5-5 -0.076923076923")


@pytest.mark.parametrize(("option", "number_type"), [("", float), ("--digits 30", Decimal), ("--fractions", Fraction)])
def test_values_as_json(option: str, number_type: type) -> None:
    answer = json.loads(call(VALUES, "--rules", "filled", "--winning-score", "3", "--json", *option.split()).out)
    assert (answer["rules"], answer["winning_score"]) == ("filled", 3)
    values = answer["values"]
    assert [len(row) for row in values] == [3, 3, 3]
    assert isinstance(values[0][0], float if number_type is float else str)
    assert float(number_type(values[2][1])) == pytest.approx(361 / 539)


def test_a_picture() -> None:
    assert call(VALUES, "--plot", "map.svg", "--winning-score", "2").out.startswith("first")
    assert "<svg" in Path("map.svg").read_text()
