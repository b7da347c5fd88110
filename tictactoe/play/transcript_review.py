"""The review of a transcript for a player, the transcript with a review of every round, and mistakes tried again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from msgspec import structs

from ..errors import FormatError, NotSavedError
from ..match.percentages import percentage_points
from ..match.scores import Score
from ..storage.open_saved import open_saved
from .analysis import Analyst
from .bot import RoundBot
from .bots_by_score import Judge
from .match_review import MatchReview, match_review
from .notation import Position
from .opponent_bot import require_opponent
from .opponents import DEFAULT_OPPONENT
from .practice import Practice, seat_at
from .recorded_play import RecordedPractice
from .referee import Round
from .review import Mistake, MoveCost, mistakes, review
from .saved_match import TranscriptFile, played_from, require_rules_of
from .transcript import Replayed, Setup, replay


class TranscriptJudge:
    """The solution that judges the moves of a transcript.

    solution: its directory; by default that of the solution which was played from. directory: the one that judges.
    Raises FormatError if the solution does not exist, has other rules, or cannot judge a match that long.
    """

    def __init__(self, path: Path, setup: Setup, solution: Path | None = None) -> None:
        self.setup, self.directory = setup, played_from(path, setup, solution)
        saved = open_saved(self.directory)
        require_rules_of(path, setup, self.directory, saved.tree)
        self._judge = Judge(saved, average=setup.average_strategy)
        self._given = 0 if setup.position is None else len(Position.parse(setup.position).moves)
        if setup.winning_score is not None:
            try:
                self._judge.match(setup.winning_score)
            except ValueError as error:
                raise FormatError(self.directory, str(error)) from error
        self._known = self._judge.opponent_in(path, setup)
        """The opponent of player 0, if its strategy is known."""

    def opponent_of(self, player: int) -> str:
        """Whom the player's moves are judged against: the opponent, if its strategy is known, else the perfect one."""
        return DEFAULT_OPPONENT if self._known is None or player == 1 else self._known.name

    @property
    def in_points(self) -> bool:
        """Whether costs are points, as in a round on its own."""
        return self._judge.in_points

    def replay(self, lines: Sequence[str]) -> Replayed:
        """Play the transcript again. Raises ValueError if its claims do not agree."""
        return replay(lines, self._judge.tree)

    def mistakes(self, rounds: Sequence[Round], player: int) -> list[Mistake]:
        """The player's mistakes, worst first. Raises FormatError for a missing score."""
        judged = [(played, self._judge_of(played, player)) for played in rounds]
        return mistakes(judged, player, self._solved_score, given=self._given)

    def review(self, replayed: Replayed, player: int) -> MatchReview:
        """The rounds that are over, for a player. There must be one. An opponent whose play is fixed makes no mistakes.
        Raises FormatError for a missing score."""
        known = self._known if player == 0 else None
        try:
            judged = Analyst(self._judge).judged(replayed, known)
        except (ValueError, NotSavedError) as error:
            raise FormatError(self.directory, str(error)) from error
        found = [self.mistakes(replayed.rounds, number) for number in ((0, 1) if known is None else (0,))]
        return match_review(judged, found, player)

    def again(self, mistake: Mistake, player: int) -> RecordedPractice:
        """One round of practice from the position of the player's mistake on, with the same goals, against the same
        opponent if possible. Nothing of it is kept."""
        start, played, opponent, names = mistake.position, mistake.played, self.setup.opponent, self.setup.names
        try:
            require_opponent(opponent, self._judge.tree)
        except ValueError:  # a transcript may come from elsewhere
            opponent = DEFAULT_OPPONENT
        if player == 1:
            opponent, names = DEFAULT_OPPONENT, ("You", "Bot")
        about = {"names": names, "opponent": opponent, "position": str(start), "winning_score": None, "seed": None}
        known = self._judge.known_opponent(opponent, None) if self._known is not None and player == 0 else None
        goals = played.goals[player], played.goals[1 - player]
        practice = Practice(self._bot(played.score), start.score, seat_at(start), None, goals, start, known)
        setup = structs.replace(self.setup, **about)
        return RecordedPractice(setup, practice, 1, TranscriptFile(None, keeps=False))

    def reviewed(self, replayed: Replayed, lines: Sequence[str], player: int) -> list[dict[str, Any]]:
        """The lines of the transcript. Each finished round gets a "review" with all moves of the player."""
        result, rounds = [], iter(replayed.rounds)
        unit = "points" if self.in_points else "percentage points of matches won"
        for line in map(json.loads, lines):
            if line.get("outcome") is not None:
                played = next(rounds)
                seat, goal = played.seat(player), played.goals[player]
                moves = review(self._judge_of(played, player), played.cursor.moves, seat, goal, given=self._given)
                about = {"player": self.setup.names[player], "unit": unit}
                if player == 0 and self._known is not None:
                    about["opponent"] = self._known.name
                line["review"] = about | {"moves": [self._as_json(played, player, move) for move in moves]}
            result.append(line)
        return result

    def _solved_score(self, score: Score) -> Score:
        return self._judge.solved_score(score, self.setup.winning_score)

    def _judge_of(self, played: Round, player: int) -> RoundBot:
        """Whoever judges the player's moves."""
        if player == 0 and self._known is not None:
            return self._known.responder(played.score, played.seat(player))
        return self._bot(played.score)

    def _bot(self, score: Score) -> RoundBot:
        try:
            return self._judge.round_bot(score, self.setup.winning_score)
        except NotSavedError as error:
            raise FormatError(self.directory, str(error)) from error

    def _as_json(self, played: Round, player: int, move: MoveCost) -> dict[str, Any]:
        cost = move.cost if self.in_points else percentage_points(move.cost)
        before = replace(played.position(hidden=1 - player), score=self._solved_score(played.score))
        position = replace(before, moves=before.moves[: move.number - 1])
        about: dict[str, Any] = {"move": move.number, "square": move.square, "cost": cost, "best": list(move.best)}
        about["position"] = str(position)
        return about
