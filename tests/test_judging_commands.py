"""best-response-multiround, best-response-subgame and head-to-head in the hands of friendly and of hostile users."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click import Command
from commands import MATCH, ROUND, SHORT, call, complaint, contents, environment, program, run, with_version
from lifting import game_tree
from matches import endless_bot
from tictactoe.tools.best_response_multiround import command as multiround_command
from tictactoe.tools.best_response_subgame import command as subgame_command
from tictactoe.tools.head_to_head import command as head_to_head_command

from tictactoe.adversary import best_response_over_match
from tictactoe.compare import UniformStrategy, head_to_head
from tictactoe.files import FormatError, read_file, write_file
from tictactoe.game import tic_tac_toe_round
from tictactoe.match import OutcomeValues, Score, all_scores, outcome_values
from tictactoe.response import expected_value, leaf_distribution
from tictactoe.round_response import respond_to_round
from tictactoe.saved_response import KIND, SavedResponse, response_name
from tictactoe.snapshot import SNAPSHOT_KIND, Snapshot, list_snapshots, snapshot_name
from tictactoe.solution import SOLUTION_FILE, SOLUTION_KIND, Solution, load_solution

OVER_MATCH = "best-response-multiround"
IN_ROUND = "best-response-subgame"
VERSUS = "head-to-head"
PROGRAMS = (OVER_MATCH, IN_ROUND, VERSUS)
COMMANDS: dict[str, Command] = {
    OVER_MATCH: multiround_command, IN_ROUND: subgame_command, VERSUS: head_to_head_command,
}  # fmt: skip
SOLVED = ("--algorithm", "pdcfr+", "--maximum-subgame-exploitability", "0.002", "--quiet")
NUMBER = r"-?[0-9.]+(?:e[-+][0-9]+)?"
BOTH_UNITS = rf"({NUMBER}) in match value \(-1 to 1\), ({NUMBER}) percentage points"


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A solved match to 2; to be copied, not changed."""
    output = tmp_path_factory.mktemp("judging") / "two"
    assert call(MATCH, "-o", output, "--winning-score", 2, *SOLVED).code == 0
    return output


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A solved match to 1."""
    output = tmp_path_factory.mktemp("judging") / "one"
    assert call(MATCH, "-o", output, "--winning-score", 1, *SOLVED).code == 0
    return output


@pytest.fixture(scope="module")
def single(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A round on its own."""
    output = tmp_path_factory.mktemp("judging") / "round"
    assert call(ROUND, "-o", output, "--quiet", *SHORT).code == 0
    return output


@pytest.fixture
def mine(solved: Path, tmp_path: Path) -> Path:
    """A copy of the solved match to 2 that a test may change."""
    shutil.copytree(solved, tmp_path / "mine")
    return tmp_path / "mine"


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory."""
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    return tmp_path / "empty"


def arguments_for(name: str, solution: Path) -> tuple[object, ...]:
    """What makes the program judge a solution, without writing anything."""
    return {
        OVER_MATCH: ("-s", solution),
        IN_ROUND: ("-s", solution / "subgame_1_1", "--save", "false"),
        VERSUS: ("-s", solution, "-s", "uniform"),
    }[name]


def json_of(name: str, *arguments: object) -> Any:
    result = call(name, *arguments, "--json")
    assert result.code == 0, result
    assert result.err == "", result

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    return json.loads(result.out, parse_constant=refuse)


def text_of(name: str, *arguments: object) -> str:
    result = call(name, *arguments)
    assert (result.code, result.err) == (0, ""), result
    assert "\x1b" not in result.out
    return result.out


# --- best-response-multiround


def test_multiround_json(solved: Path) -> None:
    before = contents(solved)
    judged = json_of(OVER_MATCH, "-s", solved)
    solution = load_solution(solved)
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
    assert contents(solved) == before, "nothing is written without --save"


def test_multiround_text(solved: Path) -> None:
    out = text_of(OVER_MATCH, "-s", solved)
    start = json_of(OVER_MATCH, "-s", solved)["subgames"][-1]
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
    wins = [50 + 50 * start["max"], 50 - 50 * start["min"], 50 + 50 * start["min"], 50 - 50 * start["max"]]
    assert percentages == pytest.approx(wins, abs=1e-5)
    assert percentages[0] + percentages[3] == pytest.approx(100.0, abs=2e-5)


def test_every_exploitability_has_both_units(solved: Path) -> None:
    for name in (OVER_MATCH, IN_ROUND):
        flat = " ".join(text_of(name, *arguments_for(name, solved)).split())
        figures = re.findall(rf"[Ee]xploitability[^.]*?: {NUMBER}[^:]*", flat)
        assert len(figures) == 1
        assert re.search(BOTH_UNITS, figures[0])


def test_multiround_of_a_shorter_match(solved: Path) -> None:
    judged = json_of(OVER_MATCH, "-s", solved, "--winning-score", 1)
    whole = json_of(OVER_MATCH, "-s", solved)
    assert judged["winning_score"] == 1
    assert len(judged["subgames"]) == 1
    (only,) = judged["subgames"]
    last = whole["subgames"][0]
    assert (only["score"], last["score"]) == ([0, 0], [1, 1])
    assert only | {"score": None} == last | {"score": None}
    assert judged["total_exploitability"] == last["exploitability"]
    strategy = load_solution(solved).average_strategy[Score(1, 1)]
    response = best_response_over_match(game_tree(), {Score(0, 0): strategy}, 1)
    assert judged["total_exploitability"] == response.scores[Score(0, 0)].exploitability
    assert "in a match to 1:" in text_of(OVER_MATCH, "-s", solved, "--winning-score", 1)


def test_multiround_of_current_and_earlier_strategies(solved: Path) -> None:
    solution = load_solution(solved)
    average = json_of(OVER_MATCH, "-s", solved)
    current = json_of(OVER_MATCH, "-s", solved, "--average-strategy", "false")
    expected = best_response_over_match(solution.tree, solution.strategies(average=False), 2)
    assert current["total_exploitability"] == expected.scores[Score(0, 0)].exploitability
    assert current["total_exploitability"] != average["total_exploitability"]
    totals = [json_of(OVER_MATCH, "-s", solved, "--iteration", at)["total_exploitability"] for at in (0, 1, 10, 100)]
    assert totals == sorted(totals, reverse=True)
    assert totals[0] == pytest.approx(
        best_response_over_match(solution.tree, UniformStrategy(solution.tree, 2), 2).scores[Score(0, 0)].exploitability
    )
    assert json_of(OVER_MATCH, "-s", solved, "--iteration", 99) == json_of(OVER_MATCH, "-s", solved, "--iteration", 10)
    assert json_of(OVER_MATCH, "-s", solved, "--iteration", 10**9) == average


def test_multiround_save(mine: Path) -> None:
    before = contents(mine)
    assert text_of(OVER_MATCH, "-s", mine, "--save") == text_of(OVER_MATCH, "-s", mine)
    solution = load_solution(mine)
    names = {f"subgame_{a}_{b}/{response_name(solution.results[Score(a, b)].iteration)}"
             for a in range(2) for b in range(2)}  # fmt: skip
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
        best = respond_to_round(tree, saved.outcome_values[seat], bot).best_values[seat]
        assert saved.values[seat] == pytest.approx(best, abs=1e-12)


def remove_scores(solution: Path, *absent: tuple[int, int]) -> None:
    """Take results out of a solution's record, as if they had not been solved yet."""
    content = read_file(solution / SOLUTION_FILE, SOLUTION_KIND)
    content["subgames"] = [entry for entry in content["subgames"] if tuple(entry["score"]) not in absent]
    write_file(solution / SOLUTION_FILE, SOLUTION_KIND, content)


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


def test_subgame_json(solved: Path) -> None:
    before = contents(solved)
    solution = load_solution(solved)
    for score in all_scores(2):
        directory = solved / f"subgame_{score.first}_{score.second}"
        judged = json_of(IN_ROUND, "-s", directory, "--save", "false")
        assert judged["score"] == list(score)
        assert judged["iteration"] == solution.results[score].iteration
        values = solution.outcome_values(score)
        assert judged["outcome_values"] == pytest.approx(values._asdict(), abs=1e-12)
        expected = respond_to_round(game_tree(), values, solution.average_strategy[score])
        assert judged["value"] == pytest.approx(expected.value, abs=1e-12)
        assert judged["best_response_values"] == pytest.approx(expected.best_values, abs=1e-12)
        assert judged["exploitability"] == pytest.approx(solution.exploitability[score], abs=1e-12)
        assert judged["exploitability"] == pytest.approx(sum(judged["best_response_values"]), abs=1e-15)
        for seat, best in zip(("first", "second"), judged["best_response_values"], strict=True):
            by_goals = judged["best_response_by_goals"][seat]
            assert set(by_goals) == {f"{one}/{two}" for one in ("win", "lose", "tie") for two in ("win", "lose", "tie")}
            assert np.mean(list(by_goals.values())) == pytest.approx(best, abs=1e-12)
        first, second = judged["best_response_values"]
        assert first >= judged["value"] - 1e-12 >= -second - 2e-12
    assert contents(solved) == before, "--save false touches nothing"


def test_subgame_text(solved: Path) -> None:
    out = text_of(IN_ROUND, "-s", solved / "subgame_1_0", "--save", "false")
    judged = json_of(IN_ROUND, "-s", solved / "subgame_1_0", "--save", "false")
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


def test_subgame_iterations_and_outcome_values(solved: Path) -> None:
    directory = solved / "subgame_1_1"
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


@pytest.mark.parametrize("size", ["1e150", "1e300", "1.7e308"])
def test_subgame_outcome_values_beyond_what_floats_can_add_up(size: str, mine: Path) -> None:
    """Figures that are numbers, or a refusal; neither Infinity in the JSON nor an internal error."""
    arguments = ("-s", mine / "subgame_1_1", "--outcome-values", size, f"-{size}", size, f"-{size}")
    before = contents(mine)
    result = call(IN_ROUND, *arguments, "--json")
    if result.code == 0:
        assert "Infinity" not in result.out
        assert "NaN" not in result.out
    else:
        assert "--outcome-values" in complaint(result, 2, IN_ROUND)
        assert contents(mine) == before


def test_subgame_of_an_iteration_that_is_not_there(solved: Path) -> None:
    before = contents(solved)
    line = complaint(call(IN_ROUND, "-s", solved / "subgame_1_1", "-i", 7), 1, IN_ROUND)
    assert "7" in line
    assert "0, 1, 10" in line
    assert contents(solved) == before


# --- head-to-head


def test_head_to_head_json(solved: Path, short: Path) -> None:
    judged = json_of(VERSUS, "-s", solved, "-s", "uniform")
    solution = load_solution(solved)
    uniform = UniformStrategy(game_tree(), 2)
    expected = head_to_head(game_tree(), solution.average_strategy, uniform, 2)
    assert judged == {
        "winning_score": 2,
        "a": str(solved),
        "b": "uniform",
        "a_wins": expected.wins,
        "a_wins_moving_first": expected.wins_as_first,
        "a_wins_moving_second": expected.wins_as_second,
        "expected_rounds_a_moving_first": expected.rounds_as_first,
        "expected_rounds_a_moving_second": expected.rounds_as_second,
    }
    assert judged["a_wins"] > 0.7
    reverse = json_of(VERSUS, "-s", "uniform", "-s", solved)
    assert reverse["a_wins"] == pytest.approx(1.0 - judged["a_wins"], abs=1e-12)
    assert reverse["a_wins_moving_first"] == pytest.approx(1.0 - judged["a_wins_moving_second"], abs=1e-12)
    itself = json_of(VERSUS, "-s", solved, "-s", solved)
    assert itself["a_wins"] == pytest.approx(0.5, abs=1e-12)
    current = json_of(VERSUS, "-s", solved, "-s", "uniform", "--average-strategy", "false")
    expected = head_to_head(game_tree(), solution.strategies(average=False), uniform, 2)
    assert current["a_wins"] == expected.wins != judged["a_wins"]
    shorter = json_of(VERSUS, "-s", solved, "-s", short)
    ours = {Score(0, 0): solution.average_strategy[Score(1, 1)]}
    expected = head_to_head(game_tree(), ours, load_solution(short).average_strategy, 1)
    assert (shorter["winning_score"], shorter["a_wins_moving_first"]) == (1, expected.wins_as_first)
    assert json_of(VERSUS, "-s", solved, "-s", "uniform", "--winning-score", 1)["winning_score"] == 1


def test_head_to_head_of_uniform_players() -> None:
    judged = json_of(VERSUS, "-s", "uniform", "-s", "uniform")
    assert (judged["winning_score"], judged["a_wins"]) == (5, pytest.approx(0.5, abs=1e-12))
    judged = json_of(VERSUS, "-s", "uniform", "-s", "uniform", "--winning-score", 1)
    assert judged["expected_rounds_a_moving_first"] == pytest.approx(9 / 4, abs=1e-12)


def test_head_to_head_text(solved: Path) -> None:
    out = text_of(VERSUS, "-s", solved, "-s", "uniform")
    judged = json_of(VERSUS, "-s", solved, "-s", "uniform")
    lines = out.splitlines()
    assert str(solved) in lines[0]
    assert "uniform" in lines[0]
    percentages = [float(found) for found in re.findall(rf"({NUMBER}) %", out)]
    a, first, second = (100 * judged[f"a_wins{seat}"] for seat in ("", "_moving_first", "_moving_second"))
    assert percentages == pytest.approx([first, second, a, 100 - a], abs=1e-5)


def test_head_to_head_usage(solved: Path, short: Path) -> None:
    for sides in ((), ("-s", solved), ("-s", solved, "-s", solved, "-s", "uniform")):
        assert "twice" in complaint(call(VERSUS, *sides), 2, VERSUS)
    for a, b in ((solved, short), (short, "uniform"), ("uniform", short)):
        line = complaint(call(VERSUS, "-s", a, "-s", b, "--winning-score", 2), 2, VERSUS)
        assert "--winning-score" in line
    assert "--winning-score" in complaint(call(OVER_MATCH, "-s", solved, "--winning-score", 3), 2, OVER_MATCH)


def test_head_to_head_with_missing_scores(mine: Path) -> None:
    remove_scores(mine, (0, 1))
    for sides in ((mine, "uniform"), ("uniform", mine), (mine, mine)):
        line = complaint(call(VERSUS, "-s", sides[0], "-s", sides[1]), 1, VERSUS)
        assert "0-1" in line
        assert str(mine) in line
    assert call(VERSUS, "-s", mine, "-s", "uniform", "--winning-score", 1).code == 0


# --- files that are not what they should be


def change_content(path: Path, kind: str, change: Callable[[dict[str, Any]], object]) -> None:
    content = read_file(path, kind)
    change(content)
    write_file(path, kind, content)


def damages(path: Path, kind: str) -> Iterator[bytes | None]:
    """A file's bytes in every way that they may be wrong; None for no file at all."""
    data = path.read_bytes()
    yield None
    yield b""
    for cut in (1, 20, len(data) // 2, len(data) - 1):
        yield data[:cut]
    yield data + b"\0"
    for position in (3, 18, 40, len(data) // 2, len(data) - 40, len(data) - 1):
        yield data[:position] + bytes([data[position] ^ 4]) + data[position + 1 :]
    yield b"\x80\x04\x95" + data  # what a pickle starts with
    yield json.dumps({"kind": kind}).encode()
    yield with_version(data, 2)
    yield with_version(data, 0)


@pytest.mark.parametrize("name", PROGRAMS)
def test_damaged_files(name: str, mine: Path) -> None:
    record = mine / SOLUTION_FILE
    last = list_snapshots(mine / "subgame_1_1")[-1]
    snapshot = mine / "subgame_1_1" / snapshot_name(last)
    for path, kind in ((record, SOLUTION_KIND), (snapshot, SNAPSHOT_KIND)):
        if name == IN_ROUND and path == record:
            continue  # not read
        good = path.read_bytes()
        for data in damages(path, kind):
            path.unlink()
            if data is not None:
                path.write_bytes(data)
            elif name == IN_ROUND:
                path.write_bytes(good)
                continue  # then an earlier snapshot is the last
            before = contents(mine)
            saving = {OVER_MATCH: ("--save",), IN_ROUND: ("--save", "true"), VERSUS: ()}[name]
            line = complaint(call(name, *arguments_for(name, mine), *saving), 1, name)
            assert str(mine if path == record and data is None else path) in line, line
            if data is not None and data == with_version(good, 2):
                assert "newer" in line
            assert contents(mine) == before
            path.unlink(missing_ok=True)
            path.write_bytes(good)


@pytest.mark.parametrize("name", PROGRAMS)
def test_files_of_another_kind_or_of_another_tree(name: str, mine: Path, single: Path) -> None:
    record, subgame = mine / SOLUTION_FILE, mine / "subgame_1_1"
    snapshot = subgame / snapshot_name(list_snapshots(subgame)[-1])
    good = {path: path.read_bytes() for path in (record, snapshot)}

    def refused(path: Path) -> None:
        if not (name == IN_ROUND and path == record):
            line = complaint(call(name, *arguments_for(name, mine)), 1, name)
            assert str(path) in line, line
        for each, data in good.items():
            each.write_bytes(data)

    for path, kind in ((record, SOLUTION_KIND), (snapshot, SNAPSHOT_KIND)):
        path.write_bytes(good[snapshot if path == record else record])
        refused(path)
        for field, value in (("tree_fingerprint", "0" * 64), ("end_rule", "filled-board")):
            change_content(path, kind, lambda content, field=field, value=value: content.update({field: value}))  # type: ignore[misc]
            refused(path)
        change_content(path, kind, lambda content: content.pop("options"))
        refused(path)
    for winning_score in (0, -1, 10**9):
        change_content(record, SOLUTION_KIND, lambda content, w=winning_score: content.update({"winning_score": w}))  # type: ignore[misc]
        refused(record)
    change_content(record, SOLUTION_KIND, lambda content: content["subgames"].append(content["subgames"][0]))
    refused(record)
    if name != VERSUS:
        change_content(snapshot, SNAPSHOT_KIND, lambda content: content["strategy_sums"].__imul__(-1.0))
        refused(snapshot)


def test_a_snapshot_of_another_score_is_not_judged(mine: Path) -> None:
    """Directories that were mixed up: the file says which score it belongs to."""
    last = load_solution(mine).results[Score(1, 0)].iteration
    other = load_solution(mine).results[Score(0, 1)].iteration
    shutil.copy(mine / "subgame_0_1" / snapshot_name(other), mine / "subgame_1_0" / snapshot_name(last))
    assert "subgame_1_0" in complaint(call(OVER_MATCH, "-s", mine), 1, OVER_MATCH)


@pytest.mark.parametrize("name", PROGRAMS)
def test_directories_that_are_none(name: str, tmp_path: Path, nowhere: Path) -> None:
    (tmp_path / "file").write_bytes(b"mine")
    (tmp_path / "nothing").mkdir()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    second = ("-s", "uniform") if name == VERSUS else ()
    before = contents(tmp_path)
    for directory in ("missing", "file", "file/below", "nothing", "loop", "é\n", "x" * 5000):
        result = call(name, "-s", tmp_path / directory, *second)
        assert result.code in (1, 2), result
        line = complaint(result, result.code, name)
        assert directory[:4].strip() in line, line
    result = call(name, "-s", "", *second)
    assert result.code in (1, 2)
    complaint(result, result.code, name)
    assert contents(tmp_path) == before


def test_without_a_solution_in_the_working_directory(nowhere: Path) -> None:
    assert "my_solution" in complaint(call(OVER_MATCH), 1, OVER_MATCH)
    assert "--subgame" in complaint(call(IN_ROUND), 2, IN_ROUND)
    assert contents(nowhere) == {}


def test_a_subgame_instead_of_a_solution_and_the_reverse(solved: Path) -> None:
    before = contents(solved)
    assert "solution" in complaint(call(OVER_MATCH, "-s", solved / "subgame_1_1"), 1, OVER_MATCH)
    assert "solution" in complaint(call(VERSUS, "-s", solved / "subgame_1_1", "-s", "uniform"), 1, VERSUS)
    assert "snapshot" in complaint(call(IN_ROUND, "-s", solved), 1, IN_ROUND)
    assert contents(solved) == before


def test_a_solution_that_never_scores_against_itself(short: Path, tmp_path: Path) -> None:
    """Somebody else's strategy with which a match never ends: judged or refused, but no internal error."""
    shutil.copytree(short, tmp_path / "endless")
    subgame = tmp_path / "endless" / "subgame_0_0"
    strategy = endless_bot()[Score(0, 0)].copy()
    strategy[0] = 0.0
    change_content(
        subgame / snapshot_name(list_snapshots(subgame)[-1]),
        SNAPSHOT_KIND,
        lambda content: content.update(strategy_sums=strategy),
    )
    before = contents(tmp_path)
    for name, arguments in ((OVER_MATCH, ()), (VERSUS, ("-s", tmp_path / "endless"))):
        result = call(name, "-s", tmp_path / "endless", *arguments, "--json")
        assert "internal error" not in result.err
        if result.code == 0:
            assert "NaN" not in result.out
            assert "Infinity" not in result.out
        else:
            assert "0-0" in complaint(result, 1, name)
    assert call(VERSUS, "-s", tmp_path / "endless", "-s", "uniform").code == 0
    assert contents(tmp_path) == before


# --- best responses from files


@pytest.fixture(scope="module")
def response_bytes(solved: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What best-response-subgame saves of an early iteration."""
    subgame = tmp_path_factory.mktemp("responses") / "subgame_1_1"
    shutil.copytree(solved / "subgame_1_1", subgame)
    assert call(IN_ROUND, "-s", subgame, "-i", 10).code == 0
    return (subgame / response_name(10)).read_bytes()


@pytest.fixture
def response_file(response_bytes: bytes, tmp_path: Path) -> Path:
    (tmp_path / response_name(10)).write_bytes(response_bytes)
    return tmp_path / response_name(10)


def test_damaged_best_responses(response_file: Path) -> None:
    for data in damages(response_file, KIND):
        if data is None:
            response_file.rename(response_file.with_suffix(".good"))
        else:
            response_file.write_bytes(data)
        with pytest.raises(FormatError) as caught:
            SavedResponse.load(response_file, game_tree())
        assert str(response_file) in str(caught.value)
        assert "\n" not in str(caught.value)
        shutil.copy(response_file.with_suffix(".good"), response_file)


HOSTILE: dict[str, Callable[[dict[str, Any]], object]] = {
    "no score": lambda content: content.pop("score"),
    "a score of three": lambda content: content.update(score=[1, 1, 1]),
    "a negative score": lambda content: content.update(score=[-1, 0]),
    "a score of text": lambda content: content.update(score=["1", "1"]),
    "a score of fractions": lambda content: content.update(score=[0.5, 1.5]),
    "no iteration": lambda content: content.pop("iteration"),
    "a negative iteration": lambda content: content.update(iteration=-1),
    "an iteration of text": lambda content: content.update(iteration="10"),
    "average of text": lambda content: content.update(average="false"),
    "average an array": lambda content: content.update(average=np.zeros(2)),
    "three seats": lambda content: content.update(values=[0.0, 0.0, 0.0]),
    "values of text": lambda content: content.update(values=["a", "b"]),
    "a number of values": lambda content: content.update(values=1.0),
    "three outcome values": lambda content: content.update(outcome_values=[[0.0, 1.0, -1.0]] * 2),
    "outcome values of one seat": lambda content: content["outcome_values"].pop(),
    "another tree": lambda content: content.update(tree_fingerprint="0" * 64),
    "a tree of numbers": lambda content: content.update(tree_fingerprint=np.zeros(3)),
    "no tree": lambda content: content.update(tree_fingerprint=None),
    "a strategy of text": lambda content: content.update(strategy="x"),
    "a strategy of lists": lambda content: content.update(strategy=[[1, 0], [1]]),
    "a map for a strategy": lambda content: content.update(strategy={"a": 1}),
    "too few moves": lambda content: content.update(strategy=content["strategy"][:-1]),
    "a move of two": lambda content: content["strategy"].__setitem__((5, 1), 2),
    "a negative move": lambda content: content["strategy"].__setitem__((5, 1), -1),
    "no move": lambda content: content["strategy"].__imul__(0),
    "every move": lambda content: content["strategy"].__setitem__(slice(None), 1),
    "a fraction of a move": lambda content: content.update(strategy=content["strategy"] * 0.5),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_best_responses(what: str, response_file: Path) -> None:
    """With a right checksum: only what `save` could have written is taken, anything else is a FormatError."""
    change_content(response_file, KIND, HOSTILE[what])
    with pytest.raises(FormatError) as caught:
        SavedResponse.load(response_file, game_tree())
    assert str(response_file) in str(caught.value)


def test_a_good_best_response_is_read(response_file: Path) -> None:
    saved = SavedResponse.load(response_file, game_tree())
    copy = response_file.parent / "copy"
    copy.mkdir()
    assert saved.save(copy).read_bytes() == response_file.read_bytes()


# --- usage

BAD_VALUES = {
    "--winning-score": ("", "0", "-1", "1.5", "nan", "1e3", "x", "9" * 30, "9" * 5000),
    "--iteration": ("", "-1", "1.5", "nan", "x", "9" * 30, "1,2"),
    "--average-strategy": ("", "maybe", "2", "nan"),
    "--save": ("", "maybe", "2"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_usage_errors(name: str, solved: Path, nowhere: Path) -> None:
    before = contents(solved)
    good = arguments_for(name, solved)
    for unknown in ("--nonsense", "-x", "surplus", "--json=true", "--win", "---"):
        complaint(call(name, *good, unknown), 2, name)
    for parameter in COMMANDS[name].params:
        for option in parameter.opts:
            if not getattr(parameter, "is_flag", False):
                assert option in complaint(call(name, *good, option), 2, name)
                for value in BAD_VALUES.get(option, ()):
                    assert option in complaint(call(name, *good, f"{option}={value}"), 2, name)
    assert contents(solved) == before
    assert contents(nowhere) == {}


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "x", "", "1e999"])
@pytest.mark.parametrize("place", range(4))
def test_outcome_values_that_are_refused(value: str, place: int, solved: Path) -> None:
    values = ["0", "1", "-1", "0"]
    values[place] = value
    line = complaint(call(IN_ROUND, "-s", solved / "subgame_1_1", "--outcome-values", *values), 2, IN_ROUND)
    assert "--outcome-values" in line


def test_the_installed_programs_report_errors(tmp_path: Path) -> None:
    for name in PROGRAMS:
        complaint(run(name, "--nonsense", cwd=tmp_path), 2, name)
        result = run(name, "-s", tmp_path / "missing", *(("-s", "uniform") if name == VERSUS else ()), cwd=tmp_path)
        assert "missing" in complaint(result, 1, name)
    assert contents(tmp_path) == {}


@pytest.mark.parametrize("name", PROGRAMS)
def test_help(name: str, tmp_path: Path) -> None:
    """It teaches with examples, names every option, and is quick: numpy and numba are not imported for it."""
    source = (
        "import sys, tictactoe.tools.{} as tool\n"
        "sys.argv = [{!r}, '--help']\n"
        "try:\n    tool.main()\n"
        "finally:\n    print({{'numpy', 'numba', 'msgpack', 'rich'}} & set(sys.modules), file=sys.stderr)\n"
    ).format(name.replace("-", "_"), name)
    done = subprocess.run([sys.executable, "-c", source], cwd=tmp_path, env=environment(), capture_output=True,
                          text=True, timeout=60, check=False)  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "set()\n")
    assert f"\n  {name} -s " in done.stdout, "an example"
    for parameter in COMMANDS[name].params:
        assert all(option in done.stdout for option in parameter.opts)
    assert max(len(line) for line in done.stdout.splitlines()) <= 100


# --- where they run, and where the output goes


@pytest.mark.parametrize("name", PROGRAMS)
def test_from_other_directories(name: str, mine: Path) -> None:
    absolute = call(name, *arguments_for(name, mine), "--json")
    relative = {OVER_MATCH: ("-s", "mine/"), IN_ROUND: ("-s", "mine/subgame_1_1/", "--save", "false"),
                VERSUS: ("-s", "./mine", "-s", "uniform")}[name]  # fmt: skip
    before = contents(mine.parent)
    result = run(name, *relative, "--json", cwd=mine.parent)
    assert (result.code, result.err) == (0, ""), result
    ours, theirs = (json.loads(text) for text in (result.out, absolute.out))
    assert {**ours, "a": None} == {**theirs, "a": None}
    assert contents(mine.parent) == before


@pytest.mark.parametrize("name", PROGRAMS)
def test_outputs_that_nobody_takes(name: str, solved: Path) -> None:
    """Standard output closed, full, or a pipe that nobody reads: no traceback, no internal error."""
    command = [program(name), *map(str, arguments_for(name, solved)), "--json"]
    reader, writer = os.pipe()
    os.close(reader)
    with open("/dev/full", "wb") as full, os.fdopen(writer, "wb") as broken:
        for output, closed in ((full, False), (broken, False), (None, True)):
            words = ["sh", "-c", 'exec "$@" >&-', "sh", *command] if closed else command
            done = subprocess.run(words, env=environment(), stdout=output, stderr=subprocess.PIPE, text=True,
                                  timeout=60, check=False)  # fmt: skip
            assert "Traceback" not in done.stderr, done.stderr
            assert "internal error" not in done.stderr, done.stderr
            assert len(done.stderr.splitlines()) <= 1, done.stderr
            assert done.returncode == 1 or closed, done
            if output is full:
                assert "No space left" in done.stderr


def test_a_solution_that_may_not_be_written(mine: Path) -> None:
    """--save where the file cannot be put: one line, and what was there stays."""
    solution: Solution = load_solution(mine)
    iteration = solution.results[Score(1, 1)].iteration
    (mine / "subgame_1_1" / response_name(iteration)).mkdir()
    before = contents(mine)
    line = complaint(call(IN_ROUND, "-s", mine / "subgame_1_1"), 1, IN_ROUND)
    assert response_name(iteration) in line
    assert contents(mine) == before
    assert response_name(iteration) in complaint(call(OVER_MATCH, "-s", mine, "--save"), 1, OVER_MATCH)
    after = contents(mine)
    assert {path: after[path] for path in before} == before


def test_a_narrow_terminal_keeps_the_units(solved: Path) -> None:
    result = run(OVER_MATCH, "-s", solved, env=environment(COLUMNS="40"))
    assert result.code == 0
    assert "percentage points" in " ".join(result.out.split())


def test_outcome_values_are_those_of_the_solution(solved: Path) -> None:
    """The values that the round was last played for are those that the solution now gives, with the twin's value."""
    solution = load_solution(solved)
    for score in all_scores(2):
        expected: OutcomeValues = outcome_values(score, solution.value, 2)
        assert solution.snapshot(score).outcome_values == pytest.approx(expected, abs=1e-12)
