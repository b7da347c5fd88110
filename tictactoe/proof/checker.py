"""Exact upper bounds on an adversary's value against a bot over a whole match. docs/certificate.md has the proof.

This file and checker_tree.py use only the standard library and nothing from the solver. Values are match values (-1 to
1) to the adversary. `check_group` checks two claims about every state. The bound: if each following state is worth its
bound, a best response in the round is worth at most this state's bound. The progress: whatever the adversary does, the
round leaves the state's group with at least this probability.

Arithmetic is exact if the bot's probabilities have a common denominator of at most 64 bits. Otherwise products are
enclosed between multiples of 2^-96, and the end that makes the bound larger is used.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import gcd, lcm
from typing import NamedTuple

from .checker_tree import GOALS, SURE_MOVE, Tree

LARGEST_EXACT_BITS = 64
"""The most bits of a common denominator for exact arithmetic."""
ENCLOSURE_UNIT = 2**96
"""The denominator of the ends of enclosures."""
RESULTS = ((True, True), (True, False), (False, True), (False, False))
"""Whether the first and whether the second mover scores."""


class Refused(Exception):
    """A claim does not hold. The message is one line."""


Rational = int | float | Fraction


class AdversaryState(NamedTuple):
    """A round that is about to be played."""

    seat: int
    """The adversary's seat: 0 moves first in the round, 1 second."""
    first: int
    """The points of the round's first mover."""
    second: int
    """The points of the round's second mover."""

    def __str__(self) -> str:
        return f"{self.first}-{self.second} with the adversary moving {('first', 'second')[self.seat]}"


ByState = Mapping[AdversaryState, Fraction]
"""A number for every state: bounds on match values, or probabilities of progress."""
Group = tuple[AdversaryState, AdversaryState]
"""Two states that lead to each other: the adversary moves first at a score, and the state after nobody scored there."""


def after_round(state: AdversaryState, result: tuple[bool, bool], winning_score: int) -> AdversaryState | int:
    """The state after a round, with the seats swapped; +1 if the adversary has won the match, -1 if it has lost.

    If both reach the winning score, the match continues from one point below it.
    """
    first, second = state.first + result[0], state.second + result[1]
    if first >= winning_score and second >= winning_score:
        first = second = winning_score - 1
    elif first >= winning_score or second >= winning_score:
        return 1 if (first >= winning_score) == (state.seat == 0) else -1
    return AdversaryState(1 - state.seat, second, first)


def group_of(score: tuple[int, int]) -> Group:
    """The group of the state in which the adversary moves first at a score."""
    return AdversaryState(0, *score), AdversaryState(1, score[1], score[0])


def groups_in_solve_order(winning_score: int) -> list[Group]:
    """All groups of a match, each after every group to which it leads."""
    scores = product(range(winning_score), repeat=2)
    return [group_of((first, second)) for first, second in sorted(scores, key=lambda score: (-sum(score), score))]


class Probabilities(NamedTuple):
    """The probabilities of a bot's moves in one seat, by goal and by the node to which the move leads."""

    bot: int
    """The bot's seat."""
    unit: int
    """The denominator of `low` and `high`."""
    exact: bool
    """Whether `low` and `high` are both exactly the probabilities."""
    low: Sequence[Sequence[int]]
    """By goal (3) and node: low[goal][node] / unit is at most the probability, and 0 for moves that are not the
    bot's."""
    high: Sequence[Sequence[int]]
    """By goal (3) and node: high[goal][node] / unit is at least the probability."""


def probabilities(tree: Tree, weights: Sequence[Sequence[Rational]], bot: int) -> Probabilities:
    """The probabilities of a bot in seat `bot`, given the weights of its moves by goal (3) and node.

    Moves whose weights are all 0 are equally likely. A goal that is never drawn has probabilities of 0. Raises
    ValueError for a negative weight.
    """
    shares: list[tuple[int, int, list[int], int]] = []
    unit = 1
    for goal, column in enumerate(weights):
        for _, start, stop, owner in tree.blocks if tree.rules.odds[goal] else ():
            if owner == bot:
                numbers = _in_lowest_terms(column[start:stop])
                shares.append((goal, start, numbers, sum(numbers)))
                if unit.bit_length() <= LARGEST_EXACT_BITS:
                    unit = lcm(unit, shares[-1][3])
    exact = unit.bit_length() <= LARGEST_EXACT_BITS
    if not exact:
        unit = ENCLOSURE_UNIT
    low = [[0] * tree.num_nodes for _ in weights]
    high = low if exact else [[0] * tree.num_nodes for _ in weights]
    for goal, start, numbers, total in shares:
        for child, number in enumerate(numbers, start):
            if number:
                low[goal][child] = number * unit // total
                high[goal][child] = -(-number * unit // total)
    return Probabilities(bot, unit, exact, low, high)


def _in_lowest_terms(weights: Sequence[Rational]) -> list[int]:
    """The smallest integers proportional to the weights; all 1 if these are 0. Raises ValueError if one is negative."""
    ratios = [weight.as_integer_ratio() for weight in weights]
    common = lcm(*[denominator for _, denominator in ratios])
    numbers = [numerator * (common // denominator) for numerator, denominator in ratios]
    if min(numbers) < 0:
        raise ValueError(f"weights: {min(weights, key=lambda weight: weight.as_integer_ratio()[0])} is negative")
    divisor = gcd(*numbers)
    return [number // divisor for number in numbers] if divisor else [1] * len(numbers)


class _LeafReach(NamedTuple):
    """The bot's reach of leaves, over a common scale and summed over goals."""

    scoring: list[int]
    """The reach by the goals with which the bot scores there."""
    others: list[int]
    """The reach by all other goals."""


class _Leaves(NamedTuple):
    nodes: list[int]
    """The nodes of the leaves in the tree."""
    needed: Collection[int]
    """The goals with which the adversary scores there."""
    upper: _LeafReach
    """The bot's reach, rounded up."""
    lower: _LeafReach
    """The bot's reach, rounded down."""

    def values(self, silent: int, scoring: int) -> list[int]:
        """For each leaf, an upper bound on reach times value to the adversary, summed over the bot's goals.

        silent, scoring: the values if the bot does not score, and if it does. A negative one uses the lower end of the
        reach.
        """
        others = (self.upper if silent >= 0 else self.lower).others
        scores = (self.upper if scoring >= 0 else self.lower).scoring
        return [silent * other + scoring * score for other, score in zip(others, scores, strict=True)]


class BotRound:
    """A round against a bot, on any tree whose `move` refers to the bot's probabilities.

    The reach of a leaf is the odds of the bot's goal times its probabilities, divided by the number of histories that
    share it evenly, rounded up and down.
    """

    def __init__(self, tree: Tree, bot: Probabilities) -> None:
        self._bot = bot.bot
        self._num_nodes = tree.num_nodes
        self._odds = tree.rules.odds
        most = _most_moves(tree, bot.bot)
        # With exact probabilities, a product of at most `most` of them is a multiple of 1 / unit^most, and no division
        # in `_reach` leaves a remainder.
        self._scale = bot.unit**most if bot.exact else bot.unit
        # `_reach` rounds once for all histories among which the bot spreads a reach evenly; `alike` counts them. Each
        # of them has 1 / alike of the rounded reach. Over the common denominator `_parts` that share is an integer.
        alike = tree.alike[bot.bot] if tree.alike else [1] * tree.num_nodes
        self._parts = lcm(*{*alike})
        shares = [self._parts // histories for histories in alike]
        high = self._reach_by_goal(tree, bot, bot.high, up=True)
        low = high if bot.exact else self._reach_by_goal(tree, bot, bot.low, up=False)
        # A node that the bot does not reach with any goal contributes 0.
        here = [any(reaches) for reaches in zip(*high, strict=True)]
        self._blocks = [
            (node, start, stop, sum if owner == bot.bot else max)
            for node, start, stop, owner in reversed(tree.blocks)
            if here[node]
        ]
        nodes_by_ending: list[list[int]] = [[] for _ in tree.rules.goals_true]
        for node, outcome in enumerate(tree.outcome):
            if outcome >= 0 and here[node]:
                nodes_by_ending[outcome].append(node)
        self._leaves: list[_Leaves] = []
        for nodes, goals in zip(nodes_by_ending, tree.rules.goals_true, strict=True):
            upper = _leaf_reach(high, shares, nodes, goals[bot.bot])
            lower = upper if bot.exact else _leaf_reach(low, shares, nodes, goals[bot.bot])
            self._leaves.append(_Leaves(nodes, goals[1 - bot.bot], upper, lower))

    def _reach_by_goal(
        self, tree: Tree, bot: Probabilities, columns: Sequence[Sequence[int]], *, up: bool
    ) -> list[list[int]]:
        scales = [odds * self._scale for odds in self._odds]
        pairs = zip(columns, scales, strict=True)
        return [_reach(tree, bot.bot, column, bot.unit, scale, up=up) for column, scale in pairs]

    def best_response(self, worth: Sequence[Fraction]) -> Fraction:
        """An upper bound on an adversary's value; the exact maximum if the probabilities are exact.

        worth: the value of each of RESULTS to the adversary, who knows the bot's probabilities, its own goal and all
        moves.
        """
        common = lcm(*(value.denominator for value in worth))
        both, first, second, neither = (value.numerator * (common // value.denominator) for value in worth)
        alone, against = (
            (first, second) if self._bot == 1 else (second, first)
        )  # only the adversary scores, only the bot
        hits = [leaves.values(alone, both) for leaves in self._leaves]
        misses = [leaves.values(neither, against) for leaves in self._leaves]
        total = 0
        for goal, odds in enumerate(self._odds):
            if not odds:
                continue
            values = [0] * self._num_nodes
            for leaves, hit, miss in zip(self._leaves, hits, misses, strict=True):
                for leaf, value in zip(leaves.nodes, hit if goal in leaves.needed else miss, strict=True):
                    values[leaf] = value
            for node, start, stop, combined in self._blocks:
                values[node] = combined(values[start:stop])
            total += odds * values[0]
        pairs = sum(self._odds) ** 2  # both players draw their goals independently, by the same odds
        return Fraction(total, pairs * self._scale * self._parts * common)


def _leaf_reach(
    reach: Sequence[Sequence[int]], shares: Sequence[int], leaves: Sequence[int], scoring: Collection[int]
) -> _LeafReach:
    others = [goal for goal in GOALS if goal not in scoring]
    return _LeafReach(
        *([shares[leaf] * sum(reach[goal][leaf] for goal in goals) for leaf in leaves] for goals in (scoring, others))
    )


def _most_moves(tree: Tree, bot: int) -> int:
    moves = [0] * tree.num_nodes
    for node, start, stop, owner in tree.blocks:
        moves[start:stop] = [moves[node] + (owner == bot)] * (stop - start)
    return max(moves)


def _reach(tree: Tree, bot: int, column: Sequence[int], unit: int, scale: int, *, up: bool) -> list[int]:
    """For each node, `scale` times the bot's probabilities on the way, with rounding. column: their numerators."""
    reach = [0] * tree.num_nodes
    reach[0] = scale
    for node, start, stop, owner in tree.blocks:
        here = reach[node]
        if not here:
            continue
        if owner != bot:
            reach[start:stop] = [here] * (stop - start)
            continue
        for child in range(start, stop):
            move = tree.move[child]
            if move >= 0:
                product = here * column[move]
                reach[child] = -(-product // unit) if up else product // unit
            elif move == SURE_MOVE:
                reach[child] = here
    return reach


Rounds = Mapping[AdversaryState, BotRound]
"""The round at each state against the bot that the adversary meets there."""


def step(state: AdversaryState, played: BotRound, bounds: ByState, winning_score: int) -> Fraction:
    """An upper bound, at most 1, on the adversary's value at `state` if each following state is worth its bound.

    Raises KeyError if the bound of a following state is missing.
    """
    following = (after_round(state, result, winning_score) for result in RESULTS)
    worth = [bounds[item] if isinstance(item, AdversaryState) else Fraction(item) for item in following]
    return min(Fraction(1), played.best_response(worth))


def progress(state: AdversaryState, played: BotRound, group: Group, winning_score: int) -> Fraction:
    """A lower bound on the probability that the round leads out of the group, whatever the adversary does."""
    leaves = [Fraction(-(after_round(state, result, winning_score) not in group)) for result in RESULTS]
    return -played.best_response(leaves)


def check_group(group: Group, rounds: Rounds, bounds: ByState, claimed_progress: ByState, winning_score: int) -> None:
    """Raise Refused unless the claims about both states of a group hold.

    rounds: for each state, its round against the bot. bounds: the bounds of both states and of all that follow.
    """
    for state, bound in bounds.items():
        if not -1 <= bound <= 1:
            raise Refused(f"the bound at {state} is not from -1 to 1")
    for state in group:
        if step(state, rounds[state], bounds, winning_score) > bounds[state]:
            raise Refused(f"the bound at {state} does not hold: a best response in that round gets more")
        if not 0 <= claimed_progress[state] <= progress(state, rounds[state], group, winning_score):
            raise Refused(f"the progress at {state} does not hold: an adversary can make less")
    if max(claimed_progress[state] for state in group) <= 0:
        raise Refused(f"nothing is proved at {group[0]}: an adversary may keep the match there for ever")
