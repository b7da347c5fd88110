"""The compiled functions of CFR and best responses, from arrays to arrays.

Reach, values, regrets and strategies are arrays of rows (arrays.py). A public chance move is treated like an opponent's
move with weight 1, because payoffs include its probability. A sweep skips subtrees that the opponent does not reach and
postpones their work: the player's own reach waits as `mass`, and discounts wait in two factors, one for positive
regrets and one for the others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import arrays, rule_definition, simd
from .arrays import CHANCE, GameArrays, Rows, SweepArrays, SweepState, Workspace
from .compiling import compiled_with, inlined
from .simd import (
    Lanes,
    any_nonzero,
    broadcast,
    following,
    get,
    item,
    load,
    maximum,
    merged,
    num_types,
    padded,
    put,
    splat,
    store,
    weighted_sum,
    where_positive,
)

_compiled = compiled_with(arrays, rule_definition, simd)

_FEW_CLASSES = 4  # up to so many leaf classes are evaluated at once, for all leaves of a node
_SMALLEST_FACTOR = 1e-100  # a smaller discount no longer waits, but is multiplied into the regrets


class Side(NamedTuple):
    """One player's view of the game during a sweep."""

    player: int
    payoffs: Rows  # (C k,)
    prior: Rows  # (k,)
    bonus: float  # epsilon with the player's sign, 0 if the game has no bonus
    opponent_strategy: Rows  # (N,)
    mass: Rows  # (D + C,)
    skippable: NDArray[np.int8]  # (D,)


class Step(NamedTuple):
    """The rule of one iteration. The true regret is the stored regret times the factor of its sign."""

    positive_scale: Lanes  # stored regret before -> true regret after discounting
    negative_scale: Lanes
    positive_inverse: Lanes  # true regret -> stored regret
    negative_inverse: Lanes
    floor: Lanes
    prediction_discount: Lanes
    prediction_weight: Lanes


@inlined
def children(tree: SweepArrays, decision: int) -> tuple[int, int]:
    """The first child of a decision node, and the node after its last."""
    return item(tree.first_child, decision), item(tree.first_child, decision + 1)


@inlined
def _leaf_value(payoffs: Rows, leaf_class: int, reach: Lanes) -> Lanes:
    return weighted_sum(payoffs, num_types(payoffs) * leaf_class, reach)


@inlined
def _shared_regret(tree: SweepArrays, decision: int, regret: Lanes) -> Lanes:
    return merged(tree.partitions, tree.group, decision, regret)


@inlined
def _average(side: Side, state: SweepState, decision: int, first: int, end: int) -> Lanes:
    """Add the waiting own reach, times the strategy, to the strategy sums. Returns that reach."""
    mass = load(side.mass, decision)
    if any_nonzero(mass):
        store(side.mass, decision, broadcast(side.mass, 0.0))
        child = first
        while child < end:
            store(state.strategy_sums, child, load(state.strategy_sums, child) + mass * load(state.strategy, child))
            child = following(child)
    return mass


@inlined
def _descend_own(
    tree: SweepArrays, side: Side, state: SweepState, work: Workspace, decision: int, reach: Lanes
) -> None:
    child, end = children(tree, decision)
    mass = _average(side, state, decision, child, end)
    while child < end:
        row = item(tree.target, child)
        if row < len(tree.owner):
            store(side.mass, row, load(side.mass, row) + mass * load(state.strategy, child))
            store(work.reach, row, reach)
        child = following(child)


@inlined
def _descend(tree: SweepArrays, side: Side, work: Workspace, decision: int, reach: Lanes) -> None:
    mass = load(side.mass, decision)
    store(side.mass, decision, broadcast(side.mass, 0.0))
    child, end = children(tree, decision)
    while child < end:
        row = item(tree.target, child)
        if row < len(tree.owner):
            store(side.mass, row, load(side.mass, row) + mass)
            store(work.reach, row, reach * load(side.opponent_strategy, child))
        child = following(child)


@inlined
def _update(step: Step, state: SweepState, child: int, regret: Lanes) -> Lanes:
    """Discount the cumulative regret of a move and add `regret`. Returns the predicted regret."""
    zero = broadcast(state.regrets, 0.0)
    cumulative = load(state.regrets, child)
    cumulative = cumulative * where_positive(cumulative, step.positive_scale, step.negative_scale) + regret
    cumulative = maximum(cumulative, step.floor)
    inverse = where_positive(cumulative, step.positive_inverse, step.negative_inverse)
    store(state.regrets, child, cumulative * inverse)
    return maximum(maximum(cumulative, zero) * step.prediction_discount + step.prediction_weight * regret, zero)


@inlined
def _share(rows: Rows, predicted: Lanes, total: Lanes, num_moves: int) -> Lanes:
    count = broadcast(rows, float(num_moves))
    return where_positive(total, predicted, padded(rows, 1.0)) / where_positive(total, total, count)


@inlined
def _learn_last(game: GameArrays, side: Side, step: Step, state: SweepState, work: Workspace, decision: int) -> None:
    first, end = children(game.tree, decision)
    _average(side, state, decision, first, end)
    if end - first != 2 or side.bonus != 0.0:  # two leaves, the commonest case, are a tenth faster without loops
        _learn(game, side, step, state, work, decision)
        return
    tree, num_decisions = game.tree, len(game.tree.owner)
    reach = load(work.reach, decision)
    value = _leaf_value(side.payoffs, item(tree.target, first) - num_decisions, reach)
    other = _leaf_value(side.payoffs, item(tree.target, first + 1) - num_decisions, reach)
    total = value * load(state.strategy, first) + other * load(state.strategy, first + 1)
    store(work.value, decision, total)
    predicted = _update(step, state, first, _shared_regret(tree, decision, value - total))
    other_predicted = _update(step, state, first + 1, _shared_regret(tree, decision, other - total))
    predictions = predicted + other_predicted
    store(state.strategy, first, _share(state.strategy, predicted, predictions, 2))
    store(state.strategy, first + 1, _share(state.strategy, other_predicted, predictions, 2))


@inlined
def _learn(game: GameArrays, side: Side, step: Step, state: SweepState, work: Workspace, decision: int) -> None:
    tree, payoffs, value = game.tree, side.payoffs, work.value
    num_decisions = len(tree.owner)
    zero = broadcast(value, 0.0)
    first, end = children(tree, decision)
    reach = load(work.reach, decision)
    # every child has the same reach, so every leaf of a class has the same value
    if len(value) - num_decisions <= _FEW_CLASSES:
        target = num_decisions
        while target < len(value):
            store(value, target, _leaf_value(payoffs, target - num_decisions, reach))
            target = following(target)
    else:
        child = first
        while child < end:
            target = item(tree.target, child)
            if target >= num_decisions:
                store(value, target, _leaf_value(payoffs, target - num_decisions, reach))
            child = following(child)
    chance = broadcast(value, side.bonus) * _leaf_value(side.prior, 0, reach)
    total = zero
    child = first
    while child < end:
        target = item(tree.target, child)
        move_value = load(value, target)
        if side.bonus != 0.0 and target >= num_decisions:
            move_value = move_value + chance * broadcast(value, game.bonus[child])
        total = total + load(state.strategy, child) * move_value
        child = following(child)
    store(value, decision, total)
    predictions = zero
    child = first
    while child < end:
        target = item(tree.target, child)
        move_value = load(value, target)
        if side.bonus != 0.0 and target >= num_decisions:
            move_value = move_value + chance * broadcast(value, game.bonus[child])
        predicted = _update(step, state, child, _shared_regret(tree, decision, move_value - total))
        predictions = predictions + predicted
        store(state.strategy, child, predicted)
        child = following(child)
    child = first
    while child < end:
        store(state.strategy, child, _share(value, load(state.strategy, child), predictions, end - first))
        child = following(child)


@inlined
def _collect(game: GameArrays, side: Side, work: Workspace, decision: int, reach: Lanes) -> None:
    tree, value = game.tree, work.value
    num_decisions = len(tree.owner)
    total = broadcast(value, 0.0)
    child, end = children(tree, decision)
    while child < end:
        target = item(tree.target, child)
        if target < num_decisions:
            total = total + load(value, target)
        else:
            leaf_reach = reach * load(side.opponent_strategy, child)
            total = total + _leaf_value(side.payoffs, target - num_decisions, leaf_reach)
            if side.bonus != 0.0:
                bonus = broadcast(value, side.bonus * game.bonus[child])
                total = total + bonus * _leaf_value(side.prior, 0, leaf_reach)
        child = following(child)
    store(value, decision, total)


@inlined
def sweep(game: GameArrays, side: Side, step: Step, state: SweepState, work: Workspace, predicts: bool) -> int:
    """Run one player's half of an iteration. Modifies the state, reach, value and mass. Returns the number of
    visits."""
    tree = game.tree
    num_visited = 0
    num_open = 0
    decision = int(np.int64(0))  # numba gives a literal its own type and would compile every part again for it
    while decision < len(tree.owner):
        reach = load(work.reach, decision)
        reached = any_nonzero(reach)
        subtree_end = item(tree.subtree_end, decision)
        if reached or not side.skippable[decision]:
            # an iteration with regret 0 does not change the strategy, unless the strategy follows a prediction
            side.skippable[decision] = not (predicts and reached)
            num_visited += 1
            own = item(tree.owner, decision) == side.player
            if subtree_end == decision + 1:
                if own:
                    _learn_last(game, side, step, state, work, decision)
                else:
                    _collect(game, side, work, decision, reach)
            else:
                if own:
                    _descend_own(tree, side, state, work, decision, reach)
                else:
                    _descend(tree, side, work, decision, reach)
                work.open_nodes[num_open] = decision
                num_open += 1
                decision += 1
                continue
        else:
            store(work.value, decision, broadcast(work.value, 0.0))
        decision = subtree_end
        # every node whose subtree ends here has the values of all its children
        while num_open > 0:
            above = item(work.open_nodes, num_open - 1)
            if item(tree.subtree_end, above) != decision:
                break
            num_open -= 1
            if item(tree.owner, above) == side.player:
                _learn(game, side, step, state, work, above)
            else:
                _collect(game, side, work, above, load(work.reach, above))
    return num_visited


@inlined
def _step(rows: Rows, positive: float, negative: float, rule: NDArray[np.float64]) -> Step:
    return Step(
        broadcast(rows, positive),
        broadcast(rows, negative),
        broadcast(rows, 1.0 / positive),
        broadcast(rows, 1.0 / negative),
        broadcast(rows, rule[rule_definition.FLOOR]),
        broadcast(rows, rule[rule_definition.PREDICTION_DISCOUNT]),
        broadcast(rows, rule[rule_definition.PREDICTION_WEIGHT]),
    )


@_compiled
def _apply_discounts(regrets: Rows, positive: float, negative: float) -> None:
    for row in range(len(regrets)):
        regret = load(regrets, row)
        factor = where_positive(regret, broadcast(regrets, positive), broadcast(regrets, negative))
        store(regrets, row, regret * factor)


@_compiled
def push_mass(tree: SweepArrays, player: int, state: SweepState, mass: Rows) -> None:
    """Add the waiting own reach to the strategy sums. `mass` becomes 0."""
    for decision in range(len(tree.owner)):
        waiting = load(mass, decision)
        if not any_nonzero(waiting):
            continue
        store(mass, decision, broadcast(mass, 0.0))
        own = tree.owner[decision] == player
        child, end = children(tree, decision)
        while child < end:
            share = waiting
            if own:
                share = waiting * load(state.strategy, child)
                store(state.strategy_sums, child, load(state.strategy_sums, child) + share)
            row = item(tree.target, child)
            if row < len(tree.owner):
                store(mass, row, load(mass, row) + share)
            child = following(child)


@_compiled
def run_iterations(
    game: GameArrays, rules: NDArray[np.float64], alternate: bool, state: SweepState, work: Workspace
) -> int:
    """Run len(rules) iterations, player 0's sweep first. Modifies `state` and `work`. Returns the number of visits of
    decision nodes.

    rules: float64 (n, 7), a row per iteration, with the columns of rule_definition.py.
    alternate: whether player 1's sweep uses player 0's new strategy.
    """
    num_visited = 0
    # At the end of every iteration a true regret is the stored one times `positive` if it is above 0, else `negative`.
    positive = 1.0
    negative = 1.0
    may_be_negative = True  # whether a stored regret may be below 0
    for iteration in range(len(rules)):
        rule = rules[iteration]
        forgets = rule[rule_definition.NEGATIVE_DISCOUNT] == 0.0
        positive *= rule[rule_definition.POSITIVE_DISCOUNT]
        negative = negative * rule[rule_definition.NEGATIVE_DISCOUNT] if may_be_negative and not forgets else 1.0
        if (forgets and may_be_negative) or min(positive, negative) < _SMALLEST_FACTOR:
            _apply_discounts(state.regrets, positive, 0.0 if forgets else negative)
            if positive < _SMALLEST_FACTOR:
                state.skippable[:] = 0  # regrets may become 0 and their strategy uniform
            positive = 1.0
            negative = 1.0
        step = _step(state.regrets, positive, negative, rule)
        opponent_strategy = state.strategy
        if not alternate:
            for row in range(len(state.strategy)):
                store(work.frozen, row, load(state.strategy, row))
            opponent_strategy = work.frozen
        for player in range(2):
            epsilon = rule[rule_definition.BONUS_EPSILON] if len(game.bonus) > 0 else 0.0
            side = Side(
                player,
                game.payoffs[player].reshape(-1),
                game.prior[player],
                epsilon if player == 0 else -epsilon,
                opponent_strategy,
                work.mass[player],
                state.skippable[player],
            )
            store(work.reach, 0, padded(work.reach, 1.0))
            weight = padded(side.mass, rule[rule_definition.AVERAGING_WEIGHT])
            store(side.mass, 0, load(side.mass, 0) + weight)
            num_visited += sweep(game, side, step, state, work, rule[rule_definition.PREDICTION_WEIGHT] != 0.0)
        if rule[rule_definition.FLOOR] >= 0.0 and may_be_negative:
            _apply_discounts(state.regrets, 1.0, 0.0)  # the floor at nodes that no sweep has visited
            negative = 1.0
        may_be_negative = rule[rule_definition.FLOOR] < 0.0
    for player in range(2):
        push_mass(game.tree, player, state, work.mass[player])
    _apply_discounts(state.regrets, positive, negative)
    return num_visited


@_compiled
def run_stretches(
    game: GameArrays, rules: NDArray[np.float64], length: int, alternate: bool, state: SweepState, work: Workspace
) -> int:
    """Call `run_iterations` with `length` rows of `rules` at a time."""
    num_visited = 0
    for start in range(0, len(rules), length):
        num_visited += run_iterations(game, rules[start : start + length], alternate, state, work)
    return num_visited


@_compiled
def normalise_sums(tree: SweepArrays, sums: Rows, out: Rows) -> None:
    """Write the average strategy of the sums, (N,), into `out`, (N,): uniform where the sums are 0, 1 for chance
    moves."""
    zero = broadcast(sums, 0.0)
    store(out, 0, padded(out, 1.0))
    for decision in range(len(tree.owner)):
        first, end = children(tree, decision)
        total = zero
        child = first
        while child < end:
            total = total + _shared_regret(tree, decision, load(sums, child))
            child = following(child)
        child = first
        while child < end:
            share = _share(out, _shared_regret(tree, decision, load(sums, child)), total, end - first)
            store(out, child, padded(out, 1.0) if item(tree.owner, decision) == CHANCE else share)
            child = following(child)


@inlined
def _mark_first_largest(out: Rows, first: int, end: int) -> None:
    for own_type in range(num_types(out)):
        best = first
        for child in range(first + 1, end):
            if get(out, child, own_type) > get(out, best, own_type):
                best = child
        for child in range(first, end):
            put(out, child, own_type, 1.0 if child == best else 0.0)


@_compiled
def best_response(game: GameArrays, player: int, strategy: Rows, work: Workspace, values: Rows, out: Rows) -> None:
    """Write counterfactual values of `player`'s best response to `strategy`, (N,), into `values`, (D,), and its moves
    into `out`.

    Nodes that the opponent does not reach have value 0. The values of node 0 sum to the best response value. Modifies
    `work`.

    out: (N,), or of length 0 for no moves. The player's rows become 1 for the best move (the first of equals) and 0
        elsewhere; the other rows become those of `strategy`.
    """
    tree = game.tree
    num_decisions = len(tree.owner)
    payoffs = game.payoffs[player].reshape(-1)
    if len(out) > 0:
        store(out, 0, padded(out, 1.0))
        for decision in range(num_decisions):
            child, end = children(tree, decision)
            move = padded(out, 1.0)  # where the opponent does not come, all moves are equal
            while child < end:
                store(out, child, move if tree.owner[decision] == player else load(strategy, child))
                move = broadcast(out, 0.0)
                child = following(child)
    store(work.reach, 0, padded(work.reach, 1.0))
    num_visited = 0
    decision = int(np.int64(0))  # numba gives a literal its own type and would compile every part again for it
    while decision < num_decisions:
        reach = load(work.reach, decision)
        if not any_nonzero(reach):
            end = item(tree.subtree_end, decision)
            while decision < end:
                store(values, decision, broadcast(values, 0.0))
                decision += 1
            continue
        work.open_nodes[num_visited] = decision
        num_visited += 1
        own = tree.owner[decision] == player
        child, end = children(tree, decision)
        while child < end:
            row = item(tree.target, child)
            if row < num_decisions:
                store(work.reach, row, reach if own else reach * load(strategy, child))
            child = following(child)
        decision += 1
    for visit in range(num_visited - 1, -1, -1):
        decision = item(work.open_nodes, visit)
        reach = load(work.reach, decision)
        own = tree.owner[decision] == player
        marks = own and len(out) > 0
        best = broadcast(values, -np.inf)
        highest = best
        total = broadcast(values, 0.0)
        first, end = children(tree, decision)
        child = first
        while child < end:
            target = item(tree.target, child)
            if target < num_decisions:
                value = load(values, target)
            else:
                value = _leaf_value(payoffs, target - num_decisions, reach if own else reach * load(strategy, child))
            together = _shared_regret(tree, decision, value)
            if marks:
                store(out, child, together)
            best = where_positive(highest - together, best, value)
            highest = maximum(highest, together)
            total = total + value
            child = following(child)
        store(values, decision, best if own else total)
        if marks:
            _mark_first_largest(out, first, end)


@_compiled
def leaf_distribution(tree: SweepArrays, strategy: Rows, work: Workspace, out: Rows) -> None:
    """Write the probability of every leaf class for every pair of types, without the prior, into `out`, (C * k,).
    Modifies `work`.

    out[class * k + g] sums player 0's own reach with type g times player 1's own reach, by player 1's types, over the
    leaves of the class.
    """
    num_decisions = len(tree.owner)
    for row in range(len(out)):
        store(out, row, broadcast(out, 0.0))
    store(work.reach, 0, padded(work.reach, 1.0))
    store(work.value, 0, padded(work.value, 1.0))
    decision = int(np.int64(0))  # numba gives a literal its own type and would compile every part again for it
    while decision < num_decisions:
        first_reach = load(work.reach, decision)
        second_reach = load(work.value, decision)
        if not (any_nonzero(first_reach) and any_nonzero(second_reach)):
            decision = item(tree.subtree_end, decision)
            continue
        owner = tree.owner[decision]
        child, end = children(tree, decision)
        while child < end:
            chance = load(strategy, child)
            first = first_reach * chance if owner == 0 else first_reach
            second = second_reach * chance if owner == 1 else second_reach
            target = item(tree.target, child)
            if target < num_decisions:
                store(work.reach, target, first)
                store(work.value, target, second)
            else:
                row = num_types(out) * (target - num_decisions)
                for own_type in range(num_types(out)):
                    store(out, row, load(out, row) + splat(first, own_type) * second)
                    row += 1
            child = following(child)
        decision += 1
