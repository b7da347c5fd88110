"""A child program that exchanges lines with us: start it, send lines, get answers within a time limit, end it cleanly.

One thread reads its standard output and another its standard error, so that the program never waits for us; both
threads end with it. This needs a system with process groups.
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
"""Lines, or parts of its output, that the program may write unasked; with one more it has failed."""
MOST_COMPLAINTS = 50
"""Lines of its standard error that are shown."""
LONGEST_COMPLAINT = 300
"""Bytes of such a line that are shown, at most."""
SECONDS_TO_END = 1.0
"""Seconds that the program has to end after goodbye."""
_CHUNK = 2**16


def to_stderr(line: str) -> None:
    """Print a line on the present `sys.stderr`."""
    with contextlib.suppress(OSError, ValueError):
        print(line, file=sys.stderr, flush=True)


class Program:
    """A running program. Every error is an AgentError; its text continues a sentence after the name: "has ended".

    command: the program's path and arguments. show: called with every line of its standard error, its name first.
    environment: variables added to ours.
    """

    def __init__(
        self,
        command: Sequence[str],
        name: str,
        show: Callable[[str], None] = to_stderr,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._name, self._show = name, show
        self._heard: queue.Queue[list[bytes] | AgentError] = queue.Queue()  # in each item, lines that came together
        self._waiting: deque[bytes] = deque()  # lines taken from the queue, and not yet returned by `answer`
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(
                command,
                bufsize=0,
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                start_new_session=True,  # keeps Ctrl-C from the program, and lets us end its children with it
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
        """Send a line. Raises AgentError when the program has ended, or its unread input has filled the pipe."""
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
        """The next line of the program. Raises AgentError when it fails, or does not answer in time."""
        end = time.monotonic() + seconds
        while not self._waiting:
            try:
                found = self._heard.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                raise AgentError(f"has not answered within {seconds:g} seconds") from None
            if isinstance(found, AgentError):
                self._heard.put(found)  # for the next call
                raise found
            self._waiting += found
        return self._waiting.popleft()

    def require_silence(self) -> None:
        """Raise AgentError when the program has written an unasked line, or has failed."""
        if self._waiting or not self._heard.empty():
            found = self.answer(0.0)
            raise AgentError(f"said something that it was not asked: {found[:60].decode(errors='replace')!a}")

    def close(self, goodbye: bytes = b"") -> None:
        """End the program and all its children. goodbye: a line to send first; the program then has a second to end."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        if goodbye:
            with contextlib.suppress(AgentError):
                self.tell(goodbye)
        process.stdin.close()
        end = time.monotonic() + (SECONDS_TO_END if goodbye else 0.0)
        while not self._has_ended() and time.monotonic() < end:
            time.sleep(0.005)
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)  # before `wait`, which frees the process number for others
        process.wait()
        for thread in self._threads:
            thread.join(
                SECONDS_TO_END
            )  # a child that left the group may hold the pipes open; the thread then dies with us
        if not any(thread.is_alive() for thread in self._threads):
            process.stdout.close()
            process.stderr.close()

    def _has_ended(self) -> bool:
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self._process.pid, options) is not None

    def _ended(self) -> AgentError:
        """The error that tells how the program has ended. WNOWAIT keeps its process number from being used again."""
        end = time.monotonic() + SECONDS_TO_END  # the output may close a moment before the program ends
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
                text = line[:LONGEST_COMPLAINT].decode(errors="replace").rstrip()
                self._show(f"{self._name}: {printable(text)}")
            elif shown == MOST_COMPLAINTS + 1:
                self._show(f"{self._name}: (more of what it writes to standard error is not shown)")


def _lines(descriptor: int) -> Iterator[bytes]:
    """The lines that arrive at a file descriptor, long ones cut, until it is closed."""
    rest = b""
    while chunk := os.read(descriptor, _CHUNK):
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines
        rest = rest[:LONGEST_COMPLAINT]
    if rest:
        yield rest
