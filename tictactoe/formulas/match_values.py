"""The values of all scores of a match by formula: no strategies, no iterations, one closed form per score.

What a score is worth depends only on how many points both players still need, so the match to N contains all shorter
ones. Scores are worked out from the end, all those with the same number of points needed at once.

Close to 1 or -1 a value would have lost the digits that plans are drawn by. So what is kept is the value less 1 where
the first mover needs fewer points, the value plus 1 where it needs more: small numbers with all their digits. The
equations do not change when all outcome values are moved by the same amount, as a form's coefficients sum to 9.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation, localcontext
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..algorithms.checked_numbers import whole_number
from ..errors import NoFormulaError
from ..games.rules import DEFAULT_RULES, Rules
from ..match.scores import Score
from .forms import Form, forms_of
from .pair_equations import Following, solution_of_last, solutions, solutions_of_one

Numbers = NDArray[Any]

SMALLEST = 1e-290
"""What is less is close to where floats end."""

LARGEST_BY_FORMULA = 10_000
"""Winning score: a table of 800 MB."""

GUARD_DIGITS = 15
"""Digits that are carried beyond those that are asked for."""


Told = Callable[[int, int], None]
"""Is called with how many scores have been worked out, and of how many."""


@dataclass(frozen=True, eq=False)
class FormulaTable:
    """Every score of a match, solved by formula.

    form: int8 (winning_score + 1, winning_score + 1), by the points that the first mover needs and those that the
    second needs: index of the form that holds there. The values, in the same places, of one kind of number: less 1
    where the first mover needs fewer points than the second, plus 1 where it needs more.
    """

    rules: Rules
    winning_score: int
    forms: tuple[Form, ...]
    form: NDArray[np.int8]
    moved_values: Numbers

    def values(self) -> Numbers:
        """(winning_score, winning_score), by the points of the first mover and of the second: match value (-1 to 1) to
        the first mover."""
        result: Numbers = self.moved_values[:0:-1, :0:-1].copy()
        for first, row in enumerate(result):  # row by row: a table of what each was moved by would be as large again
            row[:first] += 1
            row[first + 1 :] -= 1
        return result

    def form_at(self, score: Score) -> Form:
        """The form that holds at a score."""
        return self.forms[int(self.form[self.winning_score - score.first, self.winning_score - score.second])]

    def plan_chances(self, score: Score) -> tuple[float, float, float]:
        """How likely the plans A, B and C are drawn at a score where the form has three plans."""
        both, first, second, neither = self.moved_outcome_values(
            self.winning_score - score.first, self.winning_score - score.second
        )
        total = first - second + both - neither
        if not total > 0:  # nothing is left to win or lose: any plan will do
            return 1.0, 0.0, 0.0
        chances = np.clip([float(part / total) for part in (first - neither, both - neither, neither - second)], 0, 1)
        a, b, c = (chances / chances.sum()).tolist()
        return a, b, c

    def moved_outcome_values(self, i: int, j: int) -> tuple[Any, Any, Any, Any]:
        """What both, first, second and neither scoring are worth to a first mover who needs i points, the other one j;
        all moved by the same amount, as the value of the round is."""
        rows, columns = np.array([i]), np.array([j])
        known = _following(self.moved_values, rows, columns)
        both = known.both[0] if i + j > 2 else -self.moved_values[1, 1]
        return both, known.first[0], known.second[0], -self.moved_values[j, i]


def formula_table(
    winning_score: int,
    rules: Rules | str = DEFAULT_RULES,
    *,
    one: Any = 1.0,
    tolerance: Any = 1e-9,
    told: Told | None = None,
) -> FormulaTable:
    """Solve every score. one: the number 1, of the kind to compute with; decimals have the digits of their context.

    tolerance: by how much of the difference between the best and the worst outcome value a form's condition may be
    missed, for rounding. told: is called now and then. Raises ValueError for a winning score below 1 or above
    LARGEST_BY_FORMULA, and NoFormulaError where no form holds.
    """
    winning_score = whole_number("winning_score", winning_score, 1, LARGEST_BY_FORMULA)
    rules = Rules.parse(rules) if isinstance(rules, str) else rules
    forms = tuple(forms_of(rules))
    size = winning_score + 1
    moved = np.full((size, size), 0 * one, dtype=np.float64 if isinstance(one, float) else object)
    form = np.zeros((size, size), np.int8)
    moved[1, 1] = solution_of_last(forms[0], one)
    for total in range(3, 2 * winning_score + 1):
        ahead = np.arange(max(1, total - winning_score), (total + 1) // 2)
        if len(ahead):
            _solve_pairs(forms, moved, form, ahead, total - ahead, tolerance)
        if total % 2 == 0:
            _solve_level(forms, moved, form, total // 2, tolerance)
        if told:
            told(_scores_up_to(total, winning_score), winning_score**2)
    return FormulaTable(rules, winning_score, forms, form, moved)


def _scores_up_to(total: int, winning_score: int) -> int:
    """How many scores there are at which both players together need at most so many points."""
    beyond = 2 * winning_score - total
    return total * (total - 1) // 2 if total <= winning_score else winning_score**2 - beyond * (beyond + 1) // 2


def _solve_pairs(
    forms: tuple[Form, ...], moved: Numbers, form: NDArray[np.int8], i: Any, j: Any, tolerance: Any
) -> None:
    """Scores where the first mover needs i points and the second j, i < j, with their twins."""
    known, twin_known, scale = _scaled(_following(moved, i, j), _following(moved, j, i))
    open_ = np.ones(len(i), bool)
    for (number, one), (twin_number, twin) in product(enumerate(forms), repeat=2):
        for x, y in solutions(one, twin, known, twin_known):
            holds = open_ & _holds(one, known, -y, tolerance) & _holds(twin, twin_known, -x, tolerance)
            moved[i[holds], j[holds]], moved[j[holds], i[holds]] = (x * scale)[holds], (y * scale)[holds]
            form[i[holds], j[holds]], form[j[holds], i[holds]] = number, twin_number
            open_ &= ~holds
        if not open_.any():
            return
    raise NoFormulaError(
        f"no closed form is known for a round where the players need {i[open_][0]} and {j[open_][0]} points"
    )


def _scaled(known: Following, twin_known: Following) -> tuple[Following, Following, Any]:
    """Both with the largest of their numbers brought to 1, and what it was: squares of small floats would underflow.
    What is too small for floats counts as 0."""
    scale = np.maximum.reduce([abs(number) for number in (*known, *twin_known)])
    divisor = np.where(scale < SMALLEST, 1, scale) if scale.dtype == np.float64 else scale
    lost = scale < SMALLEST if scale.dtype == np.float64 else np.zeros(len(scale), bool)
    parts = [np.where(lost, 0 * scale, number / divisor) for number in (*known, *twin_known)]
    return Following(*parts[:3]), Following(*parts[3:]), divisor


def _solve_level(forms: tuple[Form, ...], moved: Numbers, form: NDArray[np.int8], i: int, tolerance: Any) -> None:
    """The score where both need i points."""
    here = np.array([i])
    known = _following(moved, here, here)
    for number, one in enumerate(forms):
        for x in solutions_of_one(one, known):
            if _holds(one, known, -x, tolerance).all():
                moved[i, i], form[i, i] = x[0], number
                return
    raise NoFormulaError(f"no closed form is known for a round where both players need {i} points")


def _holds(form: Form, known: Following, neither: Any, tolerance: Any) -> Any:
    return form.holds((known.both, known.first, known.second, neither), tolerance).astype(bool)


def _following(moved: Numbers, i: Any, j: Any) -> Following:
    """What the rounds lead to, to their first mover, who needs i points, moved as the value of the round itself is."""
    shift = np.sign(i - j)  # what has been added to the value of the round

    def value(first_needs: Any, second_needs: Any) -> Any:
        """Of the round that follows, whose first mover was the second before: the sign changes, and so does the shift,
        which is there already unless that round is level."""
        missing = np.where((first_needs == 0) | (second_needs == 0), 0, -shift - np.sign(first_needs - second_needs))
        ended = np.where(first_needs == 0, -shift + 1, np.where(second_needs == 0, -shift - 1, 0))
        return -(moved[first_needs, second_needs] + (missing + ended))

    return Following(value(j - 1, i - 1), value(j, i - 1), value(j - 1, i))


def values_by_formula(
    winning_score: int,
    rules: Rules | str = DEFAULT_RULES,
    *,
    digits: int | None = None,
    exact: bool = False,
    told: Told | None = None,
) -> Numbers:
    """The match value (-1 to 1) of every score to the player who moves first, by formula: docs/closed-forms.md.

    (winning_score, winning_score), by the points of the player who moves first and of the other one. float64, correct
    to about 3e-16 times the winning score; with `digits` an array of Decimal with so many digits behind the point; with
    `exact` one of Fraction, for rules whose values are fractions. told: is called now and then with how many scores
    have been worked out, and of how many. Raises ValueError for a winning score below 1 or above 10,000, and
    NoFormulaError for odds of the goals that are not even, scores at which no closed form is known, and irrational
    values with `exact`.

    >>> from tictactoe import values_by_formula
    >>> print(f"{values_by_formula(5)[0, 0]:.12f}")
    -0.021932099668
    >>> print(values_by_formula(5, digits=40)[4, 3], values_by_formula(2, "filled", exact=True)[1, 0])
    0.6543121970834012321978814462116300526590 361/539
    """
    if exact and digits is not None:
        raise ValueError("digits: exact values have all of them; leave one of the two out")
    if exact:
        if any(form.three_plans for form in forms_of(rules)):
            raise NoFormulaError(f"the values by the rules {rules} are irrational: ask for digits")
        return formula_table(winning_score, rules, one=Fraction(1), tolerance=Fraction(0), told=told).values()
    if digits is None:
        return formula_table(winning_score, rules, told=told).values()
    digits = whole_number("digits", digits, 1)
    with localcontext() as context:
        context.prec = digits + GUARD_DIGITS + len(str(winning_score))
        context.traps[InvalidOperation] = False  # a root that does not exist is no solution
        table = formula_table(winning_score, rules, one=Decimal(1), tolerance=Decimal(10) ** -(digits + 5), told=told)
        unit = Decimal(10) ** -digits
        rounded: Numbers = np.frompyfunc(lambda value: value.quantize(unit), 1, 1)(table.values())
        return rounded
