"""A person at the screen in a tournament on a network."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from tictactoe.agents.agent import MatchEnd, MatchFacts, RoundEnd, RoundFacts
from tictactoe.agents.client import shown
from tictactoe.agents.match_play import SeenRound
from tictactoe.games.rules import Rules
from tictactoe.games.tic_tac_toe_tree import GameTree
from tictactoe.play.referee import LONGEST_NAME
from tictactoe.play.round_text import Speaker, score_line

from ..program import say
from .play_round import PersonTalk
from .play_screen import Screen


class NetworkPerson:
    """An `Agent` whose moves a person types. Raises QuitPlaying. seconds: a function that returns the time for a
    move."""

    def __init__(self, screen: Screen, seconds: Callable[[], float], *, numpad: bool) -> None:
        self._screen, self._seconds, self._numpad = screen, seconds, numpad
        self._told_of_time = False
        self._asked: tuple[int, ...] | None = None  # the moves before the turn that is being timed
        self._move_by = 0.0
        screen.clock = self._clock

    def begin_match(self, facts: MatchFacts) -> None:
        self._tree = GameTree.build(Rules.parse(facts.rules))
        self._opponent = shown(facts.opponent)[:LONGEST_NAME]
        self._winning_score = facts.winning_score
        self._screen.speaker = Speaker(self._opponent, numpad=self._numpad)
        self._screen.clear()
        say(f"A match to {facts.winning_score} against {self._opponent} begins.")
        if not self._told_of_time:
            say(f"You have {self._seconds():g} seconds for each move.")
            self._told_of_time = True

    def begin_round(self, facts: RoundFacts) -> None:
        self._round, self._asked = SeenRound(facts, self._tree), None
        played = self._round.played
        self._screen.heading = f"Round {facts.number} of a match to {self._winning_score}"
        self._screen.score_line = self._score_line(facts.points)
        self._panel = self._screen.begin(played)
        self._screen.wait(played, f"It is {self._opponent}'s turn.")

    def choose(self, moves: tuple[int, ...]) -> int:
        played = self._round.played
        self._follow(moves)
        if moves != self._asked:  # the referee repeats a turn after a lost connection
            self._asked, self._move_by = moves, time.monotonic() + self._seconds()
        self._screen.reader.ticks = True
        try:
            square = PersonTalk(self._screen, played, None).next_move(self._panel)
        finally:
            self._screen.reader.ticks = False
        self._panel = ()
        self._screen.moved(played, self._round.mark(square), square)
        self._screen.wait(played, f"You marked {self._screen.speaker.digit(square)}. It is {self._opponent}'s turn.")
        return square

    def end_round(self, end: RoundEnd) -> None:
        self._follow(end.moves)
        ended = self._round.ended(end)
        self._screen.score_line = self._score_line(end.points)
        self._screen.finish(ended, f"Score: {self._score_line(end.points)}.", None, pause="to continue")

    def end_match(self, end: MatchEnd) -> None:
        self._screen.clear()
        if end.reason:
            say(f"The match has ended: {shown(end.reason)}.")
        lost = "You have not won" if end.reason else f"{self._opponent} wins"
        say(f"{'You win' if end.won else lost} the match. Score: {self._score_line(end.points)}.")
        say("Waiting for the next match.")

    def _clock(self) -> str:
        left = max(self._move_by - time.monotonic(), 0.0)
        return f"You have {math.ceil(left)} s for this move." if self._screen.reader.ticks else ""

    def _follow(self, moves: tuple[int, ...]) -> None:
        for player, square in self._round.follow(moves):
            self._screen.moved(self._round.played, player, square)

    def _score_line(self, points: tuple[int, int]) -> str:
        return score_line(("You", self._opponent), points)
