"""The bot that adapts. It answers its model of the opponent, and risks no more than the opponent has given it.

The risk of a plan is the value of the score to the bot at equilibrium, minus the least value that any opponent leaves
to it. Among the plans whose risk is within K, the bot plays the one that gains most against the model. K is 0 at first.
After each round, it grows by the opponent's gift, which is the cost of its moves, and shrinks by the risk.
docs/adaptive-bot.md proves that nobody does better against this bot than against the equilibrium.

Sources: Ganzfried and Sandholm 2015 (gifts); McCracken and Bowling 2004 (risk what was won); Johanson, Zinkevich and
Bowling 2007 (restricted Nash responses).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algorithms.arrays import FloatArray, IntArray
from ..games.board import LINES
from ..games.payoffs import tic_tac_toe_round
from ..games.rules import Goal, Seat
from ..games.tic_tac_toe_tree import GameTree, uniform_over_squares
from ..match.scores import Score
from ..number_text import counted
from ..storage.population import CARELESS, POPULATION, careless_strategy, constant_strategy, has_learnt
from .bot import MatchBot, RoundBot
from .opponents import DEFAULT_OPPONENT, OPPONENTS
from .referee import Account

if TYPE_CHECKING:
    from ..algorithms.restricted_response import Facts, Frontier

STEPS_OF_MODEL = 4
"""The weights of the players in an answered model are multiples of 1/4, which keeps the number of models small."""

LEAST_BUDGET = 1e-4
"""If it can risk less than this, in the unit of values, the bot plays perfectly."""

SHARE_AT_RISK = 0.4
"""The share of K that a round may risk; the rest is kept for later rounds. At the last score, a round may risk all of
K."""

ERROR = 0.02
"""The probability with which a known player is believed to mark any free square, which keeps evidence from becoming
final."""

LEARNT, LEARNT_PRIOR = "learnt", 2.0
"""The name of the learnt player, and how many of the random player's moves its beliefs begin with, in each kind of
position."""


KEPT = 64
"""The number of strategies, and of plans against a model, that memory keeps."""


class Known(NamedTuple):
    """A known player of the mixture."""

    name: str
    weight: float
    """The prior weight, relative to those of the other players."""
    strategy: Callable[[RoundBot], FloatArray]
    """A function from the perfect player of a round to the player's strategy, float64 (num_nodes, 3)."""


def known_players(tree: GameTree) -> list[Known]:
    """The players that the model knows: those of POPULATION, and the perfect player."""
    found = [Known(DEFAULT_OPPONENT, 1.0, _perfect)]
    for name, weight in POPULATION.items():
        if has_learnt(name, tree.rules):
            found.append(Known(name, weight, _careless if name == CARELESS else partial(_constant, name)))
    return found


def _perfect(perfect: RoundBot) -> FloatArray:
    return perfect.strategy


def _constant(name: str, perfect: RoundBot) -> FloatArray:
    return constant_strategy(name, perfect.tree)


@lru_cache(KEPT)
def _careless(perfect: RoundBot) -> FloatArray:
    return careless_strategy(perfect.tree, perfect.strategy)


@lru_cache(KEPT)
def _reach_of(tree: GameTree, seat: int, player: Callable[[RoundBot], FloatArray], perfect: RoundBot) -> FloatArray:
    return tree.own_reach_of_player(seat, player(perfect))


KINDS = ("completes its row and blocks", "completes its row", "blocks", "centre", "corner", "side")
"""The kinds of moves that the learnt player distinguishes. A move is of the first kind that fits."""


@cache
def kinds_of(tree: GameTree) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
    """Four arrays (num_nodes,): the kind of the move into a node; the kinds of moves at its parent, as bits; the share
    of free squares of the move; and the share of all moves of its kind."""
    kind, position = np.zeros(tree.num_nodes, np.int32), np.zeros(tree.num_nodes, np.int32)
    marks = [(0, 0)] * tree.num_nodes
    lines = [sum(1 << square for square in line) for line in LINES]
    for node in range(1, tree.num_nodes):
        parent = int(tree.parent[node])
        mover, square = int(tree.owner[parent]), 1 << int(tree.square[node])
        before, other = marks[parent][mover], marks[parent][1 - mover]
        completes = any(line & square and not line & ~(before | square) for line in lines)
        blocks = any(line & square and not line & ~(other | square) for line in lines)
        place = 3 if square == 1 << 5 else 5 if int(tree.square[node]) % 2 == 0 else 4
        kind[node] = (0 if blocks else 1) if completes else 2 if blocks else place
        position[parent] |= 1 << kind[node]
        marks[node] = (before | square, other) if mover == 0 else (other, before | square)
    squares, above = uniform_over_squares(tree)[:, 0], np.maximum(tree.parent, 0)
    together = np.bincount(above * len(KINDS) + kind, squares, tree.num_nodes * len(KINDS)).astype(float)
    return kind, position[above], squares, together[above * len(KINDS) + kind]


@dataclass
class Learnt:
    """The numbers of a player's moves of each kind, by kind of position and goal."""

    tree: GameTree
    counts: FloatArray = field(default_factory=lambda: np.zeros((1 << len(KINDS), 3, len(KINDS))))
    """Numbers of moves, indexed by kind of position, goal and kind of move."""

    def strategy(self) -> FloatArray:
        """float64 (num_nodes, 3): the expected strategy, with a Dirichlet prior."""
        result = np.ones((self.tree.num_nodes, 3))
        result[1:] = self.odds(np.arange(1, self.tree.num_nodes)[:, None], np.arange(3))
        return result

    def odds(self, nodes: NDArray[np.intp], goals: NDArray[np.intp]) -> FloatArray:
        """The probabilities of the moves into `nodes` with `goals`, element by element."""
        kind, position, squares, alike = kinds_of(self.tree)
        count, all_counts = self.counts[position[nodes], goals, kind[nodes]], self.counts.sum(axis=2)
        kinds = (count + LEARNT_PRIOR * alike[nodes]) / (all_counts[position[nodes], goals] + LEARNT_PRIOR)
        result: FloatArray = kinds * squares[nodes] / alike[nodes]
        return result

    def observe(self, node: int, goal: Goal) -> None:
        kind, position, _, _ = kinds_of(self.tree)
        self.counts[position[node], goal, kind[node]] += 1.0


class Model:
    """A mixture of known players and one learnt player."""

    def __init__(self, tree: GameTree, known: Sequence[Known], learnt_weight: float = 0.02) -> None:
        self.names = [*(player.name for player in known), LEARNT]
        self._known, self._tree, self.learnt = known, tree, Learnt(tree)
        weights = np.array([player.weight for player in known])
        weights *= (1.0 - learnt_weight) / weights.sum()
        self.evidence: FloatArray = np.log([*weights, learnt_weight])
        """float64 (len(names),): the logarithms of the weights, up to a common constant."""
        self.has_learnt = False
        """Whether a round has been seen. Before the first, the equilibrium's plan answers all players."""

    @property
    def weights(self) -> FloatArray:
        """float64 (len(names),): the probability of each player."""
        return weights_of(self.evidence)

    def steps(self) -> tuple[int, ...]:
        """The weights in the answered model, in parts of STEPS_OF_MODEL."""
        return steps_of(self.weights)

    @property
    def key(self) -> tuple[object, ...]:
        """The key of the answered model in a round."""
        steps = self.steps()
        return steps, self.learnt.counts.tobytes() if steps[-1] else b""

    def reach(self, perfect: RoundBot, seat: Seat) -> FloatArray:
        """float64 (num_nodes, 3): the own reach of the opponent in `seat`, by the answered model."""
        result = np.zeros((self._tree.num_nodes, 3))
        for index, step in enumerate(self.steps()):
            if step:
                known = index < len(self._known)
                if known:
                    reach = _reach_of(self._tree, seat, self._known[index].strategy, perfect)
                else:
                    reach = self._tree.own_reach_of_player(seat, self.learnt.strategy())
                result += step / STEPS_OF_MODEL * reach
        return result

    def observe(self, perfect: RoundBot, nodes: Sequence[int], seat: Seat, goal: Goal) -> None:
        """Learn from a finished round. nodes: from the root on. seat, goal: the opponent's."""
        self.has_learnt = True
        squares = kinds_of(self._tree)[2]
        for child in nodes[1:]:
            if self._tree.mover[child] == seat:
                odds = [float(player.strategy(perfect)[child, goal]) for player in self._known]
                learnt = float(self.learnt.odds(np.array(child), np.array(goal)))
                self.evidence += np.log((1.0 - ERROR) * np.array([*odds, learnt]) + ERROR * squares[child])
                self.learnt.observe(child, goal)


def weights_of(evidence: FloatArray) -> FloatArray:
    """Weights that sum to 1, from their logarithms."""
    likely = np.exp(evidence - evidence.max())
    result: FloatArray = likely / likely.sum()
    return result


def steps_of(weights: FloatArray) -> tuple[int, ...]:
    """Weights that sum to 1, rounded to whole parts of STEPS_OF_MODEL."""
    exact = weights * STEPS_OF_MODEL
    steps = np.floor(exact).astype(int)
    for index in np.argsort(steps - exact, kind="stable")[: STEPS_OF_MODEL - steps.sum()]:
        steps[index] += 1
    return tuple(steps.tolist())


_frontiers: OrderedDict[object, Frontier] = OrderedDict()  # of all matches, the most recently used last


def budget(given: float, score: Score, winning_score: int) -> float:
    """The largest risk that a round may take."""
    is_last = min(score) == winning_score - 1
    allowed = given if is_last else SHARE_AT_RISK * given
    return allowed if allowed > LEAST_BUDGET else 0.0


class AdaptiveBot:
    """The adapting bot in one match. bots: the perfect player."""

    def __init__(self, bots: MatchBot) -> None:
        self._bots, self._tree = bots, (tree := bots.tree)
        self.model, self.account = Model(tree, known_players(tree)), Account(0.0, 0.0)
        self.facts: Facts | None = None
        """The facts of the current round."""

    def begin_round(self, score: Score, seat: Seat) -> RoundBot:
        """The bot's strategy for a round in which it has `seat`; the opponent's rows are the perfect player's."""
        from ..algorithms.restricted_response import Facts, behaviour

        self._perfect = perfect = self._bots.round_bot(score)
        self._seat = seat
        game = tic_tac_toe_round(self._tree, perfect.values)
        self.facts = facts = Facts(
            game, seat, perfect.strategy, perfect.value if seat is Seat.FIRST else -perfect.value
        )
        self.plan, self._gain = facts.equilibrium, 0.0
        if not self.model.has_learnt:
            return perfect
        frontier = self._frontier(facts)
        self.plan = frontier.plan(budget(self.account.given, score, self._bots.winning_score))
        self._gain = self.plan.gain - frontier.equilibrium_gain
        return RoundBot(self._tree, behaviour(self._tree, seat, self.plan.reach, perfect.strategy), perfect.values)

    def _frontier(self, facts: Facts) -> Frontier:
        from ..algorithms.restricted_response import Frontier

        key = self._perfect, self._seat, self.model.key
        if key not in _frontiers:
            _frontiers[key] = Frontier(facts, self.model.reach(self._perfect, Seat(1 - self._seat)))
        _frontiers.move_to_end(key)
        if len(_frontiers) > KEPT:
            _frontiers.popitem(last=False)
        return _frontiers[key]

    def end_round(self, nodes: Sequence[int], goal: Goal, *, counts: bool = True) -> float:
        """Count the round that began last. Returns the opponent's gift.

        nodes: the nodes from the root to the leaf.
        goal: the opponent's goal.
        counts: False if the opponent had advice; the gift is then 0, and the model learns nothing.
        """
        assert self.facts is not None
        account, gift = self.account, self.facts.gift(self.plan.reach, nodes, goal) if counts else 0.0
        self.account = Account(max(0.0, account.given - self.plan.risk) + gift, account.gained + self._gain)
        self.learn(self._perfect, nodes, Seat(1 - self._seat), goal, counts=counts)
        self.facts = None
        return gift

    def learn(self, perfect: RoundBot, nodes: Sequence[int], seat: Seat, goal: Goal, *, counts: bool = True) -> None:
        """Learn from a finished round; see `Model.observe`."""
        if counts:
            self.model.observe(perfect, nodes, seat, goal)


def told_at_the_start(rounds: int, name: str) -> str:
    """A sentence for the person before a match. rounds: the number of rounds from which the bot has learnt."""
    if rounds == 0:
        return f"Before the first round, {name} does not know how you play."
    known = counted(rounds, "earlier round", "earlier rounds")
    return f"From {known} of yours, {name} has an idea of how you play."


def told(bot: AdaptiveBot, name: str) -> str:
    """Sentences for the person after a round. name: the bot's name in a sentence, such as "the bot"."""
    given, weights = 50.0 * bot.account.given, bot.model.weights
    first, second = np.argsort(-weights, kind="stable")[:2].tolist()
    like = likened(bot.model.names[first])
    if weights[first] < 0.5:
        like = f"like {like}, or like {likened(bot.model.names[second])}"
    else:
        like = f"like {like}" if weights[first] >= 0.9 else f"mostly like {like}"
    points = f"{given:.1f} points" if given >= 0.05 else "nothing"
    return f"Your mistakes have given {name} {points} to risk so far. It thinks that you play {like}."


_NAIVE = {"naive-a": "a beginner who blocks rows", "naive-b": "a beginner who looks only at their own rows"}


def likened(name: str) -> str:
    """The words that follow "you play like" for a player."""
    return OPPONENTS[name].title if name in OPPONENTS else _NAIVE.get(name, "nobody it knows")


def told_at_the_end(bot: AdaptiveBot, name: str) -> str:
    """A sentence for the person after the match."""
    gained = 50.0 * bot.account.gained
    if gained < 0.05:
        return f"{name[:1].upper()}{name[1:]} gained nothing by adapting to you."
    return f"If you play as {name} thinks, it gained {gained:.1f} points of winning chance by adapting to you."
