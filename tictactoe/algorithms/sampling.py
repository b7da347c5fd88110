"""Sampling: random numbers in kernels, and iterations of CFR that look at drawn moves alone: `es-mccfr`, `os-mccfr`.

A draw depends on its key and its number alone. Games and states are plain arrays here, of any number of types: what a
sweep does at a node takes no longer with more of them, but for averages at all nodes and sweeps for all own types.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import arrays, rule_definition, simd
from .arrays import CHANCE, FloatArray, Links, Rows, SampledArrays, row_type
from .compiling import compiled_with, inlined, inlined_and_fused
from .simd import any_nonzero, broadcast, following, get, item, load, num_types, put, store

_compiled = compiled_with(arrays, rule_definition, simd)


class Sampling(NamedTuple):
    """How the sums and regrets of a rule are sampled, see `run_sampled_iterations`."""

    full_average: bool
    draw_own_type: bool
    exploration: float = -1.0
    """The part of own draws that is spread evenly over the moves. Below 0: own moves are not drawn but all followed."""


class SampledState(NamedTuple):
    """What a solver carries from iteration to iteration, as `SweepState`: float64 (N, L)."""

    regrets: FloatArray
    strategy_sums: FloatArray
    strategy: FloatArray
    sum_pieces: Rows  # strategy_sums again, as `pieces` has them
    strategy_pieces: Rows


class _Round(NamedTuple):
    """What was drawn before a sweep: its player, the types, and the own types first to end - 1 that it works on."""

    player: int
    own: int
    other: int
    first: int
    end: int
    chance: float  # of these own types and the opponent's type


class _Scratch(NamedTuple):
    """Buffers of a sweep. It comes to decision nodes one after another, which have places from 0 on."""

    opened: NDArray[np.int64]  # by place: the decision node; parents come before children, siblings together
    below: NDArray[np.int64]  # by place: that of the first child to which the sweep comes
    drawn: NDArray[np.int64]  # by place: the child that was drawn
    factor: FloatArray  # by place: 1 / the probability of the draws of chance and of the player, this node's too
    own_factor: FloatArray  # by place: of those of the player alone
    value: FloatArray  # (D, L), by place
    moves: FloatArray  # (moves, L): values of the moves of one node
    weights: FloatArray  # (moves,): of draws among the moves of one node


def pieces(numbers: FloatArray) -> Rows:
    """The memory of float64 (..., L) as rows of four numbers, which fill a register; of single ones if L has others."""
    return numbers.reshape(-1).view(row_type(4 if numbers.shape[-1] % 4 == 0 else 1))


def sampled_state(regrets: FloatArray, strategy_sums: FloatArray, strategy: FloatArray) -> SampledState:
    """The state in these arrays, which are C-contiguous."""
    return SampledState(regrets, strategy_sums, strategy, pieces(strategy_sums), pieces(strategy))


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


@inlined
def draw_types(prior: FloatArray, met: FloatArray, key: np.uint64) -> tuple[int, int]:
    """Own and opponent's type, drawn from `prior`, (k, L), [opponent's, own], with the key's first draw.

    met: (k,), the sums of the rows of `prior`, so that not every pair is looked at.
    """
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
    """What is drawn before a player's sweep."""
    prior, met = game.prior[player], game.met[player]
    own, other = draw_types(prior, met, key)
    if sampling.draw_own_type:
        return _Round(player, own, other, own, own + 1, prior[other, own])
    return _Round(player, own, other, 0, len(met), met[other])


@inlined
def _pick(weights: FloatArray, count: int, total: float, key: np.uint64, number: int) -> int:
    """The place of one of the first `count` weights, whose sum is `total`, each drawn in proportion to it."""
    left = draw(key, number) * total
    chosen = -1
    for place in range(count):
        if weights[place] > 0.0:
            chosen = place  # the last possible one, if rounding leaves something over
            if left < weights[place]:
                break
            left -= weights[place]
    return chosen


@inlined
def _reached(game: SampledArrays, now: _Round, node: int) -> float:
    """How likely the chance moves on the way to a node and the types that the sweep works on come together."""
    total = 0.0
    for own in range(now.first, now.end):
        first, second = (own, now.other) if now.player == 0 else (now.other, own)
        total += game.prior[now.player, now.other, own] * game.tables[game.table_of[node], first, second]
    return total


@inlined_and_fused
def _plus_product(number: float, left: float, right: float) -> float:
    return number + left * right


@inlined
def _pass_on(sets: Links, player: int, decision: int, state: SampledState, mass: Rows) -> None:
    """Pass own reach on from a node of `sets`; add it to the strategy sums at one of the player's."""
    own, count = sets.owner[decision] == player, len(mass) // len(sets.owner)
    first, end = item(sets.first_child, decision), item(sets.first_child, decision + 1)
    for piece in range(count):
        reach = load(mass, decision * count + piece)
        if not any_nonzero(reach):
            continue
        store(mass, decision * count + piece, broadcast(mass, 0.0))
        child = first
        while own and child < end:  # in one loop the compiler would share the product, and fuse it with neither sum
            row = child * count + piece
            store(state.sum_pieces, row, load(state.sum_pieces, row) + reach * load(state.strategy_pieces, row))
            child = following(child)
        child = first
        while child < end:
            row = item(sets.target, child) * count + piece
            if row < len(mass):
                share = load(state.strategy_pieces, child * count + piece) if own else broadcast(mass, 1.0)
                store(mass, row, load(mass, row) + reach * share)
            child = following(child)


@inlined
def _flush(sets: Links, player: int, state: SampledState, mass: Rows) -> None:
    """Pass all own reach that waits on to the leaves."""
    count = len(mass) // len(sets.owner)
    for place in range(len(mass)):
        decision, piece = place // count, place % count
        reach = load(mass, place)
        child, end = item(sets.first_child, decision), item(sets.first_child, decision + 1)
        while child < end and any_nonzero(reach):
            share, row = reach, child * count + piece
            if sets.owner[decision] == player:
                share = reach * load(state.strategy_pieces, row)
                store(state.sum_pieces, row, load(state.sum_pieces, row) + share)
            row = item(sets.target, child) * count + piece
            if row < len(mass):
                store(mass, row, load(mass, row) + share)
            child = following(child)


@inlined
def _draw_child(
    game: SampledArrays,
    now: _Round,
    sampling: Sampling,
    key: np.uint64,
    decision: int,
    strategy: FloatArray,
    weights: FloatArray,
) -> tuple[int, float]:
    """The child of a decision node that is drawn there, and its probability. Modifies `weights`."""
    first, end = game.histories.first_child[decision], game.histories.first_child[decision + 1]
    owner, total = game.histories.owner[decision], 1.0
    for child in range(first, end):
        if owner != CHANCE:
            own = owner == now.player
            weights[child - first] = strategy[game.row[child], now.own if own else now.other]
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
def _match(row: NDArray[np.uint32], state: SampledState, first: int, end: int, lane: int) -> None:
    """The next strategy of a type at a node whose children are `first` to `end - 1`."""
    total = 0.0
    for child in range(first, end):
        total += max(state.regrets[row[child], lane], 0.0)
    for child in range(first, end):
        positive = max(state.regrets[row[child], lane], 0.0)
        state.strategy[row[child], lane] = positive / total if total > 0.0 else 1.0 / (end - first)


@inlined
def _worth(game: SampledArrays, now: _Round, leaf_class: int, lane: int, factor: float) -> float:
    """What a leaf is worth to an own type."""
    payoff = game.payoffs[now.player, game.matrix[leaf_class], now.other, lane]
    return float(payoff * game.scale[leaf_class] / now.chance * factor)


@inlined
def _learn(
    game: SampledArrays,
    now: _Round,
    sampling: Sampling,
    decision: int,
    place: int,
    state: SampledState,
    scratch: _Scratch,
) -> None:
    """Value, regrets and new strategy of one of the player's decision nodes."""
    histories, row = game.histories, game.row
    first, end = histories.first_child[decision], histories.first_child[decision + 1]
    group, moves, num_decisions = game.group[decision], scratch.moves, len(histories.owner)
    for lane in range(now.first, now.end):
        below, total = scratch.below[place], 0.0
        for child in range(first, end):
            target, value = histories.target[child], 0.0
            if sampling.exploration < 0.0 or child == scratch.drawn[place]:
                if target < num_decisions:
                    value = scratch.value[below, lane]
                    below += 1
                else:
                    value = _worth(game, now, target - num_decisions, lane, scratch.factor[place])
            moves[child - first, lane] = value
            total = _plus_product(total, state.strategy[row[child], lane], value)
        scratch.value[place, lane] = total
        for like in range(game.prior.shape[1]) if group >= 0 else range(lane, lane + 1):
            if group < 0 or game.partitions[group + lane, like] != 0.0:
                for child in range(first, end):
                    state.regrets[row[child], like] += moves[child - first, lane] - total
        if group < 0:
            _match(row, state, first, end, lane)
    if group >= 0:
        for lane in range(game.prior.shape[1]):
            _match(row, state, first, end, lane)


@inlined
def _sweep(
    game: SampledArrays,
    now: _Round,
    sampling: Sampling,
    key: np.uint64,
    weight: float,
    state: SampledState,
    mass: Rows,
    scratch: _Scratch,
) -> int:
    """One player's half of an iteration. Returns the number of visits. mass: the player's, as pieces of (D, L)."""
    player, other, histories, num_decisions = now.player, now.other, game.histories, len(game.histories.owner)
    scratch.opened[0], scratch.factor[0], scratch.own_factor[0] = 0, 1.0, 1.0
    num_opened, place = 1, 0
    while place < num_opened:
        decision = scratch.opened[place]
        owner, where = histories.owner[decision], game.set_of[decision]
        first, end = histories.first_child[decision], histories.first_child[decision + 1]
        factor, own_factor = scratch.factor[place], scratch.own_factor[place]
        if sampling.full_average:
            if where >= 0 and game.above[where] >= 0:
                _pass_on(game.sets, player, game.above[where], state, mass)
            if where >= 0:
                _pass_on(game.sets, player, where, state, mass)
        elif owner == 1 - player:
            for child in range(first, end):
                row = game.row[child]
                state.strategy_sums[row, other] += weight * own_factor * state.strategy[row, other]
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
            for lane in range(now.first, now.end):
                if target < num_decisions:
                    scratch.value[place, lane] = scratch.value[below, lane]
                else:
                    scratch.value[place, lane] = _worth(game, now, target - num_decisions, lane, scratch.factor[place])
    return num_opened


@_compiled
def run_sampled_iterations(
    game: SampledArrays, rules: NDArray[np.float64], keys: NDArray[np.uint64], sampling: Sampling, state: SampledState
) -> tuple[int, int]:
    """As `run_iterations`, alternating, with sampled sweeps.

    Takes rules without discounts, floor and prediction; ignores the bonus.

    keys: uint64 (len(rules), 2), by iteration and player. The draws of a sweep depend on its key alone.
    sampling: how sums and regrets are sampled, as follows.

    A sweep draws own type g and opponent's type h with their joint prior p(g, h). Then it draws a move at every node of
    the opponent that it comes to, by the strategy of h, and of chance. A chance move c comes with its probability given
    h, and given g with `draw_own_type`; without it, on the average of the own types that may have come so far:

        sum over g of p(g, h) * chance(way and c, g, h)  /  sum over g of p(g, h) * chance(way, g, h)

    Chance moves whose probabilities the game does not tell come evenly. At the player's own nodes all moves are
    followed (external sampling), or with `exploration` e a move is drawn with the probability e / number of moves +
    (1 - e) * strategy of g (outcome sampling). Payoffs hold the chance of chance moves, and are divided by the
    probability of what was drawn of chance and of the player. So let u(g) be the value of a move - the value of its
    node, of type g against h and the drawn moves, divided by that probability; 0 where the drawn moves do not lead. The
    sweep adds

        draw_own_type    r(g) = u(g) for the drawn g, 0 for the others
        otherwise        r(g) = p(g, h) / q(h) * u(g) for every g, where q(h) = sum over g of p(g, h)

    Both have the r of CFR, sum over h of p(g, h) * mean of u(g), as their mean: the pair comes up with p(g, h), the
    type h with q(h). The second is the mean of the first when h and the moves are known, if no chance moves come. Own
    types that cannot meet h, whose p is 0, learn nothing in either.

    With `full_average` own reach of all types waits at the root in every sweep, as in `run_iterations`. Otherwise a
    sweep adds to the opponent's sums alone: weight / s * strategy of type h, at the nodes that came up, where s is the
    probability of the player's own draws on the way, 1 in external sampling. A node comes up with the probability s *
    q(h) * chance of the way given h * own reach of the opponent's type h. The mean addition is weight * own reach *
    strategy times a factor that is the same in all iterations, and cancels out when the sums of a type are normalised.

    Modifies `state`. Returns the visits of decision nodes, and the visits of histories: every visit counted once for
    each own type that the sweep works on, 1 with `draw_own_type`, else the number of types that can meet h.
    """
    count, lanes, sets = game.prior.shape[1], game.prior.shape[2], game.sets
    num_decisions, num_sets = len(game.histories.owner), len(sets.owner)
    num_moves = (game.histories.first_child[1:] - game.histories.first_child[:-1]).max()
    scratch = _Scratch(
        np.empty(num_decisions, np.int64),
        np.empty(num_decisions, np.int64),
        np.empty(num_decisions, np.int64),
        np.empty(num_decisions),
        np.empty(num_decisions),
        np.empty((num_decisions, lanes)),
        np.empty((num_moves, lanes)),
        np.empty(num_moves),
    )
    size = num_types(state.sum_pieces)
    num_pieces = state.strategy.shape[1] // size
    mass = np.zeros((2, num_sets * num_pieces if sampling.full_average else 0), state.sum_pieces.dtype)
    num_visited = num_histories = 0
    for iteration in range(len(rules)):
        for player in range(2):
            key, weight = keys[iteration, player], rules[iteration, rule_definition.AVERAGING_WEIGHT]
            now = _draw_round(game, player, sampling, key)
            num_own = 1 if sampling.draw_own_type else int(np.count_nonzero(game.prior[player, now.other]))
            if sampling.full_average:
                for own in range(count):
                    row, lane = game.start[player] * num_pieces + own // size, own % size
                    put(mass[player], row, lane, get(mass[player], row, lane) + weight)
            visited = _sweep(game, now, sampling, key, weight, state, mass[player], scratch)
            num_visited += visited
            num_histories += visited * num_own
    if sampling.full_average:
        for player in range(2):
            _flush(sets, player, state, mass[player])
    return num_visited, num_histories
