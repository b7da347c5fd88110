"""What the commands share: parameter types, one-line errors with the right exit code, interruption."""

from __future__ import annotations

import contextlib
import io
import math
import os
import shlex
import shutil
import signal
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console

EXIT_FAILURE = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130


class CommandError(Exception):
    """A command cannot go on; the message is one line."""


class Number(click.ParamType):
    """A finite float in a range; `above` excludes the limit itself."""

    name = "number"

    def __init__(self, *, least: float = -math.inf, above: float | None = None, most: float = math.inf) -> None:
        self._least = least
        self._above = above
        self._most = most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            number = float(value)
        except (TypeError, ValueError):
            self.fail(f"{value!r} is not a number", param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number", param, ctx)
        if self._above is not None and number <= self._above:
            self.fail(f"{value} is not above {self._above:g}", param, ctx)
        if not self._least <= number <= self._most:
            wanted = f"at least {self._least:g}" if self._most == math.inf else f"in {self._least:g} to {self._most:g}"
            self.fail(f"{value} is not {wanted}", param, ctx)
        return number


class Count(click.ParamType):
    """A whole number, at least `least`, written with digits."""

    name = "count"

    def __init__(self, least: int = 1, most: int = 10**9) -> None:
        self._least = least
        self._most = most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            number = int(str(value))
        except ValueError:
            self.fail(f"{value!r} is not a whole number", param, ctx)
        if not self._least <= number <= self._most:
            self.fail(f"{value} is not in {self._least} to {self._most}", param, ctx)
        return number


class TrueFalse(click.ParamType):
    """true or false, and nothing else: an empty text is a mistake, not an answer."""

    name = "true|false"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> bool:
        if isinstance(value, bool):
            return value
        if str(value).lower() not in ("true", "false"):
            self.fail(f"{value!r} is not true or false", param, ctx)
        return str(value).lower() == "true"


class Directory(click.ParamType):
    """A path that is no file; it need not exist."""

    name = "directory"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        if not str(value):
            self.fail("the name is empty", param, ctx)
        path = Path(value)
        if "\0" in str(value) or (os.path.exists(path) and not os.path.isdir(path)):
            self.fail(f"{_shown(path)} is not a directory", param, ctx)
        return path


class Iterations(click.ParamType):
    """Iterations separated by commas, or "none"."""

    name = "list"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        if value == "none":
            return ()
        count = Count(0)
        return tuple(sorted({count.convert(item.strip(), param, ctx) for item in str(value).split(",")}))


def available_cores() -> int:
    """The processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextlib.contextmanager
def stop_on_signals() -> Iterator[threading.Event]:
    """An event that SIGINT and SIGTERM set instead of raising, so that work can be saved. A second one raises."""
    stop = threading.Event()

    def handle(number: int, frame: Any) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def print_interrupted(name: str) -> None:
    """Say that everything is saved, and the command that goes on from there."""
    arguments = [argument for argument in sys.argv[1:] if argument != "--restart"]
    _complain(f"{name}: interrupted; everything is saved, continue with: {shlex.join([name, *arguments])}")


def run(command: click.Command) -> None:
    """Run a command as a program: parse, call, and end the process with the right code and no traceback."""
    _open_closed_streams()
    name = os.path.basename(sys.argv[0])
    try:
        code = command.main(prog_name=name, standalone_mode=False)
        sys.stdout.flush()
    except Exception as error:  # the outermost handler: whatever happened becomes one line
        code = _report(name, error)
    except KeyboardInterrupt:
        code = EXIT_INTERRUPTED
    sys.exit(code if isinstance(code, int) else 0)


def _open_closed_streams() -> None:
    """Let a program that was started with closed streams write into nothing; and print names of any bytes."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
    for stream in ("stdout", "stderr"):
        if getattr(sys, stream) is None:
            setattr(sys, stream, open(os.devnull, "w"))  # noqa: SIM115
        if isinstance(getattr(sys, stream), io.TextIOWrapper):
            getattr(sys, stream).reconfigure(errors="backslashreplace")


def live_console() -> Console | None:
    """A console on standard error that can be redrawn, None where that is no terminal or a dumb one."""
    if not sys.stderr.isatty():  # before rich is imported, which takes a while
        return None
    from rich.console import Console

    console = Console(stderr=True, highlight=False)
    return console if console.is_terminal and not console.is_dumb_terminal else None


def say(text: str) -> None:
    """Print a paragraph: wrapped between words on a terminal, on one line elsewhere."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    lines = textwrap.wrap(text, max(width, 20), break_long_words=False, break_on_hyphens=False) if width else [text]
    print("\n".join(lines))


def _report(name: str, error: Exception) -> int:
    if isinstance(error, click.exceptions.Exit):
        return error.exit_code
    if isinstance(error, click.exceptions.Abort):
        return EXIT_INTERRUPTED
    if isinstance(error, click.ClickException):
        _complain(f"{name}: {_one_line(error.format_message())} (see {name} --help)")
        return error.exit_code
    if isinstance(error, OSError):
        _discard_output()
    if isinstance(error, BrokenPipeError):  # nobody reads on: not an error of ours, nothing more to say
        return EXIT_FAILURE
    if os.environ.get("TICTACTOE_TRACEBACK"):
        raise error
    from tictactoe.chain import EndlessMatchError
    from tictactoe.directory import StoreError
    from tictactoe.files import FormatError
    from tictactoe.linear_program import MissingSolverError, ProgramError

    known = (CommandError, EndlessMatchError, FormatError, MissingSolverError, ProgramError, StoreError)
    if isinstance(error, known):
        _complain(f"{name}: {_one_line(str(error))}")
    elif isinstance(error, OSError):
        where = f"{_shown(error.filename)}: " if error.filename else ""
        _complain(f"{name}: {where}{_one_line(str(error.strerror or error))}; what was saved before is intact")
    else:
        _complain(
            f"{name}: internal error: {type(error).__name__}: {_one_line(str(error))} "
            "(set TICTACTOE_TRACEBACK=1 for where)"
        )
    return EXIT_FAILURE


def _discard_output() -> None:
    """Drop what standard output cannot take, which Python would try, and complain about, once more at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _shown(path: Any) -> str:
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in os.fsdecode(path))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _complain(line: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        print(line, file=sys.stderr, flush=True)
