"""explore by other rules than the default ones: JSON, help, goals that nobody draws, marks of three in a row."""

import re
from pathlib import Path

import pytest
from support.programs import call, json_of
from support.slowness import slow
from support.terminal import Terminal, too_wide

from tictactoe.games.rules import RULES

NAME = "explore"


def test_rules_and_lines_in_json(odd: Path) -> None:
    seen = json_of(NAME, "-s", "filled", "--position", "0-0 ww 142536")
    assert (seen["rules"], seen["lines"]) == ("filled", [[[1, 2, 3]], [[4, 5, 6]]])
    assert seen["forced_outcome"] == "both_lines"
    seen = json_of(NAME, "-s", odd, "--position", "0-0")
    assert (seen["rules"], seen["lines"]) == ("filled-none 1:0:2", [[], []])
    assert seen["weights"] == [pytest.approx([1 / 3, 0.0, 2 / 3])] * 2


@pytest.mark.parametrize("solution", ["filled", "filled-tie_match_to_1", *slow("filled-none_match_to_1"), "odd"])
def test_the_help_is_about_these_rules(solution: str, odd: Path) -> None:
    text = " ".join(call(NAME, "-s", odd if solution == "odd" else solution, typed="?\n5\n").out.split())
    name = "filled-none" if solution == "odd" else solution.partition("_")[0]
    assert f"Rules: {name}{', goals win:lose:tie 1:0:2' if solution == 'odd' else ''}; ? explains." in text
    assert RULES[name].text in text
    for goal, to_do in RULES[name].to_do.items():
        assert f"to {goal.name.lower()} ({to_do.format('the other')})" in text
    weighed = "each goal counts as it is drawn" if solution == "odd" else "each goal counts the same"
    assert f"leads to the position, {weighed}." in text
    assert ("LOSE is never drawn; play for it is arbitrary." in text) is (solution == "odd")


@pytest.mark.parametrize(("rows", "columns"), [(20, 60), *slow((24, 80), (40, 100))])
def test_marks_of_lines_stand_out(rows: int, columns: int) -> None:
    terminal = Terminal(NAME, "-s", "filled", "--position", "0-0 ww 142536", rows=rows, columns=columns)
    screen = terminal.asked()
    assert re.sub(r"\s+", " ", screen).count("both have three in a row (so far X 1 2 3, O 4 5 6)") == 1
    reverse = {
        (line, column)
        for line, cells in terminal.screen.buffer.items()
        for column, cell in cells.items()
        if cell.reverse
    }
    marked = {screen.splitlines()[line][column : column + 2] for line, column in reverse} & {"X1", "X3", "X5", "O2"}
    assert marked == {"X1", "X3", "X5", "O2"}
    terminal.talk(("0-0 ww 1425", "O4"), ("q", ""))
    code, output = terminal.finish()
    assert code == 0
    assert too_wide(output, columns) == []
    assert "\x1b[1;36;7m" not in output[output.rindex("Position 0-0 ww 1425") :]
