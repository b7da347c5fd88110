"""The public tree of a game as flat arrays, with parents before children and siblings next to each other."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from .arrays import CHANCE, NUM_TYPES, ByteArray, FloatArray, IntArray, SweepArrays, rows_of

_Array = TypeVar("_Array", bound=NDArray[Any])


def read_only(array: _Array) -> _Array:
    """Make an array read-only and return it."""
    array.flags.writeable = False
    return array


class Knowledge(NamedTuple):
    """The nodes at which players do not know their own type. They play the same with all types that look the same."""

    partition: IntArray
    """int32 (num_nodes,): the number of each decision node in `together`; -1 if the mover knows its type, and at
    leaves."""
    together: NDArray[np.bool_]
    """bool (num_partitions, k, k): whether the mover cannot tell two types apart."""


class Families(NamedTuple):
    """Families of nodes: siblings, next to each other.

    Arrays of nodes have a row for each of `nodes`; arrays of families have a row for each of `parents`.
    """

    nodes: NDArray[np.intp]
    starts: NDArray[np.intp]
    """The place among the nodes where each family begins."""
    counts: NDArray[np.intp]
    """The number of nodes of each family."""
    parents: NDArray[np.intp]

    def sums(self, array: FloatArray) -> FloatArray:
        """Sum an array of nodes over each family."""
        result: FloatArray = np.add.reduceat(array, self.starts, axis=0)
        return result

    def largest(self, array: FloatArray) -> FloatArray:
        """The largest number of each family in an array of nodes."""
        result: FloatArray = np.maximum.reduceat(array, self.starts, axis=0)
        return result

    def at_nodes(self, array: _Array) -> _Array:
        """Repeat an array of families for their nodes."""
        return np.repeat(array, self.counts, axis=0)  # type: ignore[return-value]

    def first_largest(self, array: FloatArray) -> NDArray[np.bool_]:
        """bool, by node: whether the node has the largest number of its family, or is the first of equals."""
        largest = array == self.at_nodes(self.largest(array))
        earlier = np.cumsum(largest, axis=0) - largest
        result: NDArray[np.bool_] = largest & (earlier == self.at_nodes(earlier[self.starts]))
        return result


@dataclass(frozen=True, eq=False)
class PublicTree:
    """A tree of the public moves of two players and of chance. Node 0 is the root. Arrays are read-only.

    The children of every decision node are consecutive nodes, and these blocks are in the preorder of their parents.
    `build_game` numbers nodes in this way. Raises ValueError for arrays in another order, or that are not such a tree.

    >>> import numpy as np
    >>> from tictactoe import PublicTree
    >>> owner, leaf_class = np.array([0, 1, -1, -1, -1], np.int8), np.array([-1, -1, 0, 1, 2], np.int8)
    >>> tree = PublicTree(np.array([-1, 0, 0, 1, 1], np.int32), owner, leaf_class)
    >>> list(tree.children(1)), tree.depth.tolist()
    ([3, 4], [0, 1, 1, 2, 2])
    """

    parent: IntArray
    """int32 (num_nodes,): the parent of a node, -1 at the root."""
    owner: ByteArray
    """int8 (num_nodes,): the player who moves at a node, 0 or 1; CHANCE at a public chance move; -1 at a leaf. Chance
    nodes count as decision nodes. Their moves have weight 1 in strategies, because the payoffs of `Game` include their
    probabilities."""
    leaf_class: ByteArray | IntArray
    """int8 or int32 (num_nodes,): the payoff matrix of a leaf; -1 at a decision node."""
    num_types: int = field(default=NUM_TYPES, kw_only=True)
    """k, the number of columns of strategies, one per private type: at least 3, or 1 in a game with hidden moves."""
    knowledge: Knowledge | None = field(default=None, kw_only=True)
    """The nodes where players do not know their own type; None if there are none."""

    def __post_init__(self) -> None:
        num_nodes = len(self.parent)
        if not (len(self.owner) == len(self.leaf_class) == num_nodes > 1):
            raise ValueError("parent, owner and leaf_class must have one entry per node, and at least two")
        if self.parent[0] != -1 or np.any(self.parent[1:] >= np.arange(1, num_nodes)) or np.any(self.parent[1:] < 0):
            raise ValueError("parent: node 0 must be the root, and parents must come before their children")
        if np.any((self.owner >= 0) == (self.leaf_class >= 0)):
            raise ValueError("every node must be either a decision node or a leaf")
        for array in (self.parent, self.owner, self.leaf_class, *(self.knowledge or ())):
            array.flags.writeable = False
        if np.any(self.owner > CHANCE) or np.any((self.num_children > 0) != (self.owner >= 0)):
            raise ValueError("owner: 0, 1 or CHANCE at a node with children, -1 at a leaf")
        if self.num_types < NUM_TYPES and self.num_types != 1:
            raise ValueError(f"num_types: {self.num_types}, expected {NUM_TYPES} or more, or 1")
        order = self.decision_nodes
        blocks = np.repeat(order, self.num_children[order])
        if not np.array_equal(blocks, self.parent[1:]) or not np.array_equal(order, self._preorder()):
            raise ValueError(
                "parent: blocks of children must be in the preorder of the decision nodes, as in build_game"
            )

    def __getstate__(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        for array in (*state.values(), *(self.knowledge or ())):
            if isinstance(array, np.ndarray):
                read_only(array)  # for writable arrays, kernels would be compiled again

    def _preorder(self) -> list[int]:
        is_decision = (self.owner >= 0).tolist()
        first, count = self.first_child.tolist(), self.num_children.tolist()
        result, stack = [], [0]
        while stack:
            node = stack.pop()
            result.append(node)
            stack.extend(c for c in range(first[node] + count[node] - 1, first[node] - 1, -1) if is_decision[c])
        return result

    @property
    def num_nodes(self) -> int:
        return len(self.parent)

    @property
    def num_decision_nodes(self) -> int:
        return len(self.decision_nodes)

    @cached_property
    def num_children(self) -> IntArray:
        """int32 (num_nodes,): 0 at a leaf."""
        return read_only(np.bincount(self.parent[1:], minlength=len(self.parent)).astype(np.int32))

    @cached_property
    def first_child(self) -> IntArray:
        """int32 (num_nodes,): the lowest child of a node, -1 at a leaf."""
        result = np.full(len(self.parent), -1, np.int32)
        result[self.parent[:0:-1]] = np.arange(len(self.parent) - 1, 0, -1, dtype=np.int32)
        return read_only(result)

    @cached_property
    def decision_nodes(self) -> IntArray:
        """int32 (num_decision_nodes,): node numbers in preorder."""
        blocks = self.parent[1:]
        return read_only(blocks[np.r_[True, blocks[1:] != blocks[:-1]]])

    @cached_property
    def sweep_arrays(self) -> SweepArrays:
        order = self.decision_nodes
        target = len(order) + self.leaf_class.astype(np.int32)
        target[order] = np.arange(len(order), dtype=np.int32)
        first_child = np.r_[self.first_child[order], len(self.parent)].astype(np.int32)
        subtree_end = np.arange(1, len(order) + 1, dtype=np.int32)
        decision_parent = target[self.parent[order[1:]]]
        for decision in range(len(order) - 1, 0, -1):
            parent = decision_parent[decision - 1]
            subtree_end[parent] = max(subtree_end[parent], subtree_end[decision])
        group, together = None, np.zeros((0, self.num_types, self.num_types), np.bool_)
        if self.knowledge is not None:
            together, partition = self.knowledge.together, self.knowledge.partition[order]
            group = read_only(np.where(partition < 0, -1, partition * self.num_types).astype(np.int32))
        partitions = read_only(rows_of(together.reshape(-1, self.num_types).astype(np.float64)))
        for array in (first_child, subtree_end, target):
            read_only(array)
        return SweepArrays(read_only(self.owner[order].copy()), first_child, subtree_end, target, group, partitions)

    @cached_property
    def mover(self) -> ByteArray:
        """int8 (num_nodes,): the player or CHANCE that moved into a node; -1 at the root."""
        return read_only(np.r_[np.int8(-1), self.owner[self.parent[1:]]])

    @cached_property
    def nodes_by_depth(self) -> tuple[NDArray[np.intp], ...]:
        """The nodes of every depth in increasing order."""
        order = np.argsort(self.depth, kind="stable")
        levels = np.split(order, np.cumsum(np.bincount(self.depth))[:-1])
        return tuple(map(read_only, levels))

    def families(self, nodes: NDArray[np.intp]) -> Families:
        """The families of nodes. nodes: all of one depth, or all but the root."""
        starts = np.flatnonzero(np.r_[True, self.parent[nodes[1:]] != self.parent[nodes[:-1]]])
        counts = np.diff(np.r_[starts, len(nodes)])
        return Families(nodes, starts, counts, self.parent[nodes[starts]].astype(np.intp))

    @cached_property
    def levels(self) -> tuple[Families, ...]:
        """The families of every depth from 1 on."""
        return tuple(map(self.families, self.nodes_by_depth[1:]))

    @cached_property
    def all_families(self) -> Families:
        """The families of all nodes but the root. Their parents are `decision_nodes`."""
        return self.families(np.arange(1, self.num_nodes))

    def from_leaves(self, values: NDArray[Any], combine: Callable[[Families, Any], Any]) -> NDArray[Any]:
        """Fill in `values`, by node, from the leaves up (backward induction), and return them.

        combine: a function from a level and the values of its nodes to the values of their parents.
        """
        for level in reversed(self.levels):
            values[level.parents] = combine(level, values[level.nodes])
        return values

    @cached_property
    def depth(self) -> IntArray:
        """int32 (num_nodes,): the number of moves on the way to a node."""
        depths = [0]
        for parent in self.parent[1:].tolist():
            depths.append(depths[parent] + 1)
        return read_only(np.array(depths, np.int32))

    def require_node(self, node: int, first: int = 0) -> int:
        """The number of a node. Raises IndexError unless it is a node from `first` on."""
        try:
            number = -1 if isinstance(node, bool) else operator.index(node)
        except TypeError:
            number = -1
        if not first <= number < len(self.parent):
            raise IndexError(f"node {node} is not from {first} to {len(self.parent) - 1}")
        return number

    def move(self, node: int) -> Any:
        """The move into a node, as in histories: here, 1 for the first child of its parent.

        Raises IndexError for the root and, like all methods, for a node that does not exist.
        """
        node = self.require_node(node, first=1)
        return node - int(self.first_child[self.parent[node]]) + 1

    def move_name(self, node: int) -> str:
        """The move into a node, for messages, such as "move 2"."""
        return f"move {self.move(node)}"

    def history(self, node: int) -> tuple[Any, ...]:
        """The moves that lead to `node`, in order."""
        node = self.require_node(node)
        moves: tuple[Any, ...] = ()
        while node > 0:
            moves, node = (self.move(node), *moves), int(self.parent[node])
        return moves

    def find(self, history: Iterable[Any]) -> int:
        """The node of a history. Raises KeyError if the history is not in the tree."""
        node = 0
        for move in history:
            for child in self.children(node):
                if self.move(child) == move:
                    node = child
                    break
            else:
                raise KeyError(f"no move {move} after {self.history(node)} in this tree")
        return node

    def children(self, node: int) -> range:
        """The nodes that the moves from `node` lead to; empty at a leaf."""
        node = self.require_node(node)
        first = int(self.first_child[node])
        return range(first, first + int(self.num_children[node]))

    def sums_over_children(self, array: FloatArray) -> FloatArray:
        """float64 (num_decision_nodes, k): `array`, (num_nodes, k), summed over the children of each decision node."""
        return self.all_families.sums(array[1:])

    def at_children(self, per_decision: FloatArray) -> FloatArray:
        """float64 (num_nodes, k): a row per decision node, in preorder, repeated at its children; 0 at the root."""
        return np.concatenate([np.zeros((1, *per_decision.shape[1:])), self.all_families.at_nodes(per_decision)])

    def own_reach(self, strategy: FloatArray) -> FloatArray:
        """float64 (2, num_nodes, k), by player, node and the player's type: own reach, without the prior.

        strategy: float64 (num_nodes, k).
        """
        return np.stack([self.own_reach_of_player(player, strategy) for player in (0, 1)])

    def own_reach_of_player(self, player: int, strategy: FloatArray) -> FloatArray:
        """float64 (num_nodes, k): `own_reach` of one player."""
        result = np.ones_like(strategy)
        for nodes in self.nodes_by_depth[1:]:
            reach = result[self.parent[nodes]]
            own = self.mover[nodes] == player
            result[nodes] = reach * np.where(own[:, None], strategy[nodes], 1.0)
        return result

    def own_reach_at(self, node: int, strategy: FloatArray) -> FloatArray:
        """float64 (2, k): `own_reach` at one node."""
        result = np.ones((2, strategy.shape[1]))
        while node > 0:
            result[self.mover[node]] *= strategy[node]
            node = int(self.parent[node])
        return result

    def reached(self, moves: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """bool (2, num_nodes, k): whether `own_reach` is above 0 if players make only `moves`, bool (num_nodes, k)."""
        result = np.stack([moves | (self.mover != player)[:, None] for player in (0, 1)])
        result[:, 0] = True
        for nodes in self.nodes_by_depth[1:]:
            result[:, nodes] &= result[:, self.parent[nodes]]
        return result
