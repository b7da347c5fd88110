"""Solved games: what is known of them, for JSON and in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..algorithms.built_game import BuiltGame
from ..algorithms.game_builder import GameSize
from ..algorithms.hidden_moves import HiddenMovesGame
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
        return self.snapshot.exploitability <= LARGEST_PART_GAINED * self.game.largest_difference

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "value": without_noise(self.snapshot.value, self.game.largest_difference),
            "exploitability": self.snapshot.exploitability,
            "algorithm": self.snapshot.options.get("algorithm"),
            "iterations": self.snapshot.iteration,
            "nodes": self.game.tree.num_nodes,
            "hidden_moves": self.game.has_hidden_moves,
            "information_sets": self.game.num_information_sets,
            "types": list(map(len, self.game.types)),
            "seconds": self.seconds,
            "convergence": [dict(zip(CONVERGENCE_COLUMNS, row, strict=True)) for row in self.snapshot.convergence_rows],
        }

    def lines(self) -> list[str]:
        """In words."""
        solved, sets = self.snapshot, counted(self.game.num_information_sets, "information set")
        rule = solved.options.get("algorithm")
        how = counted(solved.iteration, f"iteration of {rule}", f"iterations of {rule}")
        nodes = counted(self.game.tree.num_nodes, "node")
        if isinstance(self.game, HiddenMovesGame):
            nodes = f"moves may be hidden: {counted(len(self.game.histories.chance), 'history', 'histories')}"
        return [
            f"{nodes}, {sets}; {how if solved.iteration else 'a linear program'}",
            f"value to player 0: {_value_text(solved.value, self.game.largest_difference)}",
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


def size_text(size: GameSize) -> str:
    """What a game takes, on one line."""
    return (
        f"{counted(size.histories, 'history', 'histories')}, {counted(size.leaves, 'leaf', 'leaves')}, "
        f"{counted(size.payoffs, 'payoff')} to ask for, about {size.megabytes:,.0f} MB and {size.seconds:,.0f} s"
    )
