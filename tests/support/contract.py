"""How every command is used in a way that does not take long, and on what: for the tests of what they all keep to.

The commands are those of pyproject.toml: a new one fails until it is said here how it is used.
"""

from __future__ import annotations

import importlib
import os
import shlex
import shutil
import signal
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from unittest import mock

import click
import pytest
from oracle.matches import SHORT_RULE, short_rounds, solve
from support.certifying import CLOSED_FORMS
from support.ended_tournament import EndedTournament
from support.programs import MATCH, ONE_POINT, ROUND, SHORT, Result, call, contents

from tictactoe.games.tic_tac_toe_tree import GameTree

SCRIPTS: dict[str, str] = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"][
    "scripts"
]
COMMANDS: dict[str, click.Command] = {
    name: importlib.import_module(place.partition(":")[0]).command for name, place in SCRIPTS.items()
}
NAMES = sorted(SCRIPTS)
SLOW_MODULES = ("numpy", "numba", "msgpack", "msgspec", "rich", "matplotlib", "filelock")

RECORD, SNAPSHOT = "match/solution.msgpack", "match/subgame_0_0/snapshot_*.msgpack"
CONTINUE = "everything is saved, continue with: {command}"
TARGET = "--maximum-subgame-exploitability"
ONE, A_ROUND = " ".join(ONE_POINT), " ".join(SHORT)


@dataclass(frozen=True)
class Use:
    """A use of a command that does not take long, in a directory that holds the `world`; `out` is its output.

    reads: the files that it cannot do without; the last one of a pattern. kind: of its output. interrupted: what it
    says has been saved, if it can be stopped before it has done anything.
    """

    arguments: str
    reads: tuple[str, ...] = (RECORD, SNAPSHOT)
    kind: str = ""
    interrupted: str = ""

    def words(self, **replaced: str) -> list[str]:
        """The arguments, with other names for some that are in them."""
        words = shlex.split(self.arguments)
        for old, new in replaced.items():
            words = [new + word.removeprefix(old) if word.startswith(old) else word for word in words]
        return words


USES = {
    MATCH: Use(f"-o out {ONE} --jobs 1", (), "directory", CONTINUE),
    ROUND: Use(f"-o out {A_ROUND} --score 0 0 --values-from match", (RECORD,), "directory", CONTINUE),
    "polish-multiround": Use(
        "-s short -o out --jobs 1",
        ("short/solution.msgpack", "short/subgame_0_0/snapshot_*.msgpack"),
        "directory",
        CONTINUE,
    ),
    "solve-by-formula": Use(
        "-o out --winning-score 1 --rules filled-tie --jobs 1", (), "directory", "nothing was written"
    ),
    "match-values": Use("", ()),
    "best-response-multiround": Use("-s match"),
    "best-response-subgame": Use("-s match/subgame_0_0 --save false", (SNAPSHOT,)),
    "head-to-head": Use("-s match -s uniform"),
    "tournament": Use("match uniform --sample --matches 2 -o out", (RECORD, SNAPSHOT), "directory", CONTINUE),
    "compare-algorithms": Use(
        "-o out --algorithm pdcfr+ --budget 2 --no-plot --score 0 0 --values-from match",
        (RECORD,),
        "directory",
        "no run had ended, nothing is written",
    ),
    "train-agent": Use("-o out --episodes 300 --opponent uniform --seed 1", (), "file", CONTINUE),
    "plot-learning": Use("agent.msgpack -o out.svg", ("agent.msgpack",)),
    "compact-solution": Use("-s match -o out", kind="directory", interrupted="nothing was written"),
    "import-solution": Use("table.csv -o out", ("table.csv",), "directory", "nothing was written"),
    "export-strategy": Use("-s match -o out --format csv --reachable-only", kind="file"),
    "certify": Use(
        "-s closed -o out --jobs 1", ("closed/solution.msgpack", "closed/subgame_0_0/snapshot_*.msgpack"), "file"
    ),
    "plot-solution": Use("-s match -o out --format svg", kind="directory"),
    "rules-atlas": Use(
        f"-o out --rules {SHORT_RULE} --winning-score 1 {TARGET} 0.01 --jobs 1 --no-plot", (), "directory", CONTINUE
    ),
    "play-multiround": Use("-s match --auto --seed 1"),
    "play-subgame": Use("-s match/subgame_0_0 --seed 1", (SNAPSHOT,)),
    "review": Use("match.jsonl -s match", ("match.jsonl", RECORD, SNAPSHOT)),
    "analyse": Use("match.jsonl -s match", ("match.jsonl", RECORD, SNAPSHOT)),
    "explore": Use("-s match --position '0-0 ww 5'"),
    "play-browser": Use("-s match --no-open", (RECORD,)),
    "referee": Use("--listen 127.0.0.1:0 --agent shipped --agent uniform --players 2 --matches 1 --seed 1", ()),
    "join": Use("127.0.0.1:8080 --name Ann --patience 0", ()),
    "build-page": Use("-s match -o out", kind="directory", interrupted="nothing was written"),
    "tictactoe": Use("", ()),
}
WRITING = [name for name, use in USES.items() if use.kind]
READING = [name for name, use in USES.items() if use.reads]
WITH_JSON = [name for name in NAMES if any("--json" in parameter.opts for parameter in COMMANDS[name].params)]
SILENT = [name for name in NAMES if any("--quiet" in parameter.opts for parameter in COMMANDS[name].params)]
SILENT.remove("certify")  # which prints the total all the same
RESUMED = (
    (MATCH, f"-o match {ONE}", RECORD),
    (MATCH, f"-o started {ONE}", "started/checkpoint_0_0.msgpack"),
    (ROUND, f"-o round {A_ROUND}", "round/snapshot_000030.msgpack"),
    (ROUND, f"-o begun {A_ROUND}", "begun/checkpoint.msgpack"),
    ("train-agent", "-o agent.msgpack --continue --episodes 200", "agent.msgpack"),
)
"""What the solving commands read of an output that is there already."""


@pytest.fixture(scope="module", autouse=True)
def _no_visitors() -> Iterator[None]:
    """play-browser serves until it is told to end: here it ends as soon as it has begun."""
    with mock.patch("tictactoe.browser.server.PageServer.serve_forever"):
        yield


@pytest.fixture(scope="module", autouse=True)
def _a_referee() -> Iterator[None]:
    with mock.patch("tictactoe.agents.client.connected", EndedTournament):
        yield


@pytest.fixture(scope="module", autouse=True)
def _short_rounds() -> Iterator[None]:
    with short_rounds():
        yield


@pytest.fixture(scope="module", autouse=True)
def _a_terminal_that_may_close() -> Iterator[None]:
    """Also where the tests are run with nohup, which programs respect."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A solved match to 1 and one in progress, one of short rounds, a solved round and one in progress, a table."""
    world = tmp_path_factory.mktemp("contract")
    assert call(MATCH, "-o", world / "match", "--quiet", *ONE_POINT).code == 0
    assert call(MATCH, "-o", world / "started", "--quiet", *ONE_POINT, "--max-iterations", "10").code == 1
    assert call(ROUND, "-o", world / "round", "--quiet", *SHORT).code == 0
    assert call(ROUND, "-o", world / "begun", "--quiet", *SHORT, "--iterations", "20").code == 0
    (world / "begun" / "snapshot_000020.msgpack").rename(world / "begun" / "checkpoint.msgpack")
    assert call("export-strategy", "-s", world / "match", "-o", world / "table.csv", "--quiet").code == 0
    assert call("play-multiround", "-s", world / "match", "--auto", "--transcript", world / "match.jsonl").code == 0
    assert call("train-agent", "-o", world / "agent.msgpack", "--quiet", "--episodes", "150").code == 0
    shutil.copytree(CLOSED_FORMS / "match_to_1", world / "closed")
    solve(GameTree.build(SHORT_RULE), world / "short", 1, 1e-3)
    (world / "afile").write_bytes(b"mine")
    (world / "adirectory").mkdir()
    return world


@pytest.fixture
def world(original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory: the same files (which programs replace, and do not change)."""
    world = tmp_path / "world"
    shutil.copytree(original, world, copy_function=os.link)
    monkeypatch.chdir(world)
    return world


def used(name: str, *more: str, **replaced: str) -> Result:
    """The command in its short use."""
    return call(name, *USES[name].words(**replaced), *more, typed="")


def written(output: Path) -> bytes | dict[str, bytes | None]:
    return output.read_bytes() if output.is_file() else contents(output)


@cache
def expected_of(name: str) -> bytes | dict[str, bytes | None]:
    """What the command writes, called in a world, when nothing is in its way."""
    assert used(name, out="expected").code == 0
    return written(Path("expected"))


def options_of(name: str) -> list[click.Parameter]:
    return [parameter for parameter in COMMANDS[name].params if isinstance(parameter, click.Option)]


PROGRESS = ("solved", "ended", "polished", "Join with: ", "2 of 2 players", "The tournament begins: ")


def without_progress(result: Result) -> Result:
    """As if nothing had been said of what was going on."""
    kept = [line for line in result.err.splitlines(keepends=True) if not line.startswith(PROGRESS)]
    return Result(result.code, result.out, "".join(kept))
