"""Numbers that a caller gives: what is none, or out of range, is refused by the name of the argument."""

from __future__ import annotations

import math
import operator
from numbers import Real
from typing import Any

from .errors import cut
from .number_text import range_text

LARGEST_SEED = 2**63 - 1


def whole_number(name: str, value: Any, least: int, most: int | None = None) -> int:
    """The value as an int, whatever kind of whole number it is. Raises ValueError for anything else, such as 2.0 or
    True, and for one that is not in the range.

    >>> whole_number("jobs", 2.0, 1)
    Traceback (most recent call last):
    ValueError: jobs: 2.0 is not a whole number
    """
    try:
        number = None if isinstance(value, bool) else int(operator.index(value))  # of a Seat its plain number
    except TypeError:
        number = None
    if number is None:
        raise ValueError(f"{name}: {_shown(value)} is not a whole number")
    if number < least or (most is not None and number > most):
        raise ValueError(f"{name}: {number} is not {f'at least {least}' if most is None else f'in {least} to {most}'}")
    return number


def finite_number(name: str, value: Any, least: float = -math.inf, most: float = math.inf) -> float:
    """The value as a float. Raises ValueError for what is no finite number, as for NaN or True, and for one that is not
    in the range, whose ends are in it.

    >>> finite_number("epsilon", float("nan"), 0.0, 1.0)
    Traceback (most recent call last):
    ValueError: epsilon: nan is not in 0 to 1
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ValueError(f"{name}: {_shown(value)} is not a number")
    number = float(value)
    if not (math.isfinite(number) and least <= number <= most):
        raise ValueError(f"{name}: {value} is not {range_text(least, most)}")
    return number


def positive_number(name: str, value: Any, most: float = math.inf) -> float:
    """As `finite_number`, above 0."""
    number = finite_number(name, value, most=most)
    if number <= 0.0:
        raise ValueError(f"{name}: {number} is not above 0")
    return number


def truth(name: str, value: Any) -> bool:
    """The value if it is True or False. Raises ValueError for anything else."""
    if not isinstance(value, bool):
        raise ValueError(f"{name}: {_shown(value)} is not True or False")
    return value


def _shown(value: Any) -> str:
    return cut(repr(value), 40)
