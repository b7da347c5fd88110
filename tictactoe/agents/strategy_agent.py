"""Agents that play strategies: those of a solution or of an opponent that ships, or the uniform strategy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from ..algorithms.arrays import FloatArray
from ..checked_numbers import whole_number
from ..errors import IllegalMoveError
from ..games.cursor import Cursor
from ..games.goals import Goal, OutcomeValues
from ..games.rules import Rules
from ..games.tic_tac_toe_tree import GameTree
from ..match.scores import Score
from ..play.bot import RoundBot
from ..play.opponent_bot import constant_strategy
from ..play.randomness import generator_for, round_purpose
from .agent import MatchEnd, MatchFacts, RoundEnd, RoundFacts

NO_VALUES = OutcomeValues(0.0, 0.0, 0.0, 0.0)
"""Outcome values for a bot whose values nobody uses."""


class RoundBots(Protocol):
    """Bots for every score of a match, with the interface of MatchBot."""

    def round_bot(self, score: Score) -> RoundBot:
        """The bot for a score."""
        ...


class StrategyAgent:
    """Plays a strategy at every score. It marks symmetric squares with the same probability.

    bots: makes the bots of a match from its winning score; raises ValueError for a match that they cannot play.
    rules: the rules of the strategy. seed: seed of the draws in all matches; None for a new seed every time.

    An agent can be pickled if `bots` can, also in the middle of a match. With a seed, the copy then plays like the
    original.
    """

    def __init__(self, bots: Callable[[int], RoundBots], rules: Rules, seed: int | None = None) -> None:
        self._bots = bots
        self._rules = rules
        self._seed = None if seed is None else whole_number("seed", seed, 0)
        self._matches = 0

    def begin_match(self, facts: MatchFacts) -> None:
        """Raise ValueError for a match by other rules, or to more points than the strategy has."""
        if Rules.parse(facts.rules) != self._rules:
            raise ValueError(f"rules: a strategy for {self._rules} cannot play by {facts.rules}")
        self._playing = self._bots(facts.winning_score)
        self._matches += 1

    def begin_round(self, facts: RoundFacts) -> None:
        """As `Agent` says."""
        self._goal: Goal = facts.goal
        self._bot = self._playing.round_bot(facts.score)
        self._cursor = Cursor(self._bot.tree)
        purpose = round_purpose(f"agent, match {self._matches}", facts.number)
        self._generator = generator_for(self._seed, purpose)

    def choose(self, moves: tuple[int, ...]) -> int:
        """As `Agent` says. Raises IllegalMoveError after impossible moves."""
        cursor = self._cursor_at(moves)
        if cursor.mover is None:
            raise IllegalMoveError("the round is over")
        return self._bot.choose(cursor, self._goal, self._generator)

    def _cursor_at(self, moves: tuple[int, ...]) -> Cursor:
        """The cursor after these moves, moved on from the last question if that is on the way."""
        known = self._cursor.moves
        if moves[: len(known)] != known:
            self._cursor = Cursor(self._bot.tree)
        for square in moves[len(self._cursor.moves) :]:
            self._cursor.play(square)
        return self._cursor

    def end_round(self, end: RoundEnd) -> None:
        """As `Agent` says."""

    def end_match(self, end: MatchEnd) -> None:
        """As `Agent` says."""


class SameAtEveryScore:
    """One bot for every score."""

    def __init__(self, bot: RoundBot) -> None:
        self._bot = bot

    def in_match(self, winning_score: int) -> RoundBots:
        """The same bots, for a match to any number of points."""
        return self

    def round_bot(self, score: Score) -> RoundBot:
        """The same bot at any score."""
        return self._bot


def same_at_every_score(tree: GameTree, strategy: FloatArray, seed: int | None = None) -> StrategyAgent:
    """An agent that plays one strategy, float64 (num_nodes, 3), at every score of any match."""
    return StrategyAgent(SameAtEveryScore(RoundBot(tree, strategy, NO_VALUES)).in_match, tree.rules, seed)


def constant_agent(name: str, tree: GameTree, seed: int | None = None) -> StrategyAgent:
    """An opponent of OPPONENTS with one strategy for all scores. Raises ValueError for an opponent with several."""
    return same_at_every_score(tree, constant_strategy(name, tree), seed)


def uniform_agent(tree: GameTree, seed: int | None = None) -> StrategyAgent:
    """An agent that marks any free square with the same probability."""
    return constant_agent("uniform", tree, seed)
