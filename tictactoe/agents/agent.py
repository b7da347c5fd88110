"""The interface of an agent: the four events of a match that it is told, and the question for a move.

In pairs, the agent's own points, goal or success come first, then the opponent's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from ..games.rules import Goal, Outcome, Seat
from ..match.scores import Score


class MatchFacts(NamedTuple):
    """Facts about a match, known before its first round.

    >>> MatchFacts(5, "three-in-a-row", "Bob").opponent
    'Bob'
    """

    winning_score: int
    rules: str
    """The rules, as str(Rules) writes them."""
    opponent: str
    """The opponent's name."""


class RoundFacts(NamedTuple):
    """Facts about a round, known before its first move.

    >>> facts = RoundFacts(3, Seat.SECOND, Goal.TIE, (4, 1))
    >>> facts.goal.name, facts.points, facts.score
    ('TIE', (4, 1), Score(first=1, second=4))
    """

    number: int
    """The number of the round in the match, from 1."""
    seat: Seat
    """The agent's seat."""
    goal: Goal
    """The agent's goal."""
    points: tuple[int, int]
    """Points before the round: the agent's, then the opponent's."""

    @property
    def score(self) -> Score:
        """The score as in solutions: points of the first mover of this round, then of the other player.

        >>> print(RoundFacts(3, Seat.SECOND, Goal.TIE, (4, 1)).score)
        1-4
        """
        own, other = self.points
        return Score(own, other) if self.seat is Seat.FIRST else Score(other, own)


class RoundEnd(NamedTuple):
    """The end of a round.

    >>> end = RoundEnd((1, 4, 2, 5, 3), Outcome.WIN, (Goal.WIN, Goal.TIE), (True, False), (1, 0))
    >>> end.goals[1].name, end.points[0]
    ('TIE', 1)
    """

    moves: tuple[int, ...]
    """The squares played, in order."""
    outcome: Outcome
    """The outcome as the first mover sees it."""
    goals: tuple[Goal, Goal]
    """The agent's goal, then the opponent's."""
    scored: tuple[bool, bool]
    """Whether the agent scored, and whether the opponent did."""
    points: tuple[int, int]
    """Points after the round: the agent's, then the opponent's."""


class MatchEnd(NamedTuple):
    """The end of a match.

    >>> MatchEnd(won=True, points=(3, 5), reason="Bob has quit").won
    True
    """

    won: bool
    """Whether the agent won."""
    points: tuple[int, int]
    """The agent's points, then the opponent's."""
    reason: str = ""
    """The reason why the match was broken off; empty for a finished match."""


class Agent(Protocol):
    """A player of one match at a time. Any class with these methods is an agent.

    It hears only what its seat may know. A round ends as soon as no move can change its outcome. After a round the
    players swap seats. If both players reach the winning score at once, both lose a point, and the match continues.

    >>> class LowestSquare:
    ...     def begin_match(self, facts: MatchFacts) -> None: ...
    ...     def begin_round(self, facts: RoundFacts) -> None: ...
    ...     def choose(self, moves: tuple[int, ...]) -> int:
    ...         return min(set(range(1, 10)) - set(moves))
    ...     def end_round(self, end: RoundEnd) -> None: ...
    ...     def end_match(self, end: MatchEnd) -> None: ...
    >>> agent: Agent = LowestSquare()
    >>> agent.choose((1, 5))
    2
    """

    def begin_match(self, facts: MatchFacts) -> None:
        """A match begins."""

    def begin_round(self, facts: RoundFacts) -> None:
        """A round begins."""

    def choose(self, moves: tuple[int, ...]) -> int:
        """Return the square (1-9) to mark after these moves."""

    def end_round(self, end: RoundEnd) -> None:
        """The round has ended."""

    def end_match(self, end: MatchEnd) -> None:
        """The match has ended."""


MakeAgent = Callable[[int | None], Agent]
"""A function from the seed of the draws to an agent for one match."""
