"""How explore writes: the room that there is, colours, numbers, lines that fit, words for goals and outcomes."""

from __future__ import annotations

import functools
import os
import sys
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from tictactoe.games.board import Board, final_lines
from tictactoe.games.goals import Goal, goal_name
from tictactoe.games.rules import Outcome, Rules
from tictactoe.number_text import decimal_text, signed_text

if TYPE_CHECKING:
    from tictactoe.play.view import View

SEATS = ("X", "O")
_WIDEST = 100


class Window(NamedTuple):
    """The room for a screen: columns, and lines, None where there is no end to them."""

    columns: int
    rows: int | None


def window() -> Window:
    """That of the terminal now; 80 columns without an end where the output is no terminal."""
    try:
        columns, rows = os.get_terminal_size(sys.stdout.fileno())
    except (AttributeError, OSError, ValueError):
        return Window(80, None)
    return Window(min(columns or 80, _WIDEST), rows or None)


class Paint:
    """Colour where a terminal wants it."""

    def __init__(self) -> None:
        self.on = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "dumb") != "dumb"

    def _styled(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.on else text

    def heading(self, text: str) -> str:
        return self._styled(text, "1")

    def mark(self, seat: int, text: str, *, in_line: bool = False) -> str:
        """The mark of a seat; in_line: of three in a row."""
        return self._styled(text, ("1;36", "1;33")[seat] + ";7" * in_line)

    def mistake(self, text: str) -> str:
        return self._styled(text, "31")


class Numbers:
    """Numbers as text. precision: digits of values and probabilities; percentages have two fewer, shares four."""

    def __init__(self, precision: int) -> None:
        self._precision = precision

    def probability(self, number: float) -> str:
        return f"{number:.{self._precision}f}"

    def value(self, number: float) -> str:
        return signed_text(number, self._precision)

    def points(self, number: float) -> str:
        digits = max(self._precision - 1, 0)
        return signed_text(number, digits)

    def percent(self, number: float) -> str:
        return f"{number:z.{max(self._precision - 2, 0)}f} %"

    def share(self, probability: float) -> str:
        """A probability, in whole percent unless more digits are wanted; never 0 % for what is played."""
        digits = max(self._precision - 4, 0)
        if 1e-12 < probability < 0.5 * 10 ** -(digits + 2):
            return f"<{10.0**-digits:.{digits}f}%"
        return f"{100.0 * probability:.{digits}f}%"

    def cost(self, number: float, digits_less: int) -> str:
        """0 for a best move alone. digits_less: than the precision, 2 for percentages."""
        digits = max(self._precision - digits_less, 0)
        if number < 1e-9:  # rounding
            return "0"
        if number < 0.5 * 10**-digits:
            return f"<{10.0**-digits:.{digits}f}".replace("<0.", "<.")
        return decimal_text(number, digits)

    def small(self, number: float) -> str:
        """In as many digits; what is nothing but rounding is 0."""
        return "0" if abs(number) < 1e-14 else f"{number:.{self._precision}g}"


def wrapped(text: str, columns: int, hanging: int = 0) -> list[str]:
    """Lines of at most that many columns, cut between words; those after the first begin with `hanging` spaces."""
    return textwrap.wrap(text, max(columns, 20), subsequent_indent=" " * hanging, break_on_hyphens=False) or [text]


def joined(columns: Sequence[Sequence[str]], space: int = 2) -> list[str]:
    """The rows of a table, each column with its cells to the right."""
    widths = [max(map(len, column)) for column in columns]
    rows = zip(*columns, strict=True)
    gap = " " * space
    return [gap.join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def rules_text(rules: Rules) -> str:
    """The rules by their name, and the odds of the goals where these are not even."""
    odds = "" if rules.has_even_odds else f", goals win:lose:tie {rules.odds_text}"
    return f"Rules: {rules.name}{odds}"


def untold_text(rules: Rules) -> str:
    """How goals count of which the moves have told nothing."""
    return "each goal counts the same" if rules.has_even_odds else "each goal counts as it is drawn"


def never_drawn(rules: Rules) -> str:
    """What there is to say of goals that nobody draws, "" where there is none."""
    names = [goal_name(goal).upper() for goal in Goal if not rules.goal_odds[goal]]
    are, it = ("are", "them") if len(names) > 1 else ("is", "it")
    return f"{' and '.join(names)} {are} never drawn; play for {it} is arbitrary." if names else ""


def lines_text(lines: Sequence[Sequence[Sequence[int]]], has: str = "") -> list[str]:
    """Of each player who has three in a row, which squares: "X 1 5 9". has: a word between the two."""
    return [
        f"{seat} {has}{' and '.join(' '.join(map(str, line)) for line in own)}"
        for seat, own in zip(SEATS, lines, strict=True)
        if own
    ]


def happened_text(view: View, outcome: Outcome) -> tuple[str, str]:
    """What the board shows in the end; and that it is a tie, where that is not plain.

    By filled-tie nobody or both may have three in a row, and the moves have often told already which it is.
    """
    happened = view.rules.of_round.happened[outcome]
    if outcome is not Outcome.TIE or view.rules.of_round.ends_with_line:
        return happened, ""
    ends = final_lines(functools.reduce(Board.play, view.moves, Board()))
    if ends == {(True, True)}:
        return "both have three in a row", ", which is a tie"
    return ("nobody has three in a row" if ends == {(False, False)} else happened), ""


def goal_text(goal: Goal) -> str:
    """As what somebody wants: to WIN."""
    return f"to {goal.name}"
