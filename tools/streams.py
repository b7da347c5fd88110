"""Where output goes: streams on which text from anywhere steers no terminal, and what draws on one on purpose."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import re
import sys
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, Any

from tictactoe.errors import printable

if TYPE_CHECKING:
    from rich.console import Console


class _PlainText:
    """A text stream that writes escapes, such as \\x1b, for all that is neither printable nor ends a line; for the rest
    it is the stream `drawing`, to which escape codes that are meant go directly."""

    def __init__(self, drawing: IO[str]) -> None:
        self.drawing = drawing

    def write(self, text: str) -> int:
        """As streams do."""
        if not text.isprintable():
            text = "".join(part if part in "\n\t" else printable(part) for part in re.split("([\n\t])", text))
        return self.drawing.write(text)

    def writelines(self, lines: Iterator[str]) -> None:
        """As streams do."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.drawing, name)


def drawing(stream: IO[str]) -> IO[str]:
    """The stream without its guard, for what moves the cursor or has colours: all text in it must be printable."""
    found: IO[str] = getattr(stream, "drawing", stream)
    return found


@contextlib.contextmanager
def plain_streams() -> Iterator[None]:
    """Within the block standard output and error print whatever a file, a path or a peer says, and obey nothing of it.

    A program that was started with closed streams writes into nothing; names of any bytes can be printed.
    """
    _open_closed_streams()
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = _PlainText(sys.stdout), _PlainText(sys.stderr)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
        discard_output()


def _open_closed_streams() -> None:
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

    console = Console(file=drawing(sys.stderr), highlight=False)
    return console if console.is_terminal and not console.is_dumb_terminal else None


def discard_output() -> None:
    """Drop what standard output cannot take, which Python would try, and complain about, once more at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def ignore_useless_settings() -> None:
    """Leave out variables of the environment that would end the program, or make it draw for nobody.

    COLUMNS and LINES that are no size; a number of threads that is none (nothing here runs on numba's); matplotlib's
    window system, as pictures only go into files. What matplotlib logs of a home that it cannot write to, or of a list
    of fonts that takes long, is not said: the pictures are the same.
    """
    for name in ("COLUMNS", "LINES", "NUMBA_NUM_THREADS"):
        if not re.fullmatch("[1-9][0-9]{0,4}", os.environ.get(name, "1")):
            del os.environ[name]
    os.environ["MPLBACKEND"] = "agg"
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
