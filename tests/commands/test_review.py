"""review: as data, of transcripts that moved or are damaged, and with explore one key away. consoles/review.txt shows
its words."""

import json
import re
from pathlib import Path

import pytest
from support.programs import call, complaint, json_of, text_of
from support.terminal import Terminal

PLAY, PRACTISE = "play-multiround", "play-subgame"


@pytest.fixture(scope="module")
def transcript(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("review") / "match.jsonl"
    assert call(PLAY, "--seed", 5, "--transcript", path, typed="\n".join("123456789" * 60)).code == 0
    return path


def test_explore_is_one_key_away_from_a_mistake(transcript: Path) -> None:
    terminal = Terminal("review", transcript)
    shown = terminal.until("Enter to end, e 1 to explore mistake 1")
    (position,) = re.findall(r"\((\d-\d \S\S \d+)\)\s* 2\. ", " ".join(shown.split("\n")))[:1]
    terminal.talk(("e 99", "type e and a number"), ("e1", "explore>"))
    assert position in terminal.text()
    terminal.talk(("q", "Enter to end, e 1"), ("e 2", "explore>"), ("q", "Enter to end"), ("", ""))
    assert terminal.finish()[0] == 0


def test_a_solution_that_has_moved(transcript: Path, tmp_path: Path) -> None:
    file = tmp_path / "match.jsonl"
    header = json.loads(transcript.read_text().splitlines()[0]) | {"solution": "moved"}
    file.write_text(json.dumps(header) + "\n")
    missing = "was played from moved, which is not here; name it, or another solution, with -s"
    for name, words in ((PLAY, ("--continue", "--transcript", file)), ("review", (file,))):
        assert complaint(call(name, *words), 1, name) == f"{name}: {file}: {missing}"
    assert call(PLAY, "--continue", "--transcript", file, "-s", "shipped", typed="q\n").code == 0
    assert json.loads(file.read_text().splitlines()[0])["solution"] == "shipped"
    assert text_of("review", file) == "A match to 5, 0 rounds played: You 0 : 0 Bot.\n"


def test_a_review_as_data(transcript: Path) -> None:
    again = transcript.with_name("reviewed.jsonl")
    assert text_of("review", transcript, "-o", again) == ""
    lines = [json.loads(line) for line in again.read_text().splitlines()]
    assert json_of("review", transcript) == {"player": "You", "transcript": lines}
    costs = [move["cost"] for line in lines for move in line.get("review", {}).get("moves", [])]
    mistakes = re.findall(r"^ *\d+\. (\d+\.\d\d) % of matches", text_of("review", transcript), re.M)
    worth_mentioning = sorted((cost for cost in costs if cost >= 5e-3), reverse=True)
    assert [float(cost) for cost in mistakes] == pytest.approx(worth_mentioning, abs=0.005)
    assert text_of("review", again) == text_of("review", transcript)
    rounds = [line for line in lines if "moves" in line]
    assert all([move["move"] for move in line["review"]["moves"]] for line in rounds)
    assert json_of("explore", "--position", rounds[0]["review"]["moves"][0]["position"])["moves"] == []


def test_a_transcript_of_practice_is_a_position(tmp_path: Path) -> None:
    file = tmp_path / "practice.jsonl"
    options = ("--position", "4-3 w? 51", "--seed", 2, "--transcript", file)
    assert call(PRACTISE, *options, typed="2\n").code == 0
    file.write_text(file.read_text().splitlines()[0])
    assert json_of("explore", "--position", file)["position"] == "4-3 w? 51"


def test_a_review_of_points_as_data(tmp_path: Path) -> None:
    file = tmp_path / "points.jsonl"
    options = ("-s", "single_round", "--seed", 1, "--seat", "first", "--goal", "win", "--transcript", file)
    assert call(PRACTISE, *options, typed="\n".join("123456789")).code == 0
    (data,) = [line["review"] for line in json_of("review", file)["transcript"] if "review" in line]
    assert data["unit"] == "points"
    mistakes = re.findall(r"^ *\d+\. (\d\.\d{4}) points", text_of("review", file), re.M)
    costs = sorted((move["cost"] for move in data["moves"] if move["cost"] >= 5e-5), reverse=True)
    assert [float(cost) for cost in mistakes] == pytest.approx(costs, abs=5e-5)
    assert costs[0] == pytest.approx(0.5)


def test_a_damaged_transcript(transcript: Path, tmp_path: Path) -> None:
    lines = transcript.read_text().splitlines()
    damaged = tmp_path / "damaged.jsonl"
    damaged.write_text("\n".join([lines[0], lines[1].replace('"score": [0, 0]', '"score": [3, 0]')]))
    for name, arguments in (("review", (damaged,)), (PLAY, ("--continue", "--transcript", damaged))):
        line = complaint(call(name, *arguments), 1, name)
        assert line == f"{name}: {damaged}: line 2: score: [3, 0] where [0, 0] is right"
