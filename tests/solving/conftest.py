"""Rounds of four moves, in which a match is solved in milliseconds."""

from collections.abc import Iterator

import pytest
from oracle.matches import short_rounds


@pytest.fixture(autouse=True, scope="module")
def _short_rounds() -> Iterator[None]:
    with short_rounds():
        yield
