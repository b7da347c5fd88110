"""A seat's answers to every departure of its adversary: linear programs, their solutions rounded to pure ones."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import highspy
import numpy as np
from departures import Departure, Line
from plans import ALL, Moves, Plan, Point, Round, outcomes, to_adversary

from tictactoe.games.rules import Goal

LARGEST_INTEGER_PROGRAM = 6_000  # columns; larger programs are rounded move by move
LARGEST_SHORT_PROGRAM = 90_000  # columns; in larger ones the length of the table is left out
INFINITY = highspy.kHighsInf
LARGEST_DENOMINATOR = 24  # of probabilities
Expression = dict[int, float]  # coefficients of columns
Mixed = dict[tuple[int, int], dict[int, Fraction]]
"""By decision node and goal: the probability of every move."""


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
        self._keys = [
            (goal, some & departure.reach[goal]) for goal in Goal for some in plans if some & departure.reach[goal]
        ]
        gains = [to_adversary(game.tree.rules, seat, point.payoffs) for point in path.points]
        self._gains = [
            [
                [[float(point.chance(some) * one[end][goal][other]) for other in Goal] for goal, some in self._keys]
                for end in outcomes(game.tree.rules)
            ]
            for point, one in zip(path.points, gains, strict=True)
        ]
        self._moves: dict[tuple[int, int], dict[int, int]] = {}  # by decision node and index of key: child, column
        constant = self._column(0.0, 1.0, 1.0)
        top = self._build(departure.node, [constant] * len(self._keys), 1.0 / len(path.points))
        for worth, caps in zip(top, departure.caps, strict=True):
            if len(caps) == 1:  # of all goals together
                worth = [_added(worth)]
            self._rows += [(-INFINITY, float(cap), one) for one, cap in zip(worth, caps, strict=True)]
        if len(self._columns) <= LARGEST_SHORT_PROGRAM:
            self._count_moves()
        self._highs = self._model()

    def _column(self, cost: float, least: float, most: float) -> int:
        self._columns.append((cost, least, most))
        return len(self._columns) - 1

    def _build(self, node: int, sequence: Sequence[int | None], chance: float) -> list[list[Expression]]:
        """The value of the node, by point and by the adversary's goal.

        sequence: by key, the column of the seat's last move; None if the seat does not reach the node. chance: the
        probability that the adversary reaches the node by random moves.
        """
        game = self._game
        if (outcome := game.outcome[node]) >= 0:
            here = [(index, column) for index, column in enumerate(sequence) if column is not None]
            return [
                [_added({column: one[outcome][index][other]} for index, column in here) for other in Goal]
                for one in self._gains
            ]
        if game.owner[node] == self._seat:
            choices: list[dict[int, int]] = [{} for _ in self._keys]
            for index, before in enumerate(sequence):
                if before is not None:
                    goal, some = self._keys[index]
                    given = {self._path.given(node, goal, plan) for plan in some} - {None}
                    choice = {
                        child: self._column(0.0, 0.0, float(not given or child in given))
                        for child in game.children[node]
                    }
                    self._rows.append((0.0, 0.0, {before: -1.0} | dict.fromkeys(choice.values(), 1.0)))
                    choices[index] = self._moves[node, index] = choice
            parts = [
                self._build(child, [choice.get(child) for choice in choices], chance) for child in game.children[node]
            ]
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
        for option, value in (
            ("output_flag", False),
            ("threads", 1),
            ("primal_feasibility_tolerance", 1e-9),
            ("dual_feasibility_tolerance", 1e-9),
            ("mip_feasibility_tolerance", 1e-9),
            ("mip_rel_gap", 0.0),
        ):
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
            for (node, index), choice in self._moves.items()
            for child, column in choice.items()
            if found[1][column] > 0.5
            for plan in self._keys[index][1]
        }

    def mixed(self) -> Mixed:
        """A solution as it is, its probabilities rounded to fractions; SystemExit when there is none."""
        found = self._solve()
        if found is None:
            raise SystemExit("no answer found")
        result: Mixed = {}
        for (node, index), choice in self._moves.items():
            if (total := sum(found[1][column] for column in choice.values())) > 1e-7:
                result[node, self._keys[index][0]] = {
                    child: Fraction(max(found[1][column], 0.0) / total).limit_denominator(LARGEST_DENOMINATOR)
                    for child, column in choice.items()
                }
        return result

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
    path = Line(game, moves, [Point(game.tree.rules, *point) for point in points])
    plan = path.plan()
    for seat in (0, 1):
        for departure in path.departures(seat):
            plan.update(Answer(game, seat, path, departure, [ALL]).pure())
    return plan
