"""Hints and reviews against opponents whose strategies are known. consoles/play_known.txt shows their words."""

import contextlib
import json
import re
import shlex
from pathlib import Path

import pytest
from support.consoles import follows
from support.programs import ANYTHING, call, json_of
from support.slowness import slow
from support.terminal import Terminal
from tictactoe.tools.screens.line_reader import LineReader
from tictactoe.tools.screens.play_round import PersonTalk, commands
from tictactoe.tools.screens.play_screen import Screen

from tictactoe import Goal, MatchBot, Seat, load_solution
from tictactoe.match.scores import Score
from tictactoe.number_text import unbroken
from tictactoe.play.known_opponent import MOST_POINTS_TO_GO, KnownOpponent
from tictactoe.play.move_costs import mistakes
from tictactoe.play.referee import Round, new_commitment
from tictactoe.play.round_text import Speaker
from tictactoe.play.transcript import replay

UNBROKEN = unbroken(" ")
NO_PARTS = ("result", "without_goals")


def played_against(opponent: str, file: Path, points: int = 1) -> Path:
    """The transcript of a match to so many points, in which the person marks the first free square."""
    arguments = ("--opponent", opponent, "--winning-score", points, "--seed", 5, "--transcript", file)
    assert call("play-multiround", *arguments, typed=ANYTHING).code == 0
    return file


def moves_in(review: object) -> list[dict[str, object]]:
    assert isinstance(review, dict)
    return [move for line in review["transcript"] for move in line.get("review", {}).get("moves", [])]


@pytest.mark.parametrize(("opponent", "points"), [("learner-10", 2), *slow(("careless", 2))])
def test_review_and_analyse_have_one_price(opponent: str, points: int, tmp_path: Path) -> None:
    """That of the best responder; and the parts of the result are the result."""
    file = played_against(opponent, tmp_path / "match.jsonl", points)
    review = json_of("review", file)
    told, bot, found = moves_in(review), MatchBot(load_solution("shipped"), points), []
    known = KnownOpponent(opponent, bot.round_bot, points)
    for played in replay(file.read_text().splitlines(), bot.tree).rounds:
        own = mistakes([(played, known.responder(played.score, played.seat(0)))], 0, bot.solved_score)
        found += sorted(own, key=lambda mistake: mistake.move.number)
    assert {line["review"]["opponent"] for line in review["transcript"] if line.get("outcome")} == {opponent}
    costly = [move for move in told if move["cost"]]
    assert len(costly) == len(found) > 0
    for move, mistake in zip(costly, found, strict=True):
        assert move["cost"] == pytest.approx(50.0 * mistake.move.cost, abs=1e-12)
        assert move["best"] == list(mistake.move.best)
    players = json_of("review", file, "--worst", 1)["matches"]
    assert players["You"]["moves"]["cost"] == pytest.approx(
        sum(mistake.move.cost for mistake in found) * 50.0, abs=1e-9
    )
    assert players["Bot"]["moves"]["cost"] == 0.0
    terms = {name: term["mean"] for name, term in players["You"]["terms"].items()}
    assert sum(term for name, term in terms.items() if name not in NO_PARTS) == pytest.approx(terms["result"], abs=1e-9)
    first = json.loads(file.read_text().splitlines()[1])["first_mover"]
    seat = Seat.FIRST if first == "You" else Seat.SECOND
    responder = known.responder(Score(0, 0), seat)
    start = sum(responder.worth(0, seat, goal) for goal in Goal) / 3.0
    assert terms["start"] == pytest.approx(50.0 * start, abs=1e-9)
    of_bot = json_of("review", file, "--player", "Bot")
    assert not any("opponent" in line.get("review", {}) for line in of_bot["transcript"])


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


def test_the_round_of_the_page() -> None:
    page = (Path(__file__).parents[2] / "docs" / "opponents.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^    \$ printf '%s\\n' b h [|] (play-multiround .*)\n((?:    .*\n)+)", page, re.MULTILINE)
    name, *arguments = shlex.split(shown[0])
    printed = call(name, *arguments, typed="b\nh\n").out
    assert follows(printed.replace(UNBROKEN, " ").splitlines(), [line[4:] for line in shown[1].splitlines()])


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
    assert "One moment: the best moves against Student are computed." in terminal.raw
    terminal.talk(("h", "against Student:"), ("q", "Quit"), ("y", ""))
    terminal.finish()
