"""What an agent is: five things that it is told or asked in a match.

An agent is told what its seat may know, and nothing else: its own goal, the score, the squares played; the opponent's
goal when the round is over. Points are always the agent's own first, then the opponent's.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from ..games.goals import Goal, Seat
from ..games.rules import Outcome
from ..match.scores import Score


class MatchFacts(NamedTuple):
    """What is known before the first round. rules: as str(Rules) writes them. opponent: its name.

    >>> MatchFacts(5, "three-in-a-row", "Bob").opponent
    'Bob'
    """

    winning_score: int
    rules: str
    opponent: str


class RoundFacts(NamedTuple):
    """What is known before the first move of a round, which is the `number`-th of the match, from 1.

    >>> facts = RoundFacts(3, Seat.SECOND, Goal.TIE, (4, 1))
    >>> facts.goal.name, facts.points, facts.score
    ('TIE', (4, 1), Score(first=1, second=4))
    """

    number: int
    seat: Seat
    goal: Goal
    points: tuple[int, int]

    @property
    def score(self) -> Score:
        """As solutions are indexed: points of the player who moves first in this round, then of the other.

        >>> print(RoundFacts(3, Seat.SECOND, Goal.TIE, (4, 1)).score)
        1-4
        """
        own, other = self.points
        return Score(own, other) if self.seat is Seat.FIRST else Score(other, own)


class RoundEnd(NamedTuple):
    """How a round has ended. moves: the squares played, in order. outcome: as its first mover sees it. goals, scored,
    points: the agent's own, then the opponent's; points after the round.

    >>> end = RoundEnd((1, 4, 2, 5, 3), Outcome.WIN, (Goal.WIN, Goal.TIE), (True, False), (1, 0))
    >>> end.goals[1].name, end.points[0]
    ('TIE', 1)
    """

    moves: tuple[int, ...]
    outcome: Outcome
    goals: tuple[Goal, Goal]
    scored: tuple[bool, bool]
    points: tuple[int, int]


class MatchEnd(NamedTuple):
    """How a match has ended. reason: empty for one that was played to its end, else in words why it was not.

    >>> MatchEnd(won=True, points=(3, 5), reason="Bob has quit").won
    True
    """

    won: bool
    points: tuple[int, int]
    reason: str = ""


class Agent(Protocol):
    """Whoever plays. Any class with these methods is one; it plays one match at a time.

    A round ends as soon as nothing can change how it will end: moves that make no difference are not asked for. After a
    round the seats are swapped. If both players reach the winning score at once, both have one point less, and the
    match goes on.

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
        ...

    def begin_round(self, facts: RoundFacts) -> None:
        """A round begins."""
        ...

    def choose(self, moves: tuple[int, ...]) -> int:
        """It is the agent's turn: the square (1-9) to mark after these moves."""
        ...

    def end_round(self, end: RoundEnd) -> None:
        """The round has ended."""
        ...

    def end_match(self, end: MatchEnd) -> None:
        """The match has ended."""
        ...
