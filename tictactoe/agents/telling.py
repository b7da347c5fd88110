"""Events of a match as messages, and back."""

from __future__ import annotations

from ..games.goals import Goal, Seat
from ..games.rules import Outcome
from .agent import Agent, MatchEnd, MatchFacts, RoundEnd, RoundFacts
from .messages import Begin, End, FromReferee, GoalDrawn, GoalName, OutcomeName, Result, Reveal

_GOALS: dict[Goal, GoalName] = {Goal.WIN: "win", Goal.LOSE: "lose", Goal.TIE: "tie"}
_OUTCOMES: dict[Outcome, OutcomeName] = {
    Outcome.WIN: "win",
    Outcome.LOSE: "lose",
    Outcome.TIE: "tie",
    Outcome.BOTH_LINES: "both_lines",
}


def messages_of(event: MatchFacts | RoundFacts | RoundEnd | MatchEnd, match: int) -> tuple[FromReferee, ...]:
    """What a player is sent of an event of the match of that number; a result and what it reveals are two messages."""
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


class Hearing:
    """Tells an agent what messages say. What is repeated after a lost connection, the agent is not told again."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._match = self._round = 0
        self._result: Result | None = None

    def tell(self, message: FromReferee) -> None:
        """Of a Begin, GoalDrawn, Result, Reveal or End; nothing of others."""
        match message:
            case Begin() if message.match != self._match:
                self._match, self._round = message.match, 0
                self._agent.begin_match(MatchFacts(message.winning_score, message.rules, message.opponent))
            case GoalDrawn() if message.round != self._round:
                self._round = message.round
                seat, goal = Seat[message.seat.upper()], _goal(message.goal)
                self._agent.begin_round(RoundFacts(message.round, seat, goal, message.points))
            case Result():
                self._result = message
            case Reveal() if self._result is not None:
                result, self._result = self._result, None
                own, other = message.goals
                outcome = Outcome[result.outcome.upper()]
                end = RoundEnd(result.moves, outcome, (_goal(own), _goal(other)), result.scored, result.points)
                self._agent.end_round(end)
            case End():
                self._agent.end_match(MatchEnd(message.won, message.points, message.reason))


def _goal(name: GoalName) -> Goal:
    return Goal[name.upper()]
