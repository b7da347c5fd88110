"""Exact upper bounds on what an adversary can get against a bot, over a whole match. docs/certificate.md has the proof.

Standard library only, integers and fractions only, and nothing from the solver; with checker_rules.py, what the rules
are, and checker_tree.py this is all that a certificate rests on. Values are match values (-1 to 1) to the adversary.
What is claimed is a bound for every state (the adversary's seat and the score), checked by `check_group`: a best
response in the round, everything after it being worth its bound, is worth at most the state's own bound. Whatever the
adversary does, a round leads out of the states that lead to each other with at least the probability that is claimed as
progress.

A bot's probabilities are its weights (floats are the dyadic fractions that they are) divided by their sum, exactly.
When they have a common denominator of at most 64 bits everything is computed over its powers, without any rounding.
Otherwise every probability, and every product of them, is enclosed between two multiples of 2^-96, and the end of
the enclosure is used that makes the bound larger.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import gcd, lcm
from typing import NamedTuple, Protocol

from .checker_rules import GOALS
from .checker_tree import SURE, Tree

LARGEST_EXACT_BITS = 64
ENCLOSURE_UNIT = 2**96
RESULTS = ((True, True), (True, False), (False, True), (False, False))
"""Whether the first and whether the second mover scores."""


class Refused(Exception):
    """A claim does not hold; the message is one line."""


class Rational(Protocol):
    """An int, a float or a Fraction."""

    def as_integer_ratio(self) -> tuple[int, int]: ...


class AdversaryState(NamedTuple):
    """A round about to be played: the adversary's seat (0 moves first), points of the first and second mover."""

    seat: int
    first: int
    second: int

    def __str__(self) -> str:
        return f"{self.first}-{self.second} with the adversary moving {('first', 'second')[self.seat]}"


ByState = Mapping[AdversaryState, Fraction]
"""A number for every state: bounds on match values, or probabilities of progress."""
Group = tuple[AdversaryState, AdversaryState]
"""Two states that lead to each other: the adversary first at a score; second when nobody has scored there."""


def after_round(state: AdversaryState, result: tuple[bool, bool], winning_score: int) -> AdversaryState | int:
    """What follows a round: another state with the seats swapped, or +1 or -1 when the adversary has won or lost."""
    first, second = state.first + result[0], state.second + result[1]
    if first >= winning_score and second >= winning_score:
        first = second = winning_score - 1
    elif first >= winning_score or second >= winning_score:
        return 1 if (first >= winning_score) == (state.seat == 0) else -1
    return AdversaryState(1 - state.seat, second, first)


def group_of(score: tuple[int, int]) -> Group:
    """The group of the adversary moving first at a score."""
    return AdversaryState(0, *score), AdversaryState(1, score[1], score[0])


def groups_in_solve_order(winning_score: int) -> list[Group]:
    """All groups of a match, each after every group that it leads to: those with more points first."""
    scores = product(range(winning_score), repeat=2)
    return [group_of((first, second)) for first, second in sorted(scores, key=lambda score: (-sum(score), score))]


class Probabilities(NamedTuple):
    """A bot's moves in one seat: that into a node has at least low[goal][node] / unit, at most high[goal][node] / unit.

    With `exact` these are the same, and unit is a common denominator.
    """

    bot: int  # its seat
    unit: int
    exact: bool
    low: Sequence[Sequence[int]]
    high: Sequence[Sequence[int]]


def probabilities(tree: Tree, weights: Sequence[Sequence[Rational]], bot: int) -> Probabilities:
    """The probabilities of a bot in seat `bot`, given the weights of moves by goal (3) and node of the tree.

    Where all weights are 0 the moves are equally likely. Those of a goal that is never drawn do not matter, and are 0.
    Raises ValueError for a negative weight.
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
    """Integers in the proportions of the weights, as small as possible."""
    ratios = [weight.as_integer_ratio() for weight in weights]
    common = lcm(*[denominator for _, denominator in ratios])
    numbers = [numerator * (common // denominator) for numerator, denominator in ratios]
    if min(numbers) < 0:
        raise ValueError(f"weights: {min(weights, key=lambda weight: weight.as_integer_ratio()[0])} is negative")
    divisor = gcd(*numbers)
    return [number // divisor for number in numbers] if divisor else [1] * len(numbers)


class _LeafReach(NamedTuple):
    """By leaf the bot's reach, over one scale: with the goals that score there together, and with all others."""

    scoring: list[int]
    others: list[int]


class _Leaves(NamedTuple):
    """The leaves with one ending; needed: the goals with which the adversary scores there."""

    nodes: list[int]
    needed: Collection[int]
    upper: _LeafReach
    lower: _LeafReach

    def values(self, silent: int, scoring: int) -> list[int]:
        """By leaf: reach times what it is worth when the bot does not score, and when it does; rounded up.

        What is worth less than nothing is worth most with the lower end of the reach.
        """
        others = (self.upper if silent >= 0 else self.lower).others
        scores = (self.upper if scoring >= 0 else self.lower).scoring
        return [silent * other + scoring * score for other, score in zip(others, scores, strict=True)]


class BotRound:
    """A round against a bot, on any tree whose `move` refers to the bot's probabilities.

    Kept is the bot's reach of every leaf times the odds of its goal, rounded up and down, which does not depend on what
    the results are worth: its product of probabilities, divided by the number of histories that share it evenly.
    """

    def __init__(self, tree: Tree, bot: Probabilities) -> None:
        self._bot = bot.bot
        self._num_nodes = tree.num_nodes
        self._odds = tree.rules.odds
        most = _most_moves(tree, bot.bot)
        # Over unit^most every product of `most` probabilities is an integer: no division below leaves a rest.
        self._scale = bot.unit**most if bot.exact else bot.unit
        # A reach that is spread among so many histories is one such part of what it is rounded to as a whole.
        alike = tree.alike[bot.bot] if tree.alike else [1] * tree.num_nodes
        self._parts = lcm(*{*alike})
        shares = [self._parts // histories for histories in alike]
        high = self._reach_by_goal(tree, bot, bot.high, up=True)
        low = high if bot.exact else self._reach_by_goal(tree, bot, bot.low, up=False)
        # Where the bot never comes everything is worth 0.
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
        """The most that an adversary can get when the RESULTS are worth that to it; an upper bound, exact if `exact`.

        The adversary knows its own goal and every move, and may do anything that these tell it.
        """
        common = lcm(*(value.denominator for value in worth))
        both, first, second, neither = (value.numerator * (common // value.denominator) for value in worth)
        alone, against = (first, second) if self._bot == 1 else (second, first)  # only the adversary, only the bot
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
        pairs = sum(self._odds) ** 2  # of goals, by their odds, which the two draw independently of each other
        return Fraction(total, pairs * self._scale * self._parts * common)


def _leaf_reach(
    reach: Sequence[Sequence[int]], shares: Sequence[int], leaves: Sequence[int], scoring: Collection[int]
) -> _LeafReach:
    """From the reach by goal and node, and its share by node. scoring: the goals with which the bot scores there."""
    others = [goal for goal in GOALS if goal not in scoring]
    return _LeafReach(
        *([shares[leaf] * sum(reach[goal][leaf] for goal in goals) for leaf in leaves] for goals in (scoring, others))
    )


def _most_moves(tree: Tree, bot: int) -> int:
    """The most moves of the bot on one path."""
    moves = [0] * tree.num_nodes
    for node, start, stop, owner in tree.blocks:
        moves[start:stop] = [moves[node] + (owner == bot)] * (stop - start)
    return max(moves)


def _reach(tree: Tree, bot: int, column: Sequence[int], unit: int, scale: int, *, up: bool) -> list[int]:
    """By node: the product of the bot's probabilities on the way, times `scale`, rounded up or down after each."""
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
            elif move == SURE:
                reach[child] = here
    return reach


Rounds = Mapping[AdversaryState, BotRound]
"""The round that every state begins, against the bot that the adversary meets there."""


def step(state: AdversaryState, played: BotRound, bounds: ByState, winning_score: int) -> Fraction:
    """The most that the adversary can get at `state` when what follows is worth its bound; at most 1, rounded up.

    Raises KeyError when a bound is missing.
    """
    following = (after_round(state, result, winning_score) for result in RESULTS)
    worth = [bounds[item] if isinstance(item, AdversaryState) else Fraction(item) for item in following]
    return min(Fraction(1), played.best_response(worth))


def progress(state: AdversaryState, played: BotRound, group: Group, winning_score: int) -> Fraction:
    """The least probability, whatever the adversary does, that the round leads out of the group; rounded down."""
    leaves = [Fraction(-(after_round(state, result, winning_score) not in group)) for result in RESULTS]
    return -played.best_response(leaves)


def check_group(group: Group, rounds: Rounds, bounds: ByState, claimed_progress: ByState, winning_score: int) -> None:
    """Raises Refused unless the claims for both states of a group hold, given the bounds of what follows them.

    rounds: against the bot, by state of the group.
    """
    for state, bound in bounds.items():
        if not -1 <= bound <= 1:
            raise Refused(f"the bound at {state} is not in -1 to 1")
    for state in group:
        if step(state, rounds[state], bounds, winning_score) > bounds[state]:
            raise Refused(f"the bound at {state} does not hold: a best response in that round gets more")
        if not 0 <= claimed_progress[state] <= progress(state, rounds[state], group, winning_score):
            raise Refused(f"the progress at {state} does not hold: an adversary can make less")
    if max(claimed_progress[state] for state in group) <= 0:
        raise Refused(f"nothing is proved at {group[0]}: an adversary may keep the match from ever going on")
