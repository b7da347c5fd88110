"""Match values, from -1 to 1, as percentages of matches."""

from __future__ import annotations


def win_percentage(value: float) -> float:
    """The percentage of matches won by the player to whom the match value (-1 to 1) belongs."""
    return 50.0 * (1.0 + value)


def percentage_points(difference: float) -> float:
    """A difference of match values as percentage points of matches won: a win is worth 2 more than a loss."""
    return 50.0 * difference
