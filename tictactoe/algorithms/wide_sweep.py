"""The functions of kernels.py for more than 64 types, such as the 1,081 hands of a river of hold'em.

A row of k types is cut into tiles of 8 lanes, and each tile is a row for simd.py.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import arrays, kernels, rule_definition, simd
from .arrays import CHANCE, LANES_OF_TILE, TYPES, ByteArray, FloatArray, IntArray, Rows, SweepState, Workspace, row_type
from .compiling import compiled_with, inlined
from .kernels import Step
from .public_tree import PublicTree
from .simd import broadcast, get, item, load, store
from .wide_kernels import best_response as best_response
from .wide_kernels import expected_value as expected_value
from .wide_kernels import normalise_sums as normalise_sums

_compiled = compiled_with(arrays, kernels, rule_definition, simd)


class Tiles(NamedTuple):
    """A game with N nodes, D decision nodes, L leaves in the order of their M matrices, and T tiles of 8 types."""

    owner: ByteArray
    """(D,): the mover, 0, 1 or CHANCE."""
    first_child: IntArray
    """(D + 1,): the first child of each decision node."""
    place: IntArray
    """(N,): the number of a decision node, or D + its place among the leaves."""
    group: IntArray
    """(D,): the first of T rows of `partitions` for each type, -1 where the mover knows its type."""
    partitions: Rows
    """(P * k * T,): the partitions, as in `SweepArrays`."""
    starts: IntArray
    """(M + 1,): the place of the first leaf of each matrix."""
    factor: FloatArray
    """(L,): the factor of a leaf's matrix."""
    matrices: Rows
    """(2, M * T * 8 T): payoff to `player` times prior, by player, matrix, tile of own types and opponent's type."""
    padding: Rows
    """(T,): 1 for every type, 0 in the lanes that fill the last tile."""


class TiledGame:
    """A game in the form that these functions take, read-only.

    matrices: float64 (M, k, k), by matrix and the types of players 0 and 1: payoff to player 0 times prior.
    matrix, factor: the number of each leaf class's matrix, and its factor.
    """

    def __init__(self, tree: PublicTree, matrices: FloatArray, matrix: NDArray[np.intp], factor: FloatArray) -> None:
        self.tree = tree
        self._matrices, self._matrix, self._factor = matrices, matrix, factor

    @cached_property
    def _leaves(self) -> NDArray[np.intp]:
        leaves = np.flatnonzero(self.tree.leaf_class >= 0)
        return leaves[np.argsort(self._matrix[self.tree.leaf_class[leaves]], kind="stable")]

    @cached_property
    def tiles(self) -> Tiles:
        sweep, leaf_class, num_types = self.tree.sweep_arrays, self.tree.leaf_class[self._leaves], self.tree.num_types
        place = sweep.target.copy()
        place[self._leaves] = len(sweep.owner) + np.arange(len(self._leaves), dtype=np.int32)
        starts = np.searchsorted(self._matrix[leaf_class], np.arange(len(self._matrices) + 1)).astype(np.int32)
        tiles = row_type(num_types).itemsize // 8 // LANES_OF_TILE
        both = np.zeros((2, len(self._matrices), LANES_OF_TILE * tiles, LANES_OF_TILE * tiles))
        both[0, :, :num_types, :num_types] = self._matrices.transpose(0, 2, 1)
        both[1, :, :num_types, :num_types] = -self._matrices
        by_tile = both.reshape(2, len(self._matrices), -1, tiles, LANES_OF_TILE).transpose(0, 1, 3, 2, 4)
        rows = np.ascontiguousarray(by_tile).reshape(2, -1).view(_TILE)
        group = np.full(len(sweep.owner), -1, np.int32) if sweep.group is None else sweep.group
        padding = np.zeros(1, row_type(num_types))
        padding[TYPES] = 1.0
        factor = np.ascontiguousarray(self._factor[leaf_class])
        owner, children, partitions = sweep.owner, sweep.first_child, _tiled(sweep.partitions)
        return Tiles(owner, children, place, group, partitions, starts, factor, rows, _tiled(padding))

    def leaf_values(self, player: int, reach: FloatArray) -> FloatArray:
        tiles, result = self.tiles, np.zeros_like(reach)
        rows = np.zeros(len(tiles.owner) + len(self._leaves), row_type(reach.shape[1]))
        values = np.zeros_like(rows)
        rows[TYPES][len(tiles.owner) :] = reach[self._leaves]
        _multiply(tiles, player, _tiled(rows), _tiled(values))
        result[self._leaves] = values[TYPES][len(tiles.owner) :]
        return result


_TILE = row_type(LANES_OF_TILE)


def _tiled(rows: Rows) -> Rows:
    return rows.view(np.float64).view(_TILE)


def run_stretches(
    game: TiledGame, rules: NDArray[np.float64], length: int, alternate: bool, state: SweepState, work: Workspace
) -> int:
    tiles = game.tiles
    rows = len(tiles.owner) + len(tiles.factor)
    reach, value, own_reach = (np.zeros(rows * len(tiles.padding), _TILE) for _ in range(3))
    tiled = SweepState(_tiled(state.regrets), _tiled(state.strategy_sums), _tiled(state.strategy), state.skippable)
    _run(tiles, rules, alternate, tiled, _tiled(work.frozen), reach, value, own_reach)
    return 2 * len(rules) * len(tiles.owner)


@_compiled
def _run(
    game: Tiles,
    rules: NDArray[np.float64],
    alternate: bool,
    state: SweepState,
    frozen: Rows,
    reach: Rows,
    value: Rows,
    own_reach: Rows,
) -> None:
    for rule in rules:
        one = broadcast(reach, 1.0)
        step = Step(
            broadcast(reach, rule[rule_definition.POSITIVE_DISCOUNT]),
            broadcast(reach, rule[rule_definition.NEGATIVE_DISCOUNT]),
            one,
            one,
            broadcast(reach, rule[rule_definition.FLOOR]),
            broadcast(reach, rule[rule_definition.PREDICTION_DISCOUNT]),
            broadcast(reach, rule[rule_definition.PREDICTION_WEIGHT]),
        )
        met = state.strategy
        if not alternate:
            met = frozen
            for row in range(len(met)):
                store(met, row, load(state.strategy, row))
        for player in range(2):
            weight = broadcast(reach, rule[rule_definition.AVERAGING_WEIGHT])
            for tile in range(len(game.padding)):
                store(reach, tile, load(game.padding, tile))
                store(own_reach, tile, weight * load(game.padding, tile))
            _descend(game, player, state, met, reach, own_reach)
            _multiply(game, player, reach, value)
            _ascend(game, player, step, state, value)


@inlined
def _descend(game: Tiles, player: int, state: SweepState, met: Rows, reach: Rows, own_reach: Rows) -> None:
    tiles = len(game.padding)
    for decision in range(len(game.owner)):
        owner = game.owner[decision]
        for child in range(item(game.first_child, decision), item(game.first_child, decision + 1)):
            below = item(game.place, child) * tiles
            for tile in range(tiles):
                others, own = load(reach, decision * tiles + tile), load(own_reach, decision * tiles + tile)
                if owner == player:
                    own = own * load(state.strategy, child * tiles + tile)
                    total = load(state.strategy_sums, child * tiles + tile) + own
                    store(state.strategy_sums, child * tiles + tile, total)
                elif owner != CHANCE:
                    others = others * load(met, child * tiles + tile)
                store(reach, below + tile, others)
                store(own_reach, below + tile, own)


@_compiled
def _multiply(game: Tiles, player: int, reach: Rows, value: Rows) -> None:
    tiles, num_decisions, matrices = len(game.padding), len(game.owner), game.matrices[player]
    zero = broadcast(value, 0.0)
    for matrix in range(len(game.starts) - 1):
        end = num_decisions + item(game.starts, matrix + 1)
        for tile in range(tiles):
            row = (matrix * tiles + tile) * LANES_OF_TILE * tiles
            leaf = num_decisions + item(game.starts, matrix)
            while leaf < end:
                # the last leaf fills up the four
                second, third, fourth = min(leaf + 1, end - 1), min(leaf + 2, end - 1), min(leaf + 3, end - 1)
                first_sum, second_sum, third_sum, fourth_sum = zero, zero, zero, zero
                for other in range(tiles):
                    for lane in range(LANES_OF_TILE):
                        payoffs = load(matrices, row + other * LANES_OF_TILE + lane)
                        first_sum = first_sum + broadcast(value, get(reach, leaf * tiles + other, lane)) * payoffs
                        second_sum = second_sum + broadcast(value, get(reach, second * tiles + other, lane)) * payoffs
                        third_sum = third_sum + broadcast(value, get(reach, third * tiles + other, lane)) * payoffs
                        fourth_sum = fourth_sum + broadcast(value, get(reach, fourth * tiles + other, lane)) * payoffs
                _store_leaf(game, value, leaf, tile, first_sum)
                _store_leaf(game, value, second, tile, second_sum)
                _store_leaf(game, value, third, tile, third_sum)
                _store_leaf(game, value, fourth, tile, fourth_sum)
                leaf += 4


@inlined
def _store_leaf(game: Tiles, value: Rows, leaf: int, tile: int, product: simd.Lanes) -> None:
    factor = broadcast(value, game.factor[leaf - len(game.owner)])
    store(value, leaf * len(game.padding) + tile, product * factor)


@inlined
def _ascend(game: Tiles, player: int, step: Step, state: SweepState, value: Rows) -> None:
    tiles = len(game.padding)
    for decision in range(len(game.owner) - 1, -1, -1):
        first, end = item(game.first_child, decision), item(game.first_child, decision + 1)
        own = game.owner[decision] == player
        for tile in range(tiles):
            total = broadcast(value, 0.0)
            for child in range(first, end):
                below = load(value, item(game.place, child) * tiles + tile)
                total = total + (load(state.strategy, child * tiles + tile) * below if own else below)
            store(value, decision * tiles + tile, total)
        if not own:
            continue
        for tile in range(tiles):
            predictions = broadcast(value, 0.0)
            for child in range(first, end):
                regret = _regret(game, value, decision, child, tile)
                predicted = kernels._update(step, state, child * tiles + tile, regret)
                predictions = predictions + predicted
                store(state.strategy, child * tiles + tile, predicted)
            for child in range(first, end):
                share = kernels._share(value, load(state.strategy, child * tiles + tile), predictions, end - first)
                store(state.strategy, child * tiles + tile, share * load(game.padding, tile))


@inlined
def _regret(game: Tiles, value: Rows, decision: int, child: int, tile: int) -> simd.Lanes:
    tiles, below = len(game.padding), item(game.place, child)
    group = item(game.group, decision)
    if group < 0:
        return load(value, below * tiles + tile) - load(value, decision * tiles + tile)
    total = broadcast(value, 0.0)
    for own_type in range(simd.num_types(value) * tiles):
        part, lane = own_type // LANES_OF_TILE, own_type % LANES_OF_TILE
        if get(game.padding, part, lane) > 0.0:
            regret = get(value, below * tiles + part, lane) - get(value, decision * tiles + part, lane)
            total = total + broadcast(value, regret) * load(game.partitions, (group + own_type) * tiles + tile)
    return total
