"""The review of a match or of practice for one player: rounds, winning chances, mistakes, luck and skill."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..games.goals import Seat
from ..match.percentages import percentage_points
from .analysis import Judged, JudgedRound, Terms
from .referee import Round
from .review import Mistake

MARKS = (("??", 5.0), ("?", 2.0), ("?!", 0.0))
"""The marks of mistakes, and from which percentage of matches on."""
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
    """A round that is over."""

    played: Round
    given: int
    """How many moves the round began with."""
    values: tuple[float, ...]
    """What the round was worth to the reviewed player, for the goals that both had, when both play on without
    mistakes, or an opponent whose play is fixed as it always does: after the goals were dealt, and after each move that
    was not given. In match value or in points."""
    marks: dict[int, str]
    """By the number of a move, either player's, the mark of the mistake that it was."""


class MatchReview(NamedTuple):
    """What a player is shown. Values and costs are match values, or points with `in_points`."""

    player: int
    in_points: bool
    rounds: tuple[ReviewedRound, ...]
    """Those that are over."""
    mistakes: tuple[Mistake, ...]
    """Of the player, worst first."""
    num_judged: int
    """1 for a match. Of practice the number of its rounds: what follows is their mean."""
    start: float
    """What the seat was worth before the first round."""
    luck: float
    own_skill: float
    """What the player lost by mistakes, never positive."""
    other_skill: float
    """What the opponent's mistakes gave the player, never negative."""
    is_fixed: bool
    """Whether the opponent's play is fixed: then it makes no mistakes."""
    result: float
    """The sum of start, luck and both skills."""


def luck_of(terms: Terms) -> float:
    """All parts of a result that are nobody's doing: the result without the start and the mistakes of both players."""
    return terms.result - terms.start - terms.own_mistakes - terms.other_mistakes


def match_review(judged: Sequence[Judged], mistakes: Sequence[Sequence[Mistake]], player: int) -> MatchReview:
    """The review of a match (one element of `judged`) or of rounds of practice. mistakes: by player, worst first; only
    those of player 0 against an opponent whose play is fixed."""
    in_points, count = judged[0].in_points, len(judged)
    terms = [one.terms if player == 0 else one.terms.of_the_other() for one in judged]
    return MatchReview(
        player=player,
        in_points=in_points,
        rounds=tuple(_round(played, one, mistakes, player) for one in judged for played in one.rounds),
        mistakes=tuple(mistakes[player]),
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
    values = one.account.bot.expected[list(played.cursor.nodes[judged.given :]), goals[0], goals[1]]
    marks = {
        mistake.move.number: mark_of(mistake.move.cost, judged.in_points)
        for own in mistakes
        for mistake in own
        if mistake.played is played
    }
    return ReviewedRound(played, judged.given, tuple((sign * values).tolist()), marks)
