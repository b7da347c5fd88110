"""What the tests of several kinds of files share."""

from pathlib import Path

import pytest
from support.storage_files import make_snapshot, small_tree

from tictactoe import GameTree


@pytest.fixture(scope="session")
def tree() -> GameTree:
    return GameTree.build()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "snapshot_000500.msgpack"


@pytest.fixture
def data(path: Path) -> bytes:
    make_snapshot(small_tree()).save(path)
    return path.read_bytes()
