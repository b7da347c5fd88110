"""explore in the hands of friends and enemies: lines that it follows and refuses, screens, damaged files, terminals."""

from __future__ import annotations

import dataclasses
import itertools
import json
import random
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from support.playing import random_moves, solved_match
from support.programs import ROUND, SHORT, call, complaint
from support.terminal import Terminal, too_wide
from tictactoe.tools.shared.conversation import HELP, Conversation
from tictactoe.tools.shared.explorer import Explorer

from tictactoe.games.cursor import Cursor
from tictactoe.match.scores import Score
from tictactoe.storage.directory_layout import response_name, snapshot_name
from tictactoe.storage.open_saved import SavedRounds
from tictactoe.storage.snapshot import Snapshot

NAME = "explore"
RANGE = "give an iteration, first, last, + or -, or nothing for the list"
GOALS = "g: give the goals of X and of O, each w, l or t, such as g w l"
SQUARES = "m: give one or more squares from 1 to 9, such as m 5 or m 5 1 3"
POINTS = "s: give the points of X and of O, such as s 4 3"
DIGITS = "p: give a number of digits from 1 to 12, such as p 6"
NOT = ("foo", "\u00bd", "\u0665", "\x00\x01\x1b[2J", "\udcff\udcfe", "\U0001f600 5", "igm", "m-5", "5m", "do_m")
STAYS = "still at iteration 70 of 0-0"


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A loosely solved match to 2 with best responses; to be copied, not changed."""
    return solved_match(tmp_path_factory.mktemp("explore"))


@pytest.fixture
def copy(solved: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(solved, tmp_path / "copy"))


@pytest.fixture
def conversation(solved: Path) -> Conversation:
    return Conversation(Explorer(SavedRounds(solved)))


def talk(directory: Path, *lines: str, options: tuple[str, ...] = ()) -> str:
    """What explore prints when these lines are typed into it."""
    result = call(NAME, "-s", directory, *options, typed="\n".join(lines))
    assert (result.code, result.err) == (0, "")
    return result.out


def positions(text: str) -> list[str]:
    return re.findall(r"^Position (\S+ \S+ \S+) ", text, re.M)


# Lines


def test_every_command(solved: Path) -> None:
    """Where each leads, in lines of at most 80 columns."""
    moves = ("5", "m 1", "m 2 3", "u", "g w l", "g lose tie", "r", "513", "5 9", "0-1 wt 513", "s 1 1")
    iterations = ("i first", "i +", "i -", "i last", "i 0", "i", "I10", "i 0")
    others = ("v c", "v average", "p 8", "P12", "t", "t on", "t off", "?", "help me", "", "q", "u")
    text = talk(solved, *moves, *iterations, *others)
    walk = "0-0 ww -,0-0 ww 5,0-0 ww 51,0-0 ww 5123,0-0 ww 512,0-0 wl 512,0-0 lt 512,0-0 lt -,0-0 lt 513"
    assert positions(text)[:12] == [*walk.split(","), "0-1 wt 513", "1-1 wt 513", "1-1 wt 513"]
    assert "square 5 is not free; nothing was played\n" in text
    seen = [int(number) for number in re.findall(r"^Iteration (\d+) ", text, re.M)]
    last = seen[10]
    assert seen[10:18] == [last, 0, 1, 0, last, 0, 10, 0]
    assert f"saved iterations (* is this one): 0*, 1, 10, {last}\n" in text
    assert text.count("CURRENT strategy") == 2
    assert text.count(HELP) == 2
    assert text.count("Position") == len(positions(text)) == 26
    assert [line for line in text.splitlines() if len(line) > 80] == []


def test_what_stands_on_a_screen(solved: Path) -> None:
    """Every fact of a position, and a row of the table for every move."""
    text = talk(solved, "1-1 wl 51")
    number = r"[-+]?[\d.e-]+"
    patterns = [
        r"Position 1-1 wl 51 \(points of X-O, match to 2\)",
        r"Iteration 80 \(4 are saved, 0 to 80\), average strategy",
        r"X \(moves first\) wants to WIN; O \(second\) wants to LOSE",
        r"X moves; the squares show its average strategy for goal WIN \(=: shared\)",
        r"",
        rf" +O2 +\[2\] 0\.\d{{4}}= +\[3\] 0\.\d{{4}}= +Value to X {number}: X wins \d\d\.\d\d %",
        rf"\[4\] 0\.\d{{4}}= +X1 +\[6\] 0\.\d{{4}}= +Best response gets X {number} O {number}",
        rf"\[7\] 0\.\d{{4}}= +\[8\] 0\.\d{{4}}= +\[9\] 0\.\d{{4}} +in the whole round X {number} O {number}",
        rf"Counterfactual prob\. X 0\.1\d* O {number}; parent's X 0\.1111 O {number}",
        rf"This history happens: {number} over all goals, {number} for these goals",
        r"Belief about X's goal: win 0\.\d{4}, lose 0\.\d{4}, tie 0\.\d{4}",
        r"Belief about O's goal: win 0\.\d{4}, lose 0\.\d{4}, tie 0\.\d{4}",
        rf"Likeliest line [1-9 ]+ \({number}\), then for sure .*",
        r"",
        r" +value +prob\. +prob\. +best +regret +regret +regret",
        r"X plays +to X +average +current +resp\. +of goals +info set +total",
        *(rf" +{squares}( +{number}){{3}} +(yes|-)( +{number}){{3}}" for squares in ("2 4", "3 7", "6 8", "9")),
    ]
    last = text[text.rindex("Position") :].splitlines()
    for line, pattern in zip(last, patterns, strict=True):
        assert re.fullmatch(pattern, line), (line, pattern)


def test_forced_and_finished(solved: Path) -> None:
    """What is said of a round that is decided, and of one that is over."""
    text = talk(solved, "15928736", "g t t", "u", "r", "1 4 2 5 3", "u")
    turns = [line for line in text.splitlines() if re.match("X moves, outcome|The round is over", line)]
    assert turns == [
        "X moves, outcome forced: a tie; nobody scores.",
        "X moves, outcome forced: a tie; both score.",
        "The round is over: X makes three in a row; nobody scores.",
    ]
    last = text[text.rindex("Position") :].splitlines()
    assert [line.split()[0] for line in last if "X row" in line] == ["3"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        *((line, f"{line.split()[0]!r} is not a command: play a square (1-9), or type ? for the list") for line in NOT),
        ("y" * 50, f"'{'y' * 37}...' is not a command: play a square (1-9), or type ? for the list"),
        *((line, SQUARES) for line in ("m", "m x", "m 0", "9" * 900, "m \uff15", "5 x")),
        *((line, GOALS) for line in ("g", "g w", "g w x", "g w l t")),
        *((line, POINTS) for line in ("s", "s 4", "s -1 0", "s 9999999999 1")),
        *((line, DIGITS) for line in ("p", "p 0", "p 13", "p x")),
        *((line, f"i: {RANGE}") for line in ("i x", "i -5", "i " + "9" * 900, "i 1 2")),
        ("55", "square 5 is not free; nothing was played"),
        ("9" * 5000, "a line of 5000 characters; ? lists the commands"),
        ("u", "there is no move to take back"),
        ("u 1", "u takes one move back: no more words"),
        ("r 1", "r goes back to the start of the round: no more words"),
        ("q now", "q quits: no more words"),
        ("t maybe", "t turns the table on or off: t, t on or t off"),
        ("v", "v: a for the average strategy or c for the current one"),
        ("s 5 0", f"the score 5-0 does not exist in a match to 2; solved: 0-0, 0-1, 1-0, 1-1; {STAYS}"),
        ("9-9 ww 5", f"the score 9-9 does not exist in a match to 2; solved: 0-0, 0-1, 1-0, 1-1; {STAYS}"),
        ("i 7", f"iteration 7 is not saved; saved: 0, 1, 10, 70; {STAYS}"),
        ("i +", "70 is the last iteration that is saved"),
        ("0-0 w? 5", "both goals are needed, such as wl"),
        ("0-0 ww 11", "'11' are not moves: write different squares from 1 to 9, such as 513"),
        ("0-0 ww 1425367", "the round is over; nothing was played"),
    ],
)
def test_wrong_lines_change_nothing(
    line: str, expected: str, conversation: Conversation, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line says what is expected."""
    before = conversation.screen()
    assert conversation.onecmd(line) is False
    assert capsys.readouterr().out.replace("\udcff\udcfe", "\\udcff\\udcfe") == f"{expected}\n"
    assert conversation.screen() == before


def test_fuzzed_lines(conversation: Conversation, capsys: pytest.CaptureFixture[str]) -> None:
    """Anything either does something or says what is expected; the screen can always be drawn within 80 columns."""
    rng = random.Random(11)
    words = [*"imugsptrv?0159+-wlac", "12", "first", "last", "wl", "0-1", "1-1", "tt", "on", "off", "-1", "1e3", "\x00"]
    words += ["\u00e9", "513", "10"]
    explorer = conversation.explorer
    done = refused = 0
    for _ in range(700):
        line = " ".join(rng.choices(words, k=rng.randrange(1, 4)))
        before = conversation.screen()
        conversation.onecmd(line)
        out = capsys.readouterr().out
        if "Position" in out or out.startswith(("saved iterations", HELP)):
            done += 1
        else:
            refused += 1
            assert (len(out.splitlines()), conversation.screen()) == (1, before), line
        conversation.completions(line.split())
        if rng.random() < 0.2:
            assert max(map(len, conversation.screen().splitlines())) <= 80
            explorer.cursor = Cursor(explorer.rounds.tree, random_moves(rng, explorer.rounds.tree, rng.randrange(9)))
    assert min(done, refused) > 40


def test_a_screen_fits_a_terminal(conversation: Conversation) -> None:
    """24 lines, the prompt included, and 80 columns."""
    explorer = conversation.explorer
    for moves in [None, (), (1,), (2,), (5,), *itertools.permutations((1, 2, 5, 6), 2)]:
        explorer.cursor = Cursor(explorer.rounds.tree, moves or ())
        lines = (HELP if moves is None else conversation.screen()).splitlines()
        assert len(lines) < 24, moves
        assert max(map(len, lines)) <= 80, moves


# Where it starts, and JSON


def test_one_subgame_only(solved: Path) -> None:
    lines = ("s 1 1", "1-1 ww 5", "1-0 lt 5", "i first", "i last")
    text = talk(solved / "subgame_1_0", *lines, options=("-i", "1"))
    assert positions(text) == ["1-0 ww -", "1-0 lt 5", "1-0 lt 5", "1-0 lt 5"]
    why = "only the score 1-0 is open; for others start explore with a whole solution; still at iteration 1 of 1-0\n"
    assert text.count(why) == 2
    assert re.findall(r"^Iteration (\d+) ", text, re.M)[0] == "1"


def test_a_round_on_its_own(tmp_path: Path) -> None:
    """Values are points there, and not of matches."""
    assert call(ROUND, "-o", tmp_path / "round", *SHORT).code == 0
    text = talk(tmp_path / "round", "513", "0-0 lt 5", "s 1 1", "p 6")
    assert positions(text) == ["0-0 ww -", "0-0 ww 513", "0-0 lt 5", "0-0 lt 5"]
    assert text.count(" (a round on its own)\n") == 4
    assert "X wins" not in text
    data = json.loads(call(NAME, "-s", tmp_path / "round", "--json", "--position", "0-0 ww -").out)
    assert (data["score"], data["winning_score"], data["first_mover_wins_percent"]) == (None, None, None)


def test_json(solved: Path) -> None:
    """Every key is named in the help."""
    result = call(NAME, "-s", solved, "--json", "--position", "1-1 wl 51", "-i", "10")
    assert (result.code, result.err) == (0, "")
    data = json.loads(result.out)
    shown_in_help = set(re.findall(r"\w+", call(NAME, "--help").out))
    assert {*data, *data["choices"][0], *data["most_likely_line"]} <= shown_in_help
    where = {key: data[key] for key in ("position", "score", "winning_score", "goals", "moves", "iteration")}
    assert list(where.values()) == ["1-1 wl 51", [1, 1], 2, ["win", "lose"], [5, 1], 10]
    state = [data[key] for key in ("strategy", "to_move", "outcome", "forced_outcome", "best_response")]
    assert state == ["average", "first", None, None, None]
    assert sum(choice["average"] for choice in data["choices"]) == pytest.approx(1.0)
    answered = json.loads(call(NAME, "-s", solved, "--json", "--position", "1-1 wl").out)["best_response"]
    assert set(answered) == {"answers", "values", "round_values"} <= shown_in_help


@pytest.mark.parametrize(
    ("options", "code", "expected"),
    [
        (("--json",), 2, "--json prints one position: give it with --position"),
        (("--position", "1-1 w?"), 2, "both goals are needed, such as wl"),
        (("--position", "1-1 ww 55"), 2, "'55' are not moves: write different squares from 1 to 9, such as 513"),
        (("--position", "1-1 ww 142537"), 2, "--position 1-1 ww 142537: the round is over"),
        (("--position", "9-9 ww 5"), 1, "the score 9-9 does not exist in a match to 2; solved: 0-0, 0-1, 1-0, 1-1"),
        (("-i", "x"), 2, "'x' is not an iteration, first or last"),
        (("-i", "-1"), 2, "'-1' is not an iteration, first or last"),
        (("-i", ""), 2, "'' is not an iteration, first or last"),
        (("-i", "9" * 30), 2, f"'{'9' * 30}' is not an iteration, first or last"),
        (("-i", "7"), 1, "iteration 7 is not saved; saved: 0, 1, 10, 70"),
    ],
)
def test_mistakes_in_the_options(solved: Path, options: tuple[str, ...], code: int, expected: str) -> None:
    line = complaint(call(NAME, "-s", solved, *options), code, NAME)
    assert line.removesuffix(f" (see {NAME} --help)").endswith(f": {expected}")


# Damaged and missing files


def test_damage_while_exploring(copy: Path) -> None:
    """What cannot be used is named, and where one was stays as it was."""
    directory = copy / "subgame_1_1"
    (directory / snapshot_name(1)).write_bytes(b"rubbish")
    shutil.copy(directory / snapshot_name(0), directory / snapshot_name(5))
    shutil.copy(copy / "subgame_0_0" / snapshot_name(0), directory / snapshot_name(6))
    text = talk(copy, "s 1 1", "i 10", "i 1", "i 5", "i 6", "i 0", "i -", "i 10")
    iterations = re.findall(r"^Iteration (\d+) ", text, re.M)
    assert iterations[2:] == ["10", "0", "10"]
    complaints = [line for line in text.splitlines() if line.endswith("; still at iteration 10 of 1-1")]
    reasons = ("not a file of smbc-tictactoe", "holds iteration 0", "not a snapshot of the score 1-1")
    assert [words in line for line, words in zip(complaints, reasons, strict=True)] == [True] * 3


def test_a_damaged_best_response(copy: Path) -> None:
    rounds = SavedRounds(copy)
    path = copy / "subgame_1_1" / response_name(rounds.load(Score(1, 1)).iteration)
    path.write_bytes(path.read_bytes()[:-1])
    other = rounds.load(Score(0, 0)).iteration
    text = " ".join(talk(copy, "s 1 1", "s 0 0").split())
    assert "Best response: damaged" in text
    assert text.count("the checksum does not match") == 1
    shutil.copy(copy / "subgame_0_0" / response_name(other), path)
    assert f"answers iteration {other} of 0-0" in " ".join(talk(copy, "s 1 1").split())


def test_files_that_vanish(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    conversation = Conversation(Explorer(SavedRounds(copy)))
    for directory, line, answer in (
        ("subgame_1_1", "s 1 1", f"No such file or directory; {STAYS}"),
        ("subgame_0_0", "i 0", "no iteration is saved here any more"),
        ("subgame_0_0", "i first", "no iteration is saved here any more"),
        ("subgame_0_0", "i", r"saved iterations \(\* is this one\): none"),
    ):
        shutil.rmtree(copy / directory, ignore_errors=True)
        conversation.onecmd(line)
        assert re.search(answer, capsys.readouterr().out), line
    assert "Iteration 70 (none is saved any more), average strategy" in conversation.screen()


def test_a_snapshot_without_regrets(copy: Path) -> None:
    path = copy / "subgame_1_1" / snapshot_name(10)
    snapshot = Snapshot.load(path, SavedRounds(copy).tree)
    dataclasses.replace(snapshot, regrets=np.zeros_like(snapshot.regrets)).save(path)
    assert talk(copy, "s 1 1", "i 10").count("not kept") == 3


# Terminals


def test_on_a_terminal(solved: Path) -> None:
    """A prompt, completion, history, a window of another size, and Ctrl-C."""
    terminal = Terminal(NAME, "-s", solved)
    child = terminal.child
    child.expect("explore> ")
    for line, answer in (
        ("5", r"0-0 ww 5\b"),
        ("g w l", r"0-0 wl 5\b"),
        ("xyz", "is not a command"),
        ("i", "saved iterations"),
        ("i fi\t", "Iteration 0 "),
        ("\x1b[A", "Iteration 0 "),
        ("\u00e9\u00bd", "is not a command"),
    ):
        child.send(line + "\r")
        child.expect(answer)
        child.expect("explore> ")
    child.setwinsize(10, 40)
    child.send("1\r")
    child.expect(r"0-0 wl 51\b")
    child.expect("explore> ")
    child.sendintr()
    code, output = terminal.finish()
    assert code == 130
    assert "Traceback" not in output
    assert too_wide(output) == []


@pytest.mark.parametrize(("variables", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_colour_and_the_end_of_the_input(solved: Path, variables: dict[str, str], coloured: bool) -> None:
    """Ctrl-D ends it with a line of its own."""
    terminal = Terminal(NAME, "-s", solved, **variables)
    terminal.child.expect("explore> ")
    terminal.child.send("5\r")
    terminal.child.expect("ww 5")
    terminal.child.expect("explore> ")
    terminal.child.sendeof()
    code, output = terminal.finish()
    assert code == 0
    assert output.endswith("\n")
    assert bool(re.search(r"\x1b\[[0-9;]+m", output)) is coloured
