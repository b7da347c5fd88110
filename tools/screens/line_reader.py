"""Reading lines that a person types."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Any

from ..interruption import handling
from ..program import say
from ..streams import takes_escapes

Waiting = Callable[[], contextlib.AbstractContextManager[None]]

LONGEST_LINE = 200  # the number of characters of a typed line that are used


class LineReader:
    """A reader of typed lines. waiting: a context for the time in which the program waits for the person.

    is_terminal: whether a person can answer. redraws, colours: what the screen allows. ticks: redraw every second.
    """

    ticks = False

    def __init__(self, plain: bool = False, waiting: Waiting = contextlib.nullcontext) -> None:
        self.waiting = waiting
        self.is_terminal = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
        self.redraws = self.is_terminal and not plain and takes_escapes()
        self.colours = self.redraws and not os.environ.get("NO_COLOR")
        if sys.stdin is not None and hasattr(sys.stdin, "reconfigure"):
            sys.stdin.reconfigure(errors="replace")
        self._readline = _readline() if self.redraws else None

    def read(self, prompt: str, draw: Callable[[], None] | None = None) -> str | None:
        """A typed line without surrounding blanks, of at most LONGEST_LINE characters; None at the end of the input.

        draw: draws the screen above the prompt, and again after a change of size.
        """
        with self.waiting():
            return self._read_on_a_screen(prompt, draw) if self.redraws else self._read_plain(prompt)

    def _read_on_a_screen(self, prompt: str, draw: Callable[[], None] | None) -> str | None:
        def draw_again(*_: object) -> None:
            typed = self._readline.get_line_buffer() if self._readline is not None else ""
            with contextlib.suppress(RuntimeError):  # the signal came in the middle of printing
                if draw is not None:
                    draw()
                print(prompt + typed, end="", flush=True)

        if draw is not None:
            draw()
        reasons = [getattr(signal, name) for name in ("SIGWINCH", "SIGCONT") if draw and hasattr(signal, name)]
        ticks = self.ticks and draw is not None and hasattr(signal, "setitimer")
        reasons += [signal.SIGALRM] if ticks else []
        if hasattr(signal, "SIGCONT"):
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCONT})  # `run` blocks it
        self._remember(False)
        with contextlib.ExitStack() as afterwards, handling(reasons, draw_again):
            afterwards.callback(self._remember, True)
            if ticks:
                signal.setitimer(signal.ITIMER_REAL, 1.0, 1.0)
            try:
                with contextlib.suppress(EOFError), _new_line():
                    return input(prompt)[:LONGEST_LINE].strip()
            finally:
                if ticks:
                    signal.setitimer(signal.ITIMER_REAL, 0.0)
        return None

    def _remember(self, wanted: bool) -> None:
        if self._readline is not None:
            self._readline.set_auto_history(wanted)
            self._readline.set_completer(None if wanted else lambda text, state: None)

    def _read_plain(self, prompt: str) -> str | None:
        say(prompt)
        sys.stdout.flush()
        if sys.stdin is None:
            return None
        with _new_line(wanted=self.is_terminal):
            line = sys.stdin.readline(LONGEST_LINE)
            rest = line
            while rest and not rest.endswith("\n"):
                rest = sys.stdin.readline(1 << 16)
        return line.strip() if line else None


@contextlib.contextmanager
def _new_line(*, wanted: bool = True) -> Iterator[None]:
    try:
        yield
    except BaseException:
        if wanted:
            with contextlib.suppress(OSError):
                print()
        raise


def _readline() -> Any:
    try:
        import readline
    except ImportError:  # not on every system
        return None
    if "libedit" not in (readline.__doc__ or ""):
        for setting in ("enable-bracketed-paste off", "enable-meta-key off"):
            readline.parse_and_bind(f"set {setting}")
    return readline
