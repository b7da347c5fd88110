"""play-multiround and play-subgame as people use them: through pipes, and on a terminal of 80 columns and 24 lines."""

from __future__ import annotations

import hashlib
import io
import os
import random
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path
from unittest import mock

import pexpect
import pytest
from commands import ROUND, SHORT, Result, call, complaint, environment, program

from tictactoe.playing import replay
from tictactoe.solution import load_solution, shipped_solution
from tictactoe.tree import GameTree

PLAY, PRACTISE = "play-multiround", "play-subgame"
BOTH = (PLAY, PRACTISE)
EVERYTHING = "123456789" * 12
"""Digits that end any round: what is taken is refused and changes nothing."""
ROWS, COLUMNS = 24, 80


@pytest.fixture(scope="module")
def single(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A round on its own, solved a little."""
    output = tmp_path_factory.mktemp("play") / "round"
    assert call(ROUND, "-o", output, "--quiet", *SHORT).code == 0
    return output


@pytest.fixture(scope="module")
def tree() -> GameTree:
    return load_solution(shipped_solution()).tree


def typed(name: str, text: str, *arguments: object) -> Result:
    """The command in this process with `text` as its standard input."""
    with mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode("utf-8", "surrogateescape")))):
        return call(name, *arguments)


def piped(name: str, data: bytes, *arguments: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [program(name), *map(str, arguments)], input=data, capture_output=True, env=environment(), timeout=60,
        check=False,
    )  # fmt: skip


def lines(text: str) -> str:
    return "".join(f"{character}\n" for character in text)


@pytest.mark.parametrize("seed", range(6))
def test_a_whole_match_through_a_pipe(seed: int, tmp_path: Path, tree: GameTree) -> None:
    file = tmp_path / "match.jsonl"
    arguments = ("--winning-score", 2, "--seed", seed, "--names", "Ann,Robot")
    moves = list(EVERYTHING)
    random.Random(seed).shuffle(moves)
    result = typed(PLAY, lines("".join(moves) * 3), *arguments, "--transcript", file)
    assert (result.code, result.err) == (0, "")
    assert "\x1b" not in result.out
    match = replay(file.read_text().splitlines(), tree)
    assert match.winner is not None
    assert f"{match.names[match.winner]} wins the match." in result.out
    assert match.points[match.winner] == 2
    hashes = re.findall(r"^Commitment to Robot's goal: (\w{64})$", result.out, re.MULTILINE)
    texts = re.findall(r"^Commitment revealed: (.*)$", result.out, re.MULTILINE)
    assert [hashlib.sha256(text.encode()).hexdigest() for text in texts] == hashes
    assert len(texts) == len(match.rounds)
    for played, text in zip(match.rounds, texts, strict=True):
        assert f"goal {played.goals[1].name.lower()} " in text
        assert f"You wanted to {played.goals[0].name}: " in result.out
    costs = re.findall(r"\d: (-?\d+\.\d\d) %", result.out)
    assert costs
    assert not [cost for cost in costs if float(cost) < 0.0]
    assert "Worst 1: round" in result.out or "No move cost anything" in result.out
    assert typed(PLAY, lines("".join(moves) * 3), *arguments).out == result.out


def test_the_goal_of_the_bot_stays_secret_during_the_round() -> None:
    for goal in ("win", "lose", "tie"):
        out = typed(PRACTISE, "h\nb\n?\n", "--seed", 1, "--goal", "win", "--bot-goal", goal, "--seat", "first").out
        assert re.search(r"^Position: 0-0 w\? -$", out, re.MULTILINE)
        assert "revealed" not in out
        neutral = re.sub(r"\w{64}", "HASH", out)
        assert goal != "win" or neutral
        if goal == "win":
            first = neutral
        assert neutral == first


def test_hints_beliefs_and_help() -> None:
    out = typed(PRACTISE, "h\n5\nHINT\nb\n?\nq\n", "--seed", 1, "--goal", "tie", "--seat", "first").out
    assert "Hint: to TIE, an equilibrium player marks" in out
    assert re.search(r"^1 3 7 9 +\d+\.\d %  \(\d+\.\d % each\)$", out, re.MULTILINE)
    belief = re.search(r"^Bot's goal: win (.*) %, lose (.*) %, tie (.*) %$", out, re.MULTILINE)
    assert belief
    assert sum(map(float, belief.groups())) == pytest.approx(100.0, abs=0.2)
    assert "Your goal, to an observer: win" in out
    assert "sha256sum" in out
    assert out.splitlines()[-1] == "Stopped (quit); rounds played: 0. Points: You 0 : 0 Bot."


@pytest.mark.parametrize("keypad", ["phone", "numpad"])
def test_keypads(keypad: str) -> None:
    out = typed(PRACTISE, "7\nq\n", "--seed", 1, "--seat", "first", "--keypad", keypad).out
    board = re.findall(r"^Board: (.*)$", out, re.MULTILINE)
    assert board[0] == {"phone": "1 2 3 / 4 5 6 / 7 8 9", "numpad": "7 8 9 / 4 5 6 / 1 2 3"}[keypad]
    assert "Move 1: You mark 7." in out
    assert board[1].split(" / ")[{"phone": 2, "numpad": 0}[keypad]].startswith("X1")
    assert re.search(rf"^Position: 0-0 .. {7 if keypad == 'phone' else 1}\d$", out, re.MULTILINE)


def test_wrong_input_says_what_is_expected_and_changes_nothing() -> None:
    bad = ["", " ", "0", "10", "55", "-1", "+5", "5 5", "x", "H5", "\x00", "\x1b[A", "\u0665", "\uff15", "5\u0301", "é",
           "\U0001f600", "a" * 100_000, "\x7f", "''", "%s", "{}", "\ud800"]  # fmt: skip
    text = "".join(f"{item}\n" for item in bad if item != "\ud800")
    out = typed(PRACTISE, text + "q\n", "--seed", 1, "--seat", "first").out
    asked = [line for line in out.splitlines() if line.startswith("Your move?")]
    assert asked == [asked[0]] * len(bad)
    explained = [line for line in out.splitlines() if "or h, b, ? or q" in line]
    assert len(explained) == len(bad) - 1
    assert max(map(len, out.splitlines())) < 250
    assert "Move 1" not in out
    assert "\x1b" not in out
    taken = typed(PRACTISE, "5\n5\nq\n", "--seed", 1, "--seat", "first").out
    assert "5 is taken; free squares: " in taken
    assert "Move 3" not in taken


@pytest.mark.parametrize("name", BOTH)
def test_raw_bytes_through_a_real_pipe(name: str) -> None:
    generator = random.Random(5)
    data = bytes(generator.randrange(256) for _ in range(20_000)) + b"\n" + b"9" * 3_000_000 + b"\n\xff\xfe\n\x00"
    done = piped(name, data, "--seed", 1)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"Stopped (end of input)" in done.stdout or b"q" in done.stdout


def test_the_end_of_input_at_any_point() -> None:
    moves = lines(EVERYTHING)
    whole = typed(PLAY, moves * 3, "--winning-score", 1, "--seed", 3)
    assert "the match." in whole.out
    used = whole.out.count("Your move?")
    for length in range(0, 2 * used - 1, 3):  # also in the middle of a line
        cut = typed(PLAY, moves[:length], "--winning-score", 1, "--seed", 3)
        assert (cut.code, cut.err) == (0, "")
        assert re.fullmatch(r"Stopped \(end of input\); rounds played: \d\. .*", cut.out.splitlines()[-1])
        assert whole.out.startswith(cut.out[: cut.out.rindex("Stopped")])


@pytest.mark.parametrize("name", BOTH)
def test_closed_streams(name: str) -> None:
    command = f"{shlex.quote(program(name))} --seed 1"
    for redirection, code in (("<&-", 0), (">&- </dev/null", 0), ("2>&- </dev/null", 0), ("<&- >&- 2>&-", 0)):
        done = subprocess.run(
            ["bash", "-c", f"{command} {redirection}"], capture_output=True, env=environment(), timeout=60, check=False
        )
        assert (done.returncode, done.stderr) == (code, b""), redirection
    done = subprocess.run(
        ["bash", "-c", f"yes 5 | head -c 1000000 | {command} | head -n 1; echo ${{PIPESTATUS[2]}}"],
        capture_output=True, text=True, env=environment(), timeout=60, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout.splitlines()[0].startswith("Round 1")
    assert done.stdout.splitlines()[-1] in ("0", "1")


def test_a_full_disk(tmp_path: Path) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full here")
    result = call(PLAY, "--auto", "--seed", 1, "--transcript", "/dev/full")
    assert "No space left" in complaint(Result(result.code, "", result.err), 1, PLAY)


@pytest.mark.parametrize("average", ["true", "false"])
def test_the_bot_against_itself(tmp_path: Path, tree: GameTree, average: str) -> None:
    file = tmp_path / "auto.jsonl"
    result = call(PLAY, "--auto", "--seed", 4, "--transcript", file, "--average-strategy", average)
    assert (result.code, result.err) == (0, "")
    match = replay(file.read_text().splitlines(), tree)
    assert len(result.out.splitlines()) == len(match.rounds) + 1
    assert match.winning_score == 5
    assert match.winner is not None
    assert result.out.splitlines()[-1] == f"{match.names[match.winner]} wins the match."
    assert max(map(len, result.out.splitlines())) <= COLUMNS
    assert call(PLAY, "--auto", "--seed", 4, "--average-strategy", average).out == result.out
    line = complaint(call(PLAY, "--auto", "--transcript", file), 2, PLAY)
    assert "exists already" in line


def test_seats() -> None:
    firsts = set()
    for seed in range(8):
        firsts.add("You move first" in typed(PLAY, "", "--seed", seed).out)
        assert "You move first" in typed(PLAY, "", "--seed", seed, "--seat", "first").out
        assert "Bot moves first" in typed(PLAY, "", "--seed", seed, "--seat", "second").out
    assert firsts == {True, False}


def test_a_position_to_start_from() -> None:
    out = typed(PRACTISE, lines(EVERYTHING), "--seed", 2, "--position", "4-3 wl 513").out
    assert "Round 1 of 1 at 4-3 of a match to 5" in out
    assert "Goal: you want to WIN" in out
    assert "Moves so far: 5 1 3" in out
    assert "Bot wanted to LOSE" in out
    out = typed(PRACTISE, "q\n", "--position", "4-3 wl 513", "--seat", "second").out
    assert "Position: 4-3 ?l 513" in out
    assert "Your move? Free: 2 4 6 7 8 9" in out


def test_a_position_with_an_unknown_goal() -> None:
    """As it is shown during a round; the goal is drawn by what the moves tell."""
    out = typed(PRACTISE, lines(EVERYTHING) * 9, "--seed", 2, "--position", "4-3 w? 51", "--rounds", 9).out
    assert out.count("Position: 4-3 w? 51\n") == 9
    goals = re.findall(r"Bot wanted to (\w+)", out)
    assert len(goals) == 9
    assert len(set(goals)) > 1
    assert out.count("You wanted to WIN") == 9
    assert "Goal: you want to" in typed(PRACTISE, "q\n", "--position", "4-3 ??").out


def test_rounds_on_their_own(single: Path) -> None:
    result = typed(PRACTISE, lines(EVERYTHING), "-s", single, "--rounds", 3, "--seed", 1, "--goal", "lose")
    assert (result.code, result.err) == (0, "")
    assert "Round 3 of 3 on its own" in result.out
    assert "What your moves cost, in points" in result.out
    assert "Rounds played: 3. Points: You" in result.out


def test_mistakes_in_the_options(tmp_path: Path, single: Path) -> None:
    for name, arguments, code, words in (
        (PLAY, ("--winning-score", 6), 2, "match to 5 points"),
        (PLAY, ("--winning-score", 0), 2, "--winning-score"),
        (PLAY, ("--names", "A"), 2, "two different names"),
        (PLAY, ("--names", "A,A"), 2, "two different names"),
        (PLAY, ("--names", "A," + "b" * 21), 2, "longer than 20"),
        (PLAY, ("--names", "A,\x1b[1m"), 2, "unprintable"),
        (PLAY, ("--seat", "third"), 2, "--seat"),
        (PLAY, ("--seed", "x"), 2, "--seed"),
        (PLAY, ("-s", tmp_path), 1, "no solution here"),
        (PLAY, ("-s", ""), 2, "empty"),
        (PLAY, ("--transcript", tmp_path / "no" / "file"), 1, "No such file"),
        (PLAY, ("--transcript", tmp_path), 2, "--transcript"),
        (PLAY, ("--transcript", "a\0b"), 2, "--transcript"),
        (PRACTISE, ("--position", "x"), 2, "--position"),
        (PRACTISE, ("--position", ""), 2, "--position"),
        (PRACTISE, ("--position", "0-0 ?"), 2, "--position"),
        (PRACTISE, ("--position", "0-0 x? 1"), 2, "--position"),
        (PRACTISE, ("--position", "7-3 wl 5"), 2, "7-3 is no score"),
        (PRACTISE, ("--position", "0-0 wl 14253"), 2, "decided"),
        (PRACTISE, ("--position", "0-0 wl 142536"), 2, "over"),
        (PRACTISE, ("--position", "4-3 wl 5", "--goal", "win"), 2, "leave out"),
        (PRACTISE, ("--position", "4-3 wl 5", "-s", shipped_solution() / "subgame_4_4"), 2, "that of 4-4"),
        (PRACTISE, ("--rounds", 0), 2, "--rounds"),
        (PRACTISE, ("-s", shipped_solution()), 1, "subgame_0_0"),
        (PRACTISE, ("-s", tmp_path), 1, "no snapshots"),
        (PRACTISE, ("-s", tmp_path / "nowhere"), 1, "no snapshots"),
    ):
        assert words in complaint(call(name, *arguments), code, name), arguments


def test_damaged_files(single: Path, tmp_path: Path) -> None:
    target = tmp_path / "subgame"
    target.mkdir()
    for file in single.glob("snapshot_*"):
        (target / file.name).write_bytes(file.read_bytes()[:-40])
    complaint(call(PRACTISE, "-s", target), 1, PRACTISE)
    (tmp_path / "solution.msgpack").write_bytes(b"\x00" * 100)
    complaint(call(PLAY, "-s", tmp_path), 1, PLAY)


@pytest.mark.parametrize("seed", range(60))
def test_fuzzed_command_lines(seed: int, tmp_path: Path) -> None:
    """One line and 2 for whatever is wrong, or a clean end."""
    generator = random.Random(seed)
    options = ["--seed", "--seat", "--names", "--auto", "--plain", "--keypad", "--winning-score", "-s", "--goal",
               "--average-strategy", "--position", "--rounds", "--bot-goal", "-x", "--", "--help"]  # fmt: skip
    # fmt: off
    values = ["1", "0", "-1", "1e9", "99999999999999999999", "first", "random", "", " ", "true", "win", "A,B", ",",
              "4-3 wl 513", "0-0 tt -", "phone", "nan", "\u0661", "/dev/null", str(tmp_path), "\0", "x" * 5000]
    # fmt: on
    name = generator.choice(BOTH)
    arguments = [generator.choice(generator.choice((options, values))) for _ in range(generator.randrange(1, 5))]
    result = typed(name, generator.choice(("", "5\nq\n", "\n\n")), *arguments)
    assert result.code in (0, 1, 2), (arguments, result)
    if result.code:
        assert len(result.err.splitlines()) == 1, (arguments, result)
        assert "internal error" not in result.err, (arguments, result)
    else:
        assert result.err == ""


@pytest.mark.parametrize("name", BOTH)
def test_a_quick_start_without_the_compiler(name: str) -> None:
    module = name.replace("-", "_")
    script = f"""
import sys
sys.argv = [{name!r}, "--seed", "1", "--seat", "first"]
from tictactoe.tools.{module} import main
try:
    main()
except SystemExit as end:
    print(end.code, "numba" in sys.modules, "tictactoe.kernels" in sys.modules, "rich" in sys.modules)
"""
    shortest = 9.9
    for _ in range(3):
        before = time.monotonic()
        done = subprocess.run([sys.executable, "-c", script], input="5\nh\nb\nq\n", capture_output=True, text=True,
                              env=environment(), timeout=60, check=True)  # fmt: skip
        shortest = min(shortest, time.monotonic() - before)
        assert done.stdout.splitlines()[-1] == "0 False False False"
    assert shortest < 1.5  # 0.3 s on an idle machine


class Terminal:
    """A command on a pseudo-terminal, and what its screen shows."""

    def __init__(self, name: str, *arguments: object, **variables: str) -> None:
        pyte = pytest.importorskip("pyte")
        self.screen = pyte.Screen(COLUMNS, ROWS)
        self.stream = pyte.Stream(self.screen)
        self.raw = ""
        self.child = pexpect.spawn(
            program(name), [str(argument) for argument in arguments], dimensions=(ROWS, COLUMNS), encoding="utf-8",
            env={**environment(), "TERM": "xterm-256color", **variables}, timeout=30,
        )  # fmt: skip

    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen.display)

    def until(self, pattern: str) -> str:
        """Read until the screen shows the pattern; the screen."""
        end = time.monotonic() + 30
        while not re.search(pattern, self.text()):
            assert time.monotonic() < end, self.text()
            self.read(0.2)
        self.read(0.02)
        return self.text()

    def read(self, seconds: float) -> bool:
        try:
            data = self.child.read_nonblocking(1 << 16, timeout=seconds)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.raw += data
        self.stream.feed(data)
        return True

    def finish(self) -> int:
        while self.read(10):
            pass
        self.child.close()
        assert self.child.signalstatus is None
        assert isinstance(self.child.exitstatus, int)
        return self.child.exitstatus


PROMPT = r"q quit\): *(\n|$)"


def test_a_whole_match_on_a_terminal() -> None:
    terminal = Terminal(PLAY, "--winning-score", 1, "--seed", 2, "--seat", "first")
    shown = terminal.until(PROMPT)
    for words in ("Round 1 of a match to 1", "You 0 : 0 Bot", "You want to LOSE this round", "You move first and are X",
                  "Position   4-4 l? -", "Commitment ", "Your move (1-9, h hint"):  # fmt: skip
        assert words in shown
    terminal.child.sendline("h")
    assert "9 " in terminal.until("Hint: to LOSE")
    terminal.child.sendline("b")
    terminal.until("Bot's goal: win 33.3 %")
    terminal.child.sendline("?")
    assert "Round 1 of a match" in terminal.until("sha256sum")
    terminal.child.sendline("bad")
    assert "sha256sum" not in terminal.until("'bad' is no move")
    generator = random.Random(1)
    for _ in range(200):
        shown = terminal.until(PROMPT)
        if "for the review" in shown:
            break
        if "for the next round" in shown:
            assert "You wanted to" in shown
            assert "smbc-tictactoe round" in shown
            terminal.child.sendline("x")
            terminal.until("'x': the round is over")
            terminal.child.sendline("")
            terminal.until("Your move")
            continue
        free = re.findall(r"(?<=[ |])([1-9])(?=[ |\n])", "\n".join(line[:26] for line in shown.splitlines()[5:16]))
        moves = 9 - len(free)
        terminal.child.sendline(generator.choice(free))
        terminal.until(rf"move {moves + 3}\.|The round is over")
    terminal.child.sendline("")
    terminal.until("Sum of the costs")
    assert terminal.finish() == 0
    assert "wins the match" in terminal.text() or "You win the match" in terminal.text()
    assert "\x1b[?" not in terminal.raw  # no mode of the terminal was touched
    assert terminal.screen.cursor.attrs.reverse is False


def test_the_screen_fits(tmp_path: Path) -> None:
    """Also with long names and the longest texts: the first line stays, and no line is broken."""
    names = f"{'N' * 20},{'M' * 20}"
    terminal = Terminal(PLAY, "--seed", 1, "--names", names, "--seat", "first", "--winning-score", 4)
    terminal.until(PROMPT)
    for command, words in (("h", "Hint"), ("b", "Beliefs"), ("?", "sha256sum"), ("z" * 70, "is no move")):
        terminal.child.sendline(command)
        shown = terminal.until(words).splitlines()
        assert shown[0].startswith("Round 1 of a match to 4"), shown
        assert len([line for line in shown if "Position" in line]) == 1
        assert shown[22].startswith("Your move (1-9") or shown[21].startswith("Your move (1-9"), shown
        assert "|" in shown[6]
    terminal.child.sendline("q")
    terminal.until(r"Quit\? \(y/n\)")
    terminal.child.sendline("n")
    terminal.until(PROMPT)
    terminal.child.sendline("q")
    terminal.until(r"Quit\? \(y/n\)")
    terminal.child.sendline("y")
    assert terminal.finish() == 0
    assert "Stopped (quit)" in terminal.text()


def test_resizing(tmp_path: Path) -> None:
    terminal = Terminal(PRACTISE, "--seed", 1, "--seat", "first")
    terminal.until(PROMPT)
    terminal.raw = ""
    terminal.child.setwinsize(40, 120)
    terminal.screen.resize(40, 120)
    terminal.until(PROMPT)
    end = time.monotonic() + 10
    while "Round 1" not in terminal.raw and time.monotonic() < end:
        terminal.read(0.1)
    assert "Round 1 of 1" in terminal.raw  # drawn again
    terminal.child.setwinsize(5, 12)
    terminal.child.sendline("5")
    time.sleep(0.2)
    terminal.child.setwinsize(ROWS, COLUMNS)
    terminal.screen.resize(ROWS, COLUMNS)
    terminal.until(r"move 3\.")
    terminal.child.sendeof()
    assert terminal.finish() == 0


@pytest.mark.parametrize("name", BOTH)
def test_control_c(name: str) -> None:
    terminal = Terminal(name, "--seed", 1)
    terminal.until(PROMPT)
    terminal.child.send("5")
    terminal.child.sendintr()
    assert terminal.finish() == 130
    assert "Traceback" not in terminal.raw
    assert terminal.raw.endswith("\n")


def test_no_colour_dumb_and_plain() -> None:
    for arguments, variables in (((), {"NO_COLOR": "1"}), ((), {"TERM": "dumb"}), (("--plain",), {})):
        terminal = Terminal(PRACTISE, "--seed", 1, "--seat", "first", *arguments, **variables)
        terminal.until(PROMPT.replace(": ", ":? ") if variables.get("NO_COLOR") else r"q quit\)")
        terminal.child.sendline("5")
        terminal.until(r"move 3\.|Move 2")
        terminal.child.sendline("h")
        terminal.until("Hint")
        terminal.child.sendeof()
        assert terminal.finish() == 0
        assert not re.search(r"\x1b\[[0-9;]*m", terminal.raw)
        if "NO_COLOR" not in variables:
            assert "\x1b" not in terminal.raw
