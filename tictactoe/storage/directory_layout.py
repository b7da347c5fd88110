"""The names of files in a solution directory, and the removal of these files."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

from ..errors import FormatError, Remedy, StoreError
from ..match.scores import Score
from .atomic_files import is_temporary, remove_temporary_files

SOLUTION_FILE = "solution.msgpack"
"""The record of a solved match. A directory without it is not a solution."""
TOURNAMENT_FILE = "tournament.ndjson"
"""The record of a tournament; see agents/results.py."""
LOCK_FILE = ".smbc-tictactoe.lock"
"""The lock that a run holds while it writes into the directory."""
SOFT_LOCK_FILE = ".smbc-tictactoe.held"
"""The lock's replacement on a file system without locks."""
STAGED = ".smbc-tictactoe-new.part"
"""The directory, within a solution's, of a new solution in progress."""
RESTARTED = ".smbc-tictactoe-restarted"
"""The directory of a new solution in progress by a run that can be stopped and continued."""
COMPLETE, MOVING = ".smbc-tictactoe-new", ".smbc-tictactoe-new.moving"
"""The directories of a new solution: while it waits as a whole, and while its files are moved to their places."""
PLOTS = "plots"
"""The directory of the pictures of a solution."""
CHECKPOINT_FILE = "checkpoint.msgpack"
"""The saved state of the run of a round or of a described game."""
CERTIFICATE_FILE = "certificate.json"
"""The certificate of a solution or of a round; see certificate.py."""
UNPOLISHED = "unpolished"
"""The directory, within an exact solution, of its unpolished original."""
PUBLISHED_NAME = re.compile(r"strategy_([0-9]{1,12})\.bincode(\.gz)?")
"""The name of the published program's strategy file; group 1 is the iteration."""
_RESPONSE_NAME = re.compile(r"best_response_([0-9]{6}|[1-9][0-9]{6,11})\.msgpack")
MOST_ITERATIONS = 10**12
"""The limit of iteration numbers, which have at most twelve digits in file names."""


def snapshot_name(iteration: int) -> str:
    """The file name of a snapshot, snapshot_000500.msgpack for 500. Raises ValueError for an iteration that is out of
    range.

    >>> snapshot_name(500)
    'snapshot_000500.msgpack'
    """
    if not 0 <= iteration < MOST_ITERATIONS:
        raise ValueError(f"iteration: {iteration} is not from 0 to {MOST_ITERATIONS - 1}")
    return f"snapshot_{iteration:06d}.msgpack"


def parse_snapshot_name(name: str) -> int | None:
    """The iteration in a snapshot's file name; None for any other name."""
    match = re.fullmatch(r"snapshot_([0-9]{6}|[1-9][0-9]{6,11})\.msgpack", name)
    return int(match[1]) if match else None


def subgame_name(score: Score) -> str:
    """The name of a subgame's directory, subgame_4_3 for 4-3. Raises ValueError for a negative score."""
    if min(score) < 0:
        raise ValueError(f"score: {score} is negative")
    return f"subgame_{score.first}_{score.second}"


def parse_subgame_name(name: str) -> Score | None:
    """The score in a subgame's directory name; None for any other name."""
    match = re.fullmatch(r"subgame_(0|[1-9][0-9]*)_(0|[1-9][0-9]*)", name)
    return Score(*map(int, match.groups())) if match else None


def list_snapshots(directory: Path) -> list[int]:
    """The iterations of the snapshots in `directory`, which need not exist, lowest first."""
    names = os.listdir(directory) if directory.exists() else []
    return sorted(iteration for name in names if (iteration := parse_snapshot_name(name)) is not None)


def checkpoint_name(score: Score) -> str:
    """The file name of a pair's checkpoint, by its larger score: checkpoint_4_3.msgpack."""
    return f"checkpoint_{score.first}_{score.second}.msgpack"


def response_name(iteration: int) -> str:
    return f"best_response_{iteration:06d}.msgpack"


def remove_snapshot(directory: Path, iteration: int) -> None:
    remove_response(directory, iteration)
    (directory / snapshot_name(iteration)).unlink(missing_ok=True)


def remove_response(directory: Path, iteration: int) -> None:
    path = directory / response_name(iteration)
    if path.is_file() or path.is_symlink():
        path.unlink()


def check_no_leftovers(
    directory: Path, is_ours: Callable[[Path], bool], restart: bool, what: str, *, allowed: str = ""
) -> None:
    """Raise StoreError for a directory that has no run and is not empty. what: the kind of run in words.

    Temporary files and a path named `allowed` do not count; with `restart`, neither do those that `is_ours` recognises.
    """
    passed = (allowed, LOCK_FILE, SOFT_LOCK_FILE, STAGED, RESTARTED)
    found = [path for path in directory.iterdir() if not is_temporary(path) and path.name not in passed]
    if any(map(is_ours, found)):  # pictures of our files stay
        found = [path for path in found if path.name != PLOTS or not path.is_dir()]
    if not all(map(is_ours, found)):
        raise StoreError(f"{directory}: not empty, and not {what}; choose another output directory")
    if found and not restart:
        raise StoreError(f"{directory}: it has parts of {what} without its record", Remedy.DISCARD)


def is_subgame(path: Path) -> bool:
    """Whether the path is a directory named as a subgame's."""
    return is_own_directory(path) and parse_subgame_name(path.name) is not None


def is_own_directory(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def place_of_run(directory: Path) -> Path:
    """The RESTARTED directory if there is one, otherwise the directory itself."""
    return directory / RESTARTED if is_own_directory(directory / RESTARTED) else directory


def solution_around(directory: Path) -> Path | None:
    """The directory of the solution to which `directory` belongs, or would belong, as a subgame; None if there is
    none."""
    place = Path(os.path.realpath(directory))  # unlike resolve, this accepts links in a circle
    is_part = parse_subgame_name(place.name) is not None and (place.parent / SOLUTION_FILE).exists()
    return place.parent if is_part else None


def where_one_waits(directory: Path) -> list[Path]:
    """The places, of this directory and of a solution around it, in which a new solution waits."""
    places = (directory.absolute(), Path(os.path.realpath(directory)))
    around = [place.parent for place in places if parse_subgame_name(place.name) is not None]
    return [
        place
        for place in dict.fromkeys((*around, directory))
        if any(is_own_directory(place / name) for name in (COMPLETE, MOVING))
    ]


def require_in_place(directory: Path) -> None:
    """Raise FormatError if a new solution waits here."""
    for place in where_one_waits(directory):
        name = next(name for name in (COMPLETE, MOVING) if is_own_directory(place / name))
        what = f"a new solution waits here in {name} and would be played"
        raise FormatError(place, f"{what}; run any command that explores or plays it first, to move it to its place")


def is_solution_part(path: Path) -> bool:
    """Whether the path is named like a part of a solution, which a directory of published strategies is not."""
    if is_subgame(path):
        return not any(PUBLISHED_NAME.fullmatch(name) for name in os.listdir(path))
    return path.name in (SOLUTION_FILE, CERTIFICATE_FILE) or path.match("checkpoint_*_*.msgpack")


def remove_solution(directory: Path) -> None:
    """Remove a solution's files, the record first."""
    for name in (SOLUTION_FILE, CERTIFICATE_FILE):
        (directory / name).unlink(missing_ok=True)
    shutil.rmtree(directory / RESTARTED, ignore_errors=True)
    remove_temporary_files(directory)
    for path in sorted(directory.iterdir()):
        if is_subgame(path):
            remove_snapshots(path)
        elif path.match("checkpoint_*_*.msgpack"):
            path.unlink()


def remove_snapshots(directory: Path) -> None:
    """Remove a directory's snapshots, best responses and certificate, and then the empty directory."""
    if not directory.is_dir():
        return
    remove_temporary_files(directory)
    (directory / CERTIFICATE_FILE).unlink(missing_ok=True)
    for iteration in list_snapshots(directory):
        remove_snapshot(directory, iteration)
    for path in directory.glob("best_response_*.msgpack"):  # their snapshots were removed earlier
        if _RESPONSE_NAME.fullmatch(path.name) and path.is_file():
            path.unlink()
    with contextlib.suppress(OSError):  # not empty
        directory.rmdir()
