"""Ratings of all agents from the results of their pairs: the model of Bradley and Terry (1952), on the scale of Elo.

The model: a beats b with probability 1 / (1 + 10^((rating of b - rating of a) / 400)). Every pair weighs the same,
however many matches it has played; ratings add up to 0. Fitted by maximum likelihood: the log-likelihood is concave,
and Newton's method, with steps of bounded length, finds the only maximum. Shares of 0 and 1 would have no maximum: a
sampled pair counts half a match more for both sides (Jeffreys' prior), an exact probability is kept off 0 and 1 by
SMALLEST.

Where pairs were sampled, intervals are those of the delta method: how the fit follows the shares, and how much these
vary in so many matches. Pairs that are known exactly do not vary. Libraries for this model (choix, evalica) bring scipy
or pandas with them and give no intervals; the fit is a dozen lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..algorithms.arrays import FloatArray
from ..errors import NoConvergenceError
from .pair_results import NORMAL_95, Interval, PairResult

ELO = 400.0 / np.log(10.0)
"""Points of a rating per unit of the logarithm of the odds."""
SMALLEST = 1e-6
"""No probability is fitted that is nearer to 0 or 1."""
_LONGEST_STEP, _MOST_STEPS, _TOLERANCE = 2.0, 500, 1e-10


@dataclass(frozen=True)
class Rating:
    """An agent's place among the others. rating: in points of Elo's scale, 0 on average. interval: of 95 %; None where
    all results are exact. score: the mean share of matches that it wins, over all opponents."""

    name: str
    rating: float
    interval: Interval | None
    score: float


def rate(names: Sequence[str], results: Sequence[PairResult]) -> list[Rating]:
    """The ratings of agents of whom every two have a result; the best first.

    Raises ValueError when there are fewer than two agents, or a pair without a result, or with two.

    >>> won = PairResult(("Ann", "Bob"), wins=(75, 25)), PairResult(("Ann", "Cy"), wins=(50, 50))
    >>> for row in rate(["Ann", "Bob", "Cy"], [*won, PairResult(("Cy", "Bob"), wins=(75, 25))]):
    ...     print(row.name, round(row.rating), [round(end) for end in row.interval], row.score)
    Ann 63 [29, 97] 0.625
    Cy 63 [29, 97] 0.625
    Bob -126 [-162, -89] 0.25
    """
    numbers = {name: number for number, name in enumerate(names)}
    pairs = [(numbers[result.names[0]], numbers[result.names[1]]) for result in results]
    num_pairs = len(names) * (len(names) - 1) // 2
    if len(names) < 2 or len(pairs) != num_pairs or len({frozenset(pair) for pair in pairs}) != num_pairs:
        raise ValueError("results: every pair of at least two agents must have one")
    rows, columns = (np.array(side) for side in zip(*pairs, strict=True))
    shares = np.array([result.share for result in results])
    matches = np.array([result.matches if result.exact is None else 0 for result in results])
    incidence = np.zeros((num_pairs, len(names)))
    incidence[np.arange(num_pairs), rows] = 1.0
    incidence[np.arange(num_pairs), columns] = -1.0
    smoothed = _smoothed(shares, matches)
    strengths, curvature = _fitted(incidence, smoothed)
    intervals: list[Interval | None] = [None] * len(names)
    if matches.any():
        variances = np.where(matches > 0, smoothed * (1.0 - smoothed) / (matches + 1.0), 0.0)
        per_share = np.linalg.solve(curvature, incidence.T)
        half = NORMAL_95 * np.sqrt((per_share**2 * variances).sum(axis=1))
        intervals = [Interval(*ends) for ends in (np.stack([strengths - half, strengths + half], 1) * ELO).tolist()]
    scores = np.zeros(len(names))
    np.add.at(scores, rows, shares)
    np.add.at(scores, columns, 1.0 - shares)
    scores /= len(names) - 1
    found = [Rating(*row) for row in zip(names, (strengths * ELO).tolist(), intervals, scores.tolist(), strict=True)]
    return sorted(found, key=lambda row: -row.rating)


def _smoothed(shares: FloatArray, matches: FloatArray) -> FloatArray:
    sampled = (shares * matches + 0.5) / (matches + 1.0)
    return np.where(matches > 0, sampled, np.clip(shares, SMALLEST, 1.0 - SMALLEST))


def _fitted(incidence: FloatArray, shares: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The likeliest strengths, float64 (n,), if in each row of `incidence` the agent that has 1 wins its share against
    the one that has -1; and the curvature there, float64 (n, n), made regular as their sum is 0."""
    number = incidence.shape[1]
    strengths = np.zeros(number)
    for _ in range(_MOST_STEPS):
        expected = 1.0 / (1.0 + np.exp(-incidence @ strengths))
        curvature = incidence.T @ (incidence * (expected * (1.0 - expected))[:, None]) + 1.0 / number
        step = np.linalg.solve(curvature, incidence.T @ (shares - expected))
        longest = np.abs(step).max()
        if longest < _TOLERANCE:
            return strengths, curvature
        strengths += step * min(1.0, _LONGEST_STEP / longest)
    raise NoConvergenceError("the ratings of these results were not found; please report this with the results")
