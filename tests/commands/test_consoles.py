"""What commands print, line by line: every console of consoles/ (`support/consoles.py` explains their form)."""

import os
import shutil
from pathlib import Path

import pytest
from fuzzing.world import replaced_parts
from support.consoles import printed_by
from support.slowness import by_default

CONSOLES = Path(__file__).with_name("consoles")
SLOW = (
    "atlas",
    "certify",
    "compare_rules",
    "explore_rules",
    "match_values",
    "review",
    "review_many",
    "solve_start_from",
)
NAMES = sorted(path.stem for path in CONSOLES.glob("*.txt"))


@pytest.mark.parametrize("name", by_default(NAMES, *(name for name in NAMES if name not in SLOW)))
def test_console(name: str, original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each in a copy of its own of the world, so that commands find the same files whatever ran before."""
    shutil.copytree(original, tmp_path / "world", symlinks=True, copy_function=os.link)
    monkeypatch.chdir(tmp_path / "world")
    with replaced_parts():
        _, differences = printed_by(CONSOLES / f"{name}.txt")
    assert not differences, "\n".join(differences)
