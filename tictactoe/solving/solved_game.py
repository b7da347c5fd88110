"""Solved games: what is known of them, for JSON and in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algorithms.built_game import BuiltGame
from ..algorithms.game_builder import GameSize
from ..algorithms.single_player import BestMoves
from ..number_text import counted, signed_text, without_noise
from ..storage.snapshot import CONVERGENCE_COLUMNS, Snapshot

LARGEST_PART_GAINED = 1e-9
"""What somebody may still gain against an exact solution, as a part of the largest difference of payoffs."""


@dataclass(frozen=True, eq=False)
class SolvedGame:
    """A solved game, and what is known of its solution."""

    game: BuiltGame
    snapshot: Snapshot
    seconds: float
    """The time that solving took, without building the game."""

    @property
    def is_solved(self) -> bool:
        """Whether nobody gains more than LARGEST_PART_GAINED."""
        return self.snapshot.exploitability <= LARGEST_PART_GAINED * largest_difference(self.game)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "value": without_noise(self.snapshot.value, largest_difference(self.game)),
            "exploitability": self.snapshot.exploitability,
            "algorithm": self.snapshot.options.get("algorithm"),
            "iterations": self.snapshot.iteration,
            "nodes": self.game.tree.num_nodes,
            "information_sets": num_information_sets(self.game),
            "types": list(map(len, self.game.types)),
            "seconds": self.seconds,
            "convergence": [dict(zip(CONVERGENCE_COLUMNS, row, strict=True)) for row in self.snapshot.convergence_rows],
        }

    def lines(self) -> list[str]:
        """In words."""
        solved, sets = self.snapshot, counted(num_information_sets(self.game), "information set")
        rule = solved.options.get("algorithm")
        how = counted(solved.iteration, f"iteration of {rule}", f"iterations of {rule}")
        return [
            f"{counted(self.game.tree.num_nodes, 'node')}, {sets}; {how if solved.iteration else 'linear programs'}",
            f"value to player 0: {_value_text(solved.value, largest_difference(self.game))}",
            f"exploitability: {solved.exploitability:.2e}",
        ]


@dataclass(frozen=True, eq=False)
class SolvedAlone:
    """The best play of a single player."""

    best: BestMoves
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "value": float(self.best.value),
            "exploitability": 0.0,
            "algorithm": "dynamic-programming",
            "iterations": 0,
            "states": len(self.best.values),
            "information_sets": len(self.best.moves),
            "seconds": self.seconds,
            "convergence": [],
        }

    def lines(self) -> list[str]:
        """In words."""
        values = self.best.values.values()
        shown = _value_text(float(self.best.value), float(max(values) - min(values)))
        return [
            f"{counted(len(self.best.values), 'state')}, by dynamic programming",
            f"value to player 0: {shown}, exact but for rounding",
        ]


def _value_text(value: float, largest: float) -> str:
    """A value with nine digits; 0 without a sign. largest: the largest difference of values or payoffs."""
    if 1e-9 * largest < abs(value) < 1e-3 and largest < 1e-3:
        return f"{value:+.9e}"
    text = signed_text(value, 9)
    return text if float(text) else text.removeprefix("+")


def largest_difference(game: BuiltGame) -> float:
    """The largest payoff less the smallest, of all ends that may come. The game has a matrix for each leaf class."""
    tree, payoffs, possible = game.tree, game.payoffs, game.prior > 0.0
    if game.chance is not None:  # which is a factor of them
        leaves = np.flatnonzero(tree.leaf_class >= 0)
        classes, tables = np.unique([tree.leaf_class[leaves], game.chance.table_of[leaves]], axis=1)
        reach = game.chance.tables[tables]
        possible = possible & (reach > 0.0)
        payoffs = np.divide(payoffs[classes], reach, out=np.zeros_like(reach), where=possible)
    found = payoffs[np.broadcast_to(possible, payoffs.shape)]
    return float(found.max() - found.min())


def num_information_sets(game: BuiltGame) -> int:
    """Decisions that a player can tell apart: by history, and by own type if that is ever drawn."""
    tree, total = game.tree, 0
    for player in (0, 1):
        drawn = game.prior.sum(axis=1 - player) > 0.0
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


def size_text(size: GameSize) -> str:
    """What a game takes, on one line."""
    return (
        f"{counted(size.histories, 'history', 'histories')}, {counted(size.leaves, 'leaf', 'leaves')}, "
        f"{counted(size.payoffs, 'payoff')} to ask for, about {size.megabytes:,.0f} MB and {size.seconds:,.0f} s"
    )
