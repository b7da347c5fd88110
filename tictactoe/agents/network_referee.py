"""The referee of a tournament on a network."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec

from ..errors import EndlessMatchError
from ..games.tic_tac_toe_tree import GameTree
from ..play.referee import Match
from .agent import Agent, MakeAgent, MatchEnd, MatchFacts, RoundEnd, RoundFacts
from .match_play import Ask, course_of, tell, transcript_of
from .messages import Move, Turn, messages_of
from .network_player import NetworkPlayer, Patience
from .network_reception import Reception
from .results import Enrolled, MatchResult, Results, Standing, standings
from .tournament import Pairing, round_robin


class NetworkMatch:
    """A match between agents and players on the network, in an asyncio loop.

    over: called once, when the match ends.
    winner: player 0 or 1; None during the match, and for a match without a winner.
    reason: why the match was broken off; empty for a finished match.
    """

    def __init__(
        self,
        pairing: Pairing,
        match: Match,
        players: tuple[Agent | NetworkPlayer, Agent | NetworkPlayer],
        over: Callable[[NetworkMatch], None],
    ) -> None:
        self.pairing, self.match = pairing, match
        self.winner: int | None = None
        self.reason = ""
        self.is_over = False
        self._players, self._over = players, over
        self._course = course_of(match)
        self._loop = asyncio.get_running_loop()
        self._asked: Ask | None = None

    def begin(self) -> None:
        for number, player in enumerate(self._players):
            if isinstance(player, NetworkPlayer):
                other = self._players[1 - number]
                player.begin(partial(self.forfeit, number), other if isinstance(other, NetworkPlayer) else None)
        self._loop.call_soon(self._go_on, None)

    def moved(self, player: NetworkPlayer, square: int) -> None:
        assert self._asked is not None
        moves = self._asked.moves
        if square in moves:
            free = " ".join(str(each) for each in range(1, 10) if each not in moves)
            player.mistake(f"square {square} is not free; free: {free}")
        else:
            player.answered()
            self._go_on(square)

    def _go_on(self, answer: int | None) -> None:
        ended = 0
        try:
            while not self.is_over:
                event = self._course.send(answer)
                answer, player = None, self._players[event.player]
                if not isinstance(event, Ask):
                    self._tell(player, event.event)
                    ended += isinstance(event.event, RoundEnd)
                    if ended == 2:  # both players have heard the end of the round
                        self._loop.call_soon(self._go_on, None)
                        return
                elif isinstance(player, NetworkPlayer):
                    self._asked = event
                    player.ask(Turn(player.num_questions + 1, event.moves))
                    return
                else:
                    answer = player.choose(event.moves)
        except StopIteration:
            self.winner = self.match.winner
            self._end()
        except EndlessMatchError as error:
            self.reason = str(error)
            self._tell_the_end()

    def _tell(self, player: Agent | NetworkPlayer, event: MatchFacts | RoundFacts | RoundEnd | MatchEnd) -> None:
        if isinstance(player, NetworkPlayer):
            messages = messages_of(event, self.pairing.number)
            if isinstance(event, (MatchFacts, RoundFacts)):
                player.stands = (*player.stands[:1], *messages)
            player.tell(*messages)
        else:
            tell(player, event)

    def forfeit(self, player: int, reason: str) -> None:
        """End the match as lost by player 0 or 1, unless it is over."""
        if not self.is_over:
            self.winner, self.reason = 1 - player, reason
            self._course.close()
            self._tell_the_end()

    def _tell_the_end(self) -> None:
        points = self.match.points
        for number, player in enumerate(self._players):
            self._tell(player, MatchEnd(self.winner == number, (points[number], points[1 - number]), self.reason))
        self._end()

    def _end(self) -> None:
        self.is_over = True
        self._over(self)


class Referee(Reception):
    """The referee of a round robin, which continues from `results`. agents: its own agents, by name."""

    def __init__(
        self,
        results: Results,
        agents: Mapping[str, MakeAgent],
        patience: Patience,
        most_players: int,
        report: Callable[[str], object],
    ) -> None:
        super().__init__(agents, patience, most_players, report)
        self.results, self.agents = results, agents
        self._tree = GameTree.build(results.agreed.rules)
        self._schedule: list[Pairing] = []
        self._next: dict[str, deque[Pairing]] = {}
        self._playing: dict[int, NetworkMatch] = {}
        if results.players is not None:
            for each in results.players:
                self.enrol(each.name, each.token_sha256)
            self._start()

    def begin(self) -> None:
        if self.has_begun:
            return
        if self.num_there < 2:
            raise ValueError("at least two players are needed")
        self.results.begin([Enrolled(player.name, player.token) for player in self.players.values()])
        self._start()

    def _start(self) -> None:
        names, results = [*self.agents, *self.players], self.results
        self._schedule = round_robin(names, results.agreed.matches)
        self.has_begun = True
        self._next = {name: deque() for name in ("", *self.players)}
        for pairing in self._schedule:
            if pairing.number not in results.matches:
                for name in self._queues(pairing):
                    self._next[name].append(pairing)
        done = f"{len(results.matches)} of {len(self._schedule)} matches have been played"
        self.report(f"The tournament begins: {', '.join(names)}; {done}")
        self._loop.call_soon(self.go_on)

    def _queues(self, pairing: Pairing) -> Sequence[str]:
        return [name for name in pairing.names if name in self.players] or [""]

    def go_on(self) -> None:
        if not self.has_begun or self.is_stopped:
            return
        for name, queue in self._next.items():
            while queue and self._begin_match(name, queue[0]):
                pass
        if self._playing:
            return
        if len(self.results.matches) == len(self._schedule):
            self.over.set()
        elif any(player.connection for player in self.players.values()):
            missing = [player for player in self.players.values() if not (player.is_expected or player.gone)]
            for player in missing:
                player.miss()
            if missing:
                self._loop.call_soon(self.go_on)

    def _begin_match(self, name: str, pairing: Pairing) -> bool:
        involved = [self.players[each] for each in pairing.names if each in self.players]
        if gone := {player.name for player in involved if player.gone}:
            left = next((player for player, name in enumerate(pairing.names) if name not in gone), None)
            self._add(pairing, pairing.result(left, (0, 0), f"{' and '.join(sorted(gone))} did not play"), [])
            return True
        heads = all(self._next[queue][0] is pairing for queue in self._queues(pairing))
        if pairing.number in self._playing or not heads or not all(player.is_expected for player in involved):
            return False
        agreed = self.results.agreed
        match = Match(self._tree, agreed.winning_score, pairing.names, pairing.first, pairing.seed(agreed.seed))
        players = self._player_of(pairing, 0), self._player_of(pairing, 1)
        playing = self._playing[pairing.number] = NetworkMatch(pairing, match, players, self._ended)
        playing.begin()
        return False

    def _player_of(self, pairing: Pairing, player: int) -> Agent | NetworkPlayer:
        name, seed = pairing.names[player], pairing.seed(self.results.agreed.seed, f"agent {player}")
        return self.players[name] if name in self.players else self.agents[name](seed)

    def moved(self, player: NetworkPlayer, move: Move) -> None:
        turn = player.question
        if isinstance(turn, Turn) and turn.turn == move.turn:
            (playing,) = (each for each in self._playing.values() if player.name in each.pairing.names)
            playing.moved(player, move.square)
        elif move.turn > player.num_questions:
            player.mistake("it is not your turn")

    def _ended(self, ended: NetworkMatch) -> None:
        if self.is_stopped:
            return
        match, pairing = ended.match, ended.pairing
        result = pairing.result(ended.winner, match.points, ended.reason)
        del self._playing[pairing.number]
        for name in pairing.names:
            if name in self.players:
                self.players[name].finish(ended.reason)
        self._add(pairing, result, transcript_of(match))
        self._loop.call_soon(self.go_on)

    def _add(self, pairing: Pairing, result: MatchResult, transcript: list[dict[str, object]]) -> None:
        for name in self._queues(pairing):
            self._next[name].remove(pairing)
        self.results.add(result, transcript)
        if result.reason:
            self.report(f"Match {result.number}, {' against '.join(result.names)}: {result.reason}")

    def standings(self) -> list[Standing]:
        return standings([*self.agents, *self.players], self.results.matches.values())

    def as_dict(self) -> dict[str, Any]:
        matches = [msgspec.to_builtins(result) for _, result in sorted(self.results.matches.items())]
        rows = [{**row._asdict(), "share": row.share} for row in self.standings()]
        return {**msgspec.to_builtins(self.results.agreed), "standings": rows, "results": matches}

    def place_of(self, name: str) -> str:
        rows = self.standings()
        row = next(row for row in rows if row.name == name)
        return f"you are number {row.place} of {len(rows)}, with {row.won} of {row.played} matches"
