"""Ctrl-C, SIGTERM and a closed terminal. A run saves its work; play ends between two moves."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

EXIT_INTERRUPTED = 130


@contextlib.contextmanager
def stop_on_signals() -> Iterator[threading.Event]:
    """An event that the first SIGINT, SIGTERM or SIGHUP sets. A second one raises KeyboardInterrupt."""
    stop = threading.Event()

    def handle(number: int, frame: Any) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    with handling((signal.SIGINT, *signals_to_end()), handle):
        yield stop


def signals_to_end() -> list[signal.Signals]:
    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    return [number for number in numbers if signal.getsignal(number) not in (signal.SIG_IGN, None)]


@contextlib.contextmanager
def handling(numbers: Iterable[signal.Signals], handle: Callable[[int, Any], object]) -> Iterator[None]:
    before = {number: signal.signal(number, handle) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class QuitPlaying(Exception):
    """The person quits or the input ends. save: whether to save even a match without moves. code: the exit code."""

    def __init__(self, reason: str, *, save: bool = False, code: int = 0) -> None:
        super().__init__(reason)
        self.save = save
        self.code = code


class Signals:
    """Signals that raise QuitPlaying while the program waits for the person, and are only noted at other times.

    A second Ctrl-C raises KeyboardInterrupt at once.
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
        """Wait for the person during the block. Raises QuitPlaying for a signal, even one that came earlier."""
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
        # input() would call the handlers of other signals, such as a resize, while QuitPlaying is raised, which breaks
        # Python. Raising this signal again makes Python call all handlers now.
        self._handling_others = True
        try:
            signal.raise_signal(number)
        finally:
            self._handling_others = False

    def _quit_if_noted(self) -> None:
        if self._noted is not None:
            number, self._noted = self._noted, None
            raise QuitPlaying("interrupted" if number == signal.SIGINT else "told to end", code=128 + number)
