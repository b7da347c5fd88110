"""What an update rule is made of: the coefficients that it gives to the shared sweep, and its restarts.

In iteration t the sweep does, for every move of every information set of the updating player, with
r = counterfactual value of the move - counterfactual value of the information set, in this order:

    average           S <- S + averaging_weight * own reach * strategy
    discount, add     R <- max(R * (positive_discount if R > 0 else negative_discount) + r, floor)
    match             predicted = max(max(R, 0) * prediction_discount + prediction_weight * r, 0); the next strategy is
                      in proportion to the predicted regrets, uniform where all are 0

where the strategy that enters the average is the one that produced r (not the new one), and own reach is the
product of the player's own probabilities on the way to the information set. Multiplying S by a discount and adding
with weight 1, as papers write it, gives the same average as adding with a growing weight.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .arrays import FloatArray

# Columns of a table of coefficients, as the kernels take it.
NUM_RULE_COLUMNS = 7
POSITIVE_DISCOUNT, NEGATIVE_DISCOUNT, FLOOR, PREDICTION_DISCOUNT = range(4)
PREDICTION_WEIGHT, AVERAGING_WEIGHT, BONUS_EPSILON = range(4, NUM_RULE_COLUMNS)

Parameters = Mapping[str, float]
"""The parameters of a rule, by name."""


@dataclass(slots=True, eq=False)
class Coefficients:
    """What the sweep does in some iterations: a rule sets the fields that it needs, to a number or float64 (n,).

    t: the iterations, float64 (n,), counted from 1. age: the same, counted from the last restart; t for rules without.
    The rest is what the module says, and what CFR does if it is left alone. Discounts are in 0 to 1, floor is -inf or
    0, prediction_discount is above 0, averaging_weight at least 0.

    >>> import numpy as np
    >>> from tictactoe import Coefficients
    >>> table = Coefficients(t=np.array([1.0, 2.0]), age=np.array([1.0, 2.0]))
    >>> table.floor = 0.0
    >>> table.averaging_weight = table.t**2
    >>> table.as_table()[:, 2].tolist(), table.as_table()[:, 5].tolist()
    ([0.0, 0.0], [1.0, 4.0])
    """

    t: FloatArray
    age: FloatArray
    positive_discount: FloatArray | float = 1.0
    negative_discount: FloatArray | float = 1.0
    floor: FloatArray | float = -math.inf
    prediction_discount: FloatArray | float = 1.0
    prediction_weight: FloatArray | float = 0.0
    averaging_weight: FloatArray | float = 1.0

    def as_table(self) -> FloatArray:
        """float64 (n, NUM_RULE_COLUMNS): a row per iteration. The column of the bonus, which belongs to the game, is 0.

        Raises ValueError naming the field that is out of its limits, or of another shape.
        """
        table = np.zeros((len(self.t), NUM_RULE_COLUMNS))
        for column, (name, *_) in enumerate(_FIELDS):
            values = np.asarray(getattr(self, name), np.float64)
            if values.shape not in ((), self.t.shape):
                raise ValueError(f"{name}: shape {values.shape}, expected a number or one per iteration {self.t.shape}")
            table[:, column] = values
        given = table[:, : len(_FIELDS)]
        wrong = ~((given >= _LEAST) & (given <= _MOST))
        wrong[:, FLOOR] |= (given[:, FLOOR] != 0.0) & (given[:, FLOOR] != -math.inf)
        if wrong.any():
            column = int(np.argmax(wrong.any(axis=0)))
            row, (name, _, _, limits) = int(np.argmax(wrong[:, column])), _FIELDS[column]
            raise ValueError(f"{name}: {given[row, column]} in iteration {self.t[row]:.0f} is not {limits}")
        return table


_LARGEST, _SMALLEST = float(np.finfo(np.float64).max), math.ulp(0.0)
_FIELDS = (
    ("positive_discount", 0.0, 1.0, "in 0 to 1"),
    ("negative_discount", 0.0, 1.0, "in 0 to 1"),
    ("floor", -math.inf, 0.0, "-inf or 0"),
    ("prediction_discount", _SMALLEST, _LARGEST, "above 0 and finite"),
    ("prediction_weight", -_LARGEST, _LARGEST, "finite"),
    ("averaging_weight", 0.0, _LARGEST, "at least 0 and finite"),
)
"""The columns of a table but the last: field, smallest and largest value, and what is allowed in words."""
_LEAST, _MOST = (np.array([field[index] for field in _FIELDS], np.float64) for index in (1, 2))


class Restart(NamedTuple):
    """Between two iterations: regrets and current strategy become the average strategy, averaging begins anew.

    Where the player itself rarely goes, the average is old, and the current strategy has a share: with own reach y in
    the average, the new strategy is w * average + (1 - w) * current with w = min(1, y / blend). The new regrets are
    proportional to it; their sum is what it was, times `factor`.

    >>> from tictactoe import Restart, update_rule
    >>> update_rule("rdcfr").restart_after(200)
    Restart(factor=1.0, blend=1e-05)
    """

    factor: float
    blend: float


Fill = Callable[[Coefficients, Parameters], None]
"""Sets the fields of the coefficients of some iterations, in place."""

Restarts = Callable[[Parameters], Iterator[tuple[int, Restart]]]
"""The restarts, each with the iteration after which it comes, in order; perhaps without end."""


def no_restarts(parameters: Parameters) -> Iterator[tuple[int, Restart]]:
    return iter(())


@dataclass(frozen=True)
class RuleDefinition:
    """A rule without values for its parameters. limits: smallest and largest value, by parameter.

    samples: whether a sweep follows one sampled move of the opponent where others follow all. averages_twice: see
    UpdateRule.averages_twice. switches: the parameters that are 1 for yes or 0 for no, and nothing between.
    """

    fill: Fill
    defaults: Parameters
    limits: Mapping[str, tuple[float, float]]
    restarts: Restarts = no_restarts
    samples: bool = False
    averages_twice: bool = False
    switches: tuple[str, ...] = ()
