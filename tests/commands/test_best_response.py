"""best-response-*: JSON against the library, saved responses; missing scores, of which other
commands speak, too. The console best_response.txt has text and refusals."""

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from support.programs import MATCH, call, complaint, contents, json_of, remove_scores, text_of
from support.slowness import by_default

from tictactoe import best_response_over_match, load_solution, open_saved
from tictactoe.match.scores import Score, all_scores
from tictactoe.play.opponents import MEASURED_RULES, OPPONENTS
from tictactoe.storage.directory_layout import list_snapshots, response_name
from tictactoe.storage.open_saved import SavedResponse

OVER_MATCH = "best-response-multiround"
IN_ROUND = "best-response-multiround"
OPPONENTS_PAGE = (Path(__file__).parents[2] / "docs" / "opponents.md").read_text(encoding="utf-8")


def test_multiround_save(mine: Path) -> None:
    before, solution = contents(mine), load_solution(mine)
    assert text_of(OVER_MATCH, "-s", mine, "--save") == text_of(OVER_MATCH, "-s", mine)
    after = contents(mine)
    assert {path: after[path] for path in before} == before
    assert len(after.keys() - before.keys()) == 4
    response = best_response_over_match(solution.tree, solution.average_strategy, 2)
    for score in all_scores(2):
        saved = saved_response(mine, score)
        assert (saved.iteration, saved.average) == (solution.results[score].iteration, True)
        assert saved.values == (response.scores[score].maximum, -response.scores[score].minimum)
    assert call(OVER_MATCH, "-s", mine, "--iteration", 10, "--strategy", "current", "--save").code == 0
    assert not saved_response(mine, Score(1, 0), 10).average


def saved_response(directory: Path, score: Score | None = None, iteration: int | None = None) -> SavedResponse:
    """Only a best response to the snapshot of that score and iteration is taken (tests/storage)."""
    response = open_saved(directory).load(score, iteration).response
    assert response is not None
    return response


def test_multiround_judges_what_it_can_and_names_the_rest(mine: Path) -> None:
    whole = json_of(OVER_MATCH, "-s", mine)
    remove_scores(mine, (0, 0))
    for sides in ((mine, "uniform"), ("uniform", mine)):
        line = complaint(call("tournament", *sides), 1, "tournament")
        assert re.search(f"{mine.name}.* 0-0", line)
    assert call("tournament", mine, "uniform", "--winning-score", 1).code == 0
    assert "not every score is solved yet" in complaint(call("page", "-s", mine, "--no-open"), 1, "page")
    judged, out = json_of(OVER_MATCH, "-s", mine), text_of(OVER_MATCH, "-s", mine)
    assert (judged["total_exploitability"], judged["missing_scores"]) == (None, [[0, 0]])
    assert judged["subgames"] == whole["subgames"][:-1]
    assert " 0-0." in " ".join(out.split())[-100:]
    assert "Total exploitability" not in out
    assert json_of(OVER_MATCH, "-s", mine, "--winning-score", 1)["total_exploitability"] is not None
    remove_scores(mine, (1, 1))
    judged = json_of(OVER_MATCH, "-s", mine)
    assert (judged["subgames"], len(judged["missing_scores"])) == ([], 4)
    remove_scores(mine, *all_scores(2))
    assert "no score" in complaint(call(OVER_MATCH, "-s", mine, "--save"), 1, OVER_MATCH)


def test_of_a_round_it_is_saved(mine: Path, original: Path, tmp_path: Path) -> None:
    before = contents(mine)
    judged = json_of(IN_ROUND, "-s", mine / "subgame_1_0", "--save")
    after = contents(mine)
    assert after.keys() - before.keys() == {f"subgame_1_0/{response_name(judged['iteration'])}"}
    assert {path: after[path] for path in before} == before
    saved = saved_response(mine, Score(1, 0))
    assert (saved.average, list(saved.values)) == (True, judged["best_response_values"])
    json_of(IN_ROUND, "-s", mine / "subgame_1_0", "--save")
    assert contents(mine) == after, "the same again"
    single = Path(shutil.copytree(original / "round", tmp_path / "round"))
    judged = json_of(IN_ROUND, "-s", single, "-i", 10, "--strategy", "current", "--save")
    assert (saved_response(single, iteration=10).average, judged["score"]) == (False, None)


def test_a_response_goes_with_its_snapshot(tmp_path: Path) -> None:
    """The results of another run are not shown with the best response to those before."""
    match, subgame = (MATCH, "-o", tmp_path / "match", "--winning-score", 1), tmp_path / "match" / "subgame_0_0"
    assert call(*match, "--max-iterations", 20).code == 1
    assert call(OVER_MATCH, "-s", tmp_path / "match", "--save").code == 0
    kept = (subgame / response_name(20)).read_bytes()
    assert call(*match, "--max-iterations", 40).code == 1
    assert not list(subgame.glob("best_response_*"))
    (subgame / response_name(20)).write_bytes(kept)  # as earlier versions left it
    assert call(*match, "--max-iterations", 20, "--restart", "--check-exploitability-every", 10).code == 1
    assert list_snapshots(subgame)[-1] == 20
    assert not list(subgame.glob("best_response_*"))


def test_a_solution_that_may_not_be_written(mine: Path) -> None:
    iteration = load_solution(mine).results[Score(1, 1)].iteration
    (mine / "subgame_1_1" / response_name(iteration)).mkdir()
    before, subgame = contents(mine), mine / "subgame_1_1"
    result = call(IN_ROUND, "-s", subgame, "--save")
    assert (result.code, result.out) == (1, text_of(IN_ROUND, "-s", subgame))
    assert response_name(iteration) in complaint(replace(result, out=""), 1, IN_ROUND)
    judged = call(IN_ROUND, "-s", subgame, "--save", "--json")
    assert json.loads(judged.out) == json_of(IN_ROUND, "-s", subgame)
    assert contents(mine) == before
    result = call(OVER_MATCH, "-s", mine, "--save")
    assert result.out == text_of(OVER_MATCH, "-s", mine)
    assert response_name(iteration) in complaint(replace(result, out=""), 1, OVER_MATCH)
    after = contents(mine)
    assert {path: after[path] for path in before} == before


@pytest.mark.parametrize("name", by_default(OPPONENTS, "careless"))
def test_opponents_by_name(name: str) -> None:
    for rules in MEASURED_RULES if name != "careless" else MEASURED_RULES[:1]:
        judged = json_of(OVER_MATCH, "-s", name, "--rules", rules)
        assert (judged["rules"], judged["winning_score"], judged["missing_scores"]) == (rules, 5, [])
        column = re.findall(rf"^\| {name} \| [0-9. ]+ \| [0-9. ]+ \| ([0-9.]+) % \|", OPPONENTS_PAGE, re.M)
        assert f"{judged['perfect_player_wins_percent']:.2f}" == column[MEASURED_RULES.index(rules)]


def test_nobody_gains_less_than_nothing() -> None:
    """Rounding of an exact solution is no gain: values lie in their bounds, exploitabilities are not below 0."""
    judged = json_of(OVER_MATCH, "-s", "shipped")
    for entry in judged["subgames"]:
        assert entry["min"] <= entry["value"] <= entry["max"]
        assert min(entry["exploitability"], entry["bound"], *entry["stage_gains"]) >= 0.0
    assert min(entry["exploitability"] for entry in judged["subgames"]) == 0.0


@pytest.mark.parametrize(
    "words",
    [
        (OVER_MATCH, "-s", "filled-tie_match_to_1"),
        (IN_ROUND, "-s", "filled-tie_single_round"),
        ("explore", "-s", "filled-tie_match_to_1", "--position", "0-0"),
        ("rules-atlas", "--values", "--rules", "filled-tie", "--winning-score", "2"),
        ("tournament", "filled-tie_match_to_1", "again=filled-tie_match_to_1"),
    ],
    ids=lambda words: str(words[0]),
)
def test_no_zero_has_a_minus(words: tuple[str, ...]) -> None:
    for more in ((), ("--json",)):
        result = call(*words, *more, typed="d\np 9\n" if words[0] == "explore" else "")
        assert result.code == 0
        assert re.findall(r"-0(?:\.0*)?(?:e[-+]00)?(?![\d.-])(?<!0-0)", result.out) == []
