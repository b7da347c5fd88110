"""The values of a match with proved errors, and which root of each equation is the value."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

import balls
import enclosures
import equations
import pytest

from tictactoe.games.rules import RESULTS
from tictactoe.match.scores import Score, all_scores, continuation, pairs_in_solve_order


def nine_values(both, first, second, neither):
    """9 times the value of a round: the formula of docs/closed-forms.md."""
    nine = 3 * both + 2 * first + 3 * second + neither
    if both > neither:
        nine -= (both - neither) * (first - neither) / (first - second + both - neither)
    return nine


def outcome_values(score: Score, values: dict) -> tuple:
    following = (continuation(score, *scored, 5) for scored in RESULTS)
    return tuple(sign if after is None else sign * values[after] for sign, after in following)


def test_values_are_where_the_formula_has_its_fixed_point() -> None:
    """Against rounds repeated until nothing changes: no equations, no roots to choose from."""
    with localcontext() as context:
        context.prec = 60
        values: dict[Score, Decimal] = {}
        for pair in pairs_in_solve_order(5):
            values |= dict.fromkeys(pair, Decimal(0))
            for _ in range(200):
                values |= {score: nine_values(*map(Decimal, outcome_values(score, values))) / 9 for score in pair}
        points = enclosures.points(5)
        assert [point.score for point in points] == all_scores(5)
        for score, value, b, n, known_b, error, chances in points:
            assert error <= Fraction(1, 10**50)
            assert abs(Fraction(values[score]) - value) < Fraction(1, 10**50)
            both, first, second, neither = map(Fraction, map(Decimal, outcome_values(score, values)))
            total = first - second + both - neither
            assert abs(b - (2 * both - first - second) / (first - second)) < Fraction(1, 10**49)
            assert abs(n - (2 * neither - first - second) / (first - second)) < Fraction(1, 10**49)
            assert known_b in ((None,) if abs(b) < 1 else (b,))
            assert (chances is not None) == (both > neither) == (b > n)
            assert -1 <= b <= 1
            assert -1 < n < 1
            if chances:
                assert min(chances) > 0
                assert abs(sum(chances) - 1) < Fraction(1, 10**50)
                assert abs(chances[1] - (both - neither) / total) < Fraction(1, 10**49)


def test_the_other_root_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    right = enclosures.larger_root
    for wrong in equations.pairs_with_roots(5):

        def root(pair, equation, wrong=wrong):
            if pair != wrong:
                return right(pair, equation)
            return (-equation.discriminant.root() - equation.middle) / (2 * equation.leading)

        monkeypatch.setattr(enclosures, "larger_root", root)
        with pytest.raises(enclosures.Refuted):
            enclosures.points_at_precision(5, 400)


def test_more_precision_where_it_is_needed() -> None:
    """400 bits are too few for matches to 15 and 20."""
    assert max(point.error for point in enclosures.points_at_precision(15, 400)) > Fraction(1, 10**50)
    with pytest.raises(balls.Undecided):
        enclosures.points_at_precision(20, 400)
    for winning_score in (15, 20):
        assert max(point.error for point in enclosures.points(winning_score)) <= Fraction(1, 10**50)


def test_decimals_are_certain() -> None:
    third = Fraction(1, 3)
    assert enclosures.decimals(third, Fraction(1, 10**9), 5) == "0.33333"
    with pytest.raises(balls.Undecided):
        enclosures.decimals(Fraction(1, 8), Fraction(1, 10**9), 2)
