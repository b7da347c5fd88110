"""A round being played as a value that never changes, in every variant of its moves. Uses no other library.

Other libraries copy their states all the time, once for every branch of a search. These values are shared instead.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeVar

from ..algorithms.game import Game
from ..algorithms.game_builder import build_game
from ..errors import IllegalMoveError
from ..games.board import Board
from ..games.goals import RESULTS, SINGLE_ROUND, Goal, OutcomeValues, Seat
from ..games.payoffs import tic_tac_toe_round
from ..games.rules import Outcome, Rules
from ..games.tic_tac_toe_tree import BoardFacts, GameTree, boards_of

_Self = TypeVar("_Self", bound="_Shared")


class _Shared:
    """A value that never changes: its copy is the same object."""

    def __deepcopy__(self: _Self, memo: dict[int, Any]) -> _Self:
        return self


@dataclass(frozen=True)
class RoundVariant(_Shared):
    """A variant of the round. Raises ValueError for a start that is no sequence of moves, or that decides the round.

    >>> variant = RoundVariant(start=(5, 1, 9, 3))
    >>> variant.play.squares, len(RoundVariant(merge_symmetric=False).play.squares)
    ((2, 4, 6, 7, 8), 9)
    """

    rules: Rules = field(default_factory=Rules)
    merge_symmetric: bool = True
    """Which moves are left out: see `GameTree.build`."""
    cut_forced: bool = True
    """Where rounds end: see `GameTree.build`."""
    start: tuple[int, ...] = ()
    """The squares that are played, in order, before goals are drawn. They tell nothing about the goals."""
    values: OutcomeValues = SINGLE_ROUND
    """What the results are worth to the first mover."""

    def __post_init__(self) -> None:
        board = Board()
        for square in self.start:
            if self._outcome(board) is not None:
                raise ValueError(f"start: the round is decided before the last move of {self._start_text}")
            if square not in board.free_squares:
                raise ValueError(f"start: {self._start_text} are not different squares from 1 to 9")
            board = board.play(square)
        if self._outcome(board) is not None:
            raise ValueError(f"start: the round is decided after {self._start_text}")

    @property
    def _start_text(self) -> str:
        return "".join(map(str, self.start))

    def _outcome(self, board: Board) -> Outcome | None:
        """The outcome, as early as it is certain, with or without `cut_forced`."""
        return boards_of(self.rules.of_round).facts(board).outcome

    def facts(self, board: Board) -> BoardFacts:
        """The moves of a board, or how the round has ended."""
        return boards_of(self.rules.of_round, self.merge_symmetric, self.cut_forced).facts(board)

    @property
    def play(self) -> RoundPlay:
        """The round before anything has been drawn."""
        board = Board()
        for square in self.start:
            board = board.play(square)
        return RoundPlay(self, (), self.start, board)

    def game(self) -> Game:
        """The round as a game for the algorithms of this package: types are goals, moves are squares.

        Without a start its tree is that of `GameTree.build`.

        >>> from tictactoe import exploitability, uniform_strategy
        >>> game = RoundVariant(start=(5, 1, 9, 3)).game()
        >>> game.tree.num_nodes, round(exploitability(game, uniform_strategy(game.tree)).total, 6)
        (115, 0.883333)
        """
        if self.start:
            return build_game(_Description(self))
        tree = GameTree.build(self.rules, merge_symmetric=self.merge_symmetric, cut_forced=self.cut_forced)
        return tic_tac_toe_round(tree, self.values)


@dataclass(frozen=True)
class RoundPlay(_Shared):
    """What has happened in a round.

    >>> play = RoundVariant().play.draw(Goal.WIN).draw(Goal.TIE)
    >>> for square in (1, 2, 5, 3, 9):
    ...     play = play.mark(square)
    >>> play.outcome.name, play.scored
    ('WIN', (True, False))
    """

    variant: RoundVariant
    goals: tuple[Goal, ...]
    """The goals drawn so far, the first mover's first."""
    moves: tuple[int, ...]
    """The squares played, in order, beginning with the start."""
    board: Board
    """The marks."""

    @property
    def is_drawn(self) -> bool:
        """Whether both goals have been drawn, so that somebody can move."""
        return len(self.goals) == 2

    @property
    def outcome(self) -> Outcome | None:
        """How the round has ended, None while it goes on."""
        return self.variant.facts(self.board).outcome

    @property
    def mover(self) -> Seat:
        """The player to move, if the round goes on."""
        return Seat(len(self.moves) % 2)

    @property
    def squares(self) -> tuple[int, ...]:
        """The squares that can be marked, in increasing order; empty when the round has ended."""
        return tuple(square for square, _ in self.variant.facts(self.board).moves)

    def draw(self, goal: Goal) -> RoundPlay:
        """The round after the next player has drawn this goal. Raises ValueError if both have goals already."""
        if self.is_drawn:
            raise ValueError("goal: both have been drawn")
        return RoundPlay(self.variant, (*self.goals, goal), self.moves, self.board)

    def mark(self, square: int) -> RoundPlay:
        """The round after the mover's next move. Raises IllegalMoveError for a square that is not in `squares`."""
        for move, after in self.variant.facts(self.board).moves:
            if move == square:
                return RoundPlay(self.variant, self.goals, (*self.moves, square), after)
        raise IllegalMoveError(f"square {square} is not one of {self.squares}")

    @property
    def scored(self) -> tuple[bool, bool]:
        """Whether the first and whether the second mover scores; ValueError while the round goes on."""
        if self.outcome is None or not self.is_drawn:
            raise ValueError("the round goes on")
        return self.variant.rules.scores(self.outcome, *self.goals)

    @property
    def worth(self) -> float:
        """What the result is worth to the first mover; ValueError while the round goes on."""
        return self.variant.values[RESULTS.index(self.scored)]


@dataclass(frozen=True)
class _Description:
    """A `GameDescription`. Its states are rounds without goals."""

    variant: RoundVariant
    types: tuple[tuple[Goal, ...], tuple[Goal, ...]] = (tuple(Goal), tuple(Goal))

    def prior(self, first: Goal, second: Goal) -> float:
        probabilities = self.variant.rules.goal_probabilities
        return probabilities[first] * probabilities[second]

    def root(self) -> RoundPlay:
        return self.variant.play

    def owner(self, state: RoundPlay) -> int | None:
        return int(state.mover) if state.outcome is None else None

    def moves(self, state: RoundPlay) -> list[tuple[int, RoundPlay]]:
        after = self.variant.facts(state.board).moves
        return [(square, RoundPlay(self.variant, (), (*state.moves, square), board)) for square, board in after]

    def payoff(self, state: RoundPlay, first: Goal, second: Goal) -> float:
        return RoundPlay(self.variant, (first, second), state.moves, state.board).worth
