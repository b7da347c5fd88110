"""A match with a person at the screen."""

from __future__ import annotations

from pathlib import Path

from tictactoe.number_text import counted, unbroken
from tictactoe.play.match_history import left_matches
from tictactoe.play.recorded_play import RecordedMatch

from ..interruption import QuitPlaying
from ..program import as_typed, shown_path
from .session import Session

_CONTINUE = "play-multiround --continue"


def waiting_text(besides: Path | None = None) -> list[str]:
    """A line about the left matches that wait, if any do. besides: a file that does not count."""
    others = [path for path in left_matches() if path != besides]
    waiting = counted(len(others), "match that you left waits", "matches that you left wait")
    return [f"{waiting}: {unbroken(_CONTINUE)}."] if others else []


class MatchSession(Session[RecordedMatch]):
    """The rest of a match with a person at the screen."""

    review_of = "the review of the match"

    def heading(self, number: int) -> str:
        return f"Round {number} of a match to {self.record.match.winning_score}"

    def score(self, again: bool) -> str:
        match, score = self.record.match, f"Score: {self.score_line}."
        if again:
            return f"Both reached {match.winning_score}: it goes on from one below. {score}"
        if match.winner is not None and self.screen.redraws:  # elsewhere it is said soon
            return f"{score} {match.victory}"
        return score

    def summary(self, reason: QuitPlaying | None) -> str:
        score = f"Score: {self.score_line}."
        if self.record.is_over:
            return f"{self.record.match.victory} {score}"
        return f"Stopped ({reason}); rounds played: {len(self.record.rounds)}. {score}"

    def how_to_go_on(self) -> str:
        record, file = self.record, self.record.file
        if not record.is_over and not file.holds:
            return ""
        if record.is_over:
            return "".join(waiting_text(file.path)) if file.ours else ""
        others = [path for path in left_matches() if path != file.path]
        named = "" if file.ours else f" --transcript {as_typed([shown_path(file.path)])}"
        text = f"To go on: {unbroken(_CONTINUE + named)}."
        if record.stays_sealed and record.current is not None:
            opponent = self.screen.speaker.opponent
            text += f" Round {record.current.number} goes on with the same goals, {opponent}'s still sealed."
        if file.ours and others:
            kept = counted(len(others), "match that you left before is", "matches that you left before are")
            other = unbroken(f"{_CONTINUE} --transcript {as_typed([shown_path(others[0])])}")
            text += f" {kept} kept, too; with the last of them goes on: {other}."
        return text
