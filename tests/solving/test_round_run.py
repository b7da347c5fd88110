"""A round on its own in a directory: the claims of its files, shorter runs, and refusals."""

import shutil
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from oracle.lifting import game_tree
from support.killing import killed_at
from support.programs import contents
from support.storage_files import imported

from tictactoe import SINGLE_ROUND, Snapshot, exploitability, load_solution, tic_tac_toe_round, update_rule
from tictactoe.errors import FormatError, Interrupted, StoreError
from tictactoe.match.options import GameOptions
from tictactoe.run_control import Existing, RunControl
from tictactoe.solving.game_run import CHECKPOINT_FILE, solve_game
from tictactoe.storage.directory_layout import MOVING, RESTARTED, snapshot_name, solution_around
from tictactoe.storage.locked_directory import finish


def stopped_at(last: int, directory: Path, options: GameOptions) -> None:
    stop = Event()
    reporter = lambda iteration, _: stop.set() if iteration == last else None  # noqa: E731
    with pytest.raises(Interrupted):
        solve_game(directory, game_tree(), options, control=RunControl(stop=stop, reporter=reporter))


@pytest.mark.parametrize("algorithm", ["dcfr", "pdcfr+"])
def test_a_file_says_how_good_its_own_arrays_are(algorithm: str, tmp_path: Path) -> None:
    """A run that stops at iteration 13 saves the state of 10, its last flush."""
    rule = update_rule(algorithm)
    options = GameOptions(iterations=30, algorithm=rule, check_exploitability_every=7, snapshot_at=(13,))
    stopped_at(13, tmp_path, options)
    for name, iteration in ((CHECKPOINT_FILE, 10), (snapshot_name(13), 13)):
        saved = Snapshot.load(tmp_path / name, game_tree())
        found = exploitability(tic_tac_toe_round(game_tree(), SINGLE_ROUND), saved.average_strategy(game_tree()))
        assert saved.iteration == iteration
        assert (saved.exploitability, saved.value) == pytest.approx((found.total, found.value), abs=1e-13)


def test_a_shorter_run_than_one_that_was_stopped_does_nothing(tmp_path: Path) -> None:
    """It does not save a later state as an earlier one; the longer run goes on."""
    directory = tmp_path / "out"
    longer, shorter = (GameOptions(iterations=iterations, snapshot_at=()) for iterations in (200, 90))
    stopped_at(100, directory, longer)
    before = contents(directory)
    assert solve_game(directory, game_tree(), shorter).iteration == 100
    assert contents(directory) == before
    solve_game(directory, game_tree(), longer)
    solve_game(tmp_path / "whole", game_tree(), longer)
    assert contents(directory) == contents(tmp_path / "whole")
    stop = Event()
    control = RunControl(existing=Existing.RESTART, stop=stop, reporter=lambda *_: stop.set())
    with pytest.raises(Interrupted):  # a restart that goes on as a shorter run, too
        solve_game(directory, game_tree(), longer, control=control)
    assert solve_game(directory, game_tree(), GameOptions(iterations=1, snapshot_at=())).iteration > 1
    assert contents(directory).keys() == {CHECKPOINT_FILE}


@pytest.mark.slow
def test_a_restart_that_is_killed_leaves_the_old_run_or_the_new_one(tmp_path: Path) -> None:
    old, new = (GameOptions(iterations=30, snapshot_at=(at,)) for at in (7, 8))
    restart = RunControl[Any](existing=Existing.RESTART)
    for options, name in ((old, "old"), (new, "new")):
        solve_game(tmp_path / name, game_tree(), options)
    whole = [contents(tmp_path / name) for name in ("old", "new")]
    seen = []
    for at in range(0, 100, 5):
        out = Path(shutil.copytree(tmp_path / "old", tmp_path / f"killed_{at}"))
        killed = killed_at(at, out, lambda out=out: solve_game(out, game_tree(), new, control=restart))  # type: ignore[misc]
        finish(out)
        found = {name: data for name, data in contents(out).items() if not name.startswith(".")}
        seen.append(whole.index(found))
        control = RunControl[Any]() if (out / RESTARTED).exists() or seen[-1] else restart
        solve_game(out, game_tree(), new, control=control)
        assert contents(out) == whole[1]
        if not killed:
            break
    assert seen == sorted(seen)
    assert len(seen) > 5


def test_a_part_of_a_solution_is_not_solved_into(tmp_path: Path) -> None:
    match = imported(tmp_path / "match", game_tree(), 1)
    (tmp_path / "link").symlink_to(match / "subgame_0_0")
    (tmp_path / "circle").symlink_to("circle")
    assert solution_around(tmp_path / "circle") is None
    before = contents(match)
    (match / MOVING).mkdir()
    (match / "solution.msgpack").rename(match / MOVING / "solution.msgpack")
    for name in ("match/subgame_0_0", "match/subgame_1_0", "link"):
        for existing in (Existing.CONTINUE, Existing.RESTART):
            control, options = RunControl(existing=existing), GameOptions(iterations=1)
            with pytest.raises(StoreError, match=f"{name}: part of the solution .*match; choose another output dir"):
                solve_game(tmp_path / name, game_tree(), options, control=control)
    assert contents(match) == before
    assert load_solution(match).missing_scores == []


def test_a_checkpoint_of_another_kind_of_averages_is_refused(tmp_path: Path) -> None:
    """rdcfr averages twice: it needs the sums since its last restart."""
    options = GameOptions(iterations=13, snapshot_at=(), algorithm=update_rule("rdcfr"))
    solve_game(tmp_path, game_tree(), options)
    path = tmp_path / CHECKPOINT_FILE
    replace(Snapshot.load(path, game_tree()), recent_sums=None).save(path)
    with pytest.raises(
        FormatError, match=r"checkpoint\.msgpack: there is nothing to continue from: recent_sums: missing"
    ):
        solve_game(tmp_path, game_tree(), replace(options, iterations=20))
