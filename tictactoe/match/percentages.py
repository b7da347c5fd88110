"""Match values, from -1 to 1, as percentages of matches."""

from __future__ import annotations


def win_percentage(value: float) -> float:
    """The percentage of matches won by the player to whom the match value (-1 to 1) belongs."""
    return 50.0 * (1.0 + value)


def percentage_points(difference: float) -> float:
    """A difference of match values as percentage points of matches won: a win is worth 2 more than a loss."""
    return 50.0 * difference


def in_both_units(name: str, value: float | None) -> dict[str, float | None]:
    """A difference of match values for JSON, in match value and in percentage points. None: it is not known.

    >>> in_both_units("exploitability", 0.02)
    {'exploitability': 0.02, 'exploitability_percentage_points': 1.0}
    """
    return {name: value, f"{name}_percentage_points": None if value is None else percentage_points(value)}
