"""explore on terminals of any size, and the numbers on its screens. consoles/explore.txt shows whole screens."""

import itertools
import re
import sys
from pathlib import Path

import pytest
from support.programs import ROUND, SHORT, call, environment
from support.slowness import slow
from support.terminal import Terminal, pexpect, too_wide
from tictactoe.tools.screens.explore_screen import ExploreScreen, Look, Window

from tictactoe import Position, Rules, Score, open_saved
from tictactoe.play.explorer import Explorer
from tictactoe.storage.open_saved import SavedRounds

NAME = "explore"
SIZES = ((20, 60), (24, 80), (40, 100), (22, 67), (30, 73))


BOTH = "0-0 ww 142536978"
"""Both players have three in a row, where that does not end the round."""
POSITIONS = ("1-1 wl 51", "0-0 ?? 12", BOTH)
MORE = ("0-0", "1-1 w?", "0-1 ?l 1", "1-1 tl 127", "1-1 lt 97", "1-1 wl 4618", "1-1 tt 8792163", "0-0 ww 142536")
MORE += ("0-0 ww 15928736", "0-0 lt 14253")


@pytest.mark.parametrize("positions", [POSITIONS, pytest.param(MORE, marks=pytest.mark.slow)], ids=["some", "more"])
def test_every_screen_fits_every_size(positions: tuple[str, ...], explored: Path, odd: Path, tmp_path: Path) -> None:
    assert call(ROUND, "-o", tmp_path / "round", *SHORT).code == 0
    opened = [SavedRounds(directory) for directory in (explored, tmp_path / "round", odd)]
    for rounds, text in itertools.product((*opened, open_saved(), open_saved("filled")), positions):
        position, rules = Position.parse(text), rounds.tree.rules
        if rules.of_round.ends_with_line and text in (BOTH, "0-0 ww 142536"):
            continue
        score = position.score if position.score in (rounds.scores or ()) else Score(0, 0)
        explorer = Explorer(rounds, Position(score, position.goals, position.moves))
        view, saved = explorer.view(), explorer.saved_text()
        for (rows, columns), details in itertools.product(SIZES, (False, True)):
            lines = ExploreScreen(view, saved, Look(Window(columns, rows), details=details)).lines()
            assert max(map(len, lines)) <= columns, (text, columns)
            if details:
                continue
            assert len(lines) < rows, text
            assert any("how likely each goal is:" in line for line in lines)
            assert sum(line.startswith("Rules: filled") for line in lines) == (rules != Rules())
            if explorer.cursor.outcome is None:
                assert any(line.startswith((" any", ">any")) for line in lines[: rows - 2])


@pytest.mark.parametrize(("rows", "columns"), [SIZES[0], *slow(*SIZES[1:3])])
def test_help_and_details_come_by_pages(rows: int, columns: int) -> None:
    terminal = Terminal(NAME, "--position", "4-3 w? 51", rows=rows, columns=columns)
    terminal.asked()
    for command, end in (("?", "average."), ("d", "d grid, ? help, q quit.")):
        shown, pages = terminal.enter(command).rstrip().splitlines(), 1
        while "Press Enter for more" in shown[-2]:
            shown, pages = terminal.enter("").rstrip().splitlines(), pages + 1
        assert shown[-2].endswith(end)
        assert (pages > 1) == (command == "?" and rows < 40) or rows == 20
    terminal.enter("q")
    code, output = terminal.finish()
    assert code == 0
    assert too_wide(output, columns) == []


def test_the_known_goal_stands_out_and_the_size_is_followed(explored: Path) -> None:
    terminal = Terminal(NAME, "-s", explored, "--position", "1-1 l? 51", rows=40, columns=100)
    assert "Likeliest course" in terminal.asked()
    bold = re.findall(r"\x1b\[1m([^\x1b]*)\x1b", terminal.raw)
    assert [line.split()[0] for line in bold] == ["Position", "goal", ">LOSE", "costs"]
    terminal.resize(20, 60)
    terminal.talk(("9", r"1-1 l\? 519(.|\n)*explore> ?$"))
    end = terminal.raw[terminal.raw.rindex("Position 1-1 l? 519") :]
    assert too_wide(end, 60) == []
    assert len(end.split("\n")) <= 20
    terminal.child.sendeof()
    code, output = terminal.finish()
    assert (code, output[-1]) == (0, "\n")


def test_a_terminal_without_colours(explored: Path) -> None:
    terminal = Terminal(NAME, "-s", explored, NO_COLOR="1")
    terminal.asked()
    for line, answer in (
        ("5", r"0-0 \?\? 5\b"),
        ("i fi\t", "Iteration 0 "),
        ("\x1b[A", "Iteration 0 "),
        ("\u00e9\u00bd", "is not a command"),
    ):
        before = len(terminal.raw)
        terminal.enter(line)
        terminal.written(answer, before)
    terminal.child.setwinsize(10, 40)
    before = len(terminal.raw)
    terminal.enter("1")
    terminal.written(r"0-0 \?\? 51\b", before)
    code, output = terminal.interrupt()
    assert code == 130
    assert "Traceback" not in output
    assert too_wide(output) == []
    assert not re.search(r"\x1b\[[0-9;]+m", output)


def test_in_the_middle_of_another_conversation() -> None:
    """As the review opens it: q comes back, and the terminal, its modes and its line editing are as they were."""
    script = """
import sys, termios
from tictactoe.storage.open_saved import open_saved
from tictactoe.play.notation import Position
from tictactoe.tools.screens.conversation import Conversation
from tictactoe.play.explorer import Explorer
print('before', repr(sys.stdin.readline()))
modes = termios.tcgetattr(0)
for _ in range(2):
    Conversation(Explorer(open_saved(), Position.parse('4-3 w? 51'))).cmdloop()
    assert termios.tcgetattr(0) == modes
    import readline
    assert readline.get_current_history_length() == 0
    assert readline.get_completer() is None
    print('after', repr(sys.stdin.readline()))
"""
    environ = environment(TERM="xterm-256color", NO_COLOR="1")
    child = pexpect.spawn(sys.executable, ["-c", script], encoding="utf-8", env=environ, timeout=300, echo=False)
    child.sendline("one")
    child.expect(r"before 'one\\n'")
    for line in ("two", "three"):
        child.expect("explore> ")
        child.sendline("9")
        child.expect("519")
        child.expect("explore> ")
        child.sendline("q")
        child.sendline(line)
        child.expect(rf"after '{line}\\n'")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
