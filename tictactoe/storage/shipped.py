"""The solutions that ship with the program: their names and directories."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path, PurePath

from ..errors import FormatError
from ..games.rules import Rules
from .atomic_files import file_sha256
from .directory_layout import SOLUTION_FILE, parse_snapshot_name

SHIPPED = {
    "shipped": "match_to_5",
    "match_to_5": "match_to_5",
    "filled": "filled/match_to_5",
    "match_to_1": "closed_forms/match_to_1",
    "single_round": "closed_forms/single_round",
    "filled_match_to_1": "closed_forms/filled/match_to_1",
    "filled_single_round": "closed_forms/filled/single_round",
    "filled-none_match_to_1": "closed_forms/filled-none/match_to_1",
    "filled-none_single_round": "closed_forms/filled-none/single_round",
    "filled-tie_match_to_1": "closed_forms/filled-tie/match_to_1",
    "filled-tie_single_round": "closed_forms/filled-tie/single_round",
    "learner-1": "learners/learner-1",
    "learner-10": "learners/learner-10",
    "learner-100": "learners/learner-100",
    "filled_learner-1": "filled/learners/learner-1",
    "filled_learner-10": "filled/learners/learner-10",
    "filled_learner-100": "filled/learners/learner-100",
}
"""The directories below solutions/, by name. An entry makes the name known to the library and to every command."""

INSTALLED = Path(import_module("tictactoe.solutions").__path__[0])
"""The directory of everything that ships."""

SHIPPED_MATCHES = {"shipped": 5, "match_to_1": 1}
"""The winning scores of the matches that ship, by their names for the default rules."""


def shipped_solution(name: str = "shipped") -> Path:
    """The installed directory of a solution, by its name in SHIPPED. Raises KeyError for another name.

    >>> shipped_solution("learner-10").name
    'learner-10'
    """
    return INSTALLED / SHIPPED[name]


def shipped_for(rules: Rules, name: str = "shipped") -> str | None:
    """The name, by these rules, of the solution that is `name` by the default rules; None if it does not ship.

    >>> shipped_for(Rules()), shipped_for(Rules("filled")), shipped_for(Rules("filled", (2, 1, 1)))
    ('shipped', 'filled', None)
    """
    if rules != Rules():
        name = str(rules) if name == "shipped" else f"{rules}_{name}"
    return name if name in SHIPPED else None


def shipped_match(rules: Rules, winning_score: int) -> str | None:
    """The name of the longest match by these rules that ships; None unless it is to `winning_score` points or more.

    >>> shipped_match(Rules(), 3), shipped_match(Rules("filled-tie"), 1), shipped_match(Rules("filled-tie"), 2)
    ('shipped', 'filled-tie_match_to_1', None)
    """
    names = (shipped_for(rules, name) for name, points in SHIPPED_MATCHES.items() if winning_score <= points)
    return next(filter(None, names), None)


def solution_directory(name: str | Path) -> Path:
    """The directory that `name` means: a path, or as text a name of SHIPPED or of a part such as shipped/subgame_4_3.

    An existing file or directory of that name takes precedence.

    >>> solution_directory("shipped/subgame_4_3") == shipped_solution() / "subgame_4_3"
    True
    >>> solution_directory("./shipped").as_posix()  # "./" before it: a directory of your own
    'shipped'
    """
    first, *rest = PurePath(name).parts or ("",)
    if isinstance(name, Path) or first not in SHIPPED or not name.startswith(first) or Path(first).exists():
        return Path(name)
    return INSTALLED.joinpath(SHIPPED[first], *rest)


def no_solution(directory: Path, what: str) -> FormatError:
    """The error for a missing directory or, in the words of `what`, for one without a solution."""
    if directory.exists():
        return FormatError(directory, what)
    return FormatError(directory, f"this directory does not exist; the program comes with: {', '.join(SHIPPED)}")


def shipped_with_one_of(digests: Mapping[str, str], *, snapshots: bool) -> Path | None:
    """The shipped directory with one of these records or, with `snapshots`, snapshots; None if there is none.

    digests: the SHA-256 (hexadecimal) of each file, by its name.

    >>> shipped_with_one_of({"solution.msgpack": "0" * 64}, snapshots=False) is None
    True
    """
    directories = [INSTALLED / below for below in dict.fromkeys(SHIPPED.values())]
    places = [place for directory in directories for place in (directory, *sorted(directory.glob("subgame_*/")))]
    for name, digest in digests.items():
        if name == SOLUTION_FILE or (snapshots and parse_snapshot_name(name) is not None):
            for place in places:
                if (place / name).is_file() and file_sha256(place / name) == digest:
                    return place
    return None


def is_shipped(directory: Path) -> bool:
    """Whether the directory belongs to an installed solution."""
    return directory.is_relative_to(INSTALLED)


def with_names(text: str) -> str:
    """The text with short names in place of the installed directories' paths."""
    for name in SHIPPED:
        if not Path(name).exists():
            text = text.replace(str(shipped_solution(name)), name)
    return text
