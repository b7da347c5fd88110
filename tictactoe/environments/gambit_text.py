"""Games as text in Gambit's format .efg, https://gambitproject.readthedocs.io/en/latest/formats.efg.html.

The deal is the first chance node; every pair of types has its own copy of the public tree. A game with hidden moves is
written history by history.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import numpy as np

from ..algorithms.arrays import CHANCE
from ..algorithms.built_game import BuiltGame
from ..algorithms.game import Game
from ..algorithms.hidden_moves import HiddenMovesGame

DECIMALS = 30
"""The digits of a probability that is not a simple fraction."""

LARGEST_DENOMINATOR = 100_000
"""The largest denominator of a simple fraction."""

ROUNDING = 2.0**-50
"""The largest relative difference between a number of the game and the simpler one in the file."""


class GambitSet(NamedTuple):
    """An information set in the file."""

    player: int
    """The mover, 0 or 1; Gambit counts players from 1."""
    number: int
    """The number of the set in the file, from 1 for each player."""
    name: str
    """The name of the set: the mover's type, and the moves so far or, with hidden moves, what is seen."""
    node: int
    """The decision node of the game's tree."""
    types: tuple[int, ...]
    """The numbers of the mover's types that have this information set; several if it cannot tell them apart. Some may
    be impossible there.
    """


def gambit_text(game: Game, title: str = "") -> str:
    """A game as text in Gambit's format .efg.

    game: types and moves without names are called by their numbers.
    title: the name of the game in the file.

    Names are printable ASCII. Probabilities are fractions or decimals, and those of a chance node sum to 1 exactly.
    Impossible chance moves are left out. The file has a line for each history and each pair of types: 9,451 lines
    for Leduc poker with six cards.

    >>> from tictactoe import build_game, gambit_text
    >>> class Guess:  # which side of the coin is up, as player 0 alone can see? Player 1 guesses
    ...     types = ("head", "tail"), ("",)
    ...     def prior(self, first: str, second: str) -> float:
    ...         return {"head": 1 / 3, "tail": 2 / 3}[first]
    ...     def root(self) -> str:
    ...         return "start"
    ...     def owner(self, state: str) -> int | None:
    ...         return 1 if state == "start" else None
    ...     def moves(self, state: str) -> list[tuple[str, str]]:
    ...         return [("head", "head"), ("tail", "tail")]
    ...     def payoff(self, state: str, first: str, second: str) -> float:
    ...         return -1 if state == first else 1
    >>> print(gambit_text(build_game(Guess()), "Guess"), end="")
    EFG 2 R "Guess" { "Player 0" "Player 1" }
    <BLANKLINE>
    c "" 1 "deal" { "head" 1/3 "tail" 2/3 } 0
    p "" 2 1 "" { "head" "tail" } 0
    t "" 1 "" { -1, 1 }
    t "" 2 "" { 1, -1 }
    p "" 2 1 "" { "head" "tail" } 0
    t "" 2 "" { 1, -1 }
    t "" 1 "" { -1, 1 }
    """
    return "\n".join([f'EFG 2 R {_quoted(title)} {{ "Player 0" "Player 1" }}', "", *_writer(game).lines()]) + "\n"


def gambit_sets(game: Game) -> list[GambitSet]:
    """The information sets of `gambit_text(game)`, by player and number.

    >>> from tictactoe import kuhn_poker
    >>> [each.name for each in gambit_sets(kuhn_poker())[:3]]
    ['0', '1', '2']
    """
    sets = _writer(game).sets
    unique = {(each.player, each.number): each for each in sets.values()}
    return [unique[key] for key in sorted(unique)]


def move_labels(game: Game, node: int) -> list[str]:
    """The names of the moves at a node in `gambit_text(game)`.

    >>> from tictactoe import kuhn_poker
    >>> move_labels(kuhn_poker(), 0)
    ['1', '2']
    """
    return _different([str(game.tree.move(child)) for child in game.tree.children(node)])


class _Writer:
    def __init__(self, game: Game) -> None:
        self._game, self._tree = game, game.tree
        self._chance = game.chance if isinstance(game, BuiltGame) else None
        self._children = [list(game.tree.children(node)) for node in range(game.tree.num_nodes)]
        self._histories: dict[int, str] = {}
        self._labels = {node: move_labels(game, node) for node in game.tree.decision_nodes.tolist()}
        for node, labels in self._labels.items():
            for child, label in zip(self._children[node], labels, strict=True):
                self._histories[child] = ", ".join(filter(None, (self._histories.get(node, ""), label)))
        self._used: set[tuple[int, str]] = set()
        self._possible = cache(self._possible_types)
        self._outcomes: dict[str, int] = {}
        self._num_chance_nodes = 0
        self.sets = dict(self._sets())

    def _sets(self) -> Iterator[tuple[tuple[int, int], GambitSet]]:
        count = [0, 0]
        for node in self._tree.decision_nodes.tolist():
            player = int(self._tree.owner[node])
            if player == CHANCE:
                continue
            possible = self._possible(-1 if self._chance is None else int(self._chance.table_of[node]), player)
            for together in self._told_apart(node, possible):
                count[player] += 1
                kind = self._type_name(player, [number for number in together if number in possible])
                name = self._unique(player, count[player], _joined(kind, self._histories.get(node, "")))
                for number in together:
                    yield (node, number), GambitSet(player, count[player], name, node, together)

    def _possible_types(self, table: int, player: int) -> list[int]:
        reached = self._game.prior if self._chance is None else self._game.prior * self._chance.tables[table]
        found: list[int] = np.flatnonzero(reached.sum(axis=1 - player) > 0.0).tolist()
        return found

    def _told_apart(self, node: int, numbers: Sequence[int]) -> list[tuple[int, ...]]:
        knowledge = self._tree.knowledge
        if knowledge is None or knowledge.partition[node] < 0:
            return [(number,) for number in numbers]
        together = knowledge.together[knowledge.partition[node]]
        return sorted({tuple(np.flatnonzero(together[number]).tolist()) for number in numbers})

    def _type_name(self, player: int, numbers: Sequence[int]) -> str:
        names = self._game.types[player] if isinstance(self._game, BuiltGame) else None
        return " or ".join(str(number if names is None else names[number]) for number in numbers)

    def lines(self) -> Iterator[str]:
        pairs = [(int(first), int(second)) for first, second in np.argwhere(self._game.prior > 0.0)]
        if len(pairs) > 1:
            names = _different([self._pair_name(pair) for pair in pairs])
            yield self._chance_line("deal", names, [float(self._game.prior[pair]) for pair in pairs])
        for pair in pairs:
            waiting = [0]
            while waiting:
                node = waiting.pop()
                line, below = self._node(node, pair)
                yield line
                waiting.extend(reversed(below))

    def _node(self, node: int, pair: tuple[int, int]) -> tuple[str, list[int]]:
        owner, below = int(self._tree.owner[node]), self._children[node]
        if owner < 0:
            payoff = float(self._game.payoffs[(self._tree.leaf_class[node], *pair)])
            return self._end_line(payoff / self._reached(node, pair)), []
        if owner == CHANCE:
            reached = self._reached(node, pair)
            chances = [self._reached(child, pair) / reached for child in below]
            possible = [number for number, chance in enumerate(chances) if chance > 0.0]
            labels = [self._labels[node][number] for number in possible]
            name = _joined(self._pair_name(pair), self._histories.get(node, ""))
            line = self._chance_line(name, labels, [chances[number] for number in possible])
            return line, [below[number] for number in possible]
        return self._set_line(self.sets[node, pair[owner]]), below

    def _end_line(self, payoff: float) -> str:
        text = _decimal(payoff)
        number = self._outcomes.setdefault(text, len(self._outcomes) + 1)
        negative = text[1:] if text.startswith("-") else text if text == "0" else f"-{text}"
        return f't "" {number} "" {{ {text}, {negative} }}'

    def _set_line(self, found: GambitSet) -> str:
        moves = " ".join(map(_quoted, self._labels[found.node]))
        return f'p "" {found.player + 1} {found.number} {_quoted(found.name)} {{ {moves} }} 0'

    def _chance_line(self, name: str, labels: Sequence[str], chances: Sequence[float]) -> str:
        self._num_chance_nodes += 1
        moves = " ".join(f"{_quoted(label)} {share}" for label, share in zip(labels, shares(chances), strict=True))
        name = self._unique(CHANCE, self._num_chance_nodes, name)
        return f'c "" {self._num_chance_nodes} {_quoted(name)} {{ {moves} }} 0'

    def _unique(self, player: int, number: int, name: str) -> str:
        name = _quoted(name)[1:-1]
        name = f"{name} ({number})" if (player, name) in self._used else name
        self._used.add((player, name))
        return name

    def _pair_name(self, pair: tuple[int, int]) -> str:
        return _joined(self._type_name(0, pair[:1]), self._type_name(1, pair[1:]))

    def _reached(self, node: int, pair: tuple[int, int]) -> float:
        chance = self._chance
        return 1.0 if chance is None else float(chance.tables[(chance.table_of[node], *pair)])


class _HiddenMovesWriter(_Writer):
    """A writer of a game with hidden moves, with moves in the order of the information set."""

    def __init__(self, game: HiddenMovesGame) -> None:
        self._past = game.histories
        super().__init__(game)

    def _sets(self) -> Iterator[tuple[tuple[int, int], GambitSet]]:
        for player in (0, 1):
            nodes = np.flatnonzero(self._tree.owner == player).tolist()
            for number, node in enumerate(nodes, 1):
                name = self._unique(player, number, str(self._game.tree.move(node)))
                yield (node, 0), GambitSet(player, number, name, node, (0,))

    def lines(self) -> Iterator[str]:
        past, waiting = self._past, [0]
        while waiting:
            history = waiting.pop()
            owner, below = int(past.tree.owner[history]), list(past.tree.children(history))
            if owner < 0:
                yield self._end_line(float(past.payoff[history]))
            elif owner == CHANCE:
                labels = _different([str(past.tree.move(each)) for each in below])
                yield self._chance_line("chance", labels, past.chance[below].tolist())
            else:
                below.sort(key=past.move.__getitem__)
                yield self._set_line(self.sets[int(past.node[history]), 0])
            waiting += reversed(below)


def _writer(game: Game) -> _Writer:
    return _HiddenMovesWriter(game) if isinstance(game, HiddenMovesGame) else _Writer(game)


def shares(probabilities: Sequence[float]) -> list[str]:
    """Probabilities as texts that sum to 1 exactly: fractions if they are simple, otherwise decimals.

    >>> shares([1 / 3, 2 / 3]), shares([1.0])
    (['1/3', '2/3'], ['1'])
    >>> shares([0.1234567890123, 0.8765432109877])
    ['0.123456789012300000000000000000', '0.876543210987700000000000000000']
    """
    simple = [Fraction(each).limit_denominator(LARGEST_DENOMINATOR) for each in probabilities]
    near = all(abs(a - Fraction(b)) <= ROUNDING * b for a, b in zip(simple, probabilities, strict=True))
    if near and sum(simple) == 1:
        return [str(each) for each in simple]
    units = [round(Fraction(repr(each)) * 10**DECIMALS) for each in probabilities]
    units[units.index(max(units))] += 10**DECIMALS - sum(units)
    return [f"{each // 10**DECIMALS}.{each % 10**DECIMALS:0{DECIMALS}d}" for each in units]


def _decimal(number: float) -> str:
    short = float(f"{number:.15g}")
    number = short if abs(short - number) <= ROUNDING * abs(number) else number
    text = format(Decimal(repr(number)), "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def _joined(*texts: str) -> str:
    return " ".join(filter(None, texts))


def _quoted(text: str) -> str:
    """A text in quotation marks, as printable ASCII.

    >>> print(_quoted('K\u00f6nig "\u2660"'))
    "Konig 'U+2660'"
    """
    parts = unicodedata.normalize("NFKD", " ".join(text.replace('"', "'").replace("\\", "/").split()))
    plain = (
        each if " " <= each <= "~" else "" if unicodedata.combining(each) else f"U+{ord(each):04X}" for each in parts
    )
    return f'"{"".join(plain)}"'


def _different(labels: Sequence[str]) -> list[str]:
    quoted = [_quoted(label)[1:-1] for label in labels]
    if len(set(quoted)) == len(quoted) and all(quoted):
        return quoted
    return [f"{label} ({number})".strip() for number, label in enumerate(quoted, 1)]
