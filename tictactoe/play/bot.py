"""The bot and its weaker opponents: strategies, choices of moves, beliefs, random draws."""

from __future__ import annotations

import random
from bisect import bisect_right
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from ..algorithms.arrays import ByteArray, FloatArray
from ..algorithms.public_tree import Families, read_only
from ..algorithms.strategy import expected_values, weights_by_belief
from ..checked_numbers import whole_number
from ..games.cursor import Cursor
from ..games.payoffs import goal_prior, payoffs_by_outcome
from ..games.rules import Goal, Outcome, OutcomeValues, Rules, Seat
from ..games.tic_tac_toe_tree import GameTree
from ..match.options import checked_outcome_values
from ..match.scores import Score, all_scores, score_in_longer_match
from ..storage.open_saved import SavedRound
from ..storage.population import constant_strategy
from ..storage.snapshot import Snapshot
from ..storage.solution import Solution
from .opponents import DEFAULT_OPPONENT, OPPONENTS, opponent_named

NEGLIGIBLE_COST = 2e-4
"""A cost below this, in payoff, counts as 0; it is 0.01 points of winning chance."""

Belief = tuple[float, ...]
"""The probability that a player has each of the 3 goals, to an observer who knows the strategies and saw the moves."""


class Choice(NamedTuple):
    """A move of the solution. Symmetric squares are one move."""

    squares: tuple[int, ...]
    """The symmetric squares, 1 to 9, of the move."""
    probability: float
    """The probability of all the squares together."""


@dataclass(frozen=True, eq=False)
class RoundBot:
    """The bot's knowledge of a round: the tree, a strategy, and the outcome values.

    The cost of a move assumes that the mover then plays best against the strategy. The mover knows the strategy and its
    own goal, and believes about the opponent's goal what the moves reveal (`weights_by_belief`).

    Raises ValueError for a wrong tree, strategy or outcome values.

    >>> from tictactoe import Cursor, Score, load_solution, MatchBot
    >>> bot = MatchBot(load_solution("shipped")).round_bot(Score(4, 4))
    >>> cursor = Cursor(bot.tree, (4, 7))  # the first mover, who wants a tie, can move to 1 and to better squares
    >>> costs = bot.costs(cursor.node, Goal.TIE)
    >>> [squares[0] for squares in cursor.squares_by_child().values()], (50 * costs).round(2).tolist()
    ([1, 8, 5, 2, 9, 6, 3], [26.92, 0.0, 0.0, 26.92, 0.0, 26.92, 0.0])
    """

    tree: GameTree
    strategy: FloatArray
    """float64 (num_nodes, 3): the probability of the move into a node, by goal of the player who makes it."""
    values: OutcomeValues
    after_mistakes: FloatArray | None = None
    """`Snapshot.beliefs` of a refined strategy; None if the strategy is not refined."""

    def __post_init__(self) -> None:
        if not isinstance(self.tree, GameTree):
            raise ValueError(f"tree: {self.tree!r} is not a GameTree")
        shape = self.tree.num_nodes, len(Goal)
        if not isinstance(self.strategy, np.ndarray) or self.strategy.shape != shape:
            found = getattr(self.strategy, "shape", type(self.strategy).__name__)
            raise ValueError(f"strategy: {found}, expected an array of shape {shape}")
        object.__setattr__(self, "values", checked_outcome_values("values", self.values))

    @cached_property
    def expected(self) -> FloatArray:
        """float64 (num_nodes, 3, 3), by node and the goals of both movers: see `expected_values`."""
        return expected_values(self.tree, self.strategy, payoffs_by_outcome(self.tree.rules, self.values))

    @cached_property
    def value(self) -> float:
        """The value to the first mover before the goals are dealt, if both play the strategy."""
        goals = np.array(self.tree.rules.goal_probabilities)
        return float(goals @ self.expected[0] @ goals)

    @cached_property
    def _possible(self) -> ByteArray:
        tree = self.tree
        result = np.where(tree.leaf_class >= 0, 1 << np.maximum(tree.leaf_class, 0), 0).astype(np.int8)
        for level in reversed(tree.levels):
            result[level.parents] = np.bitwise_or.reduceat(result[level.nodes], level.starts)
        return result

    def possible_outcomes(self, node: int) -> list[Outcome]:
        """The outcomes in which the round can still end."""
        possible = self._possible[self.tree.require_node(node)]
        return [outcome for outcome in Outcome if possible >> outcome & 1]

    def choices(self, cursor: Cursor, goal: Goal) -> list[Choice]:
        """The moves at the cursor for a mover with this goal, ordered by their lowest square; none at a leaf."""
        moves = cursor.squares_by_child()
        return sorted(Choice(squares, float(self.strategy[child, goal])) for child, squares in moves.items())

    def choose(self, cursor: Cursor, goal: Goal, generator: random.Random) -> int:
        """A square drawn by the strategy; symmetric squares are equally likely. Raises ValueError at a leaf."""
        choices = self.choices(cursor, goal)
        if not choices:
            raise ValueError("cursor: the round is decided")
        (chosen,) = generator.choices(choices, [choice.probability for choice in choices])
        return chosen.squares[int(generator.random() * len(chosen.squares))]

    @property
    def is_refined(self) -> bool:
        """Whether every move, even after mistakes, is best for some belief."""
        return self.after_mistakes is not None

    def worth(self, node: int, seat: Seat, goal: Goal) -> float:
        """The value of the node, in the unit of `values`, to a player in `seat` with this goal who plays best."""
        return float(self.best_values[seat][node, goal])

    def costs(self, node: int, goal: Goal) -> FloatArray:
        """float64 (number of children,): the costs of the moves to the mover, in the unit of `values`.

        A cost is the value of the best move minus the value of the move, or 0 if that is below NEGLIGIBLE_COST.
        """
        values = self.best_values[self.tree.owner[node]][list(self.tree.children(node)), goal]
        costs = values.max() - values
        return np.where(costs < NEGLIGIBLE_COST, 0.0, costs)

    def belief(self, node: int, seat: Seat) -> Belief:
        """The belief about the goal of the player in `seat` after the moves.

        If the strategy is not refined, the belief after a mistake is the odds of the draw.
        """
        return tuple(self._beliefs[seat, self.tree.require_node(node)].tolist())

    @cached_property
    def _beliefs(self) -> FloatArray:
        """The beliefs, float64 (2, num_nodes, 3), by seat, node and goal."""
        weights = weights_by_belief(self.tree, self.strategy, self.after_mistakes, goal_prior(self.tree.rules))
        weights *= np.array(self.tree.rules.goal_probabilities)
        result: FloatArray = weights / weights.sum(axis=2, keepdims=True)
        return result

    @cached_property
    def best_values(self) -> tuple[FloatArray, FloatArray]:
        """The value of each node to a player who plays best: for either seat, float64 (num_nodes, 3), by node and
        goal."""
        payoffs = payoffs_by_outcome(self.tree.rules, self.values)
        return self._to(Seat.FIRST, payoffs), self._to(Seat.SECOND, -payoffs.transpose(0, 2, 1))

    def _to(self, seat: Seat, payoffs: FloatArray) -> FloatArray:
        tree, beliefs = self.tree, self._beliefs[1 - seat]
        leaves = np.flatnonzero(tree.leaf_class >= 0)
        result = np.zeros((tree.num_nodes, 3))
        result[leaves] = np.einsum("ngh,nh->ng", payoffs[tree.leaf_class[leaves]], beliefs[leaves])

        def best(level: Families, below: FloatArray) -> FloatArray:
            odds = (beliefs[tree.parent[level.nodes]] * self.strategy[level.nodes]).sum(axis=1, keepdims=True)
            own = (tree.owner[level.parents] == seat)[:, None]
            return np.where(own, level.largest(below), level.sums(odds * below))

        return tree.from_leaves(result, best)

    def is_lost(self, node: int, seat: Seat) -> bool:
        """Whether the strategy is not refined and never makes the moves of the player in `seat`, with any goal that can
        be drawn."""
        if self.is_refined:
            return False
        reach = self.tree.own_reach_at(self.tree.require_node(node), self.strategy)[seat]
        return not np.any(reach * np.array(self.tree.rules.goal_odds))


def saved_bot(saved: SavedRound, average: bool) -> RoundBot:
    """The bot of a saved round. average: whether it plays the average strategy, not the current one."""
    return _bot_of(saved.snapshot, saved.tree, saved.snapshot.round_values, average)


def _bot_of(snapshot: Snapshot, tree: GameTree, values: OutcomeValues, average: bool) -> RoundBot:
    if average:
        return RoundBot(tree, snapshot.average_strategy(tree), values, snapshot.beliefs)
    return RoundBot(tree, snapshot.current_strategy, values)


class MatchBot:
    """The bot's knowledge of a match, which may be to fewer points than the solution's match.

    Raises ValueError if the winning score exceeds the solution's, or if scores are not solved.

    >>> from tictactoe import open_saved
    >>> bot = MatchBot(open_saved().solution, winning_score=2)
    >>> print(bot.solved_score(Score(1, 0)))
    4-3
    >>> bot.round_bot(Score(1, 0)).strategy.shape == (bot.tree.num_nodes, 3)
    True
    """

    def __init__(self, solution: Solution, winning_score: int | None = None, *, average: bool = True) -> None:
        points = solution.winning_score if winning_score is None else winning_score
        self.winning_score = whole_number("winning_score", points, 1, solution.winning_score)
        self.tree = solution.tree
        self._solution = solution
        self._average = average
        missing = {self.solved_score(score) for score in all_scores(self.winning_score)} - solution.results.keys()
        if missing:
            what = f"(missing: {len(missing)}, such as {min(missing)})"
            raise ValueError(f"not every score is solved yet {what}; finish solving first")
        self._bots: dict[Score, RoundBot] = {}

    def solved_score(self, score: Score) -> Score:
        """The solution's score that corresponds to `score` of this match."""
        return score_in_longer_match(score, self.winning_score, self._solution.winning_score)

    def round_bot(self, score: Score) -> RoundBot:
        """The bot for a round at `score`. Raises FormatError for a missing or damaged file."""
        return self.solved_bot(self.solved_score(score))

    def solved_bot(self, score: Score) -> RoundBot:
        """The bot for a round at a score of the solution's match."""
        if score not in self._bots:
            values = self._solution.outcome_values(score)
            self._bots[score] = _bot_of(self._solution.snapshot(score), self.tree, values, self._average)
        return self._bots[score]


class _Unpredictable(random.SystemRandom):
    def __reduce__(self) -> tuple[type[_Unpredictable], tuple[()]]:
        return _Unpredictable, ()


def generator_for(seed: int | None, purpose: str) -> random.Random:
    """A generator of random numbers for one purpose: repeatable with a seed, unpredictable without one."""
    return _Unpredictable() if seed is None else random.Random(f"smbc-tictactoe {seed} {purpose}")


def round_purpose(purpose: str, number: int, again: int = 0) -> str:
    """The name of a draw for round `number` after it has been dealt again `again` times."""
    return f"{purpose} {number}" + (f" again {again}" if again else "")


def deal_goals(rules: Rules, seed: int | None, number: int, again: int = 0) -> tuple[Goal, Goal]:
    """The goals of players 0 and 1 in round `number`."""
    generator = generator_for(seed, round_purpose("goals", number, again))
    up_to = list(accumulate(rules.goal_odds))
    first, second = (Goal(bisect_right(up_to, int(generator.random() * up_to[-1]))) for _ in range(2))
    return first, second


def draw_first(seat: Seat | None, seed: int | None, number: int = 1) -> int:
    """The player who moves first in round `number` if player 0 wants `seat`; drawn if `seat` is None."""
    return int(generator_for(seed, f"seat {number}").random() * 2) if seat is None else int(seat)


def opponent_of(name: str, bot: RoundBot) -> RoundBot:
    """The opponent of that name or title in a round. bot: the perfect player of the round, which is also "perfect".

    Raises ValueError for an unknown name, and for a learner of other rules; FormatError for a missing or damaged file.

    >>> from tictactoe import MatchBot, Score, open_saved, opponent_of
    >>> perfect = MatchBot(open_saved().solution).round_bot(Score(0, 0))
    >>> opponent_of("uniform", perfect).strategy[1:4, 0].round(2).tolist()  # a corner, a side, the centre
    [0.44, 0.44, 0.11]
    """
    name = opponent_named(name) or name
    if name == DEFAULT_OPPONENT:
        return bot
    if name in OPPONENTS and OPPONENTS[name].uses_solution:
        return RoundBot(bot.tree, _mixed(name, bot.tree, bot.strategy), bot.values)
    return RoundBot(bot.tree, fixed_strategy(name, bot.tree), bot.values)


@cache
def fixed_strategy(name: str, tree: GameTree) -> FloatArray:
    """The strategy, float64 (num_nodes, 3), read-only, of an opponent that uses no solution.

    Raises the errors of `opponent_of`, and ValueError for an opponent that uses a solution.
    """
    if name not in OPPONENTS or OPPONENTS[name].uses_solution:
        return constant_strategy(name, tree)
    return read_only(_mixed(name, tree, None))


def _mixed(name: str, tree: GameTree, perfect: FloatArray | None) -> FloatArray:
    def played(player: str) -> FloatArray:
        return perfect if player == DEFAULT_OPPONENT and perfect is not None else constant_strategy(player, tree)

    plays = OPPONENTS[name].plays
    return np.stack([sum(played(by)[:, goal] * share for by, share in plays[goal].items()) for goal in Goal], axis=1)


def require_opponent(name: str, tree: GameTree) -> None:
    """Raise the errors of `opponent_of` for an opponent that cannot play on this tree."""
    if name not in OPPONENTS or not OPPONENTS[name].uses_solution:
        fixed_strategy(name, tree)
