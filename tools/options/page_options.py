"""The solutions of a page, for the commands that build or serve one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..program import CommandError
from .parameters import SolutionDirectory

if TYPE_CHECKING:
    from tictactoe.browser.page_data import PageData


def solutions_option() -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option for the solutions of a page; `page_data` reads them."""
    return click.option(
        "-s",
        "--solution",
        "solutions",
        type=SolutionDirectory(),
        multiple=True,
        metavar="DIR",
        help="A solved match to play and explore; may be repeated, one for each rules. The page begins with the "
        "first.  [default: shipped and filled, the matches to 5 that come with the program]",
    )


def page_data(solutions: Sequence[Path]) -> PageData:
    """The data of a page for these solutions; without any, for the solutions that ship. Raises CommandError or
    FormatError."""
    from tictactoe.browser.page_data import SHIPPED_ON_PAGE, PageData
    from tictactoe.storage.shipped import shipped_solution
    from tictactoe.storage.solution import load_solution

    try:
        return PageData([load_solution(path) for path in solutions or map(shipped_solution, SHIPPED_ON_PAGE)])
    except ValueError as error:
        raise CommandError(str(error)) from None
