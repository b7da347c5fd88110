"""Update rules: the coefficients that they give to the shared sweep, and their restarts.

In iteration t, the sweep does this for every move of every information set of the updating player, where r =
counterfactual value of the move - counterfactual value of the information set:

    average           S <- S + averaging_weight * own reach * strategy
    discount, add     R <- max(R * (positive_discount if R > 0 else negative_discount) + r, floor)
    match             predicted = max(max(R, 0) * prediction_discount + prediction_weight * r, 0); the next strategy is
                      in proportion to the predicted regrets, uniform where all are 0

The strategy that enters the average is the one that produced r.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np

from .arrays import FloatArray

# The columns of a table of coefficients for the kernels.
NUM_RULE_COLUMNS = 7
POSITIVE_DISCOUNT, NEGATIVE_DISCOUNT, FLOOR, PREDICTION_DISCOUNT = range(4)
PREDICTION_WEIGHT, AVERAGING_WEIGHT, BONUS_EPSILON = range(4, NUM_RULE_COLUMNS)

EXPLORATION = 0.6
"""The part of own draws that is spread evenly in a rule that samples outcomes; 0.6 in Lanctot et al. 2009."""

Parameters = Mapping[str, float]
"""The values of a rule's parameters, by name."""


@dataclass(slots=True, eq=False)
class Coefficients:
    """The coefficients of n iterations, by default those of CFR. The module's docstring has the formulas.

    A rule sets the fields in which it differs to a number or float64 (n,).

    >>> import numpy as np
    >>> from tictactoe import Coefficients
    >>> table = Coefficients(t=np.array([1.0, 2.0]), age=np.array([1.0, 2.0]))
    >>> table.floor = 0.0
    >>> table.averaging_weight = table.t**2
    >>> table.as_table()[:, 2].tolist(), table.as_table()[:, 5].tolist()
    ([0.0, 0.0], [1.0, 4.0])
    """

    t: FloatArray
    """float64 (n,): the iterations, counted from 1."""
    age: FloatArray
    """float64 (n,): the iterations, counted from the last restart; t for a rule without restarts."""
    positive_discount: FloatArray | float = 1.0
    """The factor of a positive R before r is added, from 0 to 1."""
    negative_discount: FloatArray | float = 1.0
    """The factor of any other R before r is added, from 0 to 1."""
    floor: FloatArray | float = -math.inf
    """The least R after r is added, -inf or 0."""
    prediction_discount: FloatArray | float = 1.0
    """The factor of a positive R in the predicted regret, above 0."""
    prediction_weight: FloatArray | float = 0.0
    """The factor of r in the predicted regret, any number."""
    averaging_weight: FloatArray | float = 1.0
    """The weight of the iteration in the average strategy, at least 0."""

    def as_table(self) -> FloatArray:
        """float64 (n, NUM_RULE_COLUMNS): a row per iteration. The column of the bonus is 0.

        Raises ValueError, which names a field that is out of range or has the wrong shape.
        """
        table = np.zeros((len(self.t), NUM_RULE_COLUMNS))
        for column, (name, *_) in enumerate(_FIELDS):
            values = np.asarray(getattr(self, name), np.float64)
            if values.shape not in ((), self.t.shape):
                raise ValueError(f"{name}: shape {values.shape}, expected a number or one per iteration {self.t.shape}")
            table[:, column] = values
        given = table[:, : len(_FIELDS)]
        wrong = ~((given >= _LOWER_LIMITS) & (given <= _UPPER_LIMITS))
        wrong[:, FLOOR] |= (given[:, FLOOR] != 0.0) & (given[:, FLOOR] != -math.inf)
        if wrong.any():
            column = int(np.argmax(wrong.any(axis=0)))
            row, (name, _, _, limits) = int(np.argmax(wrong[:, column])), _FIELDS[column]
            raise ValueError(f"{name}: {given[row, column]} in iteration {self.t[row]:.0f} is not {limits}")
        return table


_LARGEST_FLOAT, _SMALLEST_FLOAT = float(np.finfo(np.float64).max), math.ulp(0.0)
_FIELDS = (
    ("positive_discount", 0.0, 1.0, "from 0 to 1"),
    ("negative_discount", 0.0, 1.0, "from 0 to 1"),
    ("floor", -math.inf, 0.0, "-inf or 0"),
    ("prediction_discount", _SMALLEST_FLOAT, _LARGEST_FLOAT, "above 0 and finite"),
    ("prediction_weight", -_LARGEST_FLOAT, _LARGEST_FLOAT, "finite"),
    ("averaging_weight", 0.0, _LARGEST_FLOAT, "at least 0 and finite"),
)
"""The columns of a table except the last: the field, its smallest and largest value, and its range in words."""
_LOWER_LIMITS, _UPPER_LIMITS = (np.array([field[index] for field in _FIELDS], np.float64) for index in (1, 2))


class Restart(NamedTuple):
    """A restart between two iterations: the average strategy becomes the current one, and a new average begins.

    Let y be the own reach in the average, divided by the largest own reach. The new strategy is w * average + (1 - w) *
    current with w = min(1, y / blend). The new regrets are in proportion to it. Their sum is that of the positive
    regrets before, times `factor`.

    >>> from tictactoe import Restart, update_rule
    >>> update_rule("rdcfr").restart_after(200)
    Restart(factor=1.0, blend=1e-05)
    """

    factor: float
    blend: float


Fill = Callable[[Coefficients, Parameters], None]
"""A function that is called with the coefficients of some iterations and the parameters, and sets coefficients."""

Restarts = Callable[[Parameters], Iterator[tuple[int, Restart]]]
"""A function from the parameters to the iterations after which the rule restarts, in order, each with its restart."""


def no_restarts(parameters: Parameters) -> Iterator[tuple[int, Restart]]:
    return iter(())


class Sweep(Enum):
    """The kinds of sweeps, by what they visit and which average they keep.

    >>> from tictactoe import Sweep, kuhn_poker, register_rule, update_rule
    >>> register_rule("sampled", lambda table, _: setattr(table, "averaging_weight", table.t), sweep=Sweep.SAMPLED)
    >>> update_rule("sampled").samples
    True
    """

    FULL_WIDTH = "full width"
    """Each iteration visits the whole tree, and the average strategy is that of `averaging_weight`."""
    AVERAGED_TWICE = "averaged twice"
    """As with FULL_WIDTH, but the average strategy is averaged once more: see UpdateRule.averages_twice."""
    SAMPLED = "sampled"
    """r is sampled, as in es-mccfr. Such a rule sets only averaging_weight."""
    OUTCOME = "outcome"
    """r is sampled from one history, as in os-mccfr: own moves are drawn, too, a part of them evenly. That part is the
    parameter `exploration`, by default EXPLORATION. Such a rule sets only averaging_weight."""

    @property
    def samples(self) -> bool:
        """Whether the sweep follows only drawn moves."""
        return self in (Sweep.SAMPLED, Sweep.OUTCOME)


@dataclass(frozen=True)
class RuleDefinition:
    """An update rule without values for its parameters."""

    fill: Fill
    defaults: Parameters
    """All parameters, with their default values."""
    limits: Mapping[str, tuple[float, float]]
    """The smallest and largest value of each parameter."""
    restarts: Restarts = no_restarts
    sweep: Sweep = Sweep.FULL_WIDTH
    switches: tuple[str, ...] = ()
    """The parameters that are 0 for no or 1 for yes."""
