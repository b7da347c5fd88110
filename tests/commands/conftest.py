"""Solved matches that several commands are tried on, and the world that all of them are tried in."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from filelock import FileLock
from fuzzing.world import build, replaced_parts
from support.event_loops import no_running_loop
from support.measured import two_seconds_a_pair
from support.own_directory import of_the_run
from support.playing import solved_match
from support.storage_files import imported

from tictactoe.games.tic_tac_toe_tree import GameTree

__all__ = ["no_running_loop"]


def _once_in_a_run(factory: pytest.TempPathFactory, name: str, build: Callable[[Path], object]) -> Path:
    """A directory that the first worker builds that needs it. The others wait, and take it: nobody changes it."""
    directory = of_the_run(factory) / "shared" / name
    directory.parent.mkdir(exist_ok=True)
    with FileLock(directory.with_suffix(".lock")):
        if not directory.exists():
            being_built = directory.with_suffix(".being_built")
            shutil.rmtree(being_built, ignore_errors=True)
            build(being_built)
            being_built.rename(directory)
    return directory


@pytest.fixture(scope="session")
def explored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A loosely solved match to 2 with best responses; to be copied, not changed."""
    return _once_in_a_run(tmp_path_factory, "explored", solved_match) / "two"


@pytest.fixture(scope="session")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A match to 1 with odds of the goals, of random strategies; not to be changed."""
    tree = GameTree.build("filled-none 1:0:2")
    return _once_in_a_run(tmp_path_factory, "odd", lambda output: imported(output, tree, 1))


@pytest.fixture(scope="session")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the fuzzer's commands work on: a file of every kind. To be copied, not changed."""
    return _once_in_a_run(tmp_path_factory, "world", build)


@pytest.fixture(scope="session")
def solved(original: Path) -> Path:
    """A match to 2, solved for a moment (TWO_POINTS); to be copied, not changed."""
    return original / "two"


@pytest.fixture
def mine(solved: Path, tmp_path: Path) -> Path:
    """A copy of it that a test may change."""
    return Path(shutil.copytree(solved, tmp_path / "mine"))


@pytest.fixture
def quick_forecasts() -> Iterator[None]:
    with two_seconds_a_pair():
        yield


IN_WORLD = ("adirectory", "afile", "agent.msgpack", "begun", "closed", "match", "match.jsonl", "round", "short")
IN_WORLD += ("game", "started", "table.csv")


@pytest.fixture
def world(original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The working directory: the same files as far as the first uses need them (programs replace, and do not change
    them). The page is served to nobody, and `network join` finds a tournament that is over."""
    world = tmp_path / "world"
    world.mkdir()
    for name in IN_WORLD:
        if (original / name).is_dir():
            shutil.copytree(original / name, world / name, copy_function=os.link)
        else:
            os.link(original / name, world / name)
    monkeypatch.chdir(world)
    with replaced_parts():
        yield world
