"""best-response-multiround and best-response-subgame: opponents by name, and figures that are nothing but rounding."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.programs import call, complaint, json_of

from tictactoe.algorithms.best_response import Exploitability
from tictactoe.play.opponents import MEASURED_RULES, OPPONENTS
from tictactoe.storage.solution import load_solution

OPPONENTS_PAGE = (Path(__file__).parents[2] / "docs" / "opponents.md").read_text(encoding="utf-8")
OVER_MATCH = "best-response-multiround"
IN_ROUND = "best-response-subgame"


@pytest.mark.parametrize("rules", MEASURED_RULES)
@pytest.mark.parametrize("name", OPPONENTS)
def test_opponents_by_name(name: str, rules: str) -> None:
    """The figure that docs/opponents.md has in its column, over both seats."""
    found = json_of(OVER_MATCH, "-s", name, "--rules", rules)
    assert (found["rules"], found["winning_score"], found["missing_scores"]) == (rules, 5, [])
    column = re.findall(rf"^\| {name} \| [0-9.]+ % \| ([0-9.]+) % \|$", OPPONENTS_PAGE, re.M)
    assert f"{found['perfect_player_wins_percent']:.2f}" == column[MEASURED_RULES.index(rules)]


def test_what_opponents_cannot_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And that a directory of the name comes first."""
    monkeypatch.chdir(tmp_path)
    for options, code, said in (
        (("--save",), 2, "--save: careless is an opponent; this is for solutions"),
        (("--iteration", 1), 2, "--iteration: careless is an opponent"),
        (("--average-strategy", "false"), 2, "--average-strategy false: careless is an opponent"),
        (("--winning-score", 6), 2, "--winning-score: careless plays from a solution of a match to 5 points"),
        (("--rules", "filled-tie"), 1, "no solution ships for filled-tie, which careless plays from; name one"),
        (("--goal-odds", "2:1:1"), 1, "no solution ships for three-in-a-row 2:1:1, which careless plays from"),
    ):
        assert said in complaint(call(OVER_MATCH, "-s", "careless", *options), code, OVER_MATCH)
    line = complaint(call(OVER_MATCH, "-s", "learner-1", "--rules", "filled-tie"), 1, OVER_MATCH)
    assert line == f"{OVER_MATCH}: learner-1 has learnt by three-in-a-row and by filled, not by filled-tie"
    line = complaint(call(OVER_MATCH, "-s", "shipped", "--rules", "filled"), 2, OVER_MATCH)
    assert "--rules: shipped is played by three-in-a-row, not by filled" in line
    assert json_of(OVER_MATCH, "-s", "learner-1", "--winning-score", 1)["total_exploitability"] > 1.0
    for name in ("explore", IN_ROUND, "compact-solution"):
        line = complaint(call(name, "-s", "careless", *(("-o", "x") if name == "compact-solution" else ())), 2, name)
        assert "careless is the name of an opponent, not of a solution: best-response-multiround, " in line
    (tmp_path / "careless").mkdir()
    assert "no solution here" in complaint(call(OVER_MATCH, "-s", "careless"), 1, OVER_MATCH)


def test_nobody_gains_less_than_nothing() -> None:
    """Rounding of what is exact is no gain: values lie in their bounds, exploitabilities are not below 0."""
    found = json_of(OVER_MATCH, "-s", "shipped")
    for entry in found["subgames"]:
        assert entry["min"] <= entry["value"] <= entry["max"]
        assert min(entry["exploitability"], entry["bound"], *entry["stage_gains"]) >= 0.0
    assert min(entry["exploitability"] for entry in found["subgames"]) == 0.0
    for name in ("shipped", "filled"):
        assert min(load_solution(name).exploitability.values()) == 0.0
    assert Exploitability(0.5, 1e-17, -2e-17).total == 0.0


@pytest.mark.parametrize(
    "words",
    [
        (OVER_MATCH, "-s", "filled-tie_match_to_1"),
        (IN_ROUND, "-s", "filled-tie_single_round", "--save", "false"),
        ("explore", "-s", "filled-tie_match_to_1", "--position", "0-0"),
        ("match-values", "--rules", "filled-tie", "--winning-score", "2"),
        ("head-to-head", "-s", "filled-tie_match_to_1", "-s", "filled-tie_match_to_1"),
    ],
    ids=lambda words: str(words[0]),
)
def test_no_zero_has_a_minus(words: tuple[str, ...]) -> None:
    """Where all is even; as text, with details where there are any, and as JSON."""
    for more in ((), ("--json",)):
        result = call(*words, *more, typed="d\np 9\n" if words[0] == "explore" else "")
        assert result.code == 0
        assert re.findall(r"-0(?:\.0*)?(?:e[-+]00)?(?![\d.-])(?<!0-0)", result.out) == []
