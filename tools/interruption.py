"""Ctrl-C, SIGTERM and a closing terminal: a run saves its work and ends, and playing ends, never within a move.

program.py says what is printed then.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

EXIT_INTERRUPTED = 130


@contextlib.contextmanager
def stop_on_signals() -> Iterator[threading.Event]:
    """An event that the first SIGINT, SIGTERM or SIGHUP sets, so that work can be saved. A second signal raises
    KeyboardInterrupt."""
    stop = threading.Event()

    def handle(number: int, frame: Any) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    with handling((signal.SIGINT, *signals_to_end()), handle):
        yield stop


def signals_to_end() -> list[signal.Signals]:
    """The signals that ask a program to end, without those that are ignored: SIGTERM, and SIGHUP when its terminal
    closes, which nohup ignores."""
    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    return [number for number in numbers if signal.getsignal(number) not in (signal.SIG_IGN, None)]


@contextlib.contextmanager
def handling(numbers: Iterable[signal.Signals], handle: Callable[[int, Any], object]) -> Iterator[None]:
    """Handle these signals while the block runs."""
    before = {number: signal.signal(number, handle) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class QuitPlaying(Exception):
    """The person quits, or the input ends.

    save: whether to save the match even before its first move. code: the program's exit code.
    """

    def __init__(self, reason: str, *, save: bool = False, code: int = 0) -> None:
        super().__init__(reason)
        self.save = save
        self.code = code


class Signals:
    """Ctrl-C, SIGTERM and a closing terminal: they raise QuitPlaying, but only while the program waits for the person.

    At other times a signal is only noted, so that no move, score or file is left half-done. A second Ctrl-C raises
    KeyboardInterrupt at once.
    """

    def __init__(self) -> None:
        self._waiting = self._handling_others = False
        self._noted: int | None = None

    @contextlib.contextmanager
    def caught(self) -> Iterator[None]:
        numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
        with handling(numbers, self._note):
            yield
        self._noted = None

    @contextlib.contextmanager
    def waiting(self) -> Iterator[None]:
        """Within the block the program waits for the person. Raises QuitPlaying, also for an earlier signal."""
        self._waiting = True
        try:
            self._quit_if_noted()
            yield
        finally:
            self._waiting = False

    def _note(self, number: int, frame: object) -> None:
        if self._handling_others:
            return
        if self._waiting:
            self._handle_others(number)
        if self._noted is not None and number == signal.SIGINT:
            raise KeyboardInterrupt
        self._noted = number
        if self._waiting:
            self._quit_if_noted()

    def _handle_others(self, number: int) -> None:
        """Handle other signals that have come, such as to redraw the screen: input() would call their handlers while
        the exception of this one is on its way, and Python breaks. Raising this signal again makes Python handle all.
        """
        self._handling_others = True
        try:
            signal.raise_signal(number)
        finally:
            self._handling_others = False

    def _quit_if_noted(self) -> None:
        if self._noted is not None:
            number, self._noted = self._noted, None
            raise QuitPlaying("interrupted" if number == signal.SIGINT else "told to end", code=128 + number)
