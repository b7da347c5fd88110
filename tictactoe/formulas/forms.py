"""The closed forms of each set of rules: formulas for the value of a round, with the conditions under which they hold.

B, F, S and N are the outcome values: both, first, second and neither scoring. docs/closed-forms.md has the proofs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from ..errors import NoFormulaError
from ..games.rules import Rules

Number = TypeVar("Number")
Linear = tuple[int, int, int, int]
"""The coefficients of B, F, S and N."""


@dataclass(frozen=True)
class Form:
    """A pair of strategies with the outcome values for which they are an equilibrium."""

    table: str
    """The name of the table with the strategies."""
    ninths: Linear
    """Nine times the value of the round, as coefficients of B, F, S and N."""
    conditions: Sequence[Linear]
    """Linear functions of B, F, S and N that must not be negative."""
    three_plans: bool = False
    """Whether both players draw one of three plans before the round. Nine times the value is then `ninths` minus (B -
    N)(F - N)/(F - S + B - N)."""

    def value(self, both: Any, first: Any, second: Any, neither: Any) -> Any:
        """The value of the round to the first mover, in payoff. Outcome values are numbers of any kind, or arrays.

        >>> from fractions import Fraction
        >>> from tictactoe.formulas.forms import FORMS
        >>> print(FORMS["three-in-a-row"][0].value(*map(Fraction, (0, 1, -1, 0))))
        -1/9
        """
        nine = applied(self.ninths, (both, first, second, neither))
        if self.three_plans:
            nine = nine - (both - neither) * (first - neither) / (first - second + both - neither)
        return nine / 9

    def holds(self, outcome_values: Sequence[Any], tolerance: Any = 0) -> Any:
        """Whether the strategies are optimal for these outcome values, as a boolean or an array of booleans.

        tolerance: the largest rounding error of a condition, as a part of F - S.
        """
        _, first, second, _ = outcome_values
        scale = first - second
        result: Any = True
        for condition in (*CONDITIONS_OF_ALL_FORMS, *self.conditions):
            result = result & (applied(condition, outcome_values) >= -tolerance * scale)
        return result


def applied(coefficients: Linear, outcome_values: Sequence[Any]) -> Any:
    """A linear function of the outcome values."""
    both, first, second, neither = outcome_values
    by_both, by_first, by_second, by_neither = coefficients
    return by_both * both + by_first * first + by_second * second + by_neither * neither


CONDITIONS_OF_ALL_FORMS: Sequence[Linear] = ((-1, 1, 0, 0), (1, 0, -1, 0), (0, 1, 0, -1), (0, 0, -1, 1))
"""Scoring alone is the best result for each player: conditions as in `Form.conditions`."""

FORMS: Mapping[str, Sequence[Form]] = {
    "three-in-a-row": (
        Form("three-in-a-row", (3, 2, 3, 1), [(-1, 0, 0, 1)]),
        Form("three-in-a-row-three-plans", (3, 2, 3, 1), [(1, 0, 0, -1)], three_plans=True),
    ),
    "filled": (Form("filled", (3, 1, 3, 2), [(-1, 0, -1, 2)]),),
    "filled-none": (
        Form("filled-none-1", (2, 0, 1, 6), [(-1, 0, 0, 1), (0, -1, -2, 3)]),
        Form("filled-none-2", (2, 0, 1, 6), [(1, 0, 0, -1), (-3, -1, -2, 6)]),
        Form("filled-none-3", (2, 1, 3, 3), [(-1, 0, 0, 1), (0, 1, 2, -3)]),
    ),
    "filled-tie": (Form("filled-tie", (1, 2, 2, 4), []),),
}
"""The closed forms by the name of the rules. If two forms of the same rules hold, they agree on the value."""


def forms_of(rules: Rules | str) -> Sequence[Form]:
    """The closed forms of rules. Raises NoFormulaError for uneven odds, and ValueError for unknown rules."""
    rules = Rules.parse(rules) if isinstance(rules, str) else rules
    if not rules.has_even_odds:
        raise NoFormulaError(f"no closed form is known for goal odds of {rules.odds_text}; try solve-multiround")
    return FORMS[rules.name]
