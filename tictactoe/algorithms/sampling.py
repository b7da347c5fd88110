"""Sampling: random numbers in kernels, and iterations of CFR that follow only drawn moves (`es-mccfr`, `os-mccfr`).

A draw depends only on its key and its number.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import arrays, rule_definition, simd
from .arrays import CHANCE, FloatArray, Links, Rows, SampledArrays, pieces
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
    num_types,
    put,
    store,
    where_positive,
)

_compiled = compiled_with(arrays, rule_definition, simd)


class Sampling(NamedTuple):
    """The way that sums and regrets are sampled; see `run_sampled_iterations`."""

    full_average: bool
    draw_own_type: bool
    exploration: float = -1.0
    """The part of own draws that is spread evenly over the moves; negative if all own moves are followed."""


class SampledState(NamedTuple):
    """The state of a solver, as `SweepState`: (N * P,), `pieces` of float64 (N, L)."""

    regrets: Rows
    strategy_sums: Rows
    strategy: Rows


class _Round(NamedTuple):
    """The draws before a sweep, which works on the own types first to end - 1."""

    player: int
    own: int
    other: int
    first: int
    end: int
    chance: float  # of these own types and the opponent's type
    pieces: int  # P, the pieces of a row


class Scratch(NamedTuple):
    """Buffers of a sweep. The decision nodes that it reaches have places from 0 on."""

    opened: NDArray[np.int64]  # by place: the decision node; parents come before children, siblings together
    below: NDArray[np.int64]  # by place: the place of the first child that the sweep reaches
    drawn: NDArray[np.int64]  # by place: the child that was drawn
    factor: FloatArray  # by place: 1 / the probability of the draws of chance and of the player, this node's too
    own_factor: FloatArray  # by place: 1 / the probability of the draws of the player alone
    value: Rows  # (D * P,), by place
    moves: Rows  # (moves * P,): values of the moves of one node
    learns: Rows  # (2 * P,): 1 for the own types that the sweep works on, and then for all types, 0 in other lanes
    weights: FloatArray  # (moves,): the weights of draws among the moves of one node


@inlined
def mixed(bits: np.uint64) -> np.uint64:
    """A hash of 64 bits: the finaliser of SplitMix64 (Steele, Lea & Flood 2014)."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


@inlined
def draw(key: np.uint64, number: int) -> float:
    """Draw number `number` under a key: a float from 0 to 1, with 1 excluded."""
    bits = mixed(key + np.uint64(number + 1) * np.uint64(0x9E3779B97F4A7C15))
    return float(bits >> np.uint64(11)) * 2.0**-53


@inlined
def draw_types(prior: FloatArray, met: FloatArray, key: np.uint64) -> tuple[int, int]:
    """The own and the opponent's type, drawn from `prior`, (k, L), [opponent's, own]. met: (k,), the sums of its
    rows."""
    left = draw(key, -1) * met.sum()
    own, other = 0, 0
    for row in range(len(met)):
        if met[row] > 0.0:  # rounding must not end at an impossible pair
            other = row
            if left < met[row]:
                break
            left -= met[row]
    for lane in range(len(met)):
        if prior[other, lane] > 0.0:
            own = lane
            if left < prior[other, lane]:
                break
            left -= prior[other, lane]
    return own, other


@_compiled
def _draw_round(game: SampledArrays, player: int, sampling: Sampling, key: np.uint64) -> _Round:
    prior, met = game.prior[player], game.met[player]
    own, other = draw_types(prior, met, key)
    count = prior.shape[1] // num_types(game.payoffs)
    if sampling.draw_own_type:
        return _Round(player, own, other, own, own + 1, prior[other, own], count)
    return _Round(player, own, other, 0, len(met), met[other], count)


@inlined
def _pick(weights: FloatArray, count: int, total: float, key: np.uint64, number: int) -> int:
    left = draw(key, number) * total
    chosen = -1
    for place in range(count):
        if weights[place] > 0.0:
            chosen = place  # the last possible one, if rounding leaves a remainder
            if left < weights[place]:
                break
            left -= weights[place]
    return chosen


@inlined
def _reached(game: SampledArrays, now: _Round, node: int) -> float:
    total = 0.0
    for own in range(now.first, now.end):
        first, second = (own, now.other) if now.player == 0 else (now.other, own)
        total += game.prior[now.player, now.other, own] * game.tables[game.table_of[node], first, second]
    return total


@inlined
def _number(rows: Rows, pieces: int, row: int, lane: int) -> float:
    return get(rows, row * pieces + lane // num_types(rows), lane % num_types(rows))


@inlined
def _pass_on(sets: Links, now: _Round, decision: int, state: SampledState, mass: Rows) -> None:
    own, count = sets.owner[decision] == now.player, now.pieces
    first, end = item(sets.first_child, decision), item(sets.first_child, decision + 1)
    for piece in range(count):
        reach = load(mass, decision * count + piece)
        if not any_nonzero(reach):
            continue
        store(mass, decision * count + piece, broadcast(mass, 0.0))
        child = first
        while own and child < end:  # in one loop, the compiler would share the product and fuse it with neither sum
            row = child * count + piece
            store(state.strategy_sums, row, load(state.strategy_sums, row) + reach * load(state.strategy, row))
            child = following(child)
        child = first
        while child < end:
            row = item(sets.target, child) * count + piece
            if row < len(sets.owner) * count:
                share = load(state.strategy, child * count + piece) if own else broadcast(mass, 1.0)
                store(mass, row, load(mass, row) + reach * share)
            child = following(child)


@inlined
def _flush(sets: Links, player: int, count: int, state: SampledState, mass: Rows) -> None:
    for decision in range(len(sets.owner)):
        for piece in range(count):
            share = reach = load(mass, decision * count + piece)
            if not any_nonzero(reach):
                continue
            store(mass, decision * count + piece, broadcast(mass, 0.0))
            own = sets.owner[decision] == player
            child, end = item(sets.first_child, decision), item(sets.first_child, decision + 1)
            while child < end:
                row = child * count + piece
                if own:
                    share = reach * load(state.strategy, row)
                    store(state.strategy_sums, row, load(state.strategy_sums, row) + share)
                row = item(sets.target, child) * count + piece
                if row < len(sets.owner) * count:
                    store(mass, row, load(mass, row) + share)
                child = following(child)


@inlined
def _draw_child(
    game: SampledArrays,
    now: _Round,
    sampling: Sampling,
    key: np.uint64,
    decision: int,
    strategy: Rows,
    weights: FloatArray,
) -> tuple[int, float]:
    first, end = game.histories.first_child[decision], game.histories.first_child[decision + 1]
    owner, total = game.histories.owner[decision], 1.0
    for child in range(first, end):
        if owner != CHANCE:
            own = owner == now.player
            weights[child - first] = _number(strategy, now.pieces, game.row[child], now.own if own else now.other)
            if own:
                kept = (1.0 - sampling.exploration) * weights[child - first]
                weights[child - first] = kept + sampling.exploration / (end - first)
        elif len(game.table_of) > 0:
            weights[child - first] = _reached(game, now, child)
            total = weights[child - first] + (total if child > first else 0.0)
        else:
            weights[child - first] = 1.0 / (end - first)
    number = game.set_of[decision] if game.set_of[decision] >= 0 else len(game.sets.owner) + decision
    place = _pick(weights, end - first, total, key, number)
    return first + place, weights[place] / total


@inlined
def _match(game: SampledArrays, state: SampledState, decision: int, count: int, piece: int, learns: Lanes) -> None:
    zero = broadcast(state.regrets, 0.0)
    first, end, total = item(game.histories.first_child, decision), item(game.histories.first_child, decision + 1), zero
    child = first
    while child < end:
        total = total + maximum(load(state.regrets, item(game.row, child) * count + piece), zero)
        child = following(child)
    child, divisor = first, where_positive(total, total, broadcast(state.regrets, float(end - first)))
    while child < end:
        row = item(game.row, child) * count + piece
        positive = where_positive(total, maximum(load(state.regrets, row), zero), broadcast(state.regrets, 1.0))
        store(state.strategy, row, where_positive(learns, positive / divisor, load(state.strategy, row)))
        child = following(child)


@inlined
def _worth(game: SampledArrays, now: _Round, leaf_class: int, piece: int, factor: float) -> Lanes:
    row = len(game.payoffs) // 2 * now.player
    row += (item(game.matrix, leaf_class) * len(game.met[0]) + now.other) * now.pieces + piece
    payoff = load(game.payoffs, row) * broadcast(game.payoffs, game.scale[leaf_class])
    return payoff / broadcast(game.payoffs, now.chance) * broadcast(game.payoffs, factor)


@inlined
def _learn(
    game: SampledArrays,
    now: _Round,
    sampling: Sampling,
    decision: int,
    place: int,
    state: SampledState,
    scratch: Scratch,
) -> None:
    histories, moves, size, count = game.histories, scratch.moves, num_types(scratch.moves), now.pieces
    first, end = item(histories.first_child, decision), item(histories.first_child, decision + 1)
    group, num_decisions = item(game.group, decision), len(histories.owner)
    for piece in range(now.first // size, (now.end - 1) // size + 1):
        child, below, total = first, item(scratch.below, place), broadcast(moves, 0.0)
        while child < end:
            target, value = item(histories.target, child), broadcast(moves, 0.0)
            if sampling.exploration < 0.0 or child == scratch.drawn[place]:
                if target < num_decisions:
                    value = load(scratch.value, below * count + piece)
                    below += 1
                else:
                    value = _worth(game, now, target - num_decisions, piece, scratch.factor[place])
            store(moves, (child - first) * count + piece, value)
            total = total + load(state.strategy, item(game.row, child) * count + piece) * value
            child = following(child)
        store(scratch.value, place * count + piece, total)
        if group < 0:
            child, learns = first, load(scratch.learns, piece)
            while child < end:
                row, value = item(game.row, child) * count + piece, load(moves, (child - first) * count + piece)
                store(state.regrets, row, load(state.regrets, row) + learns * (value - total))
                child = following(child)
            _match(game, state, decision, count, piece, learns)
    if group >= 0:
        for lane in range(now.first, now.end):
            for child in range(first, end):
                regret = _number(moves, count, child - first, lane) - _number(scratch.value, count, place, lane)
                for piece in range(count):
                    row, alike = (
                        item(game.row, child) * count + piece,
                        load(game.partitions, (group + lane) * count + piece),
                    )
                    store(state.regrets, row, load(state.regrets, row) + alike * broadcast(moves, regret))
        for piece in range(count):
            _match(game, state, decision, count, piece, load(scratch.learns, count + piece))


@inlined
def _sweep(
    game: SampledArrays,
    now: _Round,
    sampling: Sampling,
    key: np.uint64,
    weight: float,
    state: SampledState,
    mass: Rows,
    scratch: Scratch,
) -> int:
    player, other, histories, num_decisions = now.player, now.other, game.histories, len(game.histories.owner)
    scratch.opened[0], scratch.factor[0], scratch.own_factor[0] = 0, 1.0, 1.0
    num_opened, place, size = 1, 0, num_types(scratch.learns)
    for lane in range(now.pieces * size):
        put(scratch.learns, lane // size, lane % size, 1.0 if now.first <= lane < now.end else 0.0)
    while place < num_opened:
        decision = scratch.opened[place]
        owner, where = histories.owner[decision], game.set_of[decision]
        first, end = histories.first_child[decision], histories.first_child[decision + 1]
        factor, own_factor = scratch.factor[place], scratch.own_factor[place]
        if sampling.full_average:
            if where >= 0 and game.above[where] >= 0:
                _pass_on(game.sets, now, game.above[where], state, mass)
            if where >= 0:
                _pass_on(game.sets, now, where, state, mass)
        elif owner == 1 - player:
            for child in range(first, end):
                row, lane = game.row[child] * now.pieces + other // size, other % size
                more = weight * own_factor * get(state.strategy, row, lane)
                put(state.strategy_sums, row, lane, get(state.strategy_sums, row, lane) + more)
        if owner != player or sampling.exploration >= 0.0:
            first, chance = _draw_child(game, now, sampling, key, decision, state.strategy, scratch.weights)
            end = first + 1
            factor = factor / chance if owner != 1 - player else factor
            own_factor = own_factor / chance if owner == player else own_factor
            scratch.drawn[place], scratch.factor[place] = first, factor
        scratch.below[place] = num_opened
        for child in range(first, end):
            target = histories.target[child]
            if target < num_decisions:
                scratch.opened[num_opened], scratch.factor[num_opened] = target, factor
                scratch.own_factor[num_opened] = own_factor
                num_opened += 1
        place += 1
    while place > 0:
        place -= 1
        decision = scratch.opened[place]
        if histories.owner[decision] == player:
            _learn(game, now, sampling, decision, place, state, scratch)
        else:
            target, below = histories.target[scratch.drawn[place]], scratch.below[place]
            for piece in range(now.first // size, (now.end - 1) // size + 1):
                if target < num_decisions:
                    value = load(scratch.value, below * now.pieces + piece)
                else:
                    value = _worth(game, now, target - num_decisions, piece, scratch.factor[place])
                store(scratch.value, place * now.pieces + piece, value)
    return num_opened


def make_scratch(game: SampledArrays) -> Scratch:
    """Buffers for the sweeps of a game by one thread."""
    num_decisions, num_moves = len(game.histories.owner), int(np.diff(game.histories.first_child).max())
    num_types, lanes = game.prior.shape[1:]
    learns = np.zeros((2, lanes))
    learns[1, :num_types] = 1.0
    opened, below, drawn = np.zeros((3, num_decisions), np.int64)
    factor, own_factor = np.zeros((2, num_decisions))
    value, moves = (pieces(np.zeros((length, lanes))) for length in (num_decisions, num_moves))
    return Scratch(opened, below, drawn, factor, own_factor, value, moves, pieces(learns), np.zeros(num_moves))


@_compiled
def run_sampled_iterations(
    game: SampledArrays,
    rules: NDArray[np.float64],
    keys: NDArray[np.uint64],
    sampling: Sampling,
    state: SampledState,
    mass: Rows,
    scratch: Scratch,
) -> tuple[int, int]:
    """Run len(rules) iterations with alternating sampled sweeps.

    This takes rules without discounts, floor and prediction, and ignores the bonus. It modifies `state`, `mass` and
    `scratch`. Returns the numbers of visits of decision nodes and of histories: every visit, counted once for each own
    type that the sweep works on.

    keys: uint64 (len(rules), 2), by iteration and player. The draws of a sweep depend only on its key.
    mass: by player, `pieces` of the rows of `Workspace.mass`, all 0 between calls.

    A sweep draws own type g and opponent's type h with their joint prior p(g, h), and a move at every node of chance
    and, by the strategy of h, of the opponent. A chance move c is drawn with its probability given h and, with
    `draw_own_type`, given g; otherwise with

        sum over g of p(g, h) * chance(way and c, g, h)  /  sum over g of p(g, h) * chance(way, g, h)

    Own moves are all followed (external sampling), or one is drawn with the probability e / number of moves + (1 - e) *
    strategy of g, e = `exploration` (outcome sampling). Let u(g) be the value of a move minus the value of its node, of
    type g against h and the drawn moves, divided by the probability of the draws of chance and of the player; 0 where
    these do not lead. The sweep adds to the regrets

        draw_own_type    u(g) for the drawn g, 0 for the others
        otherwise        p(g, h) / q(h) * u(g) for every g, where q(h) = sum over g of p(g, h)

    Both have the r of CFR as their mean. With `full_average`, own reach waits at the root, as in `run_iterations`.
    Otherwise a sweep adds weight / s * strategy of h to the opponent's sums at the nodes that it reaches, where s is
    the probability of the player's own draws on the way.
    """
    count = game.prior.shape[2] // num_types(game.payoffs)
    num_visited = num_histories = 0
    for iteration in range(len(rules)):
        for player in range(2):
            key, weight = keys[iteration, player], rules[iteration, rule_definition.AVERAGING_WEIGHT]
            now = _draw_round(game, player, sampling, key)
            num_own = 1 if sampling.draw_own_type else int(np.count_nonzero(game.prior[player, now.other]))
            if sampling.full_average:
                for piece in range(count):
                    row, types = game.start[player] * count + piece, load(scratch.learns, count + piece)
                    store(mass[player], row, load(mass[player], row) + types * broadcast(mass[player], weight))
            visited = _sweep(game, now, sampling, key, weight, state, mass[player], scratch)
            num_visited += visited
            num_histories += visited * num_own
    if sampling.full_average:
        for player in range(2):
            _flush(game.sets, player, count, state, mass[player])
    return num_visited, num_histories
