"""play-multiround through pipes, by the rules of options, solution or transcript, and on a dumb terminal. Consoles
play*.txt show texts and refusals."""

import json
import random
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.programs import ANYTHING, call, complaint, environment, json_of, program, text_of
from support.terminal import Terminal, panel
from support.waiting import HANGS
from tictactoe.tools.commands import play_multiround

PLAY = "play-multiround"
INTERACTIVE = (PLAY, "explore")
EVERYTHING = "1\n2\n3\n4\n5\n6\n7\n8\n9\n" * 12
"""Digits that end any round: taken squares are refused, and change nothing."""


def test_the_goal_of_the_bot_stays_secret_during_the_round() -> None:
    screens = set()
    for goal in ("win", "lose", "tie"):
        options = ("--seed", 1, "--goal", f"win,{goal}", "--seat", "first")
        out = call(PLAY, *options, typed="h\nb\n?\n").out
        before, _, after = out.partition("Stopped (end of input)")
        assert "nonce" not in before
        assert f"round 1 goal {goal} nonce" in after
        screens.add(re.sub(r"\w{64}", "HASH", before))
    assert len(screens) == 1


BAD = [*" \x00\u0665\uff15\u00e9\U0001f600\x7f", "-1", "+5", "H5", "\x1b[A", "5\u0301", "a" * 100_000, "''", "%s", "{}"]


def test_strange_input_is_answered_in_printable_lines() -> None:
    out = text_of(PLAY, "--rounds", 1, "--seed", 1, "--seat", "first", typed="\n".join([*BAD, "q\n"]))
    asked = [line for line in out.splitlines() if line.startswith("Your move?")]
    assert asked == [asked[0]] * (len(BAD) + 1)
    assert len([line for line in out.splitlines() if "or a letter: h, b, u, ?, q" in line]) == len(BAD)
    assert max(map(len, out.splitlines())) < 250
    assert "\x1b" not in out


def test_raw_bytes_through_a_real_pipe() -> None:
    generator = random.Random(5)
    data = bytes(generator.randrange(256) for _ in range(20_000)) + b"\n" + b"9" * 3_000_000 + b"\n\xff\xfe\n\x00"
    done = subprocess.run([*program("explore")], input=data, capture_output=True, env=environment(), timeout=300)
    assert (done.returncode, done.stderr) == (0, b"")
    assert not {0, 0x1B} & set(done.stdout)


def test_the_end_of_input_at_any_point() -> None:
    whole = text_of(PLAY, "--winning-score", 1, "--seed", 3, typed=EVERYTHING * 3)
    assert "the match." in whole
    used = whole.count("Your move?")
    for length in range(0, 2 * used - 1, 7):  # also in the middle of a line
        cut = text_of(PLAY, "--winning-score", 1, "--seed", 3, typed=EVERYTHING[:length])
        stopped = next(line for line in cut.splitlines() if line.startswith("Stopped"))
        assert re.fullmatch(r"Stopped \(end of input\); rounds played: \d\. .*", stopped)
        assert whole.startswith(cut[: cut.rindex("Stopped")])
        assert cut.count("Commitment opened: ") == cut.count("Commitment to the bot's goal: ")


def test_interrupted_in_a_pipe() -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen([*program("explore")], env=environment(), stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(HANGS) == 130
        assert process.stderr.read().strip() == b""


def test_a_quick_start_without_the_compiler() -> None:
    script = f"""
import importlib, io, sys
for name in {INTERACTIVE}:
    sys.argv, sys.stdin = [name], io.StringIO("5\\nh\\nb\\ni\\nq\\n")
    try:
        importlib.import_module(f"tictactoe.tools.commands.{{name.replace('-', '_')}}").command()
    except SystemExit as end:
        assert end.code == 0
print(*sys.modules)
"""
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=300)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "tictactoe.play.notation" in loaded
    assert not {"numba", "tictactoe.algorithms.kernels", "rich", "matplotlib"} & loaded


def test_a_dumb_terminal() -> None:
    """It is no place for drawings. test_play_terminal.py has NO_COLOR and --plain."""
    terminal = Terminal(PLAY, "--rounds", 1, "--seed", 1, "--seat", "first", TERM="dumb")
    terminal.talk(("5", "Move 2"), ("h", "Hint"))
    terminal.child.sendeof()
    assert terminal.finish()[0] == 0
    assert "\x1b" not in terminal.raw


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
    reason = "and the program comes with no match to 5 by these rules; name a solution"
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
        assert "by the rules filled-none 1:0:2, nobody draws the goal lose" in line


def test_a_match_that_is_watched_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play_multiround, "MOST_WATCHED", 2)
    watched = call("play-multiround", "--auto", "--seed", "1")
    assert (watched.code, len(watched.out.splitlines())) == (1, 2)
    assert watched.err == ("play-multiround: stopped after 2 rounds: perhaps neither player ever takes the lead\n")


def test_a_match_of_many_rounds_says_how_exploitable_it_is(tmp_path: Path) -> None:
    rare = ("--rules", "1:0:500")
    result = call("solve-multiround", "-o", tmp_path, "--winning-score", 1, *rare, "--json", "--quiet")
    assert result.code == 0
    solved, judged = json.loads(result.out), json_of("best-response-multiround", "-s", tmp_path)
    total = judged["total_exploitability"]
    assert solved["total_exploitability"] == total > 100 * solved["subgames"][0]["exploitability"]
    assert result.err.startswith("solve-multiround: with these odds, it takes 25")
    shown = call("solve-multiround", "-o", tmp_path, "--winning-score", 1, *rare).out
    bot = "Total exploitability of the bot in a match to 1 by the rules three-in-a-row 1:0:500: "
    assert f"{bot}{total:.2e} in" in shown
