"""Events of a match as messages; answering_messages.py is the other direction."""

from __future__ import annotations

from ..games.goals import Goal, Seat
from ..games.rules import Outcome
from .agent import MatchEnd, MatchFacts, RoundEnd, RoundFacts
from .messages import Begin, End, FromReferee, GoalDrawn, GoalName, OutcomeName, Result, Reveal

_GOALS: dict[Goal, GoalName] = {Goal.WIN: "win", Goal.LOSE: "lose", Goal.TIE: "tie"}
_OUTCOMES: dict[Outcome, OutcomeName] = {
    Outcome.WIN: "win",
    Outcome.LOSE: "lose",
    Outcome.TIE: "tie",
    Outcome.BOTH_LINES: "both_lines",
}


def messages_of(event: MatchFacts | RoundFacts | RoundEnd | MatchEnd, match: int) -> tuple[FromReferee, ...]:
    """The messages to a player for an event of match number `match`. The end of a round gives Result and Reveal."""
    match event:
        case MatchFacts(winning_score, rules, opponent):
            return (Begin(match, opponent, winning_score, rules),)
        case RoundFacts(number, seat, goal, points):
            return (GoalDrawn(number, "first" if seat is Seat.FIRST else "second", _GOALS[goal], points),)
        case RoundEnd(moves, outcome, goals, scored, points):
            own, other = goals
            return Result(moves, _OUTCOMES[outcome], scored, points), Reveal((_GOALS[own], _GOALS[other]))
        case MatchEnd(won, points, reason):
            return (End(won, points, reason),)
