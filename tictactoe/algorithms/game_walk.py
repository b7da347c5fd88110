"""What somebody writes who describes a game, and a walk through all of its histories, which checks the answers.

The walk finds the tree, the chance of its chance moves, and who knows what.
"""

from __future__ import annotations

import math
import operator
import reprlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from math import fsum
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from .arrays import CHANCE, ByteArray, FloatArray, IntArray
from .built_game import ChanceReach, NamedTree
from .public_tree import Knowledge

State = TypeVar("State")
Types = tuple[tuple[Any, ...], tuple[Any, ...]]
"""The names of player 0's types and of player 1's."""

SUM_TOLERANCE = 1e-9
"""How far the probabilities of a description may be from summing to 1."""


class GameDescription(Protocol[State]):
    """A two-player zero-sum game with public moves, as `build_game` takes it: any object with these members.

    Before the first move a private type is drawn for either player, such as a card, and shown to that player alone.
    Then the players move, and public chance moves may come in between. A state is any object that suits the
    description: a board, a string of moves. It must tell everything that matters about the public moves so far, and
    nothing about the types.

    Two methods are needed only where they matter. `chance(state, name, first, second)` is the probability that the
    chance move called `name` comes at `state` when these are the types; a card that somebody holds cannot come.
    `knows(state, player, type)` is what the player who moves knows there of its own type: it has one strategy for all
    types with equal answers. Without that method players know their types.

    With very many types a description gives its payoffs by matrices. `payoff_matrix(state)`, in place of `payoff`,
    returns a number, such as the pot, and the name of one of `matrices`, a dictionary of float64 (types of player 0,
    types of player 1). Their product is the payoff to player 0.

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
        """The private types of player 0 and of player 1: different names, such as strings.

        A player without a secret has one type."""

    def prior(self, first: Any, second: Any) -> float:
        """The probability that player 0 has the type `first` and player 1 the type `second`; they may be dependent."""

    def root(self) -> State:
        """The state before the first move."""

    def owner(self, state: State) -> int | None:
        """Who moves: 0, 1 or CHANCE; None when the game is over."""

    def moves(self, state: State) -> Iterable[tuple[Any, State]]:
        """The moves of whoever moves, each with a name (such as a string) and the state that it leads to.

        Both players see the move that is made. The list must not depend on the types."""

    def payoff(self, state: State, first: Any, second: Any) -> float:
        """What player 0 gets, and player 1 loses, when the game is over and these are the types.

        Called only for types that may be drawn together, and where the chance moves so far may come with them."""


def shown(answer: object) -> str:
    """A description's answer, cut to a few characters of one line."""
    return " ".join(reprlib.repr(answer).split())


def finite(number: object) -> float | None:
    """The number as a float; None for anything but a finite number."""
    try:
        result = math.nan if isinstance(number, str) else float(number)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return result if math.isfinite(result) else None


def probability(number: object) -> float | None:
    """The number as a float; None for anything but a finite number from 0 on."""
    result = finite(number)
    return result if result is not None and result >= 0.0 else None


_MOVES_SHOWN = 8
"""Moves of a history that a message shows."""

_NODES_BETWEEN_CALLS = 1000
"""The walk tells how far it is after so many nodes."""

Groups = tuple[int, ...]
"""For every type the first type that its player cannot tell from it."""


@dataclass(frozen=True)
class _Position(Generic[State]):
    """A history that is still to be walked on from."""

    node: int
    state: State
    known: tuple[Groups | None, Groups | None]
    """By player: what it knew of its own type when it moved last."""


class Walk(Generic[State]):
    """Walks through all histories in preorder, and collects lists that become the arrays of the tree."""

    def __init__(
        self, description: GameDescription[State], types: Types, prior: FloatArray, maximum_nodes: int
    ) -> None:
        self.description, self.types, self.num_types = description, types, len(prior)
        self.pairs = [(int(first), int(second)) for first, second in np.argwhere(prior > 0.0)]
        """The types that may be drawn together."""
        self.leaves: list[tuple[int, State]] = []
        self.reaches = [(1.0,) * len(self.pairs)]
        """Different chances of the chance moves of a history, a number for each of `pairs`."""
        self.reach_of = [0]
        """By node: its number in `reaches`."""
        self._maximum_nodes = maximum_nodes
        self._number_of_reach = {self.reaches[0]: 0}
        self._parent, self._owner, self._depth = [-1], [-1], [0]
        self._names: list[Any] = [None]
        self._partition_of: dict[int, int] = {}  # of nodes whose movers do not know their type
        self._number_of_partition: dict[Groups, int] = {}
        self._knows = callable(getattr(description, "knows", None))

    @property
    def num_nodes(self) -> int:
        return len(self._parent)

    def run(self, walked: Callable[[int], object] | None = None) -> None:
        """Walk. walked: is called now and then with the number of nodes so far."""
        told = 0
        waiting = [_Position(0, self.description.root(), (None, None))]
        while waiting:
            if walked is not None and self.num_nodes - told >= _NODES_BETWEEN_CALLS:
                walked(told := self.num_nodes)
            position = waiting.pop()
            node, state = position.node, position.state
            owner = self.ask("owner", node, state)
            if owner is None:
                if node == 0:
                    raise self.wrong("owner", node, "None, but a game has one move at least")
                self.leaves.append((node, state))
            elif owner == CHANCE and not callable(getattr(self.description, "chance", None)):
                raise self.wrong("owner", node, f"CHANCE ({CHANCE}), but the description has no method chance")
            elif owner in (0, 1, CHANCE):
                self._owner[node] = int(owner)
                known = self._known(position) if self._knows and owner != CHANCE else position.known
                waiting.extend(_Position(child, after, known) for child, after in reversed(self._children(node, state)))
            else:
                what = f"{shown(owner)} is not 0, 1, CHANCE ({CHANCE}), or None when the game is over"
                raise self.wrong("owner", node, what)

    def tree(self, leaf_class: IntArray) -> NamedTree:
        """The tree. leaf_class: int32 (num_nodes,), as `PublicTree` has it."""
        parent: IntArray = np.array(self._parent, np.int32)
        owner: ByteArray = np.array(self._owner, np.int8)
        names, num_types = tuple(self._names), self.num_types
        return NamedTree(parent, owner, leaf_class, names, num_types=num_types, knowledge=self._knowledge())

    def chance(self) -> ChanceReach | None:
        """The chance of all histories by types; None for a game without chance moves."""
        if CHANCE not in self._owner:
            return None
        tables = np.zeros((len(self.reaches), self.num_types, self.num_types))
        tables[(slice(None), *np.transpose(self.pairs))] = self.reaches
        return ChanceReach(np.array(self.reach_of, np.int32), tables)

    def _knowledge(self) -> Knowledge | None:
        if not self._partition_of:
            return None
        partition = np.full(self.num_nodes, -1, np.int32)
        partition[list(self._partition_of)] = list(self._partition_of.values())
        groups = np.array(list(self._number_of_partition))
        return Knowledge(partition, groups[:, :, None] == groups[:, None, :])

    def _known(self, position: _Position[State]) -> tuple[Groups | None, Groups | None]:
        """What both players know after the move of a node's mover. Notes where the mover does not know its type."""
        node, player = position.node, self._owner[position.node]
        names, before = self.types[player], position.known[player]
        answers = [self.ask("knows", node, position.state, player, name) for name in names]
        try:
            first: dict[Any, int] = {}
            groups = [first.setdefault(answer, number) for number, answer in enumerate(answers)]
        except TypeError as error:
            raise self.wrong("knows", node, f"{error}; take a string, for instance") from error
        groups += range(len(names), self.num_types)
        for number, group in enumerate(groups):
            if before is not None and before[number] != before[group]:
                what = f"player {player} could tell {names[group]} from {names[number]} before, and must not forget"
                raise self.wrong("knows", node, what)
        found = tuple(groups)
        if found != tuple(range(self.num_types)):
            number = len(self._number_of_partition)
            self._partition_of[node] = self._number_of_partition.setdefault(found, number)
        return (found, position.known[1]) if player == 0 else (position.known[0], found)

    def _children(self, node: int, state: State) -> list[tuple[int, State]]:
        """The new nodes of a node that is no leaf, in the order of its moves, with their states."""
        moves = self._moves(node, state)
        reaches = [self.reach_of[node]] * len(moves)
        if self._owner[node] == CHANCE:
            moves, reaches = self._possible(node, state, moves)
        first = len(self._parent)
        if first + len(moves) > self._maximum_nodes:
            what = f"the game has more than {self._maximum_nodes:,} histories; see maximum_nodes"
            raise self.wrong("moves", node, what)
        self._parent += [node] * len(moves)
        self._owner += [-1] * len(moves)
        self._depth += [self._depth[node] + 1] * len(moves)
        self._names += [name for name, _ in moves]
        self.reach_of += reaches
        return [(first + number, after) for number, (_, after) in enumerate(moves)]

    def _moves(self, node: int, state: State) -> list[tuple[Any, State]]:
        """The description's answer, checked."""
        answer = self.ask("moves", node, state)
        if not isinstance(answer, Iterable):
            raise self.wrong("moves", node, f"{shown(answer)} is not a list of pairs (name, state)")
        moves = list(islice(answer, self._maximum_nodes))  # stops even an endless iterator
        if not moves:
            mover = "chance" if self._owner[node] == CHANCE else f"player {self._owner[node]}"
            raise self.wrong("moves", node, f"there are none, and {mover} is to move")
        for move in moves:
            if not isinstance(move, tuple) or len(move) != 2:
                raise self.wrong("moves", node, f"{shown(move)} is not a pair (name, state)")
        names = [name for name, _ in moves]
        try:
            repeated = len(set(names)) < len(names)
        except TypeError as error:
            raise self.wrong("moves", node, f"no name for a move: {error}; take a string, for instance") from error
        if repeated:
            raise self.wrong("moves", node, f"two have the same name: {', '.join(map(str, names[:_MOVES_SHOWN]))}")
        return moves

    def _possible(
        self, node: int, state: State, moves: list[tuple[Any, State]]
    ) -> tuple[list[tuple[Any, State]], list[int]]:
        """The chance moves that may come, and the numbers of their reaches."""
        reach = self.reaches[self.reach_of[node]]
        chances = [self._chances(node, state, name) for name, _ in moves]
        for pair, total in enumerate(map(fsum, zip(*chances, strict=True))):
            if reach[pair] > 0.0 and abs(total - 1.0) > SUM_TOLERANCE:
                first, second = self.names(*self.pairs[pair])
                what = f"the probabilities for {first} and {second} sum to {total!r}, not 1"
                raise self.wrong("chance", node, what)
        kept = [number for number, chance in enumerate(chances) if any(chance)]
        return [moves[number] for number in kept], [self._reached(reach, chances[number]) for number in kept]

    def _chances(self, node: int, state: State, name: Any) -> list[float]:
        """The probability of a chance move for each of `pairs`; 0 for a pair that cannot have come so far."""
        result = []
        for reach, pair in zip(self.reaches[self.reach_of[node]], self.pairs, strict=True):
            types = self.names(*pair)
            answer = self.ask("chance", node, state, name, *types) if reach > 0.0 else 0.0
            chance = probability(answer)
            if chance is None:
                what = f"{shown(answer)} for {name} with {types[0]} and {types[1]} is not a probability"
                raise self.wrong("chance", node, what)
            result.append(chance)
        return result

    def _reached(self, reach: tuple[float, ...], chances: list[float]) -> int:
        """The number of the reach after a chance move."""
        after = tuple(map(operator.mul, reach, chances))
        number = self._number_of_reach.setdefault(after, len(self.reaches))
        if number == len(self.reaches):
            self.reaches.append(after)
        return number

    def names(self, first: int, second: int) -> tuple[Any, Any]:
        """The names of a pair of types."""
        return self.types[0][first], self.types[1][second]

    def ask(self, name: str, node: int, *arguments: Any) -> Any:
        """The answer of a method of the description. Adds the history to an error that the method raises."""
        try:
            return getattr(self.description, name)(*arguments)
        except Exception as error:
            error.add_note(f"{name} was asked {self._where(node)}")
            raise

    def wrong(self, name: str, node: int, what: str) -> ValueError:
        """The error for a wrong answer of a method at a node."""
        return ValueError(f"{name} {self._where(node)}: {what}")

    def _where(self, node: int) -> str:
        """The history of a node in words: its last moves."""
        left = self._depth[node] - _MOVES_SHOWN
        names: list[str] = []
        while node > 0 and len(names) < _MOVES_SHOWN:
            names, node = [str(self._names[node]), *names], self._parent[node]
        before = f"{left} moves and " if left > 0 else ""
        return f"after {before}{', '.join(names)}" if names else "before the first move"
