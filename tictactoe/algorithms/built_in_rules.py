"""The update rules of the library, each with its paper, equation, averaging weight and departures."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from .arrays import FloatArray
from .rule_definition import (
    EXPLORATION,
    Coefficients,
    Fill,
    Parameters,
    Restart,
    Restarts,
    RuleDefinition,
    Sweep,
    no_restarts,
)

LARGEST_EXPONENT = 20.0
"""The largest alpha, beta (of either sign) and gamma, with which weights stay finite for millions of iterations."""

RESTART_BLEND = 1e-5
"""The `blend` of the restarts of rdcfr."""

_LIMITS = {
    "discount_alpha": (0.0, LARGEST_EXPONENT),
    "discount_beta": (-LARGEST_EXPONENT, LARGEST_EXPONENT),
    "discount_gamma": (0.0, LARGEST_EXPONENT),
    "schedule_horizon": (1.0, 1e9),
    "first_restart": (1.0, 1e9),
    "second_restart": (1.0, 1e9),
    "shrink": (1e-6, 1e6),
    "grow": (1e-6, 1e6),
    "blend": (1e-6, 1.0),
    "full_average": (0.0, 1.0),
    "draw_own_type": (0.0, 1.0),
    "share": (0.0, 1.0),
    "exploration": (0.001, 1.0),
}
_SWITCHES = ("full_average", "draw_own_type")


def _discount(t: FloatArray, exponent: float | FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        result: FloatArray = 1.0 / (1.0 + t**-exponent)
    return result


def _fill_cfr(table: Coefficients, parameters: Parameters) -> None:
    """CFR: Zinkevich et al. 2007, "Regret minimization in games with incomplete information", equations 7 and 8.

    R <- R + r. All iterations have the same weight. Departure: updates may alternate.
    """


def _fill_cfr_plus(table: Coefficients, parameters: Parameters) -> None:
    """CFR+: Tammelin 2014 (arXiv 1407.5042).

    R <- max(R + r, 0). Iteration t has the weight t (delay 0).
    """
    table.floor = 0.0
    table.averaging_weight = table.t


def _fill_linear_cfr(table: Coefficients, parameters: Parameters) -> None:
    """Linear CFR: Brown & Sandholm 2019 (arXiv 1809.04040), section 3.

    R <- R + t * r. Iteration t has the weight t. Departure: regrets are stored divided by t, R <- R * (t-1)/t + r.
    """
    table.positive_discount = table.negative_discount = (table.t - 1) / table.t
    table.averaging_weight = table.t


def _fill_dcfr(table: Coefficients, parameters: Parameters) -> None:
    """Discounted CFR: Brown & Sandholm 2019 (arXiv 1809.04040), section 4.

    R <- R * d + r with d = (t-1)^alpha / ((t-1)^alpha + 1) where R > 0, and the same with beta elsewhere. The paper
    applies the same factor right after the last addition. Iteration t has the weight t^gamma, which the paper writes as
    repeated factors (t/(t+1))^gamma.
    """
    table.positive_discount = _discount(table.t - 1, parameters["discount_alpha"])
    table.negative_discount = _discount(table.t - 1, parameters["discount_beta"])
    table.averaging_weight = table.t ** parameters["discount_gamma"]


def _fill_restarted_dcfr(table: Coefficients, parameters: Parameters) -> None:
    """Discounted CFR that restarts from its average strategy: our own, found by measurement (docs/research-notes.md).

    This is dcfr with two departures. Iteration t of T has the weight t^gamma * (T - t), counted from the last restart
    (averages_twice; a smooth window as in Das et al. 2017, arXiv 1601.06051). After first_restart * 2^k iterations, the
    average becomes the current strategy (Applegate et al. 2021, arXiv 2105.12715), with regrets in proportion to it
    (Brown & Sandholm 2016). The t of the discounts keeps counting. No theorem promises faster convergence.
    """
    _fill_dcfr(table, parameters)
    table.averaging_weight = table.age ** parameters["discount_gamma"]


def _fill_scheduled_dcfr(table: Coefficients, parameters: Parameters) -> None:
    """HS-DCFR(30): Zhang, McAleer & Sandholm 2024 (arXiv 2404.09097).

    This is dcfr with exponents that change with the fraction p = t/horizon of the planned iterations: alpha = 1 + 3p,
    beta = -1 - 2p, gamma = 30 - 5p. The weights are products of factors ((t-1)/t)^gamma. Departure: the exponents stay
    constant after the horizon.
    """
    t, horizon = table.t, parameters["schedule_horizon"]
    part = np.minimum((t - 1) / horizon, 1.0)
    table.positive_discount = _discount(t - 1, 1.0 + 3.0 * part)
    table.negative_discount = _discount(t - 1, -1.0 - 2.0 * part)
    # The sum of u * ln(u / (u-1)) over u = 2 .. s is s * ln(s) - ln((s-1)!).
    within = np.minimum(t, horizon)
    sums = within * np.log(within) - np.array([math.lgamma(s) for s in within.tolist()])
    table.averaging_weight = np.exp(30.0 * np.log(t) - 5.0 * (sums / horizon + np.log(t / within)))


def _fill_pcfr_plus(table: Coefficients, parameters: Parameters) -> None:
    """Predictive CFR+: Farina, Kroer & Sandholm 2021 (arXiv 2007.14358).

    R <- max(R + r, 0), then the predicted regrets are max(R + r, 0) with the new R. Iteration t has the weight t^gamma
    (quadratic averaging in the paper). Departure: every information set predicts the r that it has just seen, not one
    computed from the next strategies below it.
    """
    table.floor = 0.0
    table.prediction_weight = 1.0
    table.averaging_weight = table.t ** parameters["discount_gamma"]


def _fill_pdcfr_plus(table: Coefficients, parameters: Parameters) -> None:
    """Predictive discounted CFR+: Xu et al. 2024 (arXiv 2404.13891).

    R <- max(R * d(t-1) + r, 0), then the predicted regrets are max(R * d(t) + r, 0); d(t) = t^alpha / (t^alpha + 1).
    The prediction is the r just seen, as in pcfr+. Iteration t has the weight t^gamma.
    """
    table.positive_discount = _discount(table.t - 1, parameters["discount_alpha"])
    table.floor = 0.0
    table.prediction_discount = _discount(table.t, parameters["discount_alpha"])
    table.prediction_weight = 1.0
    table.averaging_weight = table.t ** parameters["discount_gamma"]


def _fill_dcfr_plus(table: Coefficients, parameters: Parameters) -> None:
    """DCFR+, discounted CFR with the floor of CFR+: Xu et al. 2024 (arXiv 2404.13891).

    R <- max(R * d(t-1) + r, 0) with d(t) = t^alpha / (t^alpha + 1), as in the paper's formula; the paper's code has +
    1.5. Iteration t has the weight t^gamma. The paper's experiments use alpha = 1.5 and gamma = 4.
    """
    table.positive_discount = _discount(table.t - 1, parameters["discount_alpha"])
    table.floor = 0.0
    table.averaging_weight = table.t ** parameters["discount_gamma"]


def _fill_sapcfr_plus(table: Coefficients, parameters: Parameters) -> None:
    """SAPCFR+, simple asymmetric predictive CFR+: Meng, Yang, Zhang, Ge & Gao 2025 (arXiv 2503.12770).

    R <- max(R + r, 0), then the predicted regrets are max(R + share * r, 0) with share = 1 / (1 + alpha); the paper's
    alpha is 2. The prediction is the r just seen, as in pcfr+. Iteration t has the weight t^gamma. With share 1 this is
    pcfr+, with share 0 and gamma 1 cfr+.
    """
    table.floor = 0.0
    table.prediction_weight = parameters["share"]
    table.averaging_weight = table.t ** parameters["discount_gamma"]


def _fill_restarted_pcfr_plus(table: Coefficients, parameters: Parameters) -> None:
    """Predictive CFR+ that restarts twice from its average strategy: our own (docs/research-notes.md).

    This is pcfr+ with t counted from the last restart. After `first_restart` iterations, regrets shrink, which soon
    eliminates slightly worse moves. After `second_restart`, they grow, and strategies converge in small steps. Restarts
    are from Applegate et al. 2021 (arXiv 2105.12715). No theorem promises convergence.
    """
    _fill_pcfr_plus(table, parameters)
    table.averaging_weight = table.age ** parameters["discount_gamma"]


def _fill_es_mccfr(table: Coefficients, parameters: Parameters) -> None:
    """External sampling: Lanctot et al. 2009, "Monte Carlo sampling for regret minimization in extensive games",
    section 4.

    R <- R + r with a sampled r whose mean is the r of CFR. A player's sweep first draws both types, then one move at
    every node of the opponent or of chance that it reaches. It follows all own moves. All iterations have the same
    weight. Departure: updates alternate. sampling.run_sampled_iterations has the formulas.

    full_average = 0: a sweep adds the strategy of the opponent's drawn type, with weight 1, at every node where it has
    drawn a move (OpenSpiel's AverageType.SIMPLE).

    full_average = 1, the default and a departure: the average is not sampled (AverageType.FULL).

    draw_own_type = 0: the sweep works on all own types at once, each with its probability given the opponent's drawn
    type, in the spirit of Johanson et al. 2012 (docs/algorithms.md). r has the same mean and less noise.
    """


def _fill_os_mccfr(table: Coefficients, parameters: Parameters) -> None:
    """Outcome sampling: Lanctot et al. 2009 as in es-mccfr; Lanctot 2013, "Monte Carlo sampling and regret minimization
    for equilibrium computation and decision-making in large extensive form games", chapter 4.

    R <- R + r with r from one history z, whose mean is the r of CFR. A player's sweep draws types, chance and the
    opponent with their true probabilities, and an own move with e / number of moves + (1 - e) * strategy, where e is
    `exploration`. Let s be the product of these own probabilities over all of z. At an own node on the way,

        r = w * (1 - strategy) for the drawn move, -w * strategy for the others,
        w = payoff(z) / s * own probabilities of the strategy behind the node

    The sweep adds the opponent's strategy / s, with the s of the way to the node, to the average. All iterations have
    the same weight. Departure: updates alternate.

    full_average = 1: the average is not sampled, as in es-mccfr.
    """


def _two_restarts(parameters: Parameters) -> Iterator[tuple[int, Restart]]:
    if parameters["first_restart"] >= parameters["second_restart"]:
        raise ValueError(f"first_restart: {parameters['first_restart']:g} is not before second_restart")
    for at, factor in (("first_restart", "shrink"), ("second_restart", "grow")):
        yield int(parameters[at]), Restart(parameters[factor], parameters["blend"])


def _doubling_restarts(parameters: Parameters) -> Iterator[tuple[int, Restart]]:
    last = int(parameters["first_restart"])
    while True:
        yield last, Restart(1.0, RESTART_BLEND)
        last *= 2


def _rule(
    fill: Fill, restarts: Restarts = no_restarts, sweep: Sweep = Sweep.FULL_WIDTH, **defaults: float
) -> RuleDefinition:
    switches = tuple(name for name in defaults if name in _SWITCHES)
    return RuleDefinition(fill, defaults, {name: _LIMITS[name] for name in defaults}, restarts, sweep, switches)


_DCFR_DEFAULTS = {"discount_alpha": 1.5, "discount_beta": 0.0, "discount_gamma": 2.0}
BUILT_IN_RULES = {
    "cfr": _rule(_fill_cfr),
    "linear-cfr": _rule(_fill_linear_cfr),
    "cfr+": _rule(_fill_cfr_plus),
    "dcfr": _rule(_fill_dcfr, no_restarts, Sweep.FULL_WIDTH, **_DCFR_DEFAULTS),
    "rdcfr": _rule(
        _fill_restarted_dcfr, _doubling_restarts, Sweep.AVERAGED_TWICE, **_DCFR_DEFAULTS, first_restart=100.0
    ),
    "hs-dcfr": _rule(_fill_scheduled_dcfr, schedule_horizon=1000.0),
    "pcfr+": _rule(_fill_pcfr_plus, discount_gamma=2.0),
    "pdcfr+": _rule(_fill_pdcfr_plus, discount_alpha=2.3, discount_gamma=5.0),
    "dcfr+": _rule(_fill_dcfr_plus, discount_alpha=1.5, discount_gamma=4.0),
    "sapcfr+": _rule(_fill_sapcfr_plus, share=1 / 3, discount_gamma=2.0),
    "rpcfr+": _rule(
        _fill_restarted_pcfr_plus,
        _two_restarts,
        discount_gamma=10.0,
        first_restart=300.0,
        second_restart=2300.0,
        shrink=0.03,
        grow=2.0,
        blend=0.2,
    ),
    "es-mccfr": _rule(_fill_es_mccfr, sweep=Sweep.SAMPLED, full_average=1.0, draw_own_type=1.0),
    "os-mccfr": _rule(_fill_os_mccfr, sweep=Sweep.OUTCOME, exploration=EXPLORATION, full_average=0.0),
}
"""The rules by the names that commands and files use."""
