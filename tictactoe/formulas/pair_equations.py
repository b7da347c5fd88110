"""The equations of a score and its twin, which follow each other when nobody scores, solved in closed form.

x and y are their values to their first movers: N is -y at the score and -x at the twin. Numbers are floats, decimals,
    fractions if no root is needed, or arrays of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from .forms import Form


class Following(NamedTuple):
    """The outcome values of the results in which somebody scores."""

    both: Any
    first: Any
    second: Any


def solutions(form: Form, twin_form: Form, known: Following, twin_known: Following) -> Iterator[tuple[Any, Any]]:
    """The candidates for the values (x, y) of a score and its twin if these forms hold. There are none for two forms
    with three plans."""
    if form.three_plans and twin_form.three_plans:
        return
    if twin_form.three_plans:
        yield from ((x, y) for y, x in solutions(twin_form, form, twin_known, known))
        return
    constant, twin_constant = _constant(form, known), _constant(twin_form, twin_known)
    by_neither, by_twin_neither = form.ninths[3], twin_form.ninths[3]
    if not form.three_plans:
        x = (9 * constant - by_neither * twin_constant) / (81 - by_neither * by_twin_neither)
        yield x, (twin_constant - by_twin_neither * x) / 9
        return
    # The twin's equation 9 y = twin_constant - by_twin_neither x, solved for x = p + q y.
    p, q = twin_constant / by_twin_neither, -9 // by_twin_neither
    if q * by_twin_neither != -9:
        raise ValueError(f"twin_form: the coefficient {by_twin_neither} of neither does not divide 9")
    for y in _with_three_plans(known, constant, by_neither, p, q):
        yield p + q * y, y


def solutions_of_one(form: Form, known: Following) -> Iterator[Any]:
    """The candidates for the value of a score that is its own twin and not the last score."""
    constant, by_neither = _constant(form, known), form.ninths[3]
    if form.three_plans:
        yield from _with_three_plans(known, constant, by_neither, 0, 1)
    else:
        yield constant / (9 + by_neither)


def solution_of_last(form: Form, one: Any) -> Any:
    """The value of the last score."""
    by_both, by_first, by_second, by_neither = form.ninths
    return (by_first - by_second) * one / (9 + by_both + by_neither)


def _constant(form: Form, known: Following) -> Any:
    by_both, by_first, by_second, _ = form.ninths
    return by_both * known.both + by_first * known.first + by_second * known.second


def _with_three_plans(known: Following, constant: Any, by_neither: int, p: Any, q: int) -> Iterator[Any]:
    """The roots y of 9 (p + q y)(D + y) = (constant - by_neither y)(D + y) - (B + y)(F + y), where D = F - S + B."""
    both, first, second = known
    d = first - second + both
    square = 9 * q + by_neither + 1
    linear = 9 * p + 9 * q * d - constant + by_neither * d + both + first
    absolute = (9 * p - constant) * d + both * first
    root = square_root(linear * linear - 4 * square * absolute)
    for sign in (1, -1):
        yield (sign * root - linear) / (2 * square)


def square_root(number: Any) -> Any:
    """The square root of a float or a decimal, or of an array of them.

    A negative float gives NaN. A negative decimal raises InvalidOperation, or gives NaN in a context without that trap.
    """
    if isinstance(number, Decimal):
        return number.sqrt()
    if isinstance(number, np.ndarray) and number.dtype == object:
        return np.frompyfunc(square_root, 1, 1)(number)
    with np.errstate(invalid="ignore"):
        return np.sqrt(number)
