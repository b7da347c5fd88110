"""Every inequality of the proof of docs/restarts.md holds on random games; the page has the figures that come out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_has_what_the_program_prints() -> None:
    command = [sys.executable, str(ROOT / "research" / "restarts_theorem.py")]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    page = (ROOT / "docs" / "restarts.md").read_text(encoding="utf-8")
    rows = [line for line in lines if line.startswith("|")]
    assert len(rows) == 10
    assert [row for row in rows if row not in page] == []
    assert sum("every inequality holds" in line for line in lines) == 2
