"""The result of two agents against each other: how often each wins, computed exactly or counted in matches."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from ..match.head_to_head import HeadToHead

NORMAL_95 = 1.959963984540054
"""Standard deviations: a normal variable differs from its mean by at most so many in 95 % of all cases."""


class Interval(NamedTuple):
    """An interval of probabilities or ratings."""

    low: float
    high: float


def wilson_interval(successes: float, trials: int, deviations: float = NORMAL_95) -> Interval:
    """Wilson's (1927) confidence interval for a probability, after `successes` in `trials`; by default of 95 %.

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
    """The result of two agents, a and b, against each other: exact probabilities, or counts of matches."""

    names: tuple[str, str]
    """The names of a and b."""
    exact: HeadToHead | None = None
    """Exact probabilities for two fixed policies; None for agents that played matches."""
    wins: tuple[int, int] = (0, 0)
    """Matches that each has won, by forfeit of the other, too."""
    forfeits: tuple[int, int] = (0, 0)
    """Matches that each has lost by a failure."""
    undecided: int = 0
    """Endless matches that were broken off. Each counts as half a win for both."""

    @property
    def matches(self) -> int:
        """The number of matches played."""
        return sum(self.wins) + self.undecided

    @property
    def share(self) -> float:
        """The probability that a beats b, exact or as the share of matches won. Raises ValueError without a result."""
        if self.exact is not None:
            return self.exact.wins
        if not self.matches:
            raise ValueError(f"{' and '.join(self.names)} have not played")
        return (self.wins[0] + self.undecided / 2.0) / self.matches

    @property
    def interval(self) -> Interval | None:
        """The 95 % confidence interval of `share`; None for an exact probability."""
        return None if self.exact is not None else wilson_interval(self.share * self.matches, self.matches)

    def seen_by(self, name: str) -> tuple[float, Interval | None]:
        """The share and its interval as probabilities that the agent of that name beats the other."""
        share, interval = self.share, self.interval
        if name == self.names[0]:
            return share, interval
        return 1.0 - share, None if interval is None else Interval(1.0 - interval.high, 1.0 - interval.low)
