"""Facts about solved games, for JSON and in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..algorithms.best_response import exploitability
from ..algorithms.built_game import BuiltGame
from ..algorithms.game_builder import build_game
from ..algorithms.game_description import GameSize
from ..algorithms.hidden_moves import HiddenMovesGame
from ..algorithms.single_player import BestMoves
from ..games.named_games import NamedGame
from ..number_text import counted, signed_text, without_noise
from ..storage.snapshot import CONVERGENCE_COLUMNS, Snapshot

LARGEST_PART_GAINED = 1e-9
"""The largest exploitability of an exact solution, as a part of the largest difference between payoffs."""


@dataclass(frozen=True, eq=False)
class SolvedGame:
    """A solved game and its solution."""

    game: BuiltGame
    snapshot: Snapshot
    seconds: float
    """The time that solving took, without building the game."""
    beside: Mapping[str, float] = field(default_factory=dict)
    """The values from `values_beside`."""

    @property
    def is_solved(self) -> bool:
        """Whether the exploitability is at most LARGEST_PART_GAINED of the largest difference of payoffs."""
        return self.snapshot.exploitability <= LARGEST_PART_GAINED * self.game.largest_difference

    def as_dict(self) -> dict[str, Any]:
        """The solved game for JSON."""
        return {
            "value": without_noise(self.snapshot.value, self.game.largest_difference),
            "exploitability": self.snapshot.exploitability,
            **({"beside": dict(self.beside)} if self.beside else {}),
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
        """The solved game in words."""
        solved, sets = self.snapshot, counted(self.game.num_information_sets, "information set")
        rule = solved.options.get("algorithm")
        how = counted(solved.iteration, f"iteration of {rule}", f"iterations of {rule}")
        nodes = counted(self.game.tree.num_nodes, "node")
        if isinstance(self.game, HiddenMovesGame):
            nodes = f"moves may be hidden: {counted(len(self.game.histories.chance), 'history', 'histories')}"
        return [
            f"{nodes}, {sets}; {how if solved.iteration else 'a linear program'}",
            f"value to the first player: {_value_text(solved.value, self.game.largest_difference)}",
            f"exploitability: {solved.exploitability:.2e}",
            *(f"{name} gets {_value_text(value, 1.0)}" for name, value in self.beside.items()),
        ]


def values_beside(named: NamedGame, game: BuiltGame, snapshot: Snapshot) -> dict[str, float]:
    """The average strategy's values by the payoffs of other descriptions, which `beside` of the description returns."""
    beside = getattr(named.description, "beside", None)
    if beside is None:
        return {}
    strategy = snapshot.average_strategy(game)
    with named.faults():
        games = {name: build_game(each, maximum_nodes=game.tree.num_nodes) for name, each in beside().items()}
    return {str(name): exploitability(each, strategy).value for name, each in games.items()}


@dataclass(frozen=True, eq=False)
class SolvedAlone:
    """The best play of a single player."""

    best: BestMoves
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """The best play for JSON."""
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
        """The best play in words."""
        values = self.best.values.values()
        shown = _value_text(float(self.best.value), float(max(values) - min(values)))
        return [
            f"{counted(len(self.best.values), 'state')}, by dynamic programming",
            f"value to the first player: {shown}, exact but for rounding",
        ]


def _value_text(value: float, largest: float) -> str:
    if 1e-9 * largest < abs(value) < 1e-3 and largest < 1e-3:
        return f"{value:+.9e}"
    text = signed_text(value, 9)
    return text if float(text) else text.removeprefix("+")


def size_text(size: GameSize) -> str:
    """The size of a game, on one line."""
    return (
        f"{counted(size.histories, 'history', 'histories')}, {counted(size.leaves, 'leaf', 'leaves')}, "
        f"{counted(size.payoffs, 'payoff')} to ask for, about {size.megabytes:,.0f} MB and {size.seconds:,.0f} s"
    )
