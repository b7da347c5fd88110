"""Fixed policies: an agent's strategies at every score of a match. They suffice to judge the agent exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial

from ..algorithms.arrays import FloatArray
from ..algorithms.strategy import both_seats
from ..games.goals import Seat
from ..games.tic_tac_toe_tree import GameTree
from ..match.markov_chain import MatchState, MatchStrategy
from ..match.scores import Score, all_scores
from ..match.shorter_match import part_for_shorter_match
from ..play.bot import MatchBot, RoundBot
from ..play.opponent_bot import constant_strategy, opponent_of
from ..play.opponents import OPPONENTS
from ..storage.shipped import SHIPPED_MATCHES, shipped_match, shipped_solution
from ..storage.solution import Solution, load_solution
from .strategy_agent import NO_VALUES

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
