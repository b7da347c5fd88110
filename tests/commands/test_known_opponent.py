"""Hints and reviews against opponents whose strategies are known. consoles/play_known.txt shows their words."""

import json
import re
import shlex
from pathlib import Path

import pytest
from support.consoles import follows
from support.programs import call, json_of, text_of
from support.slowness import slow
from support.terminal import Terminal

from tictactoe import Goal, MatchBot, load_solution
from tictactoe.match.scores import Score
from tictactoe.number_text import unbroken
from tictactoe.play.commitment import new_commitment
from tictactoe.play.known_opponent import MOST_POINTS_TO_GO, KnownOpponent, MoveAgainst
from tictactoe.play.referee import Round
from tictactoe.play.review import mistakes
from tictactoe.play.review_text import against_opponent
from tictactoe.play.round_text import Speaker
from tictactoe.play.transcript import replay

UNBROKEN = unbroken(" ")
ADDED = {"gained_against_opponent", "best_against_opponent"}


def played_against(opponent: str, file: Path, points: int = 1) -> Path:
    """The transcript of a match to so many points, in which the person marks the first free square."""
    typed = "\n".join("123456789" * 40)
    arguments = ("--opponent", opponent, "--winning-score", points, "--seed", 5, "--transcript", file)
    assert call("play-multiround", *arguments, typed=typed).code == 0
    return file


def moves_in(review: object) -> list[dict[str, object]]:
    assert isinstance(review, dict)
    return [move for line in review["transcript"] for move in line.get("review", {}).get("moves", [])]


@pytest.mark.parametrize(("opponent", "points"), [("learner-1", 1), *slow(("careless", 2))])
def test_a_review_compares_with_both(opponent: str, points: int, tmp_path: Path) -> None:
    """The figures are those of the library; the review keeps its earlier keys and values."""
    file = played_against(opponent, tmp_path / "match.jsonl", points)
    review = json_of("review", file)
    told, bot, found = moves_in(review), MatchBot(load_solution("shipped"), points), []
    known = KnownOpponent(opponent, bot.round_bot, points)
    for played in replay(file.read_text().splitlines(), bot.tree).rounds:
        own = mistakes([(played, bot.round_bot(played.score))], 0, bot.solved_score, known=known)
        found += sorted(own, key=lambda mistake: mistake.move.number)
    assert {line["review"]["opponent"] for line in review["transcript"] if line.get("outcome")} == {opponent}
    costly = [move for move in told if move["cost"]]
    assert len(costly) == len(found) > 0
    for move, mistake in zip(costly, found, strict=True):
        assert mistake.against is not None
        assert move["gained_against_opponent"] == pytest.approx(50.0 * mistake.against.gained, abs=1e-12)
        assert move["best_against_opponent"] == list(mistake.against.best)
    text = text_of("review", file)
    assert text.count(f" Against {opponent} it ") == len(costly)
    of_bot = json_of("review", file, "--player", "Bot")
    assert not any(ADDED & move.keys() for move in moves_in(of_bot))
    assert f"against {opponent}" not in text_of("review", file, "--player", "Bot")


def test_nothing_changes_against_the_perfect_one(tmp_path: Path) -> None:
    file = played_against("perfect", tmp_path / "match.jsonl")
    review = json_of("review", file)
    assert not any(ADDED & move.keys() for move in moves_in(review))
    assert not any("opponent" in line.get("review", {}) for line in review["transcript"])
    assert "gainst perfect" not in text_of("review", file)


def test_whoever_played_from_another_solution_is_not_known(tmp_path: Path) -> None:
    """careless plays from a solution, the learners from none."""
    for opponent, is_known in (("careless", False), ("learner-1", True)):
        file = played_against(opponent, tmp_path / f"{opponent}.jsonl", 1)
        moves = moves_in(json_of("review", file, "-s", "match_to_1"))
        assert [move.keys() >= ADDED for move in moves] == [is_known] * len(moves)
        lines = file.read_text().splitlines()
        header = json.loads(lines[0]) | {"opponent": "somebody"}
        file.write_text("\n".join([json.dumps(header), *lines[1:]]))
        assert not any(ADDED & move.keys() for move in moves_in(json_of("review", file)))


def test_the_round_of_the_page() -> None:
    page = (Path(__file__).parents[2] / "docs" / "opponents.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^    \$ printf '%s\\n' b h [|] (play-subgame .*)\n((?:    .*\n)+)", page, re.MULTILINE)
    name, *arguments = shlex.split(shown[0])
    printed = call(name, *arguments, typed="b\nh\n").out
    assert follows(printed.replace(UNBROKEN, " ").splitlines(), [line[4:] for line in shown[1].splitlines()])


def test_words_for_every_case(tmp_path: Path) -> None:
    bot, speaker = MatchBot(load_solution("shipped")), Speaker()
    goals = Goal.WIN, Goal.LOSE
    played = Round(1, Score(4, 4), 0, goals, new_commitment(1, 1, goals[1]), bot.tree)
    learner, long = (KnownOpponent("learner-10", bot.round_bot, points) for points in (5, 5 + MOST_POINTS_TO_GO))
    assert speaker.best_against(played, learner).startswith("Against learner-10 ")
    words = "Against learner-10: not computed while you or the bot need more than 10 points."
    assert speaker.best_against(played, long) == words
    lines = played_against("perfect", tmp_path / "match.jsonl", 2).read_text().splitlines()
    judged = [(one, bot.round_bot(Score(4, 4))) for one in replay(lines, bot.tree).rounds]
    mistake = mistakes(judged, 0, bot.solved_score)[0]
    assert against_opponent(speaker, mistake) == ""
    said = {0.024: "was right: it gained 1.20 %.", -0.06: "cost 3.00 %.", 1e-5: "cost nothing."}
    for gained, told in said.items():
        against = mistake._replace(against=MoveAgainst("uniform", gained, (5,)))
        assert against_opponent(speaker, against).replace(UNBROKEN, " ") == f"Against uniform it {told}"


def test_a_person_who_waits_for_a_hint_is_told(tmp_path: Path) -> None:
    terminal = Terminal("play-subgame", "--opponent", "learner-10", "--position", "3-4 w? 5", "--seed", 1)
    terminal.until("Your move")
    terminal.talk(("h", "Against learner-10"))
    assert "One moment: the best moves against learner-10 are computed." in terminal.raw
    terminal.talk(("h", "Against learner-10"), ("q", "Quit"), ("y", ""))
    terminal.finish()
