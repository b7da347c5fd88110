"""Running commands, in this process or as a child process, and comparing their output and files."""

import contextlib
import importlib
import io
import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from tictactoe.tools.command_list import COMMAND_NAMES, module_of, typed

from tictactoe.storage.directory_layout import SOLUTION_FILE
from tictactoe.storage.file_format import read_file, write_file
from tictactoe.storage.solution import SOLUTION_KIND

MATCH = "solve-multiround"
ROUND = "solve-multiround --one-round"
FORMULA, POLISH = "solve-multiround --algorithm formula", "solve-multiround --polish"
PROVE, VALUES = "best-response-multiround --prove", "rules-atlas --values"
IMPORT, EXPORT = "convert --rules four-moves", "convert --format csv"
"""As uses.txt has them."""
PROGRAMS = (MATCH, ROUND)

ONE_POINT = ("--winning-score", "1", "--algorithm", "pdcfr+", "--maximum-subgame-exploitability", "0.05")
"""A match that is solved in a few hundredths of a second: one subgame, a few dozen iterations."""
TWO_POINTS = ("--winning-score", "2", "--algorithm", "pdcfr+", "--maximum-subgame-exploitability", "0.05")
"""Four subgames in three pairs."""
SHORT = ("--algorithm", "pdcfr+", "--max-iterations", "30", "--check-exploitability-every", "10")
"""For a round."""
ANYTHING = "\n".join("123456789" * 60)
"""Lines that play whole matches: nine digits end any round, as a square that is taken is refused."""


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


def words_of(name: str) -> tuple[str, list[str]]:
    verb, *options = name.split(" --")
    return typed(verb), [word for option in options for word in f"--{option}".split()]


def called(name: str) -> str:
    return words_of(name)[0]


def typed_words(name: str) -> list[str]:
    verb, options = words_of(name)
    return [*verb.split(), *options]


def program(name: str) -> list[str]:
    first, *more = typed_words(name)
    return [str(Path(sys.executable).parent / first), *more]


def environment(**changes: str) -> dict[str, str]:
    """The environment of a user: nothing that makes programs colour their output or hide it."""
    hidden = ("FORCE_COLOR", "NO_COLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES", "TICTACTOE_TRACEBACK", "TTY_COMPATIBLE")
    return {name: value for name, value in os.environ.items() if name not in hidden} | changes


def run(name: str, *arguments: object, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> Result:
    """Run a program to its end, as a process of its own that has no terminal."""
    command, variables = [*program(name), *map(str, arguments)], dict(env or environment())
    done = subprocess.run(
        command, cwd=cwd, env=variables, capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL
    )
    return Result(done.returncode, done.stdout, done.stderr)


def call(name: str, *arguments: object, typed: str | None = None, **variables: str) -> Result:
    """Run a program in this process, which spares it the start: its `command`, with output that is no terminal. typed:
    what it reads from its standard input, if it reads at all."""
    out, err = io.StringIO(), io.StringIO()
    stdin = sys.stdin if typed is None else io.TextIOWrapper(io.BytesIO(typed.encode()))
    with mock.patch.object(sys, "stdin", stdin), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = _main(name, arguments, variables)
    return Result(code, out.getvalue(), err.getvalue())


def json_of(name: str, *arguments: object) -> Any:
    """What a program prints with --json, which must be JSON and nothing else."""
    result = call(name, *arguments, "--json")
    assert result.code == 0, result
    return strict_json(result.out)


def strict_json(text: str) -> Any:
    """Raises ValueError for what is no JSON, as NaN and Infinity."""

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is no JSON")

    return json.loads(text, parse_constant=refuse)


def text_of(name: str, *arguments: object, typed: str | None = None) -> str:
    """What a program prints that has nothing to complain of."""
    result = call(name, *arguments, typed=typed)
    assert (result.code, result.err) == (0, ""), result
    return result.out


def as_nobody() -> None:
    if os.getuid() == 0:
        os.setuid(65534)


def verb_and_words(line: str) -> tuple[str, ...]:
    """The verb that a line begins with, whose name may have a blank, and the other words."""
    first, *more = shlex.split(line)
    return (f"{first} {more[0]}", *more[1:]) if " ".join((first, *more[:1])) in COMMAND_NAMES else (first, *more)


def call_in_a_child(name: str, *arguments: object, prepare: Callable[[], object]) -> Result:
    """Run a program in a copy of this process in which `prepare` has been called, with real streams. So it can give up
    being root, be short of disk, or have closed streams, and needs no second to start."""
    (out, out_end), (err, err_end) = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(out_end, 1)
        os.dup2(err_end, 2)
        main_of_a_child(name, arguments, {}, prepare)
    texts = []
    for end, pipe in ((out_end, out), (err_end, err)):
        os.close(end)
        with open(pipe, encoding="utf-8") as file:
            texts.append(file.read())
    return Result(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), *texts)


def main_of_a_child(
    name: str, arguments: Sequence[object], variables: Mapping[str, str], prepare: Callable[[], object]
) -> None:
    """Run a program, and end: what a copy of this process does that has streams of its own."""
    code = 99
    try:
        signal.alarm(300)  # only to end what hangs, however busy the machine is
        sys.dont_write_bytecode = True  # a disk that is full would leave half a module, which nothing imports again
        os.closerange(3, 5000)
        sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115
        prepare()
        code = _main(name, arguments, variables)
        for stream in (sys.stdout, sys.stderr):  # as the interpreter does in the end
            stream.flush()
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(code)


def _main(name: str, arguments: Sequence[object], variables: Mapping[str, str]) -> int:
    verb, options = words_of(name)
    command = importlib.import_module(f"tictactoe.tools.commands.{module_of(name.partition(' --')[0])}").command
    interruptions = signal.getsignal(signal.SIGINT)
    with (
        mock.patch.object(sys, "argv", [verb, *options, *map(str, arguments)]),
        mock.patch.dict(os.environ, environment(**variables), clear=True),
    ):
        try:
            command()
        except SystemExit as end:
            return end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        finally:
            if threading.current_thread() is threading.main_thread():
                signal.signal(signal.SIGINT, interruptions)  # a program that has ended wants none
    return 0


def complaint(result: Result, code: int, name: str) -> str:
    """The one line that a program that failed with `code` has printed, which must be its only output."""
    assert result.code == code, result
    assert result.out == "", result
    lines = result.err.splitlines()
    assert len(lines) == 1, result
    assert lines[0].startswith(f"{called(name)}: "), result
    assert "Traceback" not in lines[0], result
    assert "internal error" not in lines[0], result
    return lines[0]


def remove_scores(solution: Path, *absent: tuple[int, int]) -> None:
    """Take results out of a solution's record, as if they had not been solved yet."""
    content = read_file(solution / SOLUTION_FILE, SOLUTION_KIND)
    content["subgames"] = [entry for entry in content["subgames"] if tuple(entry["score"]) not in absent]
    write_file(solution / SOLUTION_FILE, SOLUTION_KIND, content)


def contents(directory: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(directory)): path.read_bytes() if path.is_file() else None
        for path in sorted(directory.rglob("*"))
    }


def command_to_continue(line: str, name: str) -> list[str]:
    """The arguments of the command that an interrupted program has printed."""
    assert "continue with: " in line, line
    words = shlex.split(line.split("continue with: ", 1)[1])
    start = typed_words(name)
    assert words[: len(start)] == start, line
    return words[len(start) :]
