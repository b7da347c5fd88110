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
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

import numpy as np

from .arrays import FloatArray

# Columns of a table of coefficients.
NUM_RULE_COLUMNS = 7
POSITIVE_DISCOUNT, NEGATIVE_DISCOUNT, FLOOR, PREDICTION_DISCOUNT = range(4)
PREDICTION_WEIGHT, AVERAGING_WEIGHT, BONUS_EPSILON = range(4, NUM_RULE_COLUMNS)

LARGEST_EXPONENT = 20.0
"""The largest alpha, beta (either sign) and gamma: keeps every weight of a run of millions of iterations finite."""

RESTART_BLEND = 1e-5
"""The blend of the restarts of rdcfr: below this part of the largest own reach an average is too old to start from."""

_LIMITS = {
    "alpha": (0.0, LARGEST_EXPONENT),
    "beta": (-LARGEST_EXPONENT, LARGEST_EXPONENT),
    "gamma": (0.0, LARGEST_EXPONENT),
    "horizon": (1.0, 1e9),
    "first_restart": (1.0, 1e9),
    "second_restart": (1.0, 1e9),
    "shrink": (1e-6, 1e6),
    "grow": (1e-6, 1e6),
    "blend": (1e-6, 1.0),
}


class Restart(NamedTuple):
    """Between two iterations: regrets and current strategy become the average strategy, averaging begins anew.

    Where the player itself rarely goes, the average is old, and the current strategy has a share: with own reach y in
    the average, the new strategy is w * average + (1 - w) * current with w = min(1, y / blend). The new regrets are
    proportional to it; their sum is what it was, times `factor`.
    """

    factor: float
    blend: float


@dataclass(frozen=True)
class UpdateRule:
    """An algorithm with its parameters. Build one with `update_rule()`, which knows defaults and limits.

    >>> from tictactoe import update_rule
    >>> update_rule("cfr+").coefficients(1, 4)[:, 5].tolist()  # what iterations weigh in the average
    [1.0, 2.0, 3.0, 4.0]
    """

    algorithm: str
    parameters: Mapping[str, float]

    @property
    def samples(self) -> bool:
        """Whether a sweep follows one sampled move of the opponent where the others follow all."""
        return _ALGORITHMS[self.algorithm].samples

    def check_use(self, alternate_updates: bool, with_bonus: bool) -> None:
        """Raises ValueError for what a rule that samples cannot do: no alternation, or a bonus."""
        if self.samples and not alternate_updates:
            raise ValueError(f"alternate_updates: {self.algorithm} has no other way than to alternate")
        if self.samples and with_bonus:
            raise ValueError(f"bonus_schedule: {self.algorithm} knows no bonus")

    @property
    def averages_twice(self) -> bool:
        """Whether the average strategy is taken from the running sum, over flushes, of the strategy sums: iteration t
        of T then weighs (T - t) times what its weight says, in steps of a flush."""
        return _ALGORITHMS[self.algorithm].averages_twice

    @property
    def warm_start_at(self) -> int | None:
        """The t, counted as if so many iterations had been run, at which a warm start begins: that of a restart.

        None for a rule that always starts cold.
        """
        return next((last for last, _ in self.restarts()), None) if self.averages_twice else None

    def restarts(self) -> Iterator[tuple[int, Restart]]:
        """The restarts of the rule, each with the iteration after which it comes, in order; perhaps without end."""
        return _ALGORITHMS[self.algorithm].restarts(self.parameters)

    def restart_after(self, iteration: int) -> Restart | None:
        """The restart that comes after so many iterations, None for none."""
        last, restart = next((each for each in self.restarts() if each[0] >= iteration), (None, None))
        return restart if last == iteration else None

    def coefficients(self, first_iteration: int, num_iterations: int) -> FloatArray:
        """float64 (num_iterations, NUM_RULE_COLUMNS): a row for every iteration from `first_iteration` (1 or more).

        The column of the bonus, which belongs to the game and not to the rule, is 0.
        """
        t = age = np.arange(first_iteration, first_iteration + num_iterations, dtype=np.float64)
        for last, _ in takewhile(lambda restart: restart[0] < first_iteration + num_iterations, self.restarts()):
            age = np.where(t > last, t - last, age)
        table = np.zeros((num_iterations, NUM_RULE_COLUMNS))
        table[:, POSITIVE_DISCOUNT] = table[:, NEGATIVE_DISCOUNT] = table[:, PREDICTION_DISCOUNT] = 1.0
        table[:, FLOOR] = -math.inf
        table[:, AVERAGING_WEIGHT] = 1.0
        _ALGORITHMS[self.algorithm].fill(table, t, age, self.parameters)
        return table


def update_rule(algorithm: str, **parameters: float | None) -> UpdateRule:
    """The rule of that name; a parameter that is None or missing takes its published default.

    Raises ValueError for an unknown algorithm, a parameter that it does not have, or one that is out of range.

    >>> from tictactoe import update_rule
    >>> update_rule("dcfr", beta=0.5)
    UpdateRule(algorithm='dcfr', parameters={'alpha': 1.5, 'beta': 0.5, 'gamma': 2.0})
    """
    if algorithm not in _ALGORITHMS:
        raise ValueError(f"algorithm: unknown {algorithm!r}; known: {', '.join(ALGORITHMS)}")
    defaults = _ALGORITHMS[algorithm].defaults
    chosen = dict(defaults)
    given = {name: value for name, value in parameters.items() if value is not None}
    for name, value in given.items():
        if name not in defaults:
            raise ValueError(f"{name}: {algorithm} has no such parameter")
        smallest, largest = _LIMITS[name]
        if not smallest <= value <= largest:
            raise ValueError(f"{name}: {value} is not in {smallest:g} to {largest:g}")
        chosen[name] = float(value)
    if chosen.get("first_restart", 0.0) >= chosen.get("second_restart", math.inf):
        raise ValueError(f"first_restart: {chosen['first_restart']:g} is not before second_restart")
    return UpdateRule(algorithm, chosen)


def _discount(t: FloatArray, exponent: float | FloatArray) -> FloatArray:
    """t^exponent / (t^exponent + 1), also where t is 0."""
    with np.errstate(divide="ignore"):
        result: FloatArray = 1.0 / (1.0 + t**-exponent)
    return result


def _fill_cfr(table: FloatArray, t: FloatArray, age: FloatArray, parameters: Mapping[str, float]) -> None:
    """CFR, Zinkevich et al. 2007, "Regret minimization in games with incomplete information", equations 7 and 8.

    R <- R + r; every iteration weighs the same in the average. Departure: updates may alternate.
    """


def _fill_cfr_plus(table: FloatArray, t: FloatArray, age: FloatArray, parameters: Mapping[str, float]) -> None:
    """CFR+, Tammelin 2014, "Solving large imperfect information games using CFR+" (arXiv 1407.5042).

    R <- max(R + r, 0); the average weighs iteration t by t (the paper's delay d is 0).
    """
    table[:, FLOOR] = 0.0
    table[:, AVERAGING_WEIGHT] = t


def _fill_linear_cfr(table: FloatArray, t: FloatArray, age: FloatArray, parameters: Mapping[str, float]) -> None:
    """Linear CFR, Brown & Sandholm 2019, "Solving imperfect-information games via discounted regret minimization"
    (arXiv 1809.04040), section 3.

    R <- R + t * r; the average weighs iteration t by t. Departure: regrets are kept divided by t, as
    R <- R * (t-1)/t + r, which leaves the strategies as they are and the numbers small.
    """
    table[:, POSITIVE_DISCOUNT] = table[:, NEGATIVE_DISCOUNT] = (t - 1) / t
    table[:, AVERAGING_WEIGHT] = t


def _fill_dcfr(table: FloatArray, t: FloatArray, age: FloatArray, parameters: Mapping[str, float]) -> None:
    """Discounted CFR, Brown & Sandholm 2019, "Solving imperfect-information games via discounted regret
    minimization" (arXiv 1809.04040), section 4.

    R <- R * d + r with d = (t-1)^alpha / ((t-1)^alpha + 1) where R > 0 and the same with beta elsewhere. The paper
    multiplies by its factor for iteration t after adding, this code by the same factor before the next adding; the
    strategies are the same. The average weighs iteration t by t^gamma, the paper's repeated (t/(t+1))^gamma.
    """
    table[:, POSITIVE_DISCOUNT] = _discount(t - 1, parameters["alpha"])
    table[:, NEGATIVE_DISCOUNT] = _discount(t - 1, parameters["beta"])
    table[:, AVERAGING_WEIGHT] = t ** parameters["gamma"]


def _fill_restarted_dcfr(table: FloatArray, t: FloatArray, age: FloatArray, parameters: Mapping[str, float]) -> None:
    """Discounted CFR that starts afresh from its average strategy, again and again: our own, found by measurement.

    As dcfr, with two departures. The average is smooth: with t counted from the last restart, iteration t of T weighs
    t^gamma * (T - t) (averages_twice). Current strategies turn around the equilibrium, and an average whose weights
    rise from 0 and fall to 0 makes such turns cancel sooner (for motions of many periods: Das, Saiki, Sander & Yorke
    2017, "Quantitative quasiperiodicity", arXiv 1601.06051). And after first_restart * 2^k iterations the average
    becomes the current strategy (class Restart), as in restarted primal-dual methods (Applegate, Hinder, Lu & Lubin
    2021, "Faster first-order primal-dual methods for linear programming using restarts and sharpness", arXiv
    2105.12715), with regrets in proportion to it (Brown & Sandholm 2016, "Strategy-based warm starting for regret
    minimization in games"). The t of the discounts goes on: at t = 1 they would wipe the regrets. A warm start, from
    what was learnt in a similar game, is such a restart, too. docs/algorithms.md has the measurements; no theorem
    promises that it converges faster.
    """
    _fill_dcfr(table, t, t, parameters)
    table[:, AVERAGING_WEIGHT] = age ** parameters["gamma"]


def _fill_scheduled_dcfr(table: FloatArray, t: FloatArray, age: FloatArray, parameters: Mapping[str, float]) -> None:
    """Discounted CFR with a schedule of hyper-parameters, HS-DCFR(30) of Zhang, McAleer & Sandholm 2024, "Faster game
    solving via hyperparameter schedules" (arXiv 2404.09097).

    As dcfr, with exponents that change with the part p = t/horizon of the planned iterations: alpha = 1 + 3p,
    beta = -1 - 2p, gamma = 30 - 5p. The paper multiplies the sums by ((t-1)/t)^gamma in iteration t; the weights here
    are the products of these factors. Departure: after the horizon the exponents stay as they are at its end.
    """
    horizon = parameters["horizon"]
    part = np.minimum((t - 1) / horizon, 1.0)
    table[:, POSITIVE_DISCOUNT] = _discount(t - 1, 1.0 + 3.0 * part)
    table[:, NEGATIVE_DISCOUNT] = _discount(t - 1, -1.0 - 2.0 * part)
    # The sum of u * ln(u / (u-1)) over u = 2 .. s is s * ln(s) - ln((s-1)!).
    within = np.minimum(t, horizon)
    sums = within * np.log(within) - np.array([math.lgamma(s) for s in within.tolist()])
    table[:, AVERAGING_WEIGHT] = np.exp(30.0 * np.log(t) - 5.0 * (sums / horizon + np.log(t / within)))


def _fill_pcfr_plus(table: FloatArray, t: FloatArray, age: FloatArray, parameters: Mapping[str, float]) -> None:
    """Predictive CFR+, Farina, Kroer & Sandholm 2021, "Faster game solving via predictive Blackwell approachability:
    connecting regret matching and mirror descent" (arXiv 2007.14358).

    R <- max(R + r, 0), then the scores are max(R + r, 0) with the new R: the regret r just seen is the prediction of
    the next one. The average weighs iteration t by t^gamma, the paper's quadratic averaging.
    """
    table[:, FLOOR] = 0.0
    table[:, PREDICTION_WEIGHT] = 1.0
    table[:, AVERAGING_WEIGHT] = t ** parameters["gamma"]


def _fill_pdcfr_plus(table: FloatArray, t: FloatArray, age: FloatArray, parameters: Mapping[str, float]) -> None:
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


def _fill_restarted_pcfr_plus(
    table: FloatArray, t: FloatArray, age: FloatArray, parameters: Mapping[str, float]
) -> None:
    """Predictive CFR+ that starts afresh twice, from its average strategy: our own, found by measurement.

    As pcfr+, with t counted from the last restart (class Restart, which says what it does). After `first_restart`
    iterations regrets shrink, so that moves that are only slightly worse are soon eliminated; after `second_restart`
    they grow, so that strategies move in small steps and converge. Restarting from the average when a primal-dual
    method stalls is from Applegate, Hinder, Lu & Lubin 2021, "Faster first-order primal-dual methods for linear
    programming using restarts and sharpness" (arXiv 2105.12715). docs/algorithms.md has the measurements; no theorem
    promises convergence.
    """
    _fill_pcfr_plus(table, age, age, parameters)


def _fill_es_mccfr(table: FloatArray, t: FloatArray, age: FloatArray, parameters: Mapping[str, float]) -> None:
    """External-sampling Monte Carlo CFR, Lanctot, Waugh, Zinkevich & Bowling 2009, "Monte Carlo sampling for regret
    minimization in extensive games", section 4.

    R <- R + r as in CFR, with r sampled: before a player's sweep both types and, at every decision node of the
    opponent that comes up, one of the opponent's moves are drawn, with the probabilities that they have. All own moves
    are followed. The probability of a draw cancels out with the reach, so that the mean of r over the draws is the r
    of CFR. Every iteration weighs the same in the average. Departures: updates alternate, one of each player to an
    iteration, the second player's drawn from the first one's new strategy; and nothing about the average is sampled:
    own reach waits where no sweep has come, and is passed on later, so that it is that of all iterations.
    """


def _no_restarts(parameters: Mapping[str, float]) -> Iterator[tuple[int, Restart]]:
    return iter(())


def _two_restarts(parameters: Mapping[str, float]) -> Iterator[tuple[int, Restart]]:
    for at, factor in (("first_restart", "shrink"), ("second_restart", "grow")):
        yield int(parameters[at]), Restart(parameters[factor], parameters["blend"])


def _doubling_restarts(parameters: Mapping[str, float]) -> Iterator[tuple[int, Restart]]:
    last = int(parameters["first_restart"])
    while True:
        yield last, Restart(1.0, RESTART_BLEND)
        last *= 2


@dataclass(frozen=True)
class _Algorithm:
    """fill: writes a table of coefficients, given the table, t, and t counted from the last restart."""

    fill: Callable[[FloatArray, FloatArray, FloatArray, Mapping[str, float]], None]
    defaults: Mapping[str, float]
    samples: bool = False
    averages_twice: bool = False
    restarts: Callable[[Mapping[str, float]], Iterator[tuple[int, Restart]]] = _no_restarts


_ALGORITHMS = {
    "cfr": _Algorithm(_fill_cfr, {}),
    "linear-cfr": _Algorithm(_fill_linear_cfr, {}),
    "cfr+": _Algorithm(_fill_cfr_plus, {}),
    "dcfr": _Algorithm(_fill_dcfr, {"alpha": 1.5, "beta": 0.0, "gamma": 2.0}),
    "rdcfr": _Algorithm(
        _fill_restarted_dcfr,
        {"alpha": 1.5, "beta": 0.0, "gamma": 2.0, "first_restart": 100.0},
        averages_twice=True,
        restarts=_doubling_restarts,
    ),
    "hs-dcfr": _Algorithm(_fill_scheduled_dcfr, {"horizon": 1000.0}),
    "pcfr+": _Algorithm(_fill_pcfr_plus, {"gamma": 2.0}),
    "pdcfr+": _Algorithm(_fill_pdcfr_plus, {"alpha": 2.3, "gamma": 5.0}),
    "rpcfr+": _Algorithm(
        _fill_restarted_pcfr_plus,
        {"gamma": 10.0, "first_restart": 300.0, "second_restart": 2300.0, "shrink": 0.03, "grow": 2.0, "blend": 0.2},
        restarts=_two_restarts,
    ),
    "es-mccfr": _Algorithm(_fill_es_mccfr, {}, samples=True),
}

ALGORITHMS = tuple(_ALGORITHMS)
"""The names that `update_rule` knows."""

FULL_WIDTH_ALGORITHMS = tuple(name for name, algorithm in _ALGORITHMS.items() if not algorithm.samples)
"""Those that follow all moves."""
