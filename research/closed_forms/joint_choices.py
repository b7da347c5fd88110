"""Choices that are free only together: the first mover's openings, and both seats' moves on the path.

Sums are written as coefficients by goal and squares: W51 is the probability with which all moves of the player up to
the last square are made, with the goal W.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Protocol

from exact_extremes import NotProvedError, Prover
from optimal_sets import Move
from sparse_equations import Equations

Sum = Mapping[str, Fraction | int]
PENALTY = 64  # for every move that is not made as supposed


class Proved(Protocol):
    """What is needed of the sets of optimal strategies. c: what both scoring, and neither scoring, is worth."""

    c: Fraction
    provers: list[Prover]

    def move(self, goal: str, squares: str) -> Move: ...


def openings(c: Fraction) -> list[Sum]:
    """Sums whose inequalities describe the optimal openings: each sum is at most 0, the last one at most 1."""
    least, ratio = (1 - c) / 2, (1 - c) / (1 + c)
    return [
        {"L1": least, "W1": -1},
        {"W1": 1, "T1": -1},
        {"W2": -1},
        {"W2": 1, "T2": -1},
        {"T1": 1, "T2": 1, "L1": -1},
        {"L1": 1, "W1": -ratio, "W2": -ratio, "T1": ratio, "T2": ratio},
    ]


def corners(sums: list[Sum]) -> tuple[list[str], list[dict[str, Fraction]]]:
    """The names of the unknowns, and the corners of the simplex. A corner satisfies all inequalities but one with
    equality."""
    names = sorted({name for one in sums for name in one})
    rows = [({names.index(name): Fraction(number) for name, number in one.items()}, Fraction(0)) for one in sums]
    rows[-1] = rows[-1][0], Fraction(1)
    found = []
    for left_out in range(len(rows)):
        solved = Equations(len(names), [row for index, row in enumerate(rows) if index != left_out])
        if solved.free:
            raise ValueError("no simplex")
        found.append({names[index]: number for index, number in solved.solve({}).items()})
    return names, found


def moves(sets: Proved, one: Sum) -> dict[Move, Fraction]:
    return {sets.move(name[0], name[1:]): Fraction(number) for name, number in one.items()}


def require(holds: bool, what: str) -> None:
    if not holds:
        raise SystemExit(f"not so: {what}")


def print_openings(sets: Proved) -> None:
    """The openings of optimal first movers are exactly a simplex: its inequalities and its corners are proved."""
    prover, sums = sets.provers[0], openings(sets.c)
    for index, one in enumerate(sums):
        require(prover.largest(moves(sets, one)) == (index == len(sums) - 1), f"an inequality of the openings: {one}")
    names, found = corners(sums)
    print(f"\nopenings: all mixtures of these {len(found)}, and no others ({', '.join(names)})")
    for one, corner in zip(sums, found, strict=True):
        plan = prover.best({move: -number for move, number in moves(sets, one).items()})
        there = {name: plan.get(sets.move(name[0], name[1:]), Fraction(0)) for name in names}
        require(there == corner, f"a corner of the openings: {there}")
        print("  " + ", ".join(str(corner[name]) for name in names))


def print_path(sets: Proved) -> None:
    """The path when every goal opens 5; and the second mover's answers to 5, 1, 9, 3, 6."""
    first, second = sets.provers
    everybody: Sum = {"W5": PENALTY, "L5": PENALTY, "T5": PENALTY}

    def there(one: Sum) -> Fraction:
        return first.largest(moves(sets, {**everybody, **one})) - 3 * PENALTY

    most = (1 + sets.c) / 2
    numerical = []
    for other in (f"{goal}51{square}" for goal in "WT" for square in (2, 3, 6)):
        try:
            require(there({other: 1}) == 0, f"{other} is not played")
        except NotProvedError:
            numerical.append(other)
    require(there({"W51932": 1, "T51932": 1}) == 0, "nobody plays 2")
    require(there({"L51937": 1, "T51937": -1}) == there({"L51937": -1, "T51937": 1}) == 0, "L and T play 7 alike")
    require(there({"L51937": 1}) == most, "L plays 7 at most so often")
    print(f"\nif X always opens 5: then 9, then 6, but L and T may play 7, equally often, 0..{most}")
    if numerical:
        print("  numerical, not proved: no " + ", ".join(numerical))
    most = (1 - sets.c) / 2
    others = ["L519362", "L519364", "L519367"]
    for with_four, other in product((1, -1), (*others, "")):
        asked: Sum = {"W519364": with_four, **{name: 1 if name == other else -1 for name in others}}
        require(second.largest(moves(sets, asked)) == (with_four > 0) + most * bool(other), f"a corner: {asked}")
    require(second.largest(moves(sets, dict.fromkeys(others, 1))) == most, "L plays 8 at least so often")
    print(f"after 5, 1, 9, 3, 6: W plays 4 with 0..1, else 2; L plays 2, 4, 7 with 0..{most} together, in any way")
