"""What stands on explore's screens, in pipes and on terminals of any size: complete, within the room, in words."""

from __future__ import annotations

import itertools
import json
import random
import re
import sys
from pathlib import Path
from typing import Any

import pexpect
import pytest
from support.playing import random_moves
from support.programs import ROUND, SHORT, call, environment
from support.terminal import Terminal, too_wide
from tictactoe.tools.screens import explore_screen
from tictactoe.tools.screens.explore_text import Look, Window

from tictactoe.games.cursor import Cursor
from tictactoe.games.goals import Goal, Seat
from tictactoe.match.scores import Score
from tictactoe.play.bot import MatchBot
from tictactoe.play.explorer import Explorer
from tictactoe.play.notation import Position
from tictactoe.play.review import review
from tictactoe.storage.open_saved import SavedRounds, open_saved
from tictactoe.storage.solution import load_solution

NAME = "explore"
SIZES = ((20, 60), (24, 80), (40, 100), (22, 67), (30, 73))
NUMBER = r"[-+]?[\d.e-]+"


def talk(*lines: str, options: tuple[object, ...] = ()) -> str:
    """What explore prints in a pipe when these lines are typed into it."""
    result = call(NAME, *options, typed="\n".join(lines))
    assert (result.code, result.err) == (0, "")
    return result.out


def last_screen(text: str) -> list[str]:
    return text[text.rindex("Position ") :].splitlines()


def matches(lines: list[str], patterns: list[str]) -> None:
    for line, pattern in itertools.zip_longest(lines, patterns, fillvalue="(no line)"):
        assert re.fullmatch(pattern, line), (line, pattern)


# The first screen and the details


def test_what_stands_on_the_first_screen(explored: Path) -> None:
    cells = r"( +(<1|\d+)%){4}"
    costs = r" +costs( +(0|<\.01|\d+\.\d\d)){4}"
    believed = r"( +(<1|\d+)%){3}"
    matches(
        last_screen(talk("1-1 wl 51", options=("-s", explored))),
        [
            r"Position 1-1 wl 51 \(X has 1 point, O 1; match to 2\)",
            r"X moves next and wants to WIN; O wants to LOSE\.",
            r"Iteration 80 \(4 are saved, 0 to 80\), average strategy",
            r"",
            r"   O2    \| \[2\] +\d+% \| \[3\] +\d+%   To judge by the moves,",
            r"---------\+----------\+---------   how likely each goal is:",
            r"\[4\] +\d+% \|    X1    \| \[6\] +\d+% +win +lose +tie",
            rf"---------\+----------\+---------   X{believed}",
            rf"\[7\] +\d+% \| \[8\] +\d+% \| \[9\] +\d+%   O{believed}",
            r"% in a square: how often X plays there, if it wants to WIN\.",
            r"",
            r" goal +wins +2 4 +3 7 +6 8 +9",
            rf">WIN +\d\d\.\d\d% plays{cells}",
            costs,
            rf" LOSE +\d\d\.\d\d% plays{cells}",
            costs,
            rf" TIE +\d\d\.\d\d% plays{cells}",
            costs,
            rf" any +\d\d\.\d\d% plays{cells}",
            r"wins: % of matches X wins with that goal, not seeing O's\.",
            r"plays: how often X makes the move; squares of a column are the same by symmetry\.",
            r"costs: % of matches given away against the best move\.",
            r"any: all goals, weighed by how likely each is\.",
            r"If O wants to LOSE \(X cannot see it\), X wins \d\d\.\d\d %\.",
            r"",
            r"Likeliest course: [1-9 ]+ \(\d+% likely\), then surely X completes three in a",
            r"  row\.",
        ],
    )


def test_what_stands_in_the_details(explored: Path) -> None:
    lines = last_screen(talk("1-1 ww 51", "d", options=("-s", explored)))
    start = next(number for number, line in enumerate(lines) if line.startswith("Iteration"))
    matches(
        lines[start:],
        [
            r"Iteration 80 \(4 are saved, 0 to 80\), average strategy",
            rf"Value to X for X win, O win: {NUMBER} \(1: X surely wins the match, -1: O does\)",
            rf"Counterfactual probability X 0\.1\d* O {NUMBER}; one move earlier X 0\.1111 O.*",
            rf"  {NUMBER}",
            rf"These moves happen: {NUMBER} over all goals, {NUMBER} for X win, O win",
            rf"Best response to the average strategy: X {NUMBER} O {NUMBER} from here for X win,",
            rf"  O win; X {NUMBER} O {NUMBER} in the whole round",
            r"  That is what a perfect player in that seat gets when the goals happen to be",
            r"  these\. It does not see the other's goal and plays for all of them at once;",
            r"  with these it may lose what it gains with others\.",
            r"",
            r" +value +prob\. +prob\. +best +regret +regret +regret",
            r"X plays +to X +average +current +resp\. +of goals +info set +total",
            *(rf" +{squares}( +{NUMBER}){{3}} +(yes|-)( +{NUMBER}){{3}}" for squares in ("2 4", "3 7", "6 8", "9")),
        ],
    )


def test_without_details_there_is_nothing_for_students_of_the_solver() -> None:
    """The solution that ships has one iteration, no regrets, and a current strategy that is the average one."""
    first, (iteration,) = talk("4-3 wl 51", "i", "i last"), load_solution("shipped").iterations(Score(4, 3))
    for word in ("terat", "egret", "response", "ounterfactual", "kept", "only one"):
        assert word not in first.replace(f"saved: iteration {iteration}\n", "")
    shown = talk("4-3 wl 51", "d")
    assert "Best response to the average strategy: X +1.0000 O -1.0000 from here" in shown
    for words in ("not kept", "current resp", " total"):
        assert words not in shown
    same = "value to X +1.0000, current strategy as average, regret of goals 0, regret info set 0."
    assert f"The same for all moves: {same}" in " ".join(shown.split())
    assert "The same for all moves: current strategy as average, regret info set 0." in talk("4-3 ww 15", "d")


DECIDED = {
    "??": "X scores if it wants to TIE; O scores if it wants to TIE.",
    "t?": "X wants to TIE and scores; O scores if it wants to TIE.",
    "wt": "X wants to WIN and does not score; O wants to TIE and scores.",
    "wl": "X wants to WIN and does not score; O wants to LOSE and does not score.",
    "tt": "X wants to TIE and scores; O wants to TIE and scores.",
    "?l": "X scores if it wants to TIE; O wants to LOSE and does not score.",
}


def test_a_round_that_is_decided() -> None:
    text = talk(*(f"4-3 {goals} {moves}" for goals in DECIDED for moves in ("15928736", "159287364")))
    screens = [" ".join(screen.split()) for screen in text.split("Position ")[2:]]
    for (goals, turn), certain, over in zip(DECIDED.items(), screens[::2], screens[1::2], strict=True):
        assert certain.startswith(f"4-3 {goals} 15928736 (")
        assert f"X moves next, but the end is certain: nobody completes three in a row. {turn}" in certain
        assert f"The round is over: nobody completes three in a row. {turn}" in over
        assert "any" not in over


def test_the_board_sums_to_all_of_it(explored: Path) -> None:
    """Each square has its own share: 100 % together, but for what rounding leaves."""
    rng = random.Random(5)
    explorer = Explorer(SavedRounds(explored))
    for _ in range(12):
        explorer.cursor = Cursor(explorer.rounds.tree, random_moves(rng, explorer.rounds.tree, rng.randrange(7)))
        if explorer.cursor.forced_outcome is not None:
            continue
        explorer.goals = rng.choice([(None, None), (Goal.WIN, None), (Goal.LOSE, Goal.TIE)])
        shown = ExploreLines(explorer, Window(80, None), 6).text()
        shares = re.findall(r"\[[1-9]\] +(\d+\.\d\d)%", shown)
        small = shown.count("] <0.01%")
        assert len(shares) + small == len(explorer.cursor.board.free_squares)
        assert sum(map(float, shares)) == pytest.approx(100.0, abs=0.05)


def test_off_the_equilibrium() -> None:
    text = " ".join(talk("0-0 ?? 17").split())
    said = "Off the equilibrium: no goal of O leads here; play here is arbitrary, and each goal counts the same."
    assert text.count(said) == 1
    assert "O - - -" in text


# The costs are those of the review


@pytest.mark.parametrize("in_match", [True, False])
def test_costs_are_what_the_review_charges(explored: Path, in_match: bool) -> None:
    rounds = SavedRounds(explored) if in_match else open_saved("single_round")
    bots = MatchBot(load_solution(explored)) if in_match else None
    rng, compared = random.Random(9), 0
    for _ in range(5):
        moves = random_moves(rng, rounds.tree, rng.randrange(6))
        score = rng.choice(rounds.scores) if rounds.scores else Score(0, 0)
        explorer = Explorer(rounds, Position(score, rng.choice([(None, None), (Goal.WIN, Goal.TIE)]), moves))
        shown = explorer.view().as_dict()
        saved = explorer.saved
        bot = bots.round_bot(score) if bots else _bot_of_one_round(saved)
        for goal, row in zip(Goal, shown["rows"], strict=bool(shown["rows"])):
            assert row["goal"] == goal.name.lower()
            for cell in row["moves"]:
                square = rng.choice(cell["squares"])
                (charged,) = review(bot, (*moves, square), Seat(len(moves) % 2), goal, given=len(moves))
                assert cell["cost"] == pytest.approx(charged.cost, abs=1e-12)
                assert cell["cost_percent"] == (pytest.approx(50 * charged.cost, abs=1e-10) if in_match else None)
                printed = Window(80, None), 6
                digits = (4, 50.0 * charged.cost) if in_match else (5, charged.cost)
                if charged.cost > 1e-3:
                    assert f" {digits[1]:.{digits[0]}f}" in ExploreLines(explorer, *printed).text()
                compared += 1
    assert compared > 20


def _bot_of_one_round(saved: Any) -> Any:
    from tictactoe.play.bot import RoundBot

    return RoundBot(saved.tree, saved.average_strategy, saved.snapshot.outcome_values)


class ExploreLines:
    """The lines of a screen of any size, without a terminal."""

    def __init__(self, explorer: Explorer, window: Window, precision: int = 4, details: bool = False) -> None:
        look = Look(window, precision, details=details)
        screen = explore_screen.ExploreScreen(explorer.view(), explorer.saved_text(), look)
        self.lines = screen.lines()

    def text(self) -> str:
        return "\n".join(self.lines)


# Positions from anywhere


TAKEN = {
    "0-0 ?w 15429": "0-0 ?w 15429",
    "4-3": "4-3 ?? -",
    "4-3\n": "4-3 ?? -",
    "4-3 ??": "4-3 ?? -",
    "0-0 w? n79": "0-0 w? 13",
    "4-3 WL -\r\n": "4-3 wl -",
    "  4-3   t?   5 ": "4-3 t? 5",
}


def test_every_position_that_is_printed_is_taken() -> None:
    """At the prompt; and a strange one as an option, too."""
    typed = talk(*(text.strip("\n") for text in TAKEN), "q")
    assert re.findall(r"^Position (\S+ \S+ \S+) \(", typed, re.M)[1:] == list(TAKEN.values())
    letters = {"w": "win", "l": "lose", "t": "tie", "?": None}
    for text, shown in TAKEN.items():
        data = json.loads(call(NAME, "--json", "--position", text).out)
        assert data["position"] == shown
        assert data["goals"] == [letters[letter] for letter in shown.split()[1]]
    assert last_screen(talk("q", options=("--position", "0-0 w? n79")))[0].startswith("Position 0-0 w? 13 (")


def test_goals_that_become_unknown() -> None:
    shown = re.findall(r"^Position \S+ (..) ", talk("g w ?", "g ??", "g lose tie", "g ? win"), re.M)
    assert shown == ["??", "w?", "??", "lt", "?w"]


def test_a_mistake_never_quotes_a_newline() -> None:
    for text in ("4-3\nx y z\n", "4\n", "4-3 q\n", "4-3 ww 0\n"):
        result = call(NAME, "--position", text)
        assert result.code == 2
        assert "\\n" not in result.err
        assert len(result.err.splitlines()) == 1


# Sizes


POSITIONS = ("1-1 wl 51", "0-0 ?? 12", "0-0 ww 15928736", "0-0 lt 14253", "1-1 tt 8792163")
MORE = ("0-0", "1-1 w?", "0-1 ?l 1", "1-1 tl 127", "1-1 lt 97", "1-1 wl 4618")


@pytest.mark.parametrize("positions", [POSITIONS, pytest.param(MORE, marks=pytest.mark.slow)], ids=["some", "more"])
def test_every_screen_fits_every_size(positions: tuple[str, ...], explored: Path, tmp_path: Path) -> None:
    """Nothing is wider than the terminal; the first screen is never higher, board and grid are on it."""
    assert call(ROUND, "-o", tmp_path / "round", *SHORT).code == 0
    for rounds, text in itertools.product(
        (SavedRounds(explored), SavedRounds(tmp_path / "round"), open_saved()), positions
    ):
        position = Position.parse(text)
        score = position.score if rounds.scores else Score(0, 0)
        explorer = Explorer(rounds, Position(score, position.goals, position.moves))
        for (rows, columns), details in itertools.product(SIZES, (False, True)):
            lines = ExploreLines(explorer, Window(columns, rows), details=details).lines
            assert max(map(len, lines)) <= columns, (text, columns)
            if details:
                continue
            assert len(lines) < rows, text
            assert any("how likely each goal is:" in line for line in lines[:8])
            if explorer.cursor.outcome is None:
                assert any(line.startswith((" any", ">any")) for line in lines[: rows - 2])


@pytest.mark.parametrize(("rows", "columns"), SIZES[:3])
def test_the_first_screen_on_a_terminal(rows: int, columns: int) -> None:
    """From its first line to the prompt; help and details come by pages."""
    terminal = Terminal(NAME, "--position", "4-3 w? 51", rows=rows, columns=columns)

    def answer(line: str | None = None) -> list[str]:
        return (terminal.asked() if line is None else terminal.enter(line)).rstrip().splitlines()

    screen = answer()
    assert screen[0] == "Position 4-3 w? 51 (X has 4 points, O 3; match to 5)"
    assert screen[1] == "X moves next and wants to WIN; O has an unknown goal."
    assert sum(line.startswith(("   O2 ", "[4] ", "[7] ")) for line in screen) == 3
    assert re.findall("^[ >](?:WIN|LOSE|TIE|any) ", "\n".join(screen), re.M) == [">WIN ", " LOSE ", " TIE ", " any "]
    assert "any: all goals, weighed by how likely each is." in screen
    assert screen[-2:] == ["Type a square to play on, d details, ? help, q quit.", "explore>"]
    for command, end in (("?", "surely wins on average."), ("d", "d grid, ? help, q quit.")):
        shown, pages = answer(command), 1
        while "Press Enter for more" in shown[-2]:
            shown, pages = answer(""), pages + 1
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
    assert terminal.finish()[0] == 0


def test_in_the_middle_of_another_conversation() -> None:
    """As the review opens it: q comes back, and the terminal, its modes and its line editing are as they were."""
    script = "\n".join(
        (
            "import sys, termios",
            "from tictactoe.storage.open_saved import open_saved",
            "from tictactoe.play.notation import Position",
            "from tictactoe.tools.screens.conversation import Conversation",
            "from tictactoe.play.explorer import Explorer",
            "print('before', repr(sys.stdin.readline()))",
            "modes = termios.tcgetattr(0)",
            "for _ in range(2):",
            "    Conversation(Explorer(open_saved(), Position.parse('4-3 w? 51'))).cmdloop()",
            "    assert termios.tcgetattr(0) == modes",
            "    import readline",
            "    assert readline.get_current_history_length() == 0",
            "    assert readline.get_completer() is None",
            "    print('after', repr(sys.stdin.readline()))",
        )
    )
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


def test_on_a_terminal(explored: Path) -> None:
    """A prompt, completion, history, a window of another size, and Ctrl-C."""
    terminal = Terminal(NAME, "-s", explored)
    terminal.asked()
    for line, answer in (
        ("5", r"0-0 \?\? 5\b"),
        ("g w l", r"0-0 wl 5\b"),
        ("xyz", "is not a command"),
        ("i", "saved iterations"),
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
    terminal.written(r"0-0 wl 51\b", before)
    code, output = terminal.interrupt()
    assert code == 130
    assert "Traceback" not in output
    assert too_wide(output) == []


@pytest.mark.parametrize(("variables", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_colour_and_the_end_of_the_input(explored: Path, variables: dict[str, str], coloured: bool) -> None:
    """Ctrl-D ends it with a line of its own."""
    terminal = Terminal(NAME, "-s", explored, **variables)
    terminal.enter("5", r"\?\? 5")
    terminal.child.sendeof()
    code, output = terminal.finish()
    assert code == 0
    assert output.endswith("\n")
    assert bool(re.search(r"\x1b\[[0-9;]+m", output)) is coloured
