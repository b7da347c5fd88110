"""A best response is shown for its own snapshot alone."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from oracle.lifting import game_tree
from support.storage_files import imported, pure_strategy, refusal

from tictactoe import OutcomeValues, Score, Snapshot, best_responses, load_solution, open_saved, tic_tac_toe_round
from tictactoe.storage.directory_layout import response_name, snapshot_name
from tictactoe.storage.file_format import read_file, write_file
from tictactoe.storage.open_saved import RESPONSE_KIND, load_response, response_to_snapshot
from tictactoe.storage.snapshot import SNAPSHOT_KIND

ONLY = Score(0, 0)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    solution = load_solution(imported(tmp_path / "match", game_tree(), 1))
    save_response(solution.directory / "subgame_0_0", solution.snapshot(ONLY))
    return solution.directory / "subgame_0_0"


def save_response(directory: Path, snapshot: Snapshot, values: OutcomeValues | None = None) -> None:
    values = values or snapshot.outcome_values
    best = best_responses(tic_tac_toe_round(game_tree(), values), snapshot.average_strategy(game_tree()))
    response_to_snapshot(snapshot, True, values, best).save(directory)


def said_of(directory: Path) -> str:
    path = directory / response_name(0)
    saved = open_saved(directory.parent).load(ONLY)
    said = refusal(lambda path: load_response(path, game_tree(), saved.snapshot), path)
    assert saved.response is None
    assert saved.response_values is None
    assert saved.response_problem == f"{path}: {said}"
    return said


def test_a_response_says_which_file_it_answers(directory: Path) -> None:
    content = read_file(directory / response_name(0), RESPONSE_KIND)
    saved = open_saved(directory.parent).load(ONLY)
    assert saved.response is not None
    before = (directory / response_name(0)).read_bytes()
    saved.response.save(directory)
    assert (directory / response_name(0)).read_bytes() == before
    assert saved.response.snapshot_hash == content["snapshot_hash"]
    path = directory / snapshot_name(0)
    changed = read_file(path, SNAPSHOT_KIND)
    write_file(path, SNAPSHOT_KIND, changed | {"options": {**changed["options"], "other": 1}})
    assert said_of(directory) == "it answers a snapshot other than the one that is there; compute it again"
    uniform = load_solution(imported(directory.parent, game_tree(), 1, restart=True)).snapshot(ONLY)
    sums = np.ones_like(uniform.strategy_sums)
    sums[0] = 0.0
    replace(uniform, strategy_sums=sums).save(path)
    saved.response.save(directory)
    assert said_of(directory) == NOT_BEST


NOT_BEST = "it is not a best response to the snapshot that is there; compute it again"


def test_a_response_is_what_it_says(directory: Path) -> None:
    """Always the first move is none: its values are right, and less than there is to be had."""
    path, tree = directory / response_name(0), game_tree()
    content, snapshot = read_file(path, RESPONSE_KIND), open_saved(directory.parent).load(ONLY).snapshot
    response, moves = load_response(path, tree, snapshot), content["strategy"]
    odd = moves[:-1], moves[::-1].copy(), 1 + 0 * moves, 2 * moves, -moves, 0 * moves
    for change, message in (
        ({"values": [content["values"][0], 0.9]}, NOT_BEST),
        ({"average": False, "values": [0.0, 0.0]}, NOT_BEST),
        *(({"strategy": wrong}, "strategy: it does not make exactly one move everywhere") for wrong in odd),
        *(({"values": values}, "values") for values in ([0.0] * 3, ["nan", "inf"])),
        ({"iteration": -1}, "an impossible score or iteration"),
        ({"score": [1, 0]}, "answers iteration 0 of 1-0"),
        ({"score": None}, "answers iteration 0 of None"),
        ({"iteration": 5}, "answers iteration 5 of 0-0"),
        ({"outcome_values": [[50.0] * 4] * 2}, "outcome_values: 50.0 is beyond 1, the largest of all match"),
        ({"outcome_values": [[1e308] * 4] * 2}, "outcome_values: 1e+308 is beyond 1, the largest of"),
    ):
        write_file(path, RESPONSE_KIND, content | change)
        assert said_of(directory).startswith(message)
    first_moves = replace(response, strategy=pure_strategy(tree))
    first, second = first_moves.values_against(tree, snapshot.average_strategy(tree))
    replace(first_moves, values=(float(first[0].mean()), float(second[0].mean()))).save(directory)
    assert said_of(directory) == NOT_BEST
    (directory / snapshot_name(0)).unlink()  # there is nothing to answer
    unread = refusal(lambda _: response.save(directory), directory / snapshot_name(0))
    assert unread == "cannot be read: No such file or directory"


def test_a_round_on_its_own_is_answered_for_its_own_outcome_values(directory: Path) -> None:
    snapshot = open_saved(directory.parent).load(ONLY).snapshot
    alone = directory.parent.parent / "alone"
    alone.mkdir()
    worth = OutcomeValues(0.0, 7.0, -7.0, 0.0)
    replace(snapshot, score=None, winning_score=None, outcome_values=worth).save(alone / snapshot_name(0))
    snapshot = open_saved(alone).load().snapshot
    save_response(alone, snapshot)
    assert open_saved(alone).load().response is not None
    save_response(alone, snapshot, OutcomeValues(50.0, 50.0, 50.0, 50.0))
    problem = open_saved(alone).load().response_problem
    assert problem is not None
    assert problem.endswith("outcome_values: they differ from the snapshot's; compute it again")
