"""Walking a solved tree while the board stays as the person sees it.

The tree keeps one of several symmetric moves. A cursor plays any move on the real board and finds the node that it is
merged into; it carries a symmetry that takes the real board to the node's board, so that neither ever jumps.
"""

from __future__ import annotations

from dataclasses import dataclass

from .board import END_RULES, SYMMETRIES, Board, Outcome
from .match import Goal, Score, Seat
from .tree import GameTree

_IDENTITY = SYMMETRIES[0]


class IllegalMoveError(ValueError):
    """A move that the board does not allow; the message says why."""


class Cursor:
    """A position of a round: the squares played, as the person sees them, and where that is in the tree."""

    def __init__(self, tree: GameTree, moves: tuple[int, ...] = ()) -> None:
        """Raises IllegalMoveError for moves that cannot be played in this order."""
        self.tree = tree
        self._moves: list[int] = []
        self._boards = [Board()]
        self._nodes = [0]
        self._symmetries = [_IDENTITY]
        for move in moves:
            self.play(move)

    @property
    def moves(self) -> tuple[int, ...]:
        """The squares played, in order, on the real board."""
        return tuple(self._moves)

    @property
    def board(self) -> Board:
        """The real board."""
        return self._boards[-1]

    @property
    def node(self) -> int:
        """The node of the position. After the tree's leaf, which a forced outcome makes early, it stays that leaf."""
        return self._nodes[-1]

    @property
    def nodes(self) -> tuple[int, ...]:
        """The nodes from the root to the position, one per move and the root, without repeating a leaf."""
        return tuple(node for index, node in enumerate(self._nodes) if index == 0 or node != self._nodes[index - 1])

    @property
    def mover(self) -> Seat | None:
        """Who moves next on the real board; None when the round is over."""
        return None if self.outcome is not None else Seat(len(self._moves) % 2)

    @property
    def outcome(self) -> Outcome | None:
        """How the round has ended on the real board, None while it goes on."""
        return END_RULES[self.tree.end_rule](self.board)

    @property
    def forced_outcome(self) -> Outcome | None:
        """The outcome in which every continuation ends, None while that is open."""
        return self.tree.outcome(self.node)

    def play(self, square: int) -> None:
        """Mark a free square for the player whose turn it is. Raises IllegalMoveError, and changes nothing then."""
        if self.outcome is not None:
            raise IllegalMoveError("the round is over")
        if square not in self.board.free_squares:
            raise IllegalMoveError(f"square {square} is not free" if 1 <= square <= 9 else f"{square} is not a square")
        board = self.board.play(square)
        node, symmetry = self.node, self._symmetries[-1]
        if self.tree.outcome(node) is None:
            node, symmetry = self._child_of(square)
        self._moves.append(square)
        self._boards.append(board)
        self._nodes.append(node)
        self._symmetries.append(symmetry)

    def undo(self) -> int:
        """Take the last move back; the square it was. Raises IllegalMoveError at the start of the round."""
        if not self._moves:
            raise IllegalMoveError("there is no move to take back")
        self._boards.pop()
        self._nodes.pop()
        self._symmetries.pop()
        return self._moves.pop()

    def squares_by_child(self) -> dict[int, tuple[int, ...]]:
        """For every child of the node the real squares that lead to it, in increasing order; empty at a leaf."""
        result: dict[int, list[int]] = {child: [] for child in self.tree.children(self.node)}
        if result:
            for square in self.board.free_squares:
                result[self._child_of(square)[0]].append(square)
        return {child: tuple(squares) for child, squares in result.items()}

    def _child_of(self, square: int) -> tuple[int, tuple[int, ...]]:
        """The node that a move on the real board leads to, and the symmetry that takes the board there."""
        symmetry = self._symmetries[-1]
        before = self.board.image(symmetry)
        board = before.play(symmetry[square - 1])
        for child in self.tree.children(self.node):
            goal = before.play(int(self.tree.square[child]))
            if board == goal:
                return child, symmetry
        for child in self.tree.children(self.node):
            goal = before.play(int(self.tree.square[child]))
            for turn in SYMMETRIES:
                if board.image(turn) == goal:
                    return child, tuple(turn[symmetry[square - 1] - 1] for square in range(1, 10))
        raise AssertionError(f"no node for square {square} after {self.moves}")


_GOAL_LETTERS = {Goal.WIN: "w", Goal.LOSE: "l", Goal.TIE: "t"}


@dataclass(frozen=True)
class Position:
    """A position that people can send each other, such as "4-3 wl 513": score, goals, squares played.

    score and goals are those of the player who moves first, then of the other. "-" stands for no moves.
    """

    score: Score
    first_goal: Goal
    second_goal: Goal
    moves: tuple[int, ...]

    def __str__(self) -> str:
        goals = _GOAL_LETTERS[self.first_goal] + _GOAL_LETTERS[self.second_goal]
        return f"{self.score} {goals} {''.join(map(str, self.moves)) or '-'}"

    @classmethod
    def parse(cls, text: str) -> Position:
        """Read what str() wrote; the moves may be missing. Raises ValueError saying which part is wrong."""
        parts = text.split()
        if not 2 <= len(parts) <= 3:
            raise ValueError(f"{text!r} is not a position: write score, goals and moves, such as 4-3 wl 513")
        first, dash, second = parts[0].partition("-")
        if not (dash and first.isascii() and first.isdigit() and second.isascii() and second.isdigit()):
            raise ValueError(f"{parts[0]!r} is not a score: write both players' points, first mover first, such as 4-3")
        letters = {letter: goal for goal, letter in _GOAL_LETTERS.items()}
        goals = parts[1].lower()
        if len(goals) != 2 or any(letter not in letters for letter in goals):
            raise ValueError(f"{parts[1]!r} are not two goals: write w, l or t for each player, such as wl")
        moves = parts[2] if len(parts) == 3 and parts[2] != "-" else ""
        if any(square not in "123456789" for square in moves) or len(set(moves)) < len(moves):
            raise ValueError(f"{moves!r} are not moves: write different squares from 1 to 9, such as 513")
        score = Score(int(first[:9]), int(second[:9]))
        return cls(score, letters[goals[0]], letters[goals[1]], tuple(map(int, moves)))
