"""A shorter table for three plans: python examples/closed_forms/fewest_moves_three_plans.py OUTPUT_FILE [POINTS ...]

Where b > n the closed form draws one of three plans A, B, C before the round. Its second mover's table, as answers.py
derives it, has 692 moves at 579 positions, most of them after the openings 1 and 2. Here these two are searched
(achievable.py): every plan of every goal may play as it likes, but for the first answer, which is given. What the
adversary may get is known at the two points (b, n) for which answers.py derives, too. The result is short, not proved
to be the shortest. That it is optimal at every score of a match to 5 (or to POINTS) with b > n is then checked in
polynomials, as it is for the table of 692 moves; where b < n, the shortest pure tables are. OUTPUT_FILE is the table.

Takes about five minutes. Needs highspy.
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
from fewest_moves import CORNERS, length
from plans import ALL, GOALS, MIXED, PURE, Plan, Point, Round
from tables import choices_of
from values import check_match

from tictactoe.formulas.answer_tables import table_lines
from tictactoe.games.goals import Goal, Seat

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
    parser.add_argument("points", metavar="POINTS", type=int, nargs="*", default=[5])
    options = parser.parse_args()
    game = Round()
    plan = short_plan(game)
    moves, positions = length(game, Seat.SECOND, plan)
    print(f"{moves} moves at {positions} positions", flush=True)
    lines = table_lines(game.tree, Seat.SECOND, choices_of(game, Seat.SECOND, plan))
    options.file.write_text("\n".join(lines) + "\n")
    pure: Plan = {}
    for seat in Seat:
        of_pure = Search(game, seat, CORNERS, path=PURE)
        pure.update(of_pure.plan(of_pure.optimal()[0]))
    for winning_score in options.points:
        print(f"a match to {winning_score}")
        check_match(game, pure, plan, winning_score)


if __name__ == "__main__":
    main()
