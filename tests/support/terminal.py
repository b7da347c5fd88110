"""A program on a pseudo-terminal of 80 columns and 24 lines: its output, and its screen."""

import io
import re
import signal
import time
from collections.abc import Callable
from itertools import count

import pyte
import pytest
from support.programs import environment, main_of_a_child, program
from support.waiting import HANGS

pexpect = pytest.importorskip("pexpect", reason="no pseudo-terminals on Windows")

ROWS, COLUMNS = 24, 80
ESCAPE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
PROMPT = re.compile(r"^((Your move|Enter)\b.*: |Quit\? \(y/n\)[ \n]|explore> |.*\bquit\)\n)\Z", re.M)
"""What stands left of the cursor while a line is waited for; with a new line, as of --plain."""


class Terminal:
    """The program's process is `child`; `raw` is all of its output that has been read. started: as an installed
    program; otherwise it is a copy of this process, which needs no second to start."""

    def __init__(
        self,
        name: str,
        *arguments: object,
        started: bool = False,
        rows: int = ROWS,
        columns: int = COLUMNS,
        **variables: str,
    ) -> None:
        variables = {"TERM": "xterm-256color", **variables}
        self._log = io.StringIO()
        self._shown = 0
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.Stream(self.screen)
        first, *more = program(name)
        self.child = pexpect.spawn(
            first,
            [*more, *map(str, arguments)],
            dimensions=(rows, columns),
            encoding="utf-8",
            env=environment(**variables),
            preexec_fn=None if started else lambda: main_of_a_child(name, arguments, variables, lambda: None),
            timeout=HANGS,
        )
        self.child.logfile_read = self._log
        self.child.delaybeforesend = None  # no line is typed before it is asked for
        self.ended = False

    @property
    def raw(self) -> str:
        return self._log.getvalue()

    def text(self) -> str:
        self._stream.feed(self.raw[self._shown :])
        self._shown = len(self.raw)
        return "\n".join(line.rstrip() for line in self.screen.display)

    def until(self, pattern: str, in_silence: Callable[[], object] = lambda: None) -> str:
        """Read until the screen shows the pattern; the screen. For what comes by itself: after a line, see `enter`."""
        return self._wait(lambda: re.search(pattern, self.text()) is not None, pattern, in_silence)

    def written(self, pattern: str, since: int) -> None:
        """Read until the pattern stands in what has been written after so many characters of `raw`."""
        self._wait(lambda: re.search(pattern, self.raw[since:]) is not None, pattern)

    def asks(self) -> bool:
        """Whether the program waits for a line: the cursor, not only some earlier line, stands behind a prompt."""
        lines, cursor = self.text().split("\n"), self.screen.cursor
        return PROMPT.search("\n".join([*lines[: cursor.y], self.screen.display[cursor.y][: cursor.x]])) is not None

    def asked(self) -> str:
        """The screen when the program waits for a line, or has ended."""
        return self._wait(lambda: self.ended or self.asks(), "a prompt")

    def enter(self, line: str, pattern: str = "") -> str:
        """Type a line when one is asked for; the screen when it is answered, on which the pattern must be. It is
        answered when the program asks again, or has ended. The old prompt still stands there after the line has been
        sent, until its echo has been read: until then, nothing on the screen counts. The echo ends with a new line,
        also that of Enter alone."""
        self._wait(self.asks, "a prompt")
        sent = len(self.raw)
        self.child.sendline(line)
        self._wait(lambda: self.ended or "\n" in self.raw[sent:], f"the echo of {line!r}")
        shown = self.asked()
        assert re.search(pattern, shown), f"{pattern} after {line!r}:\n{shown}"
        return shown

    def talk(self, *exchanges: tuple[str, str]) -> str:
        """Type each line, and wait until the screen shows the answer; the last screen."""
        for line, answer in exchanges:
            self.enter(line, answer)
        return self.text()

    def resize(self, rows: int, columns: int) -> None:
        """The screen keeps its last lines, and the cursor stays in the one where it is."""
        self.child.setwinsize(rows, columns)
        lost = max(self.screen.lines - rows, 0)
        self.screen.resize(rows, columns)
        self.screen.cursor.y = max(self.screen.cursor.y - lost, 0)

    def redrawn(self, rows: int, columns: int, pattern: str) -> str:
        """The screen when it has been drawn again for another size. Python may overlook a signal: it is sent again."""
        self.screen.reset()
        self.resize(rows, columns)
        return self.until(pattern, lambda: self.child.kill(signal.SIGWINCH))

    def interrupt(self) -> tuple[int, str]:
        """Press Ctrl-C, and wait for the end; the exit code, and all of the output. Python's input overlooks a signal
        just before it starts to wait, when the terminal has echoed it already. So this presses again after ten silent
        seconds; after words of the program, which a busy machine ends slowly, not before forty."""
        before, seconds = len(self.raw), count(1)
        self.child.sendintr()

        def again() -> None:
            heard = ESCAPE.sub("", self.raw[before:]).replace("^C", "").strip()
            if next(seconds) % (40 if heard else 10) == 0:
                self.child.sendintr()

        self._wait(lambda: self.ended, "the end", again)
        return self.finish()

    def finish(self) -> tuple[int, str]:
        """Wait for the end; the exit code, and all of the output."""
        self._wait(lambda: self.ended, "the end")
        self.child.wait()
        self.child.close()
        assert self.child.signalstatus is None
        return self.child.exitstatus, self.raw

    def _wait(self, fact: Callable[[], bool], what: str, in_silence: Callable[[], object] = lambda: None) -> str:
        """Read until the fact is true; the screen. in_silence: what to do when nothing has come for a second."""
        end = time.monotonic() + HANGS
        while not fact():
            assert time.monotonic() < end, f"waited for {what}:\n{self.text()}"
            assert not self.ended, f"ended before {what}:\n{self.text()}"
            if not self._read(1.0):
                in_silence()
        return self.text()

    def _read(self, seconds: float) -> bool:
        """Whether the program writes something, at most so many seconds later."""
        try:
            self.child.read_nonblocking(1 << 16, timeout=seconds)
        except pexpect.TIMEOUT:
            return False
        except pexpect.EOF:
            self.ended = True
        return True


def lines_of(output: str) -> list[str]:
    """Each line as it was meant, without escape sequences: a line that is longer was broken by the terminal."""
    return [line.rstrip() for line in re.split(r"[\r\n]+", ESCAPE.sub("\r", re.sub(r"\x1b\[[0-9;]*m", "", output)))]


def too_wide(output: str, columns: int = COLUMNS) -> list[str]:
    return [line for line in lines_of(output) if len(line) > columns]


def panel(shown: str) -> str:
    """What stands beside the board of a round, tall or small, as one line."""
    beside = 31 if "-------+" in shown else 22
    return " ".join(" ".join(line[beside:] for line in shown.splitlines()).split())
