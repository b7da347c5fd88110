"""explore: what its lines do, its JSON, and damaged files. consoles/explore*.txt show its screens."""

import random
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.playing import random_moves
from support.programs import call, json_of, text_of
from support.terminal import Terminal, too_wide
from tictactoe.tools.screens.conversation import Conversation
from tictactoe.tools.screens.explore_screen import help_lines

from tictactoe import Cursor, Rules, Score
from tictactoe.play.explorer import Explorer, words_after
from tictactoe.storage.directory_layout import response_name
from tictactoe.storage.open_saved import SavedRounds

NAME = "explore"
HELP = "\n".join(help_lines(80, Rules()))


@pytest.fixture
def copy(explored: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(explored, tmp_path / "copy"))


@pytest.fixture
def conversation(explored: Path) -> Conversation:
    return Conversation(Explorer(SavedRounds(explored)))


def talk(directory: Path, *lines: str) -> str:
    return text_of(NAME, "-s", directory, typed="\n".join(lines))


def iterations(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"^Iteration (\d+) ", text, re.M)]


def test_every_command(explored: Path) -> None:
    moves = ("5", "m 1", "m 2 3", "u", "g w l", "g lose tie", "g ? win", "g lt", "r", "513", "0-1 wt 513", "s 1 1")
    walk = "0-0 ?? -,0-0 ?? 5,0-0 ?? 51,0-0 ?? 5123,0-0 ?? 512,0-0 wl 512,0-0 lt 512,0-0 ?w 512,0-0 lt 512,0-0 lt -"
    others = ("v c", "v average", "p 8", "P12", "t", "t on", "t off", "d", "d off", "?", "help me", "", "q", "u")
    text = talk(explored, *moves, "i first", "i +", "i last", "i -", "i -", "I10", *others)
    positions = re.findall(r"^Position (\S+ \S+ \S+) ", text, re.M)
    assert positions[:13] == [*walk.split(","), "0-0 lt 513", "0-1 wt 513", "1-1 wt 513"]
    last = iterations(text)[12]
    assert iterations(text)[12:19] == [last, 0, 1, last, 10, 1, 10]
    assert (text.count("CURRENT strategy"), text.count(HELP)) == (1, 2)
    assert text.count("Position") == len(positions) == 29
    assert [line for line in text.splitlines() if len(line) > 80] == []


WORDS = [*"imugsptrvd?0159+-wlac", "12", "first", "last", "wl", "w?", "0-1", "1-1", "tt", "on", "off", "-1", "1e3"]
WORDS += ["\x00", "\u00e9", "513", "10"]
STRANGE = ("\u00bd", "\u0665", "m \uff15", "\x00\x01\x1b[2J", "\udcff\udcfe", "\U0001f600 5", "9" * 900)
STRANGE += ("9" * 5000, "i " + "9" * 900)


@pytest.mark.parametrize("count", [40, pytest.param(700, marks=pytest.mark.slow)])
def test_fuzzed_lines(count: int, conversation: Conversation, capsys: pytest.CaptureFixture[str]) -> None:
    rng, explorer = random.Random(11), conversation.explorer
    done = 0
    for line in (*STRANGE, *(" ".join(rng.choices(WORDS, k=rng.randrange(1, 4))) for _ in range(count))):
        before = conversation.lines()
        assert conversation.onecmd(line) is False or line[0] == "q"
        out = capsys.readouterr().out
        if "Position" in out or out.startswith(("saved iterations", HELP)):
            done += 1
        else:
            assert (len(out.splitlines()), conversation.lines()) == (1, before), line
            assert len(out) < 120
        words_after(line.split(), explorer)
        if rng.random() < 0.2:
            assert max(map(len, conversation.lines())) <= 80
            explorer.cursor = Cursor(explorer.rounds.tree, random_moves(rng, explorer.rounds.tree, rng.randrange(9)))
    assert count / 20 < done < count * 19 / 20


def test_json(explored: Path) -> None:
    data = json_of(NAME, "-s", explored, "--position", "1-1 wl 51", "-i", "10")
    shown_in_help = set(re.findall(r"\w+", call(NAME, "--help").out))
    assert {*data, *data["choices"][0], *data["most_likely_line"]} <= shown_in_help
    assert {*data["rows"][0], *data["rows"][0]["moves"][0]} <= shown_in_help
    assert data["best_response"] is None
    assert sum(choice["average"] for choice in data["choices"]) == pytest.approx(1.0)
    answered = json_of(NAME, "-s", explored, "--position", "1-1 wl")["best_response"]
    assert set(answered) == {"answers", "values", "round_values"} <= shown_in_help


@pytest.mark.parametrize(("score", "moves", "off"), [("1-1", "51", False), ("0-0", "17", True)])
def test_json_of_an_unknown_goal(score: str, moves: str, off: bool) -> None:
    """off: after a mistake, in a solution that is not refined."""
    solution = "match_to_1" if off else "shipped"

    def seen(goals: str) -> dict[str, Any]:
        return json_of(NAME, "-s", solution, "--position", f"{score} {goals} {moves}")

    weighed = seen("w?")
    belief = weighed["beliefs"][1]
    assert (belief is None) == off
    assert weighed["goals"] == ["win", None]
    assert weighed["weights"] == [[1.0, 0.0, 0.0], [1 / 3] * 3 if belief is None else belief]
    known = [seen(f"w{letter}") for letter in "wlt"]
    for name in ("expected_value", "first_mover_wins_percent"):
        assert weighed[name] == pytest.approx(np.dot(weighed["weights"][1], [data[name] for data in known]))
    assert [data["rows"] for data in known] == [weighed["rows"]] * 3
    both = seen("??")
    assert both["mover_value"] >= both["expected_value"] - 1e-9
    assert off or both["mover_value"] == pytest.approx(both["expected_value"])
    assert {choice["best_response"] for choice in both["choices"]} == {None}


def test_a_damaged_best_response(copy: Path) -> None:
    rounds = SavedRounds(copy)
    path = copy / "subgame_1_1" / response_name(rounds.load(Score(1, 1)).iteration)
    path.write_bytes(path.read_bytes()[:-1])
    text = " ".join(talk(copy, "d", "s 1 1", "s 0 0").split())
    assert "Best response: damaged" in text
    assert text.count("the checksum does not match") == 1
    other = rounds.load(Score(0, 0)).iteration
    shutil.copy(copy / "subgame_0_0" / response_name(other), path)
    assert f"answers iteration {other} of 0-0" in " ".join(talk(copy, "d", "s 1 1").split())


def test_files_that_vanish(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    conversation = Conversation(Explorer(SavedRounds(copy)))
    for directory, line, answer in (
        ("subgame_1_1", "s 1 1", "No such file or directory; still at iteration 70 of 0-0"),
        ("subgame_0_0", "i 0", "no iteration is saved here any longer"),
        ("subgame_0_0", "i first", "no iteration is saved here any longer"),
        ("subgame_0_0", "i", "saved iterations (* is this one): none"),
    ):
        shutil.rmtree(copy / directory, ignore_errors=True)
        conversation.onecmd(line)
        assert answer in capsys.readouterr().out, line
    assert "Iteration 70 (it is no longer saved), average strategy" in conversation.lines()


def test_marks_of_lines_stand_out() -> None:
    terminal = Terminal(NAME, "-s", "filled", "--position", "0-0 ww 142536", rows=20, columns=60)
    screen = terminal.asked()
    assert re.sub(r"\s+", " ", screen).count("both have three in a row (so far X 1 2 3, O 4 5 6)") == 1
    reverse = {
        (row, column) for row, cells in terminal.screen.buffer.items() for column, cell in cells.items() if cell.reverse
    }
    marked = {screen.splitlines()[line][column : column + 2] for line, column in reverse} & {"X1", "X3", "X5", "O2"}
    assert marked == {"X1", "X3", "X5", "O2"}
    terminal.talk(("0-0 ww 1425", "O4"), ("q", ""))
    code, output = terminal.finish()
    assert code == 0
    assert too_wide(output, 60) == []
    assert "\x1b[1;36;7m" not in output[output.rindex("Position 0-0 ww 1425") :]


MINE = """
class Guess:
    types = ("red", "blue"), ("",)
    def prior(self, first, second):
        return 0.5
    def root(self):
        return ""
    def owner(self, state):
        return None if state else 1
    def moves(self, state):
        return [("red", "red"), ("blue", "blue")]
    def payoff(self, state, first, second):
        return -1.0 if state == first else 1.0
"""


def test_a_game_of_a_file_is_run_only_where_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    game, out = f"{tmp_path}/mine.py:Guess", tmp_path / "out"
    assert call("game solve", game, "-o", out, "--max-iterations", "20", "--quiet").code == 0
    refused = call(NAME, "-s", out, "--position", "/", "--json")
    assert (refused.code, refused.out) == (2, "")
    assert "that is run; name it if you trust it" in refused.err
    seen = json_of(NAME, "-s", out, "--game", game, "--position", "/", "--json")
    assert (seen["to_move"], seen["value"], [row["type"] for row in seen["rows"]]) == ("second", 0.0, [""])
