"""The reception of a tournament on a network: joining, leaving, returning, strangers and floods."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import math
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from typing import Any

from .connection import LINGERING_SECONDS, REFEREE_WIRE, Connection, Listening
from .messages import PROTOCOL_VERSION, Error, Join, Quit, Welcome
from .network_player import NetworkPlayer, Patience
from .player_names import require_name

SECONDS_TO_JOIN = 10.0
"""The seconds after which a connection that has not joined is closed."""
MOST_STRANGERS = 100
"""The most connections that have not joined, besides one for each absent player. One more closes the oldest."""
_LEAVING = 16  # closing connections that may still be open; if there are more, no connection is accepted
_OTHER_FILES = 64  # files that a referee has open besides connections


def open_files_needed(most_players: int) -> int:
    """The most open files and connections of a referee of so many players."""
    return most_players + MOST_STRANGERS + _LEAVING + _OTHER_FILES


def open_files_allowed(wanted: int) -> float:
    """The limit of open files, raised to `wanted` if this process may do so; infinite if there is no limit.

    >>> open_files_allowed(0) > 2
    True
    """
    try:
        import resource
    except ImportError:  # a system without such limits
        return math.inf
    limit, highest = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit == resource.RLIM_INFINITY:
        return math.inf
    if limit < wanted:
        raised = wanted if highest == resource.RLIM_INFINITY else min(wanted, highest)
        with contextlib.suppress(OSError, ValueError):  # some systems have another, lower limit
            resource.setrlimit(resource.RLIMIT_NOFILE, (raised, highest))
            return raised
    return limit


class Reception(ABC):
    """A reception that admits players until `most_players` have joined or `begin` is called.

    ours: the names of players in this process. report: called with a line of news. over: set when all is played.
    """

    wire = REFEREE_WIRE
    """The way messages are written."""

    def __init__(
        self, ours: Collection[str], patience: Patience, most_players: int, report: Callable[[str], object]
    ) -> None:
        self.players: dict[str, NetworkPlayer] = {}
        self.has_begun = self.is_stopped = False
        self.over = asyncio.Event()
        self.report = report
        self._ours, self._patience, self._most_players = ours, patience, most_players
        self._loop = asyncio.get_running_loop()
        self._strangers: dict[Connection, asyncio.TimerHandle] = {}
        self._joined: dict[Connection, NetworkPlayer] = {}
        self._num_open = 0

    # --- what is played

    @abstractmethod
    def begin(self) -> None:
        """Begin with the present players, unless it has begun. Raises ValueError if there are too few."""

    @abstractmethod
    def go_on(self) -> None:
        """Begin whatever can begin now."""

    @abstractmethod
    def moved(self, player: NetworkPlayer, move: Any) -> None:
        """Take a player's answer."""

    @abstractmethod
    def place_of(self, name: str) -> str:
        """The player's place, such as "you are number 1 of 2"."""

    # --- connections

    async def listen(self, host: str, port: int) -> Listening:
        """Accept connections at an address. Raises OSError if it is unusable."""
        most = self._most_players + MOST_STRANGERS + _LEAVING
        listening = Listening(lambda: Connection(self, self.wire), lambda: self._num_open < most, self.report)
        await listening.start(host, port)
        return listening

    def connected(self, connection: Connection) -> None:
        self._num_open += 1
        if len(self._strangers) + len(self._joined) >= self._most_players + MOST_STRANGERS:
            self._dismiss(next(iter(self._strangers)), "too many connections")
        too_late = self._loop.call_later(SECONDS_TO_JOIN, self._dismiss, connection, "nobody has joined in time")
        self._strangers[connection] = too_late

    def heard(self, connection: Connection, message: Any) -> None:
        if self.is_stopped:
            return
        player = self._joined.get(connection)
        if player is None:
            if isinstance(message, Join):
                self._join(connection, message)
            else:
                self._dismiss(connection, "join first")
            return
        match message:
            case Join():
                player.mistake("you have joined already")
            case Quit():
                self.expel(player, "has left", goodbye="goodbye")
            case _:
                self.moved(player, message)

    def heard_nonsense(self, connection: Connection, problem: str) -> None:
        if self.is_stopped:
            return
        if player := self._joined.get(connection):
            player.mistake(problem)
        else:
            self._dismiss(connection, problem)

    def flooded(self, connection: Connection, problem: str) -> None:
        if player := self._joined.get(connection):
            self.expel(player, problem)
        else:
            self._dismiss(connection, problem)

    def lost(self, connection: Connection) -> None:
        self._num_open -= 1
        if timer := self._strangers.pop(connection, None):
            timer.cancel()
        player = self._joined.pop(connection, None)
        if player is None or player.connection is not connection or player.gone or self.over.is_set():
            return
        if self.has_begun:
            self.report(f"{player.name} is away")
            player.vanished()
        else:
            del self.players[player.name]
            self.report(f"{player.name} has left; {self.waits_for}")

    def _dismiss(self, connection: Connection, problem: str) -> None:
        if timer := self._strangers.pop(connection, None):
            timer.cancel()
        connection.end(Error(problem))

    # --- joining

    @property
    def waits_for(self) -> str:
        """A text about the missing players."""
        if self.has_begun:
            missing = sorted(name for name, player in self.players.items() if not (player.connection or player.gone))
            return f"waiting for {', '.join(missing)} to come back" if missing else "playing"
        return f"{self.num_there} of {self._most_players} players are there"

    @property
    def num_there(self) -> int:
        return len(self.players) + len(self._ours)

    @property
    def is_full(self) -> bool:
        return self.num_there >= self._most_players

    @property
    def is_closed(self) -> bool:
        """Whether only known players may come."""
        return self.has_begun

    @property
    def may_begin(self) -> bool:
        """Whether all expected players have joined."""
        return self.is_full

    def new_token(self, join: Join) -> str:
        return secrets.token_urlsafe(16)

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
            self.go_on()
            return
        try:
            if known is not None:
                raise ValueError("you are out of this tournament")
            if self.is_closed:
                raise ValueError("the tournament has begun; only its players may come back, with their tokens")
            if self.is_full:
                raise ValueError("there are enough players")
            require_name(join.name, (*self.players, *self._ours))
        except ValueError as error:
            self._dismiss(connection, str(error))
            return
        new = self.new_token(join)
        self._welcome(connection, self.enrol(join.name, _sha256(new)), new, "has joined")
        if self.may_begin:
            self.begin()

    def enrol(self, name: str, token_sha256: str) -> NetworkPlayer:
        """Add a player. token_sha256: SHA-256 (hexadecimal) of the token for coming back."""
        player = self.players[name] = NetworkPlayer(name, token_sha256, self._patience, self.expel)
        return player

    def _welcome(self, connection: Connection, player: NetworkPlayer, token: str, what: str) -> None:
        self._strangers.pop(connection).cancel()
        self._joined[connection] = player
        player.came(connection, Welcome(player.name, token, self._patience.seconds))
        self.report(f"{player.name} {what}; {self.waits_for}")

    # --- leaving

    def expel(self, player: NetworkPlayer, reason: str, goodbye: str = "") -> None:
        """Expel a player, who loses all remaining matches."""
        if player.gone or self.is_stopped:
            return
        self.report(f"{player.name} is out: {reason}")
        player.leave()
        connection = player.connection
        if self.has_begun:
            player.lose(f"{player.name}: {reason}")
        else:
            del self.players[player.name]
        player.connection = None
        if connection is not None:
            self._joined.pop(connection, None)
            connection.end(*([Quit(goodbye)] if goodbye else [Error(reason), Quit(f"you are out: {reason}")]))
        self._loop.call_soon(self.go_on)

    def stop(self) -> None:
        """Stop. Later messages and results do not count."""
        self.is_stopped = True
        for player in self.players.values():
            player.leave()

    async def close(self, listening: Listening, reason: str = "") -> None:
        """Say goodbye to all players and, after a complete tournament, tell them their places."""
        over = self.over.is_set()
        if not over:
            self.stop()
        told: set[Connection] = set()
        missing = {name for name, player in self.players.items() if over and not player.gone}
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LINGERING_SECONDS):
                while self._joined or missing:
                    for connection, player in self._joined.items():
                        if connection not in told:
                            told.add(connection)
                            missing.discard(player.name)
                            words = f"the tournament is over: {self.place_of(player.name)}" if over else reason
                            connection.end(Quit(words))
                    await asyncio.sleep(0.01)
        listening.close()
        for connection in list(self._strangers):
            self._dismiss(connection, "the tournament is over" if over else reason)


def _sha256(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


async def over_before(reception: Reception, stopped: asyncio.Event) -> bool:
    """Wait until everything has been played or `stopped` is set. Returns whether everything has been played.

    Raises the first error in a callback or an abandoned task, such as a full disk.
    """
    loop = asyncio.get_running_loop()
    failed: asyncio.Future[None] = loop.create_future()

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if not failed.done():
            failed.set_exception(context.get("exception") or RuntimeError(context["message"]))

    loop.set_exception_handler(handle)
    waiting = [asyncio.ensure_future(each.wait()) for each in (reception.over, stopped)]
    every: list[asyncio.Future[Any]] = [*waiting, failed]
    await asyncio.wait(every, return_when=asyncio.FIRST_COMPLETED)
    for task in waiting:
        task.cancel()
    if failed.done():
        await failed
    return reception.over.is_set()
