"""play-multiround through pipes, and a whole match on a terminal. consoles/play*.txt show texts."""

import random
import re
import signal
import subprocess
import sys

from support.programs import call, environment, program, text_of
from support.terminal import Terminal
from support.waiting import HANGS

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
