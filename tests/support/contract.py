"""How every command is used in a way that does not take long, and on what: for the tests of what they all keep to.

Their uses are the first ones of `fuzzing/uses.txt`, which needs a line for every
command. The fixtures `original` and `world` are in `tests/commands/conftest.py`.
"""

import contextlib
import errno
import importlib
import os
import re
import stat
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from unittest import mock

import click
from fuzzing import uses
from fuzzing.uses import A_ROUND, ONE, TWO
from support.programs import EXPORT, FORMULA, IMPORT, MATCH, POLISH, PROVE, ROUND, VALUES, Result, call, contents
from tictactoe.tools.command_list import module_of

SCRIPTS = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]["scripts"]
NAMES = sorted({use.words[0] for use in uses.USES})
WAYS = (ROUND, FORMULA, POLISH, PROVE, VALUES, IMPORT, EXPORT)
"""Verbs with an option that makes them do something else."""
COMMANDS = {name: importlib.import_module(f"tictactoe.tools.commands.{module_of(name)}").command for name in NAMES}
SLOW_MODULES = ("numpy", "numba", "msgpack", "msgspec", "rich", "matplotlib", "filelock")


@dataclass(frozen=True)
class Use:
    """A use of a command that does not take long, in a directory that holds the `world`; `out` is its output.
    arguments: the words after the name. reads: the files that it cannot do without; the last one of a pattern."""

    arguments: tuple[str, ...]
    reads: tuple[str, ...]

    def words(self, **replaced: str) -> list[str]:
        """The arguments, some of their names replaced."""
        words = list(self.arguments)
        for old, new in replaced.items():
            words = [new + word.removeprefix(old) if word.startswith(old) else word for word in words]
        return words


def _way_of(words: Sequence[str]) -> tuple[str, Sequence[str]]:
    """The verb or the way that a use begins with, and the words after it."""
    for way in WAYS:
        if " ".join(words).startswith(f"{way} "):
            return way, words[len(way.split()) - len(words[0].split()) + 1 :]
    return words[0], words[1:]


USES = {
    way: Use(
        tuple(word for word in words if word != "--json"),
        tuple(pattern for pattern in use.reads if "best_response" not in pattern),  # which it can do without
    )
    for use in reversed(uses.USES)
    for way, words in [_way_of(use.words)]
}
ALL = sorted(USES)


def _has(name: str, option: str) -> bool:
    return any(option in parameter.opts for parameter in COMMANDS[name.partition(" --")[0]].params)


WRITING = [name for name in ALL if "out" in USES[name].arguments]
FILES = {PROVE, EXPORT, "train-agent"}
"""Commands that write a file; the others write a directory."""
CONTINUE, NOTHING = "everything is saved; continue with: {command}", "nothing was written"
INTERRUPTED = {
    **dict.fromkeys((MATCH, ROUND, POLISH, "game solve", "tournament", "train-agent", "rules-atlas"), CONTINUE),
    **dict.fromkeys((FORMULA, "convert", IMPORT, "page"), NOTHING),
    "compare-algorithms": "no run had finished; nothing was written",
}
"""What a command says has been saved, if it can be stopped before it has done anything."""
READING = [name for name in ALL if USES[name].reads]
READING.remove("network host")  # which reads agents as tournament does, and has said more by then
WITH_JSON = [name for name in ALL if _has(name, "--json")]
SILENT = [name for name in ALL if _has(name, "--quiet")]
SILENT.remove(PROVE)  # which prints the total all the same
RESUMED = (
    (MATCH, f"-o match {ONE}", "match/solution.msgpack"),
    (MATCH, f"-o started {TWO}", "started/checkpoint_1_1.msgpack"),
    (ROUND, f"-o round {A_ROUND}", "round/snapshot_000030.msgpack"),
    (ROUND, f"-o begun {A_ROUND}", "begun/checkpoint.msgpack"),
    ("game solve", "kuhn -o game --max-iterations 40 --check-exploitability-every 10", "game/snapshot_000030.msgpack"),
    ("train-agent", "-o agent.msgpack --resume --episodes 200", "agent.msgpack"),
)
"""What the solving commands read of an output that is there already."""


def used(name: str, *more: str, **replaced: str) -> Result:
    return call(name, *USES[name].words(**replaced), *more, typed="")


def written(output: Path) -> bytes | dict[str, bytes | None]:
    return output.read_bytes() if output.is_file() else contents(output)


@cache
def expected_of(name: str) -> bytes | dict[str, bytes | None]:
    """What the command writes, called in a world, when nothing is in its way."""
    assert used(name, out="expected").code == 0
    return written(Path("expected"))


def options_of(name: str) -> list[click.Parameter]:
    return [parameter for parameter in COMMANDS[name.partition(" --")[0]].params if isinstance(parameter, click.Option)]


PROGRESS = (
    "compiling the ",
    "solved",
    "finished",
    "polished",
    "Join with: ",
    "2 of 2 players",
    "The tournament begins: ",
)
CHECK = re.compile(r"[\d,]+ of [\d,]+ iterations, ")
"""What is told at a check of the exploitability."""


def without_progress(result: Result) -> Result:
    """The result without lines of progress."""
    lines = result.err.splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith(PROGRESS) and not CHECK.match(line)]
    return Result(result.code, result.out, "".join(kept))


@contextlib.contextmanager
def at_the_file(number: int, happens: Callable[[], object]) -> Iterator[list[int]]:
    """Makes something happen when a command flushes its file of this number. Yields the count of its files."""
    sync, files = os.fsync, [0]

    def counted(descriptor: int) -> None:
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            files[0] += 1
            if files[0] == number:
                happens()
        sync(descriptor)

    with mock.patch.object(os, "fsync", counted):
        yield files


def full_disk() -> None:
    raise OSError(errno.ENOSPC, "No space left on device")
