"""A game built from a description: its moves and types have names."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from .arrays import CHANCE, FloatArray
from .best_response import as_rows
from .game import Game
from .public_tree import PublicTree

SMALLEST_REACH_SHOWN = 0.0005
"""The least probability of an information set that tables of strategies show."""


@dataclass(frozen=True, eq=False)
class NamedTree(PublicTree):
    """A public tree whose moves have names."""

    names: tuple[Hashable, ...]
    """The name of the move into each node; None at the root."""

    def move(self, node: int) -> Any:
        """The name of the move into a node."""
        return self.names[node]

    def move_name(self, node: int) -> str:
        return str(self.names[node])


class InformationSet(NamedTuple):
    """An information set and a strategy's moves there."""

    history: tuple[Any, ...]
    """The names of the moves so far; in a game with hidden moves, what the mover sees."""
    player: int
    """The mover, 0 or 1."""
    type: Any
    """The name of the mover's type."""
    reached: float
    """The joint probability of the history and the mover's type when both play the strategy."""
    probabilities: dict[Any, float]
    """The probability of every move, by its name."""


@dataclass(frozen=True, eq=False)
class BuiltGame(Game):
    """A `Game` from `build_game`, with names for moves and types.

    `tree.find(history)` and `tree.history(node)` convert between names and node numbers.

    >>> from tictactoe import named_game, uniform_strategy
    >>> game = named_game("kuhn").build()
    >>> strategy = uniform_strategy(game.tree)
    >>> game.tree.find(("bet", "fold")), game.tree.history(3)
    (7, ('check', 'check'))
    >>> game.information_set(strategy, ("bet",), "jack").probabilities
    {'fold': 0.5, 'call': 0.5}
    >>> print(game.describe(strategy).splitlines()[1])
    -          0       jack   0.333    check 0.500, bet 0.500
    """

    tree: NamedTree
    types: tuple[tuple[Any, ...], tuple[Any, ...]] = field(kw_only=True)
    """The names of each player's types, in the order of arrays. Types without a name have prior 0."""
    name: str = field(default="", kw_only=True)
    """The name of the game in files (see `named_game`); "" if it has none."""

    @property
    def has_hidden_moves(self) -> bool:
        """Whether this is a `HiddenMovesGame`."""
        return False

    @cached_property
    def fingerprint(self) -> str:
        """The SHA-256 (hexadecimal) of all that a strategy depends on: tree, payoffs, prior and names."""
        digest, tree = hashlib.sha256(), self.tree
        for array in (tree.parent, tree.owner, tree.leaf_class.astype(np.int32)):
            digest.update(str(array.shape).encode() + np.ascontiguousarray(array).tobytes())
        for part in self._told():
            digest.update(part)
        digest.update("\0".join(map(str, (*tree.names, self.types))).encode())
        return digest.hexdigest()

    def _told(self) -> Iterator[bytes]:
        for array in (self.payoffs, self.prior, *(self.tree.knowledge or ()), *(self.shared or ())):
            yield str(array.shape).encode() + np.ascontiguousarray(array).tobytes()

    def dealt(self, node: int) -> FloatArray:
        """float64 (k, k): the joint probability of both types and the chance moves to a node."""
        return self.prior if self.chance is None else self.prior * self.chance.tables[self.chance.table_of[node]]

    def paid(self, leaf: int) -> FloatArray:
        """float64 (k, k): the payoff to player 0 at a leaf by both types, times `dealt`."""
        matrix, factor = int(self.tree.leaf_class[leaf]), 1.0
        if self.shared is not None:
            matrix, factor = int(self.shared.matrix[matrix]), float(self.shared.factor[matrix])
        result: FloatArray = self.payoffs[matrix] * self.prior * factor
        return result

    @property
    def num_information_sets(self) -> int:
        """The number of information sets of both players, without types that are never drawn."""
        tree, total = self.tree, 0
        for player in (0, 1):
            drawn = self.prior.sum(axis=1 - player) > 0.0
            nodes = np.flatnonzero(tree.owner == player)
            if tree.knowledge is None:
                total += len(nodes) * int(drawn.sum())
                continue
            partition = tree.knowledge.partition[nodes]
            groups = [len(np.unique(each[drawn], axis=0)) for each in tree.knowledge.together]
            total += int(np.sum(partition < 0)) * int(drawn.sum()) + sum(
                groups[number] for number in partition[partition >= 0]
            )
        return total

    @property
    def largest_payoff(self) -> float:
        """The largest absolute payoff; infinite if the arrays do not determine it."""
        return float(np.abs(self.payoffs).max()) if self.chance is None and not self.shared else np.inf

    @property
    def largest_difference(self) -> float:
        """The largest payoff minus the smallest, over all possible ends. Leaf classes must not share matrices."""
        tree, payoffs, possible = self.tree, self.payoffs, self.prior > 0.0
        if self.chance is not None:  # payoffs contain it as a factor
            leaves = np.flatnonzero(tree.leaf_class >= 0)
            classes, tables = np.unique([tree.leaf_class[leaves], self.chance.table_of[leaves]], axis=1)
            reach = self.chance.tables[tables]
            possible = possible & (reach > 0.0)
            payoffs = np.divide(payoffs[classes], reach, out=np.zeros_like(reach), where=possible)
        found = payoffs[np.broadcast_to(possible, payoffs.shape)]
        return float(found.max() - found.min())

    def information_sets(self, strategy: FloatArray) -> list[InformationSet]:
        """Every information set, in preorder of the decisions, without types that are never drawn.

        Types that the mover cannot tell apart are listed one by one.

        strategy: float64 (num_nodes, k). Raises ValueError for an array that is not a strategy.
        """
        reached = self._reached(strategy)
        return [
            self._information_set(strategy, reached, node, number)
            for node, numbers in self.decisions()
            for number in numbers
        ]

    def decisions(self) -> Iterator[tuple[int, list[int]]]:
        """Every decision node of a player in preorder, with the columns of the types that may be drawn."""
        tree = self.tree
        drawn = [np.flatnonzero(self.prior.sum(axis=1 - player) > 0.0).tolist() for player in (0, 1)]
        for node in tree.decision_nodes[tree.owner[tree.decision_nodes] != CHANCE].tolist():
            yield node, drawn[tree.owner[node]]

    def history_seen(self, node: int) -> tuple[Any, ...]:
        """The names of the moves that the mover at a decision has seen."""
        return self.tree.history(node)

    def type_at(self, node: int, number: int) -> Any:
        """The name of the mover's type in this column."""
        return self.types[self.tree.owner[node]][number]

    def information_set(self, strategy: FloatArray, history: Iterable[Any], private_type: Any) -> InformationSet:
        """The information set after `history` of a mover with this type.

        Raises KeyError for a history that is not in the tree or after which no player moves, and for an unknown type.
        """
        history = tuple(history)
        node = self.tree.find(history)
        if self.tree.owner[node] < 0:
            raise KeyError(f"the game is over after {history}")
        if self.tree.owner[node] == CHANCE:
            raise KeyError(f"a chance move comes after {history}")
        types = self.types[self.tree.owner[node]]
        if private_type not in types:
            raise KeyError(f"player {self.tree.owner[node]} has the types {types}, not {private_type!r}")
        return self._information_set(strategy, self._reached(strategy), node, types.index(private_type))

    def _information_set(self, strategy: FloatArray, reached: FloatArray, node: int, number: int) -> InformationSet:
        tree, player = self.tree, int(self.tree.owner[node])
        moves = {tree.move(child): float(strategy[child, number]) for child in tree.children(node)}
        named = self.history_seen(node), player, self.type_at(node, number)
        return InformationSet(*named, float(reached[node, number]), moves)

    def describe(self, strategy: FloatArray) -> str:
        """A strategy as a table in text, with a line for every information set; "-" is the empty history.

        Information sets that are reached less often than SMALLEST_REACH_SHOWN are left out.
        """
        rows = [("history", "player", "type", "reached", "strategy")]
        for each in self.information_sets(strategy):
            if each.reached >= SMALLEST_REACH_SHOWN:
                moves = ", ".join(f"{move} {share:.3f}" for move, share in each.probabilities.items())
                history = " ".join(" ".join(map(str, each.history)).split()) or "-"
                rows.append((history, str(each.player), str(each.type), f"{each.reached:.3f}", moves))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)

    def _reached(self, strategy: FloatArray) -> FloatArray:
        """float64 (num_nodes, k): the joint probability of a decision node and its mover's type."""
        as_rows(self.tree, strategy)  # raises ValueError for an array that is not a strategy
        first, second = self.tree.own_reach(strategy)
        owner = self.tree.owner[:, None]
        by_owner = first * self._met(second, 0), second * self._met(first, 1)
        return np.select([owner == 0, owner == 1], by_owner, 0.0)

    def _met(self, reach: FloatArray, player: int) -> FloatArray:
        """float64 (num_nodes, k): the player's counterfactual reach. reach: the opponent's own."""
        prior = self.prior if player == 0 else self.prior.T
        if self.chance is None:
            return reach @ prior.T
        result = np.zeros_like(reach)
        order = np.argsort(self.chance.table_of, kind="stable")
        nodes_by_table = np.split(order, np.cumsum(np.bincount(self.chance.table_of))[:-1])
        for nodes, table in zip(nodes_by_table, self.chance.tables, strict=True):
            result[nodes] = reach[nodes] @ (prior * (table if player == 0 else table.T)).T
        return result
