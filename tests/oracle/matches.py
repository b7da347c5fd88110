"""What the tests of whole matches share: random bots, and an oracle that knows neither head_to_head.py nor kernels.

The oracle looks at a match with the eyes of one player: its points, the other's points, and whether it moves first in
the round to come. A round is answered or evaluated level by level on the tree, and a match by plain value iteration.
"""

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache, cached_property, partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import pytest
from oracle import naive, small_games
from oracle.lifting import LevelEvaluator, game_tree, payoffs_of, prior_of
from oracle.naive import Floats

from tictactoe import Board, GameTree, MatchOptions, Score, Seat, Solution, solve_match, update_rule
from tictactoe.games.rules import DEFAULT_RULES, RULES, Outcome
from tictactoe.match.best_response_over_match import MatchResponse
from tictactoe.match.head_to_head import MatchState

Bot = dict[Score, Floats]

RESULTS = ((1, 1), (1, 0), (0, 1), (0, 0))
"""Points of the first and of the second mover; the order of the outcome values."""


class Turn(NamedTuple):
    """A round to be played: the points of our player, of the other one, and whether ours moves first."""

    mine: int
    yours: int
    first: bool

    @property
    def score(self) -> Score:
        return Score(self.mine, self.yours) if self.first else Score(self.yours, self.mine)


Values = dict[Turn, float]


def turns(winning_score: int) -> list[Turn]:
    """All rounds of a match, those with more points first; the two with the same points stand together."""
    points = sorted(product(range(winning_score), repeat=2), key=sum, reverse=True)
    return [Turn(mine, yours, first) for mine, yours in points for first in (True, False)]


def turn_after(turn: Turn, first_points: int, second_points: int, winning_score: int) -> Turn | int:
    """The next round, or +1 or -1 when our player has won or lost the match."""
    mine = turn.mine + (first_points if turn.first else second_points)
    yours = turn.yours + (second_points if turn.first else first_points)
    if mine == winning_score and yours == winning_score:
        return Turn(winning_score - 1, winning_score - 1, not turn.first)
    if winning_score in (mine, yours):
        return 1 if mine == winning_score else -1
    return Turn(mine, yours, not turn.first)


def match_values(winning_score: int, of_round: Callable[[Turn, tuple[float, float, float, float]], float]) -> Values:
    """Value iteration, from 0 until nothing moves by 1e-15. of_round: a round's worth by that of its results."""
    values: Values = {}
    order = turns(winning_score)
    for group in zip(order[::2], order[1::2], strict=True):
        values |= dict.fromkeys(group, 0.0)
        for _ in range(2000):
            change = 0.0
            for turn in group:
                value = of_round(turn, worth(turn, values, winning_score))
                change, values[turn] = max(change, abs(value - values[turn])), value
            if change <= 1e-15:
                break
        else:
            raise AssertionError(f"{group} does not converge: {change}")
    return values


def worth(turn: Turn, values: Mapping[Turn, float], winning_score: int) -> tuple[float, float, float, float]:
    following = (turn_after(turn, *result, winning_score) for result in RESULTS)
    both, first, second, neither = (values[item] if isinstance(item, Turn) else float(item) for item in following)
    return both, first, second, neither


class RoundOracle:
    """What one strategy of a round comes to, level by level; the parts that the payoffs do not change are kept."""

    def __init__(self, strategy: Floats, tree: GameTree | None = None) -> None:
        self.tree = tree or game_tree()
        self._evaluator, self._strategy = _evaluator(self.tree), strategy
        self._reach = cache(partial(self._evaluator.reach, strategy))

    @cached_property
    def result_probabilities(self) -> tuple[float, float, float, float]:
        distribution = self._evaluator.leaf_distribution(self._strategy, prior_of(self.tree))
        both, first, second, neither = (
            float((payoffs_of(self.tree, tuple(unit)) * distribution).sum()) for unit in np.eye(4)
        )
        return both, first, second, neither

    def best_response_value(self, payoffs: Floats, player: int) -> float:
        """The most that `player` can get, in its own units, when the payoffs are (outcomes, 3, 3) to that player."""
        to_first = payoffs if player == 0 else -payoffs
        return self._evaluator.best_value_at(self._reach(1 - player), to_first, prior_of(self.tree), player)


_evaluator = cache(LevelEvaluator)


def adversary_values(bot: Mapping[Score, Floats], winning_score: int, tree: GameTree | None = None) -> Values:
    oracles = {score: RoundOracle(strategy, tree) for score, strategy in bot.items()}

    def best(turn: Turn, results: tuple[float, float, float, float]) -> float:
        oracle = oracles[turn.score]  # the seat decides who scores; the worth of a result is the adversary's
        return oracle.best_response_value(payoffs_of(oracle.tree, results), 0 if turn.first else 1)

    return match_values(winning_score, best)


def playing_values(
    ours: Mapping[Score, Floats], theirs: Mapping[Score, Floats], winning_score: int, tree: GameTree | None = None
) -> Values:
    probabilities = {}
    for turn in turns(winning_score):
        seats = (ours, theirs) if turn.first else (theirs, ours)
        both = one_each(*(bot[turn.score] for bot in seats), tree=tree)
        probabilities[turn] = RoundOracle(both, tree).result_probabilities

    def expected(turn: Turn, results: tuple[float, float, float, float]) -> float:
        return sum(p * v for p, v in zip(probabilities[turn], results, strict=True))

    return match_values(winning_score, expected)


def one_each(first: Floats, second: Floats, tree: GameTree | None = None) -> Floats:
    """One strategy with the first mover's moves from `first` and the second mover's from `second`."""
    result: Floats = np.where((tree or game_tree()).depth[:, None] % 2 == 1, first, second)
    return result


def moves_of(response: MatchResponse, tree: GameTree | None = None) -> Bot:
    best = response.strategies
    return {s: one_each(*(best[MatchState(seat, s)] for seat in Seat), tree=tree) for s in response.scores}


def scores_of(winning_score: int) -> list[Score]:
    return [Score(*points) for points in product(range(winning_score), repeat=2)]


def as_strategy(weights: Floats, tree: GameTree | None = None) -> Floats:
    """(num_nodes, 3) weights of moves as probabilities; uniform where all are 0."""
    return naive.average_strategy(tree or game_tree(), weights)


def uniform_strategy() -> Floats:
    return naive.uniform_strategy(game_tree())


def random_bot(winning_score: int, seed: int, share_of_zeros: float = 0.0, tree: GameTree | None = None) -> Bot:
    """A strategy drawn at random at every score; with a share of zeros of 1 it plays uniformly."""
    tree, scores = tree or game_tree(), enumerate(scores_of(winning_score))
    return {score: small_games.random_strategy(tree, 1000 * seed + index, share_of_zeros) for index, score in scores}


def uniform_bot(winning_score: int) -> Bot:
    return dict.fromkeys(scores_of(winning_score), uniform_strategy())


@cache
def endless_bot() -> Bot:
    """Two of it never score in a match to 1: they show their goals, then steer to what nobody wants. Made once."""
    tree = game_tree()
    weights = np.zeros((tree.num_nodes, 3))
    outcome_of_second = (1, 0, 2)  # what the second mover's goal win, lose, tie makes of the board, as an outcome
    openings = sorted(tree.children(0), key=lambda child: tree.num_children[child])  # two replies are enough to a tie
    for first_goal, opening in zip((2, 0, 1), openings, strict=True):
        weights[opening, first_goal] = 1.0
        replies = list(tree.children(opening))
        for second_goal in range(3):
            target = min({0, 1, 2} - {first_goal, outcome_of_second[second_goal]})
            weights[replies[target if first_goal == 2 else second_goal], second_goal] = 1.0
        for reply in replies:
            shown = [goal for goal in range(3) if weights[reply, goal] > 0.0]
            targets = {0, 1, 2} - {first_goal} - {outcome_of_second[goal] for goal in shown}
            steer(tree, weights, reply, min(targets))
    return {Score(0, 0): as_strategy(weights)}


def steer(tree: GameTree, weights: Floats, node: int, outcome: int) -> None:
    reached, leaves = tree.history(node), np.flatnonzero(tree.leaf_class == outcome).tolist()
    leaf = next(leaf for leaf in leaves if tree.history(leaf)[: len(reached)] == reached)
    while leaf != node:
        weights[leaf] = 1.0
        leaf = int(tree.parent[leaf])


SHORT_RULE = "four-moves"
"""An end rule for tests: a tree of 348 nodes, whose matches are exact in tenths of a second."""
CORNERS = 0b101_000_101


def short_rule(board: Board, moves: int = 4) -> Outcome | None:
    """The round ends after so many moves: whoever has more corners has won."""
    if board.num_marks < moves:
        return None
    lead = (board.first & CORNERS).bit_count() - (board.second & CORNERS).bit_count()
    return Outcome.WIN if lead > 0 else Outcome.LOSE if lead < 0 else Outcome.TIE


SHORT = replace(RULES[DEFAULT_RULES], outcome=short_rule)


@contextlib.contextmanager
def short_rounds(name: str = SHORT_RULE) -> Iterator[None]:
    """As long as the block runs, there are trees and solutions of SHORT_RULE, or those of a name are of its rule."""
    with mock.patch.dict(RULES, {name: SHORT}):
        yield


def short_rounds_in_module(*names: str) -> Any:

    @pytest.fixture(scope="module", autouse=True)
    def short() -> Iterator[None]:
        with contextlib.ExitStack() as stack:
            for name in names or (SHORT_RULE,):
                stack.enter_context(short_rounds(name))
            yield

    return short


def solve(tree: GameTree, directory: Path, winning_score: int, target: float) -> Solution:
    rule = update_rule("pdcfr+")
    options = MatchOptions(winning_score=winning_score, maximum_subgame_exploitability=target, algorithm=rule)
    return solve_match(directory, tree, options)


def never(*arguments: object, **named: object) -> Any:
    raise AssertionError("something was solved again")
