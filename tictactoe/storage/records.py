"""What files hold as plain records: checking them by type, and the largest numbers allowed.

A solver cannot reach numbers above the limits, and cannot overflow from them. Every reader and writer checks them, the
exact checker's readers too. The file format itself refuses numbers that are not finite.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
import numpy as np

from ..algorithms.arrays import FloatArray
from ..errors import FormatError
from ..games.rules import OutcomeValues
from ..match.options import LARGEST_MATCH_VALUE, LARGEST_OUTCOME_VALUE
from .directory_layout import MOST_ITERATIONS
from .file_format import read_file
from .texts import in_our_words

Iteration = Annotated[int, msgspec.Meta(ge=0, lt=MOST_ITERATIONS)]

_Record = TypeVar("_Record")


def read_record(path: Path, kind: str, record: type[_Record]) -> _Record:
    """Read a file of a kind and convert its content to a record. Raises FormatError as `read_file` and `as_record`."""
    return as_record(path, read_file(path, kind), record)


def as_record(path: Path, content: dict[str, Any], record: type[_Record]) -> _Record:
    """Convert the content of the file `path` to a record: a dataclass, or a msgspec.Struct that forbids unknown fields.

    Raises FormatError, with the field, for one that is missing, unknown, or of another type than annotated: booleans
    and text are no numbers.
    """
    names = {field.name for field in fields(record)} if is_dataclass(record) else content.keys()
    try:
        if unknown := sorted(content.keys() - names):
            raise msgspec.ValidationError(f"Object contains unknown field `{unknown[0]}`")
        return msgspec.convert(content, record)
    except AttributeError as error:  # msgspec 0.22 raises it for an array in place of a map
        raise FormatError(path, "an array of numbers where a map is needed") from error
    except msgspec.ValidationError as error:
        raise FormatError(path, in_our_words(error)) from error


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
