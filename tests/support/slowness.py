"""What does not run by default (CONTRIBUTING.md says what does)."""

from collections.abc import Iterable
from typing import Any

import pytest


def slow(*values: object) -> list[Any]:
    """Parameters of slow tests. A tuple holds the values of one test."""
    return [pytest.param(*(each if isinstance(each, tuple) else (each,)), marks=pytest.mark.slow) for each in values]


def by_default(names: Iterable[str], *few: str) -> list[Any]:
    """All the names, to be parameters of a test of what one function serves for all: slow ones but for these few."""
    names = list(names)
    assert set(few) <= set(names)
    return [*few, *slow(*(name for name in names if name not in few))]
