"""A shorter table for three plans: python research/closed_forms/fewest_moves_three_plans.py OUTPUT_FILE

Where b > n the closed form draws one of three plans A, B, C before the round. Linear programs (answers.py) give a table
of 692 moves at 579 positions for the second mover, most of them after the openings 1 and 2. This program searches these
two openings (achievable.py): every plan of every goal may play as it likes, but for the first answer, which is given.
What the adversary may get is known at two points (b, n), for which answers.py derives, too. The result is short, not
proved to be the shortest. half_square.py then proves it optimal wherever b >= n. OUTPUT_FILE is the table of both
seats; tictactoe/formulas/tables/three-in-a-row-three-plans.txt was made so.

Takes about two minutes. Needs highspy.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path

from achievable import Search
from answers import Answer
from departures import Departure, Line
from fewest_moves import length
from half_square import is_optimal
from plans import ALL, GOALS, MIXED, Plan, Point, Round
from tables import choices_of, write_tables

from tictactoe.games.rules import Goal, Seat

POINTS = [(Fraction(1), Fraction(2, 5)), (Fraction(1, 16), Fraction(-1, 200))]
FIRST_ANSWERS = {"1": {"L": 6, "WT": 5}, "2": {"L": 4, "WT": 8}}
"""By opening: what the goals answer. Each group of goals is searched alone, the smaller one first."""


def searched(game: Round, departure: Departure, answers: Mapping[str, int]) -> Plan:
    """The shortest answers to an opening that get within the caps at POINTS and begin as given."""
    caps = [cap for by_goal in departure.caps for cap in by_goal]
    goals, last = answers
    first = search(game, goals, minus(caps, search(game, last, None).least_gains()))
    nodes = [game.find(f"{game.name(departure.node)}{square}") for square in answers.values()]
    rows = first.rows(nodes[0], first.everybody)
    at_least = [min(column) for column in zip(*map(first.gains, rows), strict=True)]
    second = search(game, last, minus(caps, at_least))
    pairs = [
        (row, other)
        for row, other in itertools.product(rows, second.rows(nodes[1], second.everybody))
        if min(minus(minus(caps, first.gains(row)), second.gains(other))) >= 0
    ]
    if not pairs:
        raise SystemExit("no answers within the caps")
    row, other = min(pairs, key=lambda pair: int(pair[0][-1] + pair[1][-1]))
    begin = {
        (departure.node, GOALS.index(goal), one): node
        for goals, node in zip(answers, nodes, strict=True)
        for goal in goals
        for one in "ABC"
    }
    return begin | first.plan(row, nodes[0]) | second.plan(other, nodes[1])


def search(game: Round, goals: str, caps: Sequence[Fraction] | None) -> Search:
    """Of the second mover, all plans of these goals apart."""
    types = [(Goal(GOALS.index(goal)), frozenset(plan)) for goal in goals for plan in "ABC"]
    return Search(game, 1, POINTS, types=types, caps=caps)


def minus(left: Sequence[Fraction], right: Sequence[Fraction]) -> list[Fraction]:
    return [one - other for one, other in zip(left, right, strict=True)]


def short_plan(game: Round) -> Plan:
    """Both seats' three plans: what derive does, but for the second mover's answers to the openings."""
    path = Line(game, MIXED, [Point(game.tree.rules, *point) for point in POINTS])
    plan = path.plan()
    for seat in Seat:
        together = [ALL] if seat == Seat.FIRST else [frozenset(plan) for plan in "ABC"]
        for departure in path.departures(seat):
            if answers := FIRST_ANSWERS.get(game.name(departure.node)) if seat == Seat.SECOND else None:
                plan.update(searched(game, departure, answers))
            else:
                plan.update(Answer(game, seat, path, departure, together).pure())
    return plan


def main() -> None:
    """Search, check, print or write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="OUTPUT_FILE", type=Path)
    options = parser.parse_args()
    game = Round()
    plan = short_plan(game)
    write_tables(game, options.file, *(choices_of(game, seat, plan) for seat in Seat))
    for seat in Seat:
        moves, positions = length(game, seat, plan)
        where = "optimal wherever b >= n" if is_optimal(game, seat, plan) else "not optimal everywhere"
        print(f"{seat.name.lower()} mover: {moves} moves at {positions} positions, {where}")


if __name__ == "__main__":
    main()
