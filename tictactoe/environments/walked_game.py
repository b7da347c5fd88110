"""A game that was walked through, deal by deal, as a description for `build_game`.

A *deal* is everything that chance draws before the first public node. Each public node has one state per deal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..algorithms.arrays import FloatArray

Labels = NDArray[np.int16]
"""int16 (num_deals,): at a decision, the number of what the mover knows, by deal; -1 for an impossible deal."""


@dataclass
class WalkedNode:
    """A history of public moves. Arrays are by deal."""

    parent: int
    """The number of the parent node; -1 at the root."""
    name: Any
    """The name of the move into the node; None at the root."""
    weights: FloatArray
    """float64 (num_deals,): the probability of the deal and of all chance moves up to here; 0 for an impossible
    deal."""
    owner: int | None = None
    """The player who moves: 0, 1 or CHANCE; None at the end."""
    moves: list[tuple[Any, int]] = field(default_factory=list)
    """The name of every move, and the number of the node to which it leads."""
    chances: dict[Any, FloatArray] = field(default_factory=dict)
    """At a chance node, the probability of every move by its name, float64 (num_deals,)."""
    labels: Labels | None = None
    """At a decision, what the mover knows."""
    information_states: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """At a decision, in the order of `labels`: what the mover knows in the other library's words, and the numbers of
    its moves, in the order of `moves`.
    """
    payoffs: FloatArray | None = None
    """At the end, the payoffs to player 0, float64 (num_deals,)."""


class WalkedGame:
    """The description, for `build_game`, of a game that was walked through. A state is the number of a node.

    Two deals are one type of a player who never tells them apart. If a player learns its type piece by piece, the
    description has a method `knows`, too.
    """

    source: Any = None
    """The game that was walked through."""
    constant_sum: float = 0.0
    """The sum of both players' payoffs."""
    knows: Callable[[int, int, str], Hashable] | None
    """A player's knowledge of its own type at a state; None if every player knows its type from the start."""

    def __init__(self, nodes: Sequence[WalkedNode], names: Sequence[Sequence[Sequence[str]]]) -> None:
        """names: by player, names of all deals in one or several ways; types take the first way that fits."""
        self.nodes = nodes
        drawn = nodes[0].weights
        partitions = [_partitions(nodes, player) for player in (0, 1)]
        merged = [_merged(len(drawn), found) for found in partitions]
        named = [_named(merged[player], names[player]) for player in (0, 1)]
        self.types: tuple[tuple[str, ...], tuple[str, ...]] = (named[0][0], named[1][0])
        self.type_of_deal = [types for _, types in named]
        """The number of every deal's type, by player."""
        self._number = [{name: number for number, name in enumerate(types)} for types in self.types]
        pairs = self.type_of_deal[0] * len(self.types[1]) + self.type_of_deal[1]
        self._pairs = _Pairs(pairs, len(self.types[0]) * len(self.types[1]))
        self._prior = self._pairs.sums(drawn).tolist()
        self._means: dict[tuple[int, int], list[float]] = {}  # by the ids of numbers and weights
        self._knowledge: dict[tuple[int, int], dict[str, Hashable]] = {}
        early = all(_knows_type(merged[player], each) for player in (0, 1) for each in partitions[player])
        self.knows = None if early else self._knows

    def prior(self, first: str, second: str) -> float:
        return float(self._prior[self._pair(first, second)])

    def root(self) -> int:
        return 0

    def owner(self, state: int) -> int | None:
        """The player who moves: 0, 1, or 2 for chance; None at the end."""
        return self.nodes[state].owner

    def moves(self, state: int) -> list[tuple[Any, int]]:
        return list(self.nodes[state].moves)

    def chance(self, state: int, name: Any, first: str, second: str) -> float:
        """The probability of a chance move, given the types; 0 for impossible types."""
        node = self.nodes[state]
        return self._mean(node.chances[name], node.weights)[self._pair(first, second)]

    def payoff(self, state: int, first: str, second: str) -> float:
        """The payoff to player 0, averaged over the deals of the two types that can end here."""
        node = self.nodes[state]
        assert node.payoffs is not None
        return self._mean(node.payoffs, node.weights)[self._pair(first, second)]

    def _mean(self, numbers: FloatArray, weights: FloatArray) -> list[float]:
        key = (id(numbers), id(weights))
        if key not in self._means:
            self._means[key] = self._pairs.means(numbers, weights).tolist()
        return self._means[key]

    def _knows(self, state: int, player: int, private_type: str) -> Hashable:
        while state >= 0 and self.nodes[state].owner != player:
            state = self.nodes[state].parent
        if state < 0:
            return None
        key = (state, player)
        if key not in self._knowledge:
            known: dict[str, Hashable] = {}
            labels = self.nodes[state].labels
            assert labels is not None
            for number, label in zip(self.type_of_deal[player].tolist(), labels.tolist(), strict=True):
                if label >= 0:
                    known[self.types[player][number]] = label
            self._knowledge[key] = known
        if private_type in self._knowledge[key]:
            return self._knowledge[key][private_type]
        before = self.nodes[state].parent  # an impossible type: what was known before
        return ("before", self._knows(before, player, private_type) if before >= 0 else None)

    def _pair(self, first: str, second: str) -> int:
        return self._number[0][first] * len(self.types[1]) + self._number[1][second]


class _Pairs:
    def __init__(self, pair_of_deal: NDArray[np.intp], num_pairs: int) -> None:
        self._pair_of_deal, self._num_pairs = pair_of_deal, num_pairs
        self._alone = len(np.unique(pair_of_deal)) == len(pair_of_deal)

    def sums(self, numbers: FloatArray) -> FloatArray:
        """float64 (num_pairs,): the sums of numbers by deal."""
        result: FloatArray = np.bincount(self._pair_of_deal, numbers, self._num_pairs).astype(np.float64)
        return result

    def means(self, numbers: FloatArray, weights: FloatArray) -> FloatArray:
        """float64 (num_pairs,): the means of numbers by deal; 0 without weight, exact for equal numbers."""
        if self._alone:
            return self.sums(np.where(weights > 0.0, numbers, 0.0))
        there = weights > 0.0
        pairs, result = self._pair_of_deal[there], np.zeros(self._num_pairs)
        least, most = np.full(self._num_pairs, np.inf), np.full(self._num_pairs, -np.inf)
        np.minimum.at(least, pairs, numbers[there])
        np.maximum.at(most, pairs, numbers[there])
        total = self.sums(weights)
        np.divide(self.sums(np.where(there, weights * numbers, 0.0)), total, out=result, where=total > 0.0)
        equal: FloatArray = np.where(least == most, most, result)
        return equal


def _partitions(nodes: Sequence[WalkedNode], player: int) -> list[Labels]:
    found = {node.labels.tobytes(): node.labels for node in nodes if node.owner == player and node.labels is not None}
    return list(found.values())


def _merged(num_deals: int, partitions: Sequence[Labels]) -> NDArray[np.intp]:
    """(num_deals,): a type for every deal; deals that are told apart anywhere have different types."""
    apart = np.zeros((num_deals, num_deals), np.bool_)
    for labels in partitions:
        there = labels >= 0
        apart |= (labels[:, None] != labels) & there[:, None] & there
    result = np.zeros(num_deals, np.intp)
    of_types: list[NDArray[np.bool_]] = []  # by type, the deals that are told apart from it
    for deal in range(num_deals):
        number = next((number for number, others in enumerate(of_types) if not others[deal]), len(of_types))
        if number == len(of_types):
            of_types.append(np.zeros(num_deals, np.bool_))
        of_types[number] |= apart[deal]
        result[deal] = number
    return result


def _knows_type(type_of_deal: NDArray[np.intp], labels: Labels) -> bool:
    there = labels >= 0
    return len(np.unique(labels[there])) == len(np.unique(type_of_deal[there]))


def _named(type_of_deal: NDArray[np.intp], ways: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], NDArray[np.intp]]:
    first_deal = np.unique(type_of_deal, return_index=True)[1].tolist()
    if len(first_deal) == 1:
        return ("",), type_of_deal
    for names in ways:
        alike = len(set(zip(names, type_of_deal.tolist(), strict=True))) == len(first_deal)
        short = shortened([names[deal] for deal in first_deal])
        if alike and len(set(short)) == len(short):
            order = sorted(range(len(short)), key=lambda number: _natural(short[number]))
            return tuple(short[number] for number in order), np.argsort(order)[type_of_deal]
    return tuple(str(number) for number in range(len(first_deal))), type_of_deal


def _natural(text: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.findall(r"[0-9]+|[^0-9]+", text)]


def shortened(texts: Sequence[str]) -> list[str]:
    """Texts without the words with which all of them begin or end.

    >>> shortened(["[Private: 10][Round 1]", "[Private: 11][Round 1]"]), shortened(["alone"])
    (['10', '11'], [''])
    """
    words = [re.findall(r"(?<!\w)-?[\w.]+|[\w.]+|[^\w.]", text) for text in texts]
    fewest = min(map(len, words))
    start = next((i for i in range(fewest) if len({each[i] for each in words}) > 1), fewest)
    left = fewest - start
    end = next((i for i in range(left) if len({each[-1 - i] for each in words}) > 1), left)
    return ["".join(each[start : len(each) - end]) for each in words]
