"""Sentences about values with bounds: which rules favour a seat least, and which seat they favour."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..games.rules import Rules
from .fairness import Bounded, fairest
from .percentages import win_percentage

EVEN_VALUE = 1e-4
"""A value is called even if it surely lies this close to 0. Several rules are called equally fair only if the values of
the fairest are certain to this precision."""
UNKNOWN = "unknown"


def fairest_text(where: str, values: Mapping[Rules, Bounded], who: Callable[[Bounded], str], advice: str) -> str:
    """A sentence about the rules that favour a seat least. who: says how they do. advice: what to do if the bounds are
    too wide to tell."""
    fair = fairest(values.items())
    value = values[fair[0]]
    if favoured_text(value) == UNKNOWN or (len(fair) > 1 and value.most - value.least > EVEN_VALUE):
        return f"Fairest in a {where}: cannot be told; {advice}."
    names = " and ".join(rules.name for rules in fair) + (", as fair as each other" if len(fair) > 1 else "")
    return f"Fairest in a {where}: {names}; {who(value)}."


def favoured_text(value: Bounded) -> str:
    """The favoured seat, "neither" or "unknown"."""
    return value.favoured or ("neither" if value.advantage[1] <= EVEN_VALUE else UNKNOWN)


def who_wins(start: Bounded) -> str:
    """The value of a match, in words."""
    if start.favoured is None:
        return "whoever moves first in the first round wins half of the matches"
    return f"whoever moves {start.favoured} in the first round wins {win_percentage(abs(start.value)):.3f} % of matches"


def who_gains(value: Bounded) -> str:
    """The value of a round on its own, in words."""
    if value.favoured is None:
        return "moving first is worth as much as moving second"
    return f"moving {value.favoured} gains {abs(value.value):.6f} points on average"
