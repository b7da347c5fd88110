"""Rounds of four moves, in which a match is judged and solved in milliseconds."""

from collections.abc import Iterator

import pytest
from oracle.matches import SHORT_RULE, short_rounds

from tictactoe import GameTree


@pytest.fixture(scope="module")
def short_tree() -> Iterator[GameTree]:
    with short_rounds():
        yield GameTree.build(SHORT_RULE)
