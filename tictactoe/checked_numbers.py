"""Checks of numbers that a caller passes. Messages begin with the name of the argument."""

from __future__ import annotations

import math
import operator
from numbers import Real
from typing import Any

from .errors import cut
from .number_text import range_text

LARGEST_SEED = 2**63 - 1


def whole_number(name: str, value: Any, least: int, most: int | None = None) -> int:
    """The value as an int. Raises ValueError for anything but a whole number in the range, even for 2.0 and True.

    >>> whole_number("jobs", 2.0, 1)
    Traceback (most recent call last):
    ValueError: jobs: 2.0 is not a whole number
    """
    try:
        number = None if isinstance(value, bool) else int(operator.index(value))  # a Seat becomes a plain number
    except TypeError:
        number = None
    if number is None:
        raise ValueError(f"{name}: {_shown(value)} is not a whole number")
    if number < least or (most is not None and number > most):
        raise ValueError(
            f"{name}: {number} is not {f'at least {least}' if most is None else f'from {least} to {most}'}"
        )
    return number


def finite_number(name: str, value: Any, least: float = -math.inf, most: float = math.inf) -> float:
    """The value as a float. Raises ValueError for anything but a finite number in the closed range.

    >>> finite_number("epsilon", float("nan"), 0.0, 1.0)
    Traceback (most recent call last):
    ValueError: epsilon: nan is not from 0 to 1
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ValueError(f"{name}: {_shown(value)} is not a number")
    number = float(value)
    if not (math.isfinite(number) and least <= number <= most):
        raise ValueError(f"{name}: {value} is not {range_text(least, most)}")
    return number


def positive_number(name: str, value: Any, most: float = math.inf) -> float:
    """Like `finite_number`, but above 0."""
    number = finite_number(name, value, most=most)
    if number <= 0.0:
        raise ValueError(f"{name}: {number} is not above 0")
    return number


def truth(name: str, value: Any) -> bool:
    """Return the value. Raises ValueError unless it is True or False."""
    if not isinstance(value, bool):
        raise ValueError(f"{name}: {_shown(value)} is not True or False")
    return value


def _shown(value: Any) -> str:
    return cut(repr(value), 40)
