"""The bot that adapts: it answers its model of the opponent, and risks no more than it has been given.

In every round, the score being x and V(x) what x is worth to the bot at equilibrium:

1. The model of the opponent (`Model`) is a mixture of known players and of a learnt one, weighed by Bayes' rule.
2. A plan is the bot's strategy for the round. Its risk is V(x) less the least that any opponent leaves to it, found
   exactly by one best response. The equilibrium's plan is always allowed and free. Others are allowed if their risk is
   at most K, what the bot has been given so far; K is 0 at the start of a match.
3. Of the restricted Nash responses to the model for rising weights (`Frontier`), mixed with each other, the bot plays
   the plan that gains most from the model and is allowed.
4. After the round the goals are shown. The opponent's gift is the sum, over its moves, of the best less the chosen
   expected value against the plan, given its goal and the moves so far, never the result as it happened. Then
   K <- K + gift - risk.

V(x) - K is a martingale whatever the opponent does, and K is never below 0, so that nobody does better against this bot
than against the equilibrium: docs/adaptive-bot.md proves it. The model may be wrong: that costs wins, and no safety.
Every plan holds EQUILIBRIUM_SHARE of the equilibrium, so that every match ends.

Ganzfried and Sandholm 2015 (gifts); McCracken and Bowling 2004 (risk what was won); Johanson, Zinkevich and Bowling
2007 (restricted Nash responses).
"""

from __future__ import annotations

import contextlib
import itertools
import math
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algorithms.arrays import FloatArray, IntArray
from ..games.board import LINES
from ..games.payoffs import goal_prior, tic_tac_toe_round
from ..games.rules import Goal, Seat
from ..games.tic_tac_toe_tree import GameTree, uniform_over_squares
from ..match.scores import Score
from .bot import RoundBot, opponent_of, require_opponent
from .opponents import OPPONENTS
from .referee import Account

WEIGHTS = (0.3, 0.5, 0.7, 0.9)
"""Of the model in restricted Nash responses; the best response to the model comes after them."""

ITERATIONS = 40
"""Of regret minimization, for each weight."""

EQUILIBRIUM_SHARE = 0.01
"""Of every plan."""

STEPS_OF_MIXTURE, STEPS_OF_MODEL = 16, 8
"""Shares of two mixed plans are multiples of 1/16, and the weights of the players in an answered model of 1/8, so that
few plans and models are made."""

ERROR = 0.02
"""How often a known player is believed to mark any free square, so that no evidence is final."""

LEARNT, LEARNT_PRIOR = "learnt", 2.0
"""The name of the learnt player, and how many moves of the random player its beliefs begin with in each kind of
position."""


KEPT = 64
"""Strategies, and plans of a model, that memory keeps: those used last."""


class Known(NamedTuple):
    """A known player in the mixture."""

    name: str
    weight: float
    """Before anything has been seen; in proportion to the others'."""
    strategy: Callable[[RoundBot], FloatArray]
    """From the perfect player of a round to the player's strategy, float64 (num_nodes, 3)."""


def known_players(tree: GameTree) -> list[Known]:
    """The players that the model knows, equally likely: the opponents to choose from that can play on the tree."""
    found = []
    for name in OPPONENTS:
        with contextlib.suppress(ValueError):
            require_opponent(name, tree)
            found.append(Known(name, 1.0, partial(_strategy_of, name)))
    return found


@lru_cache(KEPT)
def _strategy_of(name: str, perfect: RoundBot) -> FloatArray:
    return opponent_of(name, perfect).strategy


class Plan(NamedTuple):
    """The bot's strategy for a round as its own reach, float64 (num_nodes, 3), what the worst opponent takes from it,
    and what the model gives to it over the value; in the unit of values."""

    reach: FloatArray
    risk: float
    gain: float


class Facts:
    """A round at a score as the bot in `seat` sees it. perfect: of the round. value: of the equilibrium, to the bot."""

    def __init__(self, perfect: RoundBot, seat: Seat) -> None:
        self.perfect, self.seat, self.tree = perfect, seat, perfect.tree
        self.game = tic_tac_toe_round(self.tree, perfect.values)
        payoffs = self.game.payoffs * self.game.prior
        second = np.ascontiguousarray(-payoffs.transpose(0, 2, 1))
        self.payoffs, self.theirs = (payoffs, second) if seat is Seat.FIRST else (second, payoffs)
        self.value = perfect.value if seat is Seat.FIRST else -perfect.value
        self.equilibrium = self.tree.own_reach_of_player(seat, perfect.strategy)
        self._leaves = np.flatnonzero(self.tree.leaf_class >= 0)

    def answers(self, reach: FloatArray) -> FloatArray:
        """float64 (num_nodes, 3): see `restricted_response.answers`, of the opponent to a plan."""
        from ..algorithms.restricted_response import answers

        return answers(self.tree, 1 - self.seat, self.theirs, reach)

    def plan(self, reach: FloatArray, model: FloatArray) -> Plan:
        leaves, payoffs = self._leaves, self.payoffs[self.tree.leaf_class[self._leaves]]
        gets = float(np.einsum("ng,ngh,nh->", reach[leaves], payoffs, model[leaves]))
        return Plan(reach, max(0.0, self.value + float(self.answers(reach)[0].sum())), gets - self.value)


class Frontier:
    """Plans of rising risk against one model, made when a budget first reaches them. model: float64 (num_nodes, 3), the
    opponent's own reach."""

    def __init__(self, facts: Facts, model: FloatArray) -> None:
        from ..algorithms.restricted_response import Responder, behaviour

        self._facts, self._model = facts, model
        start = facts.perfect.strategy
        strategy = behaviour(facts.tree, 1 - facts.seat, model, start)
        self._responder = Responder(facts.game, facts.seat, strategy, start)
        self._plans = [Plan(facts.equilibrium, 0.0, facts.plan(facts.equilibrium, model).gain)]

    def plan(self, budget: float) -> Plan:
        """The allowed plan with the largest gain; its risk is at most `budget`."""
        return self.mixture(*self.choice(budget))

    def choice(self, budget: float) -> tuple[int, int, int]:
        """The numbers of two plans, and how many of STEPS_OF_MIXTURE parts the second, riskier one has in the mixture
        that gains most."""
        while budget > 0.0 and len(self._plans) < len(WEIGHTS) + 2 and self._plans[-1].risk <= budget:
            self._plans.append(self._next())
        allowed = [number for number, plan in enumerate(self._plans) if plan.risk <= budget]
        best = max(allowed, key=lambda number: self._plans[number].gain)
        most, chosen = self._plans[best].gain, (best, best, 0)
        for one in allowed:
            for other in set(range(len(self._plans))).difference(allowed):
                safe, risky = self._plans[one], self._plans[other]
                parts = math.floor(STEPS_OF_MIXTURE * (budget - safe.risk) / (risky.risk - safe.risk))
                gain = safe.gain + parts / STEPS_OF_MIXTURE * (risky.gain - safe.gain)
                if gain > most:
                    most, chosen = gain, (one, other, parts)
        return chosen

    def mixture(self, one: int, other: int, parts: int) -> Plan:
        """The mixture of a choice. Its risk is convex in the parts, and so at most the budget of the choice."""
        if parts == 0:
            return self._plans[one]
        share, safe, risky = parts / STEPS_OF_MIXTURE, self._plans[one], self._plans[other]
        return self._facts.plan(safe.reach + share * (risky.reach - safe.reach), self._model)

    def _next(self) -> Plan:
        from ..algorithms.restricted_response import answers, best_plan

        facts, number = self._facts, len(self._plans) - 1
        if number < len(WEIGHTS):
            reach = self._responder.plan(WEIGHTS[number], ITERATIONS)
        else:
            values = answers(facts.tree, facts.seat, facts.payoffs, self._model)
            reach = best_plan(facts.tree, facts.seat, values)
        return facts.plan(reach + EQUILIBRIUM_SHARE * (facts.equilibrium - reach), self._model)


KINDS = ("completes its row and blocks", "completes its row", "blocks", "centre", "corner", "side")
"""The kinds of moves that the learnt player tells apart; the first that fits."""


@cache
def kinds_of(tree: GameTree) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
    """(num_nodes,) each: the kind of the move into a node; the kind of the position above it, a bit for every kind of
    move that it has; and which part of the free squares the move stands for, and all moves of its kind."""
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
    """What was seen of a player: how often, in each kind of position and with each goal, it made each kind of move.
    Within a kind all squares are alike to it."""

    tree: GameTree
    counts: FloatArray = field(default_factory=lambda: np.zeros((1 << len(KINDS), 3, len(KINDS))))
    """[kind of position, goal, kind of move]."""

    def strategy(self) -> FloatArray:
        """float64 (num_nodes, 3): the expected strategy, with a Dirichlet prior."""
        result = np.ones((self.tree.num_nodes, 3))
        result[1:] = self.odds(np.arange(1, self.tree.num_nodes)[:, None], np.arange(3))
        return result

    def odds(self, nodes: NDArray[np.intp], goals: NDArray[np.intp]) -> FloatArray:
        """How likely the moves into nodes are with the goals; the arrays go together."""
        kind, position, squares, alike = kinds_of(self.tree)
        count, all_counts = self.counts[position[nodes], goals, kind[nodes]], self.counts.sum(axis=2)
        kinds = (count + LEARNT_PRIOR * alike[nodes]) / (all_counts[position[nodes], goals] + LEARNT_PRIOR)
        result: FloatArray = kinds * squares[nodes] / alike[nodes]
        return result

    def observe(self, node: int, goal: Goal) -> None:
        """Count the move into a node."""
        kind, position, _, _ = kinds_of(self.tree)
        self.counts[position[node], goal, kind[node]] += 1.0


class Model:
    """A mixture of known players and of one that is learnt."""

    def __init__(self, tree: GameTree, known: Sequence[Known], learnt_weight: float = 0.02) -> None:
        self.names = [*(player.name for player in known), LEARNT]
        self._known, self._tree, self.learnt = known, tree, Learnt(tree)
        weights = np.array([player.weight for player in known])
        weights *= (1.0 - learnt_weight) / weights.sum()
        self.evidence: FloatArray = np.log([*weights, learnt_weight])
        """float64 (len(names),): the logarithms of the weights, up to a number that all have."""

    @property
    def weights(self) -> FloatArray:
        """float64 (len(names),): how likely each player is; they sum to 1."""
        return weights_of(self.evidence)

    def steps(self) -> tuple[int, ...]:
        """The weights in the answered model, in parts of STEPS_OF_MODEL."""
        return steps_of(self.weights)

    @property
    def key(self) -> tuple[object, ...]:
        """What the answered model depends on, besides the round and the known players."""
        steps = self.steps()
        return steps, self.learnt.counts.tobytes() if steps[-1] else b""

    def reach(self, facts: Facts) -> FloatArray:
        """float64 (num_nodes, 3): the own reach of the opponent in a round, by the answered model."""
        result = np.zeros((self._tree.num_nodes, 3))
        for index, step in enumerate(self.steps()):
            if step:
                known = index < len(self._known)
                strategy = self._known[index].strategy(facts.perfect) if known else self.learnt.strategy()
                result += step / STEPS_OF_MODEL * self._tree.own_reach_of_player(1 - facts.seat, strategy)
        return result

    def observe(self, perfect: RoundBot, nodes: Sequence[int], seat: Seat, goal: Goal) -> None:
        """Learn from a round that is over. nodes: on the way, from the root on. seat, goal: of the opponent."""
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
    """Weights that sum to 1 as whole parts of STEPS_OF_MODEL; what is left of rounding down goes to the largest
    remainders."""
    exact = weights * STEPS_OF_MODEL
    steps = np.floor(exact).astype(int)
    for index in np.argsort(steps - exact, kind="stable")[: STEPS_OF_MODEL - steps.sum()]:
        steps[index] += 1
    return tuple(steps.tolist())


_frontiers: OrderedDict[object, Frontier] = OrderedDict()  # of all matches, the last used at the end


class AdaptiveBot:
    """The bot in one match. perfect_at: the perfect player at a score."""

    def __init__(self, perfect_at: Callable[[Score], RoundBot], tree: GameTree) -> None:
        self._perfect_at, self.model, self.account = perfect_at, Model(tree, known_players(tree)), Account(0.0, 0.0)
        self.facts: Facts | None = None
        """Of the round that goes on."""

    def begin_round(self, score: Score, seat: Seat) -> RoundBot:
        """The bot's strategy for a round in which it sits in `seat`; the opponent's rows are the perfect player's."""
        from ..algorithms.restricted_response import behaviour

        perfect = self._perfect_at(score)
        self.facts = facts = Facts(perfect, seat)
        self.plan, self._gain = Plan(facts.equilibrium, 0.0, 0.0), 0.0
        if self.account.given > 0.0:
            frontier = self._frontier(facts)
            self.plan = frontier.plan(self.account.given)
            self._gain = self.plan.gain - frontier.plan(0.0).gain
        if self.plan.reach is facts.equilibrium:
            return perfect
        return RoundBot(facts.tree, behaviour(facts.tree, seat, self.plan.reach, perfect.strategy), perfect.values)

    def _frontier(self, facts: Facts) -> Frontier:
        key = facts.perfect, facts.seat, self.model.key
        _frontiers[key] = found = _frontiers.pop(key, None) or Frontier(facts, self.model.reach(facts))
        if len(_frontiers) > KEPT:
            _frontiers.popitem(last=False)
        return found

    def end_round(self, nodes: Sequence[int], goal: Goal, *, counts: bool = True) -> float:
        """Count the round that was begun last. Returns the opponent's gift.

        nodes: on the way, from the root to the leaf. goal: the opponent's. counts: False if the opponent asked for
        advice or took back a move: then the gift is 0, and nothing is learnt.
        """
        assert self.facts is not None
        facts, account = self.facts, self.account
        gift = gift_of(facts, self.plan.reach, nodes, goal) if counts else 0.0
        self.account = Account(max(0.0, account.given - self.plan.risk) + gift, account.gained + self._gain)
        self.learn(facts.perfect, nodes, Seat(1 - facts.seat), goal, counts=counts)
        self.facts = None
        return gift

    def learn(self, perfect: RoundBot, nodes: Sequence[int], seat: Seat, goal: Goal, *, counts: bool = True) -> None:
        """Learn from a round that is over; see `Model.observe`."""
        if counts:
            self.model.observe(perfect, nodes, seat, goal)


def gift_of(facts: Facts, reach: FloatArray, nodes: Sequence[int], goal: Goal) -> float:
    """What the opponent, who has this goal, gives away by its moves against a plan; not negative."""
    values = facts.answers(reach)[:, goal]
    prior = goal_prior(facts.tree.rules)
    odds = prior[:, goal] if facts.seat is Seat.FIRST else prior[goal]
    total = 0.0
    for node, child in itertools.pairwise(nodes):
        if facts.tree.owner[node] != facts.seat:
            total += float(values[node] - values[child]) / float(odds @ reach[node])
    return total


def told(bot: AdaptiveBot, name: str) -> str:
    """What a person is told after a round: what the bot has been given, and whom it takes the person for. name: of the
    bot in a sentence, such as "the bot"."""
    given, weights = 50.0 * bot.account.given, bot.model.weights
    first, second = np.argsort(-weights, kind="stable")[:2].tolist()
    like = _named(bot.model.names[first])
    if weights[first] < 0.5:
        like = f"like {like} or {_named(bot.model.names[second])}"
    elif first == len(weights) - 1:
        like = "like nobody it knows"
    else:
        like = f"like {like}" if weights[first] >= 0.9 else f"mostly like {like}"
    points = f"{given:.1f} points" if given >= 0.05 else "nothing"
    return f"You have given {name} {points} to risk. To it, you play {like}."


def _named(name: str) -> str:
    return f"the {OPPONENTS[name].title} bot" if name in OPPONENTS else "somebody new"


def told_at_the_end(bot: AdaptiveBot) -> str:
    """What a person is told after the match: what adapting has gained."""
    gained = 50.0 * bot.account.gained
    if gained < 0.05:
        return "It had no use for what it learnt."
    return f"Adapting was worth {gained:.1f} points of winning chance, if you play as it thinks."
