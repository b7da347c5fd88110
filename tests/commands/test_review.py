"""review: mistakes in words, as data, and at a terminal with explore one key away; transcripts that do not fit."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from support.programs import call, complaint, json_of, text_of
from support.terminal import Terminal

PLAY, PRACTISE = "play-multiround", "play-subgame"


@pytest.fixture(scope="module")
def transcript(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of somebody who marks the first free square."""
    path = tmp_path_factory.mktemp("review") / "match.jsonl"
    assert call(PLAY, "--seed", 5, "--transcript", path, typed="\n".join("123456789" * 60)).code == 0
    return path


def test_explore_is_one_key_away_from_a_mistake(transcript: Path) -> None:
    terminal = Terminal("review", transcript)
    shown = terminal.until("Enter to end, e 1 to explore mistake 1")
    (position,) = re.findall(r"\((\d-\d \S\S \d+)\)\s* 2\. ", " ".join(shown.split("\n")))[:1] or [None]
    assert position is not None, shown
    terminal.talk(("e 99", "type e and a number"), ("e1", "explore>"))
    assert position in terminal.text()
    terminal.talk(("q", "Enter to end, e 1"), ("e 2", "explore>"), ("q", "Enter to end"), ("", ""))
    assert terminal.finish()[0] == 0


def test_a_solution_that_has_moved(transcript: Path, tmp_path: Path) -> None:
    """It can be named, and is remembered; and a transcript without rounds has no review."""
    file = tmp_path / "match.jsonl"
    header = json.loads(transcript.read_text().splitlines()[0]) | {"solution": "moved"}
    file.write_text(json.dumps(header) + "\n")
    line = complaint(call(PLAY, "--continue", "--transcript", file), 1, PLAY)
    missing = "was played from moved, which is not here; name it, or another solution, with -s"
    assert line == f"{PLAY}: {file}: {missing}"
    line = complaint(call("review", file), 1, "review")
    assert line == f"review: {file}: {missing}"
    assert call(PLAY, "--continue", "--transcript", file, "-s", "shipped", typed="q\n").code == 0
    assert json.loads(file.read_text().splitlines()[0])["solution"] == "shipped"
    assert text_of("review", file) == "A match to 5, 0 rounds played: You 0 : 0 Bot.\n"


def test_a_row_that_was_missed(tmp_path: Path) -> None:
    """And positions of a match that is shorter than the solution's."""
    file = tmp_path / "match.jsonl"
    options = ("--seed", 11, "--winning-score", 1, "--opponent", "uniform", "--seat", "first")
    out = call(PLAY, *options, "--transcript", file, typed="5\n1\n2\n6\n" + "\n".join("123456789" * 9)).out
    assert re.search(r"better 9, which completes your row$", out, re.M)
    assert "(In positions both have 4 points more: the solution's match is so much longer.)" in text_of("review", file)


def test_explore_has_the_digits_of_the_review(transcript: Path) -> None:
    terminal = Terminal("review", transcript, "--keypad", "numpad")
    terminal.talk(("e", "explore>"))
    shown = terminal.text()
    assert re.search(r"^Position \d-\d \S\S n\d+", shown, re.M)
    assert re.search(r"\[7\]|[XO]\d", shown.splitlines()[3])
    assert not re.search(r"\[[123456]\]", next(line for line in shown.splitlines() if " | " in line))
    terminal.talk(("q", "Enter to end"), ("", ""))
    assert terminal.finish()[0] == 0


def test_a_review_as_data(transcript: Path) -> None:
    """The same costs as in words, in a transcript that can be read again."""
    again = transcript.with_name("reviewed.jsonl")
    assert text_of("review", transcript, "-o", again) == ""
    lines = [json.loads(line) for line in again.read_text().splitlines()]
    assert json_of("review", transcript) == {"player": "You", "transcript": lines}
    costs = [move["cost"] for line in lines for move in line.get("review", {}).get("moves", [])]
    told = re.findall(r"^ *\d+\. (\d+\.\d\d) % of matches", text_of("review", transcript), re.M)
    assert [float(cost) for cost in told] == pytest.approx(
        sorted((c for c in costs if c >= 5e-3), reverse=True), abs=0.005
    )
    assert text_of("review", again) == text_of("review", transcript)
    rounds = [line for line in lines if "moves" in line]
    assert all([move["move"] for move in line["review"]["moves"]] for line in rounds)
    assert json_of("explore", "--position", rounds[0]["review"]["moves"][0]["position"])["moves"] == []


def test_a_review_of_the_bot_does_not_call_it_you(tmp_path: Path) -> None:
    file = tmp_path / "match.jsonl"
    call(PLAY, "--seed", 4, "--opponent", "learner-10", "--transcript", file, typed="5\n2\n3\nq\n")
    told = text_of("review", file, "--player", "Bot")
    assert "Bot wanted to TIE: O4 on 1, better 3 or 4; Bot could no longer TIE (0-0 ?t 592)" in told
    assert told.startswith("A match to 5, 1 round played: ")


@pytest.mark.parametrize(
    ("arguments", "code", "expected"),
    [
        (("absent.jsonl",), 1, "absent.jsonl: cannot be read: No such file or directory"),
        (("{file}", "--player", "Cleo"), 2, "--player: 'Cleo' does not play; You and Bot do (see review --help)"),
    ],
)
def test_mistakes_of_review(arguments: tuple[str, ...], code: int, expected: str, transcript: Path) -> None:
    line = complaint(call("review", *(word.format(file=transcript) for word in arguments)), code, "review")
    assert line == f"review: {expected}"


def test_a_damaged_transcript(transcript: Path, tmp_path: Path) -> None:
    lines = transcript.read_text().splitlines()
    damaged = tmp_path / "damaged.jsonl"
    damaged.write_text("\n".join([lines[0], lines[1].replace('"score": [0, 0]', '"score": [3, 0]')]))
    for name, arguments in (("review", (damaged,)), (PLAY, ("--continue", "--transcript", damaged))):
        line = complaint(call(name, *arguments), 1, name)
        assert line == f"{name}: {damaged}: line 2: score: [3, 0] where [0, 0] is right"


def test_practice_is_reviewed_and_its_transcript_is_a_position(tmp_path: Path) -> None:
    file = tmp_path / "practice.jsonl"
    options = ("--position", "4-3 w? 51", "--seed", 2, "--rounds", 2, "--transcript", file)
    out = call(PRACTISE, *options, typed="\n".join("123456789" * 9)).out
    assert "Rounds played: 2" in out
    assert text_of("review", file).splitlines()[0].startswith("Practice, 2 rounds played: You ")
    header, first, _ = file.read_text().splitlines(keepends=True)
    (tmp_path / "one").write_text(header + first)
    assert text_of("review", tmp_path / "one").splitlines()[0].startswith("Practice, 1 round played: You ")
    assert text_of("review", file).splitlines()[1:] == out[out.index("Rounds played: 2") :].splitlines()[1:]
    file.write_text(file.read_text().splitlines()[0])
    assert json_of("explore", "--position", file)["position"] == "4-3 w? 51"
