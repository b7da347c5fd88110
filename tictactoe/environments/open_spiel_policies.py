"""Any game of this package as a game of OpenSpiel and vice versa, with strategies as policies.

    from tictactoe.environments.open_spiel_policies import exported, linked

Exported games give information states as strings, not as tensors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..algorithms.arrays import FloatArray
from ..algorithms.best_response import as_rows
from ..algorithms.built_game import BuiltGame
from ..algorithms.game import Game
from ..algorithms.hidden_moves import HiddenMovesGame
from ..algorithms.strategy import uniform_strategy
from ..errors import missing_library
from .gambit_text import gambit_sets, gambit_text
from .open_spiel_game import SeenGame
from .walked_game import WalkedGame

try:
    import pyspiel
except ImportError as error:
    raise missing_library("open_spiel", "open_spiel") from error


__all__ = ["LinkedGame", "Place", "exported", "linked"]


class Place(NamedTuple):
    """An information state of OpenSpiel in the strategies of this package."""

    information_state: str
    node: int
    """The decision node."""
    types: Sequence[int]
    """The numbers of the mover's types."""
    actions: Sequence[int]
    """OpenSpiel's numbers of the moves, in the order of the node's children."""


class LinkedGame:
    """A game of this package, the same game as a `pyspiel.Game`, and all information states. See `exported` and
    `linked`."""

    def __init__(self, game: Game, open_spiel: Any, places: Sequence[Place]) -> None:
        self.game, self.open_spiel, self.places = game, open_spiel, places

    def policy(self, strategy: FloatArray) -> Any:
        """A strategy, float64 (num_nodes, k), as a `pyspiel.TabularPolicy`. Raises ValueError for another array."""
        tree = self.game.tree
        as_rows(tree, strategy)  # raises for an array that is not a strategy
        table = {}
        for place in self.places:
            shares = strategy[tree.children(place.node), place.types[0]].tolist()
            table[place.information_state] = list(zip(place.actions, shares, strict=True))
        return pyspiel.TabularPolicy(table)

    def strategy(self, policy: Any) -> FloatArray:
        """A `pyspiel.Policy` that knows information states by their strings as a strategy, float64 (num_nodes, k).

        With impossible types, all moves are equally likely. Raises ValueError if the policy does not give
        probabilities, and the policy's own errors.
        """
        tree = self.game.tree
        result = uniform_strategy(tree)
        for place in self.places:
            given = policy.action_probabilities(place.information_state)
            shares = np.array([given.get(action, 0.0) for action in place.actions])
            result[np.ix_(tree.children(place.node), place.types)] = shares[:, None]
        as_rows(tree, result)
        return result


def exported(game: Game) -> LinkedGame:
    """A game of this package as a game of OpenSpiel. Chance deals a pair of types, and the public moves follow.

    >>> import pyspiel
    >>> from tictactoe import exploitability, kuhn_poker
    >>> kuhn = exported(kuhn_poker())
    >>> theirs = pyspiel.CFRPlusSolver(kuhn.open_spiel)
    >>> for _ in range(200):
    ...     theirs.evaluate_and_update_policy()
    >>> pyspiel.nash_conv(kuhn.open_spiel, theirs.average_policy()) < 1e-3
    True
    >>> exploitability(kuhn.game, kuhn.strategy(theirs.average_policy())).total < 1e-3
    True
    """
    open_spiel = pyspiel.load_efg_game(gambit_text(game))
    actions: dict[str, Sequence[int]] = {}
    waiting = [open_spiel.new_initial_state()]
    while waiting:
        state = waiting.pop()
        legal = state.legal_actions()
        if state.current_player() >= 0:
            actions.setdefault(state.information_state_string(), legal)
        waiting += [state.child(action) for action in legal]
    places = []
    for each in gambit_sets(game):
        name = f"{each.player}-{each.player}-{each.number}-{each.name}"
        places.append(Place(name, each.node, each.types, actions[name]))
    return LinkedGame(game, open_spiel, places)


def linked(game: BuiltGame, description: WalkedGame | SeenGame) -> LinkedGame:
    """The game built from a description of `open_spiel_game`, with the game of OpenSpiel that was described.

    Raises ValueError for a game that was built from another description, and for one whose information sets are not
    OpenSpiel's information states, such as a game of perfect information.

    >>> import pyspiel
    >>> from tictactoe import build_game, exploitability, open_spiel_game, uniform_strategy
    >>> description = open_spiel_game("leduc_poker")
    >>> leduc = linked(build_game(description), description)
    >>> strategy = uniform_strategy(leduc.game.tree)
    >>> print(round(exploitability(leduc.game, strategy).total, 9))
    4.747222222
    >>> print(round(pyspiel.nash_conv(leduc.open_spiel, leduc.policy(strategy)), 9))
    4.747222222
    """
    places = _places_seen(game, description) if isinstance(description, SeenGame) else _places(game, description)
    return LinkedGame(game, description.source, list(places))


def _places_seen(game: BuiltGame, description: SeenGame) -> Iterator[Place]:
    if not isinstance(game, HiddenMovesGame):
        raise ValueError("description: the game was not built from it")
    node_of: dict[str, int] = {}
    seen = set()
    waiting = [description.root()]
    while waiting:
        at = waiting.pop()
        player = description.owner(at)
        if player is not None:
            waiting += [after for _, after in description.moves(at)]
        if player not in (0, 1):
            continue
        try:
            text = at.state.information_state_string(player)
            node = game.node_seen(player, description.sees(at, player))
            actions = description.actions(at)
            if node_of.setdefault(text, node) != node:
                raise ValueError("description: OpenSpiel treats two information sets as one; use exported(game)")
            if node not in seen:
                seen.add(node)
                yield Place(text, node, (0,), [actions[game.tree.move(child)] for child in game.tree.children(node)])
        except KeyError as error:
            raise ValueError("description: the game was not built from it") from error
        except RuntimeError as error:  # a pyspiel.SpielError
            raise ValueError(
                "description: the game has no information states in OpenSpiel; use exported(game)"
            ) from error


def _places(game: BuiltGame, description: WalkedGame) -> Iterator[Place]:
    if game.types != description.types:
        raise ValueError("description: the game was not built from it")
    waiting = [(0, description.root())]
    while waiting:
        node, state = waiting.pop()
        walked, children = description.nodes[state], game.tree.children(node)
        if [game.tree.move(child) for child in children] != [name for name, _ in walked.moves]:
            raise ValueError("description: the game was not built from it")
        waiting += [(child, after) for child, (_, after) in zip(children, walked.moves, strict=True)]
        if walked.owner not in (0, 1):
            continue
        if walked.labels is None:
            raise ValueError("description: a game of perfect information has no information states here")
        for label, (text, actions) in enumerate(walked.information_states.items()):
            types = np.unique(description.type_of_deal[walked.owner][walked.labels == label]).tolist()
            yield Place(text, node, types, actions)
