"""A child program that exchanges lines with us."""

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
from .messages import Lines

MOST_UNASKED = 16
"""The number of lines, or parts of its output, that the program may write unasked."""
MOST_UNREAD = 1000
"""The number of lines that may wait for the program to read them, besides those that the system buffers."""
MOST_COMPLAINTS = 50
"""The number of lines of its standard error that are shown."""
LONGEST_COMPLAINT = 300
"""The most bytes of such a line that are shown."""
SECONDS_TO_END = 1.0
"""The seconds in which the program must end after the goodbye."""
_CHUNK = 2**16


def to_stderr(line: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        print(line, file=sys.stderr, flush=True)


class Program:
    """A running program. Its errors are AgentErrors with a text that follows the name, such as "has ended".

    command: the program's path and arguments. show: called with every line of its standard error. environment:
    variables in addition to ours.
    """

    def __init__(
        self,
        command: Sequence[str],
        name: str,
        show: Callable[[str], None] = to_stderr,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._name, self._show = name, show
        self._told: queue.SimpleQueue[bytes] = queue.SimpleQueue()  # an empty line closes its standard input
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
                start_new_session=True,  # keeps Ctrl-C from the program and lets us end its children with it
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # the same on Windows
                env={**os.environ, **(environment or {})},
            )
        except OSError as error:
            raise AgentError(f"cannot be started: {error.strerror or error}") from error
        self._group: int | None = self._process.pid
        work = (self._write, self._read_answers, self._read_errors)
        self._threads = [threading.Thread(target=run, daemon=True) for run in work]
        for thread in self._threads:
            thread.start()

    def tell(self, line: bytes) -> None:
        """Send a line. Raises AgentError if the program has ended or does not read earlier lines."""
        if not self._threads[0].is_alive():
            raise self._ended()
        if self._told.qsize() >= MOST_UNREAD:
            raise AgentError("does not read what it is told")
        self._told.put(line)

    def answer(self, seconds: float) -> bytes:
        """The next line of the program. Raises AgentError if it fails or does not answer in time."""
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
        """Raise AgentError if the program has written an unasked line or has failed."""
        if self._waiting or not self._heard.empty():
            found = self.answer(0.0)
            raise AgentError(f"said something that nobody asked for: {found[:60].decode(errors='replace')!a}")

    def close(self, goodbye: bytes = b"") -> None:
        """End the program and its children. goodbye: a line to send first; the program then has a second to end."""
        process = self._process
        assert process.stdout is not None
        assert process.stderr is not None
        for line in (goodbye, b"") if goodbye else (b"",):
            self._told.put(line)
        if self._wait(SECONDS_TO_END if goodbye else 0.0) is None:
            self._end_group()
            process.wait()
        for thread in self._threads:
            thread.join(SECONDS_TO_END)  # a child that left the group may keep the pipes open; it then dies with us
        if not any(thread.is_alive() for thread in self._threads):
            process.stdout.close()
            process.stderr.close()

    def _wait(self, seconds: float) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
            self._end_group()
        return self._process.returncode

    def _end_group(self) -> None:
        group, self._group = self._group, None
        if group is None:
            return
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(group, signal.SIGKILL)
            elif self._process.returncode is None:  # on Windows, only a running parent knows its children
                subprocess.run(["taskkill", "/F", "/T", "/PID", str(group)], capture_output=True, check=False)
        self._process.kill()

    def _ended(self) -> AgentError:
        code = self._wait(SECONDS_TO_END)  # the pipes may close a moment before the program ends
        if code is None:
            return AgentError("has closed its standard input or output")
        return AgentError(f"has ended, with exit code {code}" if code >= 0 else f"was ended by signal {-code}")

    def _write(self) -> None:
        assert self._process.stdin is not None
        with self._process.stdin as pipe:
            while line := self._told.get():
                try:
                    while line:
                        line = line[os.write(pipe.fileno(), line) :]
                except OSError:
                    self._heard.put(self._ended())
                    return

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
                self._heard.put(AgentError("writes too much that nobody asked for"))
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
    rest = b""
    while chunk := os.read(descriptor, _CHUNK):
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines
        rest = rest[:LONGEST_COMPLAINT]
    if rest:
        yield rest
