"""Practice with a person at the screen."""

from __future__ import annotations

from typing import Any

from tictactoe.play.bot import RoundBot
from tictactoe.play.practice import Practice, points_of
from tictactoe.play.randomness import generator_for, round_purpose
from tictactoe.play.referee import Round
from tictactoe.play.saved_match import TranscriptFile
from tictactoe.play.transcript import Setup, practice_lines

from .play_screen import Screen
from .quitting import QuitPlaying
from .review_screen import Explore
from .session import Session


class PracticeSession(Session):
    """Rounds of practice. wanted: their number. where: their place in words, such as "at 4-3 of a match to 5"."""

    def __init__(
        self,
        setup: Setup,
        file: TranscriptFile,
        screen: Screen,
        explore: Explore,
        practice: Practice,
        wanted: int,
        where: str,
    ) -> None:
        super().__init__(setup, file, screen, explore, rounds=[])
        self.practice = practice
        self.wanted = wanted
        self.where = where
        self.given = 0 if practice.start is None else len(practice.start.moves)

    @property
    def points(self) -> tuple[int, int]:
        return points_of(self.rounds)

    def judge(self, played: Round) -> RoundBot:
        return self.practice.bot

    def lines(self) -> list[dict[str, Any]]:
        going_on = self.going_on
        return practice_lines(self.setup, self.rounds if going_on is None else [*self.rounds, going_on])

    def play(self) -> None:
        for number in range(1, self.wanted + 1):
            played = self.practice.deal(number)
            generator = generator_for(self.practice.seed, round_purpose("moves", number))
            self.play_round(played, f"Round {number} of {self.wanted} {self.where}", generator)
            self.rounds.append(played)
            pause = "for the next round" if number < self.wanted else "for the review"
            self.show_result(played, f"Points: {self.score_line}.", pause)

    def settle(self, reason: QuitPlaying | None) -> None:
        if self.going_on is not None and self.going_on.outcome is not None:
            self.rounds.append(self.going_on)

    def summary(self, reason: QuitPlaying | None) -> str:
        stopped = f"Stopped ({reason}); rounds" if self.current or len(self.rounds) < self.wanted else "Rounds"
        return f"{stopped} played: {len(self.rounds)}. Points: {self.score_line}."
