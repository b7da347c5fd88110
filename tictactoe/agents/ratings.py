"""Ratings of all agents from the results of their pairs: the model of Bradley and Terry (1952), on the scale of Elo.

In the model, a beats b with probability 1 / (1 + 10^((rating of b - rating of a) / 400)). Every pair has the same
weight. The fit is by maximum likelihood, with half a match added for both sides of a sampled pair (Jeffreys' prior).
Confidence intervals come from the delta method.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..algorithms.arrays import FloatArray
from ..errors import NoConvergenceError
from .results import NORMAL_95, Interval, PairResult

ELO_PER_LOG_ODDS = 400.0 / np.log(10.0)
"""Rating points per unit of the logarithm of the odds."""
SMALLEST_PROBABILITY = 1e-6
"""The smallest distance from 0 and 1 of a probability in the fit."""
_LONGEST_STEP, _MOST_STEPS, _TOLERANCE = 2.0, 500, 1e-10


@dataclass(frozen=True)
class Rating:
    """The rating of an agent in a tournament."""

    name: str
    rating: float
    """The rating on Elo's scale; the mean over all agents is 0."""
    interval: Interval | None
    """The 95 % confidence interval of the rating; None if the results of all pairs are exact."""
    score: float
    """The share of matches won, averaged over all opponents."""


def rate(names: Sequence[str], results: Sequence[PairResult]) -> list[Rating]:
    """The ratings of agents from the result of every pair, best first.

    Raises ValueError for fewer than two agents, and unless every pair has exactly one result.

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
    clipped = np.clip(shares, SMALLEST_PROBABILITY, 1.0 - SMALLEST_PROBABILITY)
    smoothed = np.where(matches > 0, (shares * matches + 0.5) / (matches + 1.0), clipped)
    strengths, curvature = _fitted(incidence, smoothed)
    intervals: list[Interval | None] = [None] * len(names)
    if matches.any():
        variances = np.where(matches > 0, smoothed * (1.0 - smoothed) / (matches + 1.0), 0.0)
        per_share = np.linalg.solve(curvature, incidence.T)
        half = NORMAL_95 * np.sqrt((per_share**2 * variances).sum(axis=1))
        ends = np.stack([strengths - half, strengths + half], 1) * ELO_PER_LOG_ODDS
        intervals = [Interval(*each) for each in ends.tolist()]
    scores = np.zeros(len(names))
    np.add.at(scores, rows, shares)
    np.add.at(scores, columns, 1.0 - shares)
    scores /= len(names) - 1
    ratings = (strengths * ELO_PER_LOG_ODDS).tolist()
    found = map(Rating, names, ratings, intervals, scores.tolist())
    return sorted(found, key=lambda row: -row.rating)


def _fitted(incidence: FloatArray, shares: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The likeliest strengths, float64 (n,), and the curvature of the log-likelihood there, float64 (n, n).

    In each row of `incidence`, the agent with 1 wins the row's share against the agent with -1.
    """
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
