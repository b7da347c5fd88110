"""Gambit's .efg and .nfg files as descriptions with hidden moves for `build_game`.

The formats: https://gambitproject.readthedocs.io/en/latest/formats.html. Outcomes on the way to an end add up. In a
.nfg file, both players choose at once. Numbers are exact: 0.1 is 1/10.
"""

from __future__ import annotations

import codecs
import copy
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from ..algorithms.arrays import CHANCE
from ..algorithms.game_builder import MAXIMUM_NODES
from ..errors import FormatError, cut
from ..number_text import counted

LARGEST_FILE = 100_000_000
"""The largest size of a file, in bytes."""

LARGEST_NUMBER = 10**100
"""The largest payoff or probability. Its inverse is the smallest one that is not 0."""

ROUNDING = Fraction(1, 10**9)
"""The largest error of a sum of decimals. Other numbers must have the exact sum."""

_LONGEST_NUMBER = 300
_LONGEST_TITLE = 200
_CHARACTERS_SHOWN = 40
_MOVES_SHOWN = 8
_NODES_BETWEEN_CALLS = 1000

_TOKEN = re.compile(r'\s*+("[^"\\]*+(?:\\"?[^"\\]*+)*+"|[{},]|[^\s{},"]++)')
_NUMBER = re.compile(r"[+-]?(?:[0-9]+/[0-9]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?)")
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+")
_PLAYERS = ("the first player", "the second player")

Payoffs = tuple[Fraction, Fraction]
"""The payoffs to player 0 and to player 1."""


@dataclass
class _Set:
    owner: int
    number: int
    label: str
    moves: tuple[str, ...]
    """The names of the moves, which are different."""
    chances: dict[str, Fraction]
    """The probabilities of chance moves, by name."""
    place: int
    """The place in the text that describes the set."""
    first: int = -1
    """The first node of the set with a probability above 0; -1 before there is one."""


@dataclass
class GambitGame:
    """The game of a file as a description for `build_game`. A state is the number of a node.

    Player 0 is the file's first player. Payoffs and probabilities are fractions.
    """

    constant_sum: Fraction = Fraction(0)
    """The sum of both players' payoffs at every end."""
    _sets: list[_Set] = field(default_factory=list)
    _seen: Sequence[str] = ()  # by set
    _set_of: list[int] = field(default_factory=list)  # by node; -1 at an end
    _below: list[list[int]] = field(default_factory=list)
    _paid: list[Payoffs] = field(default_factory=list)  # by node: the sum of the outcomes so far

    def root(self) -> int:
        return 0

    def owner(self, state: int) -> int | None:
        """The player who moves: 0, 1 or CHANCE; None at the end."""
        return None if self._set_of[state] < 0 else self._sets[self._set_of[state]].owner

    def moves(self, state: int) -> list[tuple[str, int]]:
        """The moves by name. An empty or repeated name includes the move's number."""
        return list(zip(self._sets[self._set_of[state]].moves, self._below[state], strict=True))

    def sees(self, state: int, player: int) -> str:
        """The name of the information set. An empty or repeated name includes the set's number."""
        return self._seen[self._set_of[state]]

    def chance(self, state: int, name: str) -> Fraction:
        return self._sets[self._set_of[state]].chances[name]

    def payoff(self, state: int) -> Fraction:
        """The payoff to player 0. Player 1 gets the rest of `constant_sum`."""
        return self._paid[state][0]


class GambitFile:
    """A file of Gambit.

    Raises FormatError, which names file and line, for a wrong header or a game without exactly two players.
    """

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
        if len(data) > LARGEST_FILE:
            raise FormatError(path, f"has more than {LARGEST_FILE / 1e6:g} million bytes")
        self._text = text = _Text(path, _decoded(data))
        self._is_tree = text.word("EFG or NFG", "EFG", "NFG") == "EFG"
        version = "2" if self._is_tree else "1"
        text.word(f"version {version}", version)
        text.word("R or D", "R", "D")
        self.title = _one_line(text.text("the title in quotation marks"))[:_LONGEST_TITLE] or path.name
        text.sign("{")
        place, players = text.place, text.texts("a player's name")
        if len(players) != 2:
            raise text.wrong(f"the game has {counted(len(players), 'player')}, but must have two", place)

    def game(self, maximum_nodes: int = MAXIMUM_NODES, walked: Callable[[int], object] | None = None) -> GambitGame:
        """Read the rest of the file. walked: called now and then with the number of histories so far.

        Raises FormatError, which names file and line, for errors, payoffs without a constant sum, imperfect recall, and
        more than `maximum_nodes` histories.
        """
        reader = _Reader(copy.copy(self._text), maximum_nodes, walked)
        return reader.tree() if self._is_tree else reader.table()


class _Reader:
    def __init__(self, text: _Text, maximum_nodes: int, walked: Callable[[int], object] | None) -> None:
        self._text, self._maximum_nodes, self._walked = text, maximum_nodes, walked
        self._game = GambitGame()
        self._number_of_set: dict[tuple[int, int], int] = {}
        self._outcomes: dict[int, tuple[Payoffs, int]] = {0: ((Fraction(0), Fraction(0)), 0)}  # with their places
        self._parent: list[int] = []
        self._place: list[int] = []
        self._own: list[tuple[object, object]] = []  # by player: the last information set and the move there
        self._can_come: list[bool] = []
        self._first_end = -1
        self._summed = set[int]()  # ids of payoffs whose sum was checked

    def tree(self) -> GambitGame:
        game, text = self._game, self._text
        text.any_text()  # a comment
        waiting: list[int] = []  # nodes with moves that lead nowhere yet
        while not game._set_of or waiting:
            self._node(waiting[-1] if waiting else -1)
            if game._set_of[-1] >= 0:
                waiting.append(len(game._set_of) - 1)
            while waiting and len(game._below[waiting[-1]]) == len(game._sets[game._set_of[waiting[-1]]].moves):
                waiting.pop()
        text.end("the last node")
        if game._set_of[0] < 0:
            raise text.wrong("the game ends before the first move; a game has at least one move", self._place[0])
        self._name_sets()
        return game

    def _node(self, parent: int) -> None:
        text = self._text
        kind = text.word("a node (c, p or t)", "c", "p", "t")
        place = text.place
        text.text("the node's name in quotation marks")
        found = -1
        if kind == "p":
            player = text.whole("the number of a player")
            if player not in (1, 2):
                raise text.wrong(f"player {player}: the players are 1 and 2")
            found = self._set(player - 1)
        elif kind == "c":
            found = self._set(CHANCE)
        self._add(parent, found, self._outcome(), place)

    def _set(self, owner: int) -> int:
        text = self._text
        number = text.whole("the number of an information set")
        what = f"chance move {number}" if owner == CHANCE else f"information set {number} of {_PLAYERS[owner]}"
        place = text.place
        label = text.description()
        labels: list[str] = []
        chances: list[Fraction] = []
        if label is not None:
            while not text.has("}"):
                labels.append(_one_line(text.text("the name of a move in quotation marks")))
                if owner == CHANCE:
                    chances.append(text.number("a probability"))
                    text.has(",")
        known = self._number_of_set.get((owner, number))
        if known is None:
            if not labels:
                raise text.wrong(
                    f"{what} {'has not been described so far' if label is None else 'has no moves'}", place
                )
            if min(chances, default=0) < 0:
                raise text.wrong(f"{what}: a probability is below 0", place)
            if owner == CHANCE and not text.near(sum(chances), Fraction(1)):
                raise text.wrong(f"{what}: the probabilities add up to {_number(sum(chances))}, not 1", place)
            known = self._number_of_set[owner, number] = len(self._game._sets)
            names = _different(labels, range(1, len(labels) + 1))
            by_name = dict(zip(names, chances, strict=False))  # a player's moves have none
            self._game._sets.append(_Set(owner, number, _one_line(label or ""), names, by_name, place))
        elif label is not None:
            earlier = self._game._sets[known]
            if len(labels) != len(earlier.moves):
                what = f"{what} has {counted(len(labels), 'move')} here and {len(earlier.moves)}"
            elif chances != list(earlier.chances.values()):
                what = f"{what} has other probabilities here than"
            else:
                return known
            raise text.wrong(f"{what} in line {text.line(earlier.place)}", place)
        return known

    def _outcome(self) -> Payoffs:
        text = self._text
        number = text.whole("the number of an outcome")
        place = text.place
        if text.description() is not None:
            payoffs = self._payoffs()
            text.sign("}")
            earlier, there = self._outcomes.setdefault(number, (payoffs, place))
            if payoffs != earlier:
                where = f"in line {text.line(there)}" if number else "always"
                shown = [f"{_number(first)} and {_number(second)}" for first, second in (payoffs, earlier)]
                raise text.wrong(f"outcome {number} pays {shown[0]} here and {shown[1]} {where}", place)
        if number not in self._outcomes:
            raise text.wrong(f"outcome {number} has had no payoffs so far", place)
        return self._outcomes[number][0]

    def _payoffs(self) -> Payoffs:
        first = self._text.number("a payoff")
        self._text.has(",")
        second = self._text.number("a payoff")
        self._text.has(",")
        return first, second

    def table(self) -> GambitGame:
        text = self._text
        strategies = self._strategies()
        text.any_text()  # a comment
        outcomes: list[Payoffs] = []
        if by_outcome := text.has("{"):
            outcomes = [(Fraction(0), Fraction(0))]
            while not text.has("}"):
                text.sign("{")
                text.any_text()
                outcomes.append(self._payoffs())
                text.sign("}")
        rows, columns = map(len, strategies)
        paid: list[list[tuple[Payoffs, int]]] = [[] for _ in range(rows)]
        for cell in range(rows * columns):
            if by_outcome:
                number = text.whole("the number of an outcome")
                if not 0 <= number < len(outcomes):
                    raise text.wrong(f"outcome {number}: there are 0 to {len(outcomes) - 1}")
                text.has(",")
                paid[cell % rows].append((outcomes[number], text.place))
            else:
                payoffs = self._payoffs()
                paid[cell % rows].append((payoffs, text.place))
        text.end("the last payoffs")
        nothing = (Fraction(0), Fraction(0))
        self._game._sets = [
            _Set(player, 0, "", _different(labels, range(1, len(labels) + 1)), {}, 0)
            for player, labels in enumerate(strategies)
        ]
        self._add(-1, 0, nothing, 0)
        for row in paid:
            chosen = self._add(0, 1, nothing, 0)
            for payoffs, place in row:
                self._add(chosen, -1, payoffs, place)
        self._game._seen = ("", "")  # both see nothing
        return self._game

    def _strategies(self) -> list[list[str]]:
        text, found = self._text, list[list[str]]()
        text.sign("{")
        for player in _PLAYERS:
            if text.has("{"):
                found.append(list(map(_one_line, text.texts("the name of a strategy"))))
                number = len(found[-1])
            else:
                number = text.whole("a number of strategies, or their names in braces")
                found.append([""] * min(number, self._maximum_nodes))
            if number < 1:
                raise text.wrong(f"{player} has no strategies")
        text.sign("}")
        self._check_size(1 + len(found[0]) * (1 + len(found[1])))
        return found

    def _add(self, parent: int, found: int, outcome: Payoffs, place: int) -> int:
        game, node = self._game, len(self._parent)
        self._check_size(node + 1)
        if self._walked is not None and node % _NODES_BETWEEN_CALLS == 0:
            self._walked(node)
        can_come, paid = True, outcome
        own: tuple[object, object] = (None, None)
        if parent >= 0:
            above, place_of_move = game._sets[game._set_of[parent]], len(game._below[parent])
            can_come, own, before = self._can_come[parent], self._own[parent], game._paid[parent]
            if any(before):
                paid = before if not any(outcome) else (before[0] + outcome[0], before[1] + outcome[1])
            made = (game._set_of[parent], place_of_move)
            if above.owner == CHANCE:
                can_come = can_come and above.chances[above.moves[place_of_move]] > 0
            else:
                own = (made, own[1]) if above.owner == 0 else (own[0], made)
            game._below[parent].append(node)
        game._set_of.append(found)
        game._below.append([])
        game._paid.append(paid)
        self._parent.append(parent)
        self._place.append(place)
        self._own.append(own)
        self._can_come.append(can_come)
        if can_come and found < 0:
            self._check_sum(node)
        elif can_come and game._sets[found].owner != CHANCE:
            self._check_recall(node, game._sets[found])
        return node

    def _check_size(self, number: int) -> None:
        if number > self._maximum_nodes:
            raise self._text.wrong(f"the game has more than {self._maximum_nodes:,} histories; raise maximum nodes")

    def _check_sum(self, node: int) -> None:
        game, text, paid = self._game, self._text, self._game._paid[node]
        if id(paid) in self._summed:
            return
        self._summed.add(id(paid))
        first, second = paid
        total = first + second
        if self._first_end < 0:
            self._first_end, game.constant_sum = node, total
        elif not text.near(total, game.constant_sum, max(abs(first), abs(second))):
            place = self._place[self._first_end]
            where = f"{self._after(self._first_end)} in line {text.line(place)}"
            here = f"{_number(total)} together {self._after(node)}"
            what = f"both players get {here}, and {_number(game.constant_sum)} {where}"
            raise text.wrong(f"{what}: the sum must be the same", self._place[node])

    def _check_recall(self, node: int, found: _Set) -> None:
        if found.first < 0:
            found.first = node
        elif self._own[node][found.owner] != self._own[found.first][found.owner]:
            who, where = _PLAYERS[found.owner], f"in line {self._text.line(self._place[found.first])}"
            both = f"{self._after(node)} and {self._after(found.first)} {where}"
            what = f"{who} has information set {found.number} {both}, but has made other moves itself"
            raise self._text.wrong(f"imperfect recall: {what}", self._place[node])

    def _after(self, node: int) -> str:
        names: list[str] = []
        while self._parent[node] >= 0 and len(names) <= _MOVES_SHOWN:
            before = self._parent[node]
            names.append(self._game._sets[self._game._set_of[before]].moves[self._game._below[before].index(node)])
            node = before
        shown = [*(["..."] if len(names) > _MOVES_SHOWN else []), *map(_cut, names[:_MOVES_SHOWN][::-1])]
        return f"after {', '.join(shown)}" if shown else "before the first move"

    def _name_sets(self) -> None:
        seen = dict[int, str]()
        for owner in (0, 1, CHANCE):
            numbers = [number for number, each in enumerate(self._game._sets) if each.owner == owner]
            sets = [self._game._sets[number] for number in numbers]
            names = _different([each.label for each in sets], [each.number for each in sets], "set ")
            seen |= dict(zip(numbers, names, strict=True))
        self._game._seen = [seen[number] for number in range(len(seen))]


class _Text:
    def __init__(self, path: Path, text: str) -> None:
        self._path, self._text, self._end = path, text, 0
        self.place = 0
        """The place of the last token that was taken."""
        self._next, self._next_place = "", 0  # the next token; empty at the end
        self._numbers: dict[str, Fraction] = {}
        self._has_decimals = False
        self._look()

    def _look(self) -> None:
        match = _TOKEN.match(self._text, self._end)
        if match is not None:
            self._next, self._end = match[1], match.end()
            self._next_place = self._end - len(self._next)
            return
        while self._end < len(self._text) and self._text[self._end].isspace():
            self._end += 1
        if self._end < len(self._text):
            raise self.wrong("a quotation mark without a closing one", self._end)
        self._next, self._next_place = "", self._end

    def _take(self) -> str:
        token, self.place = self._next, self._next_place
        self._look()
        return token

    def word(self, what: str, *words: str) -> str:
        if self._next not in words:
            raise self._other(what)
        return self._take()

    def any_text(self) -> str:
        return self.text("") if self._next.startswith('"') else ""

    def description(self) -> str | None:
        """Take the name before a description and the opening brace. Returns None if no description is next."""
        if not self._next.startswith('"'):
            return "" if self.has("{") else None
        name = self.any_text()
        self.sign("{")
        return name

    def text(self, what: str) -> str:
        if not self._next.startswith('"'):
            raise self._other(what)
        return self._take()[1:-1].replace('\\"', '"')

    def texts(self, what: str) -> list[str]:
        found = []
        while not self.has("}"):
            found.append(self.text(f"{what} in quotation marks"))
        return found

    def whole(self, what: str) -> int:
        if len(self._next) > _LONGEST_NUMBER or not _WHOLE_NUMBER.fullmatch(self._next):
            raise self._other(f"{what}, a whole number,")
        return int(self._take())

    def number(self, what: str) -> Fraction:
        if self._next not in self._numbers and not _NUMBER.fullmatch(self._next):
            raise self._other(f"{what}, such as 1, 0.5 or 1/2,")
        token = self._take()
        if token not in self._numbers:
            if len(token) > _LONGEST_NUMBER:
                raise self.wrong(f"{_cut(token)} has more than {_LONGEST_NUMBER} digits", self.place)
            try:
                number = self._numbers[token] = Fraction(token)
            except ZeroDivisionError as error:
                raise self.wrong(f"{_cut(token)} divides by 0", self.place) from error
            if number and not Fraction(1, LARGEST_NUMBER) <= abs(number) <= LARGEST_NUMBER:
                raise self.wrong(f"{_cut(token)} is not 0, and its size is not from 1e-100 to 1e100", self.place)
            self._has_decimals |= number.denominator > 1 and "/" not in token
        return self._numbers[token]

    def has(self, sign: str) -> bool:
        if self._next != sign:
            return False
        self._take()
        return True

    def sign(self, sign: str) -> None:
        if not self.has(sign):
            raise self._other(sign)

    def end(self, what: str) -> None:
        if self._next:
            raise self.wrong(f"{_cut(self._next)} follows {what}", self._next_place)

    def near(self, total: Fraction | int, wanted: Fraction, size: Fraction | int = 1) -> bool:
        """Whether a sum is the wanted one. size: the size of its largest number."""
        return total == wanted or (self._has_decimals and abs(total - wanted) < ROUNDING * max(size, 1))

    def line(self, place: int) -> int:
        return self._text.count("\n", 0, place) + 1

    def wrong(self, what: str, place: int | None = None) -> FormatError:
        return FormatError(self._path, f"line {self.line(self.place if place is None else place)}: {what}")

    def _other(self, what: str) -> FormatError:
        if not self._next:
            return self.wrong(f"the file breaks off before {what.rstrip(',')}")
        return self.wrong(f"{what} must be here, not {_cut(self._next)}", self._next_place)


def _decoded(data: bytes) -> str:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = data.decode("utf-16", "replace")
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _different(labels: Sequence[str], numbers: Iterable[int], before: str = "") -> tuple[str, ...]:
    """Different names: an empty label becomes `before` and its number; a repeated one has its number in brackets.

    >>> _different(["go", "", "go", "stay"], range(1, 5))
    ('go (1)', '2', 'go (3)', 'stay')
    """
    numbers, repeats = list(numbers), Counter(labels)
    names = [
        (label if repeats[label] == 1 else f"{label} ({number})") if label else f"{before}{number}"
        for label, number in zip(labels, numbers, strict=True)
    ]
    if len(set(names)) < len(names):
        names = [f"{label} ({number})".strip() for label, number in zip(labels, numbers, strict=True)]
    return tuple(names)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _cut(text: str) -> str:
    return cut(_one_line(text), _CHARACTERS_SHOWN)


def _number(number: Fraction | int) -> str:
    return _cut(str(number))
