"""Closed forms, derived and verified: python benchmarks/closed_forms.py OUTPUT_DIR [POINTS ...]

What the results of a round are worth to the first mover is written (b, 1, -1, n), for both, first, second and neither
scoring, after scaling. Two strategies for both seats are found. One is pure and meant for b <= n; the other is a draw,
before the round, between three pure plans A, B, C with probabilities that are fractions in b and n, and is meant for
b >= n. docs/closed-forms.md says what they do and what follows.

Given is how the round goes when both players play well (PURE, MIXED). How each seat answers every departure of the
other is found by linear programs, one per departure, and rounded to zeros and ones. What is rounded is not trusted:

- the pure strategy is written to OUTPUT_DIR/single_round (value -1/9), as solve-subgame does, and to
  OUTPUT_DIR/match_to_1 (value -1/13; the same round as 4-4 in a match to 5), as solve-multiround does, read back, and
  both seats' best responses to it are computed in fractions over the whole tree;
- at every score of a match to 5 (or of those to POINTS), whose b and n are mostly irrational, best responses are
  computed as polynomials in b and n: a comparison is believed when it is decided by far more than b and n are
  uncertain, or when the two sides are the same polynomial.

Takes about three minutes. Needs highspy (pip install highspy).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import highspy
import numpy as np
from numpy.typing import NDArray

from tictactoe import GameTree, load_solution
from tictactoe.board import Outcome
from tictactoe.files import write_file
from tictactoe.match import (
    RESULTS,
    SINGLE_ROUND,
    Goal,
    OutcomeValues,
    Score,
    continuation,
    pairs_in_solve_order,
    scores,
)
from tictactoe.snapshot import Snapshot, snapshot_name, subgame_name
from tictactoe.solution import SOLUTION_FILE, SOLUTION_KIND, SubgameResult

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
SOLVED_WHOLE = {"51932"}
"""Where the answers to departures of several plans hang together: solved as one, the given moves fixed."""

Reach = tuple[frozenset[str], ...]  # by goal: the plans that get here
EVERYBODY: Reach = (ALL, ALL, ALL)
Plan = dict[tuple[int, int, str], int]
"""A strategy of both seats: by decision node, the mover's goal and plan, the node that the move leads to."""
Number = TypeVar("Number")


class Round:
    """The tree as lists."""

    def __init__(self) -> None:
        self.tree = GameTree.build()
        self.owner: list[int] = self.tree.owner.tolist()
        self.outcome: list[int] = self.tree.leaf_class.tolist()  # -1 at a decision node
        self.square: list[int] = self.tree.square.tolist()
        self.children = [list(self.tree.children(node)) for node in range(self.tree.num_nodes)]

    def name(self, node: int) -> str:
        return "".join(map(str, self.tree.history(node)))

    def find(self, name: str) -> int:
        return self.tree.find(map(int, name))


def result(seat: int, outcome: int, own: int, other: int) -> int:
    """Index into RESULTS of who scores, given the goals of the player in `seat` and of the adversary."""
    goals = (Goal(own), Goal(other)) if seat == 0 else (Goal(other), Goal(own))
    return RESULTS.index(scores(Outcome(outcome), *goals))


def to_adversary(seat: int, payoffs: Sequence[Number]) -> list[list[list[Number]]]:
    """[outcome][own goal][adversary's goal]: what the adversary of `seat` gets; payoffs are to the first mover."""
    sign: Any = -1 if seat == 0 else 1
    return [[[sign * payoffs[result(seat, end, own, other)] for other in Goal] for own in Goal] for end in Outcome]


class Point:
    """A round with the payoffs (both, 1, -1, neither)."""

    def __init__(self, both: Fraction, neither: Fraction) -> None:
        self.payoffs = (both, Fraction(1), Fraction(-1), neither)
        total = 2 + both - neither
        self.weights = {"A": (1 - neither) / total, "B": (both - neither) / total, "C": (1 + neither) / total}
        self._to_adversary = [to_adversary(seat, self.payoffs) for seat in (0, 1)]

    def chance(self, plans: frozenset[str]) -> Fraction:
        return sum((self.weights[plan] for plan in plans), Fraction(0))

    def leaf(self, seat: int, outcome: int, reach: Reach) -> list[Fraction]:
        """By the adversary's goal: what a leaf is worth to it."""
        gains = self._to_adversary[seat][outcome]
        return [sum((self.chance(reach[own]) * gains[own][other] for own in Goal), Fraction(0)) for other in Goal]


# --- departures from the path --------------------------------------------------------------------------------------


class Departure(NamedTuple):
    """Where the adversary of a seat leaves the path: the node, who may be there, and by point and goal of the
    adversary the most that it may get from there on."""

    node: int
    reach: Reach
    caps: list[list[Fraction]]


class Line:
    """The play on the path, and the departures from it."""

    def __init__(self, game: Round, moves: Moves, points: Sequence[Point]) -> None:
        self._game = game
        self.points = points
        self._next: dict[tuple[int, int], dict[int, frozenset[str]]] = {}
        for history, by_goal in moves.items():
            node = game.find(history)
            for goals, squares in by_goal.items():
                following = {game.find(f"{history}{square}"): frozenset(plans) for square, plans in squares.items()}
                self._next.update({(node, GOALS.index(goal)): following for goal in goals})
        self._reach: dict[int, tuple[Reach, Reach]] = {}
        self._walk(0, (EVERYBODY, EVERYBODY))

    def _walk(self, node: int, reach: tuple[Reach, Reach]) -> None:
        if not (any(reach[0]) and any(reach[1])):
            return
        self._reach[node] = reach
        seat = self._game.owner[node]
        for child in self._game.children[node]:
            below = tuple(plans & self._next.get((node, goal), {}).get(child, frozenset())
                          for goal, plans in enumerate(reach[seat]))  # fmt: skip
            self._walk(child, (below, reach[1]) if seat == 0 else (reach[0], below))

    def plan(self) -> Plan:
        """The moves on the path."""
        return {
            (node, goal, plan): next(child for child, plans in self._next[node, goal].items() if plan in plans)
            for node, reach in self._reach.items() if self._game.outcome[node] < 0
            for goal in Goal for plan in reach[self._game.owner[node]][goal]
        }  # fmt: skip

    def given(self, node: int, goal: int, plan: str) -> int | None:
        """The child that the path gives for a decision, if it gives one."""
        return next((child for child, plans in self._next.get((node, goal), {}).items() if plan in plans), None)

    def _worth(self, point: Point, seat: int, node: int, other: int) -> Fraction:
        """What the adversary's goal `other` gets below `node` when both stay on the path, times its own chance."""
        if node not in self._reach:
            return Fraction(0)
        reach = self._reach[node]
        if (outcome := self._game.outcome[node]) >= 0:
            return point.chance(reach[1 - seat][other]) * point.leaf(seat, outcome, reach[seat])[other]
        return sum((self._worth(point, seat, child, other) for child in self._game.children[node]), Fraction(0))

    def departures(self, seat: int) -> Iterator[Departure]:
        """Every departure of the adversary of `seat`; SystemExit when one that ends the round gains anything."""
        yield from self._below(seat, 0, [[self._worth(p, seat, 0, other) for other in Goal] for p in self.points])

    def _below(self, seat: int, node: int, caps: list[list[Fraction]]) -> Iterator[Departure]:
        game, reach = self._game, self._reach[node][seat]
        if game.name(node) in SOLVED_WHOLE and game.owner[node] == seat:
            yield Departure(node, reach, caps)
        elif game.owner[node] == seat:
            inner = [child for child in game.children[node] if child in self._reach and game.outcome[child] < 0]
            for child in inner:
                yield from self._below(seat, child, self._split(seat, node, child, caps, len(inner)))
        else:
            for child in game.children[node]:
                if game.outcome[child] >= 0:
                    for point, most in zip(self.points, caps, strict=True):
                        gains = point.leaf(seat, game.outcome[child], reach)
                        if any(gain > cap for gain, cap in zip(gains, most, strict=True)):
                            raise SystemExit(f"{game.name(child)}: the path is no equilibrium")
                elif child in self._reach:
                    yield from self._below(seat, child, caps)
                else:
                    yield Departure(child, reach, caps)

    def _split(
        self, seat: int, node: int, child: int, caps: list[list[Fraction]], num_inner: int
    ) -> list[list[Fraction]]:
        """The caps of the adversary below one of the moves that the seat makes at `node`."""
        game, reach = self._game, self._reach[node]

        def cap(point: Point, most: list[Fraction], other: int) -> Fraction:
            if chance := point.chance(reach[1 - seat][other]):  # it comes here: it gets exactly what the path gives
                return self._worth(point, seat, child, other) / chance
            if num_inner != 1:
                raise SystemExit(f"{game.name(node)}: a cap to be divided")
            leaves = [leaf for leaf in game.children[node] if leaf in self._reach and game.outcome[leaf] >= 0]
            return most[other] - sum(point.leaf(seat, game.outcome[leaf], self._reach[leaf][seat])[other]
                                     for leaf in leaves)  # fmt: skip

        return [[cap(point, most, other) for other in Goal] for point, most in zip(self.points, caps, strict=True)]


# --- linear programs -----------------------------------------------------------------------------------------------

LARGEST_INTEGER_PROGRAM = 6_000  # columns; larger programs are rounded move by move
LARGEST_SHORT_PROGRAM = 90_000  # columns; in larger ones the length of the table is left out
INFINITY = highspy.kHighsInf
Expression = dict[int, float]  # coefficients of columns


class Answer:
    """The program for a seat's play after a departure, in the sequence form.

    Columns: for every move of the seat, goal and plan, the probability that all moves up to that one are made; for
    every decision node of the adversary, point and goal, what a best response gets there; for every move, the
    largest of its probabilities. Rows: probabilities add up; a best response gets at least what every move gets;
    the caps.

    Minimised is the number of different moves, which is the length of the table, plus what the adversary gets by
    going on well after a departure and any number of random moves, summed over the nodes where that begins.
    """

    def __init__(
        self, game: Round, seat: int, path: Line, departure: Departure, plans: Sequence[frozenset[str]]
    ) -> None:
        self._game, self._seat, self._path = game, seat, path
        self._columns: list[tuple[float, float, float]] = []  # cost, least, most
        self._rows: list[tuple[float, float, Expression]] = []  # least, most, coefficients
        self._keys = [(goal, some & departure.reach[goal]) for goal in Goal for some in plans
                      if some & departure.reach[goal]]  # fmt: skip
        gains = [to_adversary(seat, point.payoffs) for point in path.points]
        self._gains = [
            [[[float(point.chance(some) * one[end][goal][other]) for other in Goal] for goal, some in self._keys]
             for end in Outcome]
            for point, one in zip(path.points, gains, strict=True)
        ]  # fmt: skip
        self._moves: dict[tuple[int, int], dict[int, int]] = {}  # by decision node and index of key: child, column
        constant = self._column(0.0, 1.0, 1.0)
        top = self._build(departure.node, [constant] * len(self._keys), 1.0 / len(path.points))
        for worth, caps in zip(top, departure.caps, strict=True):
            self._rows += [(-INFINITY, float(cap), one) for one, cap in zip(worth, caps, strict=True)]
        if len(self._columns) <= LARGEST_SHORT_PROGRAM:
            self._count_moves()
        self._highs = self._model()

    def _column(self, cost: float, least: float, most: float) -> int:
        self._columns.append((cost, least, most))
        return len(self._columns) - 1

    def _build(self, node: int, sequence: Sequence[int | None], chance: float) -> list[list[Expression]]:
        """By point and goal of the adversary: what the node is worth.

        sequence: by key the column of the seat's last move; None when it does not get here. chance: of the adversary
        getting here by random moves.
        """
        game = self._game
        if (outcome := game.outcome[node]) >= 0:
            here = [(index, column) for index, column in enumerate(sequence) if column is not None]
            return [[_added({column: one[outcome][index][other]} for index, column in here) for other in Goal]
                    for one in self._gains]  # fmt: skip
        if game.owner[node] == self._seat:
            choices: list[dict[int, int] | None] = [None] * len(self._keys)
            for index, before in enumerate(sequence):
                if before is not None:
                    goal, some = self._keys[index]
                    given = {self._path.given(node, goal, plan) for plan in some} - {None}
                    choice = {child: self._column(0.0, 0.0, float(not given or child in given))
                              for child in game.children[node]}  # fmt: skip
                    self._rows.append((0.0, 0.0, {before: -1.0} | dict.fromkeys(choice.values(), 1.0)))
                    choices[index] = self._moves[node, index] = choice
            parts = [self._build(child, [choice and choice[child] for choice in choices], chance)
                     for child in game.children[node]]  # fmt: skip
            return [[_added(part[at][other] for part in parts) for other in Goal] for at in range(len(self._gains))]
        parts = [self._build(child, sequence, chance / len(game.children[node])) for child in game.children[node]]
        best = [[self._column(chance, -INFINITY, INFINITY) for _ in Goal] for _ in self._gains]
        for part in parts:
            for columns, worth in zip(best, part, strict=True):
                for column, one in zip(columns, worth, strict=True):
                    self._rows.append((0.0, INFINITY, {column: 1.0} | {at: -number for at, number in one.items()}))
        return [[{column: 1.0} for column in columns] for columns in best]

    def _count_moves(self) -> None:
        by_child: dict[int, list[int]] = {}
        for choice in self._moves.values():
            for child, column in choice.items():
                by_child.setdefault(child, []).append(column)
        for columns in by_child.values():
            largest = self._column(1.0, 0.0, 1.0)
            self._rows += [(0.0, INFINITY, {largest: 1.0, column: -1.0}) for column in columns]

    def _model(self) -> highspy.Highs:
        program = highspy.HighsLp()
        program.num_col_, program.num_row_ = len(self._columns), len(self._rows)
        program.col_cost_, program.col_lower_, program.col_upper_ = zip(*self._columns, strict=True)
        program.row_lower_, program.row_upper_, rows = zip(*self._rows, strict=True)
        program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        program.a_matrix_.start_ = np.cumsum([0, *map(len, rows)])
        program.a_matrix_.index_ = [column for row in rows for column in row]
        program.a_matrix_.value_ = [number for row in rows for number in row.values()]
        highs = highspy.Highs()
        for option, value in (("output_flag", False), ("threads", 1), ("primal_feasibility_tolerance", 1e-9),
                              ("dual_feasibility_tolerance", 1e-9), ("mip_feasibility_tolerance", 1e-9),
                              ("mip_rel_gap", 0.0)):  # fmt: skip
            highs.setOptionValue(option, value)
        highs.passModel(program)
        return highs

    def _solve(self) -> tuple[float, list[float]] | None:
        """The minimum and the columns there, None when nothing satisfies the rows."""
        self._highs.run()
        if self._highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        return self._highs.getInfo().objective_function_value, list(self._highs.getSolution().col_value)

    def _allow(self, columns: Sequence[int], most: float) -> None:
        count = len(columns)
        self._highs.changeColsBounds(count, np.array(columns, np.int32), np.zeros(count), np.full(count, most))

    def pure(self) -> Plan:
        """A solution of zeros and ones, as the moves that are made; SystemExit when none is found."""
        if len(self._columns) <= LARGEST_INTEGER_PROGRAM:
            columns = np.array([column for choice in self._moves.values() for column in choice.values()], np.int32)
            integers = np.array([highspy.HighsVarType.kInteger] * len(columns))
            self._highs.changeColsIntegrality(len(columns), columns, integers)
        found = self._solve()
        while found is not None and (split := self._first_split(found[1])) is not None:
            found = self._decide(split, found[1])
        if found is None:
            raise SystemExit("no pure answer found")
        return {
            (node, self._keys[index][0], plan): child
            for (node, index), choice in self._moves.items() for child, column in choice.items()
            if found[1][column] > 0.5 for plan in self._keys[index][1]
        }  # fmt: skip

    def _first_split(self, point: Sequence[float]) -> tuple[int, int] | None:
        """The first decision, from the top, that is not pure."""
        for key, choice in self._moves.items():
            if any(1e-7 < point[column] < 1 - 1e-7 for column in choice.values()):
                return key
        return None

    def _decide(self, key: tuple[int, int], point: Sequence[float]) -> tuple[float, list[float]] | None:
        """The solution after fixing a decision: to the best of the moves in it, or the first other that will do."""
        columns = sorted(self._moves[key].values(), key=lambda column: -point[column])
        best: tuple[float, int] | None = None
        for column in columns:
            if best is not None and point[column] < 1e-7:
                break
            others = [other for other in columns if other != column]
            self._allow(others, 0.0)
            found = self._solve()
            self._allow(others, 1.0)
            if found is not None and (best is None or found[0] < best[0] - 1e-7):
                best = found[0], column
        if best is None:
            return None
        self._allow([other for other in columns if other != best[1]], 0.0)
        return self._solve()


def _added(parts: Any) -> Expression:
    total: Expression = {}
    for part in parts:
        for column, number in part.items():
            if number:
                total[column] = total.get(column, 0.0) + number
    return total


def derive(game: Round, moves: Moves, points: Sequence[tuple[Fraction, Fraction]]) -> Plan:
    """The strategy of both seats wherever their own moves lead, for all of the points (both, neither)."""
    path = Line(game, moves, [Point(*point) for point in points])
    plan = path.plan()
    for seat in (0, 1):
        together = [ALL] if seat == 0 or moves is PURE else [frozenset(plan) for plan in "ABC"]
        for departure in path.departures(seat):
            plan.update(Answer(game, seat, path, departure, together).pure())
    return plan


# --- verification --------------------------------------------------------------------------------------------------


def best_response(
    game: Round, seat: int, plan: Plan, leaf: Callable[[int, Reach], list[Number]],
    best: Callable[[Iterator[Number]], Number],
) -> list[Number]:  # fmt: skip
    """By the adversary's goal, what a best response to `seat` gets, times 9; best: the largest of some numbers."""

    def values(node: int, reach: Reach) -> list[Any]:
        if game.outcome[node] >= 0:
            return leaf(game.outcome[node], reach)
        if game.owner[node] != seat:
            return [best(iter(column)) for column in zip(*(values(c, reach) for c in game.children[node]), strict=True)]
        parts = []
        for child in game.children[node]:
            below = tuple(frozenset(one for one in plans if plan[node, goal, one] == child)
                          for goal, plans in enumerate(reach))  # fmt: skip
            if any(below):
                parts.append(values(child, below))
        return [sum(column[1:], column[0]) for column in zip(*parts, strict=True)]

    return values(0, EVERYBODY)


def best_response_to_array(
    game: Round, seat: int, strategy: NDArray[np.float64], payoffs: Sequence[Fraction]
) -> Fraction:
    """What a best response to `seat` gets, in exact arithmetic; the floats are the fractions that they are."""
    gains = to_adversary(seat, payoffs)

    def values(node: int, reach: list[Fraction]) -> list[Fraction]:
        if (outcome := game.outcome[node]) >= 0:
            return [sum((reach[own] * gains[outcome][own][other] for own in Goal), Fraction(0)) for other in Goal]
        if game.owner[node] != seat:
            return list(map(max, zip(*(values(child, reach) for child in game.children[node]), strict=True)))
        rows = [list(map(Fraction, strategy[child].tolist())) for child in game.children[node]]
        if any(reach[goal] and sum(row[goal] for row in rows) != 1 for goal in Goal):
            raise SystemExit(f"{game.name(node)}: probabilities that do not sum to 1")
        total = [Fraction(0)] * 3
        for child, row in zip(game.children[node], rows, strict=True):
            below = [there * probability for there, probability in zip(reach, row, strict=True)]
            if any(below):
                total = [one + more for one, more in zip(total, values(child, below), strict=True)]
        return total

    return sum(values(0, [Fraction(1)] * 3), Fraction(0)) / 9


class Polynomial(NamedTuple):
    """In b and n, of degree 2 at most: the coefficients of 1, b, n, bb, bn, nn."""

    coefficients: tuple[int, ...]

    def __add__(self, other: Any) -> Polynomial:
        return Polynomial(tuple(one + two for one, two in zip(self.coefficients, other.coefficients, strict=True)))

    def __rmul__(self, number: Any) -> Polynomial:
        return Polynomial(tuple(number * one for one in self.coefficients))

    def __mul__(self, other: Any) -> Polynomial:
        """The product of two linear ones."""
        (a, b, n, *_), (c, d, m, *_) = self.coefficients, other.coefficients
        return Polynomial((a * c, a * d + b * c, a * m + n * c, b * d, b * m + n * d, n * m))

    def at_b(self, b: int) -> Polynomial:
        """The same with b known."""
        one, by_b, by_n, by_bb, by_bn, by_nn = self.coefficients
        return Polynomial((one + b * by_b + b * b * by_bb, 0, by_n + b * by_bn, 0, 0, by_nn))

    def at(self, b: Fraction, n: Fraction) -> Fraction:
        powers = (1, b, n, b * b, b * n, n * n)
        return sum((one * power for one, power in zip(self.coefficients, powers, strict=True)), Fraction(0))


def linear(one: int, b: int, n: int) -> Polynomial:
    return Polynomial((one, b, n, 0, 0, 0))


PAYOFFS = (linear(0, 1, 0), linear(1, 0, 0), linear(-1, 0, 0), linear(0, 0, 1))
WEIGHTS = {"A": linear(1, 0, -1), "B": linear(0, 1, -1), "C": linear(1, 0, 1)}
"""Of the plans, times TOTAL."""
TOTAL = linear(2, 1, -1)
NINE_VALUES = {"pure": linear(-1, 3, 1) * TOTAL, "mixed": linear(-1, 3, 1) * TOTAL + -1 * (WEIGHTS["B"] * WEIGHTS["A"])}
"""9 times the value of the round to the first mover, times TOTAL."""
DIGITS = 60
DECIDED = Fraction(1, 10**30)


def check_at(game: Round, plan: Plan, name: str, b: Fraction, n: Fraction, known_b: int | None) -> None:
    """Check that the strategy is optimal for both seats where b and n are within 1e-50 of the given ones.

    name: of the formula for the value. known_b: b when it is exactly 1 or -1. SystemExit when the strategy is not
    optimal or cannot be seen to be.
    """

    def simplified(one: Polynomial) -> Polynomial:
        return one if known_b is None else one.at_b(known_b)

    def best(numbers: Iterator[Polynomial]) -> Polynomial:
        largest = next(numbers)
        for one in numbers:
            difference = one + -1 * largest
            number = difference.at(b, n)
            if any(difference.coefficients) and abs(number) < DECIDED:
                raise SystemExit("a comparison that cannot be decided")
            if number > 0:
                largest = one
        return largest

    for seat in (0, 1):
        gains = to_adversary(seat, PAYOFFS)
        table = {(end, own, other, plan): simplified(gains[end][own][other] * WEIGHTS[plan])
                 for end in Outcome for own in Goal for other in Goal for plan in "ABC"}  # fmt: skip
        zero = linear(0, 0, 0)

        def leaf(outcome: int, reach: Reach, table: Any = table, zero: Polynomial = zero) -> list[Polynomial]:
            return [sum((table[outcome, own, other, plan] for own in Goal for plan in reach[own]), zero)
                    for other in Goal]  # fmt: skip

        total = sum(best_response(game, seat, plan, leaf, best), zero)
        if total != simplified((-1 if seat == 0 else 1) * NINE_VALUES[name]):
            raise SystemExit(f"seat {seat}: the adversary gains something at b = {float(b)}, n = {float(n)}")


def round_value(both: Any, first: Any, second: Any, neither: Any) -> Any:
    """The value of a round to the first mover, within the range of outcome values that check_at covers."""
    nine = 3 * both + 2 * first + 3 * second + neither
    if both > neither:
        nine -= (both - neither) * (first - neither) / (first - second + both - neither)
    return nine / 9


def match_values(winning_score: int) -> dict[Score, Decimal]:
    """The values of all scores, to DIGITS digits, from round_value alone."""
    values: dict[Score, Decimal] = {}
    for pair in pairs_in_solve_order(winning_score):
        values.update(dict.fromkeys(pair, Decimal(0)))
        while True:
            new = {score: round_value(*payoffs_at(score, values, winning_score)) for score in pair}
            settled = all(abs(new[score] - values[score]) < Decimal(10) ** (4 - DIGITS) for score in pair)
            values.update(new)
            if settled:
                break
    return values


def payoffs_at(score: Score, values: Mapping[Score, Decimal], winning_score: int) -> list[Decimal]:
    following = [continuation(score, *scored, winning_score) for scored in RESULTS]
    return [Decimal(sign) if after is None else sign * values[after] for sign, after in following]


def check_match(game: Round, pure: Plan, mixed: Plan, winning_score: int) -> None:
    """Check the strategy at every score of a match but the last, and print the values."""
    with localcontext() as context:
        context.prec = DIGITS
        values = match_values(winning_score)
        for score, value in values.items():
            both, first, second, neither = payoffs_at(score, values, winning_score)
            b, n = ((2 * one - first - second) / (first - second) for one in (both, neither))
            known_b = 1 if both == first else -1 if both == second else None
            b = b if known_b is None else Decimal(known_b)
            last = score == (winning_score - 1, winning_score - 1)  # the match to 1, with b = n: checked already
            name = "pure" if last or b < n else "mixed"
            if not last:
                check_at(game, pure if name == "pure" else mixed, name, Fraction(b), Fraction(n), known_b)
            print(f"{score}  {name:5}  b {b:9.6f}  n {n:9.6f}  value {value:.40f}", flush=True)


# --- files ---------------------------------------------------------------------------------------------------------

SINGLE_VALUE, MATCH_VALUE = Fraction(-1, 9), Fraction(-1, 13)
OPTIONS = {"made_by": "benchmarks/closed_forms.py", "exploitability": "0, exactly"}


def elsewhere(game: Round) -> dict[tuple[int, int], int]:
    """For every node and goal the move that reaches the goal most often against random moves, the lowest of equals."""
    moves = {}
    for seat in (0, 1):
        for goal in Goal:
            chance = [Fraction(0)] * len(game.children)
            for node in reversed(range(len(game.children))):
                if game.outcome[node] >= 0:
                    outcome = Outcome(game.outcome[node])
                    chance[node] = Fraction(int((outcome if seat == 0 else outcome.reversed()) == int(goal)))
                    continue
                below = [chance[child] for child in game.children[node]]
                if game.owner[node] == seat:
                    chance[node] = max(below)
                    moves[node, int(goal)] = game.children[node][below.index(max(below))]
                else:
                    chance[node] = sum(below, Fraction(0)) / len(below)
    return moves


def as_array(game: Round, plan: Plan) -> NDArray[np.float64]:
    """float64 (num_nodes, 3): 1 for the moves that plan A makes, 0 for the others, the root's row 1."""
    moves = elsewhere(game) | {(node, goal): child for (node, goal, one), child in plan.items() if one == "A"}
    strategy = np.zeros((game.tree.num_nodes, 3))
    strategy[0] = 1.0
    for (_, goal), child in moves.items():
        strategy[child, goal] = 1.0
    return strategy


def write_snapshot(
    game: Round, path: Path, strategy: NDArray[np.float64], score: Score | None, values: OutcomeValues,
    value: Fraction,
) -> None:  # fmt: skip
    """A snapshot without regrets."""
    path.parent.mkdir(parents=True, exist_ok=True)
    sums = strategy.copy()
    sums[0] = 0.0
    Snapshot(
        score=score, winning_score=None if score is None else 1, iteration=0, started_at=0, outcome_values=values,
        options={**OPTIONS, "value": str(value)}, end_rule=game.tree.end_rule, tree_fingerprint=game.tree.fingerprint,
        regrets=np.zeros_like(strategy), strategy_sums=sums, current_strategy=strategy,
        settled=np.zeros((2, game.tree.num_decision_nodes), np.int8), exploitability=0.0, value=float(value),
        convergence=np.empty((0, 4)),
    ).save(path, compression=9)  # fmt: skip


def write_files(game: Round, directory: Path, strategy: NDArray[np.float64]) -> None:
    """single_round and match_to_1 in `directory`."""
    write_snapshot(game, directory / "single_round" / snapshot_name(0), strategy, None, SINGLE_ROUND, SINGLE_VALUE)
    score, value = Score(0, 0), float(MATCH_VALUE)
    match = directory / "match_to_1"
    values = OutcomeValues(-value, 1.0, -1.0, -value)
    write_snapshot(game, match / subgame_name(score) / snapshot_name(0), strategy, score, values, MATCH_VALUE)
    found = SubgameResult(score, value, exploitability=0.0, iteration=0, converged=True, following={})
    content = {
        "winning_score": 1,
        "options": {**OPTIONS, "value": str(MATCH_VALUE)},
        "end_rule": game.tree.end_rule,
        "tree_fingerprint": game.tree.fingerprint,
        "subgames": [found.as_dict()],
    }
    write_file(match / SOLUTION_FILE, SOLUTION_KIND, content)


def check_files(game: Round, directory: Path) -> None:
    """Read the files back and check that neither seat can gain anything."""
    single = Snapshot.load(directory / "single_round" / snapshot_name(0), game.tree).average_strategy(game.tree)
    match = load_solution(directory / "match_to_1").average_strategy[Score(0, 0)]
    for name, strategy, neither, value in (
        ("single round", single, Fraction(0), SINGLE_VALUE), ("match to 1", match, -MATCH_VALUE, MATCH_VALUE),
    ):  # fmt: skip
        payoffs = (neither, Fraction(1), Fraction(-1), neither)
        by_second, by_first = (best_response_to_array(game, seat, strategy, payoffs) for seat in (0, 1))
        if not by_first == -by_second == value:
            raise SystemExit(f"{name}: exploitability {by_first + by_second}, value {by_first}")
        print(f"{name}: exploitability exactly 0, value {by_first}", flush=True)
    check_triangle(game, single)


def check_triangle(game: Round, strategy: NDArray[np.float64]) -> None:
    """Check that the strategy is optimal wherever -1 <= b <= n <= 1.

    What a best response gains over the value is convex in (b, n), being the largest of linear functions, and never
    negative: when it is 0 in the corners of the triangle, it is 0 all over.
    """
    for both, neither in ((-1, -1), (-1, 1), (1, 1)):
        payoffs = (Fraction(both), Fraction(1), Fraction(-1), Fraction(neither))
        if sum(best_response_to_array(game, seat, strategy, payoffs) for seat in (0, 1)) != 0:
            raise SystemExit(f"exploitable at b = {both}, n = {neither}")
    print("the same strategy: exploitability exactly 0 wherever -1 <= b <= n <= 1")


# --- tables --------------------------------------------------------------------------------------------------------


def table(game: Round, seat: int, plan: Plan) -> Iterator[str]:
    """A line for every position after a move of `seat` in which the adversary can go on: the answers."""

    def answers(node: int, reach: Reach) -> list[tuple[int, Reach]]:
        children = {plan[node, goal, one] for goal in Goal for one in reach[goal]}
        return [
            (child, tuple(frozenset(one for one in reach[goal] if plan[node, goal, one] == child) for goal in Goal))
            for child in sorted(children)
        ]

    def shown(who: Reach, among: Reach) -> str:
        """The goals, each with the plans if not all that are possible."""
        if who == among:
            return ""
        parts = [GOALS[goal] + ("" if who[goal] == among[goal] else "".join(sorted(who[goal])).lower())
                 for goal in Goal if who[goal]]  # fmt: skip
        return " " + "".join(parts)

    def lines(node: int, reach: Reach) -> Iterator[str]:
        cells, below = [], []
        for reply in game.children[node]:
            if game.outcome[reply] >= 0:
                continue
            found = answers(reply, reach)
            endings = {-1: "", 0: "x", 1: "o", 2: "="}
            cells.append(f"{game.square[reply]}-" + ", ".join(
                f"{game.square[child]}{endings[game.outcome[child]]}{shown(who, reach)}" for child, who in found))
            below += [(child, who) for child, who in found if game.outcome[child] < 0]
        if cells:
            yield f"{game.name(node) or 'start':8} {label(reach):5} {'; '.join(cells)}"
        for child, who in below:
            yield from lines(child, who)

    def label(reach: Reach) -> str:
        return "".join(GOALS[goal] + ("" if reach[goal] == ALL else "".join(sorted(reach[goal])).lower())
                       for goal in Goal if reach[goal])  # fmt: skip

    if seat == 0:
        for child, reach in answers(0, EVERYBODY):
            yield from lines(child, reach)
    else:
        yield from lines(0, EVERYBODY)


def print_tables(game: Round, name: str, plan: Plan) -> None:
    for seat, who in enumerate(("first", "second")):
        decisions = [key for key in plan if game.owner[key[0]] == seat]
        moves = {(node, child) for (node, _, _), child in plan.items() if game.owner[node] == seat}
        print(f"\n{name}, {who} mover: {len(moves)} moves at {len({key[0] for key in decisions})} positions")
        print("\n".join(table(game, seat, plan)))


def main() -> None:
    """Derive, write, read back, verify, print."""
    if len(sys.argv) < 2 or not all(points.isdecimal() and int(points) > 0 for points in sys.argv[2:]):
        raise SystemExit(__doc__)
    directory = Path(sys.argv[1])
    game = Round()
    pure = derive(game, PURE, [(Fraction(0), Fraction(0)), (Fraction(1, 13), Fraction(1, 13))])
    write_files(game, directory, as_array(game, pure))
    check_files(game, directory)
    mixed = derive(game, MIXED, [(Fraction(1), Fraction(2, 5)), (Fraction(1, 16), Fraction(-1, 200))])
    for points in map(int, sys.argv[2:] or ["5"]):
        print(f"\na match to {points}")
        check_match(game, pure, mixed, points)
    print_tables(game, "b <= n", pure)
    print_tables(game, "b >= n", mixed)


if __name__ == "__main__":
    main()
