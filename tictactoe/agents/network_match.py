"""A match of a tournament on a network in progress, one move after another. It never waits for a player."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from ..errors import EndlessMatchError
from ..play.referee import Match
from .agent import Agent, MatchEnd, MatchFacts, RoundEnd, RoundFacts
from .match_play import Ask, course_of, tell
from .tournament import Pairing


class Player(Protocol):
    """A player of a match in progress."""

    def tell(self, event: MatchFacts | RoundFacts | RoundEnd | MatchEnd) -> None:
        """Hear an event, as an `Agent` does."""
        ...

    def ask(self, moves: tuple[int, ...]) -> int | None:
        """Return a legal square; or return None and call `NetworkMatch.answer` later."""
        ...


class AgentPlayer:
    """An agent of this process, which answers at once."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    def tell(self, event: MatchFacts | RoundFacts | RoundEnd | MatchEnd) -> None:
        tell(self._agent, event)

    def ask(self, moves: tuple[int, ...]) -> int:
        return self._agent.choose(moves)


class NetworkMatch:
    """A match of two players in an asyncio loop. Between two rounds other tasks of the loop get their turn.

    over: called once, when the match has ended.
    winner: player 0 or 1; None during the match, and for a match without a winner.
    reason: why the match was broken off, in words; empty for a match played to its end.
    """

    def __init__(
        self, pairing: Pairing, match: Match, players: tuple[Player, Player], over: Callable[[NetworkMatch], None]
    ):
        self.pairing = pairing
        self.match = match
        self.winner: int | None = None
        self.reason = ""
        self.is_over = False
        self._players = players
        self._over = over
        self._course = course_of(match)
        self._loop = asyncio.get_running_loop()

    def begin(self) -> None:
        """Begin the match soon, after the caller has returned to the loop."""
        self._loop.call_soon(self._go_on, None)

    def opponent_of(self, player: int) -> Player:
        """The other one."""
        return self._players[1 - player]

    def answer(self, square: int) -> None:
        """Take the legal move of the player who was asked."""
        self._go_on(square)

    def _go_on(self, answer: int | None) -> None:
        ended = 0
        try:
            while not self.is_over:
                event = self._course.send(answer)
                answer = None
                if isinstance(event, Ask):
                    answer = self._players[event.player].ask(event.moves)
                    if answer is None:
                        return
                    continue
                self._players[event.player].tell(event.event)
                ended += isinstance(event.event, RoundEnd)
                if ended == 2:  # both players have heard the end of the round
                    self._loop.call_soon(self._go_on, None)
                    return
        except StopIteration:
            self.winner = self.match.winner
            self._end()
        except EndlessMatchError as error:
            self.reason = str(error)
            self._tell_the_end()

    def forfeit(self, player: int, reason: str) -> None:
        """End the match as lost by player 0 or 1, for this reason, unless it is over."""
        if not self.is_over:
            self.winner, self.reason = 1 - player, reason
            self._course.close()
            self._tell_the_end()

    def _tell_the_end(self) -> None:
        points = self.match.points
        for player, each in enumerate(self._players):
            each.tell(MatchEnd(self.winner == player, (points[player], points[1 - player]), self.reason))
        self._end()

    def _end(self) -> None:
        self.is_over = True
        self._over(self)
