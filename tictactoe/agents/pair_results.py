"""What is known of two agents after their matches, or without any: who beats whom how often."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from ..match.head_to_head import HeadToHead

NORMAL_95 = 1.959963984540054
"""A normal variable is so many standard deviations from its mean, or less, in 95 % of all cases."""


class Interval(NamedTuple):
    """low and high: its ends."""

    low: float
    high: float


def wilson_interval(successes: float, trials: int, deviations: float = NORMAL_95) -> Interval:
    """The interval for a probability of which `successes` of `trials` were seen (Wilson 1927); by default of 95 %.

    Raises ValueError without trials.

    >>> [round(end, 4) for end in wilson_interval(8, 10)]
    [0.4902, 0.9433]
    """
    if trials < 1 or not 0.0 <= successes <= trials:
        raise ValueError(f"trials: {successes} of {trials}")
    seen, square = successes / trials, deviations**2 / trials
    middle = (seen + square / 2.0) / (1.0 + square)
    half = deviations * math.sqrt(seen * (1.0 - seen) / trials + square / (4.0 * trials)) / (1.0 + square)
    return Interval(max(0.0, middle - half), min(1.0, middle + half))


@dataclass(frozen=True)
class PairResult:
    """How two agents, a and b, fare against each other: exactly, or in matches that were played.

    names: of a and b. exact: the probabilities, where both are fixed policies and nothing was played. wins: matches
    that each has won, forfeits of the other among them. forfeits: matches that each has lost by failing. undecided:
    matches that were broken off, as nobody got ahead: half a win for each.
    """

    names: tuple[str, str]
    exact: HeadToHead | None = None
    wins: tuple[int, int] = (0, 0)
    forfeits: tuple[int, int] = (0, 0)
    undecided: int = 0

    @property
    def matches(self) -> int:
        """That were played."""
        return sum(self.wins) + self.undecided

    @property
    def share(self) -> float:
        """The probability that a beats b, or the share of matches. ValueError if there is neither."""
        if self.exact is not None:
            return self.exact.wins
        if not self.matches:
            raise ValueError(f"{' and '.join(self.names)} have not played")
        return (self.wins[0] + self.undecided / 2.0) / self.matches

    @property
    def interval(self) -> Interval | None:
        """Of 95 %, for the probability that a beats b; None where that is known exactly."""
        return None if self.exact is not None else wilson_interval(self.share * self.matches, self.matches)
