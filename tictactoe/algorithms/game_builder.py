"""Games from descriptions of their rules, without node numbers and leaf classes."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Iterable, Sequence
from itertools import islice, product
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from ..checked_numbers import whole_number
from .arrays import MAXIMUM_LEAF_CLASSES, NUM_TYPES, FloatArray
from .built_game import BuiltGame, NamedTree

State = TypeVar("State")
Types = tuple[tuple[Any, ...], tuple[Any, ...]]

MAXIMUM_NODES = 1_000_000
"""Histories of a game, unless the caller allows more."""

MAXIMUM_DEPTH = 127
"""Moves one after another: depths are int8."""

_REQUIRED_METHODS = ("prior", "root", "owner", "moves", "payoff")
_MOVES_SHOWN = 8
"""Moves of a history that a message shows."""


class GameDescription(Protocol[State]):
    """A two-player zero-sum game with public moves, as `build_game` takes it: any object with these members.

    Before the first move a private type is drawn for either player, such as a card, and shown to that player alone.
    A state is any object that suits the description: a board, a string of moves. It must tell everything that matters
    about the public moves so far, and nothing about the types.

    >>> from tictactoe import GameDescription, build_game
    >>> class Guess:  # which side of the coin is up, as player 0 alone can see? Player 1 guesses
    ...     types = ("head", "tail"), ("",)
    ...     def prior(self, first: str, second: str) -> float:
    ...         return 1 / 2
    ...     def root(self) -> str:
    ...         return "start"
    ...     def owner(self, state: str) -> int | None:
    ...         return 1 if state == "start" else None
    ...     def moves(self, state: str) -> list[tuple[str, str]]:
    ...         return [("head", "head"), ("tail", "tail")]
    ...     def payoff(self, state: str, first: str, second: str) -> float:
    ...         return -1 if state == first else 1
    >>> build_game(Guess()).payoffs[:, :2, 0].tolist()
    [[-1.0, 1.0], [1.0, -1.0]]
    """

    @property
    def types(self) -> Sequence[Sequence[Any]]:
        """The private types of player 0 and of player 1: one to three different names each, such as strings.

        A player without a secret has one type."""

    def prior(self, first: Any, second: Any) -> float:
        """The probability that player 0 has the type `first` and player 1 the type `second`; they may be dependent."""

    def root(self) -> State:
        """The state before the first move."""

    def owner(self, state: State) -> int | None:
        """Who moves: 0 or 1; None when the game is over."""

    def moves(self, state: State) -> Iterable[tuple[Any, State]]:
        """The moves of the player who moves, each with a name (such as a string) and the state that it leads to.

        Both players see the move that is made. The list must not depend on the mover's type."""

    def payoff(self, state: State, first: Any, second: Any) -> float:
        """What player 0 gets, and player 1 loses, when the game is over and these are the types.

        Called only for types that may be drawn together."""


def build_game(description: GameDescription[State], *, maximum_nodes: int = MAXIMUM_NODES) -> BuiltGame:
    """The game of a description, for every algorithm. Walks through all of its states and numbers them.

    Nodes are numbered as in `PublicTree`, siblings in the order of `moves`. Leaves with equal payoffs for all types
    form a leaf class. A state that two histories lead to becomes two nodes.

    Raises ValueError, in one line that names the history, for a description that breaks the rules of `GameDescription`,
    and for a game with more than 3 types of a player, 128 different payoff matrices, 127 moves one after another, or
    `maximum_nodes` histories.

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
    walk = _Walk(description, types, prior, whole_number("maximum_nodes", maximum_nodes, 1))
    walk.run()
    tree, payoffs = walk.tree_and_payoffs()
    return BuiltGame(tree, payoffs, prior, types=types)


def _check_members(description: object) -> None:
    if isinstance(description, type):
        name = description.__name__
        raise ValueError(f"description: {name} is a class; build_game takes an object of it, {name}()")
    missing = [f"method {name}" for name in _REQUIRED_METHODS if not callable(getattr(description, name, None))]
    missing += [] if hasattr(description, "types") else ["types"]
    if missing:
        raise ValueError(f"description: {type(description).__name__} has no {', no '.join(missing)}")


def _types_and_prior(description: GameDescription[Any]) -> tuple[Types, FloatArray]:
    try:
        given = [tuple(names) for names in description.types]
    except TypeError as error:
        raise ValueError(
            f"types: {_shown(description.types)} is not two lists of names, one for either player"
        ) from error
    if len(given) != 2:
        raise ValueError(f"types: of {len(given)} players; give those of player 0 and those of player 1")
    for player, names in enumerate(given):
        if not 1 <= len(names) <= NUM_TYPES:
            raise ValueError(f"types: player {player} has {len(names)} private types; 1 to {NUM_TYPES} are supported")
        if any(name in names[:number] for number, name in enumerate(names)):
            raise ValueError(f"types: two of player {player} have the same name: {', '.join(map(str, names))}")
    prior = np.zeros((NUM_TYPES, NUM_TYPES))
    for (i, first), (j, second) in product(enumerate(given[0]), enumerate(given[1])):
        answer = description.prior(first, second)
        probability = _finite(answer)
        if probability is None or probability < 0.0:
            raise ValueError(f"prior: {_shown(answer)} for {first} and {second} is not a probability")
        prior[i, j] = probability
    if abs(prior.sum() - 1.0) > 1e-9:
        raise ValueError(f"prior: the probabilities of all pairs of types sum to {float(prior.sum())!r}, not 1")
    return (given[0], given[1]), prior


def _shown(answer: object) -> str:
    """A description's answer, cut to a few characters of one line."""
    return " ".join(reprlib.repr(answer).split())


def _finite(number: object) -> float | None:
    """The number as a float; None for anything but a finite number."""
    try:
        result = math.nan if isinstance(number, str) else float(number)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return result if math.isfinite(result) else None


class _Walk(Generic[State]):
    """Walks through all histories in preorder, and collects lists that become the arrays of the tree."""

    def __init__(
        self, description: GameDescription[State], types: Types, prior: FloatArray, maximum_nodes: int
    ) -> None:
        self._description, self._types, self._maximum_nodes = description, types, maximum_nodes
        self._drawn = [(int(first), int(second)) for first, second in np.argwhere(prior > 0.0)]
        self._parent, self._owner, self._depth = [-1], [-1], [0]
        self._names: list[Any] = [None]
        self._payoffs: dict[int, tuple[float, ...]] = {}  # of leaves, a number for every pair of types in _drawn

    def run(self) -> None:
        waiting = [(0, self._description.root())]
        while waiting:
            node, state = waiting.pop()
            owner = self._ask("owner", node, state)
            if owner is None:
                if node == 0:
                    raise self._wrong("owner", node, "None, but a game has one move at least")
                self._payoffs[node] = tuple(self._payoff(node, state, *pair) for pair in self._drawn)
            elif owner in (0, 1):
                self._owner[node] = int(owner)
                waiting.extend(reversed(self._children(node, state)))
            else:
                raise self._wrong("owner", node, f"{_shown(owner)} is not 0, 1, or None when the game is over")

    def _children(self, node: int, state: State) -> list[tuple[int, State]]:
        """The new nodes of a decision node, in the order of its moves, with their states."""
        answer = self._ask("moves", node, state)
        if not isinstance(answer, Iterable):
            raise self._wrong("moves", node, f"{_shown(answer)} is not a list of pairs (name, state)")
        moves = list(islice(answer, self._maximum_nodes))  # stops even an endless iterator
        if not moves:
            raise self._wrong("moves", node, f"there are none, and player {self._owner[node]} is to move")
        for move in moves:
            if not isinstance(move, tuple) or len(move) != 2:
                raise self._wrong("moves", node, f"{_shown(move)} is not a pair (name, state)")
        names = [name for name, _ in moves]
        try:
            repeated = len(set(names)) < len(names)
        except TypeError as error:
            raise self._wrong("moves", node, f"no name for a move: {error}; take a string, for instance") from error
        if repeated:
            raise self._wrong("moves", node, f"two have the same name: {', '.join(map(str, names[:_MOVES_SHOWN]))}")
        if self._depth[node] == MAXIMUM_DEPTH:
            raise self._wrong("moves", node, f"a game must end after {MAXIMUM_DEPTH} moves at most")
        first = len(self._parent)
        if first + len(moves) > self._maximum_nodes:
            what = f"the game has more than {self._maximum_nodes:,} histories; see maximum_nodes"
            raise self._wrong("moves", node, what)
        self._parent += [node] * len(moves)
        self._owner += [-1] * len(moves)
        self._depth += [self._depth[node] + 1] * len(moves)
        self._names += names
        return [(first + number, after) for number, (_, after) in enumerate(moves)]

    def _payoff(self, node: int, state: State, first: int, second: int) -> float:
        names = self._types[0][first], self._types[1][second]
        answer = self._ask("payoff", node, state, *names)
        payoff = _finite(answer)
        if payoff is None:
            types = " and ".join(map(str, names))
            raise self._wrong("payoff", node, f"{_shown(answer)} for {types} is not a finite number")
        return payoff

    def _ask(self, name: str, node: int, *arguments: Any) -> Any:
        """The answer of a method of the description. Adds the history to an error that the method raises."""
        try:
            return getattr(self._description, name)(*arguments)
        except Exception as error:
            error.add_note(f"{name} was asked {self._where(node)}")
            raise

    def _wrong(self, name: str, node: int, what: str) -> ValueError:
        return ValueError(f"{name} {self._where(node)}: {what}")

    def _where(self, node: int) -> str:
        """The history of a node in words: its last moves."""
        left = self._depth[node] - _MOVES_SHOWN
        names: list[str] = []
        while node > 0 and len(names) < _MOVES_SHOWN:
            names, node = [str(self._names[node]), *names], self._parent[node]
        before = f"{left} moves and " if left > 0 else ""
        return f"after {before}{', '.join(names)}" if names else "before the first move"

    def tree_and_payoffs(self) -> tuple[NamedTree, FloatArray]:
        """The tree, and the payoffs, float64 (num_classes, 3, 3): 0 for types that are never drawn together."""
        classes: dict[tuple[float, ...], int] = {}
        leaf_class = np.full(len(self._parent), -1, np.int8)
        for node in sorted(self._payoffs):
            number = classes.setdefault(self._payoffs[node], len(classes))
            if number == MAXIMUM_LEAF_CLASSES:
                what = f"the {number + 1}th different set of payoffs; {MAXIMUM_LEAF_CLASSES} are supported"
                raise self._wrong("payoff", node, what)
            leaf_class[node] = number
        payoffs = np.zeros((len(classes), NUM_TYPES, NUM_TYPES))
        payoffs[(slice(None), *np.transpose(self._drawn))] = list(classes)
        parent, owner = np.array(self._parent, np.int32), np.array(self._owner, np.int8)
        return NamedTree(parent, owner, leaf_class, tuple(self._names)), payoffs
