"""Every compiled function, and nothing else: arrays in, arrays out.

A row is four float64: one number per private type of the player it is about, and a last lane that is always 0.
Reach, values, regrets and strategies are arrays of rows; `lanes` makes a row one register. The kernels know trees,
owners, leaf classes, payoffs and priors; they do not know the game.

One sweep of one player visits the decision nodes in preorder. On the way down it multiplies the opponent's reach
and adds to the average strategy; on the way up it forms counterfactual values, regrets and the new
strategy. A subtree that the opponent does not reach has values 0 and is skipped. What would have happened in it is
made good later, exactly: the player's own reach waits at its root as `mass`, and the discounts of
the regrets wait in two factors, one for positive regrets and one for negative ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

from .lanes import (
    Lanes,
    Rows,
    any_nonzero,
    broadcast,
    following,
    item,
    load,
    maximum,
    padded,
    splat,
    store,
    where_positive,
)
from .tree import SweepArrays

NUM_TYPES = 3
MAXIMUM_LEAF_CLASSES = 128

# columns of `rules`
POSITIVE_DISCOUNT = 0
NEGATIVE_DISCOUNT = 1
FLOOR = 2
PREDICTION_DISCOUNT = 3
PREDICTION_WEIGHT = 4
AVERAGING_WEIGHT = 5
BONUS_EPSILON = 6
NUM_RULE_COLUMNS = 7

# Scratch arrays have one row per leaf class in front of the rows of the decision nodes, so that
# target + _OFFSET is a row for every child, be it a decision node or a leaf.
_OFFSET = MAXIMUM_LEAF_CLASSES
_SMALLEST_FACTOR = 1e-100
_SMALLEST_SCORE = 1e-300

_Function = TypeVar("_Function", bound=Callable[..., Any])


def _compiled(function: _Function) -> _Function:
    """A kernel that Python calls."""
    return cast(_Function, numba.njit(nogil=True, cache=True, error_model="numpy")(function))


def _inlined(function: _Function) -> _Function:
    """A part of a kernel, copied into it. Without reference counts: they cost ten times what the mathematics does."""
    options = {"nogil": True, "cache": True, "error_model": "numpy", "forceinline": True, "_nrt": False}
    return cast(_Function, numba.njit(**options)(function))


class RoundArrays(NamedTuple):
    """The game of one round, read-only: N nodes, D decision nodes, C leaf classes, 3 private types per player."""

    tree: SweepArrays
    payoffs: NDArray[np.float64]
    """float64 (2, C, 3, 4): payoffs[player, class, h, g], match value times the prior of (g, h), to `player` of type
    g at a leaf of the class when the opponent has type h. Lane 3 is 0."""
    prior: NDArray[np.float64]
    """float64 (2, 3, 4): prior[player, h, g], the joint probability of own type g and opponent's type h."""
    bonus: NDArray[np.float64]
    """float64 (N,): bonus of a leaf to player 0, player 1 gets minus it; times the epsilon of the iteration.
    Length 0: no bonus."""


class SolverState(NamedTuple):
    """What a solver carries from iteration to iteration. Rows of edges: the move INTO a node, by its mover's type."""

    regrets: Rows
    """float64 (N, 4), match value; the root's row is unused here and below."""
    strategy_sums: Rows
    """float64 (N, 4): sum of averaging weight times own reach times strategy."""
    strategy: Rows
    """float64 (N, 4): the current strategy, probabilities."""
    settled: NDArray[np.int8]
    """int8 (2, D): 1 where the strategy in the whole subtree is what the sweep would make of an iteration
    without regret, so that the player's sweep may skip it when it is not reached. Start with 0."""


class Workspace(NamedTuple):
    """Scratch buffers; `mass` is all 0 between calls, the other contents are meaningless."""

    reach: Rows
    value: Rows
    mass: NDArray[np.float64]
    frozen: Rows
    visited: NDArray[np.int32]


def make_workspace(num_nodes: int, num_decision_nodes: int) -> Workspace:
    """Zeroed scratch buffers for a tree of that size. One workspace serves one thread."""
    rows = (num_decision_nodes + _OFFSET, 4)
    return Workspace(
        np.zeros(rows), np.zeros(rows), np.zeros((2, *rows)), np.zeros((num_nodes, 4)),
        np.zeros(num_decision_nodes, np.int32),
    )


class _Side(NamedTuple):
    """One player's view of the game during a sweep."""

    player: int
    payoffs: Rows  # (3 C, 4)
    prior: Rows  # (3, 4)
    bonus: float  # epsilon with the player's sign, 0 if the game has no bonus
    opponent_strategy: Rows  # (N, 4)
    mass: Rows  # (D + _OFFSET, 4)
    settled: NDArray[np.int8]  # (D,)


class _Step(NamedTuple):
    """One iteration's rule. Stored regrets times the unit of their sign are true regrets."""

    positive_scale: Lanes  # stored regret before -> true regret after discounting
    negative_scale: Lanes
    positive_inverse: Lanes  # true regret -> stored regret
    negative_inverse: Lanes
    floor: Lanes
    prediction_discount: Lanes
    prediction_weight: Lanes


@_inlined
def _leaf_value(payoffs: Rows, leaf_class: int, reach: Lanes) -> Lanes:
    """Counterfactual value of a leaf of a class that the opponent's types reach with `reach`."""
    row = NUM_TYPES * leaf_class
    return (
        splat(reach, 0) * load(payoffs, row)
        + splat(reach, 1) * load(payoffs, row + 1)
        + splat(reach, 2) * load(payoffs, row + 2)
    )


@_inlined
def _average(side: _Side, state: SolverState, decision: int, first: int, end: int) -> Lanes:
    """Take the own reach that waits at one of the player's nodes and add it, times the strategy, to the sums."""
    mass = load(side.mass, decision + _OFFSET)
    if any_nonzero(mass):
        store(side.mass, decision + _OFFSET, broadcast(0.0))
        child = first
        while child < end:
            store(state.strategy_sums, child, load(state.strategy_sums, child) + mass * load(state.strategy, child))
            child = following(child)
    return mass


@_inlined
def _descend_own(
    tree: SweepArrays, side: _Side, state: SolverState, work: Workspace, decision: int, reach: Lanes
) -> None:
    """Pass reach and own mass on from one of the player's nodes; add the mass to the strategy sums."""
    child = item(tree.first_child, decision)
    end = item(tree.first_child, decision + 1)
    mass = _average(side, state, decision, child, end)
    while child < end:
        row = item(tree.target, child) + _OFFSET
        if row >= _OFFSET:
            store(side.mass, row, load(side.mass, row) + mass * load(state.strategy, child))
            store(work.reach, row, reach)
        child = following(child)


@_inlined
def _descend(tree: SweepArrays, side: _Side, work: Workspace, decision: int, reach: Lanes) -> None:
    """Pass reach and own mass on from one of the opponent's nodes."""
    mass = load(side.mass, decision + _OFFSET)
    store(side.mass, decision + _OFFSET, broadcast(0.0))
    child = item(tree.first_child, decision)
    end = item(tree.first_child, decision + 1)
    while child < end:
        row = item(tree.target, child) + _OFFSET
        if row >= _OFFSET:
            store(side.mass, row, load(side.mass, row) + mass)
            store(work.reach, row, reach * load(side.opponent_strategy, child))
        child = following(child)


@_inlined
def _update(step: _Step, state: SolverState, child: int, regret: Lanes) -> Lanes:
    """Discount the cumulative regret of a move, add to it, and return the score that the strategy follows."""
    zero = broadcast(0.0)
    cumulative = load(state.regrets, child)
    cumulative = cumulative * where_positive(cumulative, step.positive_scale, step.negative_scale) + regret
    cumulative = maximum(cumulative, step.floor)
    inverse = where_positive(cumulative, step.positive_inverse, step.negative_inverse)
    store(state.regrets, child, cumulative * inverse)
    return maximum(maximum(cumulative, zero) * step.prediction_discount + step.prediction_weight * regret, zero)


@_inlined
def _shares(scores: Lanes, num_moves: int) -> tuple[Lanes, Lanes]:
    """(a, b) such that score * a + b is the strategy, given the sum of the scores of a node's moves."""
    zero = broadcast(0.0)
    test = scores - broadcast(_SMALLEST_SCORE)
    share = padded(1.0) / where_positive(test, scores, broadcast(float(num_moves)))
    return where_positive(test, share, zero), where_positive(test, zero, share)


@_inlined
def _learn_last(
    game: RoundArrays, side: _Side, step: _Step, state: SolverState, work: Workspace, decision: int, reach: Lanes
) -> None:
    """Average, value, regrets and new strategy of one of the player's own nodes that has leaves below only."""
    first = item(game.tree.first_child, decision)
    end = item(game.tree.first_child, decision + 1)
    _average(side, state, decision, first, end)
    if end - first != 2 or side.bonus != 0.0:
        _learn(game, side, step, state, work, decision, reach)
        return
    value = _leaf_value(side.payoffs, -1 - item(game.tree.target, first), reach)
    other = _leaf_value(side.payoffs, -1 - item(game.tree.target, first + 1), reach)
    total = value * load(state.strategy, first) + other * load(state.strategy, first + 1)
    store(work.value, decision + _OFFSET, total)
    score = _update(step, state, first, value - total)
    other_score = _update(step, state, first + 1, other - total)
    inverse, rest = _shares(score + other_score, 2)
    store(state.strategy, first, score * inverse + rest)
    store(state.strategy, first + 1, other_score * inverse + rest)


@_inlined
def _learn(
    game: RoundArrays, side: _Side, step: _Step, state: SolverState, work: Workspace, decision: int, reach: Lanes
) -> None:
    """Value, regrets and new strategy of one of the player's own decision nodes."""
    zero = broadcast(0.0)
    tree, payoffs, value = game.tree, side.payoffs, work.value
    first = item(tree.first_child, decision)
    end = item(tree.first_child, decision + 1)
    # all children share one reach, so that all leaves of a class share one value
    leaf_class = 0
    while leaf_class < game.payoffs.shape[1]:
        store(value, _OFFSET - 1 - leaf_class, _leaf_value(payoffs, leaf_class, reach))
        leaf_class = following(leaf_class)
    chance = broadcast(side.bonus) * _leaf_value(side.prior, 0, reach)
    total = zero
    child = first
    while child < end:
        target = item(tree.target, child)
        move_value = load(value, target + _OFFSET)
        if side.bonus != 0.0 and target < 0:
            move_value = move_value + chance * broadcast(game.bonus[child])
        total = total + load(state.strategy, child) * move_value
        child = following(child)
    store(value, decision + _OFFSET, total)
    scores = zero
    child = first
    while child < end:
        target = item(tree.target, child)
        regret = load(value, target + _OFFSET) - total
        if side.bonus != 0.0 and target < 0:
            regret = regret + chance * broadcast(game.bonus[child])
        score = _update(step, state, child, regret)
        scores = scores + score
        store(state.strategy, child, score)
        child = following(child)
    inverse, rest = _shares(scores, end - first)
    child = first
    while child < end:
        store(state.strategy, child, load(state.strategy, child) * inverse + rest)
        child = following(child)


@_inlined
def _collect(game: RoundArrays, side: _Side, work: Workspace, decision: int, reach: Lanes) -> None:
    """Value of one of the opponent's decision nodes: the sum over its children."""
    tree, value = game.tree, work.value
    total = broadcast(0.0)
    end = item(tree.first_child, decision + 1)
    child = item(tree.first_child, decision)
    while child < end:
        target = item(tree.target, child)
        if target >= 0:
            total = total + load(value, target + _OFFSET)
        else:
            leaf_reach = reach * load(side.opponent_strategy, child)
            total = total + _leaf_value(side.payoffs, -1 - target, leaf_reach)
            if side.bonus != 0.0:
                total = total + broadcast(side.bonus * game.bonus[child]) * _leaf_value(side.prior, 0, leaf_reach)
        child = following(child)
    store(value, decision + _OFFSET, total)


@_inlined
def _sweep(
    game: RoundArrays, side: _Side, step: _Step, state: SolverState, work: Workspace, predicts: bool
) -> int:
    """One player's half of an iteration; modifies the state, reach, value and mass. Returns the visits."""
    tree = game.tree
    num_visited = 0
    num_open = 0
    decision = 0
    while decision < len(tree.owner):
        reach = load(work.reach, decision + _OFFSET)
        reached = any_nonzero(reach)
        subtree_end = item(tree.subtree_end, decision)
        if reached or not side.settled[decision]:
            side.settled[decision] = not (predicts and reached)
            num_visited += 1
            own = item(tree.owner, decision) == side.player
            if subtree_end == decision + 1:
                if own:
                    _learn_last(game, side, step, state, work, decision, reach)
                else:
                    _collect(game, side, work, decision, reach)
            else:
                if own:
                    _descend_own(tree, side, state, work, decision, reach)
                else:
                    _descend(tree, side, work, decision, reach)
                work.visited[num_open] = decision
                num_open += 1
                decision += 1
                continue
        else:
            store(work.value, decision + _OFFSET, broadcast(0.0))
        decision = subtree_end
        # every node whose subtree ends here has the values of all its children
        while num_open > 0:
            above = item(work.visited, num_open - 1)
            if item(tree.subtree_end, above) != decision:
                break
            num_open -= 1
            reach = load(work.reach, above + _OFFSET)
            if item(tree.owner, above) == side.player:
                _learn(game, side, step, state, work, above, reach)
            else:
                _collect(game, side, work, above, reach)
    return num_visited


@_compiled
def _apply_discounts(regrets: Rows, positive: float, negative: float) -> None:
    """Multiply positive regrets by one factor and the others by another, in place."""
    for row in range(len(regrets)):
        regret = load(regrets, row)
        store(regrets, row, regret * where_positive(regret, broadcast(positive), broadcast(negative)))


@_compiled
def _push_mass(tree: SweepArrays, player: int, state: SolverState, mass: Rows) -> None:
    """Add to the strategy sums what waits at the roots of skipped subtrees; `mass` becomes 0."""
    for decision in range(len(tree.owner)):
        waiting = load(mass, decision + _OFFSET)
        if not any_nonzero(waiting):
            continue
        store(mass, decision + _OFFSET, broadcast(0.0))
        own = tree.owner[decision] == player
        end = item(tree.first_child, decision + 1)
        child = item(tree.first_child, decision)
        while child < end:
            share = waiting
            if own:
                share = waiting * load(state.strategy, child)
                store(state.strategy_sums, child, load(state.strategy_sums, child) + share)
            row = item(tree.target, child) + _OFFSET
            if row >= _OFFSET:
                store(mass, row, load(mass, row) + share)
            child = following(child)


@_compiled
def run_iterations(
    game: RoundArrays, rules: NDArray[np.float64], alternate: bool, state: SolverState, work: Workspace
) -> int:
    """Run len(rules) full iterations; modifies `state` and `work`. Returns the visits of decision nodes.

    `rules` is float64 (n, 7), one row per iteration, columns as named above:
        R <- max(R * (positive discount if R > 0 else negative discount) + r, floor), floor -inf or 0
        score = max(max(R, 0) * prediction discount + prediction weight * r, 0)
        strategy = score / sum of scores, uniform where all are 0
        strategy sums += averaging weight * own reach without prior * the strategy that produced r
    Player 0's sweep comes first. With `alternate`, player 1's meets the strategy that it leaves, else the one before.
    Splitting a run into calls changes rounding, and nothing else; the same calls give the same bits.
    """
    num_visited = 0
    positive = 1.0
    negative = 1.0
    has_negative = True
    for iteration in range(len(rules)):
        rule = rules[iteration]
        floor = rule[FLOOR]
        # after such an iteration no regret is negative, but for those that the iteration itself makes
        clears = floor >= 0.0 or rule[NEGATIVE_DISCOUNT] == 0.0
        positive *= rule[POSITIVE_DISCOUNT]
        negative = 1.0 if clears else negative * rule[NEGATIVE_DISCOUNT]
        if (clears and has_negative) or min(positive, negative) < _SMALLEST_FACTOR:
            _apply_discounts(state.regrets, positive, 0.0 if clears else negative)
            positive = 1.0
            negative = 1.0
        if rule[POSITIVE_DISCOUNT] == 0.0:
            state.settled[:] = 0  # where there is no regret left, the strategy becomes uniform
        has_negative = floor < 0.0
        step = _Step(
            broadcast(positive), broadcast(negative), broadcast(1.0 / positive), broadcast(1.0 / negative),
            broadcast(floor), broadcast(rule[PREDICTION_DISCOUNT]), broadcast(rule[PREDICTION_WEIGHT]),
        )
        opponent_strategy = state.strategy
        if not alternate:
            work.frozen[:] = state.strategy
            opponent_strategy = work.frozen
        for player in range(2):
            epsilon = rule[BONUS_EPSILON] if len(game.bonus) > 0 else 0.0
            side = _Side(
                player, game.payoffs[player].reshape(-1, 4), game.prior[player],
                epsilon if player == 0 else -epsilon, opponent_strategy, work.mass[player], state.settled[player],
            )
            store(work.reach, _OFFSET, padded(1.0))
            store(side.mass, _OFFSET, load(side.mass, _OFFSET) + padded(rule[AVERAGING_WEIGHT]))
            num_visited += _sweep(game, side, step, state, work, rule[PREDICTION_WEIGHT] != 0.0)
    for player in range(2):
        _push_mass(game.tree, player, state, work.mass[player])
    _apply_discounts(state.regrets, positive, negative)
    return num_visited


@_compiled
def normalise_sums(tree: SweepArrays, sums: Rows, out: Rows) -> None:
    """Average strategy of float64 (N, 4) strategy sums, into `out` (N, 4); uniform where the sums are 0."""
    zero = broadcast(0.0)
    store(out, 0, padded(1.0))
    for decision in range(len(tree.owner)):
        first = item(tree.first_child, decision)
        end = item(tree.first_child, decision + 1)
        total = zero
        child = first
        while child < end:
            total = total + load(sums, child)
            child = following(child)
        inverse, rest = _shares(total, end - first)
        child = first
        while child < end:
            store(out, child, load(sums, child) * inverse + rest)
            child = following(child)


@_compiled
def best_response(game: RoundArrays, player: int, strategy: Rows, work: Workspace, values: Rows) -> None:
    """The player's best-response counterfactual value at every decision node, into `values`, float64 (D, 4).

    Match value times prior; the opponent plays `strategy`, float64 (N, 4); the bonus is ignored. The values of
    node 0 sum to the value of the round to `player`. Where the opponent does not go they are 0. Modifies `work`.
    """
    tree = game.tree
    payoffs = game.payoffs[player].reshape(-1, 4)
    store(work.reach, _OFFSET, padded(1.0))
    num_visited = 0
    decision = 0
    while decision < len(tree.owner):
        reach = load(work.reach, decision + _OFFSET)
        if not any_nonzero(reach):
            end = item(tree.subtree_end, decision)
            values[decision:end] = 0.0
            decision = end
            continue
        work.visited[num_visited] = decision
        num_visited += 1
        own = tree.owner[decision] == player
        end = item(tree.first_child, decision + 1)
        child = item(tree.first_child, decision)
        while child < end:
            row = item(tree.target, child) + _OFFSET
            if row >= _OFFSET:
                store(work.reach, row, reach if own else reach * load(strategy, child))
            child = following(child)
        decision += 1
    for visit in range(num_visited - 1, -1, -1):
        decision = item(work.visited, visit)
        reach = load(work.reach, decision + _OFFSET)
        own = tree.owner[decision] == player
        best = broadcast(-np.inf)
        total = broadcast(0.0)
        end = item(tree.first_child, decision + 1)
        child = item(tree.first_child, decision)
        while child < end:
            target = item(tree.target, child)
            if target >= 0:
                value = load(values, target)
            else:
                value = _leaf_value(payoffs, -1 - target, reach if own else reach * load(strategy, child))
            best = maximum(best, value)
            total = total + value
            child = following(child)
        store(values, decision, best if own else total)


@_compiled
def leaf_distribution(
    tree: SweepArrays, strategy: Rows, work: Workspace, out: NDArray[np.float64]
) -> None:
    """Chance of every leaf class for every pair of types, without the prior, into `out`, float64 (C, 3, 4).

    out[class, g, h] sums, over the leaves of the class, the first player's own reach with type g times the second
    player's with type h, when both play `strategy`, float64 (N, 4). Modifies `work`.
    """
    out[:] = 0.0
    classes = out.reshape(-1, 4)
    store(work.reach, _OFFSET, padded(1.0))
    store(work.value, _OFFSET, padded(1.0))
    decision = 0
    while decision < len(tree.owner):
        first_reach = load(work.reach, decision + _OFFSET)
        second_reach = load(work.value, decision + _OFFSET)
        if not (any_nonzero(first_reach) and any_nonzero(second_reach)):
            decision = item(tree.subtree_end, decision)
            continue
        first_moves = tree.owner[decision] == 0
        end = item(tree.first_child, decision + 1)
        child = item(tree.first_child, decision)
        while child < end:
            chance = load(strategy, child)
            first = first_reach * chance if first_moves else first_reach
            second = second_reach if first_moves else second_reach * chance
            target = item(tree.target, child)
            if target >= 0:
                store(work.reach, target + _OFFSET, first)
                store(work.value, target + _OFFSET, second)
            else:
                row = NUM_TYPES * (-1 - target)
                for kind in range(NUM_TYPES):
                    store(classes, row + kind, load(classes, row + kind) + splat(first, kind) * second)
            child = following(child)
        decision += 1
