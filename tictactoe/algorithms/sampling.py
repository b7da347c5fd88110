"""Sampling: random numbers in kernels, and iterations of CFR that look at drawn moves alone, as `es-mccfr`.

A draw depends on its key and its number alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import arrays, kernels, rule_definition, simd
from .arrays import CHANCE, GameArrays, Rows, SweepArrays, SweepState, Workspace
from .compiling import compiled_with, inlined
from .kernels import Side, Step, children, push_mass, sweep
from .simd import broadcast, get, item, load, num_types, padded, put, store

_compiled = compiled_with(arrays, kernels, rule_definition, simd)


class Sampling(NamedTuple):
    """How the sums and regrets of a rule are sampled, see `run_sampled_iterations`."""

    full_average: bool
    draw_own_type: bool


@inlined
def mixed(bits: np.uint64) -> np.uint64:
    """A hash of 64 bits: the finaliser of SplitMix64 (Steele, Lea & Flood 2014)."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


@inlined
def draw(key: np.uint64, number: int) -> float:
    """Draw number `number` under a key: a float in 0 to 1, 1 excluded."""
    bits = mixed(key + np.uint64(number + 1) * np.uint64(0x9E3779B97F4A7C15))
    return float(bits >> np.uint64(11)) * 2.0**-53


@_compiled
def draw_types(prior: Rows, key: np.uint64) -> tuple[int, int]:
    """Own and opponent's type, drawn from `prior`, (k,), [opponent's, own], with the key's first draw."""
    total = 0.0
    for row in range(len(prior)):
        for lane in range(num_types(prior)):
            total += get(prior, row, lane)
    left = draw(key, -1) * total
    own, other = 0, 0
    for row in range(len(prior)):
        for lane in range(num_types(prior)):
            if get(prior, row, lane) > 0.0:  # rounding must not end at an impossible pair
                own, other = lane, row
                if left < get(prior, row, lane):
                    return own, other
                left -= get(prior, row, lane)
    return own, other


@_compiled
def draw_moves(
    tree: SweepArrays, player: int, other: int, key: np.uint64, weight: float, state: SweepState, work: Workspace
) -> None:
    """Draw a move of the opponent, who has type `other`, at every node that own moves and drawn moves lead to.

    The draws go into work.frozen: at such a node the rows of all moves become 0, but for a 1 in the lane `other` of the
    drawn move. The strategy of that type there, times `weight`, is added to the strategy sums. A node's draw depends on
    the key and the node alone. Modifies work.open_nodes, too.
    """
    strategy, sampled, num_decisions = state.strategy, work.frozen, len(tree.owner)
    work.open_nodes[0] = 0
    num_open = 1
    while num_open > 0:
        num_open -= 1
        decision = item(work.open_nodes, num_open)
        first, end = children(tree, decision)
        owner = item(tree.owner, decision)
        if owner in (player, CHANCE):
            for child in range(first, end):
                if owner == CHANCE:
                    store(sampled, child, load(strategy, child))
                if item(tree.target, child) < num_decisions:
                    work.open_nodes[num_open] = item(tree.target, child)
                    num_open += 1
            continue
        left = draw(key, decision)
        chosen = -1
        for child in range(first, end):
            store(sampled, child, broadcast(sampled, 0.0))
            chance = get(strategy, child, other)
            if chance > 0.0 and left >= 0.0:
                chosen = child  # the last possible one, if rounding leaves something over
                left -= chance
            if weight != 0.0:
                put(state.strategy_sums, child, other, get(state.strategy_sums, child, other) + weight * chance)
        put(sampled, chosen, other, 1.0)
        if item(tree.target, chosen) < num_decisions:
            work.open_nodes[num_open] = item(tree.target, chosen)
            num_open += 1


@_compiled
def run_sampled_iterations(
    game: GameArrays,
    rules: NDArray[np.float64],
    keys: NDArray[np.uint64],
    sampling: Sampling,
    state: SweepState,
    work: Workspace,
) -> tuple[int, int]:
    """As `run_iterations`, alternating, with sampled sweeps.

    Takes rules without discounts, floor and prediction; ignores the bonus. Chance moves are not sampled: a sweep
    follows all of them.

    keys: uint64 (len(rules), 2), by iteration and player. The draws of a sweep depend on its key alone.
    sampling: how sums and regrets are sampled, as follows.

    A sweep draws own type g and opponent's type h with their joint prior p(g, h). Then it works like a sweep
    of `run_iterations` against the opponent's drawn moves, in the game in which h is certain, and with `draw_own_type`
    g, too. Let u(g) be the value of a move - the value of its node, of type g against h and the drawn moves, without
    any prior; 0 where these moves do not lead. The sweep adds

        draw_own_type    r(g) = u(g) for the drawn g, 0 for the others
        otherwise        r(g) = p(g, h) / q(h) * u(g) for every g, where q(h) = sum over g of p(g, h)

    Both have the r of CFR, sum over h of p(g, h) * mean of u(g), as their mean: the pair comes up with p(g, h), the
    type h with q(h). The second is the mean of the first when h and the moves are known. Own types that cannot meet h,
    whose p is 0, learn nothing in either.

    With `full_average` own reach of all types waits at the root in every sweep, as in `run_iterations`. Otherwise a
    sweep adds to the opponent's sums alone: weight * strategy of type h, at the nodes that came up. A node comes up
    with probability q(h) * own reach of the opponent's type h, so that the mean addition is q(h) * weight * own reach *
    strategy. q(h) is the same in all iterations, and cancels out when the sums of a type are normalised. No reach waits
    then.

    Modifies `state` and `work`. Returns the visits of decision nodes, and the visits of histories: every visit counted
    once for each own type that the sweep works on, 1 with `draw_own_type`, else the number of types that can meet h.
    """
    full_average, draw_own_type = sampling
    num_visited = 0
    num_histories = 0
    one = broadcast(state.regrets, 1.0)
    step = Step(one, one, one, one, broadcast(state.regrets, -np.inf), one, broadcast(state.regrets, 0.0))
    count = num_types(state.regrets)
    num_classes = game.payoffs.shape[1]
    payoffs = np.zeros_like(game.payoffs[0].reshape(-1))
    for iteration in range(len(rules)):
        for player in range(2):
            key = keys[iteration, player]
            weight = rules[iteration, rule_definition.AVERAGING_WEIGHT]
            prior = game.prior[player]
            own, other = draw_types(prior, key)
            draw_moves(game.tree, player, other, key, 0.0 if full_average else weight, state, work)
            first, end, chance, num_own = own, own + 1, get(prior, other, own), 1
            if not draw_own_type:
                first, end, chance, num_own = 0, count, 0.0, 0
                for lane in range(count):
                    chance += get(prior, other, lane)
                    num_own += get(prior, other, lane) != 0.0
            full = game.payoffs[player].reshape(-1)
            for leaf_class in range(num_classes):
                row = count * leaf_class + other
                for lane in range(first, end):
                    put(payoffs, row, lane, get(full, row, lane) / chance)
            side = Side(player, payoffs, prior, 0.0, work.frozen, work.mass[player], state.skippable[player])
            store(work.reach, 0, broadcast(work.reach, 0.0))
            put(work.reach, 0, other, 1.0)
            if full_average:
                store(side.mass, 0, load(side.mass, 0) + padded(side.mass, weight))
            visited = sweep(game, side, step, state, work, False)
            num_visited += visited
            num_histories += visited * num_own
            for leaf_class in range(num_classes):
                store(payoffs, count * leaf_class + other, broadcast(payoffs, 0.0))
    if full_average:
        for player in range(2):
            push_mass(game.tree, player, state, work.mass[player])
    return num_visited, num_histories
