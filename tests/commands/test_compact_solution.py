"""compact-solution: the size that it says, and what it does not overwrite."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support.programs import MATCH, ONE_POINT, call, complaint, contents

from tictactoe import Score, load_solution

COMPACT = "compact-solution"


@pytest.fixture
def solved(tmp_path: Path) -> Path:
    """A solved match to 1."""
    assert call(MATCH, "-o", tmp_path / "solved", "--quiet", *ONE_POINT).code == 0
    return tmp_path / "solved"


def test_a_copy_and_what_is_said_of_it(solved: Path, tmp_path: Path) -> None:
    """All the files that it consists of; with --keep earlier snapshots, too."""
    result = call(COMPACT, "-s", solved, "-o", tmp_path / "small")
    size = sum(len(data) for data in contents(tmp_path / "small").values() if data is not None)
    assert (result.code, result.err) == (0, "")
    assert result.out == f"1 score of a match to 1 in {size / 1e3:.0f} kB, saved in {tmp_path / 'small'}\n"
    assert load_solution(tmp_path / "small").iterations(Score(0, 0)) == [40]
    assert call(COMPACT, "-s", solved, "-o", tmp_path / "kept", "--keep", 0, 0).code == 0
    assert load_solution(tmp_path / "kept").iterations(Score(0, 0)) == [0, 1, 10, 40]


def test_outputs_that_hold_something(solved: Path, tmp_path: Path) -> None:
    """A solution is replaced with --restart only, and never by its own copy."""
    shutil.copytree(solved, tmp_path / "other")
    before = contents(tmp_path)
    line = complaint(call(COMPACT, "-s", solved, "-o", tmp_path / "other"), 1, COMPACT)
    expected = "holds a solution; choose another output directory, or use --restart"
    assert line == f"{COMPACT}: {tmp_path / 'other'}: {expected}"
    line = complaint(call(COMPACT, "-s", solved, "-o", solved, "--restart"), 2, COMPACT)
    assert line == f"{COMPACT}: --output: the same directory as --solution (see {COMPACT} --help)"
    assert contents(tmp_path) == before
    assert call(COMPACT, "-s", solved, "-o", tmp_path / "other", "--restart").code == 0
    assert load_solution(tmp_path / "other").options["compact_bits"] == 20
