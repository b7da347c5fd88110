"""A program that is spoken to in lines: started, told, asked within a time limit, ended, and nothing of it left behind.

Its standard output is read by a thread, and its standard error by another, so that it never waits for us; both threads
end with it. For systems that have process groups.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence

from ..errors import AgentError, printable
from .lines import Lines

MOST_UNASKED = 16
"""Lines, or parts of its output, that it may be ahead of its questions; then it is not listened to any more."""
MOST_COMPLAINTS = 50
"""Lines of its standard error that are shown; each as far as it has COMPLAINT characters."""
COMPLAINT = 300
GOODBYE = 1.0
"""Seconds that it has to end when it is told to."""
_CHUNK = 2**16


def to_stderr(line: str) -> None:
    """Print a line on standard error, whatever that is now."""
    with contextlib.suppress(OSError, ValueError):
        print(line, file=sys.stderr, flush=True)


class Program:
    """A running program. Every error is an AgentError whose text goes on after the program's name: "has ended".

    command: its path and arguments. show: gets the lines of its standard error, its name before them. environment: what
    it finds besides ours.
    """

    def __init__(
        self,
        command: Sequence[str],
        name: str,
        show: Callable[[str], None] = to_stderr,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._name, self._show = name, show
        self._heard: queue.Queue[list[bytes] | AgentError] = queue.Queue()  # the lines that came together
        self._waiting: deque[bytes] = deque()  # of these, what has not been asked for yet
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(
                command,
                bufsize=0,
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                start_new_session=True,  # so that Ctrl-C is ours, and whatever it starts can be ended with it
                env={**os.environ, **(environment or {})},
            )
        except OSError as error:
            raise AgentError(f"cannot be started: {error.strerror or error}") from error
        assert self._process.stdin is not None
        os.set_blocking(self._process.stdin.fileno(), False)
        self._threads = [threading.Thread(target=run, daemon=True) for run in (self._read_answers, self._read_errors)]
        for thread in self._threads:
            thread.start()

    def tell(self, line: bytes) -> None:
        """Send a line. AgentError when it has ended, or has not read for so long that there is no room left."""
        assert self._process.stdin is not None
        try:
            written = os.write(self._process.stdin.fileno(), line)
        except BlockingIOError:
            written = 0
        except OSError as error:
            raise self._ended() from error
        if written < len(line):
            raise AgentError("does not read what it is told")

    def answer(self, seconds: float) -> bytes:
        """The next line that it says. AgentError when there is none within the time."""
        end = time.monotonic() + seconds
        while not self._waiting:
            try:
                found = self._heard.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                raise AgentError(f"has not answered within {seconds:g} seconds") from None
            if isinstance(found, AgentError):
                self._heard.put(found)  # which it stays
                raise found
            self._waiting += found
        return self._waiting.popleft()

    def require_silence(self) -> None:
        """Raises AgentError when it has said more than it was asked, or has failed."""
        if self._waiting or not self._heard.empty():
            found = self.answer(0.0)
            raise AgentError(f"said something that it was not asked: {found[:60].decode(errors='replace')!a}")

    def close(self, goodbye: bytes = b"") -> None:
        """End it, and all that it has started. goodbye: what it is told before; it then has a second to go."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        if goodbye:
            with contextlib.suppress(AgentError):
                self.tell(goodbye)
        process.stdin.close()
        end = time.monotonic() + (GOODBYE if goodbye else 0.0)
        while not self._has_ended() and time.monotonic() < end:
            time.sleep(0.005)
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)  # before it is waited for: its number is not given away until then
        process.wait()
        for thread in self._threads:
            thread.join(GOODBYE)  # what has left its group may hold the pipes open; the thread dies with us then
        if not any(thread.is_alive() for thread in self._threads):
            process.stdout.close()
            process.stderr.close()

    def _has_ended(self) -> bool:
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self._process.pid, options) is not None

    def _ended(self) -> AgentError:
        """How it has ended; it is not taken from the system's list here, so that its number stays its own."""
        end = time.monotonic() + GOODBYE  # its output can be closed a moment before it is gone
        while time.monotonic() < end:
            try:
                found = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:  # `close` was faster
                return AgentError("has ended")
            if found is None:
                time.sleep(0.005)
            elif found.si_code == os.CLD_EXITED:
                return AgentError(f"has ended, with exit code {found.si_status}")
            else:
                return AgentError(f"was ended by signal {found.si_status}")
        return AgentError("has closed its standard input or output")

    def _read_answers(self) -> None:
        assert self._process.stdout is not None
        said = Lines()
        while chunk := os.read(self._process.stdout.fileno(), _CHUNK):
            try:
                lines = list(said.of(chunk))
            except ValueError as error:
                self._heard.put(AgentError(f"said {error}"))
                return
            if len(lines) > MOST_UNASKED or self._heard.qsize() > MOST_UNASKED:
                self._heard.put(AgentError("says much that it was not asked"))
                return
            if lines:
                self._heard.put(lines)
        self._heard.put(self._ended())

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        for shown, line in enumerate(_lines(self._process.stderr.fileno()), 1):
            if shown <= MOST_COMPLAINTS:
                text = line[:COMPLAINT].decode(errors="replace").rstrip()
                self._show(f"{self._name}: {printable(text)}")
            elif shown == MOST_COMPLAINTS + 1:
                self._show(f"{self._name}: (more of what it writes to standard error is not shown)")


def _lines(descriptor: int) -> Iterator[bytes]:
    """The lines that come from there, long ones cut, until it is closed."""
    rest = b""
    while chunk := os.read(descriptor, _CHUNK):
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines
        rest = rest[:COMPLAINT]
    if rest:
        yield rest
