"""Rounds that fill the board: the rules told once, three in a row shown, the end explained."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.programs import call
from support.terminal import Terminal, lines_of, panel

PLAY, PRACTISE = "play-multiround", "play-subgame"
SIZES = [(20, 60), (24, 80), (40, 100)]
PROMPT = r"(\? help[^\n]*\): *|Your move: *)(\n|$)"
FILLED = ("--rules", "filled", "--seed", 1)
GOES_ON = "You have three in a row: 1 2 3; the round goes on."
"""After 1 4 2 5 3, of the person, who wants to win; the bot then marks 7."""


@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_a_round_by_the_rules_of_the_comic(rows: int, columns: int) -> None:
    """What the rules are stands on the first screen of the first round alone, and behind ?; that the round goes on
    beside every board with three in a row; and at the end who has it, what that counts as, and who scores."""
    options = ("--position", "0-0 w? 14253", "--rounds", 2, "--bot-goal", "lose")
    terminal = Terminal(PRACTISE, *FILLED, *options, rows=rows, columns=columns)
    shown = terminal.until(PROMPT)
    assert "Rules (filled): Three in a row does not end the round" in panel(shown)
    assert "it is a tie." in panel(shown)
    assert "larger window" not in shown
    assert GOES_ON in shown
    assert "You want to WIN: have three in a row in the end." in shown
    terminal.talk(("h", "Hint: to WIN"))
    assert "Rules (filled)" not in terminal.text()
    assert GOES_ON in terminal.text()
    terminal.talk(("?", "mark that square"))
    first = terminal.text()
    assert "Rules (filled): Three in a row does not end the round" in panel(first)
    assert "it is a tie." in panel(first)
    terminal.talk(("?", "sha256sum"))
    assert "mark that square" not in terminal.text()
    terminal.talk(("?", "mark that square"), ("8", "The round is over"))
    shown = terminal.text()
    told = panel(shown)
    assert "The round is decided: you have three in a row (1 2 3), and Bot can get none. You have won, Bot has" in told
    assert "You wanted to WIN: a point. Bot wanted to LOSE: a point." in told
    assert "goes on" not in shown
    assert "Rules (filled)" not in terminal.enter("", "Round 2 of 2(.|\n)*" + PROMPT)
    assert terminal.interrupt()[0] == 130


def marked(terminal: Terminal) -> dict[str, tuple[str, bool, bool]]:
    """By cell of the tall or the small board: background, whether underlined, whether reversed."""
    found = {}
    for y, line in enumerate(terminal.screen.display):
        for match in re.finditer(r"\b[XO]\d\b", line[:30]) if "|" in line else ():
            look = terminal.screen.buffer[y][match.start()]
            found[match[0]] = (look.bg, look.underscore, look.reverse)
    return found


@pytest.mark.parametrize(("rows", "columns"), SIZES)
@pytest.mark.parametrize(
    ("options", "row", "last"),
    [
        (("--position", "0-0 ?w 14253"), "Bot has three in a row: 1 2 3; the round goes on.", ("X5", "underlined")),
        (("--position", "0-0 w? 14253"), GOES_ON, ("O6", "reversed")),
    ],
    ids=["last in it", "last elsewhere"],
)
def test_marks_of_three_in_a_row_look_different(
    rows: int, columns: int, options: tuple[str, ...], row: str, last: tuple[str, str]
) -> None:
    """The last mark does, too, in the row or not; without colours there are only the words."""
    for variables in ({}, {"NO_COLOR": "1"}):
        terminal = Terminal(PRACTISE, *FILLED, *options, rows=rows, columns=columns, **variables)
        shown = terminal.until(PROMPT)
        assert row in shown
        looks = marked(terminal)
        terminal.interrupt()
        assert {"X1", "O2", "X3", "O4", "X5"} <= set(looks)
        if variables:
            assert set(looks.values()) == {("default", False, False)}
            continue
        assert {mark for mark, look in looks.items() if look[0] == "green"} == {"X1", "X3", "X5"}
        assert [mark for mark, look in looks.items() if look[1 if last[1] == "underlined" else 2]] == [last[0]]


def test_a_round_through_a_pipe() -> None:
    """The rules once in a match, each new three in a row once, and why who scored."""
    options = ("--position", "0-0 w? 14253", "--bot-goal", "lose", "--rounds", 2)
    out = call(PRACTISE, *FILLED, *options, typed="?\n8\n9\n6\n").out
    assert "\x1b" not in out
    rules = re.findall(r"^Rules \(filled\): .* it is a tie\.$", out, re.M)
    assert len(rules) == 2, "at the start, and for ?"
    assert out.index(rules[0]) < out.index("You move first")
    assert out.count(GOES_ON) == 2, "of each round, which starts with it"
    ending = (
        "The round is decided: you have three in a row (1 2 3), and Bot can get none.\nYou have won, Bot has lost.\n"
        "You wanted to WIN: a point.\nBot wanted to LOSE: a point.\n"
    )
    assert ending in out
    other = call(PRACTISE, *FILLED, "--position", "0-0 w? 1425", "--bot-goal", "tie", typed="3\nq\n").out
    assert f"Move 5: You mark 3.\n{GOES_ON}\nMove 6: " in other


@pytest.mark.parametrize("goal", ["win", "lose", "tie"])
def test_a_hint_says_that_the_goal_is_out_of_reach(goal: str) -> None:
    """While the round goes on; what is best then is about the other's point."""
    out = call(PRACTISE, *FILLED, "--position", f"0-0 {goal[0]}? 14253", "--bot-goal", "lose", typed="h\nq\n").out
    lost = goal != "win"  # the person has three in a row
    assert (f"Hint: you can no longer {goal.upper()}; a perfect player marks\n" in out) is lost
    assert (f"Hint: to {goal.upper()}, a perfect player marks\n" in out) is not lost


def test_both_have_three_in_a_row() -> None:
    """Why both score is said."""
    out = call(PRACTISE, *FILLED, "--position", "0-0 ww 1425378", "--seat", "second", typed="6\n").out
    ending = "you have three in a row (4 5 6), and Bot has three in a row (1 2 3).\n"
    ending += "By these rules both have won.\nYou wanted to WIN: a point.\nBot wanted to WIN: a point.\n"
    assert ending in out


@pytest.mark.parametrize("numpad", [False, True])
def test_digits_of_a_row_are_those_of_the_board(numpad: bool) -> None:
    keypad = ("--keypad", "numpad") if numpad else ()
    out = call(PRACTISE, *FILLED, *keypad, "--position", "0-0 w? 14253", typed="q\n").out
    digits = "7 8 9" if numpad else "1 2 3"
    assert f"You have three in a row: {digits}; the round goes on." in out


def test_a_match_that_goes_on_tells_the_rules_again(tmp_path: Path) -> None:
    """And a match by the default rules none."""
    file = tmp_path / "match.jsonl"
    out = call(PLAY, *FILLED, "--transcript", file, typed="q\n").out
    assert out.count("Rules (filled)") == 1
    assert "Rules (filled)" in call(PLAY, "--continue", "--transcript", file, typed="q\n").out
    assert "Rules (" not in call(PLAY, "--seed", 1, typed="?\nq\n").out
    auto = call(PLAY, *FILLED, "--auto", "--seed", 1, "--opponent", "learner-10").out
    assert auto.startswith("Rules (filled): Three in a row")
    assert "  X+O row; Bot " in auto
    assert " both; " not in auto, "of whom one may have scored"


def test_no_line_is_broken_inside_a_word() -> None:
    terminal = Terminal(PLAY, *FILLED, "--opponent", "learner-10", "--seat", "first", rows=60, columns=60)
    for typed in ("?", "?", "h", "5", "1", "2", "3"):
        terminal.enter(typed, PROMPT)
    output = terminal.interrupt()[1]
    long = [line for line in lines_of(output) if len(line) > 60 and not re.search(r"\b[0-9a-f]{20,64}\b", line)]
    assert long == []
