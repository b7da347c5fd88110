"""Games from descriptions of their rules, without node numbers and leaf classes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from ..checked_numbers import whole_number
from .arrays import NUM_TYPES, FloatArray
from .built_game import BuiltGame
from .game_walk import SUM_TOLERANCE, GameDescription, State, Types, Walk, probability, shown
from .leaf_payoffs import GameSize, LeafPayoffs, MatrixPayoffs, has_matrices

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
