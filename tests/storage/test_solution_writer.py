"""The one writer of solution directories and its lock: one run at a time, and nothing half-written stays."""

from __future__ import annotations

import contextlib
import os
import shutil
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from support.programs import contents
from support.storage_files import imported, linux, random_strategy, small_tree

from tictactoe import FormatError, GameTree, Score, StoreError, load_solution, open_saved
from tictactoe.errors import Interrupted
from tictactoe.match.scores import all_scores, following_scores, pair_of
from tictactoe.run_control import Existing, RunControl
from tictactoe.storage import replaced_solution
from tictactoe.storage.compact import CompactOptions, compact_solution
from tictactoe.storage.directory_layout import COMPLETE, MOVING
from tictactoe.storage.import_strategies import ImportedStrategy, save_solution
from tictactoe.storage.lock import DirectoryLock
from tictactoe.storage.snapshot import Snapshot
from tictactoe.storage.solution import RecordWriter, SubgameResult, write_record
from tictactoe.storage.solution_writer import SolutionWriter


def strategies(tree: GameTree, *scores: Score) -> dict[Score, ImportedStrategy]:
    return {score: ImportedStrategy(0, random_strategy(tree, seed)) for seed, score in enumerate(scores)}


def make_import(_source: Path, directory: Path, *, restart: bool = False) -> None:
    imported(directory, small_tree(), 2, restart=restart)


def make_copy(source: Path, directory: Path, *, restart: bool = False) -> None:
    solution = load_solution(source)
    vars(solution)["tree"] = small_tree()
    compact_solution(
        solution,
        directory,
        CompactOptions(smallest=0.0, bits=20),
        control=RunControl(existing=Existing.RESTART if restart else Existing.CONTINUE),
    )


@pytest.mark.parametrize("make", [make_import, make_copy])
@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "No space left on device")], ids=["ctrl-c", "full"])
@pytest.mark.parametrize("at", ["the third snapshot", "the record"])
def test_nothing_half_written_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[..., None], error: BaseException, at: str
) -> None:
    """After a failure or Ctrl-C of an import or a copy, into a new or an empty directory; what there was, stays."""
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


class _Killed(BaseException):
    """As if the process were gone: nothing is cleaned up."""


def kills(monkeypatch: pytest.MonkeyPatch, at: int, directory: Path) -> None:
    """Before the change number `at` of what has a name, from now on, the process is gone, and its lock with it."""
    changes = iter(range(1000))

    def counting(change: Callable[..., None]) -> Callable[..., None]:
        def changed(*given: Any, **named: Any) -> None:
            if next(changes) >= at:
                raise _Killed
            change(*given, **named)

        return changed

    for name in ("mkdir", "rename", "replace", "unlink", "rmdir"):
        monkeypatch.setattr(os, name, counting(getattr(os, name)))


def state(directory: Path) -> dict[str, bytes | None]:
    """What a directory holds for those who open it; that is a whole solution, or there is none."""
    try:
        solution = load_solution(directory)
    except FormatError:
        return {}
    vars(solution)["tree"] = small_tree()
    for score in solution.results:
        solution.snapshot(score)
    return {name: data for name, data in contents(directory).items() if not name.startswith(".")}


@linux
@pytest.mark.parametrize("replaced", [True, False])
def test_killed_at_every_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, replaced: bool) -> None:
    """The old solution or the new one is there, whole, to read and to write; the next run leaves nothing else."""
    monkeypatch.setattr(os, "fsync", lambda _: None)  # which takes most of the time
    imported(tmp_path / "old", small_tree(), 2)
    source = imported(tmp_path / "source", small_tree(), 1)
    make_copy(source, tmp_path / "new")
    new, seen, out = state(tmp_path / "new"), [], tmp_path / "out"
    old = state(tmp_path / "old") | {"notes": b"mine"} if replaced else {}
    for at in range(1000):
        if replaced:
            shutil.copytree(tmp_path / "old", out)
            (out / "notes").write_bytes(b"mine")
        child = os.fork()
        if child == 0:
            with pytest.MonkeyPatch.context() as patch:
                kills(patch, at, out)
                with contextlib.suppress(_Killed):
                    make_copy(source, out, restart=True)
                    os._exit(0)
                os._exit(1)
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        found = state(out) if out.exists() else {}
        whole = new | {"notes": b"mine"} if replaced else new
        assert found in (old, whole), (at, sorted(found))
        seen.append(found == whole)
        make_copy(source, out, restart=True)
        assert contents(out) == whole
        shutil.rmtree(out)
        if ended:
            break
    assert seen == sorted(seen)
    assert seen.count(True) > 5, len(seen)


def test_what_is_not_in_its_place_yet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A place that somebody else has taken meanwhile: said, and put right by the next who opens the directory."""
    source, out = imported(tmp_path / "source", small_tree(), 2), imported(tmp_path / "out", small_tree(), 3)
    with monkeypatch.context() as patch:
        patch.setattr(replaced_solution, "remove_solution", mock.Mock(side_effect=PermissionError(13, "Denied", "x")))
        with pytest.raises(StoreError, match=r"whole, but not in its place yet \(x: Denied\); mend that, and open the"):
            make_copy(source, out, restart=True)
    lock = DirectoryLock()
    lock.acquire(out)
    for opens in (load_solution, open_saved):
        with pytest.raises(FormatError, match=r"being put in its place here; try again .*: another run is using it"):
            opens(out)
    lock.release()
    assert load_solution(out).winning_score == 2
    assert not list(out.glob(".*"))


@pytest.mark.parametrize("opened", ["subgame_1_1", "link"])
def test_whoever_opens_a_part_puts_the_whole_in_its_place(opened: str, tmp_path: Path) -> None:
    """By its name and through a link: what a match would play is what its round plays, too."""
    out, source = imported(tmp_path / "out", small_tree(), 3), imported(tmp_path / "source", small_tree(), 2)
    source.rename(out / MOVING)
    (tmp_path / "link").symlink_to(out / "subgame_1_1")
    assert open_saved((out if opened != "link" else tmp_path) / opened).iterations() == [0]
    assert not (out / MOVING).exists()
    assert load_solution(out).winning_score == 2


def test_what_waits_without_a_record_removes_nothing(tmp_path: Path) -> None:
    """Nobody here leaves it; for its sake a whole solution was removed."""
    out = imported(tmp_path / "out", small_tree(), 2)
    (out / COMPLETE).mkdir()
    before = contents(out)
    with pytest.raises(StoreError, match=r"smbc-tictactoe-new: no whole solution, as it has no solution.msgpack"):
        load_solution(out)
    assert contents(out) == before


def test_a_run_goes_on_with_what_waits(tree: GameTree, tmp_path: Path) -> None:
    """Its record is the last that is put in its place."""
    with SolutionWriter(tmp_path / "out", tree, 2, {}):
        pass
    (tmp_path / "out" / MOVING).mkdir()
    (tmp_path / "out" / "solution.msgpack").rename(tmp_path / "out" / MOVING / "solution.msgpack")
    with SolutionWriter(tmp_path / "out", tree, 2, {}, existing=Existing.RESUME) as writer:
        assert writer.solution().winning_score == 2


def test_a_link_to_another_solution_is_not_written_through(tmp_path: Path) -> None:
    source, out = imported(tmp_path / "source", small_tree(), 2), imported(tmp_path / "out", small_tree(), 1)
    (out / "subgame_1_0").symlink_to(source / "subgame_1_0")
    before = contents(tmp_path)
    for make in (make_import, make_copy):
        with pytest.raises(StoreError, match=r"subgame_1_0: not a directory of its own; remove it, or choose another"):
            make(source, out, restart=True)
    assert contents(tmp_path) == before


def test_an_import_that_is_asked_to_stop(tree: GameTree, tmp_path: Path) -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(Interrupted):
        save_solution(tmp_path / "out", tree, strategies(tree, Score(0, 0)), 1, "export", control=RunControl(stop=stop))
    assert contents(tmp_path) == {}


@pytest.mark.parametrize("winning_score", [0, 101, 1000])
def test_no_solution_is_written_that_cannot_be_read(tree: GameTree, tmp_path: Path, winning_score: int) -> None:
    """What is beyond the reader's limit is refused, and nothing is written."""
    refused = pytest.raises(ValueError, match=f"^winning_score: {winning_score} is not in 1 to 100$")
    with refused:
        SolutionWriter(tmp_path / "out", tree, winning_score, {})
    if winning_score:
        with refused:
            save_solution(tmp_path / "out", tree, strategies(tree, Score(99, 99)), winning_score, "export")
    assert contents(tmp_path) == {}


def test_the_largest_winning_score_is_read_back(tree: GameTree, tmp_path: Path) -> None:
    save_solution(tmp_path / "out", tree, strategies(tree, Score(99, 99)), 100, "export")
    solution = load_solution(tmp_path / "out")
    assert (solution.winning_score, *solution.results) == (100, Score(99, 99))


def test_a_record_grows_and_is_gone_on_with(tree: GameTree, tmp_path: Path) -> None:
    """There from the beginning; the same configuration goes on, another one changes nothing."""
    done = load_solution(imported(tmp_path / "done", tree, 2))
    out = tmp_path / "out"
    with pytest.raises(StoreError, match=r"no earlier run to resume; leave --resume out to start one"):
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
    for options, what in (({"alpha": 2}, "--alpha is 1 there, 2 here"), ({}, "--alpha is 1 there, not given here")):
        with pytest.raises(StoreError, match=f"cannot go on with what it holds: {what}. What to do: use the options"):
            SolutionWriter(out, tree, 2, options)
    with pytest.raises(StoreError, match=r"holds a solution; choose another output directory, or use --restart"):
        SolutionWriter(out, tree, 2, {"alpha": 1}, record_last=True)
    assert contents(out) == before
    with SolutionWriter(out, tree, 2, {"alpha": 1}, existing=Existing.RESUME) as writer:
        assert list(writer.results) == [Score(1, 1)]
        writer.forget(last)
    assert contents(out).keys() == {"solution.msgpack"}
    (out / "solution.msgpack").write_bytes(b"")
    with pytest.raises(FormatError, match=r"empty; is it the right file"):
        SolutionWriter(out, tree, 2, {"alpha": 1})
    SolutionWriter(out, tree, 2, {"alpha": 2}, existing=Existing.RESTART).close()
    assert load_solution(out).missing_scores == all_scores(2)


def test_a_record_that_grows(tmp_path: Path) -> None:
    """Of the longest match: as if it had been written at once, also where a result was replaced; and it can be read."""
    path, options = tmp_path / "solution.msgpack", {"made by": "hand"}
    results = {
        score: SubgameResult(
            score, -1 / 3, 1e-7, 10**12 - 1, True, dict.fromkeys(following_scores(pair_of(score), 100), 1 / 3)
        )
        for score in all_scores(100)
    }
    with SolutionWriter(tmp_path, small_tree(), 100, options) as writer:
        writer.record(replace(result, value=0.0) for result in list(results.values())[:3])
        writer.record(results.values())
        grown = path.read_bytes()
        write_record(writer.solution())
    assert grown == path.read_bytes()
    assert load_solution(tmp_path).results == results
