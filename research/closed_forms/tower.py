"""The degrees of the values of a match to 5, proved: python research/closed_forms/tower.py

Theorem 8 of docs/paper/paper.pdf. The values are written with rational numbers and 14 square roots, one for each pair
of scores but 4-4. Computed and proved, in a second or so, with integers and fractions alone:

- which roots a value depends on, and that each doubles the field of those before it, by a prime (witnesses.py);
- that a value's conjugates are all different, in ball arithmetic (conjugates.py): its degree is the field's;
- the minimal polynomials and radicals of the first six values (polynomials.py);
- the values, b, n and the chances of the plans with certain digits, and why the larger root is the right one
  (enclosures.py).

That the formulas give the value of the game at those b and n is proved by `python research/closed_forms OUTPUT_DIR`.
"""

from __future__ import annotations

from fractions import Fraction

from balls import Ball
from conjugates import conjugates, least_distance, number_not_real, number_of
from enclosures import Point, decimals, larger_root, points
from equations import LAST_VALUE, name, roots_below, solved, worth
from field import Element, exact_values
from polynomials import at, in_words, minimal_polynomial, radical
from witnesses import find_witnesses, proves

from tictactoe.match.scores import Score, pair_of

WINNING_SCORE = 5
IN_THREE_ROOTS = 3
"""So many roots are enough for 4-3, 3-4, 3-3, 4-2 and 2-4."""


def main() -> None:
    every = points(WINNING_SCORE)
    print_degrees({point.score: point for point in every})
    print_polynomials()
    print_roots()
    print_points(every)


def print_degrees(by_score: dict[Score, Point]) -> None:
    below = roots_below(WINNING_SCORE)
    witnesses = dict(zip(list(below)[1:], find_witnesses(WINNING_SCORE), strict=True))
    many = conjugates(WINNING_SCORE)
    print(f"{'scores':8}  roots  degree  prime  {'distance':8}  not real  value")
    for score, point in by_score.items():
        pair = pair_of(score)
        if witness := witnesses.get(pair):
            require(proves(witness, WINNING_SCORE), f"the prime of {name(pair)}")
        degree = 2 ** len(below[pair])
        require(number_of(many[score]) == degree, f"the number of conjugates of {score}")
        distance = f"{float(least_distance(many[score])):.1e}" if degree > 1 else ""
        print(
            f"{score!s:8}  {len(below[pair]):5}  {degree:6}  {witness.prime if witness else '':5}  {distance:8}  "
            f"{number_not_real(many[score]):8}  {decimals(point.value, point.error, 40)}"
        )
    print("prime: shows that the pair's root is not in the field of all roots above")
    print("distance: of the two closest conjugates; not real: as many of them\n")


def print_polynomials() -> None:
    roots, values = exact_values(WINNING_SCORE, IN_THREE_ROOTS)
    below = roots_below(WINNING_SCORE)
    for score, value in values.items():
        polynomial = minimal_polynomial(value)
        require(at(polynomial, value) == 0, f"the polynomial of {score}")
        require(len(polynomial) - 1 == 2 ** len(below[pair_of(score)]), f"the degree of the polynomial of {score}")
        print(f"{score}: a root of {in_words(polynomial)}")
        if isinstance(value, Element) and (value.root == roots[0] or value.low == 0):
            print(f"     {radical(value, roots[0])}")


def print_roots() -> None:
    """That -B is between the roots is checked by points()."""
    print("\nscores    the other root   -B         the value of the last score of the pair, by its equation")
    for pair, its_equation, values in solved(WINNING_SCORE, Ball.of(LAST_VALUE), larger_root):
        right = values[pair[-1]]
        other = -right - its_equation.middle / its_equation.leading
        between = -1 * Ball.of(1) * worth(pair[0], values, WINNING_SCORE)[0]
        texts = [digits(*number.enclosed()) for number in (other, between, right)]
        print(f"{name(pair):8}  {texts[0]:14}  {texts[1]}  {texts[2]}")


def print_points(every: list[Point]) -> None:
    print("\nscore   b          n          r, s, t (where b > n)")
    for point in every:
        chances = "  ".join(decimals(one, point.error, 8) for one in point.chances or ())
        print(f"{point.score}  {digits(point.b, point.error)}  {digits(point.n, point.error)}  {chances}")
    print(f"All are within {float(max(point.error for point in every)):.0e} of what is computed.")


def digits(number: Fraction, error: Fraction) -> str:
    return f"{decimals(number, error, 6):>9}"


def require(holds: bool, what: str) -> None:
    if not holds:
        raise SystemExit(f"not proved: {what}")


if __name__ == "__main__":
    main()
