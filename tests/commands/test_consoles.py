"""What commands print, line by line: every console of consoles/ (`support/consoles.py` explains their form)."""

import os
import shutil
from pathlib import Path

import pytest
from fuzzing.world import replaced_parts
from support.consoles import follows, printed_by

CONSOLES = sorted(Path(__file__).with_name("consoles").glob("*.txt"))


@pytest.mark.parametrize("path", CONSOLES, ids=[path.stem for path in CONSOLES])
def test_console(path: Path, original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each in a copy of its own of the world, so that commands find the same files whatever ran before."""
    shutil.copytree(original, tmp_path / "world", symlinks=True, copy_function=os.link)
    monkeypatch.chdir(tmp_path / "world")
    with replaced_parts():
        _, differences = printed_by(path)
    assert not differences, "\n".join(differences)


@pytest.mark.parametrize(
    ("printed", "expected", "same"),
    [
        ("a 0.5", "a   0.50001", True),
        ("a 0.5", "a 0.501", False),
        ("a 0.5", "a -0.5", False),
        ("a 1e-9", "a 5e-9", True),
        ("a 1e-9", "a 0", False),
        ("120 of 30", "101 of 30", True),
        ("120 of 30", "120 of 31", False),
        ("a 1", "b 1", False),
        ("a 3.61e-02", "a 3.62e-02", True),
        ("a 3.60e-02", "a 3.62e-02", False),
        ("a 20.4 %", "a 20.5 %", True),
        ("a 1.5", "a 1.6", False),
    ],
)
def test_lines_are_compared(printed: str, expected: str, same: bool) -> None:
    assert follows(["x", "y", printed], ["...", expected]) is same
