"""The public tree of a round of tic-tac-toe, reduced by symmetry and forced outcomes."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np

from ..algorithms.arrays import NUM_TYPES, ByteArray, FloatArray, IntArray
from ..algorithms.public_tree import PublicTree, read_only
from .board import SQUARES, Board
from .rules import DEFAULT_RULES, Goal, Outcome, RoundRules, Rules


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
        merge_symmetric: whether to keep only the lowest of symmetric squares.
        cut_forced: whether to make a node a leaf if every continuation has the same outcome.

        Raises ValueError for unknown rules.
        """
        rules = Rules.parse(rules) if isinstance(rules, str) else rules
        return _build(rules, rules.of_round, merge_symmetric, cut_forced)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Pickle the default tree of given rules as its rules."""
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
        """The square (1-9) of the move into a node. Raises IndexError for the root and for a missing node."""
        return int(self.square[self.require_node(node, first=1)])

    def history_name(self, node: int) -> str:
        """The history of a node for messages: "history 513", or "empty history" at the root."""
        squares = "".join(map(str, self.history(node)))
        return f"history {squares}" if squares else "empty history"

    def move_name(self, node: int) -> str:
        """The move into a node for messages, such as "square 5"."""
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
    outcome: Outcome | None
    """The certain outcome of the round; None while it is open."""
    moves: tuple[tuple[int, Board], ...]
    """The moves that the tree keeps, each a square and the board after it; empty after the end."""


class Boards:
    """The facts about every board, computed once."""

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
    """The facts about any board, without the tree. The switches are those of `GameTree.build`.

    >>> from tictactoe.games.rules import RULES
    >>> [square for square, _ in boards_of(RULES["filled"]).facts(Board()).moves]
    [1, 2, 5]
    """
    return Boards(rules, merge_symmetric, cut_forced)


STATES = ("history", "board")


@cache
def state_rows(tree: GameTree, state: str) -> IntArray:
    """int32 (num_nodes,), read-only: the row of the move into a node in a learner's table; the root has a row, too.

    state: one of STATES.
        "history": every move has a row of its own. The learner remembers its goal, its seat and all moves in order.
        "board": moves between the same boards, up to symmetry, share a row. The learner forgets the order of the moves.

    Raises ValueError for another state.

    >>> tree = GameTree.build()
    >>> [int(state_rows(tree, state).max()) + 1 for state in ("history", "board")]
    [37538, 1943]
    """
    if state not in STATES:
        raise ValueError(f"state: {state!r} is not one of {', '.join(STATES)}")
    if state == "history":
        return read_only(np.arange(tree.num_nodes, dtype=np.int32))
    boards = [Board()]
    kept: dict[Board, Board] = {}
    rows: dict[tuple[Board, Board], int] = {(Board(), Board()): 0}
    result = np.zeros(tree.num_nodes, np.int32)
    for node in range(1, tree.num_nodes):
        before = boards[tree.parent[node]]
        after = before.play(int(tree.square[node]))
        boards.append(after)
        pair = tuple(kept.setdefault(board, board.canonical()) for board in (before, after))
        result[node] = rows.setdefault((pair[0], pair[1]), len(rows))
    return read_only(result)


_SECOND = 1 << len(SQUARES)  # a board as one number: the second mover's bits are above the first's


def uniform_over_squares(tree: GameTree) -> FloatArray:
    """The strategy for which every free square of the real board is equally likely: float64 (num_nodes, 3).

    A move that represents four symmetric squares is four times as likely as a move that represents one.

    >>> from tictactoe import GameTree, uniform_over_squares
    >>> (9 * uniform_over_squares(GameTree.build())[1:4, 0]).tolist()  # a corner, a side, the centre
    [4.0, 4.0, 1.0]
    """
    return even_over_squares(tree, lambda board, _: board.free_squares)


def even_over_squares(tree: GameTree, squares: Callable[[Board, Goal], Sequence[int]]) -> FloatArray:
    """The strategy for which some free squares of the real board are equally likely: float64 (num_nodes, 3).

    squares: the squares for a mover's goal on a board; at least one, and symmetric on symmetric boards.
    """
    marks = np.zeros(tree.num_nodes, np.intp)
    for depth, nodes in enumerate(tree.nodes_by_depth[1:]):
        move = 1 << (tree.square[nodes].astype(np.intp) - 1)
        marks[nodes] = marks[tree.parent[nodes]] + move * (_SECOND if depth % 2 else 1)
    codes, board_of = np.unique(marks[tree.decision_nodes], return_inverse=True)  # few boards for many histories
    boards = [Board(code % _SECOND, code // _SECOND) for code in codes.tolist()]
    shares = np.array([_shares(board, squares) for board in boards])
    decision_of = np.repeat(np.arange(tree.num_decision_nodes), tree.num_children[tree.decision_nodes])
    num_free = len(SQUARES) - tree.depth[tree.parent[1:]]
    is_whole = tree.num_children[tree.parent[1:]] == num_free  # no move was merged here in any tree
    result = np.ones((tree.num_nodes, NUM_TYPES))
    result[1:] = shares[board_of[decision_of], np.where(is_whole, 0, 1), tree.square[1:] - 1]
    return result


def _shares(board: Board, squares: Callable[[Board, Goal], Sequence[int]]) -> FloatArray:
    """float64 (2, 9, 3), by square and goal: the probability of the square, and of all its symmetric squares."""
    image = {square: board.play(square).canonical() for square in board.free_squares}
    result = np.zeros((2, len(SQUARES), NUM_TYPES))
    for goal in Goal:
        chosen = squares(board, goal)
        count = Counter(image[square] for square in chosen)
        for square, after in image.items():
            result[:, square - 1, goal] = (square in chosen) / len(chosen), count[after] / len(chosen)
    return result
