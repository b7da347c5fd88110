"""The largest numbers that a file may hold: all that a solver can come to, and far from what overflows when it goes on.

Whoever reads or writes a file holds it to these, the exact checker's readers too; numbers that are not finite are
refused by the format itself.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..algorithms.arrays import FloatArray
from ..games.goals import OutcomeValues
from ..match.options import LARGEST_MATCH_VALUE, LARGEST_OUTCOME_VALUE
from .directory_layout import MOST_ITERATIONS

ROUNDING = 1e-9
"""How far beyond a limit a number may be, relative to it, as rounding may have left it there."""
LARGEST_REGRET = 1e120
"""So many iterations as there may be, of the largest outcome values, come to 1e112; the square is finite."""
LARGEST_SUM = 1e300
"""Of a strategy sum, of which a thousand can be added up. Weights of t^20 come to 1e252."""


def outcome_problems(values: OutcomeValues, in_match: bool, what: str = "outcome_values") -> Iterator[str]:
    """What is wrong with outcome values; in_match: they are values of a match."""
    largest, unit = (LARGEST_MATCH_VALUE, "match values") if in_match else (LARGEST_OUTCOME_VALUE, "values")
    for value in values:
        if not abs(value) <= largest:
            yield f"{what}: {value} is beyond {_shown(largest)}, the largest of all {unit}"
            return


def judgement_problems(values: OutcomeValues, value: float, exploitability: float) -> Iterator[str]:
    """What is wrong with the value and NashConv of strategies in a round with these outcome values, or less."""
    scale = (1.0 + ROUNDING) * max(1.0, *map(abs, values))
    if not abs(value) <= scale:
        yield f"value: {value} is more than any result is worth"
    if not -ROUNDING * scale <= exploitability <= 4.0 * scale:
        yield f"exploitability: {exploitability} is negative, or more than any results differ by"


def convergence_problems(values: OutcomeValues, log: FloatArray) -> Iterator[str]:
    """What is wrong with a record of convergence, float64 (num_checks, 4), of a round with these outcome values."""
    iterations = log[:, 0]
    if np.any((iterations < 0.0) | (iterations >= MOST_ITERATIONS)):
        yield f"convergence: an iteration that is not in 0 to {MOST_ITERATIONS - 1}"
    if np.any(np.abs(log[:, 1:]) > 4.0 * (1.0 + ROUNDING) * max(1.0, *map(abs, values))):
        yield "convergence: more than any results differ by"


def regret_problems(regrets: FloatArray) -> Iterator[str]:
    """What is wrong with regrets, of any shape."""
    if not np.all(np.abs(regrets) <= LARGEST_REGRET):
        yield f"regrets: beyond {_shown(LARGEST_REGRET)}, too large to go on with"


def sum_problems(name: str, sums: FloatArray | None) -> Iterator[str]:
    """What is wrong with strategy sums, of any shape."""
    if sums is not None and not np.all((sums >= 0.0) & (sums <= LARGEST_SUM)):
        yield f"{name}: negative, or above {_shown(LARGEST_SUM)}, too large to be added up"


def _shown(limit: float) -> str:
    return f"{limit:g}".replace("+", "")
