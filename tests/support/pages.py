"""The code and the commands of a page of the documentation, run as they stand there.

A line before a block may say more of it, for nobody but the tests:

    <!-- file my_bot.py -->         the block is this file, or goes on with it
    <!-- slow -->                   it takes over five seconds, and runs at night; so does what needs it
    <!-- slow, needs pygambit -->   the same, and skipped where this library is missing
    <!-- slow, with 2 for 20 -->    the same, with a smaller budget, as its own takes too long for a night
    <!-- run by tests/FILE.py -->   another test runs it, or `checked by` one what cannot be run without a network
    <!-- not run: the reason -->    nothing runs it
"""

import contextlib
import io
import os
import re
import shlex
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from .consoles import follows
from .programs import call, environment

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
OURS = tuple(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"])
OTHERS = ("cd", "dask", "for", "node", "pip", "printf", "python", "python3", "taskset")
COMMANDS = re.compile(rf"(?:\$ )?(?:echo \S+ \| |[A-Z_]+=\S+ )?(?:{'|'.join(map(re.escape, (*OURS, *OTHERS)))})(?= |$)")
BLOCK = re.compile(
    r"(?:^<!-- (?P<note>[^\n]*) -->\n\n?)?"
    r"(?:^```(?P<language>\w*)\n(?P<code>.*?)^```$|(?P<indented>^    [^\n]*\n(?:    [^\n]*\n|\n(?=    ))*))",
    re.MULTILINE | re.DOTALL,
)


class Block(NamedTuple):
    """A block of code: its language ("commands" for those to be typed, "" for what is none), its text, the line of the
    page that it begins at, the block of output that follows it, None where none does, and the note before it."""

    language: str
    code: str
    line: int
    output: str | None
    note: str


def blocks(page: Path) -> Iterator[Block]:
    """The blocks of a page, fenced or indented, but for those of output (```text) that follow another one."""
    text = page.read_text(encoding="utf-8")
    found = list(BLOCK.finditer(text))
    for match, after in zip(found, found[1:] + [None] * bool(found), strict=True):
        if match["language"] == "text":
            continue
        follows_it = after is not None and after["language"] == "text" and not text[match.end() : after.start()].strip()
        indented = re.sub("^    ", "", match["indented"] or "", flags=re.MULTILINE)
        language = match["language"] if not indented else "commands" if COMMANDS.match(indented) else ""
        line = text.count("\n", 0, match.start()) + 1
        yield Block(
            language or "", match["code"] or indented, line, after["code"] if follows_it and after else None,
            match["note"] or "",
        )  # fmt: skip


def within_a_night(block: Block) -> Block:
    """The block with the smaller budget of its note."""
    code = block.code
    for change in filter(None, block.note.partition(" with ")[2].split(", ")):
        small, large = change.split(" for ")
        code, found = re.subn(rf"(?<!\S){re.escape(large)}(?!\S)", small, code)
        assert found, f"line {block.line}: no {large}"
    return block._replace(code=code)


def run_python(block: Block, page: Path, space: dict[str, Any]) -> None:
    """Run a block of Python. What it prints must be its block of output, if it has one; otherwise it must print
    nothing."""
    code = compile("\n" * block.line + block.code, str(page), "exec")  # errors name the page's line
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(code, space)
    assert printed.getvalue() == (block.output or ""), f"{page.name}, line {block.line}"


def run_page(page: Path, **names: Any) -> dict[str, Any]:
    """Run the Python blocks of a page one after the other, with `names` to begin with; what they define."""
    space: dict[str, Any] = {"__name__": "__page__", **names}
    for block in blocks(page):
        if block.language == "python":
            run_python(block, page, space)
    return space


def run_commands(block: Block, page: Path) -> None:
    """Run the commands of a block. Each must succeed. After `$` what one prints must be the lines that follow it."""
    lines = block.code.replace("\\\n", "").rstrip("\n")
    shown = lines.startswith("$ ")
    texts = re.split(r"^\$ ", lines, flags=re.MULTILINE)[1:] if shown else [lines]
    if not shown and not lines.startswith("for "):
        texts = lines.splitlines()
    for text in texts:
        command, *expected = text.rstrip("\n").split("\n") if shown else [text]
        code, printed = run_command(command)
        place = f"{page.name}, line {block.line}: {command}"
        assert code == 0, (place, printed)
        assert not shown or follows([line.rstrip() for line in printed.splitlines()], expected), (place, printed)


def run_command(command: str) -> tuple[int, str]:
    """Run a command: one of ours in this process, which spares it the start. Returns the exit code and the output."""
    typed, _, program = command.rpartition(" | ")
    words = shlex.split(program, comments=True)
    if words[0] == "cd":
        os.chdir(words[1])
        return 0, ""
    if words[0] in OURS and not {">", "&&"} & {*words} and (not typed or typed.startswith("echo ")):
        done = call(words[0], *words[1:], typed=typed.removeprefix("echo") + "\n")
        return done.code, done.out if done.code == 0 else done.out + done.err
    shell = subprocess.run(
        ["bash", "-ec", command], capture_output=True, text=True, check=False, timeout=7200, stdin=subprocess.DEVNULL,
        env=environment(),
    )  # fmt: skip
    return shell.returncode, shell.stdout if shell.returncode == 0 else shell.stdout + shell.stderr


def rows_after(text: str, heading: str) -> list[list[str]]:
    """The cells of the table of a page that begins with this heading, row by row."""
    lines = text[text.index(heading) :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
