"""The contract of every command: help, and mistakes in the options. Consoles have the words of more mistakes."""

import json
import subprocess
import sys
import tomllib
from itertools import product
from pathlib import Path

import click
import pytest
from support.contract import NAMES, SLOW_MODULES, USES, options_of, used
from support.programs import MATCH, Result, call, called, complaint, contents, environment
from support.slowness import by_default

HELP_OF_ALL = """
import contextlib, importlib, io, json, sys
from tictactoe.tools.command_list import module_of, typed

helps = {}
for name in sys.argv[1:]:
    command = importlib.import_module(f"tictactoe.tools.commands.{module_of(name)}").command
    sys.argv = [typed(name), "--help"]
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
    assert f"\n  {called(name)}" in text, "an example"
    words = text.replace(",", " ").split()
    for option in options_of(name):
        assert set(option.opts) <= set(words)
        assert getattr(option, "help", None)
    assert max(map(len, text.splitlines())) <= 100
    assert call(name, "-h").out == text
    version = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]["version"]
    assert call(name, "--version") == Result(0, f"{called(name)} {version} (smbc-tictactoe)\n", "")


def may_be_alone(option: click.Parameter) -> bool:
    """Whether the option's value may be left out, as that of play-multiround --resume."""
    return option.make_metavar(click.Context(click.Command(""))).startswith("[")


@pytest.mark.parametrize("name", by_default(NAMES, MATCH, "review", "tictactoe"))
def test_usage_errors(name: str, world: Path) -> None:
    before = contents(world)
    unknown = complaint(used(name, "--nonsense"), 2, name)
    words = (": --nonsense ", " '--nonsense'.")  # click's up to 8.3, and since
    assert unknown.startswith(tuple(f"{called(name)}: No such option{each}" for each in words))
    takes_files, takes_agents = name in ("review", "plot"), name in ("tournament", "network join")
    surplus = complaint(used(name, "surplus"), 1 if takes_files or name == "tournament" else 2, name)
    if takes_files:  # as many as there are
        assert surplus == f"{called(name)}: surplus: cannot be read: No such file or directory"
    elif takes_agents:
        assert surplus.startswith(f"{called(name)}: 'surplus' does not name an agent; ")
    elif name == "network host":
        assert surplus.startswith(f"{called(name)}: --players: 2 is fewer than the agents that are named")
    elif name != "tictactoe":  # which takes it for a command
        assert surplus == f"{called(name)}: Got unexpected extra argument (surplus) (see {called(name)} --help)"
    for option in options_of(name):
        assert isinstance(option, click.Option)
        for spelt in option.opts:
            if may_be_alone(option):
                expected, line = None, complaint(used(name, spelt, "nonsense"), 2, name)
            elif option.is_flag:
                expected = f"Option '{spelt}' does not take a value." if spelt.startswith("--") else None
                line = complaint(used(name, f"{spelt}=1"), 2, name)
            else:
                number = "an argument" if option.nargs == 1 else f"{option.nargs} arguments"
                expected = f"Option '{spelt}' requires {number}."
                line = complaint(used(name, spelt), 2, name)
            assert expected is None or line == f"{called(name)}: {expected} (see {called(name)} --help)"
        if option.required:
            given = [word for word in USES[name].words()[:1] if not word.startswith("-")]
            assert f"{called(name)}: Missing option '" in complaint(call(name, *given), 2, name)
    assert contents(world) == before


BAD_VALUES = {
    "count": ("", " ", "x", "nan", "inf", "-1", "1.5", "1e-3", "0x10", "1,5", "1_0", "\u0661", "9" * 30, "9" * 5000),
    "number": ("", " ", "x", "nan", "inf", "-inf", "Infinity", "1,5", "0x10", "1e999", "0.0_1", "0.\u0661", "9" * 5000),
    "true|false": ("", " ", "maybe", "2", "nan"),
    "score": ("", " ", "x", "4", "4 3", "4-", "-1-0", "4-3-2", "1.5-0", "1e3-0", "9" * 30 + "-0"),
    "choice": ("", "nonsense", "nan"),
    "directory": ("", "a\0b", "afile"),
    "file": ("", "a\0b", "adirectory"),
    "path": ("", "a\0b"),
    "text": ("", "a\0b"),
    "address": ("", " ", "x", "127.0.0.1", ":80", "x:", "x:y", "x:-1", "x:65536", "x:1.5", "::1", "a b:80", "x\0:80"),
    "host": ("", " ", "a b", "http://x", "x:y", "x:65536", "x\0"),
    "url": (
        *("", " ", "x", "example.org", "ftp://x"),
        *("https://", "https://a b/", "https://x?y", "https://x:y", "https://x\0"),
    ),
    "cluster": (
        *("", " ", "x", "local:", "local:0", "local:1.5", "local:10000", "tcp://"),
        *(":80", "x:", "x:65536", "x\0:80"),
    ),
    "list": ("", "x", "nan", "-1", "1.5", "1e-3", "9" * 30, ",", "1,", ",1", "1,,2", "1;2", "1,-2", "1,nan"),
    "budget": (
        *("", "x", "nan", "inf", "0", "-1", "1e16", "5 minutes", "0s", "1.5", "1e-3", "1h", "s", "nodes", "1NODES"),
        *("1e999nodes", "1.2.3s", "1e16s", "\u0663", "9" * 5000, "x" * 5000),
    ),
    "game": ("", " ", "nobody", "kuhn(", "kuhn(x, y)", "kuhn(print())", "kuhn(1e999)", "missing.py:Game", "9" * 5000),
    "NAME=PLAYER": ("", "=", "Bot", "Bot=", "=perfect", "Bot=a\0b"),
    "rules": (
        *("", " ", "nonsense", "1", "1:1", "1:1:1:1", "1:1:-1", "0:0:0", "1:1:0.5", "a:b:c", "1:1:1000001", "1 1 1"),
        *("\u0661:1:1", "9" * 5000, "filled 1", "filled  1:1:1", "filled 1:1:1 ", "1:1:1 filled"),
    ),
    "method": (
        *("", "nonsense", "q-learning(", "q-learning(x=1)", "q-learning(state=x)", "q-learning(epsilon=2)"),
        *("average-reward(learning_rate=1)", "average-reward(epsilon_episodes=0.5)", "q-learning(epsilon_end=nan)"),
    ),
    "digits": ("", "0", "x", "1.5", "10001"),
    "goal": ("", "nonsense", "win,", "win,x", "win,lose,tie"),
}
FREE = {"names", "position", "iteration"}
"""Texts that the commands themselves read."""
OF_ALL_TYPES = ("review", "best-response-multiround", "compare-algorithms", "convert", "network host", MATCH)
"""Commands that together have an option of every type."""


@pytest.mark.parametrize("name", by_default(NAMES, *OF_ALL_TYPES))
def test_values_that_are_refused(name: str, world: Path) -> None:
    before = contents(world)
    for option in options_of(name):
        if getattr(option, "is_flag", False) or (option.type.name not in BAD_VALUES and option.name in FREE):
            continue
        named = " / ".join(f"'{spelt}'" for spelt in option.opts)
        for value in BAD_VALUES[option.type.name]:
            if may_be_alone(option) and value.startswith("-"):
                continue  # the next option
            for place in range(option.nargs):
                values = ["0"] * option.nargs
                values[place] = value
                line = complaint(used(name, option.opts[0], *values), 2, name)
                assert line.startswith(f"{called(name)}: Invalid value for {named}: "), (line, value)
    assert contents(world) == before


RANGES: tuple[tuple[float, float, str], ...] = (
    (1, 100, f"--winning-score {MATCH} convert best-response-multiround tournament network_host"),
    (1, 1024, f"--jobs {MATCH} rules-atlas compare-algorithms"),
    (1, 10_000, "--winning-score rules-atlas, --digits rules-atlas"),
    (1, 10**9, f"--max-iterations {MATCH}, --check-exploitability-every {MATCH}"),
    (0.0, 20.0, f"--discount-alpha {MATCH}, --discount-gamma {MATCH}"),
    (-20.0, 20.0, f"--discount-beta {MATCH}"),
    (0.0, 1.0, f"--small-move-epsilon {MATCH}, --small-move-epsilon-decay {MATCH}"),
    (0, 2**63 - 1, f"--seed {MATCH} train-agent tournament"),
    (1, 10**12 - 1, "--episodes train-agent"),
    (8, 52, "--bits convert"),
    (0.0, 0.1, "--smallest convert"),
    (1, 1000, "--seeds compare-algorithms, --perturbations compare-algorithms"),
    (1, 65535, "--port page"),
    (0, 10**6, "--worst review"),
    (1, 10**6, "--matches tournament network_host"),
    (1, 1000, "--players network_host"),
)
"""From, to, and the options with their commands, in which _ stands for a blank."""


@pytest.mark.parametrize(("least", "most", "uses"), RANGES)
def test_the_ends_of_ranges(least: float, most: float, uses: str) -> None:
    step = 1 if isinstance(least, int) else 0.5
    for use in uses.split(", "):
        option, *names = (word.replace("_", " ") for word in use.split())
        for name, value in product(names, (least - step, most + step)):
            expected = f"Invalid value for '{option}': {value} is not in the range {least}<=x<={most}."
            line = complaint(call(name, option, value), 2, name)
            assert line == f"{called(name)}: {expected} (see {called(name)} --help)"
