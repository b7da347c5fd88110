"""Match values, from -1 to 1, as percentages of matches, and their differences in two units."""

from __future__ import annotations

from fractions import Fraction

from ..number_text import rounded_up


def win_percentage(value: float) -> float:
    """The percentage of matches that a player with this match value (-1 to 1) wins."""
    return 50.0 * (1.0 + value)


def percentage_points(difference: float) -> float:
    """A difference of match values as points of winning chance, of 100 matches."""
    return 50.0 * difference


def in_both_units(name: str, value: float | None) -> dict[str, float | None]:
    """A difference of match values for JSON, in match value and in points of winning chance; None if it is unknown.

    >>> in_both_units("exploitability", 0.02)
    {'exploitability': 0.02, 'exploitability_percentage_points': 1.0}
    """
    return {name: value, f"{name}_percentage_points": None if value is None else percentage_points(value)}


POINTS = "points of winning chance (of 100 matches)"
"""The meaning of points. A screen says it once and then writes "points"."""


def exploitability_text(exploitability: Fraction | float, points: str = POINTS, *, up: bool = False) -> str:
    """An exploitability in both units. points: the name of the second unit. up: whether to round up."""
    both = Fraction(exploitability), 50 * Fraction(exploitability)
    value, of_100 = (rounded_up(number) if up else f"{float(number):.2e}" for number in both)
    return f"{value} in match value (-1 to 1), {of_100} {points}"


def brief(exploitability: float) -> str:
    """An exploitability in both units, for a line of progress."""
    return f"{exploitability:.1e} match value ({percentage_points(exploitability):.1e} points)"


def at_most(exploitability: Fraction | float) -> str:
    """An upper bound on an exploitability, rounded up in both units."""
    most = Fraction(exploitability)
    return f"at most {rounded_up(most, 2)} match value ({rounded_up(50 * most, 2)} points)"
