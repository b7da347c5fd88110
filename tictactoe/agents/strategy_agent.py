"""Agents that play fixed policies, and the policies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from ..algorithms.arrays import FloatArray
from ..algorithms.strategy import both_seats
from ..checked_numbers import whole_number
from ..errors import IllegalMoveError
from ..games.cursor import Cursor
from ..games.rules import Goal, OutcomeValues, Rules, Seat
from ..games.tic_tac_toe_tree import GameTree
from ..match.head_to_head import MatchState, MatchStrategy
from ..match.scores import ByScore, Score, all_scores, part_for_shorter_match
from ..play.adaptive import AdaptiveBot
from ..play.bot import MatchBot, RoundBot, fixed_strategy, generator_for, opponent_of, round_purpose
from ..play.opponents import DEFAULT_OPPONENT, OPPONENTS
from ..storage.learnt_table import LearntTable
from ..storage.shipped import SHIPPED_MATCHES, shipped_match, shipped_solution
from ..storage.solution import Solution, load_solution
from .agent import MatchEnd, MatchFacts, RoundEnd, RoundFacts

NO_VALUES = OutcomeValues(0.0, 0.0, 0.0, 0.0)
"""Outcome values for a bot whose values are not used."""

Policy = Callable[[GameTree, int], MatchStrategy]
"""A function from the tree and the winning score of a match to the strategies of both seats, by score float64
(num_nodes, 3). Raises ValueError for a match that the policy cannot play."""

KEPT_STRATEGIES = 64
"""The number of a policy's last used strategies that memory keeps. Each takes a MB."""


class StrategyAgent:
    """An agent that plays a policy. It marks symmetric squares with equal probability. It can be pickled if its policy
    can.

    tree: the tree of the policy's strategies. seed: the seed of all matches; None for a new seed every time.
    """

    def __init__(self, policy: Policy, tree: GameTree, seed: int | None = None) -> None:
        self._policy, self._tree = policy, tree
        self._seed = None if seed is None else whole_number("seed", seed, 0)
        self._matches = 0

    def begin_match(self, facts: MatchFacts) -> None:
        """Raise ValueError for a match by other rules, or to more points than the policy has."""
        if Rules.parse(facts.rules) != self._tree.rules:
            raise ValueError(f"rules: a strategy for {self._tree.rules} cannot play by {facts.rules}")
        self._strategies = self._policy(self._tree, facts.winning_score)
        self._matches += 1

    def begin_round(self, facts: RoundFacts) -> None:
        self._goal: Goal = facts.goal
        self._bot = RoundBot(self._tree, self._strategies[facts.score], NO_VALUES)
        self._cursor = Cursor(self._tree)
        purpose = round_purpose(f"agent, match {self._matches}", facts.number)
        self._generator = generator_for(self._seed, purpose)

    def choose(self, moves: tuple[int, ...]) -> int:
        """Draw a move. Raises IllegalMoveError after impossible moves."""
        known = self._cursor.moves
        if moves[: len(known)] != known:  # a different history from that of the last question
            self._cursor = Cursor(self._tree)
        for square in moves[len(self._cursor.moves) :]:
            self._cursor.play(square)
        if self._cursor.mover is None:
            raise IllegalMoveError("the round is over")
        return self._bot.choose(self._cursor, self._goal, self._generator)

    def end_round(self, end: RoundEnd) -> None: ...

    def end_match(self, end: MatchEnd) -> None: ...


class AdaptiveAgent(StrategyAgent):
    """The bot that adapts, which plays from the solution that ships."""

    def __init__(self, tree: GameTree, seed: int | None = None) -> None:
        super().__init__(partial(opponent_policy, DEFAULT_OPPONENT), tree, seed)

    def begin_match(self, facts: MatchFacts) -> None:
        super().begin_match(facts)
        shipped = shipped_match(self._tree.rules, min(facts.winning_score, SHIPPED_MATCHES["shipped"]))
        bots = MatchBot(load_solution(shipped_solution(str(shipped))), facts.winning_score)
        self._adaptive = AdaptiveBot(bots)

    def begin_round(self, facts: RoundFacts) -> None:
        super().begin_round(facts)
        self._bot = self._adaptive.begin_round(facts.score, facts.seat)

    def end_round(self, end: RoundEnd) -> None:
        self._adaptive.end_round(Cursor(self._tree, end.moves).nodes, end.goals[1])


def uniform_agent(tree: GameTree, seed: int | None = None) -> StrategyAgent:
    """An agent that marks any free square with the same probability.

    >>> from tictactoe import Match, play_match
    >>> tree = GameTree.build()
    >>> match = Match(tree, 1, ("Ann", "Bob"), first=0, seed=1)
    >>> play_match((uniform_agent(tree, 1), uniform_agent(tree, 2)), match)
    >>> match.names[match.winner]
    'Ann'
    """
    return StrategyAgent(partial(opponent_policy, "uniform"), tree, seed)


def learnt_agent(table: LearntTable, seed: int | None = None) -> StrategyAgent:
    """An agent that always makes the move of the highest value, whatever the score.

    seed: the seed of draws among symmetric squares; None for a new seed every time.

    >>> from tictactoe import GameTree, Goal, LearningMethod, MatchFacts, RoundFacts, Seat
    >>> agent = learnt_agent(LearntTable.new(GameTree.build(), LearningMethod()), seed=1)
    >>> agent.begin_match(MatchFacts(5, "three-in-a-row", "somebody"))
    >>> agent.begin_round(RoundFacts(1, Seat.FIRST, Goal.WIN, (0, 0)))
    >>> agent.choose(()) in (1, 3, 7, 9)  # nothing was learnt: the first move of the tree, a corner
    True
    """
    return StrategyAgent(partial(constant_policy, table.tree, table.strategy), table.tree, seed)


def constant_policy(learnt_on: GameTree, strategy: FloatArray, tree: GameTree, winning_score: int) -> MatchStrategy:
    """The same strategy, float64 (num_nodes, 3), at every score. learnt_on: its tree. Raises ValueError for another
    tree."""
    if tree.fingerprint != learnt_on.fingerprint:
        raise ValueError(f"rules: learnt under {learnt_on.rules}, not under {tree.rules}")
    return dict.fromkeys(all_scores(winning_score), strategy)


def solution_policy(solution: Solution, average: bool, tree: GameTree, winning_score: int) -> MatchStrategy:
    """A solution's average or current strategies. Raises ValueError for a longer or unsolved match."""
    if tree.fingerprint != solution.tree.fingerprint:
        raise ValueError(f"rules: solved for {solution.tree.rules}, not for {tree.rules}")
    MatchBot(solution, winning_score)  # raises ValueError if scores are missing
    strategies = solution.strategies(average=average)
    part = part_for_shorter_match(strategies, solution.winning_score, winning_score)
    return ByScore(all_scores(winning_score), part.__getitem__, KEPT_STRATEGIES)


def opponent_policy(name: str, tree: GameTree, winning_score: int) -> MatchStrategy:
    """The strategies of an opponent of OPPONENTS. Raises ValueError for rules or points for which no solution ships."""
    if not OPPONENTS[name].uses_solution:
        return dict.fromkeys(all_scores(winning_score), fixed_strategy(name, tree))
    shipped = shipped_match(tree.rules, min(winning_score, SHIPPED_MATCHES["shipped"]))
    if shipped is None:
        raise ValueError(f"rules: {name} plays from a solution, and none ships for {tree.rules}; name one of your own")
    solution = load_solution(shipped_solution(shipped))
    if solution.tree.fingerprint != tree.fingerprint:
        raise ValueError(f"rules: the solution that {name} plays from belongs to another tree")
    bots = MatchBot(solution, winning_score)
    return ByScore(all_scores(winning_score), partial(_opponent_at, name, bots), KEPT_STRATEGIES)


def _opponent_at(name: str, bots: MatchBot, score: Score) -> FloatArray:
    return opponent_of(name, bots.round_bot(score)).strategy


def best_response_policy(answered: Policy, tree: GameTree, winning_score: int) -> MatchStrategy:
    """The best response over the match to another policy. This takes some seconds at once."""
    from ..match.best_response_over_match import best_response_over_match

    found = best_response_over_match(tree, answered(tree, winning_score), winning_score).strategies
    return ByScore(all_scores(winning_score), partial(_both_seats_at, tree, found), KEPT_STRATEGIES)


def _both_seats_at(tree: GameTree, found: Mapping[MatchState, FloatArray], score: Score) -> FloatArray:
    return both_seats(tree, *(found[MatchState(seat, score)] for seat in Seat))
