"""Output streams that escape control characters, which files and peers may contain."""

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
    """A text stream that escapes unprintable characters. `drawing` is the stream behind it."""

    def __init__(self, drawing: IO[str]) -> None:
        self.drawing = drawing

    def write(self, text: str) -> int:
        if not text.isprintable():
            text = "".join(part if part in "\n\t" else printable(part) for part in re.split("([\n\t])", text))
        return self.drawing.write(text)

    def writelines(self, lines: Iterator[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.drawing, name)


def drawing(stream: IO[str]) -> IO[str]:
    """The stream without the guard, for colours and cursor movement."""
    found: IO[str] = getattr(stream, "drawing", stream)
    return found


@contextlib.contextmanager
def plain_streams() -> Iterator[None]:
    """Escape control characters on standard output and error during the block.

    Printing to a closed standard output raises EBADF; a closed standard error drops its text.
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
            os.open(os.devnull, os.O_RDONLY if descriptor == 1 else os.O_RDWR)  # gets the lowest free number
    for number, stream in enumerate(("stdout", "stderr"), 1):
        if getattr(sys, stream) is None:
            setattr(sys, stream, open(number, "w", closefd=False))  # noqa: SIM115
        if isinstance(getattr(sys, stream), io.TextIOWrapper):
            getattr(sys, stream).reconfigure(errors="backslashreplace")


def live_console() -> Console | None:
    """A console on standard error that can redraw lines; None without such a terminal."""
    if not sys.stderr.isatty():  # checked first: importing rich takes a while
        return None
    from rich.console import Console

    console = Console(file=drawing(sys.stderr), highlight=False)
    return console if console.is_terminal and not console.is_dumb_terminal else None


def takes_escapes() -> bool:
    """Whether the terminal at standard output understands escape codes. On Windows, this enables them."""
    if os.environ.get("TERM", "dumb" if sys.platform != "win32" else "console") in ("", "dumb"):
        return False
    if sys.platform != "win32":
        return True
    import ctypes

    system, mode = ctypes.windll.kernel32, ctypes.c_ulong()
    output = system.GetStdHandle(-11)
    return bool(system.GetConsoleMode(output, ctypes.byref(mode)) and system.SetConsoleMode(output, mode.value | 4))


def discard_output() -> None:
    """Drop buffered output. Python would try to write it again at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def ignore_useless_settings() -> None:
    """Correct environment variables, such as COLUMNS, that would end the program or open windows."""
    for name in ("COLUMNS", "LINES", "NUMBA_NUM_THREADS"):
        if not re.fullmatch("[1-9][0-9]{0,4}", os.environ.get(name, "1")):
            del os.environ[name]
    os.environ["MPLBACKEND"] = "agg"
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
