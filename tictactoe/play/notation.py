"""Positions and numbers as text."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import unquote

from ..checked_numbers import whole_number
from ..games.rules import RULES, Goal, Rules
from ..match.scores import Score, checked_score
from ..number_text import decimal_text, signed_text

GOAL_LETTERS = "wlt"  # win, lose, tie


NUMPAD = dict(enumerate((7, 8, 9, 4, 5, 6, 1, 2, 3), 1))
"""The digit of each square on a numpad. The map is its own inverse."""

_SCORE = re.compile("([0-9]+)-([0-9]+)")
_PRINTED = (r"\((.+)\)", "[Pp]osition:? (.+)", r"([^(]+) \(.*\)")


@dataclass(frozen=True)
class Position:
    """A position as text: score, goals and moves, with "-" for no moves.

    Raises ValueError for a wrong score, and for moves that are not 1 to 9.

    >>> position = Position.parse("4-3 w? 513")
    >>> position.score.first, position.goals, position.moves
    (4, (<Goal.WIN: 0>, None), (5, 1, 3))
    >>> str(position), position.text(numpad=True), str(Position.parse("0-0"))
    ('4-3 w? 513', '4-3 w? n579', '0-0 ?? -')
    """

    score: Score
    """The points of the player who moves first, then of the other."""
    goals: tuple[Goal | None, Goal | None]
    """The goals of the player who moves first and of the other; None for an unknown goal, written "?"."""
    moves: tuple[int, ...]
    """The squares, 1 to 9, in the order of play."""
    rules: Rules | None = field(default=None, compare=False)
    """The rules of the round, if they are known. An address of the page can name them; other text cannot."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "score", checked_score("score", self.score))
        object.__setattr__(self, "moves", tuple(whole_number("moves", square, 1, 9) for square in self.moves))

    def __str__(self) -> str:
        return self.text()

    def text(self, *, numpad: bool = False) -> str:
        """The text that `parse` reads. numpad: whether to number the squares as on a numpad and mark this with "n"."""
        goals = "".join("?" if goal is None else GOAL_LETTERS[goal] for goal in self.goals)
        digits = "".join(str(NUMPAD[move] if numpad else move) for move in self.moves)
        return f"{self.score} {goals} {'n' * numpad + digits if digits else '-'}"

    @classmethod
    def parse(cls, text: str) -> Position:
        """Read what `text` wrote. The moves may be missing, and the goals, too; they are then unknown.

        This also reads a position copied from a screen, an address of the page, and a link. Raises ValueError, which
        names the wrong part.

        >>> found = Position.parse("https://example.org/#filled/4-3/wx/51/to-3")
        >>> str(found), str(found.rules)
        ('4-3 w? 51', 'filled')

        >>> str(Position.parse("Position: 4-4 ?w n7 (X has 4 points)")), str(Position.parse("(0-0 l? 59)"))
        ('4-4 ?w 1', '0-0 l? 59')
        """
        text = " ".join(text.split())
        for printed in _PRINTED:
            if match := re.fullmatch(printed, text):
                text = match[1]
        _, link, address = text.rpartition("#")
        parts = re.findall("[^/ ]+", unquote(address) if link else text)
        if parts and re.fullmatch("to-[0-9]{1,9}", parts[-1]):
            parts.pop()
        rules = _named_rules(parts.pop(0)) if len(parts) > 1 and _SCORE.fullmatch(parts[1]) else None
        if not 1 <= len(parts) <= 3:
            raise ValueError(f"{' '.join(parts)!r} is not a position: write score, goals and moves, such as 4-3 w? 513")
        points = _SCORE.fullmatch(parts[0])
        if points is None:
            raise ValueError(f"{parts[0]!r} is not a score: write both players' points, first mover first, such as 4-3")
        goals = parts[1].lower().replace("x", "?") if len(parts) > 1 else "??"
        if not re.fullmatch(f"[{GOAL_LETTERS}?]{{2}}", goals):
            wanted = "write w, l or t for each player, ? if unknown, such as w?"
            raise ValueError(f"{parts[1]!r} are not two goals: {wanted}")
        moves = parts[2].lower() if len(parts) == 3 and parts[2] != "-" else ""
        digits = moves.removeprefix("n")
        if (
            (moves and not digits)
            or any(square not in "123456789" for square in digits)
            or len(set(digits)) < len(digits)
        ):
            raise ValueError(f"{parts[2]!r} are not moves: write different squares from 1 to 9, such as 513")
        squares = tuple(NUMPAD[int(digit)] if moves.startswith("n") else int(digit) for digit in digits)
        first, second = (None if letter == "?" else Goal(GOAL_LETTERS.index(letter)) for letter in goals)
        return cls(Score(int(points[1][:9]), int(points[2][:9])), (first, second), squares, rules)


def _named_rules(name: str) -> Rules:
    try:
        return Rules.parse(name.replace("_", " "))
    except ValueError:
        known = ", ".join(RULES)
        raise ValueError(f"the address begins with {name!r}, which are not rules; known: {known}") from None


class Numbers:
    """Numbers as text. precision: digits of values and probabilities; percentages have two fewer, shares four."""

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
        """A probability in percent. A small one is never shown as 0 %."""
        digits = max(self._precision - 4, 0)
        if 1e-12 < probability < 0.5 * 10 ** -(digits + 2):
            return f"<{10.0**-digits:.{digits}f}%"
        return f"{100.0 * probability:.{digits}f}%"

    def cost(self, number: float, digits_less: int) -> str:
        """A cost; only a best move has 0. digits_less: how many digits fewer than the precision to show."""
        digits = max(self._precision - digits_less, 0)
        if number < 1e-9:  # rounding
            return "0"
        if number < 0.5 * 10**-digits:
            return f"<{10.0**-digits:.{digits}f}".replace("<0.", "<.")
        return decimal_text(number, digits)

    def small(self, number: float) -> str:
        """A number with `precision` significant digits."""
        return "0" if abs(number) < 1e-14 else f"{number:.{self._precision}g}"
