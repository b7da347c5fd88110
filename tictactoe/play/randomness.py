"""Random draws while playing: goals, seats, moves. A seed makes them repeatable."""

from __future__ import annotations

import random
from bisect import bisect_right
from itertools import accumulate

from ..games.goals import Goal, Seat
from ..games.rules import Rules


class _Unpredictable(random.SystemRandom):
    """Can be pickled, because the system's random numbers have no state."""

    def __reduce__(self) -> tuple[type[_Unpredictable], tuple[()]]:
        return _Unpredictable, ()


def generator_for(seed: int | None, purpose: str) -> random.Random:
    """Random numbers for one purpose: the same numbers for the same seed, unpredictable ones without a seed."""
    return _Unpredictable() if seed is None else random.Random(f"smbc-tictactoe {seed} {purpose}")


def round_purpose(purpose: str, number: int, again: int = 0) -> str:
    """The name of a draw for round `number`, which was abandoned and dealt anew `again` times."""
    return f"{purpose} {number}" + (f" again {again}" if again else "")


def deal_goals(rules: Rules, seed: int | None, number: int, again: int = 0) -> tuple[Goal, Goal]:
    """The goals of players 0 and 1 in round `number`. They depend on the odds and the seed, not on earlier rounds."""
    generator = generator_for(seed, round_purpose("goals", number, again))
    up_to = list(accumulate(rules.goal_odds))
    first, second = (Goal(bisect_right(up_to, int(generator.random() * up_to[-1]))) for _ in range(2))
    return first, second


def draw_first(seat: Seat | None, seed: int | None, number: int = 1) -> int:
    """The player, 0 or 1, who moves first in round `number` when player 0 wants `seat`; drawn if `seat` is None."""
    return int(generator_for(seed, f"seat {number}").random() * 2) if seat is None else int(seat)
