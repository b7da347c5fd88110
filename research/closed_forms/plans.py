"""The round as lists, what its results are worth, and how it goes when both players play well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeVar

from tictactoe import GameTree
from tictactoe.games.rules import DEFAULT_RULES, RESULTS, Goal, Outcome, Rules

GOALS = "WLT"  # win, lose, tie
ALL = frozenset("ABC")
Moves = Mapping[str, Mapping[str, Mapping[int, str]]]
"""After the squares played, for the goals that get there: the next square, and in which of the plans."""

PURE: Moves = {
    "": {"WLT": {5: "ABC"}},
    "5": {"WLT": {1: "ABC"}},
    "51": {"WLT": {9: "ABC"}},
    "519": {"WLT": {3: "ABC"}},
    "5193": {"WLT": {6: "ABC"}},
    "51936": {"W": {2: "ABC"}, "LT": {8: "ABC"}},
    "519368": {"W": {4: "ABC"}, "LT": {7: "ABC"}},
    "5193687": {"L": {2: "ABC"}, "T": {4: "ABC"}},
}
MIXED: Moves = {
    **PURE,
    "5193": {"WT": {6: "AC", 2: "B"}, "L": {6: "ABC"}},
    "51936": {"W": {2: "ABC"}, "L": {2: "A", 8: "BC"}, "T": {8: "ABC"}},
    "519368": {"W": {4: "AC"}, "L": {4: "B", 7: "AC"}, "T": {7: "AC"}},
    "5193687": {"L": {4: "B", 2: "C"}, "T": {4: "ABC"}},
    "51932": {"W": {8: "B", 7: "AC"}, "L": {7: "ABC"}, "T": {8: "ABC"}},
    "519327": {"WT": {4: "B"}},
    "519328": {"WT": {4: "B"}},
    "5193284": {"W": {6: "B"}, "T": {6: "ABC"}},
}

Reach = tuple[frozenset[str], ...]  # by goal: the plans that get here
EVERYBODY: Reach = (ALL, ALL, ALL)
Plan = dict[tuple[int, int, str], int]
"""A strategy of both seats: by decision node, the mover's goal and plan, the node that the move leads to."""
Number = TypeVar("Number")


class Round:
    """The tree as lists."""

    def __init__(self, rules: str = DEFAULT_RULES) -> None:
        self.tree = GameTree.build(rules)
        self.owner: list[int] = self.tree.owner.tolist()
        self.outcome: list[int] = self.tree.leaf_class.tolist()  # -1 at a decision node
        self.square: list[int] = self.tree.square.tolist()
        self.children = [list(self.tree.children(node)) for node in range(self.tree.num_nodes)]

    def name(self, node: int) -> str:
        return "".join(map(str, self.tree.history(node)))

    def find(self, name: str) -> int:
        return self.tree.find(map(int, name))


def outcomes(rules: Rules) -> list[Outcome]:
    """The ways in which a round can end."""
    return sorted(rules.of_round.goals_true)


def result(rules: Rules, seat: int, outcome: int, own: int, other: int) -> int:
    """Index into RESULTS of who scores, given the goals of the player in `seat` and of the adversary."""
    goals = (Goal(own), Goal(other)) if seat == 0 else (Goal(other), Goal(own))
    return RESULTS.index(rules.scores(Outcome(outcome), *goals))


def to_adversary(rules: Rules, seat: int, payoffs: Sequence[Number]) -> list[list[list[Number]]]:
    """[outcome][own goal][adversary's goal]: what the adversary of `seat` gets; payoffs are to the first mover."""
    sign: Any = -1 if seat == 0 else 1
    return [
        [[sign * payoffs[result(rules, seat, end, own, other)] for other in Goal] for own in Goal]
        for end in outcomes(rules)
    ]


class Point:
    """A round by some rules with the payoffs (both, 1, -1, neither)."""

    def __init__(self, rules: Rules, both: Fraction, neither: Fraction) -> None:
        self.payoffs = (both, Fraction(1), Fraction(-1), neither)
        draw = {"A": 1 - neither, "B": max(both - neither, Fraction(0)), "C": 1 + neither}
        self.weights = {plan: weight / sum(draw.values()) for plan, weight in draw.items()}
        self._to_adversary = [to_adversary(rules, seat, self.payoffs) for seat in (0, 1)]

    def chance(self, plans: frozenset[str]) -> Fraction:
        return sum((self.weights[plan] for plan in plans), Fraction(0))

    def leaf(self, seat: int, outcome: int, reach: Reach) -> list[Fraction]:
        """The value of a leaf to the adversary, by its goal."""
        gains = self._to_adversary[seat][outcome]
        return [sum((self.chance(reach[own]) * gains[own][other] for own in Goal), Fraction(0)) for other in Goal]
