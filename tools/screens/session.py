"""A session: rounds with a person at the screen, for a match or for practice, from the first to the review."""

from __future__ import annotations

import random
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple, NoReturn

from tictactoe.errors import TicTacToeError
from tictactoe.play.bot import RoundBot
from tictactoe.play.notation import Position
from tictactoe.play.opponent_bot import opponent_of
from tictactoe.play.opponents import DEFAULT_OPPONENT
from tictactoe.play.practice import Practice, points_of
from tictactoe.play.randomness import generator_for, round_purpose
from tictactoe.play.referee import Round
from tictactoe.play.review import Mistake, mistakes
from tictactoe.play.saved_match import TranscriptFile
from tictactoe.play.transcript import Setup, practice_lines

from ..program import EXIT_FAILURE, say
from ..reports.play_text import PERSON, score_line
from .play_round import RoundTalk
from .play_screen import Screen
from .quitting import QuitPlaying, Signals
from .review_screen import Explore, show_review


class Session(ABC):
    """Rounds with a person at the screen, one after another.

    rounds: the rounds that were played to their ends. current: the dealt round whose commitment is not opened yet.
    given: how many moves each round begins with.
    """

    given = 0

    def __init__(
        self, setup: Setup, file: TranscriptFile, screen: Screen, explore: Explore, rounds: list[Round]
    ) -> None:
        self.setup, self.file, self.screen, self._explore, self.rounds = setup, file, screen, explore, rounds
        self.current: Round | None = None

    @property
    @abstractmethod
    def points(self) -> tuple[int, int]:
        """By player."""

    @abstractmethod
    def play(self) -> None:
        """Play all rounds. Raises QuitPlaying, and OSError or TicTacToeError for a file that cannot be used."""

    @abstractmethod
    def settle(self, reason: QuitPlaying | None) -> None:
        """Count finished rounds, and save the match for later. reason: why the play ended; None after the last round.
        Raises the errors of `play`."""

    @abstractmethod
    def summary(self, reason: QuitPlaying | None) -> str:
        """The closing line. reason: as in `settle`."""

    @abstractmethod
    def lines(self) -> list[dict[str, Any]]:
        """The transcript."""

    @abstractmethod
    def judge(self, played: Round) -> RoundBot:
        """The perfect player that judges the round."""

    @property
    def stays_sealed(self) -> bool:
        """Whether the dealt round continues later. Its commitment must then stay closed."""
        return False

    def how_to_go_on(self) -> str:
        """The last line: how to continue. Empty if nothing was saved."""
        return ""

    def run(self, signals: Signals) -> NoReturn:
        """Play, review, and end the program. However play ends, the session is saved if possible, and the commitment is
        opened unless the round continues later."""
        self.save()  # a file that cannot be written to ends the program before anything is shown
        reason: QuitPlaying | None = None
        failure: Exception | None = None
        with signals.caught():
            try:
                self.screen.clear()
                self.play()
            except QuitPlaying as quitting:
                reason = quitting
            except (OSError, TicTacToeError) as error:
                reason, failure = QuitPlaying("failed", code=EXIT_FAILURE), error
            try:
                self.settle(reason)
            except (OSError, TicTacToeError) as error:
                failure = failure or error
                reason = reason and QuitPlaying("failed", code=EXIT_FAILURE)
            if reason is None:
                self.screen.clear()
            say(self.summary(reason))
            if self.current is not None and reason is not None and not self.stays_sealed:
                self.screen.open_commitment(self.current)
        if self.rounds:
            speaker = self.screen.speaker
            show_review(self.screen.reader, speaker, self.mistakes(self.rounds), self._explore, ask=reason is None)
        if hint := self.how_to_go_on():
            say(hint)
        if failure is not None:
            raise failure
        sys.exit(0 if reason is None else reason.code)

    def play_round(self, played: Round, heading: str, generator: random.Random) -> None:
        """Play a round to its end, and save after every move. generator: draws the moves of the opponent."""
        self.current, opponent = played, self.setup.opponent
        self.save()
        judge = self.judge(played)
        self.screen.heading = heading if opponent == DEFAULT_OPPONENT else f"{heading} ({opponent})"
        self.screen.score_line = self.score_line
        RoundTalk(self.screen, played, judge, opponent_of(opponent, judge), self.given).play(generator, self.save)

    def show_result(self, played: Round, score: str, pause: str) -> None:
        """Save, then show the result of a counted round, which opens its commitment. score, pause: as in
        `Screen.finish`."""
        self.save()
        self.current = None
        self.screen.score_line = self.score_line
        self.screen.finish(played, score, self.mistakes([played]), pause=pause, explore=self.explore)

    def explore(self, position: Position) -> None:
        """Show the position in explore. Raises QuitPlaying."""
        with self.screen.reader.waiting():
            self._explore(position)

    def mistakes(self, rounds: Sequence[Round]) -> list[Mistake]:
        """The person's mistakes in these rounds, worst first."""
        judged = [(played, self.judge(played)) for played in rounds]
        return mistakes(judged, PERSON, self.screen.solved_score, given=self.given)

    @property
    def going_on(self) -> Round | None:
        """The current round, unless it has been counted."""
        return None if self.current in self.rounds else self.current

    @property
    def score_line(self) -> str:
        return score_line(self.setup.names, self.points)

    def save(self) -> None:
        if self.file.path is not None:
            lines = self.lines()
            self.file.save(lines, finished=len(lines) - (self.going_on is not None))


class BegunPractice(NamedTuple):
    """Practice that has been asked for."""

    setup: Setup
    practice: Practice
    wanted: int
    """The number of rounds."""
    where: str
    """Their place in words, such as "at 4-3 of a match to 5"."""
    file: TranscriptFile


class PracticeSession(Session):
    """Rounds of practice with a person at the screen."""

    def __init__(self, begun: BegunPractice, screen: Screen, explore: Explore) -> None:
        super().__init__(begun.setup, begun.file, screen, explore, [])
        self.practice, self.wanted, self.where = begun.practice, begun.wanted, begun.where
        self.given = 0 if begun.practice.start is None else len(begun.practice.start.moves)

    @property
    def points(self) -> tuple[int, int]:
        return points_of(self.rounds)

    def judge(self, played: Round) -> RoundBot:
        return self.practice.bot

    def lines(self) -> list[dict[str, Any]]:
        return practice_lines(self.setup, [*self.rounds, *filter(None, [self.going_on])])

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
