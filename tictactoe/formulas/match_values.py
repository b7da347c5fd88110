"""The values of all scores of a match by formula, one closed form per score.

Tables have shifted values: the value minus 1 if the first mover needs fewer points, plus 1 if it needs more. This keeps
the digits of values close to 1 and -1 and does not change the equations.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation, localcontext
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..checked_numbers import whole_number
from ..errors import NoFormulaError
from ..games.rules import DEFAULT_RULES, Rules
from ..match.scores import Score
from .forms import Form, forms_of
from .pair_equations import Following, solution_of_last, solutions, solutions_of_one

Numbers = NDArray[Any]

SMALLEST_SCALE = 1e-290
"""Outcome values count as 0 if all of a score's are closer to 0 than this, which is near the limit of floats."""

LARGEST_BY_FORMULA = 10_000
"""The largest winning score, whose table takes 800 MB."""

GUARD_DIGITS = 15
"""The number of digits carried in addition to the requested ones."""


ValuesReporter = Callable[[int, int], None]
"""A function called with the number of scores computed so far and the number of all scores."""


@dataclass(frozen=True, eq=False)
class FormulaTable:
    """Every score of a match, solved by formula.

    Arrays are (winning_score + 1, winning_score + 1), by the points that the first and the second mover need.
    """

    rules: Rules
    winning_score: int
    forms: tuple[Form, ...]
    form: NDArray[np.int8]
    """int8: the index in `forms` of the form that holds."""
    moved_values: Numbers
    """The value to the first mover, minus 1 if it needs fewer points than the second, plus 1 if it needs more."""

    def values(self) -> Numbers:
        """The match values to the first mover: (winning_score, winning_score), by the points of both players."""
        result: Numbers = self.moved_values[:0:-1, :0:-1].copy()
        for first, row in enumerate(result):  # row by row, which needs no second table
            row[:first] += 1
            row[first + 1 :] -= 1
        return result

    def form_at(self, score: Score) -> Form:
        """The form that holds at a score."""
        return self.forms[int(self.form[self.winning_score - score.first, self.winning_score - score.second])]

    def plan_chances(self, score: Score) -> tuple[float, float, float]:
        """The probabilities of the plans A, B and C at a score."""
        both, first, second, neither = self.moved_outcome_values(
            self.winning_score - score.first, self.winning_score - score.second
        )
        total = first - second + both - neither
        if not total > 0:  # nothing is left to win or lose, so any plan will do
            return 1.0, 0.0, 0.0
        chances = np.clip([float(part / total) for part in (first - neither, both - neither, neither - second)], 0, 1)
        a, b, c = (chances / chances.sum()).tolist()
        return a, b, c

    def moved_outcome_values(self, i: int, j: int) -> tuple[Any, Any, Any, Any]:
        """The shifted outcome values if both, first, second or neither score.

        i, j: the points that the first and the second mover need.
        """
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
    reporter: ValuesReporter | None = None,
) -> FormulaTable:
    """Solve every score.

    one: the number 1, of the kind to compute with.
    tolerance: the largest rounding error of a form's condition, as a part of the range of the outcome values.

    Raises ValueError for a winning score out of range, and NoFormulaError for a score at which no form holds.
    """
    winning_score = whole_number("winning_score", winning_score, 1, LARGEST_BY_FORMULA)
    rules = Rules.parse(rules) if isinstance(rules, str) else rules
    forms = tuple(forms_of(rules))
    size = winning_score + 1
    moved = np.full((size, size), 0 * one, dtype=_dtype(one))
    form = np.zeros((size, size), np.int8)
    for total in _solved(forms, moved, form, winning_score, one, tolerance):
        if reporter and total > 2:
            reporter(_scores_up_to(total, winning_score), winning_score**2)
    return FormulaTable(rules, winning_score, forms, form, moved)


def _dtype(one: Any) -> Any:
    return np.float64 if isinstance(one, float) else object


def _solved(
    forms: tuple[Form, ...], moved: Any, form: Any, winning_score: int, one: Any, tolerance: Any
) -> Iterator[int]:
    moved[1, 1] = solution_of_last(forms[0], one)
    yield 2
    for total in range(3, 2 * winning_score + 1):
        ahead = np.arange(max(1, total - winning_score), (total + 1) // 2)
        if len(ahead):
            _solve_pairs(forms, moved, form, ahead, total - ahead, tolerance)
        if total % 2 == 0:
            _solve_level(forms, moved, form, total // 2, tolerance)
        yield total


class _Diagonals:
    def __init__(self, size: int, zero: Any, dtype: Any) -> None:
        self._kept = np.full((3, size), zero, dtype)

    def __getitem__(self, needs: tuple[Any, Any]) -> Any:
        return self._kept[(needs[0] + needs[1]) % 3, needs[0]]

    def __setitem__(self, needs: tuple[Any, Any], numbers: Any) -> None:
        self._kept[(needs[0] + needs[1]) % 3, needs[0]] = numbers


def _scores_up_to(total: int, winning_score: int) -> int:
    beyond = 2 * winning_score - total
    return total * (total - 1) // 2 if total <= winning_score else winning_score**2 - beyond * (beyond + 1) // 2


def _solve_pairs(forms: tuple[Form, ...], moved: Any, form: Any, i: Any, j: Any, tolerance: Any) -> None:
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
    scale = np.maximum.reduce([abs(number) for number in (*known, *twin_known)])
    divisor = np.where(scale < SMALLEST_SCALE, 1, scale) if scale.dtype == np.float64 else scale
    lost = scale < SMALLEST_SCALE if scale.dtype == np.float64 else np.zeros(len(scale), bool)
    parts = [np.where(lost, 0 * scale, number / divisor) for number in (*known, *twin_known)]
    return Following(*parts[:3]), Following(*parts[3:]), divisor


def _solve_level(forms: tuple[Form, ...], moved: Any, form: Any, i: int, tolerance: Any) -> None:
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


def _following(moved: Any, i: Any, j: Any) -> Following:
    shift = np.sign(i - j)  # the amount by which the value of the round is shifted

    def value(first_needs: Any, second_needs: Any) -> Any:
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
    reporter: ValuesReporter | None = None,
) -> Numbers:
    """The match value (-1 to 1) of every score to the player who moves first, by closed forms (docs/closed-forms.md).

    The array is (winning_score, winning_score), by the points of the player who moves first and of the other player; by
    default float64, correct to about 3e-16 times the winning score.

    digits: compute Decimals with this many digits after the point.
    exact: compute Fractions, for rules whose values are fractions.
    reporter: called now and then with the number of scores computed so far and the number of all scores.

    Raises ValueError for a winning score below 1 or above 10,000, and NoFormulaError for uneven odds, for a score
    without a closed form, and for irrational values with `exact`.

    >>> from tictactoe import values_by_formula
    >>> print(f"{values_by_formula(5)[0, 0]:.12f}")
    -0.021932099668
    >>> print(values_by_formula(5, digits=40)[4, 3], values_by_formula(2, "filled", exact=True)[1, 0])
    0.6543121970834012321978814462116300526590 361/539
    """
    with _numbers(winning_score, rules, digits, exact) as kind:
        table = formula_table(winning_score, rules, one=kind.one, tolerance=kind.tolerance, reporter=reporter)
        return kind.rounded(table.values())


def values_at(
    scores: Collection[tuple[int, int]],
    winning_score: int,
    rules: Rules | str = DEFAULT_RULES,
    *,
    digits: int | None = None,
    exact: bool = False,
    reporter: ValuesReporter | None = None,
) -> dict[tuple[int, int], Any]:
    """The values of `values_by_formula` at some scores, without a table of all scores.

    >>> print(values_at([(0, 0)], 5, digits=40)[0, 0])
    -0.0219320996683130820391747008606103407253
    """
    winning_score = whole_number("winning_score", winning_score, 1, LARGEST_BY_FORMULA)
    rules = Rules.parse(rules) if isinstance(rules, str) else rules
    needed = {score: (winning_score - score[0], winning_score - score[1]) for score in scores}
    most, last = max(map(max, needed.values())), max(map(sum, needed.values()))
    found: dict[tuple[int, int], Any] = {}
    with _numbers(winning_score, rules, digits, exact) as kind:
        one, dtype = kind.one, _dtype(kind.one)
        moved, form = _Diagonals(most + 1, 0 * one, dtype), _Diagonals(most + 1, 0, np.int8)
        for total in _solved(tuple(forms_of(rules)), moved, form, most, one, kind.tolerance):
            for score, (i, j) in needed.items():
                if i + j == total:
                    value = moved[i, j] + (i < j) - (i > j)
                    found[score] = kind.rounded(np.array([value], dtype))[0]
            if reporter:
                reporter(_scores_up_to(total, most), _scores_up_to(last, most))
            if total == last:
                break
    return {score: found[score] for score in scores}


def memory_of_all(winning_score: int, digits: int | None = None) -> int:
    """The approximate number of bytes that `values_by_formula` takes."""
    return winning_score**2 * (17 if digits is None else 3 * (120 + 8 * ((digits + GUARD_DIGITS) // 19)))


def num_needed(scores: Collection[tuple[int, int]], winning_score: int) -> int:
    """The number of scores that `values_at` computes."""
    most, last = winning_score - min(map(min, scores)), 2 * winning_score - min(map(sum, scores))
    return _scores_up_to(last, most)


class _Kind(NamedTuple):
    one: Any = 1.0
    tolerance: Any = 1e-9
    unit: Decimal | None = None
    """The unit to which decimals are rounded in the end."""

    def rounded(self, values: Numbers) -> Numbers:
        unit = self.unit
        return values if unit is None else np.frompyfunc(lambda value: value.quantize(unit), 1, 1)(values)


@contextmanager
def _numbers(winning_score: int, rules: Rules | str, digits: int | None, exact: bool) -> Iterator[_Kind]:
    if exact and digits is not None:
        raise ValueError("digits: exact values have all digits; leave out one of the two")
    if exact and any(form.three_plans for form in forms_of(rules)):
        raise NoFormulaError(f"the values by the rules {rules} are irrational: ask for digits")
    if digits is None:
        yield _Kind(Fraction(1), Fraction(0)) if exact else _Kind()
        return
    digits = whole_number("digits", digits, 1)
    with localcontext() as context:
        context.prec = digits + GUARD_DIGITS + len(str(winning_score))
        context.traps[InvalidOperation] = False  # a root that does not exist is no solution
        yield _Kind(Decimal(1), Decimal(10) ** -(digits + 5), Decimal(10) ** -digits)
