"""The README: its Python runs, its commands exist, and the two set-up commands are the ones that are tested."""

from __future__ import annotations

import contextlib
import io
import re
import tomllib
from pathlib import Path

import pytest

from tictactoe import GameTree, MatchOptions, solve_match, update_rule

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_python_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    options = MatchOptions(maximum_subgame_exploitability=0.5, rule=update_rule("pdcfr+"), snapshot_at=())
    solve_match(tmp_path / "my_solution", GameTree.build(), options, jobs=2)
    monkeypatch.chdir(tmp_path)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, {})
    lines = printed.getvalue().splitlines()
    assert lines[:2] == ["37538", "(5, 1, 3)"]
    assert lines[2].startswith("5 -0.")
    assert len(lines) == 6


def test_every_command_that_the_readme_names_is_installed() -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    assert [name for name in scripts if f"`{name}" not in TEXT and f"$ {name}" not in TEXT] == []
    for line in re.findall(r"^    \$ ([a-z-]+)", TEXT, re.MULTILINE):
        assert line in scripts


def test_there_are_two_set_up_commands() -> None:
    commands = re.findall(r"^    (python3 -m venv .*)$", TEXT, re.MULTILINE)
    assert len(commands) == 2
    assert commands[0].endswith("solve-multiround -o my_solution/")
    assert commands[1].endswith("-m pytest")
