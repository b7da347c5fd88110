"""Options that many commands have, and checks of what they name."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

import tictactoe
from tictactoe.errors import MissingPlotsError

from ..lazy_imports import lazily
from ..options.parameters import TRUE_FALSE, Count, Directory
from ..program import CommandError
from .declaring import flag, option
from .workers import existing_of

with lazily():
    from tictactoe.figures import style

Scores = tuple[tuple[int, int], ...]
"""Points of the first and of the second mover, for each score."""

REPLACE_HELP = (
    "Replace the solution that the output directory holds, its certificate too, once the new one is whole; "
    "plots/ and what else is there stay."
)
"""The help of --restart for a command that cannot continue an earlier run."""
DISCARD_HELP = (
    "Begin anew, and replace what an earlier run left in the directory once the new is whole; "
    "if that is stopped, go on without --restart."
)
"""The help of --restart for a command that continues a stopped run."""


def json_option() -> Any:
    """Prints JSON in place of text."""
    return flag("Print the result as JSON on standard output.", names="--json")


def quiet_option(text: str = "No progress and no table: nothing but errors.") -> Any:
    """Prints less."""
    return flag(text)


def directory_option(default: str, text: str) -> Any:
    """The directory that a command writes."""
    return option(Directory(), text, short="-o", default=Path(default))


def winning_score_option() -> Any:
    """The length of a match."""
    return option(Count(1, 100), "Points that win the match.", default=5)


def scores_option(text: str, **settings: Any) -> Any:
    """Scores; the option may be repeated."""
    return option(Count(0), text, nargs=2, multiple=True, metavar="A B", **settings)


def true_option(text: str) -> Any:
    """An option that is true by default."""
    return option(TRUE_FALSE, text, default="true")


def check_picture(path: Path, option: str) -> None:
    """Raises click.UsageError for a name that does not end as a picture's, and MissingPlotsError."""
    if path.suffix not in (".png", ".svg", ".pdf"):
        raise click.UsageError(f"{option}: {path.name}: the name must end with .png, .svg, .pdf")
    style.require_plots()


def require_plots_unless(no_plot: bool, pictures: str) -> None:
    """Raises CommandError without matplotlib, which draws the pictures of a command with --no-plot."""
    try:
        if not no_plot:
            style.require_plots()
    except MissingPlotsError as error:
        raise CommandError(f"{error}; or leave the {pictures} out with --no-plot") from error


@dataclass(frozen=True)
class Earlier:
    """What becomes of an earlier run in the output directory. With neither option, a run goes on if there is one."""

    resume: bool = flag("Insist on continuing: an error when the directory holds no earlier run.")
    restart: bool = flag(DISCARD_HELP)

    def __post_init__(self) -> None:
        if self.resume and self.restart:
            raise click.UsageError("--resume and --restart exclude each other")

    @property
    def existing(self) -> tictactoe.Existing:
        """The choice as the library takes it."""
        return existing_of(self.restart, self.resume)
