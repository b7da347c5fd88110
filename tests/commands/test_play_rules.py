"""Rules and odds while playing: of options, solution, transcript. The console play_rules.txt has texts and refusals."""

import json
import re
from pathlib import Path

import pytest
from support.programs import ANYTHING, call, complaint, json_of, text_of
from support.terminal import Terminal, panel
from tictactoe.tools.commands import play_multiround

PLAY = "play-multiround"


@pytest.fixture
def left(tmp_path: Path) -> Path:
    """The transcript of a match that was left in the middle of a round by filled."""
    path = tmp_path / "left.jsonl"
    options = ("--rules", "filled", "--winning-score", 2, "--seed", 1, "--seat", "first", "--transcript", path)
    assert call(PLAY, *options, typed="5\n1\n").code == 0
    return path


def test_what_ships_is_played_at_once(tmp_path: Path) -> None:
    file = tmp_path / "match.jsonl"
    out = call(PLAY, "--rules", "filled", "--seed", 3, "--winning-score", 2, "--transcript", file, typed=ANYTHING).out
    assert re.search(r"wins? the match", out)
    header, *rounds, _ = map(json.loads, file.read_text().splitlines())
    assert (header["rules"], header["solution"]) == ("filled", None)
    assert max(len(played["moves"]) for played in rounds) >= 7
    review = re.search(r"The player who moves first(.|\n)*", out)
    assert review
    assert text_of("review", file).partition("\n")[2] == review[0]
    assert all("review" in line for line in json_of("review", file, "--json")["transcript"][1:-1])


@pytest.mark.parametrize("given", [(), ("--rules", "filled-none 2:0:4")], ids=["none", "the same"])
def test_rules_are_those_of_the_solution(given: tuple[str, ...], odd: Path, tmp_path: Path) -> None:
    file = tmp_path / "match.jsonl"
    assert call(PLAY, "-s", odd, "--seed", 1, "--transcript", file, *given, typed="5\n").code == 0
    assert json.loads(file.read_text().splitlines()[0])["rules"] == "filled-none 1:0:2"
    assert call("review", file).code == 0


def test_rules_of_a_transcript_for_which_nothing_ships(left: Path) -> None:
    text = left.read_text()
    left.write_text(text.replace('"rules": "filled"', '"rules": "filled-tie"'))
    reason = "and no match to 5 by these comes with the program; name a solution"
    line = complaint(call("review", left), 1, "review")
    assert line == f"tictactoe review: {left}: was played by the rules filled-tie, {reason}"
    left.write_text(text.replace('"rules": "filled"', '"rules": "blindfold"'))
    assert "unknown rules 'blindfold'" in complaint(call("review", left), 1, "review")
    assert "unknown rules 'blindfold'" in complaint(call(PLAY, "--position", left), 1, PLAY)


def test_odds_are_told(odd: Path) -> None:
    terminal = Terminal(PLAY, "--rounds", 1, "-s", odd, "--seed", 1, "--seat", "first", rows=20, columns=60)
    for shown in (terminal.asked(), terminal.enter("?", "mark that square")):
        assert "larger window" not in shown
        assert "Goals are not drawn equally often: WIN 33 %, LOSE 0 %, TIE 67 %." in panel(shown)
    terminal.interrupt()
    for options in (("--goal", "lose"), ("--goal", "any,lose"), ("--position", "0-0 l? 5")):
        line = complaint(call(PLAY, "-s", odd, *options), 2, PLAY)
        assert "by the rules filled-none 1:0:2 nobody draws the goal lose" in line


def test_a_match_that_is_watched_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play_multiround, "MOST_WATCHED", 2)
    watched = call("play-multiround", "--auto", "--seed", "1")
    assert (watched.code, len(watched.out.splitlines())) == (1, 2)
    assert watched.err == ("play-multiround: stopped after 2 rounds: such players may never get ahead of each other\n")


def test_a_match_of_many_rounds_says_how_exploitable_it_is(tmp_path: Path) -> None:
    rare = ("--rules", "1:0:500")
    result = call("solve-multiround", "-o", tmp_path, "--winning-score", 1, *rare, "--json", "--quiet")
    assert result.code == 0
    solved, judged = json.loads(result.out), json_of("best-response-multiround", "-s", tmp_path)
    total = judged["total_exploitability"]
    assert solved["total_exploitability"] == total > 100 * solved["subgames"][0]["exploitability"]
    assert result.err.startswith("solve-multiround: with these odds of the goals 25")
    shown = call("solve-multiround", "-o", tmp_path, "--winning-score", 1, *rare).out
    bot = "Total exploitability of the bot in a match to 1 by the rules three-in-a-row 1:0:500: "
    assert f"{bot}{total:.2e} in" in shown
