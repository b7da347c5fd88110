"""Whether tossing coins makes tables shorter: python research/closed_forms/fewest_moves_mixed.py [--integer]

fewest_moves.py finds the shortest tables of pure optimal strategies. Here every strategy is allowed, and a move counts
that has any chance at all. A linear program gives a lower bound: of all optimal strategies, the least sum, over the
moves, of the largest of the chances with which the three goals make it (all moves up to that one multiplied). In a
table every move that is made counts 1, which is at least its largest chance.

The program is solved in floating point, but the bound is exact. From the solution of the dual program are read: a
number to multiply with what the adversary gains, how the adversary plays, and, for every move, weights of the three
goals with sum 1. The largest chance is at least the weighted mean, the adversary gains at least what it gains by
playing so. What is left is to be minimised by each goal alone, move by move from the end, which is done in fractions.
Whatever the floats are, that is a lower bound.

--integer tries to do better, in floating point alone: integer programs, one for each opening of the first mover, ask
for fewer moves than the shortest pure table has there. That takes half an hour, the rest five minutes. Needs highspy.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from fractions import Fraction
from math import ceil

import highspy
import numpy as np
from achievable import Points, Search, nine_values
from fewest_moves import LAST, ROUND, SEATS
from plans import Point, Round

from tictactoe.games.rules import Goal

Expression = dict[int, float]  # coefficients of columns
INFINITY = highspy.kHighsInf
PARTS = 2**30  # into which chances and weights are divided


class Support:
    """The program: the length of the table of a seat from a node on, and what the adversary gets.

    Columns: for every move and goal, the chance of all moves up to that one; for every move, the largest of these; for
    every node of the adversary and goal of it, what a best response gets. Rows beyond those are added by the caller:
    `top` is, by goal, what the adversary gets.
    """

    def __init__(
        self, game: Round, seat: int, point: tuple[Fraction, Fraction], node: int = 0, integer: bool = False
    ) -> None:
        self._integer = integer
        self.game, self.seat, self.node = game, seat, node
        self.point = Point(game.tree.rules, *point)
        self.columns: list[tuple[float, float, float]] = []  # cost, least, most
        self.rows: list[tuple[float, float, Expression]] = []
        self.moves: dict[int, int] = {}  # by child: the column of the largest chance
        self.weights: dict[tuple[int, int], int] = {}  # by child and goal: the row that holds its chance below it
        self.replies: dict[tuple[int, int], int] = {}  # by child and goal of the adversary: the row of its worth
        one = self._column(0.0, 1.0, 1.0)
        self.top = self._build(node, [one] * len(Goal), None)

    def _column(self, cost: float, least: float, most: float) -> int:
        self.columns.append((cost, least, most))
        return len(self.columns) - 1

    def row(self, least: float, most: float, expression: Expression) -> int:
        self.rows.append((least, most, expression))
        return len(self.rows) - 1

    def leaf(self, outcome: int, own: Goal) -> list[Fraction]:
        """By goal of the adversary, what a leaf is worth to it."""
        return self.point.leaf(self.seat, outcome, tuple(frozenset("ABC" if goal == own else "") for goal in Goal))

    def _build(self, node: int, chances: Sequence[int], above: int | None) -> list[Expression]:
        game = self.game
        if (outcome := game.outcome[node]) >= 0:
            gains = [self.leaf(outcome, own) for own in Goal]
            return [{chances[own]: float(gains[own][other]) for own in Goal if gains[own][other]} for other in Goal]
        if game.owner[node] == self.seat:
            below = {child: [self._column(0.0, 0.0, 1.0) for _ in Goal] for child in game.children[node]}
            for goal in Goal:
                made = dict.fromkeys((columns[goal] for columns in below.values()), 1.0)
                self.row(0.0, 0.0, {chances[goal]: -1.0} | made)
            total: list[Expression] = [{} for _ in Goal]
            for child, columns in below.items():
                self.moves[child] = largest = self._column(1.0, 0.0, 1.0)
                for goal in Goal:
                    self.weights[child, goal] = self.row(0.0, INFINITY, {largest: 1.0, columns[goal]: -1.0})
                for one, more in zip(total, self._build(child, columns, largest), strict=True):
                    for column, number in more.items():
                        one[column] = one.get(column, 0.0) + number
            if (
                self._integer and above is not None
            ):  # follows from the others while chances are fractions; helps when moves are integers
                made = dict.fromkeys((self.moves[child] for child in below), 1.0)
                self.row(0.0, INFINITY, {above: -1.0} | made)
            return total
        best = [self._column(0.0, -INFINITY, INFINITY) for _ in Goal]
        for child in game.children[node]:
            for goal, worth in zip(Goal, self._build(child, chances, above), strict=True):
                rest = {column: -number for column, number in worth.items()}
                self.replies[child, goal] = self.row(0.0, INFINITY, {best[goal]: 1.0} | rest)
        return [{column: 1.0} for column in best]

    def model(self, **options: float | str) -> highspy.Highs:
        program = highspy.HighsLp()
        program.num_col_, program.num_row_ = len(self.columns), len(self.rows)
        program.col_cost_, program.col_lower_, program.col_upper_ = zip(*self.columns, strict=True)
        program.row_lower_, program.row_upper_, rows = zip(*self.rows, strict=True)
        program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        program.a_matrix_.start_ = np.cumsum([0, *map(len, rows)])
        program.a_matrix_.index_ = [column for row in rows for column in row]
        program.a_matrix_.value_ = [number for row in rows for number in row.values()]
        highs = highspy.Highs()
        for option, value in {"output_flag": False, "threads": 1, **options}.items():
            highs.setOptionValue(option, value)
        highs.passModel(program)
        return highs


def together(expressions: Sequence[Expression]) -> Expression:
    total: Expression = {}
    for expression in expressions:
        for column, number in expression.items():
            total[column] = total.get(column, 0.0) + number
    return total


def linear_bound(game: Round, seat: int, point: tuple[Fraction, Fraction]) -> Fraction:
    """An exact lower bound of the length of all tables of optimal strategies."""
    program = Support(game, seat, point)
    value = nine_values(seat, *point)
    optimal = program.row(-INFINITY, float(value), together(program.top))
    highs = program.model(solver="ipm", run_crossover="off")
    highs.run()
    return exact_bound(program, list(highs.getSolution().row_dual), optimal, value)


def exact_bound(program: Support, dual: Sequence[float], optimal: int, value: Fraction) -> Fraction:
    """What the dual solution proves, in fractions, whatever it is."""
    game = program.game
    multiplier = Fraction(max(-dual[optimal], 0.0))

    def shares(node: int, goal: Goal) -> list[Fraction]:
        """How the adversary plays."""
        parts = [int(PARTS * max(dual[program.replies[child, goal]], 0.0)) for child in game.children[node]]
        return (
            [Fraction(part, sum(parts)) for part in parts]
            if sum(parts)
            else [Fraction(1)] + [Fraction(0)] * (len(parts) - 1)
        )

    def least(node: int, reach: list[Fraction]) -> list[Fraction]:
        """By goal of the seat; reach: by goal of the adversary, its chance of getting here times the multiplier."""
        if (outcome := game.outcome[node]) >= 0:
            return [sum(map(Fraction.__mul__, reach, program.leaf(outcome, own)), Fraction(0)) for own in Goal]
        children = game.children[node]
        if game.owner[node] != program.seat:
            played = zip(*(shares(node, goal) for goal in Goal), strict=True)
            below = [
                least(child, [there * share for there, share in zip(reach, row, strict=True)])
                for child, row in zip(children, played, strict=True)
            ]
            return [sum(column, Fraction(0)) for column in zip(*below, strict=True)]
        found = []
        for child in children:
            weights = [int(PARTS * max(dual[program.weights[child, goal]], 0.0)) for goal in Goal]
            whole = max(PARTS, sum(weights))
            found.append([Fraction(w, whole) + more for w, more in zip(weights, least(child, reach), strict=True)])
        return [min(column) for column in zip(*found, strict=True)]

    return sum(least(program.node, [multiplier] * len(Goal)), Fraction(0)) - multiplier * value


def gained_by_goal(game: Round, seat: int, point: tuple[Fraction, Fraction]) -> list[float]:
    """By goal of the adversary, the least that it gets against an optimal strategy; in floating point."""
    program = Support(game, seat, point)
    program.row(-INFINITY, float(nine_values(seat, *point)), together(program.top))
    highs = program.model(solver="ipm", run_crossover="off")
    count, found = len(program.columns), []
    for goal in Goal:
        cost = np.zeros(count)
        for column, number in program.top[goal].items():
            cost[column] = number
        highs.changeColsCost(count, np.arange(count, dtype=np.int32), cost)
        highs.run()
        found.append(highs.getInfo().objective_function_value)
    return found


def integer_programs(game: Round, points: Points) -> bool:
    """Whether no optimal strategy of the second mover has a shorter table than pure ones; in floating point."""
    search = Search(game, 1, points)
    row = search.optimal()[0]
    caps = [Fraction(int(number), search.denominator) for number in row[: len(Goal)]]
    least = gained_by_goal(game, 1, points[0])
    print(f"against optimal strategies the first mover's goals get at least {least}", flush=True)
    if max(abs(float(cap) - one) for cap, one in zip(caps, least, strict=True)) > 1e-6:
        return False  # then what each opening may give is not known
    shorter = False
    for opening in game.children[0]:
        rows = search.rows(opening, 7)
        pure = int(rows[(rows[:, : len(Goal)] <= row[: len(Goal)]).all(axis=1)][:, -1].min())
        program = Support(game, 1, points[0], opening, integer=True)
        for cap, worth in zip(caps, program.top, strict=True):
            program.row(-INFINITY, float(cap), worth)
        columns = np.array(list(program.moves.values()), np.int32)
        program.row(-INFINITY, pure - 1.0, dict.fromkeys(program.moves.values(), 1.0))
        highs = program.model(
            mip_heuristic_effort=0.0, mip_feasibility_tolerance=1e-9, primal_feasibility_tolerance=1e-9
        )
        highs.changeColsIntegrality(len(columns), columns, np.array([highspy.HighsVarType.kInteger] * len(columns)))
        highs.run()
        status = highs.getModelStatus()
        print(f"opening {game.name(opening)}, fewer than {pure} moves: {highs.modelStatusToString(status)}", flush=True)
        shorter |= status != highspy.HighsModelStatus.kInfeasible
    return not shorter


def main() -> None:
    """Print the bounds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--integer", action="store_true")
    options = parser.parse_args()
    game = Round()
    for where, points in (("the single round", ROUND), ("the match to 1", LAST)):
        for seat, who in enumerate(SEATS):
            bound = linear_bound(game, seat, points[0])
            print(f"{who}, {where}: at least {float(bound):.9f}, hence {ceil(bound)} moves", flush=True)
        if options.integer:
            print("none shorter than pure ones" if integer_programs(game, points) else "perhaps shorter ones")


if __name__ == "__main__":
    main()
