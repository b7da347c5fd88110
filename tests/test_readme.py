"""The README: its Python runs, its commands exist, and the two set-up commands are the ones that are tested."""

import contextlib
import importlib.util
import io
import re
import shlex
import subprocess
import tomllib
from pathlib import Path

import pytest
from support.consoles import follows
from support.programs import call

from tictactoe import Cursor, Goal, RoundBot, Score, load_solution, open_saved, read_certificate
from tictactoe.play.move_costs import advise
from tictactoe.storage.shipped import shipped_solution

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
FLOWING = " ".join(TEXT.split())


SOLVING = ("solve-multiround", "best-response-multiround -s my_solution", "certify -s shipped")


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
def test_the_tour_prints_what_stands_there(
    left_out: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every command, one after another in one directory: each line, where "..." stands for any lines. What solves or
    proves a match to 5, and what needs that, is left out by default.
    """
    blocks = re.findall(r"^    \$ (.*)\n((?:^    .*\n|^\n(?=    [^$]))*)", TEXT, re.MULTILINE)
    assert len(blocks) >= 7
    monkeypatch.chdir(tmp_path)
    for command, block in blocks:
        if command.startswith(left_out):
            continue
        typed, _, program = command.rpartition(" | ")
        if "|" not in command or typed.startswith("echo "):
            name, *words = shlex.split(program)
            done = call(name, *words, typed=typed.removeprefix("echo") + "\n")
            printed, ended = done.out, done.code
        else:
            shell = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=300, check=False)
            printed, ended = shell.stdout, shell.returncode
        expected = [line.removeprefix("    ") for line in block.rstrip("\n").splitlines()]
        assert ended == 0, command
        assert follows([line.rstrip() for line in printed.splitlines()], expected), (command, printed)


def test_the_three_facts() -> None:
    saved = open_saved().load(Score(2, 1))
    bot = RoundBot(saved.tree, saved.average_strategy, saved.snapshot.outcome_values)
    (row,) = (move for move in advise(bot, Cursor(saved.tree, (1, 5, 2, 7, 4)), Goal.WIN) if move.completes_row)
    assert (row.squares, row.probability, row.opponent_scores) == ((3,), 0.0, 1.0)
    assert f"would cost {50 * row.cost:.2f} of 100 matches" in FLOWING
    assert saved.tree.own_reach_at(Cursor(saved.tree, (1, 5, 2, 7, 4)).node, saved.average_strategy).max(1).min() > 0
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
