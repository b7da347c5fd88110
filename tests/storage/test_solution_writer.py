"""The writer of solution directories and its lock: one run at a time, nothing half-written stays; names of files."""

import os
import shutil
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from oracle.small_games import random_strategy
from support.killing import killed_at
from support.programs import contents
from support.slowness import slow
from support.storage_files import imported, linux, small_tree

from tictactoe import CompactOptions, Existing, RunControl, Score, Snapshot, compact_solution, open_saved, save_solution
from tictactoe.errors import FormatError, Interrupted, StoreError
from tictactoe.match.scores import all_scores, following_scores, pair_of
from tictactoe.storage import directory_layout
from tictactoe.storage.directory_layout import COMPLETE, MOVING
from tictactoe.storage.import_strategies import ImportedStrategy
from tictactoe.storage.locked_directory import DirectoryLock
from tictactoe.storage.solution import RecordWriter, SubgameResult, load_solution
from tictactoe.storage.solution_writer import SolutionWriter


def save_one(directory: Path, score: Score, winning_score: int, **more: Any) -> None:
    strategies = {score: ImportedStrategy(0, random_strategy(small_tree(), 0))}
    save_solution(directory, small_tree(), strategies, winning_score, "export", **more)


def make_import(_source: Path, directory: Path, *, restart: bool = False) -> None:
    imported(directory, small_tree(), 2, restart=restart)


def make_copy(source: Path, directory: Path, *, restart: bool = False) -> None:
    solution = load_solution(source)
    vars(solution)["tree"] = small_tree()
    control = RunControl(existing=Existing.RESTART if restart else Existing.CONTINUE)
    compact_solution(solution, directory, CompactOptions(smallest=0.0, bits=20), control=control)


@pytest.mark.parametrize("make", [make_import, make_copy])
@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "No space left on device")], ids=["ctrl-c", "full"])
@pytest.mark.parametrize("at", ["the third snapshot", "the record"])
def test_nothing_half_written_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[..., None], error: BaseException, at: str
) -> None:
    source, out = imported(tmp_path / "source", small_tree(), 2), tmp_path / "out"
    (out / "empty").mkdir(parents=True)
    make(source, out / "replaced")
    (out / "replaced" / "notes").write_bytes(b"mine")
    before, save = contents(out), Snapshot.file_bytes
    for name in ("new", "empty", "replaced"):
        steps = [save, save, mock.Mock(side_effect=error)] if at == "the third snapshot" else [save] * 20
        monkeypatch.setattr(
            Snapshot, "file_bytes", lambda *given, steps=steps, **options: steps.pop(0)(*given, **options)
        )
        if at == "the record":
            monkeypatch.setattr(RecordWriter, "write", mock.Mock(side_effect=error))
        with pytest.raises(type(error)):
            make(source, out / name, restart=name == "replaced")
        assert len(steps) == 0 or at == "the record"
    assert contents(out) == before


def state(directory: Path) -> dict[str, bytes | None]:
    try:
        solution = load_solution(directory)
    except FormatError:
        return {}
    vars(solution)["tree"] = small_tree()
    for score in solution.results:
        solution.snapshot(score)
    return {name: data for name, data in contents(directory).items() if not name.startswith(".")}


@linux
@pytest.mark.parametrize(("replaced", "every"), [(True, 4), *slow((True, 1), (False, 1))])
def test_killed_at_every_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, replaced: bool, every: int) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)  # which takes most of the time
    imported(tmp_path / "old", small_tree(), 2)
    source = imported(tmp_path / "source", small_tree(), 1)
    make_copy(source, tmp_path / "new")
    new, seen, out = state(tmp_path / "new"), [], tmp_path / "out"
    old = state(tmp_path / "old") | {"notes": b"mine"} if replaced else {}
    for at in range(0, 1000, every):
        if replaced:
            shutil.copytree(tmp_path / "old", out)
            (out / "notes").write_bytes(b"mine")
        ended = not killed_at(at, out, lambda: make_copy(source, out, restart=True))
        left = state(out) if out.exists() else {}
        whole = new | {"notes": b"mine"} if replaced else new
        assert left in (old, whole), (at, sorted(left))
        seen.append(left == whole)
        make_copy(source, out, restart=True)
        assert contents(out) == whole
        shutil.rmtree(out)
        if ended:
            break
    assert seen == sorted(seen)
    assert seen.count(True) * every > 5, len(seen)


def test_what_is_not_in_its_place_yet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever copies what is visible then copies snapshots without a record, and no record of missing snapshots."""
    source, out = imported(tmp_path / "source", small_tree(), 2), imported(tmp_path / "out", small_tree(), 3)
    replace_file, moved = os.replace, []

    def refused_at_last(path: Path, place: Path) -> None:
        moved.extend([place] if MOVING in path.parts else [])
        if len(moved) == 5:
            raise OSError(5, "Denied", "x")
        replace_file(path, place)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", refused_at_last)
        with pytest.raises(
            StoreError, match=r"whole, but not in its place yet \(x: Denied\); repair that, and open the"
        ):
            make_copy(source, out, restart=True)
    assert not (out / "solution.msgpack").exists()
    lock = DirectoryLock()
    lock.acquire(out)
    for opens in (load_solution, open_saved):
        with pytest.raises(FormatError, match=r"being moved to its place here; try again .*: another run is using it"):
            opens(out)
    lock.release()
    assert load_solution(out).winning_score == 2
    assert not list(out.glob(".*"))


@pytest.mark.parametrize("opened", ["subgame_1_1", "link"])
def test_whoever_opens_a_part_puts_the_whole_in_its_place(opened: str, tmp_path: Path) -> None:
    out, source = imported(tmp_path / "out", small_tree(), 3), imported(tmp_path / "source", small_tree(), 2)
    source.rename(out / MOVING)
    (tmp_path / "link").symlink_to(out / "subgame_1_1")
    assert open_saved((out if opened != "link" else tmp_path) / opened).iterations() == [0]
    assert not (out / MOVING).exists()
    assert load_solution(out).winning_score == 2


def test_waiting_records(tmp_path: Path) -> None:
    """A directory that waits without a record removes nothing: a whole solution was once removed for its sake."""
    out = imported(tmp_path / "out", small_tree(), 2)
    (out / COMPLETE).mkdir()
    before = contents(out)
    with pytest.raises(
        StoreError, match=r"smbc-tictactoe-new: this is not a whole solution, because it has no solution.msgpack"
    ):
        load_solution(out)
    assert contents(out) == before
    run = tmp_path / "run"
    SolutionWriter(run, small_tree(), 2, {}).close()
    (run / MOVING).mkdir()
    (run / "solution.msgpack").rename(run / MOVING / "solution.msgpack")
    with SolutionWriter(run, small_tree(), 2, {}, existing=Existing.RESUME) as writer:
        assert writer.solution().winning_score == 2


def test_a_link_to_another_solution_is_not_written_through(tmp_path: Path) -> None:
    source, out = imported(tmp_path / "source", small_tree(), 2), imported(tmp_path / "out", small_tree(), 1)
    (out / "subgame_1_0").symlink_to(source / "subgame_1_0")
    before = contents(tmp_path)
    for make in (make_import, make_copy):
        with pytest.raises(StoreError, match=r"subgame_1_0: not a directory of its own; remove it, or choose another"):
            make(source, out, restart=True)
    assert contents(tmp_path) == before


def test_limits_and_stops_of_an_import(tmp_path: Path) -> None:
    out, last, stop = tmp_path / "out", Score(99, 99), threading.Event()
    stop.set()
    with pytest.raises(Interrupted):
        save_one(out, Score(0, 0), 1, control=RunControl(stop=stop))
    for winning_score in (0, 101, 1000):
        refused = pytest.raises(ValueError, match=f"^winning_score: {winning_score} is not from 1 to 100$")
        with refused:
            SolutionWriter(out, small_tree(), winning_score, {})
        if winning_score:
            with refused:
                save_one(out, last, winning_score)
    assert contents(tmp_path) == {}
    save_one(out, last, 100)
    solution = load_solution(out)
    assert (solution.winning_score, *solution.results) == (100, last)


def test_a_run_continues_a_record(tmp_path: Path) -> None:
    tree, done = small_tree(), load_solution(imported(tmp_path / "done", small_tree(), 2))
    vars(done)["tree"] = tree
    out = tmp_path / "out"
    with pytest.raises(StoreError, match=r"no earlier run to resume; leave out resume to begin one"):
        SolutionWriter(out, tree, 2, {"alpha": 1}, existing=Existing.RESUME)
    with SolutionWriter(out, tree, 2, {"alpha": 1}) as writer:
        assert load_solution(out).results == {}
        last = (Score(1, 1),)
        writer.save_snapshot(done.snapshot(Score(1, 1)))
        writer.record([done.results[Score(1, 1)]])
        assert writer.has(last, {})
        assert not writer.has(last, {Score(0, 0): 0.5})
        with pytest.raises(StoreError, match=r"another run is using it; wait for it"):
            SolutionWriter(out, tree, 2, {"alpha": 1})
    before = contents(out)
    assert sorted(before) == ["solution.msgpack", "subgame_1_1", "subgame_1_1/snapshot_000000.msgpack"]
    for options, what in (({"alpha": 2}, "alpha is 1 there, 2 here"), ({}, "alpha is 1 there, not given here")):
        with pytest.raises(StoreError, match=f"cannot continue what is there: {what}; choose another output directory"):
            SolutionWriter(out, tree, 2, options)
    with pytest.raises(
        StoreError, match="already contains a solution; choose another output directory, or restart to replace"
    ):
        SolutionWriter(out, tree, 2, {"alpha": 1}, record_last=True)
    assert contents(out) == before
    with SolutionWriter(out, tree, 2, {"alpha": 1}, existing=Existing.RESUME) as writer:
        assert list(writer.results) == [Score(1, 1)]
        writer.forget(last)
    assert contents(out).keys() == {"solution.msgpack"}
    (out / "solution.msgpack").write_bytes(b"")
    with pytest.raises(FormatError, match=r"empty; is it the right file"):
        SolutionWriter(out, tree, 2, {"alpha": 1})
    with SolutionWriter(out, tree, 2, {"alpha": 2}, existing=Existing.RESTART):
        pass
    assert load_solution(out).missing_scores == all_scores(2)


@pytest.mark.parametrize("winning_score", [20, *slow(100)])
def test_a_record_that_grows(winning_score: int, tmp_path: Path) -> None:
    path, iterations, results = tmp_path / "solution.msgpack", 10**12 - 1, {}
    for score in all_scores(winning_score):
        following = dict.fromkeys(following_scores(pair_of(score), winning_score), 1 / 3)
        results[score] = SubgameResult(score, -1 / 3, 1e-7, iterations, True, following)
    with SolutionWriter(tmp_path, small_tree(), winning_score, {"made by": "hand"}) as writer:
        writer.record(replace(result, value=0.0) for result in list(results.values())[:3])
        writer.record(results.values())
        grown = path.read_bytes()
        RecordWriter().write(writer.solution())
    assert grown == path.read_bytes()
    assert load_solution(tmp_path).results == results


def test_names(tmp_path: Path) -> None:
    for iteration in (0, 500, 999_999, 1_000_000, 12_345_678, 10**12 - 1):
        assert directory_layout.parse_snapshot_name(directory_layout.snapshot_name(iteration)) == iteration
    assert directory_layout.snapshot_name(500) == "snapshot_000500.msgpack"
    assert directory_layout.subgame_name(Score(4, 3)) == "subgame_4_3"
    assert directory_layout.parse_subgame_name("subgame_10_0") == Score(10, 0)
    for number in ("500", "0000500", "-00500", "+00500", "00050\u0660", "000500.msgpack", "00_500", "", "1" + 12 * "0"):
        assert directory_layout.parse_snapshot_name(f"snapshot_{number}.msgpack") is None
    assert directory_layout.parse_snapshot_name("snapshot_000500.msgpack\n") is None
    for name in ("subgame_4", "subgame_04_3", "subgame_4_3_", "subgame_4_-3", "subgame_4_3\n", "Subgame_4_3"):
        assert directory_layout.parse_subgame_name(name) is None
    for iteration in (-1, 10**12):
        with pytest.raises(ValueError, match=rf"^iteration: {iteration} is not from 0 to 999999999999$"):
            directory_layout.snapshot_name(iteration)
    with pytest.raises(ValueError, match=r"^score: 0--1 is negative$"):
        directory_layout.subgame_name(Score(0, -1))
    assert directory_layout.list_snapshots(tmp_path / "missing") == []
    for number in ("1000000", "000500", "000000", "1"):
        (tmp_path / f"snapshot_{number}.msgpack").touch()
    assert directory_layout.list_snapshots(tmp_path) == [0, 500, 1_000_000]


def test_what_is_about_a_snapshot_goes_with_it(tmp_path: Path) -> None:
    directory = tmp_path / "round"
    directory.mkdir()
    kept = ["best_response_5.msgpack", "best_response_000005.msgpack.old", "snapshot_1.msgpack"]
    for iteration in (0, 500, 10**6):
        (directory / directory_layout.snapshot_name(iteration)).touch()
        (directory / directory_layout.response_name(iteration)).touch()
    for name in (*kept, directory_layout.response_name(20)):
        (directory / name).touch()
    directory_layout.remove_snapshot(directory, 500)
    directory_layout.remove_snapshot(directory, 7)
    left = {path.name for path in directory.iterdir()}
    assert {"snapshot_000500.msgpack", "best_response_000500.msgpack"}.isdisjoint(left)
    assert len(left) == len(kept) + 5
    directory_layout.remove_snapshots(directory)
    assert sorted(path.name for path in directory.iterdir()) == sorted(kept)
