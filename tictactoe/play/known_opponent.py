"""Somebody whose strategy is known: what its moves tell of its goal, and which moves are best against it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from ..games.cursor import Cursor
from ..games.goals import Goal, Seat
from ..games.tic_tac_toe_tree import GameTree
from ..match.markov_chain import MatchState
from ..match.response_values import ResponseValues
from ..match.scores import Score
from .best_play import Belief, BestPlay
from .bot import RoundBot
from .move_costs import LEAST_PLAYED_PROBABILITY
from .opponent_bot import constant_strategy, opponent_of
from .opponents import OPPONENTS

MOST_POINTS_TO_GO = 10
"""The best moves are computed if no player needs more points. They take seconds then, and minutes for 40 points."""

_ROUNDING = 1e-9
"""Moves whose values are this near to each other are equally good."""


class MoveAgainst(NamedTuple):
    """A move against a known opponent."""

    opponent: str
    """A name of OPPONENTS."""
    gained: float
    """As in `AgainstKnown.gains`."""
    best: tuple[int, ...]
    """The squares that gain most."""


@dataclass(frozen=True)
class AgainstKnown:
    """The moves of a position against a known opponent.

    A gain is over what a perfect player marks, one of the moves that cost nothing against its like; on average if that
    is drawn. After either move the best possible player against this opponent goes on. It is in the unit of the outcome
    values.
    """

    gains: dict[int, float]
    """By free square; negative for a move that costs something."""
    best: tuple[int, ...]
    """The squares that gain most, in increasing order."""
    perfect: tuple[int, ...]
    """The squares that a perfect player marks, in increasing order."""

    @property
    def most(self) -> float:
        """The gain of the best squares; not negative."""
        return max(0.0, *self.gains.values())


class KnownOpponent:
    """An opponent of OPPONENTS in a match, or in rounds on their own.

    perfect_at: the perfect player at a score. winning_score: of the match; None if results are worth what they are
    worth to the perfect player, as in a round on its own.

    >>> from tictactoe import MatchBot, load_solution
    >>> bot = MatchBot(load_solution("shipped"))
    >>> learner = KnownOpponent("learner-1", bot.round_bot, bot.winning_score)
    >>> cursor = Cursor(bot.tree, (5,))  # it takes the centre whenever it wants to win, and never otherwise
    >>> learner.belief(cursor, Seat.FIRST, Score(4, 4))
    (1.0, 0.0, 0.0)
    >>> learner.moves(cursor, Goal.WIN, Score(4, 4)).best
    (1, 3, 7, 9)
    """

    def __init__(self, name: str, perfect_at: Callable[[Score], RoundBot], winning_score: int | None) -> None:
        self.name = name
        self._perfect_at, self._winning_score = perfect_at, winning_score
        self._bots: dict[Score, RoundBot] = {}
        self._best: dict[MatchState, BestPlay] = {}
        self._values: ResponseValues | None = None

    def belief(self, cursor: Cursor, seat: Seat, score: Score) -> Belief:
        """How likely each of its goals is when it sits in `seat`, by Bayes' rule. After a move that the opponent
        never makes, its goals are as likely as drawn."""
        return self._bot(score).belief(cursor.node, seat)

    def never_moves_so(self, cursor: Cursor, seat: Seat, score: Score) -> bool:
        """Whether it would not have made its moves with any goal, when it sits in `seat`."""
        return self._bot(score).is_lost(cursor.node, seat)

    def can_answer(self, score: Score) -> bool:
        """Whether the score is near enough to the end of the match for `moves`."""
        return self._winning_score is None or self._winning_score - min(score) <= MOST_POINTS_TO_GO

    def is_ready(self, score: Score, seat: Seat) -> bool:
        """Whether `moves` answers at once. Otherwise it may take seconds, once for each match."""
        return MatchState(seat, score) in self._best

    def moves(self, cursor: Cursor, goal: Goal, score: Score) -> AgainstKnown:
        """The moves of a player with this goal whose turn it is. Raises ValueError once the round is decided."""
        seat, squares = cursor.mover, cursor.squares_by_child()
        if seat is None or not squares:
            raise ValueError("cursor: the round is decided")
        best_play, perfect = self.best_play(score, seat), self._perfect_at(score)
        values = {child: best_play.value(child, seat, goal) for child in squares}
        likely = _drawn(perfect, cursor, goal)
        usual, most = sum(likely[child] * values[child] for child in squares), max(values.values())
        best = [square for child, own in squares.items() for square in own if most - values[child] <= _ROUNDING]
        marked = [sq for child, own in squares.items() for sq in own if likely[child] >= LEAST_PLAYED_PROBABILITY]
        gains = {square: values[child] - usual for child, own in squares.items() for square in own}
        return AgainstKnown(gains, tuple(sorted(best)), tuple(sorted(marked)))

    def move(self, cursor: Cursor, square: int, goal: Goal, score: Score) -> MoveAgainst | None:
        """The move on the square; None if `can_answer` is not."""
        if not self.can_answer(score):
            return None
        moves = self.moves(cursor, goal, score)
        return MoveAgainst(self.name, moves.gains[square], moves.best)

    def best_play(self, score: Score, seat: Seat) -> BestPlay:
        """Best play of somebody in `seat` against it, in the round at the score and all that follow."""
        state = MatchState(seat, score)
        if state not in self._best:
            bot = self._bot(score)
            values = bot.values if self._winning_score is None else self._response(bot.tree).outcome_values(state)
            self._best[state] = BestPlay(bot.tree, bot.strategy, values, None)
        return self._best[state]

    def _bot(self, score: Score) -> RoundBot:
        if score not in self._bots:
            self._bots[score] = opponent_of(self.name, self._perfect_at(score))
        return self._bots[score]

    def _response(self, tree: GameTree) -> ResponseValues:
        assert self._winning_score is not None
        if not OPPONENTS[self.name].uses_solution:
            return _values_against(self.name, tree, self._winning_score)
        if self._values is None:
            self._values = ResponseValues(tree, lambda score: self._bot(score).strategy, self._winning_score)
        return self._values


def _drawn(perfect: RoundBot, cursor: Cursor, goal: Goal) -> dict[int, float]:
    """By child of the position, how likely a perfect player marks one of its squares: as the strategy draws among the
    moves that cost nothing. An unrefined strategy may play none of these moves: then any of their squares."""
    squares = cursor.squares_by_child()
    costs = dict(zip(perfect.tree.children(cursor.node), perfect.best_play.costs(cursor.node, goal), strict=True))
    good = [child for child in squares if not costs[child]]
    weights = {child: float(perfect.strategy[child, goal]) if child in good else 0.0 for child in squares}
    if sum(weights.values()) < LEAST_PLAYED_PROBABILITY:
        weights |= {child: float(len(squares[child])) for child in good}
    total = sum(weights.values())
    return {child: weight / total for child, weight in weights.items()}


@cache
def _values_against(name: str, tree: GameTree, winning_score: int) -> ResponseValues:
    """Of an opponent that plays in the same way at every score."""
    strategy = constant_strategy(name, tree)
    return ResponseValues(tree, lambda score: strategy, winning_score)
