"""The builder of games from descriptions of their rules, `build_game`."""

from __future__ import annotations

import math
import operator
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import fsum
from typing import Any, Generic, cast

import numpy as np

from ..checked_numbers import whole_number
from .arrays import CHANCE, LARGEST_NUM_TYPES, ByteArray, FloatArray, IntArray
from .built_game import BuiltGame, NamedTree
from .game import ChanceReach, SharedMatrices
from .game_description import (
    SUM_TOLERANCE,
    GameDescription,
    GameSize,
    HiddenMovesDescription,
    HistoryWalk,
    RankedDescription,
    State,
    finite,
    megabytes_of_rows,
    probability,
    shown,
    types_and_prior,
)
from .hidden_moves import HiddenWalk
from .public_tree import Knowledge
from .ranked_game import RankedWalk, is_ranked

Groups = tuple[int, ...]
"""For every type, the first type that its player cannot tell from it."""


@dataclass(frozen=True)
class _Position(Generic[State]):
    node: int
    state: State
    known: tuple[Groups | None, Groups | None]
    """What each player knew of its own type at its last move."""


class Walk(HistoryWalk[State]):
    """A walk through all histories in preorder that collects the arrays of the tree."""

    def __init__(
        self, description: GameDescription[State], maximum_nodes: int, walked: Callable[[int], object] | None = None
    ) -> None:
        super().__init__(description, maximum_nodes, walked)
        self.types, self._prior = types_and_prior(description)
        self.num_types = len(self._prior)
        self.pairs = [(int(first), int(second)) for first, second in np.argwhere(self._prior > 0.0)]
        """The types that may be drawn together."""
        self._names_of_pairs = [self.names(*pair) for pair in self.pairs]
        self.leaves: list[tuple[int, State]] = []
        self.reaches = [(1.0,) * len(self.pairs)]
        """The different probabilities of the chance moves of a history, for each of `pairs`."""
        self.reach_of = [0]
        """The number of each node in `reaches`."""
        self._number_of_reach = {self.reaches[0]: 0}
        self._partition_of: dict[int, int] = {}  # of nodes whose movers do not know their type
        self._number_of_partition: dict[Groups, int] = {}
        self._knows = callable(getattr(description, "knows", None))

    def run(self) -> None:
        waiting = [_Position(0, self.description.root(), (None, None))]
        while waiting:
            self._tell()
            position = waiting.pop()
            node, state = position.node, position.state
            owner = self._mover(node, state)
            if owner is None:
                self.leaves.append((node, state))
                continue
            self._owner[node] = owner
            known = self._known(position) if self._knows and owner != CHANCE else position.known
            waiting.extend(_Position(child, after, known) for child, after in reversed(self._children(node, state)))

    @cached_property
    def _payoffs(self) -> LeafPayoffs:
        return MatrixPayoffs(self) if has_matrices(self.description) else LeafPayoffs(self)

    def size(self) -> GameSize:
        """The size of the game, found after the payoffs of the first leaves."""
        return self._payoffs.size()

    def game(self, name: str) -> BuiltGame:
        """The game, for which it asks for the remaining payoffs."""
        payoffs = self._payoffs
        payoffs.ask()
        tree, matrices = self._tree(payoffs.leaf_class), payoffs.matrices()
        named: Any = {"types": self.types, "chance": self._chance_reach(), "name": name}
        return BuiltGame(tree, matrices, self._prior, shared=payoffs.shared, **named)

    def _tree(self, leaf_class: IntArray) -> NamedTree:
        parent: IntArray = np.array(self._parent, np.int32)
        owner: ByteArray = np.array(self._owner, np.int8)
        names, num_types = tuple(self._names), self.num_types
        return NamedTree(parent, owner, leaf_class, names, num_types=num_types, knowledge=self._knowledge())

    def _chance_reach(self) -> ChanceReach | None:
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
        moves = self._moves(node, state)
        reaches = [self.reach_of[node]] * len(moves)
        if self._owner[node] == CHANCE:
            moves, reaches = self._possible(node, state, moves)
        first = self._add(node, [name for name, _ in moves])
        self.reach_of += reaches
        return [(first + number, after) for number, (_, after) in enumerate(moves)]

    def _possible(
        self, node: int, state: State, moves: list[tuple[Any, State]]
    ) -> tuple[list[tuple[Any, State]], list[int]]:
        reach = self.reaches[self.reach_of[node]]
        chances = [self.by_pair("chance", node, state, name, least=0.0) for name, _ in moves]
        for pair, total in enumerate(map(fsum, zip(*chances, strict=True))):
            if reach[pair] > 0.0 and abs(total - 1.0) > SUM_TOLERANCE:
                first, second = self.names(*self.pairs[pair])
                what = f"the probabilities for {first} and {second} sum to {total!r}, not 1"
                raise self.wrong("chance", node, what)
        kept = [number for number, chance in enumerate(chances) if any(chance)]
        return [moves[number] for number in kept], [self._reached(reach, chances[number]) for number in kept]

    def by_pair(self, method: str, node: int, *arguments: Any, least: float = -math.inf) -> list[float]:
        """A method's answers, finite and at least `least`, for each of `pairs`; 0 for a pair that cannot occur."""
        reach, answer_to = self.reaches[self.reach_of[node]], getattr(self.description, method)
        pairs = zip(reach, self._names_of_pairs, strict=True)
        try:
            answers = [answer_to(*arguments, *types) if reached > 0.0 else 0.0 for reached, types in pairs]
        except Exception as error:
            error.add_note(f"{method} was asked {self._where(node)}")
            raise
        if {*map(type, answers)} == {float} and all(map(math.isfinite, answers)) and min(answers) >= least:
            return answers
        read, what = (finite, "a finite number") if least < 0.0 else (probability, "a probability")
        numbers = []
        for answer, types in zip(answers, self._names_of_pairs, strict=True):
            if (number := read(answer)) is None:
                whom = " with ".join([*map(str, arguments[1:]), f"{types[0]} and {types[1]}"])
                raise self.wrong(method, node, f"{shown(answer)} for {whom} is not {what}")
            numbers.append(number)
        return numbers

    def _reached(self, reach: tuple[float, ...], chances: list[float]) -> int:
        after = tuple(map(operator.mul, reach, chances))
        number = self._number_of_reach.setdefault(after, len(self.reaches))
        if number == len(self.reaches):
            self.reaches.append(after)
        return number

    def names(self, first: int, second: int) -> tuple[Any, Any]:
        """The names of a pair of types."""
        return self.types[0][first], self.types[1][second]


MAXIMUM_NODES = 1_000_000
"""The most histories of a game, unless the caller allows more."""

_REQUIRED_METHODS = ("root", "owner", "moves")


def build_game(
    description: GameDescription[State] | HiddenMovesDescription[State] | RankedDescription[State],
    *,
    maximum_nodes: int = MAXIMUM_NODES,
    announce: Callable[[GameSize], object] | None = None,
    walked: Callable[[int], object] | None = None,
    name: str = "",
) -> BuiltGame:
    """Build the game of a description, for every algorithm.

    Nodes are numbered as in `PublicTree`, siblings in the order of `moves`. Leaves with equal payoffs for all types
    form a leaf class. A description with `sees` makes a `HiddenMovesGame`, a `RankedDescription` with more than 64
    types a `RankedGame`.

    announce: called once with the size of the game, before most of the work, which is asking for payoffs.
    walked: called now and then with the number of histories found so far.
    name: the name of the game in files.

    Raises ValueError, in one line that names the history, for a description that breaks the rules, and for a game with
    more than `maximum_nodes` histories.

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
    check_members(description)
    maximum_nodes = whole_number("maximum_nodes", maximum_nodes, 1)
    walk: HiddenWalk | RankedWalk | Walk[State]
    if callable(getattr(description, "sees", None)):
        walk = HiddenWalk(cast(HiddenMovesDescription[State], description), maximum_nodes, walked)
    elif is_ranked(description):
        walk = RankedWalk(description, maximum_nodes, walked)
    else:
        walk = Walk(cast(GameDescription[State], description), maximum_nodes, walked)
    walk.run()
    if announce is not None:
        announce(walk.size())
    return walk.game(name)


def check_members(description: object) -> None:
    """Raise ValueError if a description lacks a member that `build_game` needs."""
    if isinstance(description, type):
        name = description.__name__
        raise ValueError(f"description: {name} is a class; build_game takes an object of it, {name}()")
    needs_types = hasattr(description, "types") or not hasattr(description, "sees")
    required = ["prior"] if needs_types and not is_ranked(description) else []
    required += ["sees"] if hasattr(description, "sees") else []
    required += [*_REQUIRED_METHODS, *(() if has_matrices(description) or is_ranked(description) else ("payoff",))]
    missing = [f"method {name}" for name in required if not callable(getattr(description, name, None))]
    missing += [] if hasattr(description, "types") or not needs_types else ["types"]
    if missing:
        raise ValueError(f"description: {type(description).__name__} has no {', no '.join(missing)}")


_LEAVES_TIMED = 200
"""The number of first leaves whose payoffs are timed."""


class LeafPayoffs:
    """The payoffs of all leaves. Leaves with equal payoffs for all types form a class.

    leaf_class: int32 (num_nodes,), when all payoffs are known.
    shared: as in `Game`.
    """

    def __init__(self, walk: Walk[Any]) -> None:
        self._walk = walk
        self.leaf_class: IntArray = np.full(walk.num_nodes, -1, np.int32)
        self.shared: SharedMatrices | None = None
        self._classes: dict[Any, int] = {}
        self._class_of: list[int] = []  # by number in `_different`, as far as they are known
        self._different, self._which = self._different_leaves()

    def _different_leaves(self) -> tuple[list[tuple[int, Any]], list[int]]:
        numbers: list[dict[Any, int]] = [{} for _ in self._walk.reaches]
        different: list[tuple[int, Any]] = []
        which = []
        for leaf in self._walk.leaves:
            node, state = leaf
            try:
                number = numbers[self._walk.reach_of[node]].setdefault(state, len(different))
            except TypeError:  # not hashable
                number = len(different)
            if number == len(different):
                different.append(leaf)
            which.append(number)
        return different, which

    def size(self) -> GameSize:
        start, walk = time.perf_counter(), self._walk
        self.ask(_LEAVES_TIMED)
        seconds = (time.perf_counter() - start) * (len(self._different) / len(self._class_of) - 1.0)
        megabytes = megabytes_of_rows(walk.num_nodes, walk.num_types)
        largest = max(map(len, walk.types))
        return GameSize(walk.num_nodes, len(walk.leaves), largest, self._num_payoffs, seconds, megabytes)

    @property
    def _num_payoffs(self) -> int:
        possible = [sum(chance > 0.0 for chance in reach) for reach in self._walk.reaches]
        return sum(possible[self._walk.reach_of[node]] for node, _ in self._different)

    def ask(self, most: int | None = None) -> None:
        """Ask for the payoffs of all remaining leaves, or of the next `most` that differ."""
        asked = len(self._class_of)
        for node, state in self._different[asked : None if most is None else asked + most]:
            self._class_of.append(self._classes.setdefault(self._key(node, state), len(self._classes)))
        if most is None:
            self.leaf_class[[node for node, _ in self._walk.leaves]] = np.array(self._class_of)[self._which]

    def _key(self, node: int, state: Any) -> Any:
        chances = self._walk.reaches[self._walk.reach_of[node]]
        return tuple(map(operator.mul, chances, self._walk.by_pair("payoff", node, state)))

    def matrices(self) -> FloatArray:
        """float64 (num_classes, k, k), as `Game` has its payoffs."""
        walk = self._walk
        result = np.zeros((len(self._classes), walk.num_types, walk.num_types))
        result[(slice(None), *np.transpose(walk.pairs))] = list(self._classes)
        return result


def has_matrices(description: object) -> bool:
    """Whether a description gives its payoffs by matrices."""
    return callable(getattr(description, "payoff_matrix", None))


class MatrixPayoffs(LeafPayoffs):
    """The number and the matrix of all leaves. Leaves with both in common form a class.

    Raises ValueError for matrices of another shape, and for numbers that are not finite.
    """

    _num_payoffs = property(lambda self: len(self._different))  # one answer for each leaf

    def __init__(self, walk: Walk[Any]) -> None:
        super().__init__(walk)
        given = getattr(walk.description, "matrices", None)
        if not isinstance(given, dict):
            raise ValueError(f"matrices: {shown(given)} is not a dictionary of names and arrays")
        self._given = {name: self._checked(name, matrix) for name, matrix in given.items()}
        self._matrices: dict[tuple[Any, int], int] = {}  # by name and reach

    def _checked(self, name: Any, given: Any) -> FloatArray:
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
        """float64 (num_classes, k, k). With more than 64 types, (num_matrices, k, k), and `shared` is set."""
        found = np.stack([self._given[name] * self._reach(reach) for name, reach in self._matrices])
        if self._walk.num_types > LARGEST_NUM_TYPES:
            matrix, factor = zip(*self._classes, strict=True)
            self.shared = SharedMatrices(np.array(matrix, np.intp), np.array(factor))
            return found
        return np.stack([factor * found[matrix] for matrix, factor in self._classes])

    def _reach(self, number: int) -> FloatArray:
        walk = self._walk
        result = np.zeros((walk.num_types, walk.num_types))
        result[tuple(np.transpose(walk.pairs))] = walk.reaches[number]
        return result
