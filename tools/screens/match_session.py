"""A match with a person at the screen."""

from __future__ import annotations

import shlex
from typing import Any

from tictactoe.play.begun_match import BegunMatch
from tictactoe.play.bot import RoundBot
from tictactoe.play.randomness import generator_for, round_purpose
from tictactoe.play.referee import Match, Round
from tictactoe.play.saved_match import TranscriptFile, left_matches
from tictactoe.play.transcript import match_lines

from ..program import shown_path
from ..words import counted, unbroken
from .play_screen import Screen
from .quitting import QuitPlaying
from .review_screen import Explore
from .session import Session

_CONTINUE = "play-multiround --continue"


class MatchSession(Session):
    """The rest of a match with a person at the screen."""

    def __init__(self, begun: BegunMatch, screen: Screen, explore: Explore) -> None:
        super().__init__(begun.setup, begun.file, screen, explore, begun.match.rounds)
        self.bot, self.match = begun.bot, begun.match
        self.current = begun.current or begun.match.deal()
        screen.solved_score = begun.bot.solved_score

    @property
    def points(self) -> tuple[int, int]:
        return self.match.points

    @property
    def going_on(self) -> Round | None:
        return None if self.current in self.match.abandoned else super().going_on

    def judge(self, played: Round) -> RoundBot:
        return self.bot.round_bot(played.score)

    def lines(self) -> list[dict[str, Any]]:
        return match_lines(self.setup, self.match, self.going_on)

    def play(self) -> None:
        match = self.match
        while match.winner is None:
            played = self.current or match.deal()
            generator = generator_for(match.seed, round_purpose("moves", played.number, match.dealt_again))
            self.play_round(played, f"Round {played.number} of a match to {match.winning_score}", generator)
            again = match.finish(played)
            score = f"Score: {self.score_line}."
            if again:
                score = f"Both reached {match.winning_score}: it goes on from one below. {score}"
            elif match.winner is not None and self.screen.redraws:  # elsewhere it is said soon
                score += f" {victory(match)}"
            pause = "for the next round" if match.winner is None else "for the review of the match"
            self.show_result(played, score, pause)

    def settle(self, reason: QuitPlaying | None) -> None:
        going_on = self.going_on
        begun_at_all = bool(self.rounds or (going_on is not None and going_on.cursor.moves))
        if going_on is not None and going_on.outcome is not None:
            self.match.finish(going_on)
        wanted = begun_at_all or (reason is not None and reason.save)
        if self.match.winner is None and self.file.path is None and self.screen.reader.is_terminal and wanted:
            self.file = TranscriptFile.of_a_new_match()
        if going_on is not None and going_on.outcome is None and not self.file.is_file:
            self.match.abandon(going_on)  # its commitment opens before its end, so it does not count
        if reason is not None:
            self.save()
        if self.match.winner is not None:
            self.file.forget()

    @property
    def stays_sealed(self) -> bool:
        return self.file.holds and self.current is not None and self.current.outcome is None

    def summary(self, reason: QuitPlaying | None) -> str:
        score = f"Score: {self.score_line}."
        if self.match.winner is not None:
            return f"{victory(self.match)} {score}"
        return f"Stopped ({reason}); rounds played: {len(self.rounds)}. {score}"

    def how_to_go_on(self) -> str:
        if self.match.winner is None and not self.file.holds:
            return ""
        others = [path for path in left_matches() if path != self.file.path]
        if self.match.winner is not None:
            waiting = counted(len(others), "match that you left waits", "matches that you left wait")
            return f"{waiting}: {unbroken(_CONTINUE)}." if self.file.ours and others else ""
        named = "" if self.file.ours else f" --transcript {shlex.quote(shown_path(self.file.path))}"
        text = f"To go on: {unbroken(_CONTINUE + named)}."
        if self.stays_sealed and self.current is not None:
            opponent = self.screen.speaker.opponent
            text += f" Round {self.current.number} goes on with the same goals, {opponent}'s still sealed."
        if self.file.ours and others:
            kept = counted(len(others), "match that you left before is", "matches that you left before are")
            other = unbroken(f"{_CONTINUE} --transcript {shlex.quote(shown_path(others[0]))}")
            text += f" {kept} kept, too; with the last of them goes on: {other}."
        return text


def victory(match: Match) -> str:
    """A sentence about the winner. Raises ValueError while the match goes on."""
    if match.winner is None:
        raise ValueError("the match goes on")
    name = match.names[match.winner]
    return "You win the match." if match.winner == 0 and name == "You" else f"{name} wins the match."
