"""Checks on the names that strangers choose."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from ..play.referee import check_names

RESERVED_NAMES = ("You", "Referee")
"""Names that screens and the referee use."""

_PAIRS = (
    "\u0430a \u0432b \u0435e \u043ak \u043cm \u043dh \u043eo \u0440p \u0441c \u0442t "  # Cyrillic
    "\u0443y \u0445x \u0455s \u0456i \u0458j \u051bq \u051dw \u04bbh \u04cfl "
    "\u03b1a \u03b2b \u03b3y \u03b5e \u03b7n \u03b9i \u03bak \u03bdv "  # Greek
    "\u03bfo \u03c1p \u03c4t \u03c5u \u03c7x \u03c9w \u03f2c "
    "0o 1l |l"
)
_LOOKALIKES = {ord(pair[0]): pair[1] for pair in _PAIRS.split()}
"""The Latin letter that a small letter, digit or sign resembles in most fonts, by its code."""

_INVISIBLE = {"\u034f", "\u115f", "\u1160", "\u17b4", "\u17b5", "\u2800", "\u3164", "\uffa0"}
_MOST_MARKS = 2  # the most accents in a row; more of them overlap other lines


def looks(name: str) -> str:
    """A key that is equal for names that look alike.

    >>> looks("Ann") == looks("ANN") == looks("\u0410nn") == looks("A n-n") == looks("\uff21\u00f1n"), looks("Bob")
    (True, 'bob')
    """
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name).casefold()).casefold()
    letters = "".join(letter for letter in plain.translate(_LOOKALIKES) if letter.isalnum())
    return letters.replace("rn", "m").replace("vv", "w").replace("l", "i")


def require_name(name: str, taken: Iterable[str]) -> None:
    """Raise ValueError for a forbidden name, or for one that looks like a name in `taken`."""
    check_names((name, "?" if name != "?" else "!"))
    if unicodedata.normalize("NFKC", name) != name:
        raise ValueError(
            f"name: {name!a} has letters in an unusual form; write {unicodedata.normalize('NFKC', name)!a}"
        )
    if any(letter in _INVISIBLE or "VARIATION SELECTOR" in unicodedata.name(letter, "") for letter in name):
        raise ValueError(f"name: {name!a} has characters that cannot be seen")
    marks = 0
    for letter in unicodedata.normalize("NFD", name):
        marks = marks + 1 if unicodedata.category(letter).startswith("M") else 0
        if marks > _MOST_MARKS:
            raise ValueError(f"name: {name!a} has too many accents on one letter")
    if not looks(name):
        raise ValueError(f"name: {name!a} has neither a letter nor a digit")
    for other in (*RESERVED_NAMES, *taken):
        if name == other:
            raise ValueError(f"name: {name!a} is taken; choose another")
        if looks(name) == looks(other):
            raise ValueError(f"name: {name!a} can be mistaken for {other!a}; choose another")
