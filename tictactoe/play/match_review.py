"""The review of a transcript for one player, and new attempts at mistakes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import structs

from ..errors import FormatError, NotSavedError
from ..games.rules import Seat
from ..games.tic_tac_toe_tree import GameTree
from ..match.percentages import percentage_points
from ..match.scores import Score
from ..storage.open_saved import open_saved
from .bot import RoundBot, require_opponent
from .judge import Judge
from .luck_and_mistakes import Analyst, Judged, JudgedRound, Terms
from .match_history import TranscriptFile, played_from, require_rules_of
from .move_costs import Mistake, MoveCost, mean_accuracy, mistakes, review
from .notation import Position
from .opponents import DEFAULT_OPPONENT
from .recorded_play import Practice, RecordedPractice, seat_at
from .referee import Round
from .transcript import Replayed, Setup, content_of

MARKS = (("??", 5.0), ("?", 2.0), ("?!", 0.0))
"""The marks of mistakes, each with its smallest cost in points of winning chance."""
MARKS_IN_POINTS = (("??", 0.25), ("?", 0.1), ("?!", 0.0))


def mark_of(cost: float, in_points: bool) -> str:
    """The mark of a mistake: ?!, ? or ??.

    >>> mark_of(0.08, in_points=False), mark_of(0.08, in_points=True)
    ('?', '?!')
    """
    if in_points:
        return next(mark for mark, least in MARKS_IN_POINTS if cost >= least)
    return next(mark for mark, least in MARKS if percentage_points(cost) >= least)


class ReviewedRound(NamedTuple):
    played: Round
    given: int
    """The number of moves that the round began with."""
    values: tuple[float, ...]
    """The values of the round to the reviewed player for the real goals, if neither makes mistakes from then on: after
    the goals were dealt, and after each move that was not given. In match value or in points."""
    marks: dict[int, str]
    """The marks of both players' mistakes, by the number of the move."""


class MatchReview(NamedTuple):
    """The review for a player, in match values, or in points with `in_points`."""

    player: int
    in_points: bool
    rounds: tuple[ReviewedRound, ...]
    """The finished rounds."""
    mistakes: tuple[Mistake, ...]
    """The player's mistakes, worst first."""
    accuracy: float | None
    """The mean accuracy of the player's moves (`accuracy_of`); None if no move made a difference."""
    num_judged: int
    """1 for a match. For practice, the number of rounds, over which the fields below are averaged."""
    start: float
    """The value of the seat before the first round."""
    luck: float
    own_skill: float
    """What the player lost by mistakes, never positive."""
    other_skill: float
    """What the opponent's mistakes gave the player, never negative."""
    is_fixed: bool
    """Whether the opponent's play is fixed, in which case it makes no mistakes."""
    result: float
    """The sum of start, luck and both skills."""


def luck_of(terms: Terms) -> float:
    """The result minus the start and the mistakes of both players."""
    return terms.result - terms.start - terms.own_mistakes - terms.other_mistakes


def match_review(judged: Sequence[Judged], mistakes: Sequence[Sequence[Mistake]], player: int) -> MatchReview:
    """The review of a match (one element of `judged`) or of rounds of practice.

    mistakes: by player, worst first; only those of player 0 against an opponent whose play is fixed.
    """
    in_points, count = judged[0].in_points, len(judged)
    terms = [one.terms if player == 0 else one.terms.of_the_other() for one in judged]
    return MatchReview(
        player=player,
        in_points=in_points,
        rounds=tuple(_round(played, one, mistakes, player) for one in judged for played in one.rounds),
        mistakes=tuple(mistakes[player]),
        accuracy=mean_accuracy(
            move.accuracy for one in judged for played in one.rounds for move in played.moves_of(player)
        ),
        num_judged=count,
        start=sum(one.start for one in terms) / count,
        luck=sum(map(luck_of, terms)) / count,
        own_skill=sum(one.own_mistakes for one in terms) / count,
        other_skill=sum(one.other_mistakes for one in terms) / count,
        is_fixed=judged[0].is_fixed,
        result=sum(one.result for one in terms) / count,
    )


def _round(one: JudgedRound, judged: Judged, mistakes: Sequence[Sequence[Mistake]], player: int) -> ReviewedRound:
    played, goals = one.played, one.played.goals_by_seat
    sign = 1.0 if played.seat(player) is Seat.FIRST else -1.0
    values = one.bot.expected[list(played.cursor.nodes[judged.given :]), goals[0], goals[1]]
    marks = {
        mistake.move.number: mark_of(mistake.move.cost, judged.in_points)
        for own in mistakes
        for mistake in own
        if mistake.played is played
    }
    return ReviewedRound(played, judged.given, tuple((sign * values).tolist()), marks)


class TranscriptJudge:
    """The solution that judges the moves of a transcript.

    solution: the directory of the solution; by default, the one that the match was played from.

    Raises FormatError if the solution does not exist or does not fit.
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
        """The name of the opponent that the player's moves are judged against."""
        return DEFAULT_OPPONENT if self._known is None or player == 1 else self._known.name

    @property
    def in_points(self) -> bool:
        """Whether costs are points."""
        return self._judge.in_points

    @property
    def tree(self) -> GameTree:
        return self._judge.tree

    def mistakes(self, rounds: Sequence[Round], player: int) -> list[Mistake]:
        """The player's mistakes, worst first. Raises FormatError for a missing score."""
        judged = [(played, self._judge_of(played, player)) for played in rounds]
        return mistakes(judged, player, self._solved_score, given=self._given)

    def review(self, replayed: Replayed, player: int) -> MatchReview:
        """The review of the finished rounds, at least one. Raises FormatError for a missing score."""
        known = self._known if player == 0 else None
        try:
            judged = Analyst(self._judge).judged(replayed, known)
        except (ValueError, NotSavedError) as error:
            raise FormatError(self.directory, str(error)) from error
        found = [self.mistakes(replayed.rounds, number) for number in ((0, 1) if known is None else (0,))]
        return match_review(judged, found, player)

    def again(self, mistake: Mistake, player: int) -> RecordedPractice:
        """A round of practice from the position of a mistake, with the same goals and, if possible, the same
        opponent."""
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

    def reviewed(self, replayed: Replayed, lines: Sequence[str | bytes], player: int) -> list[dict[str, Any]]:
        """The lines of the transcript, with a "review" of the player's moves in each finished round."""
        result, rounds = [], iter(replayed.rounds)
        unit = "points" if self.in_points else "points of winning chance"
        for line in (content_of(line, number) for number, line in enumerate(lines, 1)):
            if line.get("outcome") is not None:
                played = next(rounds)
                seat, goal = played.seat(player), played.goals[player]
                moves = review(self._judge_of(played, player), played.cursor.moves, seat, goal, given=self._given)
                accuracy = mean_accuracy(move.accuracy for move in moves)
                about = {"player": self.setup.names[player], "unit": unit, "accuracy": accuracy}
                if player == 0 and self._known is not None:
                    about["opponent"] = self._known.name
                line["review"] = about | {"moves": [self._as_json(played, player, move) for move in moves]}
            result.append(line)
        return result

    def _solved_score(self, score: Score) -> Score:
        return self._judge.solved_score(score, self.setup.winning_score)

    def _judge_of(self, played: Round, player: int) -> RoundBot:
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
        position = played.position(1 - player, move.number, self._solved_score(played.score))
        about: dict[str, Any] = {"move": move.number, "square": move.square, "cost": cost, "best": list(move.best)}
        return about | {"accuracy": move.accuracy, "position": str(position)}
