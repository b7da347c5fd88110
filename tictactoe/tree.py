"""The public tree of a round as flat arrays: parents before children, siblings next to each other."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from .board import END_RULES, Board, EndRule, Outcome

DEFAULT_END_RULE = "three-in-a-row"

IntArray = NDArray[np.int32]
ByteArray = NDArray[np.int8]


_Array = TypeVar("_Array", bound=NDArray[Any])


def _read_only(array: _Array) -> _Array:
    array.flags.writeable = False
    return array


class SweepArrays(NamedTuple):
    """What the kernels need to know of a tree with D decision nodes among N nodes, and nothing else.

    Decision nodes are numbered in preorder, so a subtree is a range of them. The children of decision
    node d are the nodes first_child[d] to first_child[d + 1] - 1.
    """

    owner: ByteArray  # (D,): 0 or 1, the player who moves
    first_child: IntArray  # (D + 1,): node numbers
    subtree_end: IntArray  # (D,): the first decision node after the subtree of d
    target: IntArray  # (N,): the decision node that a node is, or -1 - class for a leaf


@dataclass(frozen=True, eq=False)
class PublicTree:
    """A two-player tree of public moves. Node 0 is the root; arrays are read-only and have one entry per node.

    `owner` is the player who moves at a node (0 or 1), -1 at a leaf; `leaf_class` says which payoff matrix
    a leaf has, -1 at a decision node. Every decision node's children are consecutive nodes, and the blocks
    of children stand in the preorder of their parents, so that the descendants of a node are consecutive too.
    """

    parent: IntArray
    owner: ByteArray
    leaf_class: ByteArray

    def __post_init__(self) -> None:
        num_nodes = len(self.parent)
        if not (len(self.owner) == len(self.leaf_class) == num_nodes > 1):
            raise ValueError("parent, owner and leaf_class must have one entry per node, two nodes at least")
        if self.parent[0] != -1 or np.any(self.parent[1:] >= np.arange(1, num_nodes)) or np.any(self.parent[1:] < 0):
            raise ValueError("parent: node 0 must be the root and parents must stand before their children")
        if np.any((self.owner >= 0) == (self.leaf_class >= 0)):
            raise ValueError("every node must be either a decision node or a leaf")
        for array in (self.parent, self.owner, self.leaf_class):
            array.flags.writeable = False
        if np.any(self.owner > 1) or np.any((self.num_children > 0) != (self.owner >= 0)):
            raise ValueError("owner: 0 or 1 at a node with children, -1 at a leaf")
        order = self.decision_nodes
        blocks = np.repeat(order, self.num_children[order])
        if not np.array_equal(blocks, self.parent[1:]) or not np.array_equal(order, self._preorder()):
            raise ValueError("parent: blocks of children must stand in the preorder of the decision nodes")

    def _preorder(self) -> list[int]:
        """The decision nodes in the order of a depth-first walk."""
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
        """(num_nodes,) int32: 0 at a leaf."""
        return _read_only(np.bincount(self.parent[1:], minlength=len(self.parent)).astype(np.int32))

    @cached_property
    def first_child(self) -> IntArray:
        """(num_nodes,) int32: the lowest child of a node, -1 at a leaf."""
        result = np.full(len(self.parent), -1, np.int32)
        result[self.parent[:0:-1]] = np.arange(len(self.parent) - 1, 0, -1, dtype=np.int32)
        return _read_only(result)

    @cached_property
    def decision_nodes(self) -> IntArray:
        """(num_decision_nodes,) int32: node numbers in preorder."""
        blocks = self.parent[1:]
        return _read_only(blocks[np.r_[True, blocks[1:] != blocks[:-1]]])

    @cached_property
    def sweep_arrays(self) -> SweepArrays:
        order = self.decision_nodes
        target = -1 - self.leaf_class.astype(np.int32)
        target[order] = np.arange(len(order), dtype=np.int32)
        first_child = np.r_[self.first_child[order], len(self.parent)].astype(np.int32)
        subtree_end = np.arange(1, len(order) + 1, dtype=np.int32)
        decision_parent = target[self.parent[order[1:]]]
        for decision in range(len(order) - 1, 0, -1):
            parent = decision_parent[decision - 1]
            subtree_end[parent] = max(subtree_end[parent], subtree_end[decision])
        return SweepArrays(*map(_read_only, (self.owner[order].copy(), first_child, subtree_end, target)))

    def children(self, node: int) -> range:
        first = int(self.first_child[node])
        return range(first, first + int(self.num_children[node]))


@dataclass(frozen=True, eq=False)
class GameTree(PublicTree):
    """The public tree of a round of tic-tac-toe: a node is a history, the squares played in order.

    leaf_class is the Outcome of a leaf as an int. `square` is the square (1-9) of the move into a node,
    0 at the root. Build one with `GameTree.build()`.
    """

    square: ByteArray
    end_rule: str

    @classmethod
    def build(
        cls, end_rule: str = DEFAULT_END_RULE, *, merge_symmetric: bool = True, cut_forced: bool = True
    ) -> GameTree:
        """Build the tree under a rule of `board.END_RULES`; raises ValueError for an unknown rule.

        merge_symmetric: of the moves from one node that lead to boards that are images of each other, keep
            only the lowest square.
        cut_forced: a node from which every continuation ends in the same outcome is a leaf.
        """
        if end_rule not in END_RULES:
            raise ValueError(f"end_rule: unknown rule {end_rule!r}; known: {', '.join(sorted(END_RULES))}")
        rules = _Rules(END_RULES[end_rule], merge_symmetric, cut_forced)
        parent, square, owner, outcome = [-1], [0], [-1], [-1]
        stack = [(0, Board())]
        while stack:
            node, board = stack.pop()
            facts = rules.facts(board)
            if facts.outcome is not None:
                outcome[node] = int(facts.outcome)
                continue
            owner[node] = board.num_marks % 2
            first = len(parent)
            for move, _ in facts.moves:
                parent.append(node)
                square.append(move)
                owner.append(-1)
                outcome.append(-1)
            for offset in range(len(facts.moves) - 1, -1, -1):
                stack.append((first + offset, facts.moves[offset][1]))
        return cls(
            np.array(parent, np.int32), np.array(owner, np.int8), np.array(outcome, np.int8),
            np.array(square, np.int8), end_rule,
        )

    def __post_init__(self) -> None:
        super().__post_init__()
        self.square.flags.writeable = False

    @cached_property
    def depth(self) -> ByteArray:
        """(num_nodes,) int8: moves played."""
        result = np.zeros(len(self.parent), np.int8)
        for node in range(1, len(self.parent)):
            result[node] = result[self.parent[node]] + 1
        return _read_only(result)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 (hexadecimal) of the end rule and of every array that defines the tree."""
        digest = hashlib.sha256(f"tic-tac-toe tree, {self.end_rule}\n".encode())
        for array in (self.parent.astype("<i4"), self.owner, self.leaf_class, self.square):
            digest.update(array.tobytes())
        return digest.hexdigest()

    def history(self, node: int) -> tuple[int, ...]:
        """The squares played to reach `node`, in order. Raises IndexError for a node that does not exist."""
        if not 0 <= node < len(self.parent):
            raise IndexError(f"node {node} is not in 0 to {len(self.parent) - 1}")
        squares = []
        while node > 0:
            squares.append(int(self.square[node]))
            node = int(self.parent[node])
        return tuple(reversed(squares))

    def find(self, history: Iterable[int]) -> int:
        """The node of a history whose moves all stand in the tree; raises KeyError otherwise."""
        node = 0
        for move in history:
            for child in self.children(node):
                if self.square[child] == move:
                    node = child
                    break
            else:
                raise KeyError(f"no move {move} after {self.history(node)} in this tree")
        return node

    def outcome(self, node: int) -> Outcome | None:
        """The outcome of a leaf, None at a decision node."""
        return Outcome(int(self.leaf_class[node])) if self.leaf_class[node] >= 0 else None


class _Facts(NamedTuple):
    """What the tree's builder knows of a board: how the round ended (or must end), else the moves it keeps."""

    outcome: Outcome | None
    moves: tuple[tuple[int, Board], ...]


class _Rules:
    """The facts of every board, each worked out once: they depend on the marks alone, not on their order."""

    def __init__(self, end_rule: EndRule, merge_symmetric: bool, cut_forced: bool) -> None:
        self._end_rule = end_rule
        self._merge_symmetric = merge_symmetric
        self._cut_forced = cut_forced
        self._facts: dict[Board, _Facts] = {}
        self._forced: dict[Board, Outcome | None] = {}

    def facts(self, board: Board) -> _Facts:
        known = self._facts.get(board)
        if known is None:
            outcome = self._forced_outcome(board) if self._cut_forced else self._end_rule(board)
            known = self._facts[board] = _Facts(outcome, () if outcome is not None else self._moves(board))
        return known

    def _moves(self, board: Board) -> tuple[tuple[int, Board], ...]:
        moves = [(square, board.play(square)) for square in board.free_squares]
        if self._merge_symmetric:
            lowest: dict[Board, tuple[int, Board]] = {}
            for move in moves:
                lowest.setdefault(move[1].canonical(), move)
            moves = list(lowest.values())
        return tuple(moves)

    def _forced_outcome(self, board: Board) -> Outcome | None:
        """The outcome in which every continuation ends, None if there is more than one. Same for all images."""
        key = board.canonical()
        if key not in self._forced:
            outcome = self._end_rule(board)
            if outcome is None:
                outcomes = {self._forced_outcome(board.play(square)) for square in board.free_squares}
                outcome = outcomes.pop() if len(outcomes) == 1 else None
            self._forced[key] = outcome
        return self._forced[key]
