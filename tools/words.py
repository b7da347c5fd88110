"""Words that depend on a number, and words that stay together."""

from __future__ import annotations


def counted(number: int, one: str, more: str = "") -> str:
    """The number with its noun: "1 score", "2 scores", "1,000 scores". more: the plural, where it is not `one` + s."""
    return f"{number:,} {one if number == 1 else more or one + 's'}"


def unbroken(text: str) -> str:
    """The text for `say`, which breaks no line inside it: what can be pasted elsewhere."""
    return text.replace(" ", "\N{NO-BREAK SPACE}")
