"""What commands print, line by line: every console of consoles/ (`support/consoles.py` explains their form)."""

import os
import shutil
from pathlib import Path

import pytest
from fuzzing.world import replaced_parts
from support.consoles import printed_by

CONSOLES = sorted(Path(__file__).with_name("consoles").glob("*.txt"))


@pytest.mark.parametrize("path", CONSOLES, ids=[path.stem for path in CONSOLES])
def test_console(path: Path, original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each in a copy of its own of the world, so that commands find the same files whatever ran before."""
    shutil.copytree(original, tmp_path / "world", symlinks=True, copy_function=os.link)
    monkeypatch.chdir(tmp_path / "world")
    with replaced_parts():
        _, differences = printed_by(path)
    assert not differences, "\n".join(differences)
