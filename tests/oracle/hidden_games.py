"""Descriptions of games with hidden moves, in the ways that a description can be written."""

from collections.abc import Hashable
from fractions import Fraction
from typing import Any


class Matrix:
    def __init__(self, *rows: tuple[float, ...]) -> None:
        self.rows = rows

    def root(self) -> Any:
        return ()

    def owner(self, state: Any) -> int | None:
        return len(state) if len(state) < 2 else None

    def moves(self, state: Any) -> Any:
        return [(f"move {place}", (*state, place)) for place in range(len(self.rows[0] if state else self.rows))]

    def sees(self, state: Any, player: int) -> Hashable:
        return ""

    def payoff(self, state: Any) -> Any:
        return self.rows[state[0]][state[1]]


class SecretThief(Matrix):
    """Chance hides a coin, 2 : 1. Player 0 looks, may move it; player 1 guesses, unseen; player 0 may double."""

    def __init__(self) -> None:
        super().__init__()

    def owner(self, state: Any) -> int | None:
        return (2, 0, 1, 0, None)[len(state)]

    def moves(self, state: Any) -> Any:
        names = (("left", "right"), ("stay", "move"), ("left", "right"), ("single", "double"))[len(state)]
        return [(name, (*state, name)) for name in names]

    def chance(self, state: Any, name: str) -> Any:
        return Fraction(2 if name == "left" else 1, 3)

    def sees(self, state: Any, player: int) -> Hashable:
        return "" if player else " ".join(state[:2])

    def payoff(self, state: Any) -> Any:
        there = (state[0] == "left") == (state[1] == "stay")
        return (-1 if there == (state[2] == "left") else 1) * (2 if state[3] == "double" else 1)


class Bids(Matrix):
    """Both get a card and bid 1 or 2 at once; the higher bid wins the lower one, or the higher card does."""

    types = ("low", "high"), ("low", "high")

    def __init__(self) -> None:
        super().__init__(("1", "2"), ("1", "2"))

    def prior(self, first: str, second: str) -> float:
        return 1 / 4

    def payoff(self, state: Any, first: str, second: str) -> int:  # type: ignore[override]
        ahead = state[0] - state[1] or (first == "high") - (second == "high")
        return 0 if not ahead else 1 + min(state) if ahead > 0 else -1 - min(state)
