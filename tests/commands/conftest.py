"""Solved matches that several commands are tried on."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support.event_loops import no_running_loop
from support.programs import MATCH, TWO_POINTS, call

__all__ = ["no_running_loop"]


@pytest.fixture(scope="session")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A match to 2, solved for a moment; to be copied, not changed."""
    output = tmp_path_factory.mktemp("solved") / "match"
    assert call(MATCH, "-o", output, "--quiet", *TWO_POINTS).code == 0
    return output


@pytest.fixture(scope="session")
def two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A match to 2, solved for more than a hundred iterations; to be copied, not changed."""
    output = tmp_path_factory.mktemp("judged") / "match"
    target = ("--maximum-subgame-exploitability", "0.002", "--check-exploitability-every", "10")
    assert call(MATCH, "-o", output, "--quiet", *TWO_POINTS, *target).code == 0
    return output


@pytest.fixture
def mine(two: Path, tmp_path: Path) -> Path:
    """A copy of it that a test may change."""
    shutil.copytree(two, tmp_path / "mine")
    return tmp_path / "mine"
