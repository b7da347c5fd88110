"""A program on a pseudo-terminal, of 80 columns and 24 lines: what it has written there, and what its screen shows."""

from __future__ import annotations

import io
import re
import time

import pexpect
import pyte
from support.programs import environment, main_of_a_child, program

ROWS, COLUMNS = 24, 80
ESCAPE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")


class Terminal:
    """The program's process is `child`; `raw` is all of its output that has been read.

    started: as an installed program; otherwise it is a copy of this process, which needs no second to start.
    """

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
        self.child = pexpect.spawn(
            program(name),
            [str(argument) for argument in arguments],
            dimensions=(rows, columns),
            encoding="utf-8",
            env=environment(**variables),
            preexec_fn=None if started else lambda: main_of_a_child(name, arguments, variables, lambda: None),
            timeout=60,
        )
        self.child.logfile_read = self._log

    @property
    def raw(self) -> str:
        return self._log.getvalue()

    def text(self) -> str:
        """The screen."""
        self._stream.feed(self.raw[self._shown :])
        self._shown = len(self.raw)
        return "\n".join(line.rstrip() for line in self.screen.display)

    def until(self, pattern: str) -> str:
        """Read until the screen shows the pattern; the screen."""
        end = time.monotonic() + 30
        while not re.search(pattern, self.text()):
            assert time.monotonic() < end, self.text()
            self._read(0.03)
        self._read(0.02)
        return self.text()

    def talk(self, *exchanges: tuple[str, str]) -> None:
        """Type each line, and wait until the screen shows the answer."""
        for line, answer in exchanges:
            self.child.sendline(line)
            self.until(answer)

    def resize(self, rows: int, columns: int) -> None:
        self.child.setwinsize(rows, columns)
        self.screen.resize(rows, columns)

    def finish(self) -> tuple[int, str]:
        """Wait for the end; the exit code, and all of the output."""
        self.child.expect(pexpect.EOF)
        self.child.close()
        assert self.child.signalstatus is None
        return self.child.exitstatus, self.raw

    def _read(self, seconds: float) -> None:
        self.child.expect([pexpect.TIMEOUT, pexpect.EOF], timeout=seconds)


def lines_of(output: str) -> list[str]:
    """Each line as it was meant, without escape sequences: a line that is longer was broken by the terminal."""
    return [line.rstrip() for line in re.split(r"[\r\n]+", ESCAPE.sub("\r", re.sub(r"\x1b\[[0-9;]*m", "", output)))]


def too_wide(output: str, columns: int = COLUMNS) -> list[str]:
    return [line for line in lines_of(output) if len(line) > columns]


def panel(shown: str) -> str:
    """What stands beside the board of a round, tall or small, as one line."""
    beside = 31 if "-------+" in shown else 22
    return " ".join(" ".join(line[beside:] for line in shown.splitlines()).split())
