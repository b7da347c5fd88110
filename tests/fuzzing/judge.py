"""Runs a case in a copy of this process, which takes milliseconds, and judges its streams, files and time."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import stat
import sys
import tempfile
import threading
import unicodedata
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fuzzing.cases import Case
from fuzzing.edits import apply
from fuzzing.uses import CONFIGURATION
from fuzzing.world import replaced_parts, unchanged
from support.programs import main_of_a_child, strict_json

GIGABYTE = 2**30
PROGRESS = re.compile(
    r"(compiling|solved|stopped|ended|polished|left out: |Join with: |The tournament begins|\d+ of \d+ players)"
    r"|[\d,]+ of [\d,]+ iterations, "
)
"""How a line on standard error begins that says how far a command is."""
TELLING = ("page", "network host", "tournament", "network join")
"""Commands whose standard error has more to tell than what is wrong."""
_CODES = (0, 1, 2, 130)
_LONGEST_LINE = 1500
_FORBIDDEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


@dataclass(frozen=True)
class Finding:
    """What is wrong, the same for all cases with the same cause as far as can be told, and what was seen."""

    what: str
    seen: str


class Judge:
    """Runs cases on copies of a world. seconds: of a processor, that a command may take; refining takes 15."""

    def __init__(self, world: Path, seconds: int = 30) -> None:
        self._world = world
        self._seconds = seconds

    def findings(self, case: Case) -> list[Finding]:
        return self.judged(case)[1]

    def judged(self, case: Case) -> tuple[Ran, list[Finding]]:
        with tempfile.TemporaryDirectory(prefix="fuzzing-") as directory:
            place = Path(directory) / "world"
            _copy(self._world, place, case.use.output)
            for name, *edit in case.edits:
                apply(place / name, edit, self._world)
            before = state(place)
            ran = self._run(place, case, Path(directory))
            after = state(place)
        return ran, [*self._wrong_streams(case, ran), *_wrong_files(case, before, after)]

    def _run(self, place: Path, case: Case, directory: Path) -> Ran:
        with (
            open(directory / "out", "w+b") as out,
            open(directory / "err", "w+b") as err,
            open(directory / "in", "w+b") as typed,
        ):
            typed.write(case.typed.encode("utf-8", "surrogatepass"))
            typed.seek(0)
            child = os.fork()
            if child == 0:
                for number, stream in enumerate((typed, out, err)):
                    os.dup2(stream.fileno(), number)
                self._be_the_program(place, case)
            status, used = _wait(child, 12 * self._seconds)
            out.seek(0)
            err.seek(0)
            texts = [stream.read(2**24).decode("utf-8", "replace") for stream in (out, err)]
        return Ran(os.waitstatus_to_exitcode(status), *texts, used.ru_utime + used.ru_stime)

    def _be_the_program(self, place: Path, case: Case) -> None:
        os.setpgid(0, 0)
        variables = {"XDG_CONFIG_HOME": str(place / CONFIGURATION), **unchanged()}
        with replaced_parts():
            main_of_a_child(case.words[0], case.words[1:], variables, lambda: self._prepare(place))

    def _prepare(self, place: Path) -> None:
        import resource  # not on Windows

        os.chdir(place)
        used = int(re.search(r"VmData:\s+(\d+)", Path("/proc/self/status").read_text())[1]) * 1024  # type: ignore[index]
        resource.setrlimit(resource.RLIMIT_DATA, (used + GIGABYTE, used + GIGABYTE))
        resource.setrlimit(resource.RLIMIT_CPU, (self._seconds, self._seconds + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        warnings.resetwarnings()
        for category in (DeprecationWarning, ImportWarning, ResourceWarning):
            warnings.simplefilter("ignore", category)
        warnings.showwarning = _show_warning  # not pytest's

    def _wrong_streams(self, case: Case, ran: Ran) -> Iterator[Finding]:
        name = case.words[0]

        def finding(what: str, seen: str) -> Finding:
            return Finding(f"{name}: {what}", seen[:2000])

        if ran.code in (-signal.SIGXCPU, -signal.SIGKILL):
            yield finding(f"takes more than {self._seconds} s of a processor, or waits", ran.err)
            return
        if ran.code not in _CODES:
            yield finding(f"exit code {ran.code}; {_cause(ran.err)}", ran.err)
        lines = [line for line in ran.err.splitlines() if line and not PROGRESS.match(line)]
        if "Traceback" in ran.err:
            yield finding(f"traceback, {_cause(ran.err)}", ran.err)
        elif warning := re.search(r"^\w*Warning: .*$", ran.err, re.MULTILINE):
            yield finding(f"warning, {_cause(warning[0])}", ran.err)
        elif "internal error" in ran.err:
            yield finding(f"internal error, {_cause(ran.err)}", ran.err)
        elif len(lines) > 1 and name not in TELLING:
            yield finding("more than one line on standard error", ran.err)
        if ran.code != 0 and not ran.err and name != "best-response-multiround":
            yield finding(f"exit code {ran.code} without a word", ran.out)
        for stream, text in (("output", ran.out), ("error", ran.err)):
            if odd := {c for c in text if c not in "\n\t" and unicodedata.category(c) in _FORBIDDEN}:
                yield finding(f"{sorted(map(ascii, odd))[0]} on standard {stream}", ascii(text))
        most = _LONGEST_LINE + max(map(len, case.words))  # a complaint may repeat a word
        if max(map(len, ran.err.splitlines()), default=0) > most:
            yield finding(f"a complaint of more than {_LONGEST_LINE} characters", ran.err)
        if "--json" in case.words and ran.out:
            try:
                strict_json(ran.out)
            except ValueError as error:
                yield finding(f"no JSON, {_cause(str(error))}", ran.out)


@dataclass(frozen=True)
class Ran:
    """What a command has left: exit code, streams, seconds of a processor."""

    code: int
    out: str
    err: str
    seconds: float


def _wait(child: int, seconds: float) -> tuple[int, Any]:
    late = threading.Timer(seconds, os.kill, (child, signal.SIGKILL))
    late.start()
    _, status, used = os.wait4(child, 0)
    late.cancel()
    late.join()
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    return status, used


def _show_warning(message: Warning | str, category: type[Warning], *_: object) -> None:
    print(f"{category.__name__}: {message}", file=sys.stderr)


def _cause(text: str) -> str:
    """The last line without what differs between cases of one cause."""
    last = (text.strip().splitlines() or [""])[-1]
    last = re.sub(r"(/[^ :]+)+", "PATH", last)
    return re.sub(r"'[^']*'", "TEXT", re.sub(r"-?\d[\d.e+-]*", "N", last))[:160]


def _copy(world: Path, place: Path, output: str) -> None:
    shutil.copytree(world, place, symlinks=True, copy_function=os.link)
    for path in [place / output, *(place / output).rglob("*")] if output else ():
        if path.is_file() and not path.is_symlink():
            content = path.read_bytes()
            path.unlink()
            path.write_bytes(content)


State = dict[str, tuple[Any, ...]]


def state(place: Path) -> State:
    found: State = {}
    for path in place.rglob("*"):
        status = path.lstat()
        about = (status.st_ino, status.st_size, status.st_mtime_ns) if stat.S_ISREG(status.st_mode) else ()
        found[str(path.relative_to(place))] = (status.st_mode, *about, path.readlink() if path.is_symlink() else "")
    return found


def _wrong_files(case: Case, before: State, after: State) -> Iterator[Finding]:
    name = case.words[0]
    for path in sorted(before.keys() | after.keys()):
        if before.get(path) == after.get(path):
            continue
        if re.search(r"\.smbc-tictactoe-.*\.tmp", path) and path not in before:
            yield Finding(f"{name}: leaves a temporary file", path)
        elif not case.may_write(path):
            how = "removes" if path not in after else "writes" if path not in before else "changes"
            yield Finding(f"{name}: {how} what it was not told to", path)
