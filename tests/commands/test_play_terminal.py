"""Playing on terminals of all sizes: what stays on the screen, leaving and going on. consoles/play_screens.txt shows
whole screens."""

import json
import random
import re
import signal
from pathlib import Path

import pytest
from support.programs import ANYTHING, call, complaint, text_of
from support.slowness import slow
from support.terminal import Terminal, lines_of

from tictactoe.play.match_history import kept_matches, left_matches
from tictactoe.play.notation import NUMPAD

PLAY = "play-multiround"
PROMPT = r"(\? help[^\n]*\): *|Your move: *)(\n|$)"
HASH = re.compile(r"\b[0-9a-f]{20,64}\b")
BEGUN = r"\w{64}|You want to \w+|You are \w"
"""What a round begins with: the commitment, the goal, and the seat."""


def squares(shown: str) -> dict[str, str]:
    """What stands on each free square, row by row: its digit; read off the board, tall or small."""
    rows = [line for line in shown.splitlines() if re.match(r"^  +[XO1-9]\d? *[|]", line)]
    cells = [re.match(r"([^|]*)[|]([^|]*)[|] *(\S+)", row) for row in rows]
    assert len(cells) == 3, shown
    texts = [part.strip() for match in cells if match for part in match.groups()]
    return dict(zip("123456789", texts, strict=True))


def whole(shown: str, rows: int, columns: int) -> None:
    """Score, goal, board and prompt are there; lines are broken between words, but those of the commitment."""
    lines = shown.splitlines()
    text = "\n".join(lines[:2])
    assert re.match(r"Round \d+ of (a match to \d|\d)", lines[0]), shown
    assert re.search(r"\S+ \d+ : \d+ \S+", text), shown
    assert re.search(r"^You want to (WIN|LOSE|TIE)\b", shown, re.M), shown
    assert len(squares(shown)) == 9
    assert len(lines) <= rows
    for line in lines:
        if len(line) >= columns:
            assert HASH.search(line) or "nonce" in line, shown


@pytest.mark.parametrize(
    ("rows", "columns", "rules"),
    [
        (20, 60, "filled"),
        *slow((20, 60, "three-in-a-row"), (24, 80, "three-in-a-row")),
        *slow((24, 80, "filled"), (40, 100, "three-in-a-row"), (40, 100, "filled")),
    ],
)
def test_the_screen_at_any_time(rows: int, columns: int, rules: str) -> None:
    generator = random.Random(rows)
    names = ("--names", f"{'N' * 12},Robot" if rows == 20 else f"{'N' * 20},{'M' * 20}")
    options = ("--rules", rules, "--winning-score", 2, "--seed", rows, *names)
    terminal = Terminal(PLAY, *options, rows=rows, columns=columns)
    over = 0
    while over < 3:
        shown = terminal.until(PROMPT)
        whole(shown, rows, columns)
        if "The round is over." in shown:
            over += 1
            assert "nonce" in "".join(shown.split("\n")).replace(" ", "")
            if "for the review" in shown:
                break
            terminal.talk(("zzz", "'zzz': the round is over"), ("?", "sha256"))
            whole(terminal.text(), rows, columns)
            terminal.talk(("", "It is your turn"))
            continue
        for command, words in (
            ("h", "Hint: (to|you can no longer) "),
            ("b", "What the moves"),
            ("?", "mark that square"),
            ("x y", "is not a move"),
        ):
            whole(terminal.enter(command, words), rows, columns)
            assert not HASH.search(terminal.text()), "the commitment stands on the first and on the last screen"
        free = [square for square, text in squares(terminal.text()).items() if text == square]
        taken = 9 - len(free)
        terminal.enter(
            generator.choice(free), rf"{'XO'[taken % 2]}{taken + 1}\b(.|\n)*(It is your turn|The round is over)"
        )
    code, output = terminal.interrupt()
    assert code == 130
    assert "mistakes" in output
    positions = re.findall(r"\(\d-\d (?!in\s)[^)]*\)", output)
    assert positions or " no mistakes" in output
    assert all(re.fullmatch(r"\(\d-\d \S\S \d+\)", position) for position in positions), "none is broken"
    too_long = [line for line in lines_of(output) if len(line) > columns]
    assert [line for line in too_long if not (HASH.search(line) or "nonce" in line)] == []


def test_what_is_typed_survives_a_resize() -> None:
    terminal = Terminal(PLAY, "--rounds", 1, "--seed", 1, "--seat", "first")
    terminal.until(PROMPT)
    terminal.child.send("zz5")
    terminal.until(r"\): zz5(\n|$)")
    for rows, columns in ((20, 60), (40, 100), (24, 80)):
        whole(terminal.redrawn(rows, columns, r"\):\s+zz5"), rows, columns)
    terminal.child.send("\x7f\x7f\x7f")
    terminal.redrawn(5, 12, r"[?)\n]:\s*$")
    before = len(terminal.raw)
    terminal.child.sendline("5")
    terminal.written(r"\x1b\[J[^J]*Your move: ", before)
    terminal.redrawn(24, 80, r"X1.*(.|\n)*It is your turn")
    terminal.asked()
    terminal.child.sendeof()
    assert terminal.finish()[0] == 0


def test_stopped_and_continued() -> None:
    terminal = Terminal(PLAY, "--rounds", 1, "--seed", 1, "--seat", "first")
    terminal.asked()
    for number in (signal.SIGSTOP, signal.SIGCONT):
        before = len(terminal.raw)
        terminal.child.kill(number)
    terminal.written(r"\x1b\[H(.|\n)*It is your turn(.|\n)*q quit\): ", before)
    for number in (signal.SIGSTOP, signal.SIGINT, signal.SIGCONT):  # two signals are there at once
        terminal.child.kill(number)
    code, output = terminal.finish()
    assert code == 130
    assert "Stopped (interrupted)" in output
    assert "internal error" not in output


@pytest.mark.parametrize("way", ["Ctrl-C", *slow("q")])
def test_a_match_that_is_left_goes_on(way: str, tmp_path: Path) -> None:
    home = {"XDG_CONFIG_HOME": str(tmp_path)}
    saved = tmp_path / "smbc-tictactoe" / "unfinished_match.jsonl"
    terminal = Terminal(PLAY, "--winning-score", 1, "--seat", "first", "--keypad", "numpad", "--plain", **home)
    begun = re.findall(BEGUN, terminal.until("Your move"))
    terminal.enter("7", "Board: X1 ")  # the upper left square
    if way == "Ctrl-C":
        output = terminal.interrupt()[1]
    else:
        terminal.talk(("q", r"Quit\? \(y/n\)"), ("n", "Your move"), ("q", ""), ("y", ""))
        output = terminal.raw
        assert terminal.finish()[0] == 0
    assert "To continue: play-multiround --resume." in output
    assert "opened" not in output
    moves = json.loads(saved.read_text().splitlines()[1])["moves"]
    assert (moves[0], len(moves)) == (1, 2)

    terminal = Terminal(PLAY, "--resume", **home)
    shown = terminal.asked()
    assert "\x1b" not in terminal.raw
    assert re.findall(BEGUN, terminal.raw)[: len(begun)] == begun
    assert f"Moves so far: 7 {NUMPAD[moves[1]]}" in shown
    terminal.enter("s")
    assert terminal.finish()[0] == 0
    ended = call(PLAY, "--resume", typed=ANYTHING, **home).out
    assert re.search("wins? the match", ended)
    assert begun[-1] in ended.partition("Its SHA-256:")[2]
    assert not saved.exists()


def test_another_match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    terminal = Terminal(PLAY, "--winning-score", 1, "--seed", 1, "--opponent", "uniform")
    while "Enter to leave (n for another match)" not in (shown := terminal.asked()):
        moves = squares(shown) if "Your move" in shown else {}
        terminal.enter(next((key for key, text in moves.items() if key == text), ""))
    assert "You 0 : 0 Bot" in terminal.enter("n", "Round 1 of a match to 1")
    terminal.enter("s")
    assert terminal.finish()[0] == 0
    assert [path.name.partition("_")[0] for path in kept_matches()] == ["unfinished", "finished"]


def left(*arguments: object, moves: str = "5") -> str:
    """What is said after leaving a match in a terminal, with s."""
    terminal = Terminal(PLAY, "--winning-score", 1, *arguments)
    terminal.asked()
    for line in (*moves, "s"):
        terminal.enter(line)
    code, output = terminal.finish()
    assert code == 0
    return " ".join(output.split())


def test_every_match_that_is_left_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    first = left("--seed", 3, moves="")  # before anything was played: saved all the same
    assert "To continue: play-multiround --resume. Round 1 continues with the same goals, the bot's still" in first
    assert "kept" not in first
    directory = tmp_path / "smbc-tictactoe"
    (directory / "unfinished_match.jsonl").rename(directory / "left_before.jsonl")
    said = [left("--seed", seed, "--seat", "first") for seed in (4, 5)][-1]
    assert "2 earlier unfinished matches are kept, too" in said

    def seeds() -> list[int]:
        return [json.loads(path.read_text().splitlines()[0])["seed"] for path in left_matches()]

    assert seeds() == [5, 4, 3]
    assert str(left_matches()[1]) in "".join(said.split())
    result = call(PLAY, "--resume", "--transcript", left_matches()[1], typed="6\ns")
    assert "To continue: play-multiround --resume. " in result.out
    assert seeds() == [4, 5, 3]
    said = "3 unfinished matches wait: play-multiround --resume."
    assert said in call(PLAY, typed="").out
    assert said not in call(PLAY, "--resume", 2, typed="s").out  # of the numbers of review --list
    assert seeds() == [5, 4, 3]
    refusal = "--resume: match 4 of review --list cannot be continued; these can: 1, 2, 3"
    assert refusal in complaint(call(PLAY, "--resume", 4), 1, PLAY)
    for waiting in ("2 unfinished matches wait: ", "1 unfinished match waits: ", ""):
        ended = call(PLAY, "--resume", typed=ANYTHING).out
        assert "the match" in ended
        assert ended.endswith(f"{waiting}play-multiround --resume.\n") is bool(waiting)
    assert left_matches() == []


def test_the_end_of_the_program_at_any_time(tmp_path: Path) -> None:
    file = tmp_path / "match.jsonl"
    options = ("--seed", 3, "--transcript", file)
    terminal = Terminal(PLAY, *options, started=True)
    begun = re.findall(BEGUN, terminal.until(PROMPT))
    for moves in ("", "5"):
        terminal.child.kill(signal.SIGKILL)
        terminal.child.wait()
        terminal = Terminal(PLAY, "--resume", "--transcript", file)
        assert ("Position 0-0 ?w 154" if moves else "Position 0-0 ?w 1") in terminal.until(PROMPT)
        if not moves:
            assert re.findall(BEGUN, terminal.text()) == begun
            terminal.talk(("5", "O2(.|\n)*It is your turn"))
    terminal.child.kill(signal.SIGTERM)
    code, output = terminal.finish()
    assert code == 128 + signal.SIGTERM
    assert "\nStopped (told to end)" in output
    assert "opened" not in output
    assert json.loads(file.read_text().splitlines()[1])["moves"] == [1, 5, 4]
    rest = call(PLAY, "--resume", "--transcript", file, typed=ANYTHING)
    assert rest.code == 0
    assert "wins the match" in rest.out or "You win the match" in rest.out
    assert text_of("review", file).startswith("A match to 5, over: ")


def marked(terminal: Terminal) -> dict[str, tuple[str, bool, bool]]:
    """By cell of the tall or the small board: background, whether underlined, whether reversed."""
    looks = {}
    for y, line in enumerate(terminal.screen.display):
        for match in re.finditer(r"\b[XO]\d\b", line[:30]) if "|" in line else ():
            look = terminal.screen.buffer[y][match.start()]
            looks[match[0]] = (look.bg, look.underscore, look.reverse)
    return looks


@pytest.mark.parametrize(
    ("goals", "row", "last"),
    [("?w", "Bot has three in a row: 1 2 3", "X5"), ("w?", "You have three in a row: 1 2 3", "O6")],
    ids=["last in it", "last elsewhere"],
)
def test_marks_of_three_in_a_row_look_different(goals: str, row: str, last: str) -> None:
    options = ("--rules", "filled", "--seed", 1, "--position", f"0-0 {goals} 14253")
    for variables in ({}, {"NO_COLOR": "1"}):
        terminal = Terminal(PLAY, *options, rows=20, columns=60, **variables)
        assert f"{row}; the round goes on." in terminal.asked()
        looks = marked(terminal)
        terminal.interrupt()
        assert {"X1", "O2", "X3", "O4", "X5"} <= set(looks)
        if variables:
            assert not re.search(r"\x1b\[[0-9;]*m", terminal.raw)
            continue
        assert {mark for mark, look in looks.items() if look[0] == "green"} == {"X1", "X3", "X5"}
        assert [mark for mark, look in looks.items() if look[1 if last == "X5" else 2]] == [last]
