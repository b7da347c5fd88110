"""Running a command as a program: one-line errors, exit codes, output streams."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shlex
import shutil
import signal
import sys
import textwrap
import threading
import warnings
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, NoReturn

import click

import tictactoe
from tictactoe.errors import Interrupted, NotOnDiskWarning, TicTacToeError, printable

from .command_list import OPTIONS_NOW
from .interruption import EXIT_INTERRUPTED, handling, signals_to_end
from .streams import discard_output, ignore_useless_settings, plain_streams

EXIT_FAILURE = 1

SETTINGS = {"max_content_width": 100, "help_option_names": ["-h", "--help"], "show_default": True}
"""The settings of every click command."""

DISTRIBUTION = "smbc-tictactoe"


class CommandError(Exception):
    """An error that ends the command with a one-line message and exit code 1."""


def available_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run(command: click.Command) -> NoReturn:
    """Call a command and end the process with its exit code, without a traceback."""
    name = os.path.basename(sys.argv[0])
    if hasattr(signal, "pthread_sigmask"):  # keeps the signal from threads of libraries
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCONT})
    with plain_streams(), _plain_warnings(name):
        try:
            ignore_useless_settings()
            code = _outcome(command, name)
        except KeyboardInterrupt:  # it may also come while an error is being printed
            code = EXIT_INTERRUPTED
    code = code if isinstance(code, int) else 0
    # All output is written. Another Ctrl-C ends the wait for threads without a message.
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, lambda number, frame: os._exit(code))
    sys.exit(code)


@contextlib.contextmanager
def _plain_warnings(name: str) -> Iterator[None]:
    show, told = warnings.showwarning, set()

    def tell(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if not issubclass(category, NotOnDiskWarning):
            show(message, category, *where, **more)
        elif "--quiet" not in sys.argv and str(message) not in told:
            told.add(str(message))
            _complain(f"{name}: {_one_line(str(message))}")

    warnings.showwarning = tell
    try:
        yield
    finally:
        warnings.showwarning = show


def _outcome(command: click.Command, name: str) -> Any:
    try:
        with handling(signals_to_end(), signal.default_int_handler):  # even a signal must not leave a half-written file
            code = command.main(prog_name=name, standalone_mode=False)
            sys.stdout.flush()
            return code
    except Exception as error:  # any other error becomes one line
        return _report(name, error)


class Program(click.Command):
    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **{"context_settings": SETTINGS, **settings})
        with_version(self)

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        run(self)


def with_version(command: click.Command) -> None:
    message, text = f"%(prog)s %(version)s ({DISTRIBUTION})", "Print the version and exit."
    click.version_option(tictactoe.__version__, message=message, help=text)(command)


def say(text: str, indent: str = "") -> None:
    """Print a paragraph, wrapped on a terminal except at no-break spaces. indent: begins every line but the first."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    wrap = partial(textwrap.wrap, break_long_words=False, break_on_hyphens=False, subsequent_indent=indent)
    print("\n".join(wrap(text, max(width, 20)) if width else [text]).replace("\N{NO-BREAK SPACE}", " "))


def print_json(content: Any, *, indent: int | None = 2) -> None:
    from tictactoe.storage.texts import json_text

    print(json_text(content, indent=indent))


def note(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def remark(line: str) -> None:
    """Print a line on standard error that begins with the name of the running command."""
    note(f"{click.get_current_context().command_path}: {line}")


def _report(name: str, error: Exception) -> int:
    from tictactoe.storage import shipped

    if isinstance(error, click.exceptions.Exit):
        return error.exit_code
    if isinstance(error, click.exceptions.Abort):
        return EXIT_INTERRUPTED
    if isinstance(error, click.NoSuchOption):
        now = OPTIONS_NOW.get(name.removeprefix("tictactoe "), {}).get(error.option_name)
        if now is not None:
            _complain(f"{name}: {error.option_name} is now {now} (see {name} --help)")
            return error.exit_code
    if isinstance(error, click.ClickException):
        _complain(f"{name}: {shipped.with_names(_one_line(error.format_message()))} (see {name} --help)")
        return error.exit_code
    if isinstance(error, OSError):
        discard_output()
        if error.errno == errno.EBADF and not error.filename:
            error = CommandError("standard output is closed: the result cannot be printed")
    if isinstance(error, BrokenPipeError):  # the reader, such as head, has gone
        return EXIT_FAILURE
    if os.environ.get("TICTACTOE_TRACEBACK"):
        raise error
    if _is_of_memory(error):
        _complain(f"{name}: memory ran out: free some, raise the limit (ulimit -v), or use fewer --jobs")
        return EXIT_FAILURE
    if isinstance(error, Interrupted):
        _complain(f"{name}: interrupted; {str(error) or _continuation(name)}")
        return EXIT_INTERRUPTED
    if isinstance(error, (CommandError, TicTacToeError)):
        _complain(f"{name}: {shipped.with_names(_one_line(str(error)))}")
    elif isinstance(error, OSError):
        where = f"{shown_path(error.filename)}: " if error.filename else ""
        _complain(f"{name}: {where}{_one_line(str(error.strerror or error))}; what was saved before is intact")
    elif isinstance(error, UnicodeError) and "not start with BOM" in str(error):  # a subclass since 3.13
        what = f"PYTHONIOENCODING says {sys.stdin.encoding}: unset that variable, or add the mark"
        _complain(f"{name}: standard input: it does not begin with a byte order mark; {what}")
    else:
        _complain(
            f"{name}: internal error: {type(error).__name__}: {_one_line(str(error))} "
            "(TICTACTOE_TRACEBACK=1 shows where)"
        )
    return EXIT_FAILURE


def _is_of_memory(error: BaseException | None) -> bool:
    if isinstance(error, (MemoryError, ImportError, RuntimeError, OSError, TicTacToeError)):
        words = ("Cannot allocate memory", "failed to map segment", "can't start new thread")
        return (
            isinstance(error, MemoryError)
            or any(word in str(error) for word in words)
            or _is_of_memory(error.__cause__ or error.__context__)
        )
    return False


def _continuation(name: str) -> str:
    arguments = [argument for argument in sys.argv[1:] if argument != "--restart"]
    saved = "what the workers returned" if "--cluster" in arguments else "everything"
    return f"{saved} is saved; continue with: {as_typed([*name.split(), *arguments])}"


def as_typed(words: Iterable[str]) -> str:
    if sys.platform != "win32":
        return shlex.join(words)
    import subprocess

    plain = re.compile(r"[\w.:/\\=+-]+")  # list2cmdline quotes only what contains a blank
    return " ".join(
        word if plain.fullmatch(word) else '"' + subprocess.list2cmdline([f" {word}"])[2:] for word in words
    )


def shown_path(path: Any) -> str:
    """The path as one line, with unprintable characters escaped."""
    return printable(os.fsdecode(path))


def _one_line(text: str) -> str:
    return printable(re.sub("[ \n]+", " ", text).strip(" "))


def _complain(line: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        note(line)
