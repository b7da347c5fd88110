"""A round on its own in a directory: what its files claim, and going on from them."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest
from oracle.lifting import game_tree
from support.programs import contents
from support.storage_files import imported

from tictactoe.algorithms.best_response import exploitability
from tictactoe.algorithms.cfr.update_rules import update_rule
from tictactoe.errors import FormatError, Interrupted, StoreError
from tictactoe.games.goals import SINGLE_ROUND
from tictactoe.games.tic_tac_toe import tic_tac_toe_round
from tictactoe.match.options import RoundOptions
from tictactoe.run_control import Existing, RunControl
from tictactoe.solving.round_run import CHECKPOINT_FILE, solve_round
from tictactoe.storage.directory_layout import MOVING, snapshot_name, solution_around
from tictactoe.storage.snapshot import Snapshot
from tictactoe.storage.solution import load_solution


@pytest.mark.parametrize("algorithm", ["dcfr", "pdcfr+"])
def test_a_file_says_how_good_its_own_arrays_are(algorithm: str, tmp_path: Path) -> None:
    """Stopped at iteration 13 it goes on from 10, where it last flushed, to what it would have come to anyway."""
    stop = threading.Event()
    options = RoundOptions(iterations=30, rule=update_rule(algorithm), check_exploitability_every=7, snapshot_at=(13,))

    def stop_at_13(iteration: int, *evaluation: object) -> None:
        if iteration == 13:
            stop.set()

    with pytest.raises(Interrupted):
        solve_round(tmp_path / "out", game_tree(), options, control=RunControl(stop=stop, reporter=stop_at_13))
    for name, iteration in ((CHECKPOINT_FILE, 10), (snapshot_name(13), 13)):
        saved = Snapshot.load(tmp_path / "out" / name, game_tree())
        found = exploitability(tic_tac_toe_round(game_tree(), SINGLE_ROUND), saved.average_strategy(game_tree()))
        assert saved.iteration == iteration
        assert saved.exploitability == pytest.approx(found.total, abs=1e-13)
        assert saved.value == pytest.approx(found.value, abs=1e-13)
    solve_round(tmp_path / "out", game_tree(), options)
    solve_round(tmp_path / "whole", game_tree(), options)
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


def test_a_shorter_run_than_one_that_was_stopped_does_nothing(tmp_path: Path) -> None:
    """What a later iteration has come to is not saved as an earlier one; the longer run goes on as if nothing was."""
    directory, stop = tmp_path / "out", threading.Event()
    longer, shorter = (RoundOptions(iterations=iterations, snapshot_at=()) for iterations in (400, 90))

    def stop_at_200(iteration: int, *evaluation: object) -> None:
        if iteration == 200:
            stop.set()

    with pytest.raises(Interrupted):
        solve_round(directory, game_tree(), longer, control=RunControl(stop=stop, reporter=stop_at_200))
    before = contents(directory)
    state = solve_round(directory, game_tree(), shorter)
    assert state.iteration == 200
    assert contents(directory) == before
    solve_round(directory, game_tree(), longer)
    solve_round(tmp_path / "whole", game_tree(), longer)
    assert contents(directory) == contents(tmp_path / "whole")


def test_a_part_of_a_solution_is_not_solved_into(tmp_path: Path) -> None:
    """With whatever options, and not where there is nothing yet: its snapshots are the match's. Nor are they where the
    record of the match still waits to be put in its place."""
    match = imported(tmp_path / "match", game_tree(), 1)
    (tmp_path / "link").symlink_to(match / "subgame_0_0")
    (tmp_path / "circle").symlink_to("circle")
    assert solution_around(tmp_path / "circle") is None
    before = contents(match)
    (match / MOVING).mkdir()
    (match / "solution.msgpack").rename(match / MOVING / "solution.msgpack")
    for name in ("match/subgame_0_0", "match/subgame_1_0", "link"):
        for restart in (False, True):
            with pytest.raises(StoreError, match=f"{name}: part of the solution .*match; choose another output dir"):
                solve_round(
                    tmp_path / name,
                    game_tree(),
                    RoundOptions(iterations=1),
                    control=RunControl(existing=Existing.RESTART if restart else Existing.CONTINUE),
                )
    assert contents(match) == before
    assert load_solution(match).missing_scores == []


def test_a_checkpoint_of_another_kind_of_averages_is_refused(tmp_path: Path) -> None:
    """rdcfr averages twice: without the sums since its last restart it cannot go on."""
    options = RoundOptions(iterations=13, snapshot_at=(), rule=update_rule("rdcfr"))
    solve_round(tmp_path, game_tree(), options)
    path = tmp_path / CHECKPOINT_FILE
    replace(Snapshot.load(path, game_tree()), recent_sums=None).save(path)
    with pytest.raises(FormatError, match=r"checkpoint\.msgpack: nothing to go on from: recent_sums: missing"):
        solve_round(tmp_path, game_tree(), replace(options, iterations=20))
