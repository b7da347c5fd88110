"""Games from descriptions of their rules, without node numbers and leaf classes: `build_game`, and their payoffs.

A caller learns the size of a game before the work of asking for its payoffs. With many types they are a number for each
leaf, times one of a few matrices (`MatrixPayoffs`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from ..checked_numbers import whole_number
from .arrays import LARGEST_NUM_TYPES, NUM_TYPES, FloatArray, IntArray, row_type
from .built_game import BuiltGame
from .game import SharedMatrices
from .game_walk import SUM_TOLERANCE, GameDescription, State, Types, Walk, finite, probability, shown

MAXIMUM_NODES = 1_000_000
"""Histories of a game, unless the caller allows more."""

_REQUIRED_METHODS = ("prior", "root", "owner", "moves")


def build_game(
    description: GameDescription[State],
    *,
    maximum_nodes: int = MAXIMUM_NODES,
    announce: Callable[[GameSize], object] | None = None,
    walked: Callable[[int], object] | None = None,
    name: str = "",
) -> BuiltGame:
    """The game of a description, for every algorithm. Walks through all of its states and numbers them.

    Nodes are numbered as in `PublicTree`, siblings in the order of `moves`. Leaves with equal payoffs for all types
    form a leaf class. A state that two histories lead to becomes two nodes. Chance moves that come with no types are
    left out.

    announce: is called once with what the game takes, before its payoffs are asked for, which is most of the work.
    walked: is called now and then during the walk, with the number of histories found so far.

    name: by which files know the game.

    Raises ValueError, in one line that names the history, for a description that breaks the rules of `GameDescription`,
    and for a game with more than `maximum_nodes` histories.

    >>> from tictactoe import CFRSolver, build_game, update_rule
    >>> class MatchingPennies:  # player 0 hides a penny as chance has it or turns it over, and player 1 guesses
    ...     types = ("head", "tail"), ("no secret",)
    ...     def prior(self, first, second):
    ...         return 1 / 2
    ...     def root(self):
    ...         return ()
    ...     def owner(self, state):
    ...         return len(state) if len(state) < 2 else None
    ...     def moves(self, state):
    ...         names = ("keep", "turn") if state == () else ("head", "tail")
    ...         return [(name, (*state, name)) for name in names]
    ...     def payoff(self, state, first, second):
    ...         hidden_head = (first == "head") == (state[0] == "keep")
    ...         return -1 if hidden_head == (state[1] == "head") else 1
    >>> game = build_game(MatchingPennies())
    >>> game.tree.num_nodes, len(game.payoffs), game.tree.history(6)
    (7, 2, ('turn', 'tail'))
    >>> solver = CFRSolver(game, update_rule("dcfr"))
    >>> solver.run(100)
    >>> solver.evaluate().average_exploitability < 1e-9
    True
    """
    _check_members(description)
    types, prior = _types_and_prior(description)
    walk = Walk(description, types, prior, whole_number("maximum_nodes", maximum_nodes, 1))
    walk.run(walked)
    payoffs = MatrixPayoffs(walk) if has_matrices(description) else LeafPayoffs(walk)
    if announce is not None:
        announce(payoffs.size())
    payoffs.ask()
    tree, matrices = walk.tree(payoffs.leaf_class), payoffs.matrices()
    return BuiltGame(tree, matrices, prior, shared=payoffs.shared, types=types, chance=walk.chance(), name=name)


def _check_members(description: object) -> None:
    if isinstance(description, type):
        name = description.__name__
        raise ValueError(f"description: {name} is a class; build_game takes an object of it, {name}()")
    required = (*_REQUIRED_METHODS, *(() if has_matrices(description) else ("payoff",)))
    missing = [f"method {name}" for name in required if not callable(getattr(description, name, None))]
    missing += [] if hasattr(description, "types") else ["types"]
    if missing:
        raise ValueError(f"description: {type(description).__name__} has no {', no '.join(missing)}")


def _types_and_prior(description: GameDescription[Any]) -> tuple[Types, FloatArray]:
    types = _types(description)
    num_types = max(NUM_TYPES, *map(len, types))
    prior = np.zeros((num_types, num_types))
    for (i, first), (j, second) in product(*map(enumerate, types)):
        answer = description.prior(first, second)
        chance = probability(answer)
        if chance is None:
            raise ValueError(f"prior: {shown(answer)} for {first} and {second} is not a probability")
        prior[i, j] = chance
    if abs(prior.sum() - 1.0) > SUM_TOLERANCE:
        raise ValueError(f"prior: the probabilities of all pairs of types sum to {float(prior.sum())!r}, not 1")
    return types, prior


def _types(description: GameDescription[Any]) -> Types:
    try:
        given = [tuple(names) for names in description.types]
    except TypeError as error:
        raise ValueError(
            f"types: {shown(description.types)} is not two lists of names, one for either player"
        ) from error
    if len(given) != 2:
        raise ValueError(f"types: of {len(given)} players; give those of player 0 and those of player 1")
    for player, names in enumerate(given):
        if not names:
            raise ValueError(f"types: player {player} has none; a player without a secret has one")
        try:
            repeated = len(set(names)) < len(names)
        except TypeError as error:
            raise ValueError(f"types: no name for a type of player {player}: {error}; take a string") from error
        if repeated:
            raise ValueError(f"types: two of player {player} have the same name: {', '.join(map(str, names))}")
    return given[0], given[1]


_LEAVES_TIMED = 200
"""The first leaves, whose payoffs tell how long all take."""

_ROWS_PER_NODE = 8
"""Rows that a solver keeps for every node: regrets, sums, strategies, and scratch."""


class GameSize(NamedTuple):
    """What a game takes, told when its histories are known and before its payoffs are asked for.

    >>> from tictactoe import build_game
    >>> class Guess:  # player 1 guesses a number from 1 to 100 that player 0 alone knows
    ...     types = range(1, 101), ("",)
    ...     def prior(self, first, second):
    ...         return 1 / 100
    ...     def root(self):
    ...         return None
    ...     def owner(self, said):
    ...         return 1 if said is None else None
    ...     def moves(self, said):
    ...         return [(number, number) for number in range(1, 101)]
    ...     def payoff(self, said, first, second):
    ...         return -float(said == first)
    >>> sizes = []
    >>> game = build_game(Guess(), announce=sizes.append)
    >>> sizes[0].histories, sizes[0].leaves, sizes[0].num_types, sizes[0].payoffs
    (101, 100, 100, 10000)
    """

    histories: int
    leaves: int
    num_types: int
    """Of the player with more types."""
    payoffs: int
    """The payoffs that will be asked for: of every leaf, for every pair of types that may come there."""
    seconds: float
    """How long these take, judged by the first leaves."""
    megabytes: float
    """What the arrays of a solver take."""


class LeafPayoffs:
    """Asks for the payoffs of all leaves. Leaves with equal payoffs for all types form a class.

    leaf_class: int32 (num_nodes,), as `PublicTree` has it, once all are asked for. shared: which matrix a leaf class
    has, see `Game`; None if each has one of its own, as compiled code needs it.
    """

    def __init__(self, walk: Walk[Any]) -> None:
        self._walk = walk
        self.leaf_class: IntArray = np.full(walk.num_nodes, -1, np.int32)
        self.shared: SharedMatrices | None = None
        self._classes: dict[Any, int] = {}
        self._asked = 0

    def size(self) -> GameSize:
        """What the game takes. Asks for the payoffs of the first leaves."""
        start, walk = time.perf_counter(), self._walk
        self.ask(_LEAVES_TIMED)
        seconds = (time.perf_counter() - start) * (len(walk.leaves) / self._asked - 1.0)
        megabytes = walk.num_nodes * _ROWS_PER_NODE * row_type(walk.num_types).itemsize / 1e6
        largest = max(map(len, walk.types))
        return GameSize(walk.num_nodes, len(walk.leaves), largest, self._num_payoffs, seconds, megabytes)

    @property
    def _num_payoffs(self) -> int:
        possible = [sum(chance > 0.0 for chance in reach) for reach in self._walk.reaches]
        return sum(possible[self._walk.reach_of[node]] for node, _ in self._walk.leaves)

    def ask(self, most: int | None = None) -> None:
        """Ask for the payoffs of the leaves that are left, or of so many of them."""
        end = len(self._walk.leaves) if most is None else min(len(self._walk.leaves), self._asked + most)
        for node, state in self._walk.leaves[self._asked : end]:
            self.leaf_class[node] = self._classes.setdefault(self._key(node, state), len(self._classes))
        self._asked = end

    def _key(self, node: int, state: Any) -> Any:
        """For every pair of types that may be drawn, the payoff times the chance of the chance moves so far."""
        walk = self._walk
        chances = walk.reaches[walk.reach_of[node]]
        return tuple(
            chance * self._payoff(node, state, *walk.names(*pair)) if chance > 0.0 else 0.0
            for chance, pair in zip(chances, walk.pairs, strict=True)
        )

    def _payoff(self, node: int, state: Any, first: Any, second: Any) -> float:
        answer = self._walk.ask("payoff", node, state, first, second)
        payoff = finite(answer)
        if payoff is None:
            what = f"{shown(answer)} for {first} and {second} is not a finite number"
            raise self._walk.wrong("payoff", node, what)
        return payoff

    def matrices(self) -> FloatArray:
        """float64 (num_classes, k, k), as `Game` has its payoffs: 0 for types that never come together."""
        walk = self._walk
        result = np.zeros((len(self._classes), walk.num_types, walk.num_types))
        result[(slice(None), *np.transpose(walk.pairs))] = list(self._classes)
        return result


def has_matrices(description: object) -> bool:
    """Whether a description gives its payoffs by `payoff_matrix` and `matrices`."""
    return callable(getattr(description, "payoff_matrix", None))


class MatrixPayoffs(LeafPayoffs):
    """Asks for the number and the matrix of all leaves. Leaves that have both in common form a class.

    A matrix counts times the chance of the chance moves so far, so that it is another one after other chance moves.
    Raises ValueError for matrices of another shape, and for numbers that are not finite.
    """

    _num_payoffs = property(lambda self: len(self._walk.leaves))  # one answer for each leaf

    def __init__(self, walk: Walk[Any]) -> None:
        super().__init__(walk)
        self._given = {name: self._checked(name, given) for name, given in self._dictionary().items()}
        self._matrices: dict[tuple[Any, int], int] = {}  # by name and reach

    def _dictionary(self) -> dict[Any, Any]:
        given = getattr(self._walk.description, "matrices", None)
        if not isinstance(given, dict):
            raise ValueError(f"matrices: {shown(given)} is not a dictionary of names and arrays")
        return given

    def _checked(self, name: Any, given: Any) -> FloatArray:
        """A matrix with room for all types."""
        walk, expected = self._walk, tuple(map(len, self._walk.types))
        try:
            matrix = np.asarray(given, np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"matrices: {name} is not an array of numbers") from error
        if matrix.shape != expected:
            raise ValueError(f"matrices: {name} has the shape {matrix.shape}, expected {expected}")
        if not np.all(np.isfinite(matrix)):
            raise ValueError(f"matrices: {name} is not all finite")
        result = np.zeros((walk.num_types, walk.num_types))
        result[: expected[0], : expected[1]] = matrix
        return result

    def _key(self, node: int, state: Any) -> tuple[int, float]:
        """The number of a matrix, and the number that it is multiplied by."""
        walk = self._walk
        answer = walk.ask("payoff_matrix", node, state)
        if not (isinstance(answer, tuple) and len(answer) == 2):
            raise walk.wrong("payoff_matrix", node, f"{shown(answer)} is not a pair (number, name of a matrix)")
        factor, name = finite(answer[0]), answer[1]
        if factor is None:
            raise walk.wrong("payoff_matrix", node, f"{shown(answer[0])} is not a finite number")
        if name not in self._given:
            raise walk.wrong("payoff_matrix", node, f"no matrix has the name {shown(name)}")
        return self._matrices.setdefault((name, walk.reach_of[node]), len(self._matrices)), factor

    def matrices(self) -> FloatArray:
        """float64 (num_classes, k, k); with more types than compiled code takes (num_matrices, k, k), and sets
        `shared`."""
        found = np.stack([self._given[name] * self._reach(reach) for name, reach in self._matrices])
        if self._walk.num_types > LARGEST_NUM_TYPES:
            matrix, factor = zip(*self._classes, strict=True)
            self.shared = SharedMatrices(np.array(matrix, np.intp), np.array(factor))
            return found
        return np.stack([factor * found[matrix] for matrix, factor in self._classes])

    def _reach(self, number: int) -> FloatArray:
        """float64 (k, k): the chance of the chance moves so far; 0 for types that are never drawn together."""
        walk = self._walk
        result = np.zeros((walk.num_types, walk.num_types))
        result[tuple(np.transpose(walk.pairs))] = walk.reaches[number]
        return result
