"""The referee of a tournament on a network: admits players, begins their matches, and records the results.

Everything happens in one thread, which never waits for a player: messages and clocks drive the matches.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import math
import secrets
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from ..games.tic_tac_toe_tree import GameTree
from ..match.scores import LARGEST_WINNING_SCORE
from ..play.referee import Match
from .agent import MakeAgent
from .connection import LINGERING_SECONDS, Connection, Listening
from .match_play import transcript_of
from .messages import PROTOCOL_VERSION, Error, FromPlayer, Join, Move, Quit, Welcome
from .network_match import AgentPlayer, NetworkMatch, Player
from .network_player import NetworkPlayer, Patience
from .player_names import require_name
from .results import Enrolled, MatchResult, Results, Standing, standings, wins_of
from .tournament import Pairing, round_robin

SECONDS_TO_JOIN = 10.0
"""Seconds after which a connection that has not joined is closed."""
MOST_STRANGERS = 100
"""Connections that have not joined, at most, besides one for each absent player. One more closes the oldest."""
_LEAVING = 16  # closing connections that may still be open; with more of them the referee accepts no connection
_OTHER_FILES = 64  # files that a referee has open besides connections


def open_files_needed(most_players: int) -> int:
    """Files and connections that a referee of so many players, agents included, may have open at once."""
    return most_players + MOST_STRANGERS + _LEAVING + _OTHER_FILES


def open_files_allowed(wanted: int) -> float:
    """The limit of open files, raised to `wanted` where this process may do so; infinite without a limit.

    >>> open_files_allowed(0) > 2
    True
    """
    try:
        import resource
    except ImportError:  # a system without such limits
        return math.inf
    limit, highest = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    if limit == unlimited:
        return math.inf
    if limit < wanted:
        raised = wanted if highest == unlimited else min(wanted, highest)
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (raised, highest))
        except (OSError, ValueError):  # some systems have another, lower limit
            return limit
        return raised
    return limit


@dataclass(frozen=True)
class Tournament:
    """The settings of a tournament. Raises ValueError for a winning score that no message may name."""

    tree: GameTree
    winning_score: int
    num_matches: int
    """Matches of every pair of players."""
    seed: int | None
    """Seed of all draws; None for a new seed every time."""
    agents: Mapping[str, MakeAgent]
    """The referee's own agents, by name."""
    patience: Patience
    """The time limits of players on the network."""

    def __post_init__(self) -> None:
        if not 1 <= self.winning_score <= LARGEST_WINNING_SCORE:
            raise ValueError(f"winning_score: {self.winning_score} is not in 1 to {LARGEST_WINNING_SCORE}")


class Referee:
    """The referee. Players join until a call of `begin`, or until there are `most_players`, agents included.

    report: called with a line of news. over: set when all matches have been played.
    """

    def __init__(
        self, tournament: Tournament, results: Results, most_players: int, report: Callable[[str], object]
    ) -> None:
        self.tournament = tournament
        self.results = results
        self.players: dict[str, NetworkPlayer] = {}
        self.over = asyncio.Event()
        self._most_players = most_players
        self._report = report
        self._loop = asyncio.get_running_loop()
        self._strangers: dict[Connection, asyncio.TimerHandle] = {}
        self._joined: dict[Connection, NetworkPlayer] = {}
        self._num_open = 0
        self._schedule: list[Pairing] = []
        self._next: dict[str, deque[Pairing]] = {}
        self._playing: dict[int, NetworkMatch] = {}
        self._is_stopped = False
        if results.players is not None:
            for each in results.players:
                self.players[each.name] = self._player(each.name, each.token_sha256)
            self._start()

    # --- connections

    async def listen(self, host: str, port: int) -> Listening:
        """Accept connections at an address. Raises OSError for an unusable one."""
        most = self._most_players + MOST_STRANGERS + _LEAVING
        listening = Listening(lambda: Connection(self), lambda: self._num_open < most, self._report)
        await listening.start(host, port)
        return listening

    def connected(self, connection: Connection) -> None:
        self._num_open += 1
        if len(self._strangers) + len(self._joined) >= self._most_players + MOST_STRANGERS:
            self._dismiss(next(iter(self._strangers)), "too many connections")
        too_late = self._loop.call_later(SECONDS_TO_JOIN, self._dismiss, connection, "nobody has joined in time")
        self._strangers[connection] = too_late

    def heard(self, connection: Connection, message: FromPlayer) -> None:
        player = self._joined.get(connection)
        if self._is_stopped:
            return
        if player is None:
            if isinstance(message, Join):
                self._join(connection, message)
            else:
                self._dismiss(connection, "join first")
            return
        match message:
            case Join():
                player.mistake("you have joined already")
            case Move():
                player.move(message)
            case Quit():
                self._expel(player, "has left", goodbye="goodbye")

    def heard_nonsense(self, connection: Connection, problem: str) -> None:
        if self._is_stopped:
            return
        if player := self._joined.get(connection):
            player.mistake(problem)
        else:
            self._dismiss(connection, problem)

    def flooded(self, connection: Connection, problem: str) -> None:
        if player := self._joined.get(connection):
            self._expel(player, problem)
        else:
            self._dismiss(connection, problem)

    def lost(self, connection: Connection) -> None:
        self._num_open -= 1
        if timer := self._strangers.pop(connection, None):
            timer.cancel()
        player = self._joined.pop(connection, None)
        if player is None or player.connection is not connection or player.gone or self.over.is_set():
            return
        if self._schedule:
            self._report(f"{player.name} is away")
            player.vanished()
        else:
            del self.players[player.name]
            self._report(f"{player.name} has left; {self.waits_for}")

    def _dismiss(self, connection: Connection, problem: str) -> None:
        if timer := self._strangers.pop(connection, None):
            timer.cancel()
        connection.end(Error(problem))

    # --- joining

    @property
    def waits_for(self) -> str:
        """The players who are missing before the tournament can begin or continue, in words."""
        if self._schedule:
            missing = sorted(name for name, player in self.players.items() if not (player.connection or player.gone))
            return f"waiting for {', '.join(missing)} to come back" if missing else "playing"
        there = len(self.players) + len(self.tournament.agents)
        return f"{there} of {self._most_players} players are there"

    def _join(self, connection: Connection, join: Join) -> None:
        if join.protocol != PROTOCOL_VERSION:
            self._dismiss(connection, f"protocol: this is version {PROTOCOL_VERSION}, not {join.protocol}")
            return
        token = "" if join.token is None else _sha256(join.token)
        known = next((player for player in self.players.values() if token and player.token == token), None)
        if known is not None and not known.gone:
            if known.connection is not None:
                self._joined.pop(known.connection, None)
                known.connection.end(Error("another connection with your token has taken your place"))
            self._welcome(connection, known, join.token or "", "is back")
            self._start_what_can()
            return
        try:
            if known is not None:
                raise ValueError("you are out of this tournament")
            if self._schedule:
                raise ValueError("the tournament has begun; only those who play in it may come back, with their token")
            if len(self.players) + len(self.tournament.agents) >= self._most_players:
                raise ValueError("there are enough players")
            require_name(join.name, (*self.players, *self.tournament.agents))
        except ValueError as error:
            self._dismiss(connection, str(error))
            return
        token = secrets.token_urlsafe(16)
        player = self.players[join.name] = self._player(join.name, _sha256(token))
        self._welcome(connection, player, token, "has joined")
        if len(self.players) + len(self.tournament.agents) == self._most_players:
            self.begin()

    def _welcome(self, connection: Connection, player: NetworkPlayer, token: str, what: str) -> None:
        self._strangers.pop(connection).cancel()
        self._joined[connection] = player
        player.came(connection, Welcome(player.name, token, self.tournament.patience.seconds))
        self._report(f"{player.name} {what}; {self.waits_for}")

    def _player(self, name: str, token: str) -> NetworkPlayer:
        return NetworkPlayer(name, token, self.tournament.patience, self._expel)

    # --- matches

    def begin(self) -> None:
        """Begin with the present players, unless the tournament has begun. Raises ValueError for fewer than two."""
        if self._schedule:
            return
        if len(self.players) + len(self.tournament.agents) < 2:
            raise ValueError("at least two players are needed")
        self.results.begin([Enrolled(player.name, player.token) for player in self.players.values()])
        self._start()

    def _start(self) -> None:
        names = [*self.tournament.agents, *self.players]
        self._schedule = round_robin(names, self.tournament.num_matches)
        self._next = {name: deque() for name in ("", *self.players)}
        for pairing in self._schedule:
            if pairing.number not in self.results.matches:
                for name in self._queues(pairing):
                    self._next[name].append(pairing)
        done = f"{len(self.results.matches)} of {len(self._schedule)} matches have been played"
        self._report(f"The tournament begins: {', '.join(names)}; {done}")
        self._loop.call_soon(self._start_what_can)

    def _queues(self, pairing: Pairing) -> Sequence[str]:
        """The queues of a match: the names of its network players, or "" for a match between two agents.

        One match of each queue is in progress at a time.
        """
        return [name for name in pairing.names if name in self.players] or [""]

    def _start_what_can(self) -> None:
        """Begin every match that comes next for both of its players. Each player plays in the order of the schedule,
        so that equal seeds give equal tournaments."""
        if not self._schedule or self._is_stopped:
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
                self._loop.call_soon(self._start_what_can)

    def _begin_match(self, name: str, pairing: Pairing) -> bool:
        """Begin a match if it is its turn, or settle it if a player is gone; return whether it was settled."""
        involved = [self.players[each] for each in pairing.names if each in self.players]
        if gone := [player for player in involved if player.gone]:
            self._settle(pairing, {player.name for player in gone})
            return True
        heads = all(self._next[queue][0] is pairing for queue in self._queues(pairing))
        if pairing.number in self._playing or not heads or not all(player.is_expected for player in involved):
            return False
        tournament = self.tournament
        seed = pairing.seed(tournament.seed)
        match = Match(tournament.tree, tournament.winning_score, pairing.names, pairing.first, seed)
        playing = NetworkMatch(pairing, match, (self._player_of(pairing, 0), self._player_of(pairing, 1)), self._ended)
        self._playing[pairing.number] = playing
        for player in involved:
            player.begin(playing, pairing.names.index(player.name))
        playing.begin()
        return False

    def _player_of(self, pairing: Pairing, player: int) -> Player:
        name = pairing.names[player]
        if name in self.players:
            return self.players[name]
        return AgentPlayer(self.tournament.agents[name](pairing.seed(self.tournament.seed, f"agent {player}")))

    def _ended(self, ended: NetworkMatch) -> None:
        if self._is_stopped:
            return
        match, pairing = ended.match, ended.pairing
        winner = None if ended.winner is None else pairing.names[ended.winner]
        result = MatchResult(pairing.number, pairing.names, winner, match.points, ended.reason)
        del self._playing[pairing.number]
        for name in pairing.names:
            if name in self.players:
                self.players[name].finish()
        self._add(pairing, result, transcript_of(match))
        self._loop.call_soon(self._start_what_can)

    def _settle(self, pairing: Pairing, gone: set[str]) -> None:
        """Record the result of a match that cannot be played because players are gone."""
        left = [name for name in pairing.names if name not in gone]
        reason = f"{' and '.join(sorted(gone))} did not play"
        self._add(pairing, MatchResult(pairing.number, pairing.names, left[0] if left else None, (0, 0), reason), [])

    def _add(self, pairing: Pairing, result: MatchResult, transcript: list[dict[str, object]]) -> None:
        for name in self._queues(pairing):
            self._next[name].remove(pairing)
        self.results.add(result, transcript)
        if result.reason:
            self._report(f"Match {result.number}, {' against '.join(result.names)}: {result.reason}")

    def _expel(self, player: NetworkPlayer, reason: str, goodbye: str = "") -> None:
        """Put a player out of the tournament, who loses all matches that are left."""
        if player.gone or self._is_stopped:
            return
        self._report(f"{player.name} is out: {reason}")
        player.leave()
        connection = player.connection
        if self._schedule:
            player.forfeit(f"{player.name}: {reason}")
        else:
            del self.players[player.name]
        player.connection = None
        if connection is not None:
            self._joined.pop(connection, None)
            if goodbye:
                connection.end(Quit(goodbye))
            else:
                connection.end(Error(reason), Quit(f"you are out: {reason}"))
        self._loop.call_soon(self._start_what_can)

    # --- the end

    def standings(self) -> list[Standing]:
        """The table of the results so far."""
        decided = [pair for result in self.results.matches.values() for pair in result.decided]
        return standings([*self.tournament.agents, *self.players], wins_of(decided))

    def as_dict(self) -> dict[str, Any]:
        """What was agreed on, the table and the results so far, as data."""
        matches = [msgspec.to_builtins(result) for _, result in sorted(self.results.matches.items())]
        rows = [{**row._asdict(), "share": row.share} for row in self.standings()]
        return {**msgspec.to_builtins(self.results.agreed), "standings": rows, "results": matches}

    def stop(self) -> None:
        """Stop the tournament: later messages and results do not count."""
        self._is_stopped = True
        for player in self.players.values():
            player.leave()

    async def close(self, listening: Listening, reason: str = "") -> None:
        """Say goodbye to all players. After a complete tournament, tell them their places, and give absent players a
        moment to come back for it."""
        over = self.over.is_set()
        if not over:
            self.stop()
        told: set[Connection] = set()
        farewells: set[str] = set()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LINGERING_SECONDS):
                while self._joined or (over and not self._still_in() <= farewells):
                    for connection, player in self._joined.items():
                        if connection not in told:
                            told.add(connection)
                            farewells.add(player.name)
                            connection.end(Quit(self._goodbye(player.name) if over else reason))
                    await asyncio.sleep(0.01)
        listening.close()
        for connection in list(self._strangers):
            self._dismiss(connection, "the tournament is over" if over else reason)

    def _still_in(self) -> set[str]:
        return {name for name, player in self.players.items() if not player.gone}

    def _goodbye(self, name: str) -> str:
        rows = self.standings()
        row = next(row for row in rows if row.name == name)
        place = f"you are number {row.place} of {len(rows)}, with {row.won} of {row.played} matches"
        return f"the tournament is over: {place}"


def _sha256(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


async def over_before(referee: Referee, stopped: asyncio.Event) -> bool:
    """Wait until all matches have been played or `stopped` is set. Returns whether all have been played.

    Raises the first error in a callback or an abandoned task, such as a full disk. Without this, the event loop would
    print the error and go on, with a match that never ends.
    """
    loop = asyncio.get_running_loop()
    failed: asyncio.Future[None] = loop.create_future()

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if not failed.done():
            failed.set_exception(context.get("exception") or RuntimeError(context["message"]))

    loop.set_exception_handler(handle)
    waiting = [asyncio.ensure_future(each.wait()) for each in (referee.over, stopped)]
    every: list[asyncio.Future[Any]] = [*waiting, failed]
    await asyncio.wait(every, return_when=asyncio.FIRST_COMPLETED)
    for task in waiting:
        task.cancel()
    if failed.done():
        await failed
    return referee.over.is_set()
