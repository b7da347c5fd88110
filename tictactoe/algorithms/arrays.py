"""The arrays that kernels take, and their sizes.

A row is a record of k float64, one per private type of the player it is about. It is padded with zeros to fill
registers.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
"""An array of float64."""
IntArray = NDArray[np.int32]
ByteArray = NDArray[np.int8]
Rows = NDArray[np.void]
"""An array (n,) of `row_type(k)`, in C order. rows[TYPES] is the same memory as float64 (n, k)."""

CHANCE = 2
"""The owner of a node at which chance moves publicly. Its moves have weight 1 in strategies, because payoffs include
their probabilities."""

NUM_TYPES = 3
"""The least number of private types per player that arrays have room for."""

LARGEST_NUM_TYPES = 64
"""The most private types per player for kernels.py; wide_sweep.py takes more."""

LANES_OF_TILE = 8
"""The lanes of each part into which wide_sweep.py cuts a row."""

TYPES = "types"
"""The name of the only field of a row."""

_LANES_PER_REGISTER = 4


def num_lanes(num_types: int) -> int:
    """The number of lanes of a row: 1 for one type, otherwise a power of two from 4 on; above LARGEST_NUM_TYPES, whole
    tiles."""
    if num_types > LARGEST_NUM_TYPES:
        return -(-num_types // LANES_OF_TILE) * LANES_OF_TILE
    return 1 if num_types == 1 else max(_LANES_PER_REGISTER, 1 << (num_types - 1).bit_length())


@lru_cache
def row_type(num_types: int) -> np.dtype[np.void]:
    """The type of a row: `num_types` float64 in the room of `num_lanes`."""
    size = 8 * num_lanes(num_types)
    fields: Any = {"names": [TYPES], "formats": [(np.float64, (num_types,))], "offsets": [0], "itemsize": size}
    result: np.dtype[np.void] = np.dtype(fields)
    return result


def zero_rows(shape: int | tuple[int, ...], num_types: int) -> Rows:
    return np.zeros(shape, row_type(num_types))


def rows_of(columns: FloatArray) -> Rows:
    """Copy float64 (..., k) into rows."""
    result = zero_rows(columns.shape[:-1], columns.shape[-1])
    result[TYPES] = columns
    return result


def plain(rows: Rows) -> FloatArray:
    """The memory of rows as float64 (..., L): the k numbers of a row, then its padding."""
    result: FloatArray = rows.view(np.float64).reshape(*rows.shape, rows.itemsize // 8)
    return result


def pieces(numbers: FloatArray) -> Rows:
    """The memory of float64 (..., L) as rows of four numbers, or of one if L is not a multiple of four."""
    return numbers.reshape(-1).view(
        row_type(_LANES_PER_REGISTER if numbers.shape[-1] % _LANES_PER_REGISTER == 0 else 1)
    )


class SweepArrays(NamedTuple):
    """A tree in the form that kernels take: N nodes, D of them decision nodes, which are numbered in preorder.

    A subtree is a range of decision nodes. The children of decision node d are the nodes first_child[d] to
    first_child[d + 1] - 1.
    """

    owner: ByteArray  # (D,): 0 or 1, the player who moves, or CHANCE
    first_child: IntArray  # (D + 1,): node numbers
    subtree_end: IntArray  # (D,): the first decision node after the subtree of a decision node
    target: IntArray  # (N,): the number of a decision node, or D + class for a leaf
    group: (
        IntArray | None
    )  # (D,): the first row in `partitions`, -1 where the mover knows its type; None if all movers do
    partitions: Rows
    """(P * k,): row p * k + g has 1 for the types that a mover cannot tell from g in partition p, 0 for others."""


class GameArrays(NamedTuple):
    """A game, read-only: N nodes, D decision nodes, C leaf classes, k private types per player."""

    tree: SweepArrays
    payoffs: Rows
    """(2, C, k): row [player, class, h] has, for every own type g, the payoff to `player` at a leaf of the class times
    the prior of (g, h), if the opponent has type h."""
    prior: Rows
    """(2, k): row [player, h] has, for every own type g, the joint probability of g and the opponent's type h."""
    bonus: NDArray[np.float64]
    """float64 (N,): bonus of a leaf to player 0, minus that to player 1, before the epsilon of the iteration scales it.
    Length 0 without a bonus."""


class Links(NamedTuple):
    """The links of a tree with N nodes and D decision nodes, as in `SweepArrays`."""

    owner: ByteArray  # (D,)
    first_child: IntArray  # (D + 1,)
    target: IntArray  # (N,)


class SampledArrays(NamedTuple):
    """A game in the form that sampling rules take, read-only, with any number of types.

    It has N nodes, D decision nodes, C leaf classes, M payoff matrices, and rows of L numbers: k types, then zeros.
    Sweeps walk through histories and look up strategies in information sets.
    """

    histories: Links
    sets: Links
    set_of: IntArray  # (D,): the decision node of `sets` for a history's mover; -1 at chance nodes of histories
    row: NDArray[np.uint32]  # (N,): the node of `sets` that a player's move leads to
    above: IntArray  # (decision nodes of `sets`,): a chance node in `sets` that reach passes on the way; -1 for none
    start: tuple[int, int]  # by player, the decision node of `sets` where its own reach begins
    group: IntArray  # (D,): the first row in `partitions`, -1 where the mover knows its type
    partitions: Rows  # `pieces` of (P * k, L)
    payoffs: Rows  # of (2, M, k, L), [player, matrix, opponent's type, own type]: payoff times prior, to the player
    matrix: NDArray[np.intp]  # (C,): the matrix of a leaf class
    scale: FloatArray  # (C,): the factor of that matrix
    prior: FloatArray  # (2, k, L), [player, opponent's type, own type]
    met: FloatArray  # (2, k), [player, opponent's type]: the sum of prior over own types
    table_of: IntArray  # (N,): a number in `tables`; length 0 if chances are unknown
    tables: FloatArray  # (T, k, k), as ChanceReach has them


class Part(NamedTuple):
    """One player's part of the tree of a game with hidden moves, and the payoffs at its leaves, numbered as in
    `SweepArrays`.
    """

    first: int
    """The first decision node of the part."""
    end: int
    """The decision node after the last of the part."""
    rows: tuple[int, int]
    """The row of the first leaf of the part, and the row after its last leaf."""
    starts: IntArray
    """int32 (num_leaves + 1,): the first entry of each leaf."""
    other: IntArray
    """int32 (num_entries,): the row of a leaf of the other part."""
    paid: FloatArray
    """float64 (num_entries,): the payoff to the player in this pair of leaves, times the probability of the chance
    moves."""


class SweepState(NamedTuple):
    """What a solver keeps between iterations. A row belongs to the move into a node, by the mover's type."""

    regrets: Rows
    """(N,): cumulative regrets, in payoff. The root's row is unused here and below."""
    strategy_sums: Rows
    """(N,): sums of averaging weight times own reach times strategy."""
    strategy: Rows
    """(N,): the probabilities of the current strategy."""
    skippable: NDArray[np.int8]
    """int8 (2, D), by player: 1 if the player's sweep may skip a subtree that the opponent does not reach, because
    regrets of 0 would not change the strategy there. 1 at the start."""


class Workspace(NamedTuple):
    """Scratch buffers of one thread. Between calls, `mass` is 0 and the other contents mean nothing.

    The rows of the C leaf classes come after those of the D decision nodes.
    """

    reach: Rows
    """(D + C,): the opponent's reach, without the prior."""
    value: Rows
    """(D + C,): counterfactual values."""
    mass: Rows
    """(2, D + C): each player's own reach times averaging weight, not yet in the strategy sums."""
    frozen: Rows
    """(N,): the strategy before an iteration that does not alternate; the drawn moves of a sampled sweep."""
    open_nodes: NDArray[np.int32]
    """int32 (D,): the stack of decision nodes whose subtrees contain the current node."""


def make_workspace(tree: SweepArrays) -> Workspace:
    """Zeroed scratch buffers for a tree."""
    num_types = tree.partitions[TYPES].shape[-1]
    num_rows = int(tree.target.max()) + 1
    reach, value, mass, frozen = (
        zero_rows(shape, num_types) for shape in (num_rows, num_rows, (2, num_rows), len(tree.target))
    )
    return Workspace(reach, value, mass, frozen, np.zeros(len(tree.owner), np.int32))
