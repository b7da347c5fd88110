"""A player of twenty-one on a network, and its table Q of average rewards, in a CSV file."""

from __future__ import annotations

import codecs
import contextlib
import csv
import io
import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..errors import FormatError
from ..number_text import counted, read_number, read_whole_number
from ..storage.atomic_files import read_bytes, replacing_output
from .client import Address, RefusedError, reach, shown
from .connection import Wire
from .dealer import DECISION, HIT, STAND, Hand

if TYPE_CHECKING:
    from ..algorithms.learning import StateGraph
    from ..storage.learnt_table import LearntTable

COLUMNS = ("points", "hand", "dealer", "hit", "hits", "stand", "stands")
"""The columns of the file: a state, and for each action its average reward and how often it was tried."""
UP_CARDS = range(2, 12)
OWN_POINTS = range(4, 22)
_HANDS = ("hard", "soft", "any")
_LONGEST = 2**20  # bytes of a file


class State(NamedTuple):
    """A player's points, whether an ace counts 11 among them, and the points of the dealer's card (an ace is 11)."""

    points: int
    soft: bool
    dealer: int


class Average(NamedTuple):
    value: float = 0.0
    tried: int = 0

    def with_reward(self, reward: float, count: int = 1) -> Average:
        """The average with one more reward, or with an average of `count` more."""
        tried = self.tried + count
        return Average((self.value * self.tried + reward * count) / tried, tried) if count else self


class QTable:
    """The average rewards of hitting and standing in each state: 1 for a win, 0 for a push, -1 for a loss.

    >>> table = QTable()
    >>> table.learn([(State(12, False, 6), "HIT")], -1)
    >>> table.best(State(12, False, 6)), table.text().splitlines()[1]
    ('STAND', '12,hard,6,-1.0,1,,0')
    """

    def __init__(self, averages: Mapping[tuple[State, str], Average] | None = None) -> None:
        self.averages = dict(averages or {})

    def learn(self, decisions: Iterable[tuple[State, str]], reward: float) -> None:
        new = {each: self.averages.get(each, Average()).with_reward(reward) for each in decisions}
        self.averages.update(new)  # at once, because an interruption must include a game or leave it out

    def best(self, state: State) -> str:
        """The action with the higher average in this state, or else with these points. An action that was never tried
        counts 0.

        With 21 points, the action is STAND; without averages, it is HIT up to hard 11 or soft 17.
        """
        if state.points < 21:
            for hit, stand in (self._at(state), self.by_points(state.points, state.dealer)):
                if hit.tried or stand.tried:
                    return HIT if hit.value > stand.value else STAND
        return HIT if state.points <= (17 if state.soft else 11) else STAND

    def _at(self, state: State) -> tuple[Average, Average]:
        hit, stand = (self.averages.get((state, action), Average()) for action in (HIT, STAND))
        return hit, stand

    def by_points(self, points: int, dealer: int) -> tuple[Average, Average]:
        """The averages of hitting and standing, over soft and hard hands."""
        (hit, stand), soft = (self._at(State(points, soft, dealer)) for soft in (False, True))
        return hit.with_reward(*soft[0]), stand.with_reward(*soft[1])

    # --- the file

    def text(self) -> str:
        """The table as CSV: hard hands, soft hands, and all hands by points alone."""
        rows: list[tuple[int, str, int, tuple[Average, Average]]] = []
        for points, dealer in itertools.product(OWN_POINTS, UP_CARDS):
            for soft in (False, True):
                rows.append((points, _HANDS[soft], dealer, self._at(State(points, soft, dealer))))
            rows.append((points, "any", dealer, self.by_points(points, dealer)))
        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for points, hand, dealer, averages in sorted(rows, key=lambda row: (_HANDS.index(row[1]), row[0], row[2])):
            if any(average.tried for average in averages):
                cells = [(repr(value) if count else "", count) for value, count in averages]
                writer.writerow((points, hand, dealer, *cells[0], *cells[1]))
        return file.getvalue()

    def save(self, path: Path) -> None:
        """Write the file. Raises OSError."""
        content = self.text().encode()
        with replacing_output(path) as file:
            file.write(content)

    @classmethod
    def load(cls, path: Path) -> QTable:
        """Read a file. Rows for all hands follow from the others and are ignored. Raises FormatError."""
        try:
            text = read_bytes(path, _LONGEST).removeprefix(codecs.BOM_UTF8).decode("ascii")
        except UnicodeDecodeError as error:
            raise FormatError(path, "not a table of twenty-one") from error
        averages: dict[tuple[State, str], Average] = {}
        for number, line in enumerate(text.splitlines(), 1):
            cells = line.split(",")
            try:
                if number == 1:
                    _require(tuple(cells) == COLUMNS, f"the columns are not {','.join(COLUMNS)}")
                elif line and (read := _row(cells)) is not None:
                    _require(not averages.keys() & read.keys(), "this state occurs twice")
                    averages |= read
            except ValueError as error:
                raise FormatError(path, f"line {number}: {error}") from error
        if not text:
            raise FormatError(path, "line 1: no columns")
        return cls(averages)

    @classmethod
    def of_learnt(cls, learnt: LearntTable, graph: StateGraph) -> QTable:
        """The table of twenty-one that train-agent has learnt."""
        result = cls()
        for number, seen in enumerate(graph.states):
            if graph.owner[number] != 0:
                continue
            state = State(seen.mine.points, seen.mine.soft, seen.dealer.points)
            for move in graph.moves(number):
                each = state, str(graph.names[move]).upper()
                value, count = float(learnt.values[move, 0]), int(learnt.visits[move, 0])
                result.averages[each] = result.averages.get(each, Average()).with_reward(value, count)
        return result


def _require(right: bool, problem: str) -> None:
    if not right:
        raise ValueError(problem)


def _row(cells: list[str]) -> dict[tuple[State, str], Average] | None:
    _require(len(cells) == len(COLUMNS), f"{len(cells)} cells, not {len(COLUMNS)}")
    points, hand, dealer, *numbers = cells
    own, up = (int(text) if text.isascii() and text.isdecimal() and len(text) < 3 else 0 for text in (points, dealer))
    _require(own in OWN_POINTS and up in UP_CARDS and hand in _HANDS, f"no state: {','.join(cells[:3])[:40]!r}")
    result = {}
    for action, value, count in ((HIT, *numbers[:2]), (STAND, *numbers[2:])):
        try:
            average = Average(read_number(value) if value else 0.0, read_whole_number(count))
        except ValueError as error:
            raise ValueError(f"{action}: {value[:20]!r} or {count[:20]!r} {error}") from error
        _require(abs(average.value) <= 1.0 and 0 <= average.tried < 2**63, f"{action}: no average of rewards")
        _require(bool(average.tried) == bool(value), f"{action}: a value and a count go together")
        result[State(own, hand == "soft", up), action] = average
    return None if hand == "any" else result


# --- playing

REWARDS = {"WIN": 1, "PUSH": 0, "LOOSE": -1, "BUST": -1}


def _decoded(message: bytes) -> str:
    return message.decode("ascii", "backslashreplace")


PLAYER_WIRE = Wire(b"\0", lambda text: f"{text}\0".encode(), _decoded)


class CardPlayer:
    """A player of twenty-one by a table, or a learner of it. draws: chooses actions while it learns; None to play."""

    def __init__(self, table: QTable, draws: random.Random | None = None) -> None:
        self.table, self.draws = table, draws
        self.results: Counter[str] = Counter()
        self._begin()

    def _begin(self) -> None:
        self._cards: list[str] = []
        self._dealer = 0
        self._decisions: list[tuple[State, str]] = []

    def told(self, message: str) -> str | None:
        """The answer to a message; None if it needs none. Raises ValueError for an impossible message."""
        kind, _, what = message.partition(" ")
        if message == "BEGIN":
            self._begin()
        elif kind == "CARD":
            self._cards.append(what)
            Hand.of(self._cards)
        elif kind == "DEALER":
            self._dealer = Hand.of([what]).points
        elif message == DECISION:
            return self._decide()
        elif kind == "RESULT" and what in REWARDS:
            _require(bool(self._cards), f"{message} without a game")
            self.results[what] += 1
            if self.draws is not None:
                self.table.learn(self._decisions, REWARDS[what])
            self._begin()
        else:
            raise ValueError(f"{message[:40]!r}")
        return None

    def _decide(self) -> str:
        hand = Hand.of(self._cards)
        if not self._dealer or hand.points not in OWN_POINTS:
            raise ValueError(f"{DECISION} with {counted(len(self._cards), 'card')}")
        state = State(hand.points, hand.soft, self._dealer)
        choice = self.table.best(state)
        if self.draws is not None and state.points < 21:
            choice = self.draws.choice((HIT, STAND))
        self._decisions.append((state, choice))
        return choice

    def sit(
        self,
        address: Address,
        name: str,
        patience: float,
        waiting: Callable[[], contextlib.AbstractContextManager[None]] = contextlib.nullcontext,
        between: Callable[[], object] = bool,
        say: Callable[[str], object] = bool,
    ) -> None:
        """Play until the dealer says QUIT. Raises RefusedError without a dealer, a seat or a connection.

        patience: seconds to reach the dealer, and for the rest of a message. waiting: entered during every wait.
        between: called after each game. say: called once, when the dealer has said nothing for `patience`. The dealer
        may be waiting for other players, whose time this protocol does not tell; the wait for it is then unlimited.
        """
        line = reach(address, patience, f"JOIN {name}", waiting, PLAYER_WIRE)
        has_begun = False
        limit: float | None = patience
        try:
            while True:
                try:
                    with waiting():
                        message = line.receive(limit)
                except TimeoutError:
                    if limit is None:  # a message that stops half way
                        raise
                    say(f"the dealer has said nothing for {patience:g} seconds; still waiting, Ctrl-C stops")
                    limit = None
                    continue
                if message is None:
                    raise RefusedError(f"{address}: the connection is lost")
                if message == "QUIT":
                    break
                answer = self.told(message)
                has_begun = True
                if answer is not None:
                    line.send(answer)
                elif message.startswith("RESULT"):
                    between()
        except OSError as error:
            raise RefusedError(f"{address}: the connection is lost: {error.strerror or error}") from error
        except ValueError as error:
            raise RefusedError(f"{address}: the dealer breaks the protocol: {shown(str(error))}") from error
        finally:
            line.close()
        if not has_begun:
            why = "the name is taken or not valid, all seats are taken, or the game is over"
            raise RefusedError(f"{address}: the dealer sends {name} away: {why}")
