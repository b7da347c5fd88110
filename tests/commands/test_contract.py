"""What every command keeps to, whatever it does: help, mistakes in the options, inputs, outputs, streams, interruption.

The commands are those of pyproject.toml: a new one fails here until it is said how it is used.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import itertools
import os
import random
import resource
import shlex
import shutil
import signal
import stat
import subprocess
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import click
import pytest
from oracle.matches import SHORT_RULE, short_rounds, solve
from support.certifying import CLOSED_FORMS
from support.programs import (
    MATCH,
    ONE_POINT,
    ROUND,
    SHORT,
    Result,
    as_nobody,
    call,
    call_in_a_child,
    complaint,
    contents,
    environment,
    json_of,
    open_to_everybody,
    program,
    with_version,
)

from tictactoe.agents.messages import Quit, Welcome
from tictactoe.games.tic_tac_toe_tree import GameTree
from tictactoe.storage.file_format import read_file, write_file

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


class _EndedTournament:
    """What `join` finds: a referee that says hello and goodbye."""

    def __init__(self, *_: object) -> None:
        self._says = [Welcome("Ann", "token", 60.0), Quit("the tournament is over")]

    def send(self, message: object) -> None: ...
    def close(self) -> None: ...
    def receive(self) -> Welcome | Quit:
        return self._says.pop(0)


@pytest.fixture(scope="module", autouse=True)
def _a_referee() -> Iterator[None]:
    with mock.patch("tictactoe.agents.client.connected", _EndedTournament):
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


def test_every_command_is_covered() -> None:
    """A command that is added to pyproject.toml must be added to USES."""
    assert sorted(USES) == NAMES


# --- help and mistakes in the options


@pytest.mark.parametrize("name", NAMES)
def test_help(name: str, tmp_path: Path) -> None:
    """Of the installed program: quick, with examples and every option, and nothing slow is imported for it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [program(name), "--help"],
        capture_output=True,
        text=True,
        env=environment(PYTHONPROFILEIMPORTTIME="1"),
        timeout=300,
        check=False,
        cwd=tmp_path,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0
    assert after.ru_utime - before.ru_utime < 1.0, "seconds of one processor; usually less than 0.2"
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert "click" in imported
    assert imported.isdisjoint(SLOW_MODULES)
    assert f"\n  {name}" in done.stdout, "an example"
    words = done.stdout.replace(",", " ").split()
    for option in options_of(name):
        assert set(option.opts) <= set(words)
        assert getattr(option, "help", None)
    assert max(map(len, done.stdout.splitlines())) <= 100
    assert call(name, "-h").out == done.stdout


@pytest.mark.parametrize("name", NAMES)
def test_version(name: str) -> None:
    """One line; and --help knows of it."""
    version = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]["version"]
    assert call(name, "--version") == Result(0, f"{name} {version} (smbc-tictactoe)\n", "")
    assert "--version" in call(name, "--help").out


@pytest.mark.parametrize("name", NAMES)
def test_usage_errors(name: str, world: Path) -> None:
    """Unknown options, surplus words, values that are missing or that flags do not take."""
    before = contents(world)
    unknown = complaint(used(name, "--nonsense"), 2, name)
    assert unknown.startswith(f"{name}: No such option '--nonsense'.")
    takes_files, takes_agents = name in ("analyse", "plot-learning"), name == "tournament"
    surplus = complaint(used(name, "surplus"), 1 if takes_files or takes_agents else 2, name)
    if takes_files:  # as many as there are
        assert surplus == f"{name}: surplus: cannot be read: No such file or directory"
    elif takes_agents:
        assert surplus.startswith(f"{name}: 'surplus' names no agent; ")
    elif name != "tictactoe":  # which takes it for a command; test_all_commands.py has what it says
        assert surplus == f"{name}: Got unexpected extra argument (surplus) (see {name} --help)"
    for option in options_of(name):
        assert isinstance(option, click.Option)
        for spelt in option.opts:
            if option.is_flag:
                expected = f"Option '{spelt}' does not take a value." if spelt.startswith("--") else None
                line = complaint(used(name, f"{spelt}=1"), 2, name)
            else:
                number = "an argument" if option.nargs == 1 else f"{option.nargs} arguments"
                expected = f"Option '{spelt}' requires {number}."
                line = complaint(used(name, spelt), 2, name)
            assert expected is None or line == f"{name}: {expected} (see {name} --help)"
        if option.required:
            assert f"{name}: Missing option '" in complaint(call(name, *USES[name].words()[:1]), 2, name) or name
    assert contents(world) == before


BAD_VALUES = {
    "count": ("", " ", "x", "nan", "inf", "-1", "1.5", "1e3", "0x10", "1,5", "1_0", "\u0661", "9" * 30, "9" * 5000),
    "number": ("", " ", "x", "nan", "inf", "-inf", "Infinity", "1,5", "0x10", "1e999", "0.0_1", "0.\u0661", "9" * 5000),
    "true|false": ("", " ", "maybe", "2", "nan"),
    "choice": ("", "nonsense", "nan"),
    "directory": ("", "a\0b", "afile"),
    "file": ("", "a\0b", "adirectory"),
    "path": ("", "a\0b"),
    "text": ("", "a\0b"),
    "address": ("", " ", "x", "127.0.0.1", ":80", "x:", "x:y", "x:-1", "x:65536", "x:1.5", "::1", "a b:80", "x\0:80"),
    "cluster": (
        "",
        " ",
        "x",
        "local:",
        "local:0",
        "local:1.5",
        "local:10000",
        "tcp://",
        ":80",
        "x:",
        "x:65536",
        "x\0:80",
    ),
    "list": ("", "x", "nan", "-1", "1.5", "1e3", "9" * 30, ",", "1,", ",1", "1,,2", "1;2", "1,-2", "1,nan"),
    "budget": ("", "x", "nan", "0", "-1", "1e16", "5 minutes", "0s", "1.5"),
    "NAME=PLAYER": ("", "=", "Bot", "Bot=", "=perfect", "Bot=a\0b"),
    "win:lose:tie": (
        "",
        "1",
        "1:1",
        "1:1:1:1",
        "1:1:-1",
        "0:0:0",
        "1:1:0.5",
        "a:b:c",
        "1:1:1000001",
        "1 1 1",
        "9" * 5000,
    ),
}
FREE = {"names", "position", "iteration"}
"""Texts that the commands themselves read."""


@pytest.mark.parametrize("name", NAMES)
def test_values_that_are_refused(name: str, world: Path) -> None:
    """Of every option with a type, in a line that names it."""
    before = contents(world)
    for option in options_of(name):
        if getattr(option, "is_flag", False) or (option.type.name not in BAD_VALUES and option.name in FREE):
            continue
        named = " / ".join(f"'{spelt}'" for spelt in option.opts)
        for value in BAD_VALUES[option.type.name]:
            for place in range(option.nargs):
                values = ["0"] * option.nargs
                values[place] = value
                line = complaint(used(name, option.opts[0], *values), 2, name)
                assert line.startswith(f"{name}: Invalid value for {named}: "), (line, value)
    assert contents(world) == before


RANGES: tuple[tuple[str, str, float, float], ...] = (
    (MATCH, "--winning-score", 1, 100),
    (MATCH, "--jobs", 1, 1024),
    (MATCH, "--max-iterations", 1, 10**9),
    (MATCH, "--check-exploitability-every", 1, 10**9),
    (MATCH, "--discount-alpha", 0.0, 20.0),
    (MATCH, "--discount-beta", -20.0, 20.0),
    (MATCH, "--discount-gamma", 0.0, 20.0),
    (MATCH, "--schedule-horizon", 1.0, 1e9),
    (MATCH, "--small-move-epsilon", 0.0, 1.0),
    (MATCH, "--small-move-epsilon-decay", 0.0, 1.0),
    (ROUND, "--iterations", 1, 10**9),
    (ROUND, "--seed", 0, 2**63 - 1),
    ("rules-atlas", "--winning-score", 1, 100),
    ("rules-atlas", "--jobs", 1, 1024),
    ("head-to-head", "--winning-score", 1, 100),
    ("import-solution", "--winning-score", 1, 100),
    ("solve-by-formula", "--winning-score", 1, 100),
    ("solve-by-formula", "--jobs", 1, 1024),
    ("match-values", "--winning-score", 1, 10_000),
    ("match-values", "--digits", 1, 10_000),
    ("train-agent", "--episodes", 1, 10**12 - 1),
    ("train-agent", "--epsilon", 0.0, 1.0),
    ("train-agent", "--epsilon-end", 0.0, 1.0),
    ("train-agent", "--epsilon-episodes", 0, 10**12 - 1),
    ("train-agent", "--seed", 0, 2**63 - 1),
    ("compact-solution", "--bits", 8, 52),
    ("compact-solution", "--smallest", 0.0, 0.1),
    ("compare-algorithms", "--seeds", 1, 1000),
    ("compare-algorithms", "--perturbations", 1, 1000),
    ("compare-algorithms", "--jobs", 1, 1024),
    ("play-browser", "--port", 1, 65535),
    ("analyse", "--worst", 0, 10**6),
    ("tournament", "--winning-score", 1, 100),
    ("tournament", "--matches", 1, 10**6),
    ("tournament", "--seed", 0, 2**63 - 1),
    ("referee", "--players", 2, 1000),
    ("referee", "--matches", 1, 10**6),
    ("referee", "--winning-score", 1, 100),
)


@pytest.mark.parametrize(("name", "option", "least", "most"), RANGES)
def test_the_ends_of_ranges(name: str, option: str, least: float, most: float) -> None:
    """What is just outside is refused, by a line with both ends."""
    step = 1 if isinstance(least, int) else 0.5
    for value in (least - step, most + step):
        expected = f"Invalid value for '{option}': {value} is not in the range {least}<=x<={most}."
        assert complaint(call(name, option, value), 2, name) == f"{name}: {expected} (see {name} --help)"


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        (MATCH, f"{TARGET} -0.0", f"'{TARGET}': -0.0 is not in the range x>0.0."),
        (
            MATCH,
            f"{TARGET} 1e-999",
            f"'{TARGET}': '1e-999' is not 0, but too small for a computer's numbers; give 0, or a larger number",
        ),
        (MATCH, "--jobs 1.5", "'--jobs': '1.5' is not a valid whole number."),
        (MATCH, "--discount-gamma nan", "'--discount-gamma': 'nan' is not a finite number"),
        (MATCH, "--discount-gamma 0_1", "'--discount-gamma': '0_1' is not a number, such as 2.3 or 1e-6"),
        (MATCH, "--winning-score \u0665", "'--winning-score': '\u0665' is not a valid whole number."),
        (MATCH, "--alternate-updates ''", "'--alternate-updates': '' is not true or false"),
        (MATCH, "-o ''", "'-o' / '--output': the name is empty"),
        (MATCH, "-o afile", "'-o' / '--output': Directory 'afile' is a file."),
        (ROUND, "--outcome-values 0 1 1e101 0", "'--outcome-values': 1e+101 is not in the range -1e+100<=x<=1e+100."),
        ("polish-multiround", "--keep 1 -1", "'--keep': -1 is not in the range 0<=x<=1000000000."),
        ("import-solution", "'' -o out", "'INPUT': the name is empty"),
        ("certify", "-o adirectory", "'-o' / '--output': File 'adirectory' is a directory."),
    ],
)
def test_what_a_usage_error_says(name: str, arguments: str, expected: str, world: Path) -> None:
    """Which option it is, and what is wrong with it."""
    line = complaint(call(name, *shlex.split(arguments)), 2, name)
    assert line == f"{name}: Invalid value for {expected} (see {name} --help)"


# --- inputs


@pytest.mark.parametrize("name", READING)
def test_inputs_that_are_not_there(name: str, world: Path) -> None:
    """A line that names them, also when the name is strange, or that of something else."""
    before = contents(world)
    for missing in ("missing", "afile", "afile/below", "adirectory", "é [bold]", "x" * 5000):
        result = used(
            name, match=missing, short=missing, closed=missing, **{"table.csv": missing, "agent.msgpack": missing}
        )
        assert result.code in ((1, 2) if missing == "afile" else (1,)), result
        assert missing in complaint(result, result.code, name)
        assert "\n" not in complaint(result, result.code, name)
    assert contents(world) == before


def damages(path: Path, other_kind: bytes) -> Iterator[tuple[str, bytes]]:
    """A file's bytes, made unusable in every way, and the name of the way."""
    data = path.read_bytes()
    yield "empty", b""
    yield "foreign", b"\x89PNG\r\n\x1a\n" + bytes(1000)
    yield "text", b"not what you think\n" * 100
    for length in (1, 20, len(data) // 2, len(data) - 20):
        yield f"truncated to {length}", data[:length]
    if path.suffix != ".msgpack":
        return
    yield "without its last byte", data[:-1]
    generator = random.Random(7)
    places = [0, 5, 20, 28, *(generator.randrange(len(data)) for _ in range(3)), len(data) - 34, len(data) - 1]
    for place in places:
        flipped = bytearray(data)
        flipped[place] ^= 1 << generator.randrange(8)
        yield f"flipped at {place}", bytes(flipped)
    yield "appended to", data + b"\0"
    yield "a pickle", b"\x80\x04\x95" + data
    yield "another kind", other_kind
    yield "a newer version", with_version(data, 2)
    yield "an older version", with_version(data, 0)


@pytest.mark.parametrize(
    ("name", "words", "pattern"),
    [
        *((name, USES[name].words(), pattern) for name in READING for pattern in USES[name].reads),
        *((name, arguments.split(), pattern) for name, arguments, pattern in RESUMED),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_damaged_inputs(name: str, words: list[str], pattern: str, world: Path) -> None:
    """Every kind of damage is refused in a line with the name of the file, and nothing is touched."""
    path = sorted(world.glob(pattern))[-1]
    other = world / ("round/snapshot_000010.msgpack" if path.name == "solution.msgpack" else "match/solution.msgpack")
    good = path.read_bytes()
    for what, data in damages(path, other.read_bytes()):
        path.unlink()
        path.write_bytes(data)
        before = contents(world)
        line = complaint(call(name, *words, typed=""), 1, name)
        assert str(path.relative_to(world)) in line, (what, line)
        assert ("newer" in line) == (what == "a newer version"), (what, line)
        if name == "polish-multiround":  # whose output has a record before the first snapshot is read
            shutil.rmtree("out", ignore_errors=True)
        assert contents(world) == before, what
    if "out" not in words and name in (MATCH, ROUND):
        words.append("--restart")
    else:
        path.write_bytes(good)
    assert call(name, *words, typed="").code == 0


@pytest.mark.parametrize("name", ["best-response-multiround", "head-to-head", "explore", "compact-solution"])
@pytest.mark.parametrize("pattern", [RECORD, SNAPSHOT])
def test_files_of_another_tree_or_with_other_fields(name: str, pattern: str, world: Path) -> None:
    """With a right checksum."""
    path = sorted(world.glob(pattern))[-1]
    kind = path.name.partition("_")[0].partition(".")[0]
    good = read_file(path, kind)
    others = [{"winning_score": number} for number in (0, -1, 101, 10**9)] if kind == "solution" else []
    for changed in ({"tree_fingerprint": "0" * 64}, {"options": None}, *others):
        write_file(path, kind, good | changed)
        assert str(path.relative_to(world)) in complaint(used(name), 1, name), changed


# --- outputs


@pytest.mark.parametrize("name", WRITING)
def test_outputs_that_cannot_be_used(name: str, world: Path) -> None:
    """Of another kind, below a file, with a name that is too long, a link into nowhere, or data of a solution."""
    (world / "dangling").symlink_to(world / "nowhere" / "at all")
    (world / "circle").symlink_to(world / "circle")
    before = contents(world)
    for output in ("adirectory" if USES[name].kind == "file" else "afile", "afile/below", "x" * 400):
        result = used(name, out=output)
        assert output in complaint(result, 2 if result.code == 2 and "/" not in output else 1, name)
    what = "a link that leads to no directory; choose another output directory"
    if USES[name].kind == "file":
        what = "not a regular file; choose another output file"
    elif name == "build-page":
        what = "not a folder; choose another one"
    for output in ("dangling", "circle")[USES[name].kind == "file" :]:
        assert complaint(used(name, out=output), 1, name) == f"{name}: {output}: {what}"
    if USES[name].kind == "file":
        more = ["--restart"] if name == "train-agent" else []
        assert "other data of this program" in complaint(used(name, *more, out="match/solution.msgpack"), 1, name)
    assert contents(world) == before


@pytest.mark.parametrize("name", WRITING)
def test_outputs_that_may_not_be_written(name: str, world: Path) -> None:
    closed = world / "closed"
    (closed / "empty").mkdir(parents=True)
    shutil.copytree("started", closed / "started")
    before = contents(closed)
    for directory in (closed / "started", closed / "empty", closed):
        directory.chmod(0o555)
    open_to_everybody(closed)
    places = ("closed/new", "closed/empty", "closed/started")
    for place in places[: 1 if USES[name].kind == "file" else 3]:
        result = call_in_a_child(name, *USES[name].words(out=place), prepare=as_nobody)
        assert place in complaint(without_progress(Result(result.code, "", result.err)), 1, name)
    assert contents(closed) == before


@pytest.mark.parametrize("name", WRITING)
def test_a_disk_that_is_full(name: str, world: Path) -> None:
    """Nothing half-written stays; and with space again it works."""

    def small_files_only() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (50, 50))

    result = call_in_a_child(name, *USES[name].words(), prepare=small_files_only)
    assert "out" in complaint(without_progress(Result(result.code, "", result.err)), 1, name)
    assert not list(world.rglob(".*"))
    assert used(name).code == 0
    if name not in ("compare-algorithms", "plot-solution"):  # seconds; names of elements
        assert written(world / "out") == expected_of(name)


# --- the new is complete before the old goes

REPLACING = {
    "solve-by-formula": "--restart",
    "compact-solution": "--restart",
    "import-solution": "--restart",
    "compare-algorithms": "--restart",
    "export-strategy": "",
    "certify": "",
    "plot-solution": "--format both",
    "plot-learning": "",
    "build-page": "--single-file page.html",
    "rules-atlas": "",
    "tournament": "--csv table.csv --plot table.svg",
    "match-values": "--plot out.svg",
}
"""What a command is given, beside its use, to replace all that it has written before."""
DISCARDING = (MATCH, ROUND, "polish-multiround", "train-agent")
"""What --restart throws away at once, to be solved or learnt anew."""
NEW_ONLY = ("analyse", "review")
"""Write a new file, or none."""


def test_every_command_with_an_output_is_known_to_replace_discard_or_refuse() -> None:
    options = {"--output", "--csv", "--plot", "--single-file", "--export"}
    writing = {name for name in NAMES if any(options & set(each.opts) for each in COMMANDS[name].params)}
    assert writing == {*REPLACING, *DISCARDING, *NEW_ONLY}


@contextlib.contextmanager
def at_the_file(number: int, happens: Callable[[], object]) -> Iterator[list[int]]:
    """Something happens when so many files have been written, and are about to be on the disk; how many there were."""
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


def identities(directory: Path) -> dict[str, tuple[int, bytes] | None]:
    """Every file with its number and its bytes: one that is replaced by its like is another file."""
    paths = [path for path in sorted(directory.rglob("*")) if "__pycache__" not in path.parts]
    return {
        str(path.relative_to(directory)): (path.stat().st_ino, path.read_bytes()) if path.is_file() else None
        for path in paths
    }


@pytest.mark.parametrize("name", REPLACING)
def test_the_new_is_complete_before_the_old_goes(name: str, world: Path) -> None:
    """With a disk that is full from the first or the last file on, nothing of what was there before has changed."""
    more = REPLACING[name].split()
    assert used(name, *more).code == 0
    with at_the_file(0, full_disk) as files:
        assert used(name, *more).code == 0
    before = identities(world)
    for number in sorted({1, files[0]}):
        with at_the_file(number, full_disk):
            failed = without_progress(used(name, *more))
        assert failed.code == 1, failed
        assert failed.err.endswith("No space left on device; what was saved before is intact\n")
        assert identities(world) == before, number
    assert used(name, *more).code == 0
    assert identities(world) != before


@pytest.mark.parametrize("name", DISCARDING)
def test_what_is_discarded_by_request_is_begun_anew(name: str, world: Path) -> None:
    """--restart says so; after it has failed, the same command without it goes on to the same end."""
    text = next(each.help for each in options_of(name) if "--restart" in each.opts)  # type: ignore[attr-defined]
    assert text.startswith("Throw away ")
    assert "at once" in text
    assert used(name).code == 0
    with at_the_file(2, full_disk):
        assert without_progress(used(name, "--restart")).code == 1
    assert used(name).code == 0
    assert written(Path("out")) == expected_of(name)


@pytest.mark.parametrize(
    ("name", "number"),
    [("plot-solution", signal.SIGHUP), ("certify", signal.SIGTERM), ("export-strategy", signal.SIGHUP)],
)
def test_told_to_end_while_writing(name: str, number: signal.Signals, world: Path) -> None:
    """The terminal is closed, or a SIGTERM comes: cleaned up as after Ctrl-C. With nohup the program goes on."""
    assert used(name).code == 0
    before, ended = identities(world), 0 if name == "export-strategy" else 130  # which has but this file to write
    with at_the_file(1, lambda: os.kill(os.getpid(), number)):
        assert used(name).code == ended
    assert (identities(world) == before) == (ended == 130)
    assert not list(world.rglob(".*"))
    handler = signal.signal(number, signal.SIG_IGN)
    try:
        with at_the_file(1, lambda: os.kill(os.getpid(), number)):
            assert used(name).code == 0
    finally:
        signal.signal(number, handler)


# --- streams


@pytest.mark.parametrize("name", NAMES)
def test_streams_that_nobody_takes(name: str, world: Path) -> None:
    """Standard output full, without a reader, or closed with the other streams: no more than a line is said of it."""
    expected = f"{name}: No space left on device; what was saved before is intact\n"

    def full() -> None:
        os.dup2(os.open("/dev/full", os.O_WRONLY), 1)

    def without_reader() -> None:
        reader, writer = os.pipe()
        os.dup2(writer, 1)
        os.close(reader)
        os.close(writer)

    def closed() -> None:
        import sys

        sys.stdin = sys.stdout = None  # type: ignore[assignment]

    for prepare, codes, said in ((full, (1,), expected), (without_reader, (0, 1), ""), (closed, (0, 1), "")):
        if name == "polish-multiround":
            used(name)  # the solver of linear programs has threads, which a child does not get
        else:
            shutil.rmtree("out", ignore_errors=True)
            Path("out").unlink(missing_ok=True)
        result = without_progress(call_in_a_child(name, *USES[name].words(), prepare=prepare))
        assert (result.code in codes, result.err) == (True, said), (prepare, result)


@pytest.mark.parametrize("name", NAMES)
def test_no_escape_sequences_without_a_terminal(name: str, world: Path) -> None:
    result = call(name, *USES[name].words(), typed="", TERM="xterm-256color", NO_COLOR="1", COLUMNS="40")
    assert result.code == 0, result
    assert result.out
    assert not {"\x1b", "\r"} & set(result.out + result.err)


@pytest.mark.parametrize("name", SILENT)
def test_quiet_is_silent(name: str, world: Path) -> None:
    assert used(name, "--quiet") == Result(0, "", "")


@pytest.mark.parametrize("name", WITH_JSON)
def test_json_alone_is_on_standard_output(name: str, world: Path) -> None:
    """And it is JSON that every reader takes: no NaN, no Infinity."""

    printed = json_of(name, *USES[name].words())
    assert isinstance(printed, dict)
    if name in SILENT:
        assert used(name, "--quiet", "--json", out="other").err == ""


# --- interruption


@pytest.mark.parametrize(
    ("name", "number"),
    [
        *itertools.product([name for name, use in USES.items() if use.interrupted], [signal.SIGINT, signal.SIGTERM]),
        (MATCH, signal.SIGHUP),
        ("import-solution", signal.SIGHUP),
    ],
)
def test_an_interrupted_command_says_what_is_saved(
    name: str, number: signal.Signals, world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """130, one line, and the same command ends as if nothing had happened."""
    module = importlib.import_module(SCRIPTS[name].partition(":")[0])
    stop_on_signals = module.stop_on_signals

    @contextlib.contextmanager
    def signalled() -> Iterator[Any]:
        with stop_on_signals() as stop:
            os.kill(os.getpid(), number)
            yield stop

    with monkeypatch.context() as patch:
        patch.setattr(module, "stop_on_signals", signalled)
        line = complaint(used(name), 130, name)
    command = shlex.join([name, *USES[name].words()])
    assert line == f"{name}: interrupted; {USES[name].interrupted.format(command=command)}"
    assert used(name).code == 0
    if name != "compare-algorithms":  # which measures seconds
        assert written(world / "out") == expected_of(name)


@pytest.mark.parametrize("name", ["best-response-multiround", "best-response-subgame", "head-to-head", "plot-solution"])
def test_an_interrupted_reader_is_silent(name: str, world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What saves nothing on the way has nothing to say."""
    before = contents(world)

    def interrupt(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(GameTree, "build", interrupt)
    assert used(name) == Result(130, "", "\n")
    assert contents(world) == before
