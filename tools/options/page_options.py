"""The solutions of a page, for the commands that build or serve one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tictactoe

from ..lazy_imports import lazily
from ..program import CommandError
from .declaring import option
from .parameters import SolutionDirectory

with lazily():
    from tictactoe.browser import page_data as pages
    from tictactoe.storage import shipped


def solutions_option() -> Any:
    """The option for the solutions of a page; `page_data` reads them."""
    return option(
        SolutionDirectory(),
        "A solved match to play and explore; may be repeated, one for each rules. The page begins with the "
        "first.  [default: shipped and filled, the matches to 5 that come with the program]",
        names="-s --solution",
        multiple=True,
        metavar="DIR",
    )


def page_data(solutions: Sequence[Path]) -> pages.PageData:
    """The data of a page for these solutions; without any, for the solutions that ship. Raises CommandError or
    FormatError."""
    directories = solutions or map(shipped.shipped_solution, pages.SHIPPED_ON_PAGE)
    try:
        return pages.PageData([tictactoe.load_solution(path) for path in directories])
    except ValueError as error:
        raise CommandError(str(error)) from None
