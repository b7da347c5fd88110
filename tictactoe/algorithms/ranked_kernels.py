"""The compiled functions of kernels.py for games whose payoffs follow from strengths and blockers (`RankedGame`).

With types sorted by strength, a running sum of the opponent's reach gives what a type beats, minus a running sum for
each of its blockers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import arrays as arrays_module
from . import rule_definition, simd
from .arrays import CHANCE, TYPES, ByteArray, FloatArray, IntArray, Rows, SweepState, Workspace, row_type
from .compiling import compiled_with, inlined
from .simd import broadcast, following, get, item, load, maximum, put, store, where_positive
from .wide_kernels import normalise_sums as normalise_sums

_compiled = compiled_with(arrays_module, rule_definition, simd)

BLOCK = 4
"""The number of types that are computed at once."""

LANES = 8
"""The number of leaves that are evaluated at once."""


_ROUNDING = 1e-13
"""The part of the opponent's whole reach below which a value is a rounding error and counts as 0."""


class Tables(NamedTuple):
    """Orders of types, by [table, player]: the types that nothing on the table blocks, from the weakest on.

    Other arrays are int32 (num_entries,), with one order after another. Blockers are numbers from 0 on. Two more
    numbers replace missing blockers: the first for reading, with a sum of 0, the second for writing.
    """

    start: IntArray
    """int32 (num_tables, 2): the first entry of each order."""
    size: IntArray
    """int32 (num_tables, 2): the number of types of each order."""
    type: IntArray
    rank: IntArray
    """The strength, as a number within its order; the higher wins."""
    read: tuple[IntArray, IntArray]
    write: tuple[IntArray, IntArray]
    same: IntArray
    """The place in the opponent's order of the type with the same two blockers, -1 if there is none."""
    num_sums: int
    """The number of blockers, plus two."""


class Groups(NamedTuple):
    """Groups of leaves that are evaluated at once. Arrays are (num_groups,)."""

    table: IntArray
    is_showdown: NDArray[np.bool_]
    leaves: IntArray
    """int32 (num_groups, LANES): the nodes; -1 for none."""


class RankedArrays(NamedTuple):
    """A read-only game: N nodes, P parts, B blocks of types.

    A part is a subtree below the last chance moves; the last part is the rest of the tree. Rows are numbered within a
    part's buffers. The root of a part is also a leaf of the last part, with the row `root_row`.
    """

    owner: ByteArray  # (N,): -1 at a leaf
    first_child: IntArray  # (N,)
    num_children: IntArray  # (N,)
    decisions: IntArray  # (D,): nodes, by part, in preorder
    part_start: IntArray  # (P + 1,): where parts begin in `decisions`
    group_start: IntArray  # (P + 1,): where parts begin in `groups`
    row: IntArray  # (N,): in the buffers of the node's part; 0 for a part's root
    child_row: IntArray  # (N,): of the first child, there; the others follow
    reach_row: IntArray  # (2, N): the row of the last move of a player on the way to the node within its part
    root_row: IntArray  # (P,): of a part's root in the last part's buffers
    root_reach_row: IntArray  # (2, P): the same as reach_row, in the last part's buffers
    num_rows: int  # of the largest part's buffers
    groups: Groups
    tables: Tables
    factor: FloatArray  # (N,): of leaves, the amount times the chance of chance moves
    weight: FloatArray  # (2, B * BLOCK): of types; their product is the prior where nothing is shared
    base: FloatArray  # (2, k): what is added to values of a player's types at the root
    visits: int  # of decisions in an iteration


class Buffers(NamedTuple):
    """Scratch: rows of `BLOCK` types for one part, and rows of `LANES` leaves for a group."""

    reach: Rows  # (2, num_rows * B): by player
    reach_numbers: FloatArray  # (2, num_rows * B * BLOCK): the same memory
    value: Rows  # (num_rows * B,)
    value_numbers: FloatArray  # the same memory
    lanes: Rows  # (B * BLOCK,): the opponent's reach
    result: Rows  # (B * BLOCK,)
    sums: Rows  # (num_sums,)
    factors: Rows  # (1,)


LEARN, FOLLOW, RESPOND, MARK = range(4)
"""What a sweep does for its player: learn; evaluate the strategy, or the best moves; evaluate and note the best moves.
"""


@inlined
def _without_shared(sums: Rows, tables: Tables, entry: int, total: simd.Lanes) -> simd.Lanes:
    """The total without the entries that share a blocker with a type. Those that share both are subtracted twice."""
    first, second = tables.read
    return total - load(sums, item(first, entry)) - load(sums, item(second, entry))


@inlined
def _add(sums: Rows, tables: Tables, entry: int, reach: simd.Lanes) -> None:
    first, second = tables.write
    store(sums, item(first, entry), load(sums, item(first, entry)) + reach)
    store(sums, item(second, entry), load(sums, item(second, entry)) + reach)


@_compiled
def _evaluate(game: RankedArrays, group: int, player: int, work: Buffers) -> None:
    tables, lanes, result, sums = game.tables, work.lanes, work.result, work.sums
    width = game.weight.shape[1]
    table, leaves, is_showdown = game.groups.table[group], game.groups.leaves[group], game.groups.is_showdown[group]
    own, other = int(tables.start[table, player]), int(tables.start[table, 1 - player])
    num_own, num_other = int(tables.size[table, player]), int(tables.size[table, 1 - player])
    reach, values, weights = work.reach_numbers[1 - player], work.value_numbers, game.weight[player]
    first = np.zeros(LANES, np.int64)
    below = np.zeros(LANES, np.int64)
    num_lanes = 0
    for lane in range(LANES):
        leaf = leaves[lane]
        if leaf < 0:
            first[lane] = first[0]
            put(work.factors, 0, lane, 0.0)
            continue
        num_lanes += 1
        first[lane] = game.reach_row[1 - player, leaf] * width
        below[lane] = game.row[leaf] * width
        put(work.factors, 0, lane, game.factor[leaf] if is_showdown or player == 0 else -game.factor[leaf])
        if num_own < width:
            values[below[lane] : below[lane] + width] = 0.0
    for place in range(num_other):
        number = item(tables.type, other + place)
        for lane in range(LANES):
            put(lanes, place, lane, reach[first[lane] + number])
    for row in range(tables.num_sums):
        store(sums, row, broadcast(sums, 0.0))
    total = broadcast(sums, 0.0)
    met = 0
    place = 0
    while is_showdown and place < num_own:
        rank = item(tables.rank, own + place)
        while met < num_other and item(tables.rank, other + met) < rank:
            total = total + load(lanes, met)
            _add(sums, tables, other + met, load(lanes, met))
            met = following(met)
        end = place
        while end < num_own and item(tables.rank, own + end) == rank:
            store(result, end, _without_shared(sums, tables, own + end, total))
            end = following(end)
        while met < num_other and item(tables.rank, other + met) == rank:
            total = total + load(lanes, met)
            _add(sums, tables, other + met, load(lanes, met))
            met = following(met)
        while place < end:
            store(result, place, load(result, place) + _without_shared(sums, tables, own + place, total))
            place = following(place)
    while met < num_other:
        total = total + load(lanes, met)
        _add(sums, tables, other + met, load(lanes, met))
        met = following(met)
    factor = load(work.factors, 0)
    zero, noise = broadcast(sums, 0.0), broadcast(sums, _ROUNDING) * total
    place = 0
    while place < num_own:
        value = _without_shared(sums, tables, own + place, total)
        if is_showdown:  # the type with the same two blockers is equally strong and is subtracted too often in both
            value = load(result, place) - value
        elif item(tables.same, own + place) >= 0:
            value = value + load(lanes, item(tables.same, own + place))
        value = where_positive(maximum(value, zero - value) - noise, value, zero)
        number = item(tables.type, own + place)
        store(result, place, value * factor * broadcast(result, weights[number]))
        for lane in range(num_lanes):
            values[below[lane] + number] = get(result, place, lane)
        place = following(place)


@_compiled
def _down(
    game: RankedArrays,
    part: int,
    player: int,
    goal: int,
    averaging: float,
    strategy: Rows,
    met: Rows,
    sums: Rows,
    work: Buffers,
) -> None:
    blocks = game.weight.shape[1] // BLOCK
    weight = broadcast(sums, averaging)
    for place in range(game.part_start[part], game.part_start[part + 1]):
        node = game.decisions[place]
        owner = game.owner[node]
        if owner == CHANCE or (owner == player and goal != LEARN):
            continue
        reach = work.reach[owner]
        before = game.reach_row[owner, node] * blocks
        for child in range(game.first_child[node], game.first_child[node] + game.num_children[node]):
            above, move, end = before, child * blocks, (child + 1) * blocks
            after = game.reach_row[owner, child] * blocks
            while move < end:
                if owner == player:
                    moved = load(reach, above) * load(strategy, move)
                    store(sums, move, load(sums, move) + weight * moved)
                else:
                    moved = load(reach, above) * load(met, move)
                store(reach, after, moved)
                above, after, move = following(above), following(after), following(move)


@inlined
def _best(value: Rows, first: int, end: int, blocks: int) -> simd.Lanes:
    best = load(value, first)
    while first < end:
        best = maximum(best, load(value, first))
        first = first + blocks
    return best


@_compiled
def _up(
    game: RankedArrays,
    part: int,
    player: int,
    goal: int,
    rule: NDArray[np.float64],
    strategy: Rows,
    regrets: Rows,
    work: Buffers,
) -> None:
    blocks, value = game.weight.shape[1] // BLOCK, work.value
    zero, one = broadcast(value, 0.0), broadcast(value, 1.0)
    positive = broadcast(value, rule[rule_definition.POSITIVE_DISCOUNT])
    negative = broadcast(value, rule[rule_definition.NEGATIVE_DISCOUNT])
    floor = broadcast(value, rule[rule_definition.FLOOR])
    discount = broadcast(value, rule[rule_definition.PREDICTION_DISCOUNT])
    weight = broadcast(value, rule[rule_definition.PREDICTION_WEIGHT])
    for place in range(game.part_start[part + 1] - 1, game.part_start[part] - 1, -1):
        node = game.decisions[place]
        count = game.num_children[node]
        above, below, moves = game.row[node] * blocks, game.child_row[node] * blocks, game.first_child[node] * blocks
        uniform = broadcast(value, 1.0 / count)
        for block in range(blocks):
            first, end = below + block, below + block + count * blocks
            move = moves + block
            if game.owner[node] != player:
                total = zero
                while first < end:
                    total = total + load(value, first)
                    first = first + blocks
            elif goal >= RESPOND:
                total = _best(value, first, end, blocks)
                free = one
                while goal == MARK and first < end:
                    marked = where_positive(total - load(value, first), zero, free)
                    store(regrets, move, marked)
                    free = free - marked
                    first, move = first + blocks, move + blocks
            else:
                total = zero
                while first < end:
                    total = total + load(strategy, move) * load(value, first)
                    first, move = first + blocks, move + blocks
                if goal == LEARN:
                    first, move = below + block, moves + block
                    predictions = zero
                    while first < end:
                        gained = load(value, first) - total
                        regret = load(regrets, move)
                        regret = maximum(regret * where_positive(regret, positive, negative) + gained, floor)
                        store(regrets, move, regret)
                        predicted = maximum(maximum(regret, zero) * discount + weight * gained, zero)
                        store(strategy, move, predicted)
                        predictions = predictions + predicted
                        first, move = first + blocks, move + blocks
                    inverse = one / where_positive(predictions, predictions, one)
                    move = moves + block
                    end = move + count * blocks
                    while move < end:
                        share = where_positive(predictions, load(strategy, move) * inverse, uniform)
                        store(strategy, move, share)
                        move = move + blocks
            store(value, above + block, total)


@_compiled
def _sweep(
    game: RankedArrays,
    player: int,
    goal: int,
    rule: NDArray[np.float64],
    strategy: Rows,
    met: Rows,
    regrets: Rows,
    sums: Rows,
    top: Buffers,
    below: Buffers,
) -> None:
    """Make one sweep of a player. `top.value` begins with the values of the root."""
    blocks = game.weight.shape[1] // BLOCK
    averaging, last = rule[rule_definition.AVERAGING_WEIGHT], len(game.part_start) - 2
    for block in range(blocks):
        store(top.reach[player], block, broadcast(top.value, 1.0))
    top.reach_numbers[1 - player, : blocks * BLOCK] = game.weight[1 - player]
    _down(game, last, player, goal, averaging, strategy, met, sums, top)
    for part in range(last):
        for each in range(2):
            above = game.root_reach_row[each, part] * blocks
            for block in range(blocks):
                store(below.reach[each], block, load(top.reach[each], above + block))
        _down(game, part, player, goal, averaging, strategy, met, sums, below)
        for group in range(game.group_start[part], game.group_start[part + 1]):
            _evaluate(game, group, player, below)
        _up(game, part, player, goal, rule, strategy, regrets, below)
        for block in range(blocks):
            store(top.value, game.root_row[part] * blocks + block, load(below.value, block))
    for group in range(game.group_start[last], game.group_start[last + 1]):
        _evaluate(game, group, player, top)
    _up(game, last, player, goal, rule, strategy, regrets, top)


@_compiled
def _run(
    game: RankedArrays,
    rules: NDArray[np.float64],
    alternate: bool,
    regrets: Rows,
    sums: Rows,
    strategy: Rows,
    frozen: Rows,
    top: Buffers,
    below: Buffers,
) -> None:
    for iteration in range(len(rules)):
        rule = rules[iteration]
        if not alternate:
            for row in range(len(strategy)):
                store(frozen, row, load(strategy, row))
        for player in range(2):
            met = frozen if player == 1 and not alternate else strategy
            _sweep(game, player, LEARN, rule, strategy, met, regrets, sums, top, below)


def _blocks(rows: Rows) -> Rows:
    result: Rows = rows.view(row_type(BLOCK))
    return result


def _buffers(game: RankedArrays) -> tuple[Buffers, Buffers]:
    width = game.weight.shape[1]
    lanes, result = np.zeros((2, width), row_type(LANES))
    shared = lanes, result, np.zeros(game.tables.num_sums, row_type(LANES)), np.zeros(1, row_type(LANES))

    def made() -> Buffers:
        reach, value = np.zeros((2, game.num_rows * width)), np.zeros(game.num_rows * width)
        return Buffers(_blocks(reach), reach, _blocks(value), value, *shared)

    return made(), made()


def run_stretches(
    game: RankedArrays, rules: NDArray[np.float64], length: int, alternate: bool, state: SweepState, work: Workspace
) -> int:
    regrets, sums, strategy, frozen = map(_blocks, (*state[:3], work.frozen))
    _run(game, rules, alternate, regrets, sums, strategy, frozen, *_buffers(game))
    return len(rules) * game.visits


_NO_RULE = np.zeros(rule_definition.NUM_RULE_COLUMNS)


def _root_values(game: RankedArrays, player: int, goal: int, strategy: Rows, moves: Rows) -> FloatArray:
    rows, (top, below) = _blocks(strategy), _buffers(game)
    _sweep(game, player, goal, _NO_RULE, rows, rows, _blocks(moves), rows, top, below)
    base = game.base[player]
    result: FloatArray = top.value_numbers[: len(base)] + base
    return result


def best_response(game: RankedArrays, player: int, strategy: Rows, work: Workspace, values: Rows, out: Rows) -> None:
    """Do the same as kernels.best_response, but find only the root's `values`."""
    if len(out):
        out[:] = strategy
    values[TYPES][0] = _root_values(game, player, MARK if len(out) else RESPOND, strategy, out)


def expected_value(game: RankedArrays, strategy: Rows) -> float:
    """The value to player 0 when both play `strategy`, (num_nodes,)."""
    return float(_root_values(game, 0, FOLLOW, strategy, strategy).sum())
