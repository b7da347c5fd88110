"""Hints and reviews against opponents whose strategies are known. consoles/play_known.txt shows their words."""

import contextlib
import json
from pathlib import Path

from support.programs import ANYTHING, call, json_of
from support.terminal import Terminal
from tictactoe.tools.screens.line_reader import LineReader
from tictactoe.tools.screens.play_round import PersonTalk, commands
from tictactoe.tools.screens.play_screen import Screen

from tictactoe import Goal, MatchBot, load_solution
from tictactoe.match.scores import Score
from tictactoe.play.known_opponent import MOST_POINTS_TO_GO, KnownOpponent
from tictactoe.play.referee import Round, new_commitment
from tictactoe.play.round_text import Speaker


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
    assert "One moment: the best moves against Student are computed." in terminal.raw
    terminal.talk(("h", "against Student:"), ("q", "Quit"), ("y", ""))
    terminal.finish()
