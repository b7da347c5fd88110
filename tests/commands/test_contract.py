"""The contract of every command: help, and mistakes in the options. Consoles have the words of more mistakes."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest
from support.contract import NAMES, SLOW_MODULES, USES, options_of, used
from support.programs import MATCH, ROUND, Result, call, complaint, contents, environment


def test_every_command_is_covered() -> None:
    """A command that is added to pyproject.toml must be added to USES."""
    assert sorted(USES) == NAMES


HELP_OF_ALL = """
import contextlib, importlib, io, json, sys

helps = {}
for name in sys.argv[1:]:
    command = importlib.import_module(f"tictactoe.tools.commands.{name.replace('-', '_')}").command
    sys.argv = [name, "--help"]
    with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.suppress(SystemExit):
        command()
    helps[name] = printed.getvalue(), sorted(sys.modules)
print(json.dumps(helps))
"""


@pytest.fixture(scope="module")
def helps() -> dict[str, tuple[str, list[str]]]:
    """What `--help` prints, of all commands in one fresh process, and which modules have been imported by then."""
    command = [sys.executable, "-c", HELP_OF_ALL, *NAMES]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=300, check=True)
    found: dict[str, tuple[str, list[str]]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_help(name: str, helps: dict[str, tuple[str, list[str]]]) -> None:
    text, imported = helps[name]
    assert "click" in imported
    assert set(imported).isdisjoint(SLOW_MODULES)
    assert f"\n  {name}" in text, "an example"
    words = text.replace(",", " ").split()
    for option in options_of(name):
        assert set(option.opts) <= set(words)
        assert getattr(option, "help", None)
    assert max(map(len, text.splitlines())) <= 100
    assert call(name, "-h").out == text
    version = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]["version"]
    assert call(name, "--version") == Result(0, f"{name} {version} (smbc-tictactoe)\n", "")


@pytest.mark.parametrize("name", NAMES)
def test_usage_errors(name: str, world: Path) -> None:
    before = contents(world)
    unknown = complaint(used(name, "--nonsense"), 2, name)
    words = (": --nonsense ", " '--nonsense'.")  # click's up to 8.3, and since
    assert unknown.startswith(tuple(f"{name}: No such option{each}" for each in words))
    takes_files, takes_agents = name in ("analyse", "plot-learning"), name == "tournament"
    surplus = complaint(used(name, "surplus"), 1 if takes_files or takes_agents else 2, name)
    if takes_files:  # as many as there are
        assert surplus == f"{name}: surplus: cannot be read: No such file or directory"
    elif takes_agents:
        assert surplus.startswith(f"{name}: 'surplus' names no agent; ")
    elif name != "tictactoe":  # which takes it for a command
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
    "directory|opponent": ("", "a\0b", "afile"),
    "file": ("", "a\0b", "adirectory"),
    "path": ("", "a\0b"),
    "text": ("", "a\0b"),
    "address": ("", " ", "x", "127.0.0.1", ":80", "x:", "x:y", "x:-1", "x:65536", "x:1.5", "::1", "a b:80", "x\0:80"),
    "cluster": (
        *("", " ", "x", "local:", "local:0", "local:1.5", "local:10000", "tcp://"),
        *(":80", "x:", "x:65536", "x\0:80"),
    ),
    "list": ("", "x", "nan", "-1", "1.5", "1e3", "9" * 30, ",", "1,", ",1", "1,,2", "1;2", "1,-2", "1,nan"),
    "budget": (
        *("", "x", "nan", "inf", "0", "-1", "1e16", "5 minutes", "0s", "1.5", "1e-3", "1h", "s", "nodes", "1NODES"),
        *("1e999nodes", "1.2.3s", "1e16s", "\u0663", "9" * 5000, "x" * 5000),
    ),
    "NAME=PLAYER": ("", "=", "Bot", "Bot=", "=perfect", "Bot=a\0b"),
    "win:lose:tie": (
        *("", "1", "1:1", "1:1:1:1", "1:1:-1", "0:0:0", "1:1:0.5", "a:b:c", "1:1:1000001", "1 1 1"),
        *("\u0661:1:1", "9" * 5000),
    ),
}
FREE = {"names", "position", "iteration"}
"""Texts that the commands themselves read."""


@pytest.mark.parametrize("name", NAMES)
def test_values_that_are_refused(name: str, world: Path) -> None:
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


RANGES: tuple[tuple[str, float, float, str], ...] = (
    ("--winning-score", 1, 100, f"{MATCH} rules-atlas head-to-head import-solution solve-by-formula"),
    ("--winning-score", 1, 100, "tournament referee"),
    ("--winning-score", 1, 10_000, "match-values"),
    ("--jobs", 1, 1024, f"{MATCH} rules-atlas solve-by-formula compare-algorithms"),
    ("--max-iterations", 1, 10**9, MATCH),
    ("--check-exploitability-every", 1, 10**9, MATCH),
    ("--discount-alpha", 0.0, 20.0, MATCH),
    ("--discount-beta", -20.0, 20.0, MATCH),
    ("--discount-gamma", 0.0, 20.0, MATCH),
    ("--schedule-horizon", 1.0, 1e9, MATCH),
    ("--small-move-epsilon", 0.0, 1.0, MATCH),
    ("--small-move-epsilon-decay", 0.0, 1.0, MATCH),
    ("--iterations", 1, 10**9, ROUND),
    ("--seed", 0, 2**63 - 1, f"{ROUND} train-agent tournament"),
    ("--digits", 1, 10_000, "match-values"),
    ("--episodes", 1, 10**12 - 1, "train-agent"),
    ("--epsilon", 0.0, 1.0, "train-agent"),
    ("--epsilon-end", 0.0, 1.0, "train-agent"),
    ("--epsilon-episodes", 0, 10**12 - 1, "train-agent"),
    ("--bits", 8, 52, "compact-solution"),
    ("--smallest", 0.0, 0.1, "compact-solution"),
    ("--seeds", 1, 1000, "compare-algorithms"),
    ("--perturbations", 1, 1000, "compare-algorithms"),
    ("--port", 1, 65535, "play-browser"),
    ("--worst", 0, 10**6, "analyse"),
    ("--matches", 1, 10**6, "tournament referee"),
    ("--players", 2, 1000, "referee"),
)


@pytest.mark.parametrize(("option", "least", "most", "names"), RANGES)
def test_the_ends_of_ranges(option: str, least: float, most: float, names: str) -> None:
    step = 1 if isinstance(least, int) else 0.5
    for name in names.split():
        for value in (least - step, most + step):
            expected = f"Invalid value for '{option}': {value} is not in the range {least}<=x<={most}."
            assert complaint(call(name, option, value), 2, name) == f"{name}: {expected} (see {name} --help)"
