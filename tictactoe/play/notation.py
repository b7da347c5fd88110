"""Positions as text that people can send each other."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ..algorithms.checked_numbers import whole_number
from ..games.goals import Goal
from ..games.rules import Rules
from ..match.scores import Score, checked_score

GOAL_LETTERS = "wlt"  # win, lose, tie


NUMPAD = dict(enumerate((7, 8, 9, 4, 5, 6, 1, 2, 3), 1))
"""The digit of a numpad on each square; it leads back, too."""

_PRINTED = (r"\((.+)\)", "[Pp]osition:? (.+)", r"([^(]+) \(.*\)")


@dataclass(frozen=True)
class Position:
    """A position that people can send each other: score, goals and squares played, as str() writes them.

    score and goals are those of the player who moves first, then of the other; None is an unknown goal, written "?".
    "-" stands for no moves. rules: by which it came about, None where nothing says so; no text has them.
    Raises ValueError for what is no score, and for moves that are no squares, 1 to 9.

    >>> position = Position.parse("4-3 w? 513")
    >>> position.score.first, position.goals, position.moves
    (4, (<Goal.WIN: 0>, None), (5, 1, 3))
    >>> str(position), position.text(numpad=True), str(Position.parse("0-0"))
    ('4-3 w? 513', '4-3 w? n579', '0-0 ?? -')
    """

    score: Score
    goals: tuple[Goal | None, Goal | None]
    moves: tuple[int, ...]
    rules: Rules | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "score", checked_score("score", self.score))
        object.__setattr__(self, "moves", tuple(whole_number("moves", square, 1, 9) for square in self.moves))

    def __str__(self) -> str:
        return self.text()

    def text(self, *, numpad: bool = False) -> str:
        """As `parse` reads it. numpad: the squares are numbered as on a numpad, which an "n" before them says."""
        goals = "".join("?" if goal is None else GOAL_LETTERS[goal] for goal in self.goals)
        digits = "".join(str(NUMPAD[move] if numpad else move) for move in self.moves)
        return f"{self.score} {goals} {'n' * numpad + digits if digits else '-'}"

    @classmethod
    def parse(cls, text: str) -> Position:
        """Read what `text` or str() wrote; the moves may be missing, and the goals with them, which are unknown then.

        Also as it stands on a screen, with the word before it and a remark in parentheses after it, or in parentheses.
        Raises ValueError saying which part is wrong.

        >>> str(Position.parse("Position: 4-4 ?w n7 (score as in the solution)")), str(Position.parse("(0-0 l? 59)"))
        ('4-4 ?w 1', '0-0 l? 59')
        """
        text = " ".join(text.split())
        for printed in _PRINTED:
            if match := re.fullmatch(printed, text):
                text = match[1]
        parts = text.split()
        if not 1 <= len(parts) <= 3:
            raise ValueError(f"{' '.join(parts)!r} is not a position: write score, goals and moves, such as 4-3 w? 513")
        points = re.fullmatch("([0-9]+)-([0-9]+)", parts[0])
        if points is None:
            raise ValueError(f"{parts[0]!r} is not a score: write both players' points, first mover first, such as 4-3")
        goals = parts[1].lower() if len(parts) > 1 else "??"
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
        return cls(Score(int(points[1][:9]), int(points[2][:9])), (first, second), squares)
