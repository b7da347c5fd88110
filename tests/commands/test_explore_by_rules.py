"""explore by other rules than the default ones: JSON, help, goals that nobody draws, marks of three in a row."""

import re
from pathlib import Path

import pytest
from support.programs import json_of
from support.terminal import Terminal, too_wide

NAME = "explore"


def test_rules_and_lines_in_json(odd: Path) -> None:
    seen = json_of(NAME, "-s", "filled", "--position", "0-0 ww 142536")
    assert (seen["rules"], seen["lines"]) == ("filled", [[[1, 2, 3]], [[4, 5, 6]]])
    assert seen["forced_outcome"] == "both_lines"
    seen = json_of(NAME, "-s", odd, "--position", "0-0")
    assert (seen["rules"], seen["lines"]) == ("filled-none 1:0:2", [[], []])
    assert seen["weights"] == [pytest.approx([1 / 3, 0.0, 2 / 3])] * 2


def test_marks_of_lines_stand_out() -> None:
    terminal = Terminal(NAME, "-s", "filled", "--position", "0-0 ww 142536", rows=20, columns=60)
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
    assert too_wide(output, 60) == []
    assert "\x1b[1;36;7m" not in output[output.rindex("Position 0-0 ww 1425") :]
