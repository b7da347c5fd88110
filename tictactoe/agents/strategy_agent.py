"""Agents that play strategies: those of a solution or of an opponent that ships, or the uniform strategy.

Their policies, the strategies at every score of a match, suffice to judge them exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from typing import Protocol

from ..algorithms.arrays import FloatArray
from ..algorithms.strategy import both_seats
from ..checked_numbers import whole_number
from ..errors import IllegalMoveError
from ..games.cursor import Cursor
from ..games.rules import Goal, OutcomeValues, Rules, Seat
from ..games.tic_tac_toe_tree import GameTree
from ..match.head_to_head import MatchState, MatchStrategy
from ..match.scores import Score, all_scores, part_for_shorter_match
from ..play.bot import MatchBot, RoundBot, constant_strategy, generator_for, opponent_of, round_purpose
from ..play.opponents import OPPONENTS
from ..storage.shipped import SHIPPED_MATCHES, shipped_match, shipped_solution
from ..storage.solution import Solution, load_solution
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


Policy = Callable[[GameTree, int], MatchStrategy]
"""Takes the tree and the winning score of a match. Returns, by score, float64 (num_nodes, 3), the moves of both seats.
Raises ValueError for a match that the policy cannot play."""

KEPT_POLICY_STRATEGIES = 64
"""Strategies of a policy that memory keeps, those looked up last; each takes a MB."""


class LazyStrategy(Mapping[Score, FloatArray]):
    """Strategies by score, computed on their first look-up. Memory keeps the last ones; pickles do not."""

    def __init__(self, winning_score: int, strategy_at: Callable[[Score], FloatArray]) -> None:
        self._arguments = winning_score, strategy_at
        self._scores = dict.fromkeys(all_scores(winning_score))
        self._at = lru_cache(KEPT_POLICY_STRATEGIES)(strategy_at)

    def __reduce__(self) -> tuple[type[LazyStrategy], tuple[int, Callable[[Score], FloatArray]]]:
        return LazyStrategy, self._arguments

    def __getitem__(self, score: Score) -> FloatArray:
        if score not in self._scores:
            raise KeyError(score)
        return self._at(score)

    def __iter__(self) -> Iterator[Score]:
        return iter(self._scores)

    def __len__(self) -> int:
        return len(self._scores)


class KeptPolicy:
    """A policy with a cache of its last answers: a best response is slow to compute. Pickles leave out the cache."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._answers = lru_cache(2)(policy)

    def __reduce__(self) -> tuple[type[KeptPolicy], tuple[Policy]]:
        return KeptPolicy, (self._policy,)

    def __call__(self, tree: GameTree, winning_score: int) -> MatchStrategy:
        """Call the policy, or return its cached answer."""
        return self._answers(tree, winning_score)


class PolicyBots:
    """Plays the rounds of a match by a policy, with the interface of MatchBot."""

    def __init__(self, tree: GameTree, winning_score: int, strategies: MatchStrategy) -> None:
        self.winning_score = winning_score
        self._tree = tree
        self._strategies = strategies
        self._bots = lru_cache(KEPT_POLICY_STRATEGIES)(self._bot)

    def __reduce__(self) -> tuple[type[PolicyBots], tuple[GameTree, int, MatchStrategy]]:
        return PolicyBots, (self._tree, self.winning_score, self._strategies)

    def round_bot(self, score: Score) -> RoundBot:
        """The bot for a score."""
        return self._bots(score)

    def _bot(self, score: Score) -> RoundBot:
        return RoundBot(self._tree, self._strategies[score], NO_VALUES)


def constant_policy(learnt_on: GameTree, strategy: FloatArray) -> Policy:
    """A policy with the same strategy, float64 (num_nodes, 3), at every score of any match by the tree's rules."""
    return partial(_constant, learnt_on, strategy)


def _constant(learnt_on: GameTree, strategy: FloatArray, tree: GameTree, winning_score: int) -> MatchStrategy:
    if tree.fingerprint != learnt_on.fingerprint:
        raise ValueError(f"rules: learnt by {learnt_on.rules}, not by {tree.rules}")
    return dict.fromkeys(all_scores(winning_score), strategy)


def solution_policy(solution: Solution, *, average: bool = True) -> Policy:
    """A policy that plays a solution. Raises ValueError for a longer match, and for one not yet solved."""
    return partial(_of_solution, solution, average)


def _of_solution(solution: Solution, average: bool, tree: GameTree, winning_score: int) -> MatchStrategy:
    if tree.fingerprint != solution.tree.fingerprint:
        raise ValueError(f"rules: solved for {solution.tree.rules}, not for {tree.rules}")
    MatchBot(solution, winning_score)  # raises when scores are missing
    strategies = solution.strategies(average=average)
    part = part_for_shorter_match(strategies, solution.winning_score, winning_score)
    return LazyStrategy(winning_score, part.__getitem__)


def opponent_policy(name: str) -> Policy:
    """The policy of an opponent of OPPONENTS. Raises ValueError for rules or points for which no solution ships."""
    return partial(_of_opponent, name)


def _of_opponent(name: str, tree: GameTree, winning_score: int) -> MatchStrategy:
    if not OPPONENTS[name].uses_solution:
        return dict.fromkeys(all_scores(winning_score), constant_strategy(name, tree))
    shipped = shipped_match(tree.rules, min(winning_score, SHIPPED_MATCHES["shipped"]))
    if shipped is None:
        raise ValueError(f"rules: no solution ships for {tree.rules}, which {name} plays from; name one of your own")
    solution = load_solution(shipped_solution(shipped))
    if solution.tree.fingerprint != tree.fingerprint:
        raise ValueError(f"rules: the solution that {name} plays from is for another tree")
    return LazyStrategy(winning_score, partial(_opponent_at, name, MatchBot(solution, winning_score)))


def _opponent_at(name: str, bots: MatchBot, score: Score) -> FloatArray:
    return opponent_of(name, bots.round_bot(score)).strategy


def best_response_policy(answered: Policy) -> Policy:
    """The best response over the match to another policy.

    A call of the policy computes it, in some seconds. The best response knows the other policy, the score and its own
    seat, but not the opponent's goal, and not the chance behind the opponent's moves.
    """
    return partial(_best_response, answered)


def _best_response(answered: Policy, tree: GameTree, winning_score: int) -> MatchStrategy:
    from ..match.best_response_over_match import best_response_over_match

    found = best_response_over_match(tree, answered(tree, winning_score), winning_score).strategies
    return LazyStrategy(winning_score, partial(_both_seats_at, tree, found))


def _both_seats_at(tree: GameTree, found: Mapping[MatchState, FloatArray], score: Score) -> FloatArray:
    return both_seats(tree, *(found[MatchState(seat, score)] for seat in Seat))
