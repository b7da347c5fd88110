"""The dealer of twenty-one on a network, which speaks docs/protocol.md: tables against the dealer, and a final."""

from __future__ import annotations

import contextlib
import math
import random
import secrets
from collections.abc import Callable, Generator, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

from ..number_text import counted
from .connection import Connection, Wire
from .messages import Join, Quit, Told
from .network_player import NetworkPlayer, Patience
from .network_reception import Reception

MOST_SEATS = 6
"""The most players at a table."""
FINALISTS = 2
"""The number of players of a table who reach the next round of a tournament."""
RANKS = ("Ace", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Jack", "Queen", "King")
SUITS = ("Diamonds", "Hearts", "Clubs", "Spades")
DECK = tuple(f"{rank} of {suit}" for suit in SUITS for rank in RANKS)
DECISION, HIT, STAND = "DECISION", "HIT", "STAND"
_LOST = ""  # the answer of a lost hand


def _decoded(message: bytes) -> Join | Quit | str:
    try:
        text = message.decode()
    except UnicodeDecodeError:
        raise ValueError(f"{message[:40]!r} is not UTF-8") from None
    if text in (HIT, STAND):
        return text
    if text == "QUIT":
        return Quit()
    if not text.startswith("JOIN "):
        raise ValueError(f"{text[:40]!r} is neither HIT nor STAND, nor JOIN and a name")
    if " " in text[5:]:
        raise ValueError(f"the name {text[5:45]!r} has spaces: write _")
    return Join(text[5:])


def _encoded(message: Told) -> bytes:
    return message.encode() + b"\0" if isinstance(message, str) else b""


DEALER_WIRE = Wire(b"\0", _encoded, _decoded, last=b"QUIT\0")


class Hand(NamedTuple):
    points: int
    soft: bool
    """Whether an ace counts 11."""

    @classmethod
    def of(cls, cards: Iterable[str]) -> Hand:
        """The hand of these cards. Raises ValueError for a text that is not a card."""
        values = [min(RANKS.index(card.split(" ")[0]) + 1, 10) if card in DECK else _no_card(card) for card in cards]
        soft = 1 in values and sum(values) <= 11
        return cls(sum(values) + 10 * soft, soft)


def _no_card(text: str) -> int:
    raise ValueError(f"{text[:40]!r} is not a card")


def deal(deck: Sequence[str], seats: int) -> Generator[tuple[int, str], str | None]:
    """A game, dealt from the front of the deck. Yields a seat and a message to it.

    `send` answers a DECISION with HIT, STAND, or an empty text to give up the hand, and other messages with None.

    >>> game = deal(DECK, 1)
    >>> [next(game)[1] for _ in range(5)]
    ['BEGIN', 'CARD Ace of Diamonds', 'CARD Three of Diamonds', 'DEALER Four of Diamonds', 'DECISION']
    >>> game.send("STAND"), Hand.of(DECK[1:2] + DECK[3:5])
    ((0, 'RESULT LOOSE'), Hand(points=11, soft=False))
    """
    cards = iter(deck)
    hands: list[list[str]] = [[] for _ in range(seats)]
    dealers: list[str] = []
    for seat in range(seats):
        yield seat, "BEGIN"
    for _ in range(2):
        for seat, hand in enumerate(hands):
            hand.append(next(cards))
            yield seat, f"CARD {hand[-1]}"
        dealers.append(next(cards))
    for seat in range(seats):
        yield seat, f"DEALER {dealers[1]}"
    standing = []
    for seat, hand in enumerate(hands):
        while Hand.of(hand).points <= 21:
            answer = yield seat, DECISION
            if answer != HIT:
                break
            hand.append(next(cards))
            yield seat, f"CARD {hand[-1]}"
        else:
            yield seat, "RESULT BUST"
            continue
        if answer == STAND:
            standing.append(seat)
        else:
            yield seat, "RESULT LOOSE"
    while standing and Hand.of(dealers).points < 17:
        dealers.append(next(cards))
    points = Hand.of(dealers).points
    for seat in standing:
        mine = Hand.of(hands[seat]).points
        yield seat, f"RESULT {'WIN' if points > 21 or mine > points else 'PUSH' if mine == points else 'LOOSE'}"


class Score(NamedTuple):
    name: str
    won: int = 0
    pushed: int = 0
    lost: int = 0
    """The number of lost games, including those that went bust."""
    bust: int = 0

    @property
    def key(self) -> tuple[int, int]:
        """A key for sorting, which is smaller for a better score."""
        return -self.won, self.lost

    @property
    def counts(self) -> tuple[int, ...]:
        return self.won + self.pushed + self.lost, *self[1:]

    def as_dict(self) -> dict[str, Any]:
        return dict(zip(("name", "games", *self._fields[1:]), (self.name, *self.counts), strict=True))

    def with_result(self, result: str) -> Score:
        """Add a result: WIN, PUSH, LOOSE or BUST."""
        name, won, pushed, lost, bust = self
        busts = result == "BUST"
        return Score(
            name,
            won + (result == "WIN"),
            pushed + (result == "PUSH"),
            lost + (busts or result == "LOOSE"),
            bust + busts,
        )


class Place(NamedTuple):
    """A row of the standings. stage: the tournament round of the score, from 1."""

    place: int
    stage: int
    score: Score


class Table:
    """A table that deals games to the players who are present.

    decks: a function from the number of a game, from 0, to its deck. over: called between two games. send_away: called
    with a player who has given up a hand, the connection, and the reason.
    """

    def __init__(
        self,
        players: Sequence[NetworkPlayer],
        rounds: int,
        decks: Callable[[int], list[str]],
        over: Callable[[], object],
        send_away: Callable[[NetworkPlayer, Connection, str], None],
    ) -> None:
        self.players = list(players)
        self.scores = {player.name: Score(player.name) for player in players}
        self.dealt = 0
        self._rounds, self._decks, self._over, self._send_away = rounds, decks, over, send_away
        self._game: Generator[tuple[int, str], str | None] | None = None
        self._seats: list[tuple[NetworkPlayer, Connection]] = []
        self._asked: int | None = None
        self._given_up: dict[int, str] = {}  # the reason, by seat

    @property
    def is_over(self) -> bool:
        left = self.dealt < self._rounds and not all(player.gone for player in self.players)
        return self._game is None and not left

    def best(self, most: int) -> list[NetworkPlayer]:
        """The best present players, at most `most`, by games won, games lost, and order of arrival."""
        ranked = sorted(self.players, key=lambda player: self.scores[player.name].key)
        return [player for player in ranked if not player.gone][:most]

    def add(self, player: NetworkPlayer) -> None:
        self.players.append(player)
        self.scores[player.name] = Score(player.name)

    def go_on(self) -> None:
        """Begin the next game if possible."""
        if self._game is not None or self.is_over:
            return
        self._seats = [(player, player.connection) for player in self.players if player.connection is not None]
        if not self._seats:
            return
        self._game, self._given_up = deal(self._decks(self.dealt), len(self._seats)), {}
        self.dealt += 1
        for seat, (player, _) in enumerate(self._seats):
            player.begin(partial(self._give_up, seat), None)
        self._advance(None)

    def answered(self, player: NetworkPlayer, answer: str) -> None:
        """Take HIT or STAND."""
        if player.question is None:
            player.mistake(f"{answer} without a DECISION")
            return
        player.answered()
        self._advance(answer)

    def _give_up(self, seat: int, reason: str) -> None:
        self._given_up[seat] = reason
        player, connection = self._seats[seat]
        if self._asked == seat:
            player.answered()
            self._advance(_LOST)
        self._send_away(player, connection, reason)

    def _advance(self, answer: str | None) -> None:
        assert self._game is not None
        self._asked = None
        told: list[list[str]] = [[] for _ in self._seats]
        with contextlib.suppress(StopIteration):
            while self._asked is None:
                seat, message = self._game.send(answer)
                answer = None
                kind, _, word = message.partition(" ")
                if message != DECISION:
                    told[seat].append(message)
                elif seat in self._given_up or not self._is_there(seat):
                    answer = _LOST
                else:
                    self._asked = seat
                if kind == "RESULT":
                    name = self._seats[seat][0].name
                    self.scores[name] = self.scores[name].with_result(word)
        for seat, messages in enumerate(told):
            if messages and self._is_there(seat):
                self._seats[seat][0].tell(*messages)
        if self._asked is not None:
            self._seats[self._asked][0].ask(DECISION)
            return
        self._game = None
        for seat, (player, _) in enumerate(self._seats):
            player.finish(self._given_up.get(seat, ""))
        self._over()

    def _is_there(self, seat: int) -> bool:
        player, connection = self._seats[seat]
        return player.connection is connection


class Terms(NamedTuple):
    rounds: int
    """The number of games that each table plays."""
    seed: int | None
    """The seed of all decks; None for a new seed each time."""
    players: int | None
    """The number of players to wait for. The best of each table play another round, until one table is left. None for
    one table, which begins with the first player and admits others between games.
    """
    patience: Patience


class Dealer(Reception):
    """The dealer to players who join. stages: the tables of each round of the tournament."""

    wire = DEALER_WIRE

    def __init__(self, terms: Terms, report: Callable[[str], object]) -> None:
        super().__init__((), terms.patience, terms.players or MOST_SEATS, report)
        self.terms = terms
        self.stages: list[list[Table]] = []
        self._is_open = terms.players is None
        self._seed = secrets.randbits(64) if terms.seed is None else terms.seed

    # --- joining

    @property
    def waits_for(self) -> str:
        there = any(player.connection for player in self.players.values())
        return "playing" if self.has_begun and there else super().waits_for  # games do not wait for others

    @property
    def num_there(self) -> int:
        return sum(not player.gone for player in self.players.values())

    @property
    def is_closed(self) -> bool:
        return self.has_begun and not self._is_open

    @property
    def may_begin(self) -> bool:
        return self._is_open or self.is_full

    def new_token(self, join: Join) -> str:
        return join.token or ""

    def _join(self, connection: Connection, join: Join) -> None:
        known = self.players.get(join.name)
        if known is not None and known.connection is not None:
            self._dismiss(connection, f"name: {join.name!a} is taken; choose another")
        else:  # the same name from the same host is the same player
            super()._join(connection, Join(join.name, token=f"{join.name} {connection.host}"))

    def _dismiss(self, connection: Connection, problem: str) -> None:
        if not (self.is_stopped or self.over.is_set()):
            self.report(f"refused: {problem}")  # the protocol has no message for it
        super()._dismiss(connection, problem)

    def heard_nonsense(self, connection: Connection, problem: str) -> None:
        if connection in self._joined:
            self.report(f"{self._joined[connection].name}: {problem}")
        super().heard_nonsense(connection, problem)

    def lost(self, connection: Connection) -> None:
        player = self._joined.get(connection)
        super().lost(connection)
        if player is not None and player.connection is None:
            player.lose(f"{player.name} is away")

    # --- tables

    def begin(self) -> None:
        players = [player for player in self.players.values() if not player.gone]
        if not self.has_begun:
            self.has_begun = True
            self._seat(players)
        elif self._is_open:
            (table,) = self.stages[0]
            for player in players:
                if player.name not in table.scores:
                    table.add(player)
        self._loop.call_soon(self.go_on)

    def _seat(self, players: Sequence[NetworkPlayer]) -> None:
        stage, num_tables = len(self.stages), math.ceil(len(players) / MOST_SEATS)
        tables = []
        for number in range(num_tables):
            seated = players[number::num_tables]
            decks = partial(self._deck, stage, number)
            tables.append(
                Table(seated, self.terms.rounds, decks, partial(self._loop.call_soon, self.go_on), self._away)
            )
            what = f"Table {number + 1}" if num_tables > 1 else "Final" if stage else "The table"
            self.report(f"{what}: {', '.join(player.name for player in seated)}; {counted(self.terms.rounds, 'game')}")
        self.stages.append(tables)

    def _deck(self, stage: int, table: int, game: int) -> list[str]:
        return random.Random(f"{self._seed} {stage} {table} {game}").sample(DECK, len(DECK))

    def go_on(self) -> None:
        if not self.has_begun or self.is_stopped or self.over.is_set():
            return
        tables = self.stages[-1]
        for table in tables:
            table.go_on()
        if not all(table.is_over for table in tables):
            return
        best = [player for table in tables for player in table.best(FINALISTS)] if len(tables) > 1 else []
        if not best:
            self.over.set()
            return
        for player in self.players.values():
            if player not in best and not player.gone:
                player.leave()
                if (connection := player.connection) is not None:
                    player.connection = None
                    del self._joined[connection]
                    connection.end()
        self._seat(best)
        self._loop.call_soon(self.go_on)

    def moved(self, player: NetworkPlayer, move: str) -> None:
        (table,) = (each for each in self.stages[-1] if player.name in each.scores) if self.stages else (None,)
        if table is None:
            player.mistake(f"{move} before the first game")
        else:
            table.answered(player, move)

    def _away(self, player: NetworkPlayer, connection: Connection, reason: str) -> None:
        if player.connection is connection and not player.gone:
            self.report(f"{reason}; {player.name} may join again")
            del self._joined[connection]
            connection.end()
            player.vanished()

    # --- results

    def place_of(self, name: str) -> str:
        return f"you are number {next(row.place for row in self.standings() if row.score.name == name)}"

    def standings(self) -> list[Place]:
        """The last scores of all players, by stage, games won, and games lost. Equal players share a place."""
        last = {
            name: (stage, score)
            for stage, tables in enumerate(self.stages)
            for table in tables
            for name, score in table.scores.items()
        }
        keys = {name: (-stage, *score.key) for name, (stage, score) in last.items()}
        return [
            Place(1 + sum(other < keys[name] for other in keys.values()), last[name][0] + 1, last[name][1])
            for name in sorted(keys, key=keys.__getitem__)
        ]

    def as_dict(self) -> dict[str, Any]:
        rows = [{"place": row.place, "stage": row.stage, **row.score.as_dict()} for row in self.standings()]
        tables = [[[score.as_dict() for score in table.scores.values()] for table in stage] for stage in self.stages]
        about = {"game": "twenty-one", "rounds": self.terms.rounds, "seed": self.terms.seed}
        return {**about, "dealt": self.dealt, "standings": rows, "tables": tables}

    @property
    def dealt(self) -> int:
        return sum(table.dealt for stage in self.stages for table in stage)
