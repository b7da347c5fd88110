"""The option -s for solved matches, and its default."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

import tictactoe

from ..program import CommandError, note
from .common import Decorator
from .parameters import SolutionDirectory

if TYPE_CHECKING:
    from tictactoe.browser import page_data as pages

EXACT = {"polished_from", "made_by"}
"""The options that mark a solution made by linear programs or formulas, exact but for rounding."""

MY_SOLUTION = Path("my_solution")
"""The directory that is written and read by default."""


def solution_option(text: str = "Directory of the solved match", kind: SolutionDirectory | None = None) -> Decorator:
    """The option `solution`, without its default: see `chosen_solution`."""
    return click.option(
        "-s",
        "--solution",
        type=kind or SolutionDirectory(),
        help=f"{text}; shipped: the one that comes with the program.  [default: my_solution; shipped if there is no "
        "such directory]",
    )


def chosen_solution(given: Path | None, *, quiet: bool = False) -> Path:
    """The given directory, or my_solution/ if it exists, or the shipped solution, with a notice."""
    from tictactoe.storage import shipped

    if given is not None or MY_SOLUTION.exists():
        return given or MY_SOLUTION
    if not quiet:
        note(f"{MY_SOLUTION}/ does not exist: using the solution that comes with the program (-s shipped)")
    return shipped.shipped_solution()


def note_if_not_refined(solution: tictactoe.Solution | None) -> None:
    """Print a notice if an exact solution is not refined. solution: None for a round on its own."""
    from tictactoe.storage import shipped

    if solution is None:
        return
    if solution.options.keys() & EXACT and not solution.options.keys() & {"refined", "compact_bits"}:
        name = shipped.with_names(str(solution.directory))
        cure = f"solve-multiround --polish -s {name} -o refined/ makes a solution that plays best even then"
        note(f"{name} is exact, but not refined: after a mistake it may play badly. {cure}")


def refuse_to_write_into(solution: Path, option: str) -> None:
    """Raise click.UsageError if the solution is a shipped one."""
    from tictactoe.storage import shipped

    if shipped.is_shipped(solution):
        raise click.UsageError(
            f"{option}: nothing is written into a solution that comes with the program; copy it first: "
            "tictactoe convert shipped -o copy/ --bits 52 --smallest 0"
        )


solutions_option = click.option(
    "-s",
    "--solution",
    "solutions",
    type=SolutionDirectory(),
    multiple=True,
    metavar="DIR",
    help="A solved match to play and explore; may be repeated, with other rules each time. The page begins with the "
    "first.  [default: shipped and filled, the matches to 5 that come with the program]",
)
"""The option `solutions` of a page, which `page_data` reads."""


def page_data(
    solutions: Sequence[Path], address: str | None = None, stun: str | None = None, *, compression: int = 9
) -> pages.PageData:
    """The data of a page for these solutions, by default the shipped ones. Raises CommandError or FormatError."""
    from tictactoe.browser import page_data as pages
    from tictactoe.storage import shipped

    directories = solutions or map(shipped.shipped_solution, pages.SHIPPED_ON_PAGE)
    try:
        solved = [tictactoe.load_solution(path) for path in directories]
        return pages.PageData(solved, address, stun=stun, compression=compression)
    except ValueError as error:
        raise CommandError(str(error)) from None
