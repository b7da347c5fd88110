"""Restricted Nash responses: plans against a model of the opponent that stay safe, to a chosen degree, against anybody.

The opponent plays its model with probability w, and otherwise whatever is worst for us. Best play in that game is a
restricted Nash response (Johanson, Zinkevich and Bowling 2007), found here by alternating PCFR+ (Farina, Kroer and
Sandholm 2021). A plan is a realization plan: float64 (num_nodes, k), the player's own reach, by its type. The worst
loss of a plan is computed exactly, by a best response (`answers`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np

from . import arrays, kernels, rule_definition, simd
from .arrays import (
    TYPES,
    ByteArray,
    FloatArray,
    GameArrays,
    IntArray,
    Rows,
    SweepState,
    Workspace,
    make_workspace,
    rows_of,
    zero_rows,
)
from .compiling import compiled_with
from .game import Game
from .kernels import Side, _step, children, push_mass, sweep
from .public_tree import PublicTree
from .sequence_form import behaviour as behaviour
from .simd import any_nonzero, following, item, load, padded, store, where_positive
from .update_rules import update_rule

PULL = 0.05
"""The size of the first regrets, in spans of the payoffs."""

_compiled = compiled_with(arrays, rule_definition, simd, kernels)


class Responder:
    """Makes plans of `player` against one model of the opponent, for one weight of the model after another.

    model: float64 (num_nodes, k), the opponent's strategy.
    start: float64 (num_nodes, k), an equilibrium. The first regrets are PULL times the other player's reach times it.
    """

    def __init__(self, game: Game, player: int, model: FloatArray, start: FloatArray) -> None:
        tree = game.tree
        self._game, self._player, self._model = game, player, rows_of(model)
        reach = tree.own_reach(start).sum(axis=2, keepdims=True)[:, tree.parent[1:]]
        regrets = np.zeros_like(start)
        pull = PULL * float(game.payoffs.max() - game.payoffs.min())
        regrets[1:] = pull * start[1:] * np.where(tree.mover[1:, None] == 0, reach[1], reach[0])
        skippable = np.zeros((2, tree.num_decision_nodes), np.int8)
        self._state = SweepState(rows_of(regrets), zero_rows(tree.num_nodes, tree.num_types), rows_of(start), skippable)
        self._work = make_workspace(tree.sweep_arrays)

    def plan(self, weight: float, iterations: int) -> FloatArray:
        """A plan, float64 (num_nodes, k). weight: w, from 0 to 1. iterations: at least 1."""
        game, tree, state = self._game, self._game.tree, self._state
        rules = update_rule("pcfr+").coefficients(1, iterations)
        state.strategy_sums[TYPES] = 0.0
        met = zero_rows(2 * tree.num_decision_nodes, tree.num_types)
        mixed, average = (zero_rows(tree.num_nodes, tree.num_types) for _ in range(2))
        _respond(game.arrays, rules, self._player, self._model, weight, state, self._work, met, mixed)
        kernels.normalise_sums(tree.sweep_arrays, state.strategy_sums, average)
        return tree.own_reach_of_player(self._player, average[TYPES])


@_compiled
def _respond(
    game: GameArrays,
    rules: FloatArray,
    player: int,
    model: Rows,
    weight: float,
    state: SweepState,
    work: Workspace,
    met: Rows,
    mixed: Rows,
) -> None:
    for iteration in range(len(rules)):
        rule = rules[iteration]
        step = _step(state.regrets, 1.0, 1.0, rule)
        _mix(game, 1 - player, model, weight, state.strategy, met, mixed)
        for turn in range(2):
            who = player if turn == 0 else 1 - player
            side = Side(
                who,
                game.payoffs[who].reshape(-1),
                game.prior[who],
                0.0,
                mixed if turn == 0 else state.strategy,
                work.mass[who],
                state.skippable[who],
            )
            store(work.reach, 0, padded(work.reach, 1.0))
            amount = padded(side.mass, rule[rule_definition.AVERAGING_WEIGHT])
            store(side.mass, 0, load(side.mass, 0) + amount)
            sweep(game, side, step, state, work, True)
    for who in range(2):
        push_mass(game.tree, who, state, work.mass[who])


@_compiled
def _mix(game: GameArrays, player: int, model: Rows, weight: float, free: Rows, met: Rows, mixed: Rows) -> None:
    tree, num_decisions = game.tree, len(game.tree.owner)
    store(met, 0, padded(met, weight))
    store(met, num_decisions, padded(met, 1.0 - weight))
    decision = int(np.int64(0))
    while decision < num_decisions:
        one, other = load(met, decision), load(met, num_decisions + decision)
        total = one + other
        own = tree.owner[decision] == player
        child, end = children(tree, decision)
        while child < end:
            after, beside = one, other
            if own:
                after, beside = one * load(model, child), other * load(free, child)
                store(mixed, child, (after + beside) / where_positive(total, total, padded(met, 1.0)))
            row = item(tree.target, child)
            if row < num_decisions:
                store(met, row, after)
                store(met, num_decisions + row, beside)
            child = following(child)
        decision = decision + 1 if any_nonzero(total) else item(tree.subtree_end, decision)


WEIGHTS = (0.3, 0.5, 0.7, 0.9)
"""The weights of the model in the plans of a `Frontier`, before the best response to the model."""

ITERATIONS = 30
"""The iterations of regret minimization for each weight."""

EQUILIBRIUM_SHARE = 0.01
"""The share of the equilibrium in every plan."""

ROUNDING = 1e-13
"""The largest difference from the equilibrium's risk, in payoff, of a plan that counts as free of risk."""

STEPS_OF_MIXTURE = 16
"""The number of parts in which the shares of two mixed plans are counted."""


class Plan(NamedTuple):
    """A player's plan for a round, with risk and gain in payoff."""

    reach: FloatArray
    """float64 (num_nodes, k): the plan."""
    risk: float
    """The value minus what the worst opponent leaves to the plan; at least 0."""
    gain: float


class Facts:
    """A round as `player` sees it.

    strategy: float64 (num_nodes, k), an equilibrium of both players.
    value: the value of the equilibrium to `player`.
    equilibrium: the plan of the equilibrium, which counts as free of risk.
    """

    def __init__(self, game: Game, player: int, strategy: FloatArray, value: float) -> None:
        self.game, self.tree, self.player, self.strategy, self.value = game, game.tree, player, strategy, value
        first = game.payoffs * game.prior
        second = np.ascontiguousarray(-first.transpose(0, 2, 1))
        self.payoffs, self._theirs = (first, second) if player == 0 else (second, first)
        self.equilibrium = Plan(self.tree.own_reach_of_player(player, strategy), 0.0, 0.0)
        self._leaves = np.flatnonzero(self.tree.leaf_class >= 0)

    def answers(self, reach: FloatArray) -> FloatArray:
        """float64 (num_nodes, k): the opponent's counterfactual values of a best response to a plan."""
        return answers(self.tree, 1 - self.player, self._theirs, reach)

    def risk(self, reach: FloatArray) -> float:
        """The exact loss of a plan to the worst opponent."""
        return max(0.0, self.value + float(self.answers(reach)[0].sum()))

    def gain(self, reach: FloatArray, model: FloatArray) -> float:
        """The gain of a plan over the value against an opponent with own reach `model`, float64 (num_nodes, k)."""
        leaves = self._leaves
        payoffs = self.payoffs[self.tree.leaf_class[leaves]]
        return float(np.einsum("ng,ngh,nh->", reach[leaves], payoffs, model[leaves])) - self.value

    def odds(self, reach: FloatArray) -> FloatArray:
        """float64 (num_nodes, k): the opponent's counterfactual reach, by its type."""
        return reach @ (self.game.prior if self.player == 0 else self.game.prior.T)

    def gift(self, reach: FloatArray, nodes: Sequence[int], theirs: int) -> float:
        """The amount that an opponent of type `theirs` gave away against a plan: over its moves, the best expected
        value minus the chosen one.

        nodes: the nodes of the round, from the root on.
        """
        values, odds = self.answers(reach)[:, theirs], self.odds(reach)[:, theirs]
        own = [move for move in pairwise(nodes) if self.tree.owner[move[0]] == 1 - self.player]
        return sum(float((values[node] - values[child]) / odds[node]) for node, child in own)

    def improved(self, reach: FloatArray, model: FloatArray) -> FloatArray:
        """float64 (num_nodes, k): a plan that risks no more than this one and gains at least as much from the model."""
        # after a gift of the opponent, a switch to the best response to the model may cost as much
        tree, levels = self.tree, self.tree.nodes_by_depth
        best, theirs, odds = answers(tree, self.player, self.payoffs, model), self.answers(reach), self.odds(reach)
        ours, slack, part = np.zeros(tree.num_nodes), np.zeros_like(theirs), np.zeros(tree.num_nodes)
        payoffs = self.payoffs[tree.leaf_class[self._leaves]]
        ours[self._leaves] = np.einsum("ng,ngh,nh->n", reach[self._leaves], payoffs, model[self._leaves])
        for nodes in reversed(levels[1:]):
            ours += np.bincount(tree.parent[nodes], ours[nodes], tree.num_nodes)
        for nodes in levels[1:]:
            above = tree.parent[nodes]
            share = odds[nodes] / np.where(odds[above] > 0.0, odds[above], 1.0)
            gap = np.maximum(0.0, theirs[above] - theirs[nodes])
            ours_to_move = (tree.owner[above] == self.player)[:, None]
            slack[nodes] = np.where(ours_to_move, slack[above] * share, slack[above] + gap)
        turned = dict[int, FloatArray]()
        for depth, nodes in enumerate(levels[:-1]):
            if not (tree.owner[nodes] == self.player).any():
                continue  # a switch after each of the opponent's moves is no worse than before it
            turned[depth] = plan = reach.copy()
            _follow(tree.owner, tree.first_child, tree.num_children, tree.depth, depth, self.player, best, plan)
            more = self.answers(plan)[nodes] - theirs[nodes]
            too_much = more > slack[nodes] + 0.01 * ROUNDING
            part[nodes] = np.where(too_much, slack[nodes] / np.where(too_much, more, 1.0), 1.0).min(axis=1)
        here, below = part * ((reach * best).sum(axis=1) - ours), np.zeros(tree.num_nodes)
        for nodes in reversed(levels[1:]):
            below += np.bincount(tree.parent[nodes], np.maximum(here, below)[nodes], tree.num_nodes)
        result, since = reach.copy(), np.full(tree.num_nodes, -1)
        for depth, nodes in enumerate(levels[:-1]):
            inherited = since[tree.parent[nodes]] if depth else since[nodes]
            since[nodes] = np.where((inherited < 0) & (here[nodes] > below[nodes]), nodes, inherited)
        since[levels[-1]] = since[tree.parent[levels[-1]]]
        for depth, plan in turned.items():
            changed = np.flatnonzero((since >= 0) & (tree.depth[since] == depth))
            share = part[since[changed], None]
            result[changed] = (1.0 - share) * reach[changed] + share * plan[changed]
        return result


class Frontier:
    """Plans of rising risk against one model. The first is the equilibrium's plan, improved without risk.

    model: float64 (num_nodes, k), the opponent's own reach.
    """

    def __init__(self, facts: Facts, model: FloatArray) -> None:
        self._facts, self._model = facts, model
        equal = facts.equilibrium.reach
        self.equilibrium_gain = facts.gain(equal, model)
        """The gain of the equilibrium's plan."""
        free = self._plan(equal)
        if free.risk > facts.risk(equal) + ROUNDING:
            free = facts.equilibrium._replace(gain=self.equilibrium_gain)
        self._plans = [free._replace(risk=0.0)]

    def plan(self, budget: float) -> Plan:
        """The plan with the largest gain whose risk is at most `budget`."""
        return self.mixture(*self.choice(budget))

    def choice(self, budget: float) -> tuple[int, int, int]:
        """The mixture that gains most: the numbers of two plans, and the parts of STEPS_OF_MIXTURE of the second."""
        plans = self._plans
        while budget > 0.0 and len(plans) < len(WEIGHTS) + 2 and plans[-1].risk <= budget:
            plans.append(self._next())
        # up to the first one beyond the budget, whatever was asked before
        end = next((number + 1 for number, plan in enumerate(plans) if plan.risk > budget), len(plans))
        allowed = [number for number in range(end) if plans[number].risk <= budget]
        best = max(allowed, key=lambda number: plans[number].gain)
        most, chosen = plans[best].gain, (best, best, 0)
        for one, other in product(allowed, set(range(end)).difference(allowed)):
            safe, risky = plans[one], plans[other]
            parts = int(STEPS_OF_MIXTURE * (budget - safe.risk) / (risky.risk - safe.risk))
            gain = safe.gain + parts / STEPS_OF_MIXTURE * (risky.gain - safe.gain)
            if gain > most:
                most, chosen = gain, (one, other, parts)
        return chosen

    def mixture(self, one: int, other: int, parts: int) -> Plan:
        """The mixture of a choice, whose risk is at most the budget."""
        if parts == 0:
            return self._plans[one]
        share, safe, risky = parts / STEPS_OF_MIXTURE, self._plans[one], self._plans[other]
        reach = safe.reach + share * (risky.reach - safe.reach)
        return Plan(reach, self._facts.risk(reach), safe.gain + share * (risky.gain - safe.gain))

    @cached_property
    def _responder(self) -> Responder:
        facts = self._facts
        strategy = behaviour(facts.tree, 1 - facts.player, self._model, facts.strategy)
        return Responder(facts.game, facts.player, strategy, facts.strategy)

    def _next(self) -> Plan:
        facts, number = self._facts, len(self._plans) - 1
        if number < len(WEIGHTS):
            reach = self._responder.plan(WEIGHTS[number], ITERATIONS)
        else:
            values = answers(facts.tree, facts.player, facts.payoffs, self._model)
            reach = best_plan(facts.tree, facts.player, values)
        return self._plan(reach)

    def _plan(self, reach: FloatArray) -> Plan:
        facts, reach = self._facts, self._facts.improved(reach, self._model)
        reach += EQUILIBRIUM_SHARE * (facts.equilibrium.reach - reach)
        return Plan(reach, facts.risk(reach), facts.gain(reach, self._model))


def answers(tree: PublicTree, player: int, payoffs: FloatArray, plan: FloatArray) -> FloatArray:
    """float64 (num_nodes, k): counterfactual values of a best response of `player` to the other player's plan.

    payoffs: float64 (num_classes, k, k), by leaf class, own type and opponent's type: to `player`, times the prior.
    """
    values = np.zeros((tree.num_nodes, tree.num_types))
    _answer(tree.owner, tree.first_child, tree.num_children, tree.leaf_class, player, payoffs, plan, values)
    return values


def best_plan(tree: PublicTree, player: int, values: FloatArray) -> FloatArray:
    """float64 (num_nodes, k): the plan of `player` that makes the first of the moves with the largest `values`."""
    plan = np.ones((tree.num_nodes, tree.num_types))
    _follow(tree.owner, tree.first_child, tree.num_children, tree.depth, 0, player, values, plan)
    return plan


@_compiled
def _answer(
    owner: ByteArray,
    first: IntArray,
    count: IntArray,
    leaf_class: ByteArray | IntArray,
    player: int,
    payoffs: FloatArray,
    plan: FloatArray,
    values: FloatArray,
) -> None:
    for node in range(len(owner) - 1, -1, -1):
        if count[node] == 0:
            for own in range(values.shape[1]):
                total = 0.0
                for other in range(values.shape[1]):
                    total += payoffs[leaf_class[node], own, other] * plan[node, other]
                values[node, own] = total
            continue
        for own in range(values.shape[1]):
            total = values[first[node], own]
            for child in range(first[node] + 1, first[node] + count[node]):
                value = values[child, own]
                total = max(total, value) if owner[node] == player else total + value
            values[node, own] = total


@_compiled
def _follow(
    owner: ByteArray,
    first: IntArray,
    count: IntArray,
    depth: IntArray,
    least_depth: int,
    player: int,
    values: FloatArray,
    plan: FloatArray,
) -> None:
    for node in range(len(owner)):
        if depth[node] < least_depth:
            continue
        begin, end = first[node], first[node] + count[node]
        for own in range(values.shape[1]):
            best = begin
            for child in range(begin, end):
                if values[child, own] > values[best, own]:
                    best = child
            for child in range(begin, end):
                plan[child, own] = plan[node, own] if owner[node] != player or child == best else 0.0
