"""The update rules of counterfactual regret minimization, each as a table of coefficients for the shared sweep.

In iteration t the sweep does, for every action of every information set of the updating player, with
r = counterfactual value of the action - counterfactual value of the information set, in this order:

    discount, add     R <- max(R * (positive if R > 0 else negative) + r, floor)
    match             score = max(max(R, 0) * carried + foreseen * r, 0); next strategy in proportion to the
                      scores, uniform where all are 0
    average           S <- S + weight * own reach * strategy

where the strategy that enters the average is the one that produced r (not the new one), and own reach is the
product of the player's own probabilities on the way to the information set. Multiplying S by a discount and adding
with weight 1, as papers write it, gives the same average as adding with a growing weight.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

# Columns of a table of coefficients.
POSITIVE_DISCOUNT = 0
NEGATIVE_DISCOUNT = 1
FLOOR = 2
PREDICTION_DISCOUNT = 3
PREDICTION_WEIGHT = 4
AVERAGING_WEIGHT = 5
BONUS_EPSILON = 6
NUM_RULE_COLUMNS = 7

LARGEST_EXPONENT = 20.0
"""The largest alpha, beta (either sign) and gamma: keeps every weight of a run of millions of iterations finite."""


@dataclass(frozen=True)
class UpdateRule:
    """An algorithm with its parameters. Build one with `update_rule()`, which knows defaults and limits."""

    algorithm: str
    parameters: Mapping[str, float]

    def coefficients(self, first_iteration: int, num_iterations: int) -> FloatArray:
        """float64 (num_iterations, NUM_RULE_COLUMNS): a row for every iteration from `first_iteration` (1 or more).

        The column of the small-move bonus, which belongs to the game and not to the rule, is 0.
        """
        t = np.arange(first_iteration, first_iteration + num_iterations, dtype=np.float64)
        table = np.zeros((num_iterations, NUM_RULE_COLUMNS))
        table[:, POSITIVE_DISCOUNT] = table[:, NEGATIVE_DISCOUNT] = table[:, PREDICTION_DISCOUNT] = 1.0
        table[:, FLOOR] = -math.inf
        table[:, AVERAGING_WEIGHT] = 1.0
        _ALGORITHMS[self.algorithm].fill(table, t, self.parameters)
        return table


def update_rule(algorithm: str, **parameters: float | None) -> UpdateRule:
    """The rule of that name; a parameter that is None or missing takes its published default.

    Raises ValueError for an unknown algorithm, a parameter that it does not have, or one that is out of range.
    """
    if algorithm not in _ALGORITHMS:
        raise ValueError(f"algorithm: unknown {algorithm!r}; known: {', '.join(ALGORITHMS)}")
    defaults = _ALGORITHMS[algorithm].defaults
    chosen = dict(defaults)
    for name, value in parameters.items():
        if value is None:
            continue
        if name not in defaults:
            raise ValueError(f"{name}: {algorithm} has no such parameter")
        smallest = -LARGEST_EXPONENT if name == "beta" else 0.0
        if not smallest <= value <= LARGEST_EXPONENT:
            raise ValueError(f"{name}: {value} is not in {smallest:g} to {LARGEST_EXPONENT:g}")
        chosen[name] = float(value)
    return UpdateRule(algorithm, chosen)


def _discount(t: FloatArray, exponent: float) -> FloatArray:
    """t^exponent / (t^exponent + 1), also where t is 0."""
    with np.errstate(divide="ignore"):
        result: FloatArray = 1.0 / (1.0 + t**-exponent)
    return result


def _fill_cfr(table: FloatArray, t: FloatArray, parameters: Mapping[str, float]) -> None:
    """CFR, Zinkevich et al. 2007, "Regret minimization in games with incomplete information", equations 7 and 8.

    R <- R + r; every iteration weighs the same in the average. Departure: updates may alternate.
    """


def _fill_cfr_plus(table: FloatArray, t: FloatArray, parameters: Mapping[str, float]) -> None:
    """CFR+, Tammelin 2014, "Solving large imperfect information games using CFR+" (arXiv 1407.5042).

    R <- max(R + r, 0); the average weighs iteration t by t (the paper's delay d is 0).
    """
    table[:, FLOOR] = 0.0
    table[:, AVERAGING_WEIGHT] = t


def _fill_dcfr(table: FloatArray, t: FloatArray, parameters: Mapping[str, float]) -> None:
    """Discounted CFR, Brown & Sandholm 2019, "Solving imperfect-information games via discounted regret
    minimization" (arXiv 1809.04040), section 4.

    R <- R * d + r with d = (t-1)^alpha / ((t-1)^alpha + 1) where R > 0 and the same with beta elsewhere. The paper
    multiplies by its factor for iteration t after adding, this code by the same factor before the next adding; the
    strategies are the same. The average weighs iteration t by t^gamma, the paper's repeated (t/(t+1))^gamma.
    """
    table[:, POSITIVE_DISCOUNT] = _discount(t - 1, parameters["alpha"])
    table[:, NEGATIVE_DISCOUNT] = _discount(t - 1, parameters["beta"])
    table[:, AVERAGING_WEIGHT] = t ** parameters["gamma"]


def _fill_pdcfr_plus(table: FloatArray, t: FloatArray, parameters: Mapping[str, float]) -> None:
    """Predictive discounted CFR+, Xu et al. 2024, "Minimizing weighted counterfactual regret with optimistic online
    mirror descent" (arXiv 2404.13891).

    R <- max(R * d(t-1) + r, 0), then the scores are max(R * d(t) + r, 0) with d(t) = t^alpha / (t^alpha + 1): the
    regret r just seen is the prediction of the next one. The average weighs iteration t by t^gamma.
    """
    table[:, POSITIVE_DISCOUNT] = _discount(t - 1, parameters["alpha"])
    table[:, FLOOR] = 0.0
    table[:, PREDICTION_DISCOUNT] = _discount(t, parameters["alpha"])
    table[:, PREDICTION_WEIGHT] = 1.0
    table[:, AVERAGING_WEIGHT] = t ** parameters["gamma"]


@dataclass(frozen=True)
class _Algorithm:
    fill: Callable[[FloatArray, FloatArray, Mapping[str, float]], None]
    defaults: Mapping[str, float]


_ALGORITHMS = {
    "cfr": _Algorithm(_fill_cfr, {}),
    "cfr+": _Algorithm(_fill_cfr_plus, {}),
    "dcfr": _Algorithm(_fill_dcfr, {"alpha": 1.5, "beta": 0.0, "gamma": 2.0}),
    "pdcfr+": _Algorithm(_fill_pdcfr_plus, {"alpha": 2.3, "gamma": 5.0}),
}
ALGORITHMS = tuple(_ALGORITHMS)
"""The names that `update_rule` knows."""
