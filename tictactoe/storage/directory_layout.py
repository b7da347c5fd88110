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
"""The record of a solved match; a directory without it is no solution."""
TOURNAMENT_FILE = "tournament.ndjson"
"""The record of a tournament; see agents/results.py."""
LOCK_FILE = ".smbc-tictactoe.lock"
"""The lock that a run holds while it writes into the directory."""
SOFT_LOCK_FILE = ".smbc-tictactoe.held"
"""The lock on a file system without locks; see locked_directory.py."""
STAGED = ".smbc-tictactoe-new.part"
"""What is written within the directory to replace the solution; see locked_directory.py."""
RESTARTED = ".smbc-tictactoe-restarted"
"""The same of a run that can be stopped: it goes on there until it is whole."""
COMPLETE, MOVING = ".smbc-tictactoe-new", ".smbc-tictactoe-new.moving"
"""The new solution's names: the first while it waits as a whole, the second while its files move to their places."""
PLOTS = "plots"
"""The directory of plot-solution's pictures."""
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
"""Every iteration number is smaller: file names have at most twelve digits for it."""


def snapshot_name(iteration: int) -> str:
    """The file name: snapshot_000500.msgpack for 500. Raises ValueError for an iteration of no or too many digits.

    >>> snapshot_name(500)
    'snapshot_000500.msgpack'
    """
    if not 0 <= iteration < MOST_ITERATIONS:
        raise ValueError(f"iteration: {iteration} is not in 0 to {MOST_ITERATIONS - 1}")
    return f"snapshot_{iteration:06d}.msgpack"


def parse_snapshot_name(name: str) -> int | None:
    """The iteration of a name that `snapshot_name` gives, None for any other name."""
    match = re.fullmatch(r"snapshot_([0-9]{6}|[1-9][0-9]{6,11})\.msgpack", name)
    return int(match[1]) if match else None


def subgame_name(score: Score) -> str:
    """The directory's name: subgame_4_3 for 4-3. Raises ValueError for a negative score."""
    if min(score) < 0:
        raise ValueError(f"score: {score} is negative")
    return f"subgame_{score.first}_{score.second}"


def parse_subgame_name(name: str) -> Score | None:
    """The score of a name that `subgame_name` gives, None for any other name."""
    match = re.fullmatch(r"subgame_(0|[1-9][0-9]*)_(0|[1-9][0-9]*)", name)
    return Score(*map(int, match.groups())) if match else None


def list_snapshots(directory: Path) -> list[int]:
    """The iterations of the snapshots in `directory`, lowest first; an empty list if the directory does not exist."""
    names = os.listdir(directory) if directory.exists() else []
    return sorted(iteration for name in names if (iteration := parse_snapshot_name(name)) is not None)


def checkpoint_name(score: Score) -> str:
    """The file name of the state of a pair in progress, by its larger score: checkpoint_4_3.msgpack."""
    return f"checkpoint_{score.first}_{score.second}.msgpack"


def response_name(iteration: int) -> str:
    """The file name: best_response_000500.msgpack for 500."""
    return f"best_response_{iteration:06d}.msgpack"


def remove_snapshot(directory: Path, iteration: int) -> None:
    """Remove a snapshot and the best response to it, where they exist."""
    remove_response(directory, iteration)
    (directory / snapshot_name(iteration)).unlink(missing_ok=True)


def remove_response(directory: Path, iteration: int) -> None:
    """Remove the best response to a snapshot, if it exists: a writer does so before it replaces the snapshot."""
    path = directory / response_name(iteration)
    if path.is_file() or path.is_symlink():
        path.unlink()


def check_no_leftovers(
    directory: Path, is_ours: Callable[[Path], bool], restart: bool, what: str, *, allowed: str = ""
) -> None:
    """Raise StoreError when a directory in which no run was started is not empty.

    Temporary files do not count, nor does a file or directory named `allowed`. With `restart` the files that `is_ours`
    recognises may be there, because the run is going to remove them. what: such a run, in words, for the message.
    """
    passed = (allowed, LOCK_FILE, SOFT_LOCK_FILE, STAGED, RESTARTED)
    found = [path for path in directory.iterdir() if not is_temporary(path) and path.name not in passed]
    if any(map(is_ours, found)):  # plot-solution's pictures of our files stay
        found = [path for path in found if path.name != PLOTS or not path.is_dir()]
    if not all(map(is_ours, found)):
        raise StoreError(f"{directory}: not empty, and not {what}; choose another output directory")
    if found and not restart:
        raise StoreError(f"{directory}: holds parts of {what} without its record", Remedy.DISCARD)


def is_subgame(path: Path) -> bool:
    """Whether the path is a directory that is named as a subgame's."""
    return is_own_directory(path) and parse_subgame_name(path.name) is not None


def is_own_directory(path: Path) -> bool:
    """Whether the path is a real directory, not a link to one."""
    return path.is_dir() and not path.is_symlink()


def place_of_run(directory: Path) -> Path:
    """Where the run of a directory goes on: RESTARTED in it, once a run has begun that is to replace what is there."""
    return directory / RESTARTED if is_own_directory(directory / RESTARTED) else directory


def solution_around(directory: Path) -> Path | None:
    """The directory of the solution whose subgame `directory` is, or would be; None for no part of a solution."""
    place = Path(os.path.realpath(directory))  # links that lead in a circle are not its matter
    is_part = parse_subgame_name(place.name) is not None and (place.parent / SOLUTION_FILE).exists()
    return place.parent if is_part else None


def where_one_waits(directory: Path) -> list[Path]:
    """Where a new solution waits to be put in its place: in the directory, or in that of the solution whose subgame it
    is by its name, or where it really is. See locked_directory.py."""
    places = (directory.absolute(), Path(os.path.realpath(directory)))
    around = [place.parent for place in places if parse_subgame_name(place.name) is not None]
    return [
        place
        for place in dict.fromkeys((*around, directory))
        if any(is_own_directory(place / name) for name in (COMPLETE, MOVING))
    ]


def require_in_place(directory: Path) -> None:
    """Raises FormatError where a new solution waits: a command that plays would first put it in its place."""
    for place in where_one_waits(directory):
        name = next(name for name in (COMPLETE, MOVING) if is_own_directory(place / name))
        what = f"a new solution waits here, in {name}, and is what would be played"
        raise FormatError(place, f"{what}; any command that explores or plays it puts it in its place: do that first")


def is_solution_part(path: Path) -> bool:
    """Whether the path is named like a part of a solution: record, subgame, checkpoint or certificate.

    A subgame's directory with strategies of the published program is no part of a solution.
    """
    if is_subgame(path):
        return not any(PUBLISHED_NAME.fullmatch(name) for name in os.listdir(path))
    return path.name in (SOLUTION_FILE, CERTIFICATE_FILE) or path.match("checkpoint_*_*.msgpack")


def remove_solution(directory: Path) -> None:
    """Remove a solution's files, the record first, so that nobody takes a half-removed directory for a solution."""
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
    """Remove every snapshot, all best responses and the certificate of the round, and finally an empty directory."""
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
