"""The README: its Python runs, its commands exist, and the two set-up commands are the ones that are tested."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from support.programs import environment

from tictactoe import Cursor, Goal, RoundBot, Score, load_solution, open_saved, read_certificate
from tictactoe.play.advice import advise
from tictactoe.play.beliefs import own_reach_of
from tictactoe.storage.shipped import shipped_solution

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
FLOWING = " ".join(TEXT.split())


SOLVING = ("solve-multiround", "best-response-multiround -s my_solution", "certify -s shipped")
NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")


def test_the_python_of_the_readme_runs() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, {})
    lines = printed.getvalue().splitlines()
    assert lines[:2] == ["37538", "(5, 1, 3)"]
    assert lines[2].startswith("5 -0.0769")
    assert len(lines) == 6


@pytest.mark.parametrize("left_out", [SOLVING, pytest.param((), marks=pytest.mark.slow)], ids=["quick", "whole"])
def test_the_tour_prints_what_stands_there(left_out: tuple[str, ...], tmp_path: Path) -> None:
    """Every command, one after another in one directory: each line, where "..." stands for any lines. What solves or
    proves a match to 5, and what needs that, is left out by default.

    Numbers may differ as another processor rounds: what is nearly nothing by a factor, counts of iterations by a
    fifth, everything else in the last digits.
    """
    blocks = re.findall(r"^    \$ (.*)\n((?:^    .*\n|^\n(?=    [^$]))*)", TEXT, re.MULTILINE)
    assert len(blocks) >= 7
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for command, block in blocks:
        if command.startswith(left_out):
            continue
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            env=environment(PATH=path),
            capture_output=True,
            text=True,
            timeout=300,
            check=True,
        )
        expected = [line.removeprefix("    ") for line in block.rstrip("\n").splitlines()]
        assert follows(done.stdout.splitlines(), expected), (command, done.stdout)


def follows(printed: list[str], expected: list[str]) -> bool:
    if not expected:
        return not printed
    if expected[0] == "...":
        return any(follows(printed[skipped:], expected[1:]) for skipped in range(len(printed) + 1))
    return bool(printed) and same_line(printed[0].rstrip(), expected[0]) and follows(printed[1:], expected[1:])


def same_line(printed: str, expected: str) -> bool:
    words = NUMBER.split(" ".join(printed.split())), NUMBER.split(" ".join(expected.split()))
    numbers = (map(number, NUMBER.findall(line)) for line in (printed, expected))
    return words[0] == words[1] and all(close(one, other) for one, other in zip(*numbers, strict=True))


def number(text: str) -> float:
    return float(text.replace(",", ""))


def close(one: float, other: float) -> bool:
    if max(abs(one), abs(other)) < 1e-3:
        return one == other or 0.1 < one / other < 10.0
    is_count = one == int(one) and other == int(other) and max(one, other) >= 100
    return abs(one - other) <= (0.2 if is_count else 2e-4) * max(abs(one), abs(other))


def test_the_three_facts() -> None:
    """At the top of the README: what a declined win costs, who is favoured, and what is proved."""
    saved = open_saved().load(Score(2, 1))
    bot = RoundBot(saved.tree, saved.average_strategy, saved.snapshot.outcome_values)
    (row,) = (move for move in advise(bot, Cursor(saved.tree, (1, 5, 2, 7, 4)), Goal.WIN) if move.completes_row)
    assert (row.squares, row.probability, row.opponent_scores) == ((3,), 0.0, 1.0)
    assert f"would cost {50 * row.cost:.2f} % of matches" in FLOWING
    assert own_reach_of(saved.tree, saved.average_strategy, Cursor(saved.tree, (1, 5, 2, 7, 4)).node).max(1).min() > 0
    value, comics = (load_solution(name).value[Score(0, 0)] for name in ("shipped", "filled"))
    assert f"in the first round wins {50 * (1 - value):.2f} % of the matches" in FLOWING
    assert f"by the comic's own rules {50 * (1 - comics):.2f} %" in FLOWING
    certificate = read_certificate(shipped_solution() / "certificate.json")
    assert "less than two trillionths of a percent more matches" in FLOWING
    assert 50 * float(certificate["total"]["exploitability_decimal"]) < 2e-12  # of both seats, in percentage points


def test_the_picture_is_what_a_terminal_shows() -> None:
    spec = importlib.util.spec_from_file_location("play_picture", ROOT / "examples" / "play_picture.py")
    assert spec is not None
    assert spec.loader is not None
    picture = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(picture)
    assert picture.svg(picture.screen()) == picture.PICTURE.read_text(encoding="utf-8")


def test_links_lead_somewhere() -> None:
    """In the README and in docs/, to files of the project."""
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"), ROOT / "CONTRIBUTING.md"):
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), (page.name, link)


def test_every_command_that_the_readme_names_is_installed() -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    assert [name for name in scripts if f"`{name}" not in TEXT and f"$ {name}" not in TEXT] == []
    for line in re.findall(r"^    \$ (?:echo [a-z0-9] [|] )?([a-z-]+)", TEXT, re.MULTILINE):
        assert line in (*scripts, "printf")


def test_there_are_two_set_up_commands() -> None:
    commands = re.findall(r"^    (python3 -m venv .*)$", TEXT, re.MULTILINE)
    assert len(commands) == 2
    assert commands[0].endswith("solve-multiround -o my_solution/")
    assert commands[1].endswith("-m pytest")
    ends = re.findall(r"command_that_ends_with '(.*)'", (ROOT / ".ci" / "run").read_text())
    assert [command.endswith(end) for command, end in zip(commands, ends, strict=True)] == [True, True]
