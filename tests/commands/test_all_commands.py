"""tictactoe: the list of all commands, running one of them, and completion in shells."""

import subprocess
import sys
from pathlib import Path

import pytest
from support.contract import SCRIPTS
from support.programs import Result, call, environment, run
from support.slowness import slow
from tictactoe.tools.command_list import COMMAND_NAMES, COMMANDS, module_of

from tictactoe.storage.shipped import SHIPPED

ALL = "tictactoe"
PATH = f"{Path(sys.executable).parent}:/usr/bin:/bin"


def test_the_list_is_that_of_the_programs() -> None:
    assert {ALL: f"tictactoe.tools.commands.{ALL}:command"} | {
        name: f"tictactoe.tools.commands.{module_of(name)}:command" for name in COMMAND_NAMES
    } == SCRIPTS
    assert len(set(COMMAND_NAMES)) == len(COMMAND_NAMES)


def test_a_command_runs_as_if_it_had_been_called_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for words in (("--help",), ("--nonsense",), ("-s", "missing")):
        for name in ("explore", "join"):
            assert call(ALL, name, *words, typed="") == call(name, *words, typed="")
    values = ("match-values", "--winning-score", 2, "--json")
    assert call(ALL, *values) == call(*values) == Result(0, call(*values).out, "")


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
    "tictactoe sol": "solve-by-formula solve-game solve-multiround solve-subgame",
    "tictactoe play-subgame --se": "--seed --seat",
    "play-multiround --seat ''": "first second random",
    "explore -s shi": "shipped",
    "head-to-head -s shi": "shipped",
    "export-strategy -s ma": "match_to_1 match_to_5 mark/ matter/",
    "solve-subgame --algorithm rd": "rdcfr",
    "rules-atlas --rules fil": "filled filled-none filled-tie",
    "rules-atlas --rules filled,th": "filled,three-in-a-row",
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
