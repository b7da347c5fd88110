"""Values by formula: their equations, and the values of matches that were solved without them."""

import itertools
import tracemalloc
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tictactoe import RULES, NoFormulaError
from tictactoe.formulas import match_values
from tictactoe.formulas.forms import FORMS
from tictactoe.formulas.match_values import formula_table, memory_of_all, num_needed, values_at, values_by_formula
from tictactoe.games.rules import RESULTS
from tictactoe.match.scores import Score, all_scores, continuation, outcome_values


def test_there_are_forms_for_all_rules() -> None:
    """Their coefficients sum to 9, so that the value moves with the outcome values."""
    assert set(FORMS) == set(RULES)
    for form in itertools.chain(*FORMS.values()):
        assert sum(form.ninths) == 9
        assert all(sum(condition) == 0 for condition in form.conditions)


@pytest.mark.parametrize("rules", RULES)
def test_every_value_is_that_of_a_form_that_holds(rules: str) -> None:
    for winning_score in (1, 2, 7):
        values = values_by_formula(winning_score, rules)
        by_score = {score: float(values[score]) for score in all_scores(winning_score)}
        for score, value in by_score.items():
            worth = outcome_values(score, by_score, winning_score)
            holding = [form for form in FORMS[rules] if form.holds(worth, 1e-12)]
            assert holding, score
            for form in holding:
                assert form.value(*worth) == pytest.approx(value, abs=1e-14)
    assert np.array_equal(values_by_formula(9, rules)[4:, 4:], values_by_formula(5, rules)), "ends of longer matches"


def test_any_number_of_digits() -> None:
    for winning_score, digits in ((1, 1), (2, 80), (5, 30), (9, 17)):
        few, many = (values_by_formula(winning_score, digits=number) for number in (digits, digits + 20))
        floats = values_by_formula(winning_score)
        for score in all_scores(winning_score):
            assert abs(few[score] - many[score]) <= Decimal(10) ** -digits / 2
            assert abs(float(few[score]) - floats[score]) <= 1e-13 + 10.0**-digits
    floats, exact = values_by_formula(60), values_by_formula(60, digits=25)
    wrong = max(abs(Decimal(float(floats[score])) - exact[score]) for score in all_scores(60))
    assert 1e-16 < wrong < 3e-16 * 60


@pytest.mark.parametrize("rules", ["filled", "filled-none", "filled-tie"])
def test_fractions(rules: str) -> None:
    values = values_by_formula(4, rules, exact=True)
    table = formula_table(4, rules, one=Fraction(1), tolerance=Fraction(0))
    for score in all_scores(4):
        assert type(values[score]) is Fraction
        following = [continuation(score, *scored, 4) for scored in RESULTS]
        worth = [Fraction(sign if after is None else sign * values[after]) for sign, after in following]
        assert table.form_at(score).value(*worth) == values[score]
        assert table.form_at(score).holds(worth)


def test_far_from_the_end_and_far_ahead() -> None:
    """Values close to 1 do not lose the digits that plans are drawn by; a chance too small for a float is 0."""
    table = formula_table(400)
    tracemalloc.start()
    values = table.values()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert values.nbytes <= peak < 1.1 * values.nbytes, "the table of a match to 10,000 has 800 MB"
    assert np.all(np.abs(values) <= 1.0)
    assert np.all(np.diff(values, axis=0) >= 0)
    assert np.all(np.diff(values, axis=1) <= 0)
    chances = table.plan_chances(Score(380, 0))  # the second mover's chance is about 1e-200
    assert sum(chances) == pytest.approx(1.0)
    assert all(0.01 < chance < 0.99 for chance in chances)


SOME = [(0, 0), (29, 29), (3, 17), (17, 3), (29, 0)]


@pytest.mark.parametrize(
    ("rules", "kind"), [("three-in-a-row", {}), ("three-in-a-row", {"digits": 40}), ("filled", {"exact": True})]
)
def test_some_scores(rules: str, kind: dict[str, Any]) -> None:
    winning_score = 30 if "exact" not in kind else 5
    scores = [(first % winning_score, second % winning_score) for first, second in SOME]
    values, reports = values_by_formula(winning_score, rules, **kind), list[tuple[int, int]]()
    for some in (scores, scores[1:2], scores[2:3]):
        found = values_at(some, winning_score, rules, **kind, reporter=lambda *told: reports.append(told))
        assert found == {score: values[score] for score in some}
        assert reports[-1] == (num_needed(some, winning_score),) * 2
    assert values_at([(9999, 9997)], 10_000)[9999, 9997] == values_by_formula(3)[2, 0]
    assert (memory_of_all(10_000), memory_of_all(10_000, 50) > 4e10) == (1_700_000_000, True)


@pytest.mark.parametrize("winning_score", [1, 2, 6])
def test_progress(winning_score: int) -> None:
    reports: list[tuple[int, int]] = []
    values_by_formula(winning_score, reporter=lambda done, of: reports.append((done, of)))
    of = winning_score**2
    assert reports == sorted(set(reports))
    assert (reports or [(of, of)])[-1] == (of, of)
    needed = [sum(divmod(number, winning_score)) + 2 for number in range(of)]
    expected = [sum(one <= total for one in needed) for total in range(3, 2 * winning_score + 1)]
    assert [done for done, _ in reports] == expected


def test_refused_values() -> None:
    for arguments, options, error, message in (
        ((0,), {}, ValueError, "winning_score: 0 is not from 1 to 10000"),
        ((match_values.LARGEST_BY_FORMULA + 1,), {}, ValueError, "winning_score"),
        ((5,), {"exact": True}, NoFormulaError, "irrational"),
        ((5, "filled 2:1:1"), {}, NoFormulaError, "goal odds of 2:1:1"),
        ((5,), {"digits": 0}, ValueError, "digits: 0"),
        ((5, "filled"), {"digits": 10, "exact": True}, ValueError, "leave out one of the two"),
    ):
        with pytest.raises(error, match=message):
            values_by_formula(*arguments, **options)
