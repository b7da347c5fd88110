"""explore under other rules than the default ones: what it says of them, of lines, ends and goals, what it refuses."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest
from support.programs import call, complaint, json_of
from support.storage_files import imported
from support.terminal import Terminal, too_wide
from tictactoe.tools.screens.explore_screen import ExploreScreen
from tictactoe.tools.screens.explore_text import Look, Window

from tictactoe.games.rules import Rules
from tictactoe.games.tic_tac_toe_tree import GameTree
from tictactoe.match.scores import Score
from tictactoe.play.explorer import Explorer
from tictactoe.play.notation import Position
from tictactoe.storage.open_saved import SavedRounds

NAME = "explore"
SIZES = ((20, 60), (24, 80), (40, 100), (22, 67), (30, 73))
BOTH = "142536978"
"""X has 1 2 3, then O has 4 5 6; the board is full."""


@pytest.fixture(scope="module")
def matches(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """By rules, a match to 1 or 2 of random strategies; not to be changed."""
    directory = tmp_path_factory.mktemp("by_rules")
    rules = {"filled": 2, "filled-none": 1, "filled-tie": 1, "filled-none 1:0:2": 1}
    return {
        name: imported(directory / name, GameTree.build(Rules.parse(name)), points) for name, points in rules.items()
    }


def talk(directory: Path, *lines: str) -> str:
    """What explore prints in a pipe, from the last position on, in one line."""
    result = call(NAME, "-s", directory, typed="\n".join(lines))
    assert (result.code, result.err) == (0, "")
    return " ".join(result.out[result.out.rindex("Position ") :].split())


# What stands there


@pytest.mark.parametrize(
    ("rules", "goals", "end", "scores"),
    [
        ("filled", "ww", "both have three in a row", "X wants to WIN and scores; O wants to WIN and scores."),
        ("filled", "wt", "both have three in a row", "X wants to WIN and scores; O wants to TIE and does not score."),
        (
            "filled",
            "?l",
            "both have three in a row",
            "X scores if it wants to WIN; O wants to LOSE and does not score.",
        ),
        ("filled-none", "w?", "both have three in a row", "Nobody scores, whatever they want."),
        ("filled-tie", "t?", "both have three in a row", "X wants to TIE and scores; O scores if it wants to TIE."),
    ],
)
def test_lines_of_both(rules: str, goals: str, end: str, scores: str, matches: dict[str, Path]) -> None:
    """First the end is certain, and then it is there; the lines are named."""
    over = talk(matches[rules], f"0-0 {goals} {BOTH}")
    assert f"Rules: {rules}; ? explains. The round is over: " in over
    tie = ", which is a tie" if rules == "filled-tie" else ""
    assert f"The round is over: {end} (X 1 2 3, O 4 5 6){tie}. {scores}" in over
    before = talk(matches[rules], f"0-0 {goals} {BOTH[:-2]}")
    assert "Rules: " + rules + "; ? explains. O moves next, but the end is certain: " in before
    assert f"the end is certain: {end} (so far X 1 2 3, O 4 5 6){tie}. {scores}" in before


@pytest.mark.parametrize(
    ("moves", "end"),
    [
        ("351694", "both have three in a row (so far O 4 5 6), which is a tie."),
        ("1576832", "both have three in a row, which is a tie."),
        ("39521687", "nobody has three in a row."),
        ("9645123", "nobody has three in a row, or both have."),
    ],
)
def test_which_tie_it_is(moves: str, end: str, matches: dict[str, Path]) -> None:
    """By filled-tie: nobody has three in a row or both, and mostly the moves have told which."""
    assert f"the end is certain: {end} " in talk(matches["filled-tie"], f"0-0 ?? {moves}")


def test_the_round_goes_on_after_a_line(matches: dict[str, Path]) -> None:
    text = talk(matches["filled"], "1-0 wl 14253")
    assert "Rules: filled; ? explains. X has 1 2 3 in a row; the round goes on. O moves next and wants to LOSE;" in text
    two = talk(matches["filled"], "0-0 ww 142736985")
    assert "X has three in a row, O has not (X 1 2 3 and 1 5 9)" in two
    assert "in a row" not in talk(matches["filled"], "1-0 wl 142").partition("To judge")[0]


def test_the_lines_of_a_numpad_and_of_json(matches: dict[str, Path]) -> None:
    result = call(NAME, "-s", matches["filled"], "--keypad", "numpad", typed="0-0 ww n74859")
    assert "X has 7 8 9 in a row; the round goes on." in result.out
    assert "Position 0-0 ww n74859" in result.out
    seen = json_of(NAME, "-s", matches["filled"], "--position", "0-0 ww 142536")
    assert (seen["rules"], seen["lines"]) == ("filled", [[[1, 2, 3]], [[4, 5, 6]]])
    assert seen["forced_outcome"] == "both_lines"
    seen = json_of(NAME, "-s", matches["filled-none 1:0:2"], "--position", "0-0")
    assert (seen["rules"], seen["lines"]) == ("filled-none 1:0:2", [[], []])
    assert [sum(weights) for weights in seen["weights"]] == [pytest.approx(1.0)] * 2
    assert seen["weights"][0] == pytest.approx([1 / 3, 0.0, 2 / 3])
    assert json_of(NAME, "--position", "4-3 ww 51")["rules"] == "three-in-a-row"


@pytest.mark.parametrize("rules", ["filled", "filled-none", "filled-tie", "filled-none 1:0:2"])
def test_the_help_is_about_these_rules(rules: str, matches: dict[str, Path]) -> None:
    result = call(NAME, "-s", matches[rules], typed="?")
    text = " ".join(result.out.split())
    wanted = Rules.parse(rules)
    assert wanted.of_round.text in text
    for goal, to_do in wanted.of_round.to_do.items():
        assert f"to {goal.name.lower()} ({to_do.format('the other')})" in text
    named = f"Rules: {wanted.name}" + (f", goals win:lose:tie {wanted.odds_text}" if " " in rules else "")
    assert f"{named}; ? explains." in text
    assert f"{named}. {wanted.of_round.text}" in text
    untold = "each goal counts as it is drawn" if " " in rules else "each goal counts the same"
    assert f"leads to the position, {untold}." in text


def test_goals_that_are_never_drawn(matches: dict[str, Path]) -> None:
    assert "LOSE is never drawn; play for it is arbitrary." in talk(matches["filled-none 1:0:2"], "5")
    assert "never drawn" not in talk(matches["filled-none"], "5")
    assert "Rules:" not in call(NAME, typed="5").out


def test_every_screen_fits_every_size(matches: dict[str, Path]) -> None:
    """The screen is never wider or higher than the terminal; rules, board and grid are on it."""
    positions = ("0-0", "0-0 w?", "0-0 wl 51", "0-0 lt 97", "0-0 ww 14253", "0-0 ww 142536", "0-0 wl 4618")
    for name, text in itertools.product(("filled", "filled-none 1:0:2"), (*positions, f"0-0 ll {BOTH}")):
        position = Position.parse(text)
        explorer = Explorer(SavedRounds(matches[name]), Position(Score(0, 0), position.goals, position.moves))
        for (rows, columns), details in itertools.product(SIZES, (False, True)):
            look = Look(Window(columns, rows), details=details)
            lines = ExploreScreen(explorer.view(), "3 are saved, 0 to 1,000", look).lines()
            assert max(map(len, lines)) <= columns, (text, columns)
            if not details:
                assert len(lines) < rows, (text, columns)
                assert sum(line.startswith("Rules: filled") for line in lines) == 1
                assert any("how likely each goal is:" in line for line in lines)
                if explorer.cursor.outcome is None:
                    assert any(line.startswith((" any", ">any")) for line in lines), (text, columns)


@pytest.mark.parametrize(("rows", "columns"), SIZES[:3])
def test_marks_of_lines_stand_out(rows: int, columns: int, matches: dict[str, Path]) -> None:
    """On a terminal: in reverse, and no others; without colours the words have to do."""
    terminal = Terminal(NAME, "-s", matches["filled"], "--position", "0-0 ww 142536", rows=rows, columns=columns)
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
    plain = Terminal(NAME, "-s", matches["filled"], "--position", "0-0 ww 14253", NO_COLOR="1")
    assert "X has 1 2 3 in a row; the round goes on." in plain.asked()
    plain.child.sendeof()
    assert "\x1b[1;" not in plain.finish()[1]


# Which rules


def test_rules_that_are_not_those_of_the_solution(matches: dict[str, Path]) -> None:
    filled = matches["filled"]
    assert json_of(NAME, "-s", filled, "--rules", "filled", "--position", "0-0")["rules"] == "filled"
    for options, wanted in (
        (("--rules", "three-in-a-row"), "three-in-a-row"),
        (("--rules", "filled-tie"), "filled-tie"),
        (("--goal-odds", "2:1:1"), "filled 2:1:1"),
        (("--rules", "filled", "--goal-odds", "2:1:1"), "filled 2:1:1"),
    ):
        line = complaint(call(NAME, "-s", filled, *options, typed=""), 2, NAME)
        named = "--goal-odds" if "2:1:1" in options else "--rules"
        assert f"{named}: {filled} is played by filled, not by {wanted}" in line
    line = complaint(call(NAME, "-s", "shipped/subgame_4_4", "--rules", "filled", typed=""), 2, NAME)
    assert "shipped/subgame_4_4 is played by three-in-a-row, not by filled" in line


def test_a_position_of_a_transcript_is_explored_by_its_rules(matches: dict[str, Path], tmp_path: Path) -> None:
    """Which no other solution and no option contradicts."""
    played = ("-s", matches["filled-tie"], "--auto", "--seed", 1, "--transcript", tmp_path / "match.jsonl")
    assert call("play-multiround", *played).code == 0
    at = ("--position", tmp_path / "match.jsonl")
    assert json_of(NAME, "-s", matches["filled-tie"], *at)["rules"] == "filled-tie"
    for options, said in (
        ((), "no match to 5 by the rules filled-tie comes with the program"),
        (("--rules", "filled"), "--position: is by the rules filled-tie, not by filled"),
        (("-s", "shipped"), "--position: is by the rules filled-tie, but shipped is solved for three-in-a-row"),
        (("-s", "shipped", "--rules", "filled-tie"), "shipped is played by three-in-a-row, not by filled-tie"),
    ):
        assert said in complaint(call(NAME, *at, *options, typed=""), 2, NAME)


def test_an_address_of_the_page_has_its_rules() -> None:
    """As an option, and at the prompt, where other rules than the solution's are refused and nothing changes."""
    for address, rules in (("#filled/4-3/wx/51", "filled"), ("#4-3/wx/51", "three-in-a-row")):
        found = json_of(NAME, "--position", address)
        assert (found["position"], found["rules"]) == ("4-3 w? 51", rules)
    typed = "#filled/4-4/wl/5\n\n4-3/wx/5\nhttps://example.org/#three-in-a-row/4-4/tx/7\n#play\n"
    said = call(NAME, "--rules", "three-in-a-row", typed=typed).out
    assert "that is by the rules filled, this solution by three-in-a-row\n" in said
    assert re.findall(r"^Position (.+?) \(", said, re.M) == ["0-0 ?? -", "0-0 ?? -", "4-3 w? 5", "4-4 t? 7"]
    assert "\n'play' is not a score: " in said


def test_rules_without_a_solution_that_ships() -> None:
    odds = ("--rules", "filled-tie", "--goal-odds", "2:1:1")
    line = complaint(call(NAME, *odds, typed=""), 2, NAME)
    assert "make one: solve-multiround --rules filled-tie --goal-odds 2:1:1 -o DIR, then -s DIR" in line
    line = complaint(call(NAME, *odds[:2], typed=""), 2, NAME)
    assert "for more points: solve-by-formula --rules filled-tie -o DIR, then -s DIR" in line
    named = re.search(r"-s (\S+_match_to_1);", line)
    assert named is not None
    assert json_of(NAME, "-s", named[1], "--position", "0-0")["rules"] == "filled-tie"
    assert call(NAME, "--rules", "three-in-a-row", typed="").out == call(NAME, typed="").out
