"""Positions as text that people can send each other."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..games.goals import Goal
from ..match.scores import Score

GOAL_LETTERS = "wlt"  # win, lose, tie


@dataclass(frozen=True)
class Position:
    """A position that people can send each other: score, goals and squares played, as str() writes them.

    score and goals are those of the player who moves first, then of the other; None is an unknown goal, written "?".
    "-" stands for no moves.

    >>> position = Position.parse("4-3 wl 513")
    >>> position.score.first, position.goals[1].name, position.moves
    (4, 'LOSE', (5, 1, 3))
    >>> str(Position(position.score, (position.goals[0], None), ()))
    '4-3 w? -'
    """

    score: Score
    goals: tuple[Goal | None, Goal | None]
    moves: tuple[int, ...]

    def __str__(self) -> str:
        goals = "".join("?" if goal is None else GOAL_LETTERS[goal] for goal in self.goals)
        return f"{self.score} {goals} {''.join(map(str, self.moves)) or '-'}"

    @classmethod
    def parse(cls, text: str, *, unknown_goals: bool = False) -> Position:
        """Read what str() wrote; the moves may be missing, and "?" may stand for a goal if `unknown_goals`.

        Raises ValueError saying which part is wrong.
        """
        parts = text.split()
        if not 2 <= len(parts) <= 3:
            raise ValueError(f"{text!r} is not a position: write score, goals and moves, such as 4-3 wl 513")
        points = re.fullmatch("([0-9]+)-([0-9]+)", parts[0])
        if points is None:
            raise ValueError(f"{parts[0]!r} is not a score: write both players' points, first mover first, such as 4-3")
        if not re.fullmatch(f"[{GOAL_LETTERS}{'?' * unknown_goals}]{{2}}", parts[1].lower()):
            raise ValueError(f"{parts[1]!r} are not two goals: write w, l or t for each player, such as wl")
        moves = parts[2] if len(parts) == 3 and parts[2] != "-" else ""
        if any(square not in "123456789" for square in moves) or len(set(moves)) < len(moves):
            raise ValueError(f"{moves!r} are not moves: write different squares from 1 to 9, such as 513")
        first, second = (None if c == "?" else Goal(GOAL_LETTERS.index(c)) for c in parts[1].lower())
        return cls(Score(int(points[1][:9]), int(points[2][:9])), (first, second), tuple(map(int, moves)))
