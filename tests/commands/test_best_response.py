"""best-response-multiround and best-response-subgame: what they print and save, and what they cannot judge."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle.lifting import game_tree
from support.programs import MATCH, ROUND, SHORT, call, complaint, contents, json_of, remove_scores, text_of

from tictactoe.algorithms.best_response import best_response_value, best_responses, expected_value, leaf_distribution
from tictactoe.algorithms.strategy import uniform_strategy
from tictactoe.games.tic_tac_toe import tic_tac_toe_round
from tictactoe.match.best_response_over_match import best_response_over_match
from tictactoe.match.scores import Score, all_scores
from tictactoe.storage.directory_layout import list_snapshots, response_name, snapshot_name
from tictactoe.storage.open_saved import open_saved
from tictactoe.storage.saved_best_response import SavedResponse
from tictactoe.storage.snapshot import Snapshot
from tictactoe.storage.solution import Solution, load_solution

OVER_MATCH = "best-response-multiround"
IN_ROUND = "best-response-subgame"
NUMBER = r"-?[0-9.]+(?:e[-+][0-9]+)?"
BOTH_UNITS = rf"({NUMBER}) in match value \(-1 to 1\), ({NUMBER}) percentage points"


@pytest.fixture(scope="module")
def single(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A round on its own."""
    output = tmp_path_factory.mktemp("judging") / "round"
    assert call(ROUND, "-o", output, "--quiet", *SHORT).code == 0
    return output


def test_huge_outcome_values(tmp_path: Path) -> None:
    """With a power of ten; a hundred digits say less."""
    values = ("--outcome-values", "1e100", "0", "0", "-1e100")
    solved = text_of(ROUND, "-o", tmp_path, *SHORT, *values)
    texts = [solved, text_of(IN_ROUND, "-s", tmp_path)]
    texts.append(call("explore", "-s", tmp_path, "--position", "0-0 wl 5", typed="").out)
    for text in texts:
        assert re.search(r"[-+]\d\.\d{3,9}e\+\d\d", text), text
        assert max(map(len, re.findall("[0-9]+", text))) < 13, text
    assert "both score +1.000000e+100, first +0.000000, second +0.000000, neither -1.000000e+100" in texts[1]
    judged = json_of(IN_ROUND, "-s", tmp_path)
    assert judged["outcome_values"]["both"] == 1e100


# --- best-response-multiround


def test_multiround_json(two: Path) -> None:
    before = contents(two)
    judged = json_of(OVER_MATCH, "-s", two)
    solution = load_solution(two)
    response = best_response_over_match(solution.tree, solution.average_strategy, 2)
    assert judged["winning_score"] == 2
    assert judged["total_exploitability"] == response.scores[Score(0, 0)].exploitability
    assert [entry["score"] for entry in judged["subgames"]] == [[1, 1], [1, 0], [0, 1], [0, 0]]
    for entry in judged["subgames"]:
        expected = response.scores[Score(*entry["score"])]
        assert entry["value"] == expected.value
        assert (entry["max"], entry["min"]) == (expected.maximum, expected.minimum)
        assert entry["exploitability"] == expected.exploitability
        assert entry["exploitability_percentage_points"] == pytest.approx(50.0 * expected.exploitability)
        assert tuple(entry["expected_rounds"]) == expected.rounds
        assert entry["bound"] == expected.bound >= entry["exploitability"] - 1e-12
        assert entry["min"] - 1e-12 <= entry["value"] <= entry["max"] + 1e-12
    assert contents(two) == before, "nothing is written without --save"


def test_multiround_text(two: Path) -> None:
    out = text_of(OVER_MATCH, "-s", two)
    start = json_of(OVER_MATCH, "-s", two)["subgames"][-1]
    for heading in ("score", "max", "min", "exploitability", "rounds", "bound"):
        assert heading in out.splitlines()[0]
    assert [line.split()[0] for line in out.splitlines()[1:5]] == ["1-1", "1-0", "0-1", "0-0"]
    flat = " ".join(out.split())
    total = re.search(rf"Total exploitability .* to 2: {BOTH_UNITS}", flat)
    assert total is not None, out
    assert float(total[1]) == pytest.approx(start["exploitability"], rel=0.01)
    assert float(total[2]) == pytest.approx(50.0 * start["exploitability"], rel=0.01)
    sentences = flat[flat.index("A perfect player wins") :]
    percentages = [float(found) for found in re.findall(rf"({NUMBER}) %", sentences)]
    by_lot = 50 + 25 * (start["max"] - start["min"])
    wins = [50 + 50 * start["max"], 50 - 50 * start["min"], 50 + 50 * start["min"], 50 - 50 * start["max"], by_lot]
    assert percentages == pytest.approx(wins, abs=1e-5)
    assert percentages[0] + percentages[3] == pytest.approx(100.0, abs=2e-5)


def test_multiround_of_a_shorter_match(two: Path) -> None:
    judged = json_of(OVER_MATCH, "-s", two, "--winning-score", 1)
    whole = json_of(OVER_MATCH, "-s", two)
    assert judged["winning_score"] == 1
    assert len(judged["subgames"]) == 1
    (only,) = judged["subgames"]
    last = whole["subgames"][0]
    assert (only["score"], last["score"]) == ([0, 0], [1, 1])
    assert only | {"score": None} == last | {"score": None}
    assert judged["total_exploitability"] == last["exploitability"]
    strategy = load_solution(two).average_strategy[Score(1, 1)]
    response = best_response_over_match(game_tree(), {Score(0, 0): strategy}, 1)
    assert judged["total_exploitability"] == response.scores[Score(0, 0)].exploitability
    assert "in a match to 1:" in text_of(OVER_MATCH, "-s", two, "--winning-score", 1)


def test_multiround_of_current_and_earlier_strategies(two: Path) -> None:
    solution = load_solution(two)
    average = json_of(OVER_MATCH, "-s", two)
    current = json_of(OVER_MATCH, "-s", two, "--average-strategy", "false")
    expected = best_response_over_match(solution.tree, solution.strategies(average=False), 2)
    assert current["total_exploitability"] == expected.scores[Score(0, 0)].exploitability
    assert current["total_exploitability"] != average["total_exploitability"]
    totals = [json_of(OVER_MATCH, "-s", two, "--iteration", at)["total_exploitability"] for at in (0, 1, 10, 100)]
    assert totals == sorted(totals, reverse=True)
    start = dict.fromkeys(all_scores(2), uniform_strategy(solution.tree))  # of the tree's moves, not of squares
    at_start = best_response_over_match(solution.tree, start, 2)
    assert totals[0] == pytest.approx(at_start.scores[Score(0, 0)].exploitability)
    assert json_of(OVER_MATCH, "-s", two, "--iteration", 99) == json_of(OVER_MATCH, "-s", two, "--iteration", 10)
    assert json_of(OVER_MATCH, "-s", two, "--iteration", 10**9) == average


def test_multiround_save(mine: Path) -> None:
    before = contents(mine)
    assert text_of(OVER_MATCH, "-s", mine, "--save") == text_of(OVER_MATCH, "-s", mine)
    solution = load_solution(mine)
    names = {
        f"subgame_{a}_{b}/{response_name(solution.results[Score(a, b)].iteration)}" for a in range(2) for b in range(2)
    }
    after = contents(mine)
    assert {path for path in after if path not in before} == names
    assert {path: after[path] for path in before} == before
    response = best_response_over_match(solution.tree, solution.average_strategy, 2)
    for score in all_scores(2):
        iteration = solution.results[score].iteration
        directory = mine / f"subgame_{score.first}_{score.second}"
        saved = SavedResponse.load(directory / response_name(iteration), game_tree())
        assert (saved.score, saved.iteration, saved.average) == (score, iteration, True)
        expected = response.scores[score]
        assert saved.values == (expected.maximum, -expected.minimum)
        assert_gets_what_it_says(saved, solution.average_strategy[score])
    assert call(OVER_MATCH, "-s", mine).code == 0, "saved responses do not disturb"
    assert call(OVER_MATCH, "-s", mine, "--iteration", 10, "--average-strategy", "false", "--save").code == 0
    saved = SavedResponse.load(mine / "subgame_1_0" / response_name(10), game_tree())
    assert (saved.iteration, saved.average) == (10, False)
    assert_gets_what_it_says(saved, solution.strategies(average=False, iteration=10)[Score(1, 0)])


def assert_gets_what_it_says(saved: SavedResponse, bot: np.ndarray[Any, np.dtype[np.float64]]) -> None:
    """Played against the bot, the saved moves get the saved values; and no moves get more."""
    tree = game_tree()
    for seat, sign in enumerate((1.0, -1.0)):
        own = (tree.depth % 2 == 1) == (seat == 0)
        played = np.where(own[:, None], saved.strategy, bot)
        game = tic_tac_toe_round(tree, saved.outcome_values[seat])
        value = sign * expected_value(game, leaf_distribution(tree, played))
        assert value == pytest.approx(saved.values[seat], abs=1e-12)
        best = best_response_value(game, seat, bot)
        assert saved.values[seat] == pytest.approx(best, abs=1e-12)


def test_multiround_judges_what_it_can_and_names_the_rest(mine: Path) -> None:
    whole = json_of(OVER_MATCH, "-s", mine)
    remove_scores(mine, (0, 0))
    judged = json_of(OVER_MATCH, "-s", mine)
    assert judged["total_exploitability"] is None
    assert judged["missing_scores"] == [[0, 0]]
    assert judged["subgames"] == whole["subgames"][:-1]
    out = text_of(OVER_MATCH, "-s", mine)
    assert " 0-0." in " ".join(out.split())[-100:]
    assert "Total exploitability" not in out
    remove_scores(mine, (0, 0), (0, 1))
    judged = json_of(OVER_MATCH, "-s", mine)
    assert [entry["score"] for entry in judged["subgames"]] == [[1, 1]]
    assert {tuple(score) for score in judged["missing_scores"]} == {(0, 0), (0, 1), (1, 0)}
    assert json_of(OVER_MATCH, "-s", mine, "--winning-score", 1)["total_exploitability"] is not None
    remove_scores(mine, (0, 0), (0, 1), (1, 1))
    judged = json_of(OVER_MATCH, "-s", mine)
    assert (judged["subgames"], len(judged["missing_scores"])) == ([], 4)
    assert "1-1" in text_of(OVER_MATCH, "-s", mine)
    remove_scores(mine, *all_scores(2))
    before = contents(mine)
    assert "no score" in complaint(call(OVER_MATCH, "-s", mine, "--save"), 1, OVER_MATCH)
    assert contents(mine) == before


def test_multiround_of_an_iteration_that_is_not_there(mine: Path) -> None:
    for path in mine.glob("subgame_1_0/snapshot_00000*.msgpack"):
        path.unlink()
    before = contents(mine)
    line = complaint(call(OVER_MATCH, "-s", mine, "--iteration", 5, "--save"), 1, OVER_MATCH)
    assert "subgame_1_0" in line
    assert "5" in line
    assert contents(mine) == before


# --- best-response-subgame


def test_subgame_json(two: Path) -> None:
    before = contents(two)
    solution = load_solution(two)
    for score in all_scores(2):
        directory = two / f"subgame_{score.first}_{score.second}"
        judged = json_of(IN_ROUND, "-s", directory, "--save", "false")
        assert judged["score"] == list(score)
        assert judged["iteration"] == solution.results[score].iteration
        values = solution.outcome_values(score)
        assert judged["outcome_values"] == pytest.approx(values._asdict(), abs=1e-12)
        expected = best_responses(tic_tac_toe_round(game_tree(), values), solution.average_strategy[score])
        assert judged["value"] == pytest.approx(expected.value, abs=1e-12)
        assert judged["best_response_values"] == pytest.approx(expected.values, abs=1e-12)
        assert judged["exploitability"] == pytest.approx(solution.exploitability[score], abs=1e-12)
        assert judged["exploitability"] == pytest.approx(sum(judged["best_response_values"]), abs=1e-15)
        for seat, best in zip(("first", "second"), judged["best_response_values"], strict=True):
            by_goals = judged["best_response_by_goals"][seat]
            assert set(by_goals) == {f"{one}/{two}" for one in ("win", "lose", "tie") for two in ("win", "lose", "tie")}
            assert np.mean(list(by_goals.values())) == pytest.approx(best, abs=1e-12)
        first, second = judged["best_response_values"]
        assert first >= judged["value"] - 1e-12 >= -second - 2e-12
    assert contents(two) == before, "--save false touches nothing"


def test_subgame_text(two: Path) -> None:
    out = text_of(IN_ROUND, "-s", two / "subgame_1_0", "--save", "false")
    judged = json_of(IN_ROUND, "-s", two / "subgame_1_0", "--save", "false")
    lines = out.splitlines()
    assert lines[0].startswith(f"score 1-0, iteration {judged['iteration']:,};")
    rows = [[float(cell) for cell in line.split()[2:]] for line in lines if re.match(r"  first (win|lose|tie) ", line)]
    for table, seat in ((rows[:3], "first"), (rows[3:], "second")):
        assert np.ravel(table).tolist() == pytest.approx(
            list(judged["best_response_by_goals"][seat].values()), abs=1e-6
        )
    last = re.search(rf"exploitability: {BOTH_UNITS} of matches won", " ".join(out.split()))
    assert last is not None, out
    assert float(last[1]) == pytest.approx(judged["exploitability"], rel=0.01)
    assert float(last[2]) == pytest.approx(50.0 * judged["exploitability"], rel=0.01)


def test_subgame_saves_by_default(mine: Path, single: Path, tmp_path: Path) -> None:
    before = contents(mine)
    judged = json_of(IN_ROUND, "-s", mine / "subgame_1_0")
    after = contents(mine)
    name = f"subgame_1_0/{response_name(judged['iteration'])}"
    assert {path for path in after if path not in before} == {name}
    assert {path: after[path] for path in before} == before
    saved = SavedResponse.load(mine / name, game_tree())
    assert (saved.score, saved.average) == (Score(1, 0), True)
    assert list(saved.values) == judged["best_response_values"]
    assert_gets_what_it_says(saved, load_solution(mine).average_strategy[Score(1, 0)])
    json_of(IN_ROUND, "-s", mine / "subgame_1_0")
    assert contents(mine) == after, "the same again"

    shutil.copytree(single, tmp_path / "round")
    judged = json_of(IN_ROUND, "-s", tmp_path / "round", "-i", 10, "--average-strategy", "false")
    saved = SavedResponse.load(tmp_path / "round" / response_name(10), game_tree())
    assert (saved.score, saved.iteration, saved.average) == (None, 10, False)
    snapshot = Snapshot.load(single / snapshot_name(10), game_tree())
    assert_gets_what_it_says(saved, snapshot.current_strategy)
    assert judged["score"] is None
    assert "unit of the outcome values" in text_of(IN_ROUND, "-s", single, "--save", "false")


def test_subgame_iterations_and_outcome_values(two: Path) -> None:
    directory = two / "subgame_1_1"
    quietly = ("-s", directory, "--save", "false")
    uniform = json_of(IN_ROUND, *quietly, "-i", 0, "--outcome-values", 0, 1, -1, 0)
    assert uniform["best_response_values"] == pytest.approx([0.463194, 0.571517], abs=5e-7)
    assert uniform["exploitability"] == pytest.approx(1.034711, abs=5e-7)
    assert uniform["value"] == pytest.approx(0.0, abs=1e-14)
    assert uniform["outcome_values"] == {"both": 0.0, "first": 1.0, "second": -1.0, "neither": 0.0}
    for at in list_snapshots(directory):
        judged = json_of(IN_ROUND, *quietly, "-i", at)
        assert judged["iteration"] == at
        snapshot = Snapshot.load(directory / snapshot_name(at), game_tree())
        assert judged["exploitability"] == pytest.approx(snapshot.exploitability, abs=1e-12)
        assert judged["value"] == pytest.approx(snapshot.value, abs=1e-2)
    out = text_of(IN_ROUND, *quietly, "--outcome-values", 0, 100, -100, 0)
    assert "percentage points" not in out, "no match value, no percentage of matches"


def test_a_response_for_other_outcome_values_is_not_saved(mine: Path) -> None:
    """What is there, here of the match, is what explore shows; with the snapshot's own values it is saved."""
    assert call(OVER_MATCH, "-s", mine, "--save").code == 0
    before = contents(mine)
    subgame, values = mine / "subgame_1_1", ("--outcome-values", 50, 50, 50, 50)
    assert json_of(IN_ROUND, "-s", subgame, *values)["best_response_values"] == pytest.approx([50.0, -50.0])
    line = complaint(call(IN_ROUND, "-s", subgame, "--save", "true", *values), 2, IN_ROUND)
    assert "--save true: what is saved beside a snapshot is for its outcome values; leave --outcome-values out" in line
    assert contents(mine) == before
    own = load_solution(mine).snapshot(Score(1, 1)).outcome_values
    assert call(IN_ROUND, "-s", subgame, "--outcome-values", *map(repr, own)).code == 0
    assert open_saved(mine).load(Score(1, 1)).response is not None


def test_a_response_goes_with_its_snapshot(tmp_path: Path) -> None:
    """What another run comes to is not shown with the best response to what was there."""
    match, subgame = (MATCH, "-o", tmp_path / "match", "--winning-score", 1), tmp_path / "match" / "subgame_0_0"
    assert call(*match, "--max-iterations", 20).code == 1
    assert call(OVER_MATCH, "-s", tmp_path / "match", "--save").code == 0
    assert (subgame / response_name(20)).exists()
    kept = (subgame / response_name(20)).read_bytes()
    assert call(*match, "--max-iterations", 40).code == 1
    assert not list(subgame.glob("best_response_*"))
    (subgame / response_name(20)).write_bytes(kept)  # as earlier versions left it
    assert call(*match, "--max-iterations", 20, "--restart", "--check-exploitability-every", 10).code == 1
    assert list_snapshots(subgame)[-1] == 20
    assert not list(subgame.glob("best_response_*"))


def test_subgame_of_an_iteration_that_is_not_there(two: Path) -> None:
    before = contents(two)
    line = complaint(call(IN_ROUND, "-s", two / "subgame_1_1", "-i", 7), 1, IN_ROUND)
    assert "7" in line
    assert "0, 1, 10" in line
    assert contents(two) == before


# --- what cannot be judged, or saved


def test_a_snapshot_of_another_score_is_not_judged(mine: Path) -> None:
    """Directories that were mixed up: the file says which score it belongs to."""
    last = load_solution(mine).results[Score(1, 0)].iteration
    other = load_solution(mine).results[Score(0, 1)].iteration
    shutil.copy(mine / "subgame_0_1" / snapshot_name(other), mine / "subgame_1_0" / snapshot_name(last))
    assert "subgame_1_0" in complaint(call(OVER_MATCH, "-s", mine), 1, OVER_MATCH)


def test_without_a_solution_in_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    line = complaint(call(IN_ROUND), 2, IN_ROUND)
    assert line == f"{IN_ROUND}: Missing option '-s' / '--subgame'. (see {IN_ROUND} --help)"
    assert contents(tmp_path) == {}


def test_a_subgame_instead_of_a_solution_and_the_reverse(two: Path) -> None:
    before = contents(two)
    assert "solution" in complaint(call(OVER_MATCH, "-s", two / "subgame_1_1"), 1, OVER_MATCH)
    assert complaint(call(OVER_MATCH, "-s", two, "--winning-score", 3), 2, OVER_MATCH) == (
        f"{OVER_MATCH}: --winning-score: {two} is a match to 2 points (see {OVER_MATCH} --help)"
    )
    assert "a whole solution" in complaint(call(IN_ROUND, "-s", two), 1, IN_ROUND)
    assert contents(two) == before


def test_a_solution_that_may_not_be_written(mine: Path) -> None:
    """--save where the file cannot be put: one line, and what was there stays."""
    solution: Solution = load_solution(mine)
    iteration = solution.results[Score(1, 1)].iteration
    (mine / "subgame_1_1" / response_name(iteration)).mkdir()
    before = contents(mine)
    shown = text_of(IN_ROUND, "-s", mine / "subgame_1_1", "--save", "false")
    result = call(IN_ROUND, "-s", mine / "subgame_1_1")
    assert (result.code, result.out) == (1, shown), "what was computed is shown all the same"
    assert response_name(iteration) in complaint(replace(result, out=""), 1, IN_ROUND)
    judged = call(IN_ROUND, "-s", mine / "subgame_1_1", "--json")
    assert json.loads(judged.out) == json_of(IN_ROUND, "-s", mine / "subgame_1_1", "--save", "false")
    assert contents(mine) == before
    result = call(OVER_MATCH, "-s", mine, "--save")
    assert result.out == text_of(OVER_MATCH, "-s", mine)
    assert response_name(iteration) in complaint(replace(result, out=""), 1, OVER_MATCH)
    after = contents(mine)
    assert {path: after[path] for path in before} == before
