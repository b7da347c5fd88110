"""review: as data, of transcripts that moved or are damaged, with explore and another try one key away; against
opponents whose strategies are known. consoles/review.txt and play_known.txt show its words."""

import contextlib
import json
import re
from pathlib import Path
from statistics import fmean

import pytest
from support.programs import ANYTHING, call, complaint, json_of, text_of
from support.terminal import Terminal
from tictactoe.tools.command_list import typed
from tictactoe.tools.screens.line_reader import LineReader
from tictactoe.tools.screens.play_round import PersonTalk, commands
from tictactoe.tools.screens.play_screen import Screen

from tictactoe import Goal, MatchBot, load_solution
from tictactoe.match.scores import Score
from tictactoe.play.known_opponent import MOST_POINTS_TO_GO, KnownOpponent
from tictactoe.play.referee import Round, new_commitment
from tictactoe.play.round_text import Speaker

PLAY = "play-multiround"
ASKED = r"Enter to end \(t 1 try"


@pytest.fixture(scope="module")
def transcript(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("review") / "match.jsonl"
    assert call(PLAY, "--seed", 2, "--winning-score", 2, "--transcript", path, typed=ANYTHING).code == 0
    return path


def test_explore_is_one_key_away_from_a_mistake(transcript: Path) -> None:
    terminal = Terminal("review", transcript)
    shown = terminal.until(ASKED)
    (position,) = re.findall(r"\((\d-\d \S\S \d+)\)\s* 2\. ", " ".join(shown.split("\n")))[:1]
    terminal.talk(("e 99", "type t or e and a number"), ("e1", "explore>"))
    assert position in terminal.text()
    terminal.talk(("q", ASKED), ("e 2", "explore>"), ("q", ASKED), ("", ""))
    assert terminal.finish()[0] == 0


def test_a_damaged_line_and_a_solution_that_has_moved(transcript: Path, tmp_path: Path) -> None:
    file = tmp_path / "match.jsonl"
    header, line, *_ = transcript.read_text().splitlines()
    damaged = [header, line.replace('"score": [0, 0]', '"score": [3, 0]')]
    moved = [json.dumps(json.loads(header) | {"solution": "moved"})]
    missing = "was played from moved, which does not exist here; name it, or another solution"
    for lines, said in ((damaged, "line 2: score: [3, 0] should be [0, 0]"), (moved, missing)):
        file.write_text("\n".join([*lines, ""]))
        for name, words in ((PLAY, ("--resume", "--transcript", file)), ("review", (file,))):
            assert complaint(call(name, *words), 1, name) == f"{typed(name)}: {file}: {said}"
    assert call(PLAY, "--resume", "--transcript", file, "-s", "shipped", typed="q\n").code == 0
    assert json.loads(file.read_text().splitlines()[0])["solution"] == "shipped"
    assert text_of("review", file) == "A match to 2, 0 rounds played: You 0 : 0 Bot.\n"


def test_a_review_as_data(transcript: Path) -> None:
    again = transcript.with_name("reviewed.jsonl")
    assert text_of("review", transcript, "-o", again) == ""
    lines = [json.loads(line) for line in again.read_text().splitlines()]
    data = json_of("review", transcript)
    accuracy = data.pop("accuracy")
    assert data == {"player": "You", "transcript": lines}
    told = [move["accuracy"] for line in lines for move in line.get("review", {}).get("moves", [])]
    assert accuracy == pytest.approx(fmean(one for one in told if one is not None))
    assert f"Accuracy {accuracy:.0f} of 100; mistakes: " in text_of("review", transcript)
    total = json_of("review", transcript, "--worst", 1)["matches"]["You"]["moves"]
    assert total["accuracy"] == pytest.approx(accuracy)
    costs = [move["cost"] for line in lines for move in line.get("review", {}).get("moves", [])]
    mistakes = re.findall(r"^ *\d+\. .* This cost you (\d+\.\d\d).points", text_of("review", transcript), re.M)
    mine = sorted(filter(None, costs), reverse=True)
    assert [float(cost) for cost in mistakes] == pytest.approx(mine, abs=0.005)
    assert min(mine) >= 0.01
    assert text_of("review", again) == text_of("review", transcript)
    rounds = [line for line in lines if "moves" in line]
    assert all([move["move"] for move in line["review"]["moves"]] for line in rounds)
    assert json_of("explore", "--position", rounds[0]["review"]["moves"][0]["position"])["moves"] == []


def test_a_transcript_of_practice_is_a_position(tmp_path: Path) -> None:
    file = tmp_path / "practice.jsonl"
    options = ("--position", "4-3 w? 51", "--seed", 2, "--transcript", file)
    assert call(PLAY, *options, typed="2\n").code == 0
    file.write_text(file.read_text().splitlines()[0])
    assert json_of("explore", "--position", file)["position"] == "4-3 w? 51"


def test_a_review_of_points_as_data(tmp_path: Path) -> None:
    file = tmp_path / "points.jsonl"
    options = ("-s", "single_round", "--seed", 1, "--seat", "first", "--goal", "win", "--transcript", file)
    assert call(PLAY, *options, typed="\n".join("123456789")).code == 0
    (data,) = [line["review"] for line in json_of("review", file)["transcript"] if "review" in line]
    assert data["unit"] == "points"
    mistakes = re.findall(r"^ *\d+\. .* This cost you (\d\.\d{4}) points\.", text_of("review", file), re.M)
    costs = sorted((move["cost"] for move in data["moves"] if move["cost"]), reverse=True)
    assert [float(cost) for cost in mistakes] == pytest.approx(costs, abs=5e-5)
    assert costs[0] == pytest.approx(0.5)


def test_a_mistake_is_tried_again(transcript: Path) -> None:
    terminal = Terminal("review", transcript)
    shown = " ".join(terminal.until(ASKED).split())
    (position,) = re.findall(r"\((\d-\d \S\S \d+)\) 2\. ", shown)[:1]
    assert "better" not in shown
    assert "better" in terminal.enter("a", ASKED)
    score = position.split()[0]
    (number,) = map(int, re.findall(r" 1\. \?\?? Round (\d)", shown))
    goal = json.loads(transcript.read_text().splitlines()[number])["goals"]
    begun = terminal.enter("t 1", "It is your turn")
    assert f"Position {position}" in begun
    assert f"Round 1 of 1 at {score}, again with the same goals" in begun
    terminal.talk(("q", r"Quit\? \(y/n\)"), ("y", ASKED))
    assert terminal.raw.count("Commitment opened:") == 1
    (sealed,) = re.findall(r"round 1 goal (\w+) nonce", terminal.raw)
    first = json.loads(transcript.read_text().splitlines()[number])["first_mover"]
    assert sealed == goal[first == "You"]
    shown = terminal.enter("t1", "It is your turn")
    for square in "123456789":
        if "Enter for the review" in shown:
            break
        shown = terminal.enter(square)
    terminal.talk(("", ASKED), ("", ""))
    assert terminal.finish()[0] == 0
    assert json_of("review", "--list") == {"matches": []}


def played_against(opponent: str, file: Path, points: int = 1) -> Path:
    """The transcript of a match to so many points, in which the person marks the first free square."""
    arguments = ("--opponent", opponent, "--winning-score", points, "--seed", 5, "--transcript", file)
    assert call("play-multiround", *arguments, typed=ANYTHING).code == 0
    return file


def test_whoever_played_from_another_solution_is_not_known(tmp_path: Path) -> None:
    """careless plays from a solution, the learners from none."""
    for opponent, is_known in (("careless", False), ("learner-1", True)):
        file = played_against(opponent, tmp_path / f"{opponent}.jsonl", 1)
        reviews = [line["review"] for line in json_of("review", file, "-s", "match_to_1")["transcript"][1:-1]]
        assert [("opponent" in review) for review in reviews] == [is_known] * len(reviews)
        lines = file.read_text().splitlines()
        header = json.loads(lines[0]) | {"opponent": "somebody"}
        file.write_text("\n".join([json.dumps(header), *lines[1:]]))
        assert not any("opponent" in line.get("review", {}) for line in json_of("review", file)["transcript"])


def test_a_match_that_is_too_long_has_the_perfect_players_price() -> None:
    bot = MatchBot(load_solution("shipped"))
    played = Round(1, Score(4, 4), 0, (Goal.WIN, Goal.LOSE), new_commitment(1, 1, Goal.LOSE), bot.tree, (5, 1))
    judge, reader = bot.round_bot(played.score), LineReader(True, contextlib.nullcontext)
    talk = PersonTalk(Screen(Speaker(), reader, commands("h")), played, judge)
    talk.known = KnownOpponent("learner-10", bot.round_bot, MOST_POINTS_TO_GO + 1)
    last = "Against Student: not computed in a match to more than 10 points."
    assert talk._hint(judge) == [*Speaker().hint(played, judge), last]


def test_a_person_who_waits_for_a_hint_is_told(tmp_path: Path) -> None:
    terminal = Terminal("play-multiround", "--opponent", "learner-10", "--position", "3-4 w? 5", "--seed", 1)
    terminal.until("Your move")
    terminal.talk(("h", "against Student:"))
    assert "One moment: the best moves against Student are being computed." in terminal.raw
    terminal.talk(("h", "against Student:"), ("q", "Quit"), ("y", ""))
    terminal.finish()
