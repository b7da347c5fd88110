"""explore in the hands of friends and enemies: lines that it follows and refuses, where it starts, damaged files."""

from __future__ import annotations

import dataclasses
import json
import random
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.playing import random_moves
from support.programs import ROUND, SHORT, call, complaint, json_of
from tictactoe.tools.screens.conversation import Conversation
from tictactoe.tools.screens.explore_help import help_lines

from tictactoe.games.cursor import Cursor
from tictactoe.games.rules import Rules
from tictactoe.match.scores import Score
from tictactoe.play.explorer import Explorer
from tictactoe.storage.directory_layout import response_name, snapshot_name
from tictactoe.storage.open_saved import SavedRounds
from tictactoe.storage.snapshot import Snapshot

NAME = "explore"
RANGE = "give an iteration, first, last, + or -, or nothing for the list"
GOALS = "g: give the goals of X and of O, each w, l, t or ?, such as g w ?"
SQUARES = "m: give one or more squares from 1 to 9, such as m 5 or m 5 1 3"
POINTS = "s: give the points of X and of O, such as s 4 3"
DIGITS = "p: give a number of digits from 1 to 12, such as p 6"
NOT = ("foo", "\u00bd", "\u0665", "\x00\x01\x1b[2J", "\udcff\udcfe", "\U0001f600 5", "igm", "m-5", "5m", "do_m")
STAYS = "still at iteration 70 of 0-0"
HELP = "\n".join(help_lines(80, Rules()))


@pytest.fixture
def copy(explored: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(explored, tmp_path / "copy"))


@pytest.fixture
def conversation(explored: Path) -> Conversation:
    return Conversation(Explorer(SavedRounds(explored)))


def talk(directory: Path, *lines: str, options: tuple[str, ...] = ()) -> str:
    """What explore prints when these lines are typed into it."""
    result = call(NAME, "-s", directory, *options, typed="\n".join(lines))
    assert (result.code, result.err) == (0, "")
    return result.out


def positions(text: str) -> list[str]:
    return re.findall(r"^Position (\S+ \S+ \S+) ", text, re.M)


# Lines


def test_every_command(explored: Path) -> None:
    """Where each leads, in lines of at most 80 columns."""
    moves = ("5", "m 1", "m 2 3", "u", "g w l", "g lose tie", "r", "513", "5 9", "0-1 wt 513", "s 1 1")
    iterations = ("i first", "i +", "i -", "i last", "i 0", "i", "I10", "i 0")
    others = ("v c", "v average", "p 8", "P12", "t", "t on", "t off", "d", "d off", "?", "help me", "", "q", "u")
    text = talk(explored, *moves, *iterations, *others)
    walk = "0-0 ?? -,0-0 ?? 5,0-0 ?? 51,0-0 ?? 5123,0-0 ?? 512,0-0 wl 512,0-0 lt 512,0-0 lt -,0-0 lt 513"
    assert positions(text)[:12] == [*walk.split(","), "0-1 wt 513", "1-1 wt 513", "1-1 wt 513"]
    assert "square 5 is not free; nothing was played\n" in text
    seen = [int(number) for number in re.findall(r"^Iteration (\d+) ", text, re.M)]
    last = seen[10]
    assert seen[10:18] == [last, 0, 1, 0, last, 0, 10, 0]
    assert f"saved iterations (* is this one): 0*, 1, 10, {last}\n" in text
    assert text.count("CURRENT strategy") == 1
    assert text.count(HELP) == 2
    assert text.count("Position") == len(positions(text)) == 28
    assert [line for line in text.splitlines() if len(line) > 80] == []


WRONG: tuple[tuple[str, str], ...] = (
    *((line, f"{line.split()[0]!r} is not a command: play a square (1-9), or type ? for the list") for line in NOT),
    ("y" * 50, f"'{'y' * 37}...' is not a command: play a square (1-9), or type ? for the list"),
    *((line, SQUARES) for line in ("m", "m x", "m 0", "9" * 900, "m \uff15", "5 x")),
    *((line, GOALS) for line in ("g", "g w", "g w x", "g w l t", "g ? ? ?")),
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
    ("0-0 w! 5", "'w!' are not two goals: write w, l or t for each player, ? if unknown, such as w?"),
    ("d maybe", "d turns the details on or off: d, d on or d off"),
    ("0-0 ww 11", "'11' are not moves: write different squares from 1 to 9, such as 513"),
    ("0-0 ww 1425367", "the round is over; nothing was played"),
)


def test_wrong_lines_change_nothing(conversation: Conversation, capsys: pytest.CaptureFixture[str]) -> None:
    """One line says what is expected."""
    before, explorer = conversation.lines(), conversation.explorer
    there = (explorer.cursor.moves, explorer.goals, explorer.saved.iteration)
    for line, expected in WRONG:
        assert conversation.onecmd(line) is False
        assert capsys.readouterr().out.replace("\udcff\udcfe", "\\udcff\\udcfe") == f"{expected}\n", line
        assert (explorer.cursor.moves, explorer.goals, explorer.saved.iteration) == there, line
    assert conversation.lines() == before


@pytest.mark.parametrize("count", [200, pytest.param(700, marks=pytest.mark.slow)])
def test_fuzzed_lines(count: int, conversation: Conversation, capsys: pytest.CaptureFixture[str]) -> None:
    """Anything either does something or says what is expected; the screen can always be drawn within 80 columns."""
    rng = random.Random(11)
    words = [
        *"imugsptrvd?0159+-wlac",
        "12",
        "first",
        "last",
        "wl",
        "w?",
        "0-1",
        "1-1",
        "tt",
        "on",
        "off",
        "-1",
        "1e3",
        "\x00",
    ]
    words += ["\u00e9", "513", "10"]
    explorer = conversation.explorer
    done = refused = 0
    for _ in range(count):
        line = " ".join(rng.choices(words, k=rng.randrange(1, 4)))
        before = conversation.lines()
        conversation.onecmd(line)
        out = capsys.readouterr().out
        if "Position" in out or out.startswith(("saved iterations", HELP)):
            done += 1
        else:
            refused += 1
            assert (len(out.splitlines()), conversation.lines()) == (1, before), line
        conversation.completions(line.split())
        if rng.random() < 0.2:
            assert max(map(len, conversation.lines())) <= 80
            explorer.cursor = Cursor(explorer.rounds.tree, random_moves(rng, explorer.rounds.tree, rng.randrange(9)))
    assert min(done, refused) > count / 20


# Where it starts, and JSON


def test_one_subgame_only(explored: Path) -> None:
    lines = ("s 1 1", "1-1 ww 5", "1-0 lt 5", "i first", "i last")
    text = talk(explored / "subgame_1_0", *lines, options=("-i", "1"))
    assert positions(text) == ["1-0 ?? -", "1-0 lt 5", "1-0 lt 5", "1-0 lt 5"]
    why = "only the score 1-0 is open; for others start explore with a whole solution; still at iteration 1 of 1-0\n"
    assert text.count(why) == 2
    assert re.findall(r"^Iteration (\d+) ", text, re.M)[0] == "1"


def test_a_round_on_its_own(tmp_path: Path) -> None:
    """Values are points there, and not of matches."""
    assert call(ROUND, "-o", tmp_path / "round", *SHORT).code == 0
    text = talk(tmp_path / "round", "513", "0-0 lt 5", "s 1 1", "p 6")
    assert positions(text) == ["0-0 ?? -", "0-0 ?? 513", "0-0 lt 5", "0-0 lt 5"]
    assert text.count(" (a round on its own)\n") == 4
    assert "wins" not in text
    assert "of matches" not in text
    data = json.loads(call(NAME, "-s", tmp_path / "round", "--json", "--position", "0-0 ww -").out)
    assert (data["score"], data["winning_score"], data["first_mover_wins_percent"]) == (None, None, None)


def test_json(explored: Path) -> None:
    """Every key is named in the help."""
    result = call(NAME, "-s", explored, "--json", "--position", "1-1 wl 51", "-i", "10")
    assert (result.code, result.err) == (0, "")
    data = json.loads(result.out)
    shown_in_help = set(re.findall(r"\w+", call(NAME, "--help").out))
    assert {*data, *data["choices"][0], *data["most_likely_line"]} <= shown_in_help
    assert {*data["rows"][0], *data["rows"][0]["moves"][0]} <= shown_in_help
    where = {key: data[key] for key in ("position", "score", "winning_score", "goals", "moves", "iteration")}
    assert list(where.values()) == ["1-1 wl 51", [1, 1], 2, ["win", "lose"], [5, 1], 10]
    state = [data[key] for key in ("strategy", "to_move", "outcome", "forced_outcome", "best_response")]
    assert state == ["average", "first", None, None, None]
    assert sum(choice["average"] for choice in data["choices"]) == pytest.approx(1.0)
    answered = json.loads(call(NAME, "-s", explored, "--json", "--position", "1-1 wl").out)["best_response"]
    assert set(answered) == {"answers", "values", "round_values"} <= shown_in_help


def test_json_of_an_unknown_goal(explored: Path) -> None:
    """The mean over the goals, by the beliefs, or by each the same where the moves fit no goal; null where none is."""

    def shown(position: str, *options: object) -> dict[str, Any]:
        data: dict[str, Any] = json_of(NAME, "--position", position, *options)
        return data

    for score, moves, off in (("1-1", "51", False), ("0-0", "17", True)):
        weighed = shown(f"{score} w? {moves}")
        belief = weighed["beliefs"][1]
        assert (belief is None) == off
        assert weighed["goals"] == ["win", None]
        assert weighed["weights"] == [[1.0, 0.0, 0.0], [1 / 3] * 3 if belief is None else belief]
        known = [shown(f"{score} w{letter} {moves}") for letter in "wlt"]
        for name in ("expected_value", "first_mover_wins_percent"):
            mean = np.dot(weighed["weights"][1], [data[name] for data in known])
            assert weighed[name] == pytest.approx(mean)
        assert [data["rows"] for data in known] == [weighed["rows"]] * 3
    both = shown("1-1 ?? 51", "-s", explored)
    assert both["mover_value"] == pytest.approx(both["expected_value"])
    assert {choice["best_response"] for choice in both["choices"]} == {None}
    over = shown("1-1 ?? 14253", "-s", explored)
    assert [over[key] for key in ("to_move", "mover_value", "mover_wins_percent", "rows")] == [None, None, None, []]


@pytest.mark.parametrize(
    ("options", "code", "expected"),
    [
        (("--json",), 2, "--json prints one position: give it with --position"),
        (
            ("--position", "1-1 w"),
            2,
            "'w' are not two goals: write w, l or t for each player, ? if unknown, such as w?",
        ),
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
def test_mistakes_in_the_options(explored: Path, options: tuple[str, ...], code: int, expected: str) -> None:
    line = complaint(call(NAME, "-s", explored, *options), code, NAME)
    assert line.removesuffix(f" (see {NAME} --help)").endswith(f": {expected}")


# Damaged and missing files


def test_damage_while_exploring(copy: Path) -> None:
    """What cannot be used is named, and where one was stays as it was."""
    directory = copy / "subgame_1_1"
    (directory / snapshot_name(1)).write_bytes(b"rubbish")
    shutil.copy(directory / snapshot_name(0), directory / snapshot_name(5))
    other = Snapshot.load(copy / "subgame_0_0" / snapshot_name(0), SavedRounds(copy).tree)
    replace(other, iteration=6).save(directory / snapshot_name(6))
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
    text = " ".join(talk(copy, "d", "s 1 1", "s 0 0").split())
    assert "Best response: damaged" in text
    assert text.count("the checksum does not match") == 1
    shutil.copy(copy / "subgame_0_0" / response_name(other), path)
    assert f"answers iteration {other} of 0-0" in " ".join(talk(copy, "d", "s 1 1").split())


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
    assert "Iteration 70 (it is not saved any more), average strategy" in conversation.lines()


def test_a_snapshot_without_regrets(copy: Path) -> None:
    path = copy / "subgame_1_1" / snapshot_name(10)
    snapshot = Snapshot.load(path, SavedRounds(copy).tree)
    dataclasses.replace(snapshot, regrets=np.zeros_like(snapshot.regrets)).save(path)
    headings = re.findall(r"^X plays .*$", talk(copy, "d", "1-1 wl", "i 10"), re.M)
    assert [heading.split()[-1] for heading in headings] == ["total", "total", "set"]


def test_the_digits_of_a_numpad(explored: Path) -> None:
    """The same screens but for the digits, and the position as every command takes it; --json has those of a phone."""
    numpad = dict(zip("123456789", "789456123", strict=True))
    plain = talk(explored, "0-0 w? 19", "4", "d", "d", "1", "u", "r")
    turned = talk(explored, "0-0 w? n73", "4", "d", "d", "7", "u", "r", options=("--keypad", "numpad"))

    def facts(text: str) -> list[str]:
        """Positions, and rows of the board."""
        return [line for line in text.splitlines() if line.startswith("Position") or " | " in line]

    def as_numpad(line: str) -> str:
        if line.startswith("Position"):
            return re.sub(r"(?<=\?\? |w\? )(\d+)", lambda moves: "n" + "".join(numpad[d] for d in moves[1]), line)
        return re.sub(r"\[(\d)\]", lambda square: f"[{numpad[square[1]]}]", line)

    assert len(facts(plain)) > 20
    assert facts(turned) == [as_numpad(line) for line in facts(plain)]
    assert "square 7 is not free; nothing was played" in turned
    assert "square 1 is not free; nothing was played" in plain
    assert "7 8 9 / 4 5 6 / 1 2 3" in talk(explored, "?", options=("--keypad", "numpad"))
    options = ("-s", explored, "--position", "0-0 w? n79", "--json")
    assert call(NAME, *options, "--keypad", "numpad").out == call(NAME, *options).out
