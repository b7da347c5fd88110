"""The largest numbers that a file may hold. A solver cannot reach larger ones, and cannot overflow from these.

Every reader and writer checks these limits, the exact checker's readers too. The file format itself refuses numbers
that are not finite.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..algorithms.arrays import FloatArray
from ..games.goals import OutcomeValues
from ..match.options import LARGEST_MATCH_VALUE, LARGEST_OUTCOME_VALUE
from .directory_layout import MOST_ITERATIONS

RELATIVE_TOLERANCE = 1e-9
"""How far rounding may take a number beyond a limit, relative to the limit."""
LARGEST_REGRET = 1e120
"""MOST_ITERATIONS regrets of the size of LARGEST_OUTCOME_VALUE add up to 1e112. The square of this limit is finite."""
LARGEST_SUM = 1e300
"""The largest strategy sum: a thousand of them add up to a finite number. Averaging weights of t^20 reach 1e252."""


def outcome_problems(values: OutcomeValues, in_match: bool) -> Iterator[str]:
    """The problem with outcome values, in words. in_match: they are match values."""
    largest, unit = (LARGEST_MATCH_VALUE, "match values") if in_match else (LARGEST_OUTCOME_VALUE, "values")
    for value in values:
        if not abs(value) <= largest:
            yield f"outcome_values: {value} is beyond {_shown(largest)}, the largest of all {unit}"
            return


def judgement_problems(values: OutcomeValues, value: float, exploitability: float) -> Iterator[str]:
    """The problems with a value and a NashConv, in words, in a round with these outcome values or smaller ones."""
    scale = (1.0 + RELATIVE_TOLERANCE) * max(1.0, *map(abs, values))
    if not abs(value) <= scale:
        yield f"value: {value} is more than any result is worth"
    if not -RELATIVE_TOLERANCE * scale <= exploitability <= 4.0 * scale:
        yield f"exploitability: {exploitability} is negative, or more than any results differ by"


def convergence_problems(values: OutcomeValues, log: FloatArray) -> Iterator[str]:
    """The problems with Snapshot.convergence, float64 (num_checks, 4), in a round with these outcome values."""
    iterations = log[:, 0]
    if np.any((iterations < 0.0) | (iterations >= MOST_ITERATIONS)):
        yield f"convergence: an iteration that is not in 0 to {MOST_ITERATIONS - 1}"
    if np.any(np.abs(log[:, 1:]) > 4.0 * (1.0 + RELATIVE_TOLERANCE) * max(1.0, *map(abs, values))):
        yield "convergence: more than any results differ by"


def regret_problems(regrets: FloatArray) -> Iterator[str]:
    """The problem with regrets, an array of any shape, in words."""
    if not np.all(np.abs(regrets) <= LARGEST_REGRET):
        yield f"regrets: beyond {_shown(LARGEST_REGRET)}, too large to go on with"


def sum_problems(name: str, sums: FloatArray | None) -> Iterator[str]:
    """The problem with strategy sums, an array of any shape, in words. name: of the array, for the message."""
    if sums is not None and not np.all((sums >= 0.0) & (sums <= LARGEST_SUM)):
        yield f"{name}: negative, or above {_shown(LARGEST_SUM)}, too large to be added up"


def _shown(limit: float) -> str:
    return f"{limit:g}".replace("+", "")
