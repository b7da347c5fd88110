"""What the tests of whole matches share: bots drawn at random, and an oracle that knows neither chain.py nor kernels.

The oracle looks at a match with the eyes of one player: its points, the other's points, and whether it moves first in
the round to come. A round is answered or evaluated level by level on the tree, and a match by plain value iteration.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import naive
import numpy as np
from lifting import game_tree
from numpy.typing import NDArray

from tictactoe.board import END_RULES, Board, Outcome
from tictactoe.match import Score
from tictactoe.options import MatchOptions
from tictactoe.rules import update_rule
from tictactoe.solution import Solution
from tictactoe.solve import solve_match
from tictactoe.store import SolutionStore
from tictactoe.tree import GameTree

Floats = NDArray[np.float64]
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


def match_values(
    winning_score: int, of_round: Callable[[Turn, tuple[float, float, float, float]], float]
) -> dict[Turn, float]:
    """Value iteration. `of_round` gives what a round is worth to our player, given what its results are worth to it.

    Starts from 0 and goes on until nothing moves by more than 1e-15; a round is the last of its points with a
    probability that leaves errors of a few 1e-15.
    """
    values: dict[Turn, float] = {}
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
    """What the four results of the round are worth to our player."""
    following = (turn_after(turn, *result, winning_score) for result in RESULTS)
    both, first, second, neither = (values[item] if isinstance(item, Turn) else float(item) for item in following)
    return both, first, second, neither


class RoundOracle:
    """Evaluates one strategy of a round, level by level; the parts that the payoffs do not change are kept."""

    def __init__(self, strategy: Floats, tree: GameTree | None = None) -> None:
        self._tree = tree or game_tree()
        self._strategy = strategy

    @cached_property
    def reaches(self) -> list[Floats]:
        """By player, (num_nodes, 3): the product of the player's own probabilities on the way."""
        result = [np.ones((self._tree.num_nodes, 3)) for _ in range(2)]
        for level in levels(self._tree)[1:]:
            parent = self._tree.parent[level]
            for player in range(2):
                own = (self._tree.owner[parent] == player)[:, None]
                result[player][level] = result[player][parent] * np.where(own, self._strategy[level], 1.0)
        return result

    @cached_property
    def result_probabilities(self) -> tuple[float, float, float, float]:
        """That both, only the first, only the second, neither of the movers scores."""
        leaf_class = self._tree.leaf_class
        total = np.zeros(4)
        for outcome in range(3):
            leaves = leaf_class == outcome
            goals = self.reaches[0][leaves].T @ self.reaches[1][leaves] / 9.0
            for index, payoffs in enumerate(np.eye(4)):
                total[index] += (naive.round_payoffs(tuple(payoffs))[outcome] * goals).sum()
        both, first, second, neither = total.tolist()
        return both, first, second, neither

    def best_response_value(self, payoffs: Floats, player: int) -> float:
        """The most that `player` can get, in its own units, when the payoffs are (3, 3, 3) to that player."""
        tree = self._tree
        by_own_type = payoffs if player == 0 else payoffs.transpose(0, 2, 1)
        values = np.zeros((tree.num_nodes, 3))
        for outcome in range(3):
            leaves = np.flatnonzero(tree.leaf_class == outcome)
            values[leaves] = self.reaches[1 - player][leaves] @ by_own_type[outcome].T / 9.0
        for level in reversed(levels(tree)[1:]):
            parents, starts = np.unique(tree.parent[level], return_index=True)
            combine = np.maximum if tree.owner[parents[0]] == player else np.add
            values[parents] = combine.reduceat(values[level], starts, axis=0)
        return float(values[0].sum())


_LEVELS: dict[int, tuple[GameTree, list[NDArray[np.intp]]]] = {}


def levels(tree: GameTree) -> list[NDArray[np.intp]]:
    """The nodes of every depth, siblings together."""
    if id(tree) not in _LEVELS:
        _LEVELS[id(tree)] = tree, [np.flatnonzero(tree.depth == depth) for depth in range(int(tree.depth.max()) + 1)]
    return _LEVELS[id(tree)][1]


def adversary_values(bot: Mapping[Score, Floats], winning_score: int) -> dict[Turn, float]:
    """The most that an adversary can get against `bot`, by value iteration with best responses."""
    oracles = _oracles(bot)

    def best(turn: Turn, results: tuple[float, float, float, float]) -> float:
        payoffs = naive.round_payoffs(results)  # who scores depends on the seat, what it is worth is the adversary's
        return oracles[turn.score].best_response_value(payoffs, 0 if turn.first else 1)

    return match_values(winning_score, best)


def playing_values(ours: Mapping[Score, Floats], theirs: Mapping[Score, Floats], winning_score: int
                   ) -> dict[Turn, float]:  # fmt: skip
    """What our player gets who plays `ours` against one who plays `theirs`, by value iteration."""
    probabilities = {
        turn: RoundOracle(one_each(*(
            (ours[turn.score], theirs[turn.score]) if turn.first else (theirs[turn.score], ours[turn.score])
        ))).result_probabilities
        for turn in turns(winning_score)
    }  # fmt: skip

    def expected(turn: Turn, results: tuple[float, float, float, float]) -> float:
        return sum(p * v for p, v in zip(probabilities[turn], results, strict=True))

    return match_values(winning_score, expected)


def _oracles(bot: Mapping[Score, Floats]) -> dict[Score, RoundOracle]:
    return {score: RoundOracle(bot[score]) for score in bot}


def one_each(first: Floats, second: Floats, tree: GameTree | None = None) -> Floats:
    """One strategy with the first mover's moves from `first` and the second mover's from `second`."""
    result: Floats = np.where((tree or game_tree()).depth[:, None] % 2 == 1, first, second)
    return result


# --- bots --------------------------------------------------------------------------------------------------------


def scores_of(winning_score: int) -> list[Score]:
    return [Score(*points) for points in product(range(winning_score), repeat=2)]


def as_strategy(weights: Floats, tree: GameTree | None = None) -> Floats:
    """(num_nodes, 3) weights of moves as probabilities; uniform where all are 0."""
    tree = tree or game_tree()
    result = np.ones(weights.shape)
    parent = tree.parent[1:]
    for goal in range(3):
        totals = np.bincount(parent, weights[1:, goal])[parent]
        result[1:, goal] = np.where(totals > 0.0, weights[1:, goal] / np.where(totals > 0.0, totals, 1.0),
                                    1.0 / tree.num_children[parent])  # fmt: skip
    return result


def random_strategy(seed: int, share_of_zeros: float = 0.0) -> Floats:
    random = np.random.default_rng(seed)
    weights = random.random((game_tree().num_nodes, 3))
    weights[random.random(weights.shape) < share_of_zeros] = 0.0
    return as_strategy(weights)


def pure_strategy(seed: int, by_goal: bool = True) -> Floats:
    """One move everywhere, drawn at random; with `by_goal` every goal has its own."""
    random = np.random.default_rng(seed).random((game_tree().num_nodes, 3))
    if not by_goal:
        random[:, 1:] = random[:, :1]
    best = np.zeros(random.shape)
    np.maximum.at(best, game_tree().parent[1:], random[1:])
    weights = np.zeros(random.shape)
    weights[1:] = random[1:] == best[game_tree().parent[1:]]
    return as_strategy(weights)


def uniform_strategy() -> Floats:
    return as_strategy(np.zeros((game_tree().num_nodes, 3)))


def random_bot(winning_score: int, seed: int, share_of_zeros: float = 0.0) -> Bot:
    """A strategy drawn at random at every score; with a share of zeros of 1 it plays uniformly."""
    return {
        score: random_strategy(1000 * seed + index, share_of_zeros)
        for index, score in enumerate(scores_of(winning_score))
    }


def uniform_bot(winning_score: int) -> Bot:
    return dict.fromkeys(scores_of(winning_score), uniform_strategy())


def endless_bot() -> Bot:
    """Plays a match to 1 so that two of it never score: both show their goals, then steer to what nobody wants.

    The first mover shows its goal by its first move, the second mover as much as matters by its reply.
    """
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
    """Make both players walk from `node` to a leaf of the outcome, whatever their goals."""
    leaf = next(
        leaf for leaf in range(tree.num_nodes) if tree.leaf_class[leaf] == outcome and node in _ancestors(tree, leaf)
    )
    while leaf != node:
        weights[leaf] = 1.0
        leaf = int(tree.parent[leaf])


def _ancestors(tree: GameTree, node: int) -> Iterable[int]:
    while node > 0:
        node = int(tree.parent[node])
        yield node


# --- solving, and short rounds -----------------------------------------------------------------------------------

SHORT_RULE = "four-moves"
"""An end rule for tests: a tree of 348 nodes, whose matches are exact in tenths of a second."""
CORNERS = 0b101_000_101


def short_rule(board: Board) -> Outcome | None:
    """The round ends after four moves: whoever has more corners has won."""
    if board.num_marks < 4:
        return None
    lead = (board.first & CORNERS).bit_count() - (board.second & CORNERS).bit_count()
    return Outcome.WIN if lead > 0 else Outcome.LOSE if lead < 0 else Outcome.TIE


@contextlib.contextmanager
def short_rounds() -> Iterator[None]:
    """As long as the block runs, there are trees and solutions of SHORT_RULE."""
    with mock.patch.dict(END_RULES, {SHORT_RULE: short_rule}):
        yield


def solve(tree: GameTree, directory: Path, winning_score: int, target: float) -> Solution:
    """A quickly solved match."""
    options = MatchOptions(
        winning_score=winning_score, maximum_subgame_exploitability=target, rule=update_rule("pdcfr+")
    )
    with SolutionStore(directory, tree, options) as store:
        return solve_match(store, jobs=1)


def never(*arguments: object, **named: object) -> Any:
    """In place of what must not be called."""
    raise AssertionError("something was solved again")
