"""Playing a match in which a failing agent simply loses."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import NamedTuple

from ..errors import AgentError
from ..play.referee import Match
from .agent import Agent, MatchEnd, MatchFacts, RoundEnd, RoundFacts
from .match_play import play_match


class Forfeit(NamedTuple):
    """The loss of a match by a failure."""

    player: int
    """The loser, 0 or 1."""
    reason: str
    """The failure, in words."""


def play_or_forfeit(agents: tuple[Agent, Agent], match: Match) -> Forfeit | None:
    """Play a match to its end, and return None; or until a player fails by AgentError or by an illegal square.

    After a forfeit the match has no winner, and both agents hear how it ended. Raises EndlessMatchError as
    `play_match`.

    >>> from tictactoe.agents.strategy_agent import uniform_agent
    >>> from tictactoe.games.tic_tac_toe_tree import GameTree
    >>> class AlwaysFive:
    ...     def begin_match(self, facts): ...
    ...     begin_round = end_round = end_match = begin_match
    ...     def choose(self, moves):
    ...         return 5
    >>> tree = GameTree.build()
    >>> match = Match(tree, 2, ("Ann", "Bob"), first=0, seed=1)
    >>> play_or_forfeit((AlwaysFive(), uniform_agent(tree, 1)), match)
    Forfeit(player=0, reason='Ann marked square 5, which is not free')
    """
    guarded = _Guarded(agents[0], 0, match.names[0]), _Guarded(agents[1], 1, match.names[1])
    try:
        play_match(guarded, match)
    except _FailedError as failed:
        for player, agent in enumerate(agents):
            points = match.points[player], match.points[1 - player]
            with contextlib.suppress(AgentError):  # a failure at this point changes nothing
                agent.end_match(MatchEnd(player != failed.forfeit.player, points, failed.forfeit.reason))
        return failed.forfeit
    return None


class _FailedError(Exception):
    def __init__(self, player: int, reason: str) -> None:
        super().__init__(player, reason)
        self.forfeit = Forfeit(player, reason)


class _Guarded:
    """An agent whose failures name the player: raises _FailedError in place of AgentError."""

    def __init__(self, agent: Agent, player: int, name: str) -> None:
        self._agent, self._player, self._name = agent, player, name

    def begin_match(self, facts: MatchFacts) -> None:
        with self._failing():
            self._agent.begin_match(facts)

    def begin_round(self, facts: RoundFacts) -> None:
        with self._failing():
            self._agent.begin_round(facts)

    def choose(self, moves: tuple[int, ...]) -> int:
        with self._failing():
            square = self._agent.choose(moves)
        if square not in range(1, 10) or square in moves:
            what = "is not free" if square in moves else "does not exist"
            raise _FailedError(self._player, f"{self._name} marked square {square!r}, which {what}")
        return square

    def end_round(self, end: RoundEnd) -> None:
        with self._failing():
            self._agent.end_round(end)

    def end_match(self, end: MatchEnd) -> None:
        with contextlib.suppress(AgentError):  # the match is over; a broken agent fails in its next match
            self._agent.end_match(end)

    @contextlib.contextmanager
    def _failing(self) -> Iterator[None]:
        try:
            yield
        except AgentError as error:
            raise _FailedError(self._player, str(error)) from error
