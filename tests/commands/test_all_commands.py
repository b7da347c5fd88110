"""tictactoe: the list of all commands, running one of them, and completion in shells."""

import subprocess
import sys
from pathlib import Path

import pytest
from support.contract import SCRIPTS
from support.programs import Result, call, environment, run
from support.slowness import slow
from tictactoe.tools.command_list import COMMAND_NAMES, COMMANDS, ON_THE_PATH, OPTIONS_NOW, RENAMED, module_of, typed

from tictactoe.storage.shipped import SHIPPED

ALL = "tictactoe"
PATH = f"{Path(sys.executable).parent}:/usr/bin:/bin"


def test_the_list_is_that_of_the_programs() -> None:
    names = (ALL, *ON_THE_PATH)
    assert {name: f"tictactoe.tools.commands.{module_of(name)}:command" for name in names} == SCRIPTS
    assert len(set(COMMAND_NAMES)) == len(COMMAND_NAMES) <= 16
    assert {*ON_THE_PATH} <= {*COMMAND_NAMES}


def test_what_commands_of_version_1_are_called_now() -> None:
    changes = (Path(__file__).parents[2] / "CHANGELOG.md").read_text()
    for old, words in RENAMED.items():
        assert old not in COMMAND_NAMES
        now = words if words.startswith(ON_THE_PATH) else f"tictactoe {words}"
        assert f"| `{old}` | `{now}` |" in changes
        assert words.startswith(COMMAND_NAMES)
        said = f"tictactoe: {old} is now called tictactoe {words} (see tictactoe --help)\n"
        assert call(ALL, old, "-s", "anything") == Result(2, "", said)


def test_what_is_typed_now_for_an_option_that_has_gone() -> None:
    """Of a verb that had it; of another one an option is unknown, and one that a verb has is not in the table."""
    for name, gone in OPTIONS_NOW.items():
        for option, now in gone.items():
            said = f"{typed(name)}: {option} is now {now} (see {typed(name)} --help)\n"
            assert call(name, option, "anything") == Result(2, "", said)
    gone = {option for options in OPTIONS_NOW.values() for option in options}
    for option in gone:
        assert " is now " not in call("plot", option, "anything").err


def test_a_command_runs_as_if_it_had_been_called_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for words in (("--help",), ("--nonsense",), ("-s", "missing")):
        for name in ("plot", "network join"):
            assert call(ALL, *name.split(), *words, typed="") == call(name, *words, typed="")
        alone = call("explore", *words, typed="")
        by_list = call(ALL, "explore", *words, typed="")
        assert (by_list.code, by_list.err.replace("tictactoe ", "")) == (alone.code, alone.err)


def test_only_the_command_that_is_named_is_imported() -> None:
    code = (
        f"import sys; from tictactoe.tools.commands.{ALL} import command\ntry: command()\nfinally: print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300)
    imported = set(done.stdout.splitlines()[-1].split())
    assert f"tictactoe.tools.commands.{ALL}" in imported
    assert not imported & {f"tictactoe.tools.commands.{module_of(name)}" for name in COMMAND_NAMES}


def test_docs_commands_has_what_there_is() -> None:
    text = (Path(__file__).parents[2] / "docs" / "commands.md").read_text()
    for name, line in (item for group in COMMANDS.values() for item in group.items()):
        assert f"| `{name}` | {line} |" in text
    for name in SHIPPED:
        assert f"`{name}`" in text


COMPLETE = """
COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); COMPREPLY=()
$(complete -p ${{COMP_WORDS[0]}} | sed 's/.*-F \\([^ ]*\\) .*/\\1/') ${{COMP_WORDS[0]}}
echo "${{COMPREPLY[@]}}"
"""
COMPLETIONS = {
    "tictactoe p": "play-multiround page plot",
    "tictactoe game ''": "play solve",
    "tictactoe network join --s": "--seed",
    "play-multiround --seat ''": "first second random",
    "explore -s shi": "shipped",
    "explore -s ma": "match_to_1 match_to_5 mark/ matter/",
    "solve-multiround --algorithm rd": "rdcfr",
    "tictactoe rules-atlas --rules fil": "filled filled-none filled-tie",
    "tictactoe rules-atlas --rules filled,th": "filled,three-in-a-row",
}


def test_completion_in_bash(tmp_path: Path) -> None:
    for name in ("mark", "matter", "other"):
        (tmp_path / name).mkdir()
    script = "\n".join(
        ['eval "$(tictactoe --completion bash)"', *(COMPLETE.format(words=words) for words in COMPLETIONS)]
    )
    env = environment(PATH=PATH)
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=300, cwd=tmp_path, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    offered = [sorted(line.split()) for line in done.stdout.splitlines()]
    assert offered == [sorted(expected.split()) for expected in COMPLETIONS.values()]


@pytest.mark.parametrize("shell", ["fish", *slow("bash", "zsh")])
def test_completion_of_all_commands_at_once(shell: str) -> None:
    printed = call(ALL, "--completion", shell)
    assert (printed.code, printed.err) == (0, "")
    assert all(f"_{module_of(name)}_COMPLETE={shell}_complete".upper() in printed.out.upper() for name in SCRIPTS)
    alone = run("play-multiround", env=environment(_PLAY_MULTIROUND_COMPLETE=f"{shell}_source")).out
    assert alone
    assert alone in printed.out
