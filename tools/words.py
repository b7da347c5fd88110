"""Words that depend on a number, and sizes."""

from __future__ import annotations


def counted(number: int, one: str, more: str = "") -> str:
    """The number with its noun: "1 score", "2 scores", "1,000 scores". more: an irregular plural."""
    return f"{number:,} {one if number == 1 else more or one + 's'}"


def size_text(num_bytes: int) -> str:
    """A size on disk: 300 kB, 1.5 MB."""
    return f"{num_bytes / 1e6:.1f} MB" if num_bytes >= 1e6 else f"{num_bytes / 1e3:.0f} kB"
