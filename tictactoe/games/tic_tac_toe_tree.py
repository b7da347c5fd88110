"""The public tree of a round of tic-tac-toe: built from the board, reduced by symmetry and forced outcomes."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np

from ..algorithms.arrays import ByteArray
from ..algorithms.public_tree import PublicTree
from .board import Board
from .rules import DEFAULT_RULES, Outcome, RoundRules, Rules


@dataclass(frozen=True, eq=False)
class GameTree(PublicTree):
    """The public tree of a round of tic-tac-toe: a node is a history, the squares played in order.

    leaf_class is the Outcome of a leaf as an int. Build a tree with `GameTree.build()`.

    >>> from tictactoe import GameTree
    >>> tree = GameTree.build()
    >>> tree.num_nodes, tree.num_decision_nodes, tree.history(tree.find((5, 1, 2)))
    (37538, 14409, (5, 1, 2))
    >>> GameTree.build("filled").num_nodes
    47202
    """

    square: ByteArray
    """int8 (num_nodes,): the square (1-9) of the move into a node, 0 at the root."""
    rules: Rules

    @staticmethod
    def build(rules: Rules | str = DEFAULT_RULES, *, merge_symmetric: bool = True, cut_forced: bool = True) -> GameTree:
        """The tree of a round under these rules, built once in a process.

        rules: the rules, or their text, such as "filled".
        merge_symmetric: of the moves from one node that lead to images of the same board, keep only the lowest square.
        cut_forced: make a node a leaf if every continuation ends in the same outcome.

        Raises ValueError for unknown rules.
        """
        rules = Rules.parse(rules) if isinstance(rules, str) else rules
        return _build(rules, rules.of_round, merge_symmetric, cut_forced)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """For `pickle`: the default tree of some rules is sent as its rules, and built again by the receiver."""
        if GameTree.build(self.rules) is self:
            return GameTree.build, (self.rules,)
        return super().__reduce_ex__(protocol)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.square.flags.writeable = False

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 (hexadecimal) of the rules and of every array that defines the tree."""
        digest = hashlib.sha256(f"tic-tac-toe tree, {self.rules}\n".encode())
        for array in (self.parent.astype("<i4"), self.owner, self.leaf_class, self.square):
            digest.update(array.tobytes())
        return digest.hexdigest()

    def move(self, node: int) -> int:
        """The square (1-9) of the move into a node. Raises IndexError for the root, and for one that does not exist."""
        return int(self.square[self.require_node(node, first=1)])

    def history_name(self, node: int) -> str:
        """For messages: "history 513", or "empty history" at the root."""
        squares = "".join(map(str, self.history(node)))
        return f"history {squares}" if squares else "empty history"

    def move_name(self, node: int) -> str:
        """For messages: "square 5" for the move into a node."""
        return f"square {self.move(node)}"

    def outcome(self, node: int) -> Outcome | None:
        """The outcome of a leaf, None at a decision node."""
        found = int(self.leaf_class[self.require_node(node)])
        return Outcome(found) if found >= 0 else None


@cache
def _build(rules: Rules, of_round: RoundRules, merge_symmetric: bool, cut_forced: bool) -> GameTree:
    boards = boards_of(of_round, merge_symmetric, cut_forced)
    parent, square, owner, outcome = [-1], [0], [-1], [-1]
    stack = [(0, Board())]
    while stack:
        node, board = stack.pop()
        facts = boards.facts(board)
        if facts.outcome is not None:
            outcome[node] = int(facts.outcome)
            continue
        owner[node] = board.num_marks % 2
        children = list(enumerate(facts.moves, len(parent)))
        stack += [(child, after) for child, (_, after) in reversed(children)]
        square += [move for move, _ in facts.moves]
        parent += [node] * len(children)
        owner += [-1] * len(children)
        outcome += [-1] * len(children)
    owners, outcomes, squares = (np.array(numbers, np.int8) for numbers in (owner, outcome, square))
    return GameTree(np.array(parent, np.int32), owners, outcomes, squares, rules)


class BoardFacts(NamedTuple):
    """A board as the tree's builder sees it."""

    outcome: Outcome | None
    """How the round has ended, or must end; None while it is open."""
    moves: tuple[tuple[int, Board], ...]
    """The moves that the tree keeps, each a square and the board after it; empty after the end."""


class Boards:
    """The facts of every board, worked out once: they depend on the marks alone, not on their order."""

    def __init__(self, rules: RoundRules, merge_symmetric: bool, cut_forced: bool) -> None:
        self._outcome = rules.outcome
        self._merge_symmetric = merge_symmetric
        self._cut_forced = cut_forced
        self._facts: dict[Board, BoardFacts] = {}
        self._forced: dict[Board, Outcome | None] = {}

    def facts(self, board: Board) -> BoardFacts:
        known = self._facts.get(board)
        if known is None:
            outcome = self._forced_outcome(board) if self._cut_forced else self._outcome(board)
            known = self._facts[board] = BoardFacts(outcome, self._moves(board) if outcome is None else ())
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
        """The outcome of all continuations; None if they differ. The same for all images of a board."""
        key = board.canonical()
        if key not in self._forced:
            outcome = self._outcome(board)
            if outcome is None:
                outcomes = {self._forced_outcome(board.play(square)) for square in board.free_squares}
                outcome = outcomes.pop() if len(outcomes) == 1 else None
            self._forced[key] = outcome
        return self._forced[key]


@cache
def boards_of(rules: RoundRules, merge_symmetric: bool = True, cut_forced: bool = True) -> Boards:
    """The outcome or the moves of any board, without the whole tree.

    merge_symmetric, cut_forced: as in `GameTree.build`.

    >>> from tictactoe.games.rules import RULES
    >>> [square for square, _ in boards_of(RULES["filled"]).facts(Board()).moves]
    [1, 2, 5]
    """
    return Boards(rules, merge_symmetric, cut_forced)
