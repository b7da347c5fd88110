"""Numbers, ranges and data as text, and numbers read from text."""

from __future__ import annotations

import decimal
import math
import re
from collections.abc import Sequence
from fractions import Fraction

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,4000}")
_WITH_EXPONENT = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?[eE]\+?[0-9]{1,3}")
_SMALLEST_WITH_EXPONENT = 1e12  # from here on, a power of ten is used
_NOT_FINITE = re.compile(r"[+-]?(?:inf|infinity|nan)", re.IGNORECASE)


def read_number(text: str) -> float:
    """Read a decimal number such as 2.3, -5 or 1e-6. Ignores surrounding blanks.

    Raises ValueError for other text, infinities and underflow. The message continues a sentence about the text.

    >>> read_number("1e-6"), read_number(" -.5 ")
    (1e-06, -0.5)
    >>> read_number("1_000")
    Traceback (most recent call last):
    ValueError: is not a number, such as 2.3 or 1e-6
    """
    text = text.strip()
    if _NOT_FINITE.fullmatch(text):
        raise ValueError("is not a finite number")
    if not _NUMBER.fullmatch(text):
        raise ValueError("is not a number, such as 2.3 or 1e-6")
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("is not a finite number: it is too large for a computer's numbers")
    if number == 0.0 and re.search("[1-9]", re.split("[eE]", text)[0]):
        raise ValueError("is not 0, but too small for a computer's numbers; give 0, or a larger number")
    return number


def read_whole_number(text: str) -> int:
    """Read a whole number such as 1000000 or 1e6. Raises ValueError for other text.

    >>> read_whole_number("1e6"), read_whole_number("2.5e3")
    (1000000, 2500)
    """
    text = text.strip()
    if _WITH_EXPONENT.fullmatch(text) and (number := Fraction(text)).denominator == 1:
        return int(number)
    if not _WHOLE_NUMBER.fullmatch(text):
        raise ValueError("is not a valid whole number.")
    return int(text)


def name_and_parameters(text: str, example: str) -> tuple[str, dict[str, str]]:
    """Split text such as `example` into a name and the text of each parameter.

    Raises ValueError for malformed text and repeated parameters.

    >>> name_and_parameters("dcfr(discount_alpha=2.3, discount_gamma=5)", "dcfr(discount_alpha=1)")
    ('dcfr', {'discount_alpha': '2.3', 'discount_gamma': '5'})
    """
    match = re.fullmatch(r"\s*([^()\s]+)\s*(?:\(([^()]*)\))?\s*", text)
    if match is None:
        raise ValueError(f"{text[:60]!r} is not a name, or a name with parameters, such as {example}")
    parameters: dict[str, str] = {}
    for item in filter(None, (part.strip() for part in (match[2] or "").split(","))):
        name, equals, value = (part.strip() for part in item.partition("="))
        if not equals:
            raise ValueError(f"{item[:60]!r} is not name=number")
        if name in parameters:
            raise ValueError(f"{name[:60]}: given twice in {text[:60]!r}")
        parameters[name] = value
    return match[1], parameters


def shortest(value: float) -> str:
    """The shortest text that reads back as the same number.

    >>> shortest(0.5), shortest(1e15), shortest(1 / 3)
    ('0.5', '1e+15', '0.3333333333333333')
    """
    return f"{value:g}" if float(f"{value:g}") == value else repr(value)


def range_text(least: float, most: float) -> str:
    """A range in words; its ends may be infinite.

    >>> range_text(0.0, 20.0), range_text(-math.inf, 1e15), range_text(1.0, math.inf)
    ('from 0 to 20', 'at most 1e+15', 'at least 1')
    """
    if math.isinf(least) or math.isinf(most):
        ends = [f"at least {shortest(least)}"] * math.isfinite(least) + [f"at most {shortest(most)}"] * math.isfinite(
            most
        )
        return ends[0] if ends else "a finite number"
    return f"from {shortest(least)} to {shortest(most)}"


def rounded_up(value: Fraction | float, digits: int = 3) -> str:
    """The value rounded up to `digits` significant digits, with a power of ten.

    >>> rounded_up(4.9292e-16, 2), rounded_up(Fraction(1, 8)), rounded_up(9.991), rounded_up(0.0), rounded_up(1e-320, 1)
    ('5.0e-16', '1.25e-01', '1.00e+01', '0.00e+00', '1e-320')
    """
    exact = Fraction(value)
    context = decimal.Context(prec=digits, rounding=decimal.ROUND_CEILING)
    number = context.divide(decimal.Decimal(exact.numerator), decimal.Decimal(exact.denominator))
    mantissa, power = f"{number:.{digits - 1}e}".split("e") if number else (f"{0:.{digits - 1}f}", "0")
    return f"{mantissa}e{int(power):+03d}"


def decimal_text(number: float, digits: int) -> str:
    """The number with `digits` decimal places, or with a power of ten if it is huge. Zero has no sign.

    >>> decimal_text(2 / 3, 4), decimal_text(-1e100, 6), decimal_text(-1e-9, 4)
    ('0.6667', '-1.000000e+100', '0.0000')
    """
    return f"{number:z.{digits}{'f' if abs(number) < _SMALLEST_WITH_EXPONENT else 'e'}}"


def signed_text(number: float, digits: int) -> str:
    """Like `decimal_text`, but always with a sign; zero has a plus."""
    return f"{number:+z.{digits}{'f' if abs(number) < _SMALLEST_WITH_EXPONENT else 'e'}}"


def counted(number: int, one: str, more: str = "") -> str:
    """A number with its noun: "1 score", "1,000 scores". more: an irregular plural.

    >>> counted(1, "score"), counted(1000, "score"), counted(2, "match", "matches")
    ('1 score', '1,000 scores', '2 matches')
    """
    return f"{number:,} {one if number == 1 else more or one + 's'}"


def size_text(num_bytes: int) -> str:
    """A file size, such as 300 kB or 1.5 MB."""
    return f"{num_bytes / 1e6:.1f} MB" if num_bytes >= 1e6 else f"{num_bytes / 1e3:.0f} kB"


def rounded(value: Fraction, digits: int, *, up: bool) -> str:
    """A fraction with `digits` significant digits, rounded towards plus infinity (`up`) or minus infinity.

    >>> rounded(Fraction(2, 3), 4, up=True), rounded(Fraction(-2, 3), 4, up=True)
    ('0.6667', '-0.6666')
    """
    context = decimal.Context(prec=digits, rounding=decimal.ROUND_CEILING if up else decimal.ROUND_FLOOR)
    return str(context.divide(decimal.Decimal(value.numerator), decimal.Decimal(value.denominator)))


def listed(items: Sequence[object], most: int) -> str:
    """The first `most` items with commas between them, and dots for the others.

    >>> listed([1, 2, 3], 3), listed([1, 2, 3], 2)
    ('1, 2, 3', '1, 2, ...')
    """
    return ", ".join(map(str, items[:most])) + (", ..." if len(items) > most else "")


def unbroken(text: str) -> str:
    """The text with no-break spaces, to keep a number and its unit together.

    >>> unbroken("1 %")
    '1\xa0%'
    """
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def duration(seconds: float) -> str:
    """Minutes and seconds (1:05), with hours if needed (1:00:05)."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


_COLLECTIONS = (tuple, list, set, frozenset)
NOISE = 1e-12
"""The relative size below which a part of a whole is a rounding error."""


def without_noise(number: float, whole: float = 1.0) -> float:
    """The number, or 0 if it is less than NOISE of the whole.

    >>> without_noise(-4e-19), without_noise(4e-19, 1e-18)
    (0.0, 4e-19)
    """
    return 0.0 if abs(number) < NOISE * whole else number


def in_words(value: object) -> str:
    """Data as text without programming syntax. Values with their own `__str__` use it.

    >>> in_words(("jack", "of hearts")), in_words(((6, 3), (), None)), in_words("")
    ('jack of hearts', '6 3; -; -', '')
    >>> from typing import NamedTuple
    >>> Hand = NamedTuple("Hand", [("points", int), ("cards", tuple)])
    >>> in_words(Hand(13, (10, 3)))
    'points 13, cards 10 3'
    """
    if type(value).__str__ is object.__str__:
        names = getattr(value, "_fields", None) or getattr(value, "__dataclass_fields__", None)
        if names:
            return ", ".join(f"{name} {in_words(getattr(value, name)) or '-'}" for name in names)
        if isinstance(value, _COLLECTIONS):
            parts = [in_words(part) or "-" for part in value]
            parts = sorted(parts) if isinstance(value, (set, frozenset)) else parts
            return ("; " if any(isinstance(part, _COLLECTIONS) for part in value) else " ").join(parts) or "-"
    return "-" if value is None else str(value)
