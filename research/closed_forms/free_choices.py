"""Which moves optimal strategies make: python research/closed_forms/free_choices.py [--round ROUND]

By three-in-a-row. The optimal strategies of a seat are a polytope. Inner points of both are found by linear programs,
made exact, and proved to be what they should (optimal_sets.py); so for every move, with every goal, it is proved
whether any optimal strategy makes it. Then the dimension of the polytopes, and how likely the early moves are at least
and at most, each end proved (exact_extremes.py). Needs highspy; takes some ten minutes.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from fractions import Fraction

from exact_extremes import NotProvedError, Prover, total
from face_programs import Extremes, inner_point
from joint_choices import print_openings, print_path
from optimal_sets import Duel, Move, OptimalSet, prove
from plans import GOALS, Round, result

from tictactoe.games.payoffs import tic_tac_toe_round
from tictactoe.games.rules import Goal, OutcomeValues

ROUNDS = {"match_to_1": Fraction(1, 13), "single_round": Fraction(0)}
"""What both scoring, and neither scoring, is worth."""
EARLY = ("", "1", "5", "519", "51936", "5193", "519368", "5193687", "51", "2", "15")
"""Positions whose moves are shown with their intervals."""


class Sets:
    """The optimal strategies of both seats where both scoring and neither scoring are worth `c`."""

    def __init__(self, game: Round, c: Fraction) -> None:
        self.game, self.c = game, c
        payoffs = (c, Fraction(1), Fraction(-1), c)
        unit = 9 * c.denominator
        worth = [
            [
                [int(payoffs[result(game.tree.rules, 0, end, first, second)] * c.denominator) for second in Goal]
                for first in Goal
            ]
            for end in sorted(set(game.outcome) - {-1})
        ]
        floats = tic_tac_toe_round(game.tree, OutcomeValues(*map(float, payoffs)))
        duel = Duel(game.tree, worth)
        (plan, values), (other, other_values) = (inner_point(floats, seat, unit) for seat in (0, 1))
        self.seats = (OptimalSet(duel, 0, plan, other, values), OptimalSet(duel, 1, other, plan, other_values))
        value = prove(*self.seats)
        self.value = value / unit
        self.provers = [
            Prover(Extremes(floats, unit, self.seats[seat], value), self.seats[seat], self.seats[1 - seat], value)
            for seat in (0, 1)
        ]

    def move(self, goal: str, squares: str) -> Move:
        return self.game.find(squares), GOALS.index(goal)

    def reaches(self, seat: int, node: int) -> list[int]:
        """The goals with which an optimal strategy of the seat may get to a node."""
        before = self.seats[seat].duel.last[seat][node]
        return [goal for goal in Goal if not before or (before, goal) in self.seats[seat].moves]

    def choices(self, seat: int) -> Iterator[tuple[int, int, list[Move]]]:
        """Node, goal and the moves that are made, wherever optimal strategies of the seat get with a choice."""
        for node, owner in enumerate(self.game.owner):
            if owner == seat and len(self.game.children[node]) > 1:
                for goal in self.reaches(seat, node):
                    moves = [(child, goal) for child in self.game.children[node]]
                    yield node, goal, [move for move in moves if move in self.seats[seat].moves]

    def intervals(self, node: int, goal: int) -> dict[int, tuple[str, str]]:
        """By square, the least and the largest probability of the moves, if the goal reaches the position.

        Each bound is attained by an optimal strategy, which is proved. No optimal strategy exceeds it, which is proved,
        too, unless the text has a "?".

        The largest ratio: from that of some plan on, largest sums of move - ratio * before, until that is 0.
        """
        seat = self.game.owner[node]
        found, prover = self.seats[seat], self.provers[seat]
        moves = [(child, goal) for child in self.game.children[node] if (child, goal) in found.moves]
        before = (found.duel.last[seat][node], goal)
        doubtful: set[tuple[Move, int]] = set()
        seen = {move: [found.plan[move] / found.plan[before]] * 2 for move in moves}

        def try_to_prove(asked: dict[Move, Fraction], end: tuple[Move, int]) -> None:
            try:
                prover.largest(asked)
            except NotProvedError:
                doubtful.add(end)

        def extreme(move: Move, sign: int, end: Fraction) -> None:
            while seen[move][sign > 0] != end:
                ratio = seen[move][sign > 0]
                asked = {move: Fraction(sign), before: -sign * ratio} if before[0] else {move: Fraction(sign)}
                plan = prover.best(asked)
                if before[0] and total(asked, plan) == 0:
                    try_to_prove(asked, (move, sign))
                    break
                for one in moves:
                    now = plan.get(one, Fraction(0)) / plan[before] if plan.get(before) else None
                    if now is not None:
                        seen[one] = [min(seen[one][0], now), max(seen[one][1], now)]
                if not before[0]:
                    if seen[move][sign > 0] not in (0, 1):
                        try_to_prove(asked, (move, sign))
                    break

        for move in moves:
            extreme(move, 1, Fraction(1))
        for move in moves:
            extreme(move, -1, Fraction(0))

        def text(move: Move, sign: int) -> str:
            return str(seen[move][sign > 0]) + "?" * ((move, sign) in doubtful)

        return {self.game.square[move[0]]: (text(move, -1), text(move, 1)) for move in moves}


def print_counts(sets: Sets, seat: int) -> None:
    """How many moves are made, forced, free; the dimensions."""
    found, game = sets.seats[seat], sets.game
    everything = found.duel.moves(seat)
    choices = list(sets.choices(seat))
    met = [one for one in choices if sets.reaches(1 - seat, one[0])]
    print(f"\n{('first', 'second')[seat]} mover: dimension {found.dimension}")
    print(f"  {len(found.moves)} of {len(everything)} moves (with goals) are made by optimal strategies, others never")
    squares = {node for node, _ in everything}
    print(f"  without goals: {len({node for node, _ in found.moves})} of {len(squares)}")
    for name, some in (("its own optimal strategies get", choices), ("optimal strategies of both get", met)):
        moves = sum(len(game.children[node]) for node, _, _ in some)
        made = sum(len(one) for _, _, one in some)
        forced = sum(len(one) == 1 for _, _, one in some)
        anything = sum(len(one) == len(game.children[node]) for node, _, one in some)
        print(
            f"  choices where {name}: {len(some)}, forced {forced}, any move will do {anything};"
            f" of their {moves} moves {made} are made"
        )
    for name, seen in (
        ("the first move", [move for _, _, one in met for move in one if game.tree.depth[move[0]] == 1 + seat]),
        ("the first two", [move for _, _, one in met for move in one if game.tree.depth[move[0]] <= 3 + seat]),
        ("all moves where both get", [move for _, _, one in met for move in one]),
    ):
        print(f"  dimension of what is seen of {name}: {found.dimension_seen(seen)}")


def print_table(sets: Sets) -> None:
    """The early choices: by goal, the moves that are made and their intervals."""
    for name in EARLY:
        node = sets.game.find(name)
        for goal in sets.reaches(sets.game.owner[node], node):
            ends = sets.intervals(node, goal)
            cells = ", ".join(
                f"{square}" + ("" if len(ends) == 1 else f" {low}..{high}") for square, (low, high) in ends.items()
            )
            print(f"{name or 'start':8} {GOALS[goal]}  {cells}", flush=True)


def main() -> None:
    """Find, prove, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--round", choices=ROUNDS, default="match_to_1")
    sets = Sets(Round(), ROUNDS[parser.parse_args().round])
    print(f"value {sets.value}; of every move it is proved whether optimal strategies make it", flush=True)
    for seat in (0, 1):
        print_counts(sets, seat)
    print_openings(sets)
    print_path(sets)
    print()
    print_table(sets)


if __name__ == "__main__":
    main()
