"""Values by formula: what they satisfy, and what was found without them."""

from __future__ import annotations

import tracemalloc
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tictactoe.errors import NoFormulaError
from tictactoe.formulas.forms import FORMS
from tictactoe.formulas.match_values import LARGEST_BY_FORMULA, formula_table, values_by_formula
from tictactoe.games.rules import RULES
from tictactoe.match.scores import Score, all_scores, outcome_values
from tictactoe.storage.open_saved import open_saved


def test_there_are_forms_for_all_rules() -> None:
    """Whose coefficients sum to 9, so that the value moves with the outcome values."""
    assert set(FORMS) == set(RULES)
    for forms in FORMS.values():
        for form in forms:
            assert sum(form.ninths) == 9
            assert all(sum(condition) == 0 for condition in form.conditions)


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("winning_score", [1, 2, 7])
def test_every_value_is_that_of_a_form_that_holds(rules: str, winning_score: int) -> None:
    """With the outcome values that the values themselves give: the equations are solved, whatever solved them."""
    values = values_by_formula(winning_score, rules)
    by_score = {score: float(values[score]) for score in all_scores(winning_score)}
    for score, value in by_score.items():
        worth = outcome_values(score, by_score, winning_score)
        holding = [form for form in FORMS[rules] if form.holds(worth, 1e-12)]
        assert holding, score
        for form in holding:
            assert form.value(*worth) == pytest.approx(value, abs=1e-14)


@pytest.mark.parametrize("name", ["match_to_5", "filled"])
def test_they_are_those_of_what_was_solved(name: str) -> None:
    """By regret minimization and linear programs, without any formula."""
    solution = open_saved(name).solution
    values = values_by_formula(5, solution.rules)
    for score, value in solution.value.items():
        assert values[score] == pytest.approx(value, abs=1e-13)


@pytest.mark.parametrize("rules", RULES)
def test_a_longer_match_ends_like_a_shorter_one(rules: str) -> None:
    assert np.array_equal(values_by_formula(9, rules)[4:, 4:], values_by_formula(5, rules))


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 9), st.integers(1, 80))
def test_any_number_of_digits(winning_score: int, digits: int) -> None:
    """More of them agree with fewer, and with floats."""
    few = values_by_formula(winning_score, digits=digits)
    many = values_by_formula(winning_score, digits=digits + 20)
    floats = values_by_formula(winning_score)
    for score in all_scores(winning_score):
        assert abs(few[score] - many[score]) <= Decimal(10) ** -digits / 2
        assert abs(float(few[score]) - floats[score]) <= 1e-13 + 10.0**-digits


def test_how_many_digits_of_floats_are_right() -> None:
    """Rounding adds up with the length of the match, near the diagonal above all."""
    floats, exact = values_by_formula(60), values_by_formula(60, digits=25)
    wrong = max(abs(Decimal(float(floats[score])) - exact[score]) for score in all_scores(60))
    assert 1e-16 < wrong < 3e-16 * 60


@pytest.mark.parametrize("rules", ["filled", "filled-none", "filled-tie"])
def test_fractions(rules: str) -> None:
    """They solve the equations exactly."""
    values = values_by_formula(4, rules, exact=True)
    by_score = {score: values[score] for score in all_scores(4)}
    assert all(type(value) is Fraction for value in by_score.values())
    for score, value in by_score.items():
        table = formula_table(4, rules, one=Fraction(1), tolerance=Fraction(0))
        worth = [Fraction(one) for one in _outcome_values(score, by_score)]
        assert table.form_at(score).value(*worth) == value
        assert table.form_at(score).holds(worth)


def _outcome_values(score: Score, values: dict[Score, Fraction]) -> list[Fraction]:
    """As `outcome_values`, which makes floats."""
    from tictactoe.games.goals import RESULTS
    from tictactoe.match.scores import continuation

    following = [continuation(score, *scored, 4) for scored in RESULTS]
    return [Fraction(sign) if after is None else sign * values[after] for sign, after in following]


def test_far_from_the_end_and_far_ahead() -> None:
    """Values close to 1 do not lose the digits that plans are drawn by; what is too small for a float is 0."""
    table = formula_table(400)
    values = table.values()
    assert np.all(np.abs(values) <= 1.0)
    assert np.all(np.diff(values, axis=0) >= 0)
    assert np.all(np.diff(values, axis=1) <= 0)
    chances = table.plan_chances(Score(380, 0))  # the second mover's chance is about 1e-200
    assert sum(chances) == pytest.approx(1.0)
    assert all(0.01 < chance < 0.99 for chance in chances)


def test_a_large_table_is_there_twice_at_most() -> None:
    """One to 10,000 has 800 MB."""
    table = formula_table(200)
    tracemalloc.start()
    values = table.values()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert values.nbytes <= peak < 1.1 * values.nbytes


@pytest.mark.parametrize("winning_score", [1, 2, 6])
def test_it_says_how_far_it_is(winning_score: int) -> None:
    """In scores; the last ones, all of them."""
    told: list[tuple[int, int]] = []
    values_by_formula(winning_score, reporter=lambda done, of: told.append((done, of)))
    of = winning_score**2
    assert told == sorted(set(told))
    assert (told or [(of, of)])[-1] == (of, of)
    # By the points that both players need together, from 3 on.
    needed = [sum(divmod(number, winning_score)) + 2 for number in range(of)]
    assert [done for done, _ in told] == [
        sum(one <= total for one in needed) for total in range(3, 2 * winning_score + 1)
    ]


def test_what_cannot_be_had() -> None:
    """Each with a sentence that says why."""
    with pytest.raises(ValueError, match="winning_score: 0 is not in 1 to 10000"):
        values_by_formula(0)
    with pytest.raises(ValueError, match="winning_score"):
        values_by_formula(LARGEST_BY_FORMULA + 1)
    with pytest.raises(NoFormulaError, match="irrational"):
        values_by_formula(5, exact=True)
    with pytest.raises(NoFormulaError, match="goal odds of 2:1:1"):
        values_by_formula(5, "filled 2:1:1")
    with pytest.raises(ValueError, match="digits: 0"):
        values_by_formula(5, digits=0)
    with pytest.raises(ValueError, match="leave one of the two out"):
        values_by_formula(5, "filled", digits=10, exact=True)
