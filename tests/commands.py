"""What the tests of the commands share: running them, in this process or as one of their own, and what they leave."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import msgpack

MATCH = "solve-multiround"
ROUND = "solve-subgame"
PROGRAMS = (MATCH, ROUND)

ONE_POINT = ("--winning-score", "1", "--algorithm", "pdcfr+", "--maximum-subgame-exploitability", "0.05")
"""A match that is solved in a few hundredths of a second: one subgame, a few dozen iterations."""
TWO_POINTS = ("--winning-score", "2", "--algorithm", "pdcfr+", "--maximum-subgame-exploitability", "0.05")
"""Four subgames in three pairs."""
SHORT = ("--algorithm", "pdcfr+", "--iterations", "30", "--check-exploitability-every", "10")
"""A round for solve-subgame."""

_DRIVER = """
import sys
from tictactoe import directory, single, solve
directory.CHECKPOINT_SECONDS = single.CHECKPOINT_SECONDS = solve.CHECKPOINT_SECONDS = {seconds}
from tictactoe.tools.{module} import main
main()
"""


@dataclass(frozen=True)
class Result:
    """What a program has left behind."""

    code: int
    out: str
    err: str


def program(name: str) -> str:
    """The path of an installed program, beside the interpreter that runs the tests."""
    return str(Path(sys.executable).parent / name)


def environment(**changes: str) -> dict[str, str]:
    """The environment of a user: nothing that makes programs colour their output or hide it."""
    hidden = ("FORCE_COLOR", "NO_COLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES", "TICTACTOE_TRACEBACK", "TTY_COMPATIBLE")
    return {name: value for name, value in os.environ.items() if name not in hidden} | changes


def run(name: str, *arguments: object, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> Result:
    """Run a program to its end, as a process of its own that has no terminal."""
    done = subprocess.run(
        [program(name), *map(str, arguments)], cwd=cwd, env=dict(env or environment()), capture_output=True,
        text=True, timeout=120, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    return Result(done.returncode, done.stdout, done.stderr)


def call(name: str, *arguments: object) -> Result:
    """Run a program in this process, which spares it the start: its `main`, with output that is no terminal."""
    main = importlib.import_module(f"tictactoe.tools.{name.replace('-', '_')}").main
    out, err, code = io.StringIO(), io.StringIO(), 0
    with (
        mock.patch.object(sys, "argv", [program(name), *map(str, arguments)]),
        mock.patch.dict(os.environ, environment(), clear=True),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    return Result(code, out.getvalue(), err.getvalue())


def driver(name: str, *arguments: object, seconds: float = 0.02) -> list[str]:
    """The command line of a program that saves what is in progress every `seconds`."""
    source = _DRIVER.format(seconds=seconds, module=name.replace("-", "_"))
    return [sys.executable, "-c", source, *map(str, arguments)]


def complaint(result: Result, code: int, name: str) -> str:
    """The one line that a program that failed with `code` has printed, which must be its only output."""
    assert result.code == code, result
    assert result.out == "", result
    lines = result.err.splitlines()
    assert len(lines) == 1, result
    assert lines[0].startswith(f"{name}: "), result
    assert "Traceback" not in lines[0], result
    assert "internal error" not in lines[0], result
    return lines[0]


def contents(directory: Path) -> dict[str, bytes | None]:
    """Every file below a directory with its bytes, and every directory."""
    return {
        str(path.relative_to(directory)): path.read_bytes() if path.is_file() else None
        for path in sorted(directory.rglob("*"))
    }


def command_to_continue(line: str, name: str) -> list[str]:
    """The arguments of the command that an interrupted program has printed."""
    assert "continue with: " in line, line
    words = shlex.split(line.split("continue with: ", 1)[1])
    assert words[0] == name, line
    return words[1:]


def with_version(data: bytes, version: int) -> bytes:
    """The bytes of a file as a program that writes another format version would have them, checksum included."""
    import hashlib

    magic, kind, _, payload, _ = msgpack.unpackb(data)
    start: bytes = b"\x95" + b"".join(msgpack.packb(item) for item in (magic, kind, version, payload))
    return start + b"\xc4\x20" + hashlib.sha256(start).digest()
