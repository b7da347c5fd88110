"""Three plans are optimal wherever b >= n: python research/closed_forms/half_square.py

Computes both seats' best responses to the tables of three plans that ship, all over the triangle -1 <= n <= b <= 1 at
once. fewest_moves_three_plans.py found them.

What a best response gets, times 2 + b - n, is the largest of polynomials of degree 2 in b and n. Of two of them one can
be dropped when it is nowhere larger in the triangle. A sufficient condition: the Bernstein coefficients of the
difference are none of them positive: a polynomial is a mean of its coefficients at every point of the triangle, with
weights that are not negative. Here all coefficients are integers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plans import EVERYBODY, Plan, Reach, Round, outcomes, to_adversary
from responses import NINE_VALUES, PAYOFFS, WEIGHTS, Polynomial, linear
from tables import shipped_plan

from tictactoe.games.rules import Goal, Seat

CORNERS = ((-1, -1), (1, -1), (1, 1))
MIDDLES = ((0, -1, 0, 1), (0, 0, 0, 2), (1, 0, 1, 2))  # of the edges: b, n, and the corners that they are between


def bernstein(one: Polynomial) -> list[int]:
    """Twice the coefficients of the polynomial in the triangle."""

    def twice(b: int, n: int) -> int:
        return 2 * sum(map(int.__mul__, one.coefficients, (1, b, n, b * b, b * n, n * n)))

    corners = [twice(*corner) for corner in CORNERS]
    edges = [2 * twice(b, n) - (corners[left] + corners[right]) // 2 for b, n, left, right in MIDDLES]
    return corners + edges


def nowhere_larger(one: Polynomial, other: Polynomial) -> bool:
    """True when it can be seen that the one is at most the other in all of the triangle."""
    return max(bernstein(one + -1 * other)) <= 0


def largest(polynomials: Sequence[Polynomial]) -> list[Polynomial]:
    """Those of the polynomials that may be the largest somewhere."""
    kept: list[Polynomial] = []
    for one in dict.fromkeys(polynomials):
        if not any(nowhere_larger(one, other) for other in kept):
            kept = [other for other in kept if not nowhere_larger(other, one)] + [one]
    return kept


def best_responses(game: Round, seat: int, plan: Plan) -> list[list[Polynomial]]:
    """By the adversary's goal: polynomials of which the largest is what a best response gets, times 9 (2 + b - n)."""
    gains = to_adversary(game.tree.rules, seat, PAYOFFS)
    worth = {
        (int(end), own, other, one): gains[end][own][other] * WEIGHTS[one]
        for end in outcomes(game.tree.rules)
        for own in Goal
        for other in Goal
        for one in "ABC"
    }
    nothing = linear(0, 0, 0)

    def leaf(outcome: int, reach: Reach, other: Goal) -> Polynomial:
        return sum((worth[outcome, own, other, one] for own in Goal for one in reach[own]), nothing)

    def follow(node: int, reach: Reach) -> Iterator[tuple[int, Reach]]:
        for child in game.children[node]:
            below = tuple(
                frozenset(one for one in plans if plan[node, goal, one] == child) for goal, plans in enumerate(reach)
            )
            if any(below):
                yield child, below

    def values(node: int, reach: Reach) -> list[list[Polynomial]]:
        if (outcome := game.outcome[node]) >= 0:
            return [[leaf(outcome, reach, other)] for other in Goal]
        if game.owner[node] != seat:
            parts = [values(child, reach) for child in game.children[node]]
            return [largest([one for part in parts for one in part[other]]) for other in Goal]
        total = [[nothing] for _ in Goal]
        for child, below in follow(node, reach):
            part = values(child, below)
            total = [largest([one + more for one in total[g] for more in part[g]]) for g in Goal]
        return total

    return values(0, EVERYBODY)


def is_optimal(game: Round, seat: int, plan: Plan) -> bool:
    """Whether it can be seen that the strategy is optimal all over the triangle."""
    found = best_responses(game, seat, plan)
    value = (-1 if seat == 0 else 1) * NINE_VALUES["mixed"]
    return all(len(one) == 1 for one in found) and sum((one[0] for one in found), linear(0, 0, 0)) == value


def main() -> None:
    """Print what best responses get, and whether that is the value."""
    game = Round()
    names = ("1", "b", "n", "bb", "bn", "nn")
    plan = shipped_plan(game, "three-in-a-row-three-plans")
    for seat in Seat:
        print(f"the {seat.name.lower()} mover's table is optimal wherever b >= n: {is_optimal(game, seat, plan)}")
        for goal, found in zip(Goal, best_responses(game, seat, plan), strict=True):
            terms = [", ".join(f"{c} {name}" for c, name in zip(one.coefficients, names, strict=True)) for one in found]
            print(f"  the other's goal {goal.name.lower()}, times 2 + b - n: the largest of {' and '.join(terms)}")


if __name__ == "__main__":
    main()
