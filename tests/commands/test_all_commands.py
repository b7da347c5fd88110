"""tictactoe: the list of all commands, running one of them, and completion in shells."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pexpect
import pytest
from support.programs import Result, call, complaint, environment, run
from support.slowness import by_default
from tictactoe.tools.command_list import COMMAND_NAMES, COMMANDS, module_of

from tictactoe.storage.shipped import SHIPPED

SCRIPTS = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]["scripts"]
ALL = "tictactoe"
PATH = f"{Path(sys.executable).parent}:/usr/bin:/bin"


def test_the_list_is_that_of_the_programs() -> None:
    """Every program but the list itself, once, with the module that it is in."""
    assert {ALL: f"tictactoe.tools.commands.{ALL}:command"} | {
        name: f"tictactoe.tools.commands.{module_of(name)}:command" for name in COMMAND_NAMES
    } == SCRIPTS
    assert len(set(COMMAND_NAMES)) == len(COMMAND_NAMES)


def test_the_list_fits_on_a_screen(tmp_path: Path) -> None:
    """Of the installed program: a line for every command, under the heading of its group, in 80 columns."""
    lines = run(ALL, cwd=tmp_path, env=environment(COLUMNS="80")).out.splitlines()
    assert max(map(len, lines)) <= 80
    for heading, commands in COMMANDS.items():
        start = lines.index(f"{heading}:")
        shown = dict(line.split(maxsplit=1) for line in lines[start + 1 : start + 1 + len(commands)])
        assert shown == commands
    assert run(ALL, "--help").out == run(ALL).out


def test_as_a_module(tmp_path: Path) -> None:
    """python -m tictactoe: the same, with and without a command."""

    def module(*words: str) -> Result:
        command = [sys.executable, "-m", "tictactoe", *words]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=300, cwd=tmp_path, env=environment()
        )
        return Result(done.returncode, done.stdout, done.stderr)

    assert module() == call(ALL)
    assert module("nonsense") == call(ALL, "nonsense")
    assert module("explore", "--nonsense") == call("explore", "--nonsense")


@pytest.mark.parametrize("name", ["explore", "solve-multiround", "join"])
def test_a_command_runs_as_if_it_had_been_called_itself(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Help, version and errors with their codes, with its own name before them."""
    monkeypatch.chdir(tmp_path)
    for words in (("--help",), ("-h",), ("--version",), ("--nonsense",), ("-s", "missing"), ("surplus",)):
        assert call(ALL, name, *words, typed="") == call(name, *words, typed="")


@pytest.mark.parametrize("name", sorted(COMMAND_NAMES))
def test_every_command_is_found(name: str) -> None:
    assert call(ALL, name, "--version").out.startswith(f"{name} ")


def test_output_and_exit_code_of_a_command() -> None:
    judged = ("-s", "match_to_1", "--json")
    assert call(ALL, "best-response-multiround", *judged) == call("best-response-multiround", *judged)
    assert call(ALL, "best-response-multiround", *judged).code == 0


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("play", "play-multiround"),
        ("solve", "solve-multiround"),
        ("subgame", "play-subgame"),
        ("exlpore", "explore"),
        ("certfy", "certify"),
        ("play_multiround", "play-multiround"),
        ("nosuch", None),
        ("x", None),
        ("x" * 500, None),
        ("", None),
        ("é [bold]", None),
    ],
)
def test_an_unknown_command(word: str, meant: str | None) -> None:
    """One line with the nearest name, or with none where none is near."""
    advice = f"the nearest is {meant}" if meant else "tictactoe alone lists all there are"
    line = complaint(call(ALL, word), 2, ALL)
    assert line == f"{ALL}: there is no command {word[:40]!r}; {advice} (see {ALL} --help)"


def test_only_the_command_that_is_named_is_imported() -> None:
    """And none for the list."""
    code = (
        f"import sys; from tictactoe.tools.commands.{ALL} import command\ntry: command()\nfinally: print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300)
    imported = set(done.stdout.splitlines()[-1].split())
    assert f"tictactoe.tools.commands.{ALL}" in imported
    assert not imported & {f"tictactoe.tools.commands.{module_of(name)}" for name in COMMAND_NAMES}
    assert not imported & {"numpy", "numba", "rich", "msgpack", "msgspec", "matplotlib", "filelock"}


def test_docs_commands_has_what_there_is() -> None:
    """Every command with its line, every name of a solution that ships."""
    text = (Path(__file__).parents[2] / "docs" / "commands.md").read_text()
    for name, line in (item for group in COMMANDS.values() for item in group.items()):
        assert f"| `{name}` | {line} |" in text
    for name in SHIPPED:
        assert f"`{name}`" in text


# --- completion

COMPLETE = """
COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); COMPREPLY=()
$(complete -p ${{COMP_WORDS[0]}} | sed 's/.*-F \\([^ ]*\\) .*/\\1/') ${{COMP_WORDS[0]}}
echo "${{COMPREPLY[@]}}"
"""
COMPLETIONS = {
    "tictactoe sol": "solve-by-formula solve-multiround solve-subgame",
    "tictactoe play-subgame --se": "--seed --seat",
    "play-multiround --seat ''": "first second random",
    "explore -s shi": "shipped",
    "head-to-head -s shi": "shipped",
    "export-strategy -s ma": "match_to_1 match_to_5 mark/ matter/",
    "solve-subgame --algorithm rd": "rdcfr",
}


def test_completion_in_bash(tmp_path: Path) -> None:
    """What the shell offers, in a shell that has read what `--completion bash` prints."""
    for name in ("mark", "matter", "other"):
        (tmp_path / name).mkdir()
    script = "\n".join(
        ['eval "$(tictactoe --completion bash)"', *(COMPLETE.format(words=words) for words in COMPLETIONS)]
    )
    env = environment(PATH=PATH)
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, timeout=300, cwd=tmp_path, env=env, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    offered = [sorted(line.split()) for line in done.stdout.splitlines()]
    assert offered == [sorted(expected.split()) for expected in COMPLETIONS.values()]


@pytest.mark.parametrize("name", by_default(sorted(SCRIPTS), ALL, "explore"))
def test_every_command_offers_its_options(name: str) -> None:
    """As click's own way of switching completion on asks for them."""
    variable = f"_{module_of(name)}_COMPLETE".upper()
    printed = run(name, env=environment(**{variable: "bash_source"})).out
    assert f"complete -o nosort -F _{module_of(name)}_completion {name}" in printed
    asked = {"COMP_WORDS": f"{name} --", "COMP_CWORD": "1", variable: "bash_complete"}
    offered = run(name, env=environment(**asked)).out.splitlines()
    assert {"plain,--version", "plain,--help"} <= set(offered)


def test_the_tab_key(tmp_path: Path) -> None:
    """On a terminal."""
    shell = pexpect.spawn(
        "bash", ["--norc", "--noprofile", "-i"], encoding="utf-8", timeout=120, cwd=tmp_path,
        env=environment(PATH=PATH, PS1="$ ", TERM="dumb", HOME=str(tmp_path)),
    )  # fmt: skip
    shell.sendline('eval "$(tictactoe --completion bash)"; echo rea""dy')
    shell.expect("ready")
    shell.send("tictactoe polish\t--versi\t\r")
    shell.expect(r"polish-multiround [0-9.]+ \(smbc-tictactoe\)")
    shell.close(force=True)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_of_all_commands_at_once(shell: str) -> None:
    """What every command prints for itself."""
    printed = call(ALL, "--completion", shell)
    assert (printed.code, printed.err) == (0, "")
    assert all(f"_{module_of(name)}_COMPLETE={shell}_complete".upper() in printed.out.upper() for name in SCRIPTS)
    variable = "_PLAY_MULTIROUND_COMPLETE"
    alone = run("play-multiround", env=environment(**{variable: f"{shell}_source"})).out
    assert alone in printed.out
    assert f"{variable}={shell}_complete" in alone
