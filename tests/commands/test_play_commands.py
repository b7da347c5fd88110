"""play-multiround and play-subgame as people use them: through pipes, and on a terminal of 80 columns and 24 lines."""

from __future__ import annotations

import hashlib
import random
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.programs import ROUND, SHORT, Result, call, complaint, environment, program, text_of
from support.slowness import slow
from support.terminal import COLUMNS, ROWS, Terminal
from support.waiting import HANGS

from tictactoe.games.tic_tac_toe_tree import GameTree
from tictactoe.play.transcript import replay
from tictactoe.storage.shipped import shipped_solution
from tictactoe.storage.solution import load_solution

PLAY, PRACTISE = "play-multiround", "play-subgame"
INTERACTIVE = (PLAY, PRACTISE, "explore")
SUBGAME = shipped_solution() / "subgame_4_4"
NO_MISTAKES = "No mistakes: your moves cost nothing worth mentioning."
SCORES = "0-0, 0-1, 0-2, 0-3, 0-4, 1-0, ..., 4-3, 4-4"
SCORE = "is not a score: write both players' points, first mover first, such as 4-3"
EVERYTHING = "123456789" * 12
"""Digits that end any round: what is taken is refused and changes nothing."""


@pytest.fixture(scope="module")
def tree() -> GameTree:
    return load_solution(shipped_solution()).tree


def typed(name: str, text: str, *arguments: object) -> Result:
    """The command in this process with `text` as its standard input."""
    return call(name, *arguments, typed=text)


def completed(command: list[str], text: str = "") -> subprocess.CompletedProcess[str]:
    """A process with real pipes."""
    return subprocess.run(command, input=text, capture_output=True, text=True, env=environment(), timeout=300)


def lines(text: str) -> str:
    return "".join(f"{character}\n" for character in text)


@pytest.mark.parametrize("seed", [0, 1, *slow(2, 3, 4, 5)])
def test_a_whole_match_through_a_pipe(seed: int, tmp_path: Path, tree: GameTree) -> None:
    """The transcript replays, commitments fit their texts, no cost is negative, and a seed repeats all of it."""
    file = tmp_path / "match.jsonl"
    arguments = ("--winning-score", 2, "--seed", seed, "--names", "Ann,Robot")
    moves = list(EVERYTHING)
    random.Random(seed).shuffle(moves)
    result = typed(PLAY, lines("".join(moves) * 3), *arguments, "--transcript", file)
    assert (result.code, result.err) == (0, "")
    assert "\x1b" not in result.out
    match = replay(file.read_text().splitlines(), tree).match
    assert match is not None
    assert match.winner is not None
    assert f"{match.names[match.winner]} wins the match." in result.out
    assert match.points[match.winner] == 2
    hashes = re.findall(r"^Commitment to Robot's goal: (\w{64})$", result.out, re.MULTILINE)
    texts = re.findall(r"^Commitment opened: (.*)$", result.out, re.MULTILINE)
    assert [hashlib.sha256(text.encode()).hexdigest() for text in texts] == hashes
    assert len(texts) == len(match.rounds)
    for played, text in zip(match.rounds, texts, strict=True):
        assert f"goal {played.goals[1].name.lower()} " in text
        assert f"You wanted to {played.goals[0].name}: " in result.out
    told = result.out[result.out.index("wins the match. Score: ") :].splitlines()[1:]
    numbered = [line for line in told if re.match(r" *\d+\. ", line)]
    pattern = r"^ *\d+\. (\d+\.\d\d) % of matches\*?: round \d"
    costs = [float(cost) for cost in re.findall(pattern, "\n".join(told), re.M)]
    assert len(costs) == len(numbered)
    assert costs == sorted(costs, reverse=True)
    assert result.out.count("wins the match") == 1
    assert costs or told == [NO_MISTAKES]
    assert any(line.startswith("*: the perfect bot never") for line in told) is any(
        "matches*:" in line for line in numbered
    )
    assert costs == [] or min(costs) > 0.0
    of_ann = [
        re.sub(r"\byou\b", "Ann", line.replace("Your", "Ann's").replace("your row", "Ann's row")) for line in told
    ]
    if not costs:
        of_ann = ["Ann made no mistakes: no move cost anything worth mentioning."]
    assert text_of("review", file, "--player", "Ann").splitlines()[1:] == of_ann
    again = typed(PLAY, lines("".join(moves) * 3), *arguments, "--transcript", tmp_path / "again.jsonl")
    assert again.out == result.out


def test_the_goal_of_the_bot_stays_secret_during_the_round() -> None:
    """Whatever it is, the screen is the same but for the hash."""
    screens = set()
    for goal in ("win", "lose", "tie"):
        out = typed(PRACTISE, "h\nb\n?\n", "--seed", 1, "--goal", "win", "--bot-goal", goal, "--seat", "first").out
        assert re.search(r"^Position: 0-0 w\? -$", out, re.MULTILINE)
        before, _, after = out.partition("Stopped (end of input)")
        assert "nonce" not in before
        assert f"round 1 goal {goal} nonce" in after
        screens.add(re.sub(r"\w{64}", "HASH", before))
    assert len(screens) == 1


def test_hints_beliefs_and_help() -> None:
    out = typed(PRACTISE, "h\n5\nHINT\nb\n?\nq\n", "--seed", 1, "--goal", "tie", "--seat", "first").out
    assert "Hint: to TIE, a perfect player marks" in out
    assert re.search(r"^1 3 7 9 +\d+\.\d %  \(\d+\.\d % each\)$", out, re.MULTILINE)
    belief = re.search(r"^Bot's goal: win (.*) %, lose (.*) %, tie (.*) %$", out, re.MULTILINE)
    assert belief
    assert sum(map(float, belief.groups())) == pytest.approx(100.0, abs=0.2)
    assert "Your goal, as the bot sees it: win" in out
    assert "sha256sum" in out
    assert out.splitlines()[-3] == "Stopped (quit); rounds played: 0. Points: You 0 : 0 Bot."


@pytest.mark.parametrize("keypad", ["phone", "numpad"])
def test_keypads(keypad: str) -> None:
    out = typed(PRACTISE, "7\nq\n", "--seed", 1, "--seat", "first", "--keypad", keypad).out
    board = re.findall(r"^Board: (.*)$", out, re.MULTILINE)
    assert board[0] == {"phone": "1 2 3 / 4 5 6 / 7 8 9", "numpad": "7 8 9 / 4 5 6 / 1 2 3"}[keypad]
    assert "Move 1: You mark 7." in out
    assert board[1].split(" / ")[{"phone": 2, "numpad": 0}[keypad]].startswith("X1")
    assert re.search(rf"^Position: 0-0 .. {'7' if keypad == 'phone' else 'n7'}\d$", out, re.MULTILINE)


def test_wrong_input_says_what_is_expected_and_changes_nothing() -> None:
    bad = ["", " ", "0", "10", "55", "-1", "+5", "5 5", "x", "H5", "\x00", "\x1b[A", "\u0665", "\uff15", "5\u0301"]
    bad += ["\u00e9", "\U0001f600", "a" * 100_000, "\x7f", "''", "%s", "{}"]
    out = typed(PRACTISE, "".join(f"{item}\n" for item in bad) + "q\n", "--seed", 1, "--seat", "first").out
    asked = [line for line in out.splitlines() if line.startswith("Your move?")]
    assert asked == [asked[0]] * (len(bad) + 1)
    explained = [line for line in out.splitlines() if "or a letter: h, b, u, ?, q" in line]
    assert len(explained) == len(bad)
    assert max(map(len, out.splitlines())) < 250
    assert "Move 1" not in out
    assert "\x1b" not in out
    taken = typed(PRACTISE, "5\n5\nq\n", "--seed", 1, "--seat", "first").out
    assert re.search("^5 is taken; free squares: [1-9 ]+$", taken, re.MULTILINE)
    assert "Move 3" not in taken


@pytest.mark.parametrize("name", ["explore", *slow(PLAY, PRACTISE)])
def test_raw_bytes_through_a_real_pipe(name: str) -> None:
    """Of any kind, in lines of any length: nothing but what is printable comes back."""
    generator = random.Random(5)
    data = bytes(generator.randrange(256) for _ in range(20_000)) + b"\n" + b"9" * 3_000_000 + b"\n\xff\xfe\n\x00"
    command = [program(name)] if name == "explore" else [program(name), "--seed", "1"]
    done = subprocess.run(command, input=data, capture_output=True, env=environment(), timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert not {0, 0x1B} & set(done.stdout)


def test_the_end_of_input_at_any_point() -> None:
    moves = lines(EVERYTHING)
    whole = typed(PLAY, moves * 3, "--winning-score", 1, "--seed", 3)
    assert "the match." in whole.out
    assert re.search(r"^Position: 4-4 \S\S - \(stands for 0-0 of this match\)$", whole.out, re.M)
    used = whole.out.count("Your move?")
    for length in range(0, 2 * used - 1, 3):  # also in the middle of a line
        cut = typed(PLAY, moves[:length], "--winning-score", 1, "--seed", 3)
        assert (cut.code, cut.err) == (0, "")
        stopped = next(line for line in cut.out.splitlines() if line.startswith("Stopped"))
        assert re.fullmatch(r"Stopped \(end of input\); rounds played: \d\. .*", stopped)
        assert whole.out.startswith(cut.out[: cut.out.rindex("Stopped")])
        assert cut.out.count("Commitment opened: ") == cut.out.count("Commitment to the bot's goal: ")


@pytest.mark.parametrize("name", ["explore", *slow(PLAY, PRACTISE)])
def test_interrupted_in_a_pipe(name: str) -> None:
    """130, and nothing is said on standard error."""
    pipe = subprocess.PIPE
    with subprocess.Popen([program(name)], env=environment(), stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(HANGS) == 130
        assert process.stderr.read().strip() == b""


@pytest.mark.parametrize("average", ["true", "false"])
def test_the_bot_against_itself(tmp_path: Path, tree: GameTree, average: str) -> None:
    file = tmp_path / "auto.jsonl"
    result = call(PLAY, "--auto", "--seed", 4, "--transcript", file, "--average-strategy", average)
    assert (result.code, result.err) == (0, "")
    match = replay(file.read_text().splitlines(), tree).match
    assert match is not None
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
    assert "You want to WIN: complete three in a row." in out
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
    assert "You want to " in typed(PRACTISE, "q\n", "--position", "4-3 ??").out


def test_rounds_on_their_own(tmp_path: Path) -> None:
    """Costs are points there."""
    assert call(ROUND, "-o", tmp_path, "--quiet", *SHORT).code == 0
    result = typed(PRACTISE, lines(EVERYTHING), "-s", tmp_path, "--rounds", 3, "--seed", 1, "--goal", "lose")
    assert (result.code, result.err) == (0, "")
    assert "Round 3 of 3 on its own" in result.out
    assert "Your mistakes, worst first, and what they cost in points against a perfect player:" in result.out
    assert re.search(r"^Together they gave away \d+\.\d\d points\.$", result.out, re.MULTILINE)
    assert "Rounds played: 3. Points: You" in result.out


@pytest.mark.parametrize(
    ("name", "arguments", "code", "expected"),
    [
        (PLAY, ("--winning-score", 6), 2, "--winning-score: shipped is a match to 5 points"),
        (PLAY, ("--names", "A"), 2, "'A' is not two different names with a comma between them, such as Ann,Bot"),
        (PLAY, ("--names", "A,A"), 2, "'A,A' is not two different names with a comma between them, such as Ann,Bot"),
        (PLAY, ("--names", "A," + "b" * 21), 2, f"{'b' * 21!r} is longer than 20 characters, or unprintable"),
        (PLAY, ("--names", "A,\x1b[1m"), 2, "'\\x1b[1m' is longer than 20 characters, or unprintable"),
        (PLAY, ("--transcript", __file__), 2, f"{__file__!r} exists already; choose another name"),
        (PRACTISE, ("--position", "x"), 2, f"'x' {SCORE}"),
        (
            PRACTISE,
            ("--position", "0-0 ?"),
            2,
            "'?' are not two goals: write w, l or t for each player, ? if unknown, such as w?",
        ),
        (
            PRACTISE,
            ("--position", "7-3 wl 5"),
            2,
            f"--position: the score 7-3 does not exist in a match to 5; solved: {SCORES}",
        ),
        (
            PRACTISE,
            ("--position", "0-0 wl 14253"),
            2,
            "--position: the round is decided after 14253; explore shows how it ends",
        ),
        (PRACTISE, ("--position", "0-0 wl 142536"), 2, "--position: the round is over"),
        (
            PRACTISE,
            ("--position", "4-3 wl", "--goal", "win"),
            2,
            "--position names that goal already: leave out --goal",
        ),
        (
            PRACTISE,
            ("--position", "4-3 ?l", "--goal", "win"),
            2,
            "--position names that goal already: leave out --goal",
        ),
        (
            PRACTISE,
            ("--position", "4-3 w?", "--goal", "win"),
            2,
            "--position names that goal already: leave out --goal",
        ),
        (PRACTISE, ("--position", "4-3 wl", "-s", SUBGAME), 2, "--position: at 4-3, but the subgame is that of 4-4"),
    ],
)
def test_mistakes_in_the_options(name: str, arguments: tuple[object, ...], code: int, expected: str) -> None:
    line = complaint(call(name, *arguments), code, name).removesuffix(f" (see {name} --help)")
    assert line.endswith(f": {expected}")


def test_a_quick_start_without_the_compiler() -> None:
    """A session loads nothing slow."""
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
    loaded = set(completed([sys.executable, "-c", script]).stdout.splitlines()[-1].split())
    assert "tictactoe.play.notation" in loaded
    assert not {"numba", "tictactoe.algorithms.kernels", "rich", "matplotlib"} & loaded


PROMPT = r"q quit\): *(\n|$)"


def test_a_whole_match_on_a_terminal() -> None:
    """From the first screen to the review, with every kind of answer on the way."""
    terminal = Terminal(PLAY, "--winning-score", 1, "--seed", 2, "--seat", "first")
    shown = terminal.until(PROMPT)
    for words in (
        "Round 1 of a match to 1",
        "You 0 : 0 Bot",
        "You want to LOSE: make the bot complete",
        "You move first and are X",
        "Position 4-4 l? -",
        "Commitment ",
        "Your move (1-9, h hint",
    ):
        assert words in shown
    terminal.talk(("h", "Hint: to LOSE"), ("b", "Bot's goal: win 33.3 %"), ("?", "sha256sum"))
    assert "Round 1 of a match" in terminal.text()
    terminal.talk(("bad", "'bad' is no move"))
    assert "sha256sum" not in terminal.text()
    generator = random.Random(1)
    for _ in range(200):
        shown = terminal.until(PROMPT)
        if "Enter for the review" in shown:
            break
        if "Enter for the next round" in shown:
            assert "You wanted to" in shown
            assert "smbc-tictactoe round" in shown
            terminal.talk(("x", "'x': the round is over"), ("", "Your move"))
            continue
        free = re.findall(r"(?<=[ |])([1-9])(?=[ |\n])", "\n".join(line[:26] for line in shown.splitlines()[5:16]))
        moves = 9 - len(free)
        terminal.enter(
            generator.choice(free), rf"{'XO'[moves % 2]}{moves + 1}\b(.|\n)*(It is your turn|The round is over)"
        )
    terminal.talk(("", "Together they gave away|No mistakes"))
    if "Together" in terminal.text():
        terminal.enter("")
    assert terminal.finish()[0] == 0
    assert "wins the match" in terminal.text() or "You win the match" in terminal.text()
    assert "\x1b[?" not in terminal.raw  # no mode of the terminal was touched
    assert terminal.screen.cursor.attrs.reverse is False


def test_the_screen_fits() -> None:
    """Also with long names and the longest texts: the first line stays, and no line is broken."""
    names = f"{'N' * 20},{'M' * 20}"
    terminal = Terminal(PLAY, "--seed", 1, "--names", names, "--seat", "first", "--winning-score", 4)
    terminal.until(PROMPT)
    for command, words in (("h", "Hint"), ("b", "What the moves"), ("?", "sha256sum"), ("z" * 70, "is no move")):
        shown = terminal.enter(command, words).splitlines()
        assert shown[0].startswith("Round 1 of a match to 4"), shown
        assert len([line for line in shown if re.match("Position [0-9]", line)]) == 1
        assert [line.startswith("Your move (1-9") for line in shown].count(True) == 1, shown
        assert len([line for line in shown if re.search("-[+]-", line)]) == 2
    sure = r"Quit\? \(y/n\)"
    terminal.talk(("q", sure), ("n", PROMPT), ("q", sure), ("y", "Stopped"))
    assert terminal.finish()[0] == 0
    assert "Stopped (quit)" in terminal.text()


def test_resizing() -> None:
    """The screen is drawn again, and a window that is far too small does no harm."""
    terminal = Terminal(PRACTISE, "--seed", 1, "--seat", "first")
    terminal.until(PROMPT)
    terminal.redrawn(40, 120, r"Round 1 of 1(.|\n)*q quit\):\s*$")
    terminal.redrawn(5, 12, r"[?)\n]:\s*$")
    before = len(terminal.raw)
    terminal.child.sendline("5")
    terminal.written(r"\x1b\[J[^J]*Your move: ", before)
    terminal.redrawn(ROWS, COLUMNS, r"X1.*(.|\n)*It is your turn")
    terminal.asked()
    terminal.child.sendeof()
    assert terminal.finish()[0] == 0


@pytest.mark.parametrize("name", [PLAY, *slow(PRACTISE)])
def test_control_c(name: str) -> None:
    """The commitment is opened, and what was played can be gone on with."""
    terminal = Terminal(name, "--seed", 1, started=True)
    terminal.until(PROMPT)
    terminal.child.send("5")
    terminal.until(r"q quit\): 5")
    code, output = terminal.interrupt()
    assert code == 130
    assert "Traceback" not in output
    assert output.endswith("\n")
    assert "\nStopped (interrupted); rounds played: 0." in output
    assert re.search(r"Commitment opened:\s+smbc-tictactoe round 1 goal (win|lose|tie) nonce \w{32}", output)


def test_no_colour_dumb_and_plain() -> None:
    for arguments, variables in (((), {"NO_COLOR": "1"}), ((), {"TERM": "dumb"}), (("--plain",), {})):
        terminal = Terminal(PRACTISE, "--seed", 1, "--seat", "first", *arguments, **variables)
        terminal.until(PROMPT.replace(": ", ":? ") if variables.get("NO_COLOR") else r"q quit\)")
        terminal.talk(("5", r"X1(.|\n)*It is your turn|Move 2"), ("h", "Hint"))
        terminal.child.sendeof()
        assert terminal.finish()[0] == 0
        assert not re.search(r"\x1b\[[0-9;]*m", terminal.raw)
        if "NO_COLOR" not in variables:
            assert "\x1b" not in terminal.raw
