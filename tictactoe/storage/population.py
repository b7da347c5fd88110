"""The frozen population against which the shipped matches were chosen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

from ..algorithms.arrays import FloatArray
from ..algorithms.public_tree import read_only
from ..games.naive_players import NAIVE_PLAYERS, naive_strategy
from ..games.rules import Rules
from ..games.tic_tac_toe_tree import GameTree, uniform_over_squares
from ..match.scores import Score
from .open_saved import SavedRounds
from .shipped import SHIPPED, shipped_for, shipped_solution

LEARNERS = ("learner-100", "learner-10", "learner-1")
CONSTANT_PLAYERS = (*LEARNERS, *NAIVE_PLAYERS, "uniform")
"""The players with one strategy for every score of any match."""

CARELESS = "careless"
CARELESS_PROBABILITY = 0.2
"""How often the careless player marks a random free square instead of playing from a solution."""

POPULATION: Mapping[str, float] = {
    "learner-100": 1.0,
    "learner-10": 1.0,
    "careless": 8.0,
    "learner-1": 1.0,
    "uniform": 2.0,
    "naive-a": 2.0,
    "naive-b": 2.0,
}
"""The weight of each player, which is how often it is met, up to a factor. With a smaller
weight, the careless player would lose less often than to earlier solutions, by the rules that fill the board."""


def has_learnt(name: str, rules: Rules) -> bool:
    """Whether a player can play by these rules. Learners have learnt only some rules."""
    return name not in LEARNERS or shipped_for(rules, name) is not None


@cache
def constant_strategy(name: str, tree: GameTree) -> FloatArray:
    """The strategy of one of CONSTANT_PLAYERS: float64 (num_nodes, 3), read-only.

    Raises ValueError for another name and for a learner that has not learnt the tree's game, and FormatError if a
    learner's file is missing or damaged.
    """
    if name not in CONSTANT_PLAYERS:
        raise ValueError(f"opponent: {name!r} is not one of {', '.join(CONSTANT_PLAYERS)}")
    if name in NAIVE_PLAYERS:
        return naive_strategy(tree, name)
    if name == "uniform":
        return read_only(uniform_over_squares(tree))
    shipped = shipped_for(tree.rules, name)
    if shipped is None:
        learnt = [key.removesuffix(f"_{name}") for key in SHIPPED if key.endswith(f"_{name}")]
        raise ValueError(
            f"opponent: {name} learnt under {' and under '.join([str(Rules()), *learnt])}, not under {tree.rules}"
        )
    saved = SavedRounds(shipped_solution(shipped)).load()
    if saved.tree.fingerprint != tree.fingerprint:
        raise ValueError(f"opponent: {name} has learnt another game, by the rules {str(saved.tree.rules)!r}")
    return read_only(saved.average_strategy)


def careless_strategy(tree: GameTree, strategy: FloatArray) -> FloatArray:
    """float64 (num_nodes, 3): the given strategy, mixed with random squares by CARELESS_PROBABILITY."""
    at_random = constant_strategy("uniform", tree)
    return (1.0 - CARELESS_PROBABILITY) * strategy + CARELESS_PROBABILITY * at_random


class Met(NamedTuple):
    """A player of a population."""

    name: str
    weight: float
    """How often it is met, up to a factor; above 0."""
    strategies: Mapping[Score, FloatArray] | None = None
    """The strategies by score, float64 (num_nodes, 3); None for a player of POPULATION."""

    def __str__(self) -> str:
        return f"{self.name}:{self.weight:g}"

    def at(self, scores: Iterable[Score]) -> Met:
        if self.strategies is None:
            return self
        return self._replace(strategies={score: self.strategies[score] for score in scores})

    def strategy(self, tree: GameTree, score: Score, reference: FloatArray) -> FloatArray:
        """The strategy at a score: float64 (num_nodes, 3). reference: the strategy from which the careless player
        plays."""
        if self.strategies is not None:
            return self.strategies[score]
        return careless_strategy(tree, reference) if self.name == CARELESS else constant_strategy(self.name, tree)


def population_of(tree: GameTree) -> tuple[Met, ...]:
    """The population without learners that have not learnt the tree's game.

    >>> print(*population_of(GameTree.build("filled-tie")))
    careless:8 uniform:2 naive-a:2 naive-b:2
    """
    return tuple(Met(name, weight) for name, weight in POPULATION.items() if _can_play(name, tree))


def _can_play(name: str, tree: GameTree) -> bool:
    try:
        return name == CARELESS or constant_strategy(name, tree) is not None
    except ValueError:
        return False


def weighed_players(
    met: Iterable[Met], tree: GameTree, score: Score, reference: FloatArray
) -> list[tuple[float, FloatArray]]:
    """The weights and strategies of a population at a score."""
    return [(each.weight, each.strategy(tree, score, reference)) for each in met]
