"""An opponent whose strategy is known, and the best responder to it.

response_table.json, from benchmarks/responses.py, has the values of best responders to the opponents that ship.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..algorithms.arrays import FloatArray
from ..algorithms.strategy import with_root
from ..games.cursor import Cursor
from ..games.rules import Goal, Seat
from ..games.tic_tac_toe_tree import GameTree
from ..match.head_to_head import MatchState
from ..match.scores import Score, all_scores, score_in_longer_match
from .bot import Belief, RoundBot, fixed_strategy, opponent_of
from .opponents import OPPONENTS

if TYPE_CHECKING:
    from ..match.best_response_over_match import ResponseValues

MOST_POINTS_TO_GO = 10
"""The most points of a match for which best responses are computed. Those take seconds; for 40 points, minutes."""

_MOST_KEPT = 12
"""The number of best responders that memory keeps, of some megabytes each; about as many as a match needs."""

_ROUNDING = 1e-9
"""Moves whose values differ by at most this are equally good."""


@dataclass(frozen=True, eq=False)
class BestResponder(RoundBot):
    """The best responder to an opponent, in a seat, for this round and the following ones. The opponent's moves cost
    nothing.

    strategy: in `seat`, the best moves with equal probabilities; in the other seat, the opponent's moves.
    """

    opponent: str = ""
    """The opponent's title."""
    seat: Seat = Seat.FIRST
    perfect: RoundBot | None = None
    """The perfect player, who decides what the responder's moves tell an onlooker."""

    @property
    def is_refined(self) -> bool:
        return True

    def belief(self, node: int, seat: Seat) -> Belief:
        if seat is self.seat and self.perfect is not None:
            return self.perfect.belief(node, seat)
        return super().belief(node, seat)

    def worth(self, node: int, seat: Seat, goal: Goal) -> float:
        if seat is self.seat:
            return super().worth(node, seat, goal)
        likely, expected = np.array(self.belief(node, self.seat)), self.expected[node]
        return float(expected[goal] @ likely if seat is Seat.FIRST else -likely @ expected[:, goal])

    def costs(self, node: int, goal: Goal) -> FloatArray:
        costs = super().costs(node, goal)
        return costs if self.tree.owner[node] == self.seat else np.zeros_like(costs)


class KnownOpponent:
    """An opponent of OPPONENTS in a match, or in rounds on their own.

    perfect_at: a function from a score to the perfect player there.
    winning_score: the winning score of the match; None to use the outcome values of the perfect player.
    ships: whether the perfect player comes with the program.

    >>> from tictactoe import MatchBot, load_solution
    >>> bot = MatchBot(load_solution("shipped"))
    >>> learner = KnownOpponent("learner-1", bot.round_bot, bot.winning_score)
    >>> cursor = Cursor(bot.tree, (5,))  # it takes the centre whenever it wants to win, and never otherwise
    >>> learner.belief(cursor, Seat.FIRST, Score(4, 4))
    (1.0, 0.0, 0.0)
    >>> responder = learner.responder(Score(4, 4), Seat.SECOND)
    >>> [choice.squares for choice in responder.choices(cursor, Goal.WIN) if choice.probability]
    [(1, 3, 7, 9)]
    """

    def __init__(
        self, name: str, perfect_at: Callable[[Score], RoundBot], winning_score: int | None, *, ships: bool = False
    ) -> None:
        self.name, self._ships = name, ships
        self._perfect_at, self._winning_score = perfect_at, winning_score
        self._bots: dict[Score, RoundBot] = {}
        self._responders: dict[MatchState, BestResponder] = {}
        self._values: ResponseValues | None = None

    @property
    def title(self) -> str:
        return OPPONENTS[self.name].title

    def belief(self, cursor: Cursor, seat: Seat, score: Score) -> Belief:
        """The belief about the opponent's goal if it has `seat`; the odds of the draw after a move that it never
        makes."""
        return self._bot(score).belief(cursor.node, seat)

    def never_moves_so(self, cursor: Cursor, seat: Seat, score: Score) -> bool:
        """Whether the opponent, in `seat`, never makes the moves of the cursor."""
        return self._bot(score).is_lost(cursor.node, seat)

    @property
    def can_answer(self) -> bool:
        """Whether the match is short enough for `responder`."""
        return self._winning_score is None or self._winning_score <= MOST_POINTS_TO_GO

    def is_ready(self, score: Score, seat: Seat) -> bool:
        """Whether `responder` answers at once. Otherwise it may take seconds, once in each match."""
        return MatchState(seat, score) in self._responders

    def responder(self, score: Score, seat: Seat) -> BestResponder:
        """The best responder in `seat`, for the round at the score and all later ones."""
        state = MatchState(seat, score)
        if state not in self._responders:
            bot = self._bot(score)
            values = bot.values if self._winning_score is None else self._response(bot.tree).outcome_values(state)
            strategy = _answers(RoundBot(bot.tree, bot.strategy, values), seat)
            perfect = self._perfect_at(score)
            if len(self._responders) >= _MOST_KEPT:
                del self._responders[next(iter(self._responders))]
            self._responders[state] = BestResponder(bot.tree, strategy, values, None, self.title, seat, perfect)
        return self._responders[state]

    def value(self, state: MatchState) -> float:
        """The match value of a state of the match to the best responder."""
        bot = next(iter(self._bots.values()), None) or self._bot(state.score)
        return self._response(bot.tree).value(state)

    def _bot(self, score: Score) -> RoundBot:
        if score not in self._bots:
            self._bots[score] = opponent_of(self.name, self._perfect_at(score))
        return self._bots[score]

    def _response(self, tree: GameTree) -> ResponseValues:
        assert self._winning_score is not None
        if not OPPONENTS[self.name].uses_solution:
            return _values_against(self.name, tree, self._winning_score)
        if self._values is None:
            from ..match.best_response_over_match import ResponseValues

            known = tabled_values(str(tree.rules), self.name, self._winning_score) if self._ships else {}
            self._values = ResponseValues(tree, lambda score: self._bot(score).strategy, self._winning_score, known)
        return self._values


def _answers(bot: RoundBot, seat: Seat) -> FloatArray:
    """The best moves in `seat`, with equal probabilities: float64 (num_nodes, 3)."""
    families, values = bot.tree.all_families, bot.best_values[seat][1:]
    good = (families.at_nodes(families.largest(values)) - values <= _ROUNDING).astype(np.float64)
    good /= families.at_nodes(families.sums(good))
    return np.where((bot.tree.mover == seat)[:, None], with_root(good), bot.strategy)


@cache
def _values_against(name: str, tree: GameTree, winning_score: int) -> ResponseValues:
    from ..match.best_response_over_match import ResponseValues

    strategy = fixed_strategy(name, tree)
    known = tabled_values(str(tree.rules), name, winning_score)
    return ResponseValues(tree, lambda score: strategy, winning_score, known)


FILE = Path(__file__).with_name("response_table.json")
WINNING_SCORE = 5


@cache
def _table() -> dict[str, dict[str, list[float]]]:
    found: dict[str, dict[str, list[float]]] = json.loads(FILE.read_bytes())
    return found


def states(winning_score: int) -> list[MatchState]:
    """The states of a match in the order of the table: by seat, then by score."""
    return [MatchState(seat, score) for seat in Seat for score in sorted(all_scores(winning_score))]


def tabled_values(rules: str, name: str, winning_score: int) -> dict[MatchState, float]:
    """The match values by state; empty if the table does not have them.

    >>> values = tabled_values("three-in-a-row", "learner-10", 2)
    >>> len(values), round(50.0 + 50.0 * values[states(2)[0]], 2)
    (8, 75.81)
    """
    values = _table().get(rules, {}).get(name)
    if values is None or winning_score > WINNING_SCORE:
        return {}
    of = dict(zip(states(WINNING_SCORE), values, strict=True))
    return {
        state: of[MatchState(state.seat, score_in_longer_match(state.score, winning_score, WINNING_SCORE))]
        for state in states(winning_score)
    }
