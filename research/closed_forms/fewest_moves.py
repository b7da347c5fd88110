"""How short the table of a pure optimal strategy can be: python research/closed_forms/fewest_moves.py [OUTPUT_FILE]

The table of a strategy lists the moves that some goal makes at positions that the strategy's own moves reach. Its
length is the number of different ones; moves that lead to images of one board count once. This program finds the
least length of all pure strategies that are optimal, for both seats: in the single round (b = n = 0), in the match to 1
(b = n = 1/13), and in the whole triangle -1 <= b <= n <= 1 (in its corners, which is enough). It does the same for the
number of positions at which there is a move to make, with the path of the closed form and without. achievable.py has
the method and the reason why it is exact.

Then it asks what a table is worth against an opponent who marks the first k squares at random and plays perfectly from
then on, in the single round, on average over k: for every length, how little that can be. All tables found are
checked by best responses over the whole tree, in fractions. With OUTPUT_FILE it writes the best of the second mover's
shortest tables.

Takes about five minutes, most of it for the second mover's opponents who begin at random.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from pathlib import Path

from achievable import Points, Search, nine_values
from plans import EVERYBODY, PURE, Plan, Point, Reach, Round
from responses import best_response
from tables import choices_of

from tictactoe.formulas.answer_tables import table_lines
from tictactoe.games.board import Board
from tictactoe.games.rules import Goal, Seat
from tictactoe.storage.open_saved import open_saved

ROUND: Points = [(Fraction(0), Fraction(0))]
LAST: Points = [(Fraction(1, 13), Fraction(1, 13))]
CORNERS: Points = [(Fraction(b), Fraction(n)) for b, n in ((-1, -1), (-1, 1), (1, 1))]
WHERE = {"the single round": ROUND, "the match to 1": LAST, "the triangle": CORNERS}
SHIPPED = str(Path(__file__).parents[2] / "solutions" / "closed_forms" / "single_round")
SEATS = ("first mover", "second mover")


def most(numbers: Iterator[Fraction]) -> Fraction:
    return max(numbers)


def length(game: Round, seat: int, plan: Plan) -> tuple[int, int]:
    """Of the table: moves, and positions, counted in the plan."""
    own = {(node, child) for (node, _, _), child in plan.items() if game.owner[node] == seat}
    return len(own), len({node for node, _ in own})


def check(game: Round, seat: int, plan: Plan, points: Points) -> None:
    """Check that the strategy is optimal at the points, by best responses over the whole tree, in fractions."""
    for b, n in points:
        leaf = partial(Point(game.tree.rules, b, n).leaf, seat)
        if sum(best_response(game, seat, plan, leaf, most)) != nine_values(seat, b, n):
            raise SystemExit(f"seat {seat}: the adversary gains something at b = {b}, n = {n}")


def shipped(game: Round, seat: int) -> Plan:
    """The strategy of the closed form that ships, where its own moves lead."""
    strategy = open_saved(SHIPPED).load().average_strategy
    found: Plan = {}

    def walk(node: int, goals: list[int]) -> None:
        if game.owner[node] == seat:
            for goal in goals:
                child = next(child for child in game.children[node] if strategy[child][goal] == 1.0)
                found.update({(node, goal, plan): child for plan in "ABC"})
        for child in game.children[node]:
            if here := [goal for goal in goals if game.owner[node] != seat or found[node, goal, "A"] == child]:
                walk(child, here)

    walk(0, list(Goal))
    return found


def after_random_moves(game: Round, seat: int, plan: Plan, random: int) -> Fraction:
    """What an opponent gets in a single round, on average, who marks so many squares at random and plays perfectly
    from then on."""
    point = Point(game.tree.rules, *ROUND[0])

    def values(node: int, board: Board, reach: Reach, random: int) -> list[Fraction]:
        if game.outcome[node] >= 0:
            return point.leaf(seat, game.outcome[node], reach)
        after = {child: board.play(game.square[child]) for child in game.children[node]}
        if game.owner[node] == seat:
            parts = []
            for child, there in after.items():
                who = tuple(
                    frozenset(one for one in plans if plan[node, goal, one] == child)
                    for goal, plans in enumerate(reach)
                )
                if any(who):
                    parts.append(values(child, there, who, random))
            return [sum(column, Fraction(0)) for column in zip(*parts, strict=True)]
        below = {there.canonical(): values(child, there, reach, max(random - 1, 0)) for child, there in after.items()}
        if not random:
            return [max(column) for column in zip(*below.values(), strict=True)]
        marked = [below[board.play(square).canonical()] for square in board.free_squares]
        return [sum(column, Fraction(0)) / len(marked) for column in zip(*marked, strict=True)]

    return sum(values(0, Board(), EVERYBODY, random), Fraction(0)) / 9


def describe(game: Round, seat: int, name: str, plan: Plan) -> Fraction:
    """Check the table all over the triangle, and print what it leaves an opponent who begins at random."""
    check(game, seat, plan, [*CORNERS, *ROUND, *LAST])
    gains = [after_random_moves(game, seat, plan, random) for random in range(1, 5 + seat)]
    mean = sum(gains, Fraction(0)) / len(gains)
    numbers = ", ".join(f"{float(gain):.4f}" for gain in gains)
    moves, positions = length(game, seat, plan)
    print(f"{name}: {moves} moves at {positions} positions, leaves {float(mean):.5f} ({numbers})", flush=True)
    return mean


def print_least(game: Round) -> None:
    """The least moves, and the least positions, of both seats."""
    for seat, who in enumerate(SEATS):
        for path in (PURE, None):
            for where, points in WHERE.items():
                found = []
                for count in ("moves", "positions"):
                    search = Search(game, seat, points, [count], path)
                    row = search.optimal()[0]
                    plan = search.plan(row)
                    check(game, seat, plan, points)
                    if length(game, seat, plan)[count == "positions"] != row[-1]:
                        raise SystemExit("a table of another length than was found")
                    found.append(f"{row[-1]} {count}")
                on_path = "with the path" if path else "with any path"
                print(f"{who}, {where}, {on_path}: at least {' or '.join(found)}", flush=True)


def print_both(game: Round) -> None:
    """How few moves go with how few positions, all over the triangle."""
    for seat, who in enumerate(SEATS):
        found = Search(game, seat, CORNERS, ["moves", "positions"]).optimal()
        print(f"{who}: " + ", ".join(f"{row[-2]} moves at {row[-1]} positions" for row in found), flush=True)


def main() -> None:
    """Search, check, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="OUTPUT_FILE", type=Path, nargs="?")
    options = parser.parse_args()
    game = Round()
    print_least(game)
    print_both(game)
    for seat, who in enumerate(SEATS):
        print(f"\n{who}")
        describe(game, seat, "shipped", shipped(game, seat))
        search = Search(game, seat, [*ROUND, *CORNERS], ["moves", "mistakes"], PURE)
        curve = search.optimal()
        plans = [search.plan(row) for row in (curve[0], curve[-1])]
        for row, plan in zip((curve[0], curve[-1]), plans, strict=True):
            if describe(game, seat, "found", plan) != search.mistakes(row):
                raise SystemExit("mistakes are worth something else")
        if seat == 1 and options.file:
            lines = table_lines(game.tree, Seat(seat), choices_of(game, seat, plans[0]))
            options.file.write_text("\n".join(lines) + "\n")
        print("; ".join(f"{row[-2]}: {float(search.mistakes(row)):.5f}" for row in curve))


if __name__ == "__main__":
    main()
