"""The records in files: checks by type, and the largest numbers allowed, which no solver exceeds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec

from ..errors import FormatError
from ..games.rules import OutcomeValues
from ..match.options import LARGEST_MATCH_VALUE, LARGEST_OUTCOME_VALUE
from .directory_layout import MOST_ITERATIONS
from .texts import in_our_words

Iteration = Annotated[int, msgspec.Meta(ge=0, lt=MOST_ITERATIONS)]

_Record = TypeVar("_Record")


def as_record(path: Path, content: dict[str, Any], record: type[_Record]) -> _Record:
    """Convert the content of the file `path` to a record: a dataclass, or a msgspec.Struct that forbids unknown fields.

    Raises FormatError, which names the field, for a field that is missing, unknown, or not of the annotated type.
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
"""The largest excess of a number over a limit by rounding, relative to the limit."""
LARGEST_REGRET = 1e120
"""The largest regret. MOST_ITERATIONS regrets of LARGEST_OUTCOME_VALUE sum to 1e112; the square of the limit is
finite."""
LARGEST_SUM = 1e300
"""The largest strategy sum. A thousand of them have a finite sum. Averaging weights of t^20 reach 1e252."""


def outcome_problems(values: OutcomeValues, in_match: bool) -> Iterator[str]:
    """The problem with outcome values, in words. in_match: whether they are match values."""
    largest, unit = (LARGEST_MATCH_VALUE, "match values") if in_match else (LARGEST_OUTCOME_VALUE, "values")
    for value in [value for value in values if not abs(value) <= largest][:1]:
        yield f"outcome_values: {value} is beyond {shown(largest)}, the largest of all {unit}"


def shown(limit: float) -> str:
    return f"{limit:g}".replace("+", "")
