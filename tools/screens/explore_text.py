"""The text of explore: the size of the window, colours, numbers, wrapped lines, words for rules."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tictactoe.games.rules import Rules
from tictactoe.number_text import decimal_text, signed_text

MARKS = ("X", "O")
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
        self.on = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "dumb") != "dumb"

    def styled(self, text: str, code: str = "1") -> str:
        """The text with an escape sequence, by default that of a heading."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.on else text


class Numbers:
    """Numbers as text. precision: digits of values and probabilities; percentages have two fewer, shares four fewer."""

    def __init__(self, precision: int) -> None:
        self._precision = precision

    def probability(self, number: float) -> str:
        return f"{number:.{self._precision}f}"

    def value(self, number: float) -> str:
        return signed_text(number, self._precision)

    def points(self, number: float) -> str:
        return signed_text(number, max(self._precision - 1, 0))

    def percent(self, number: float) -> str:
        return f"{number:z.{max(self._precision - 2, 0)}f} %"

    def share(self, probability: float) -> str:
        """A probability in percent, with digits after the point from a precision of 5 on. A small positive probability
        is never shown as 0 %, but as less than the smallest number that can be shown."""
        digits = max(self._precision - 4, 0)
        if 1e-12 < probability < 0.5 * 10 ** -(digits + 2):
            return f"<{10.0**-digits:.{digits}f}%"
        return f"{100.0 * probability:.{digits}f}%"

    def cost(self, number: float, digits_less: int) -> str:
        """A cost; only a best move has 0. digits_less: how many digits fewer than the precision, 2 for percentages."""
        digits = max(self._precision - digits_less, 0)
        if number < 1e-9:  # rounding
            return "0"
        if number < 0.5 * 10**-digits:
            return f"<{10.0**-digits:.{digits}f}".replace("<0.", "<.")
        return decimal_text(number, digits)

    def small(self, number: float) -> str:
        """A number with `precision` significant digits; a rounding error is 0."""
        return "0" if abs(number) < 1e-14 else f"{number:.{self._precision}g}"


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


def rules_text(rules: Rules) -> str:
    """The name of the rules and, if they are uneven, the odds of the goals."""
    return f"Rules: {rules.name}{'' if rules.has_even_odds else f', goals win:lose:tie {rules.odds_text}'}"


def untold_text(rules: Rules) -> str:
    """A phrase for the weights of goals about which the moves tell nothing."""
    return "each goal counts the same" if rules.has_even_odds else "each goal counts as it is drawn"
