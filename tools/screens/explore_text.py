"""The text of explore: the size of the window, colours, numbers, wrapped lines, words for rules."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tictactoe.play.notation import Numbers

from ..streams import takes_escapes

_WIDEST_WINDOW = 100


class Window(NamedTuple):
    """The size of a screen."""

    columns: int
    rows: int | None
    """Lines of the screen; None without a limit."""


def window() -> Window:
    """The present size of the terminal; without a terminal, 80 columns and any number of lines."""
    try:
        columns, rows = os.get_terminal_size(sys.stdout.fileno())
    except (AttributeError, OSError, ValueError):
        return Window(80, None)
    return Window(min(columns or 80, _WIDEST_WINDOW), rows or None)


class Paint:
    """Colours, if the output is a terminal that wants them."""

    def __init__(self) -> None:
        self.on = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and takes_escapes()

    def styled(self, text: str, code: str = "1") -> str:
        """The text with an escape sequence, by default that of a heading."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.on else text


@dataclass(frozen=True)
class Look:
    """How a position is shown."""

    window: Window
    precision: int = 4
    """Digits of numbers."""
    table: bool = True
    """Whether to show the grid and tables."""
    details: bool = False
    """Whether to add the details for students of the solver."""
    numpad: bool = False
    """Whether 7 8 9 are the squares at the top."""
    paint: Paint = field(default_factory=Paint)

    @property
    def numbers(self) -> Numbers:
        return Numbers(self.precision)

    def wrapped(self, *texts: str) -> list[str]:
        """The texts in lines that fit the window; further lines of a text are indented."""
        return [line for text in texts for line in wrapped(text, self.window.columns, 2)]


def wrapped(text: str, columns: int, hanging: int = 0) -> list[str]:
    """The text in lines of at most `columns`, broken between words. Further lines begin with `hanging` spaces."""
    return textwrap.wrap(text, max(columns, 20), subsequent_indent=" " * hanging, break_on_hyphens=False) or [text]


def joined(columns: Sequence[Sequence[str]], space: int = 2) -> list[str]:
    """The rows of a table with right-aligned columns."""
    widths = [max(map(len, column)) for column in columns]
    rows = (map(str.rjust, row, widths) for row in zip(*columns, strict=True))
    return [(" " * space).join(row).rstrip() for row in rows]
