"""Games with hidden moves: both players' information sets form one tree, and the ends a sparse matrix.

With perfect recall, a player's information sets form a tree (Koller, Megiddo and von Stengel 1996). Both trees have a
common root and a single private type. A pair of sequences has the payoffs of all histories that end with them, times
the probabilities of their chance moves.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from math import fsum
from typing import Any, NamedTuple

import numpy as np

from .arrays import CHANCE, FloatArray, IntArray, Links, Part, SampledArrays, pieces
from .best_response import as_rows
from .built_game import BuiltGame, NamedTree
from .game_description import (
    SUM_TOLERANCE,
    GameDescription,
    GameSize,
    HiddenMovesDescription,
    HistoryWalk,
    State,
    Types,
    exact,
    finite,
    shown,
    types_and_prior,
)
from .public_tree import Families, PublicTree

_BYTES_PER_HISTORY = 100
_BYTES_PER_NODE = 300


class Seen(NamedTuple):
    """The name of an information set: the mover's type, if players have types, and what the mover sees."""

    type: Any
    what: Hashable

    def __str__(self) -> str:
        what = " ".join(str(self.what).split())
        return what if self.type == "" else f"{self.type}: {what}" if what else str(self.type)


class Deal(NamedTuple):
    """The name of the chance move that deals both types."""

    first: Any
    second: Any

    def __str__(self) -> str:
        return f"{self.first}, {self.second}"


class Ends(NamedTuple):
    """The pairs of leaves in which histories end. Arrays are (num_pairs,), in the order of the leaves."""

    first: IntArray
    """int32: the leaf in the part of player 0."""
    second: IntArray
    """int32: the leaf in the part of player 1."""
    chance: FloatArray
    """float64: the probability of the chance moves of all histories that end in the pair."""
    paid: FloatArray
    """float64: the same probability, times the payoff to player 0."""


@dataclass(frozen=True, eq=False)
class Histories:
    """All histories of a game with hidden moves. Arrays have an entry for each history."""

    arrays: tuple[IntArray, IntArray, tuple[Any, ...]]
    """The parent, the owner, and the name of the move into each history."""
    node: IntArray
    """int32: the mover's information set, as a node of the game's tree; -1 if no player moves."""
    move: IntArray
    """int32: a player's move into the history, as a node of the game's tree; -1 at the root and after chance."""
    chance: FloatArray
    """float64: the probability of the chance move into it; 1 for other moves."""
    payoff: FloatArray
    """float64: the payoff to player 0 at the end; 0 elsewhere."""

    @cached_property
    def tree(self) -> NamedTree:
        """The histories as a tree with a single type, in which each leaf is a class of its own."""
        parent, owner, names = self.arrays
        leaf_class = np.where(owner < 0, np.cumsum(owner < 0) - 1, -1).astype(np.int32)
        return NamedTree(parent, owner.astype(np.int8), leaf_class, names, num_types=1)

    def probabilities(self, strategy: FloatArray) -> FloatArray:
        """float64: the probability of the move into each history. strategy: float64 (num_nodes, 1)."""
        result: FloatArray = np.where(self.move >= 0, strategy[self.move, 0], self.chance)
        return result

    def reach(self, moves: FloatArray) -> FloatArray:
        """float64: the product of `moves`, which has a number per history, on the way to each history."""
        result = moves.copy()
        result[0] = 1.0
        for nodes in self.tree.nodes_by_depth[1:]:
            result[nodes] *= result[self.tree.parent[nodes]]
        return result


class HiddenArrays:
    """A game in the form that hidden_kernels.py takes, read-only. first, second, paid: as in `Ends`."""

    def __init__(self, tree: PublicTree, first: IntArray, second: IntArray, paid: FloatArray) -> None:
        self.tree, self._ends, self._paid = tree, (first, second), paid

    def leaf_values(self, player: int, reach: FloatArray) -> FloatArray:
        own, other = self._ends[player], self._ends[1 - player]
        found = np.bincount(own, self._paid * reach[other, 0], self.tree.num_nodes).astype(np.float64)
        return (found if player == 0 else -found)[:, None]

    @cached_property
    def parts(self) -> tuple[Part, Part]:
        arrays, (first, second) = self.tree.sweep_arrays, self._ends
        num_decisions, leaf_class = len(arrays.owner), self.tree.leaf_class
        middle = int(arrays.subtree_end[arrays.target[1]]) if arrays.target[1] < num_decisions else 1
        num_first = int(leaf_class[first].max()) + 1
        num_leaves = int(leaf_class.max()) + 1
        bounds = (1, middle, 0, num_first), (middle, num_decisions, num_first, num_leaves)
        result = []
        for player, (own, other) in enumerate(((first, second), (second, first))):
            start, end, least, most = bounds[player]
            order = np.lexsort((leaf_class[other], leaf_class[own]))
            starts = np.searchsorted(leaf_class[own[order]], np.arange(least, most + 1)).astype(np.int32)
            rows = num_decisions + least, num_decisions + most
            paid = self._paid[order] * (1 - 2 * player)
            result.append(Part(start, end, rows, starts, arrays.target[other[order]], paid))
        return result[0], result[1]


@dataclass(frozen=True, eq=False)
class HiddenMovesGame(BuiltGame):
    """A game with hidden moves. `build_game` makes it from a description with `sees`.

    The root has two children, the parts of players 0 and 1. In a part, an information set is a decision node whose name
    is `Seen`. A move after which the player moves again leads to a chance node, whose children are the possible next
    information sets, and a leaf "end" if the game may also end. Strategies are float64 (num_nodes, 1).

    >>> from tictactoe import CFRSolver, build_game, update_rule
    >>> class RockPaperScissors:
    ...     names = ("rock", "paper", "scissors")
    ...     def root(self):
    ...         return ()
    ...     def owner(self, state):
    ...         return len(state) if len(state) < 2 else None
    ...     def moves(self, state):
    ...         return [(name, (*state, name)) for name in self.names]
    ...     def sees(self, state, player):
    ...         return ""  # not what the other one has chosen
    ...     def payoff(self, state):
    ...         first, second = map(self.names.index, state)
    ...         return (0, 1, -1)[(first - second) % 3]
    >>> game = build_game(RockPaperScissors())
    >>> solver = CFRSolver(game, update_rule("dcfr"))
    >>> solver.run(100)
    >>> print(game.describe(solver.average_strategy()).splitlines()[1])
    -        0             1.000    rock 0.333, paper 0.333, scissors 0.333
    """

    ends: Ends = field(kw_only=True)
    histories: Histories = field(kw_only=True)

    def __post_init__(self) -> None:
        pass  # the walk has checked everything

    def __reduce__(self) -> tuple[Any, ...]:
        given = {each.name: getattr(self, each.name) for each in fields(self)}
        return partial(HiddenMovesGame, **given), ()

    has_hidden_moves = True
    in_lanes = False

    def sweeps(self) -> tuple[Any, Any]:
        from . import hidden_kernels

        return hidden_kernels, self._sweep_arrays

    @cached_property
    def _sweep_arrays(self) -> HiddenArrays:
        return HiddenArrays(self.tree, self.ends.first, self.ends.second, self.ends.paid)

    @cached_property
    def sampled_arrays(self) -> SampledArrays:
        sets, walked = self.tree.sweep_arrays, self.histories.tree.sweep_arrays
        num_histories, one = self.histories.tree.num_nodes, np.ones((2, 1))
        node = self.histories.node[self.histories.tree.decision_nodes]
        number_of: IntArray = np.full(self.tree.num_nodes, -1, np.int32)
        number_of[self.tree.decision_nodes] = np.arange(self.tree.num_decision_nodes)
        before = number_of[self.tree.parent[self.tree.decision_nodes]]
        chance = self.histories.reach(self.histories.chance)
        ends = self.histories.arrays[1] < 0
        return SampledArrays(
            Links(walked.owner, walked.first_child, walked.target),
            Links(sets.owner, sets.first_child, sets.target),
            np.where(node >= 0, number_of[node], -1).astype(np.int32),
            self.histories.move.astype(np.uint32),
            np.where((sets.owner[before] == CHANCE) & (before > 0), before, -1).astype(np.int32),
            (max(int(number_of[1]), 0), max(int(number_of[2]), 0)),
            np.full(len(walked.owner), -1, np.int32),
            pieces(np.zeros((0, 1))),
            pieces(np.array([[1.0], [-1.0]])),
            np.zeros(int(ends.sum()), np.intp),
            self.histories.payoff[ends] * chance[ends],
            one[:, :, None],
            one,
            np.arange(num_histories, dtype=np.int32),
            chance[:, None, None],
        )

    def _told(self) -> Iterator[bytes]:
        yield from (np.ascontiguousarray(array).tobytes() for array in self.ends)

    @cached_property
    def _nodes_seen(self) -> dict[tuple[int, Seen], int]:
        tree = self.tree
        nodes = tree.decision_nodes[tree.owner[tree.decision_nodes] != CHANCE].tolist()
        return {(int(tree.owner[node]), tree.names[node]): node for node in nodes}

    def node_seen(self, player: int, what: Hashable, own_type: Any = "") -> int:
        """The node of an information set. Raises KeyError if there is none."""
        return self._nodes_seen[player, Seen(own_type, what)]

    def history_seen(self, node: int) -> tuple[Any, ...]:
        """What the mover at an information set sees; empty for an empty text."""
        seen = self.tree.names[node]
        assert isinstance(seen, Seen)
        return (seen.what,) if str(seen.what) else ()

    def type_at(self, node: int, number: int) -> Any:
        seen = self.tree.names[node]
        assert isinstance(seen, Seen)
        return seen.type

    def met(self, player: int, strategy: FloatArray) -> FloatArray:
        """float64 (num_nodes, 1): counterfactual reach in the player's part. Rows of the other part are meaningless."""
        own, other = self.ends[player], self.ends[1 - player]
        reach = self.tree.own_reach_of_player(1 - player, strategy)[other, 0]
        result = np.zeros((self.tree.num_nodes, 1))
        result[:, 0] = np.bincount(own, self.ends.chance * reach, self.tree.num_nodes)

        def meet(level: Families, below: FloatArray) -> FloatArray:
            is_set = (self.tree.owner[level.parents] == player)[:, None]
            return np.where(is_set, level.largest(below), level.sums(below))  # own moves do not count

        return self.tree.from_leaves(result, meet)

    def _reached(self, strategy: FloatArray) -> FloatArray:
        as_rows(self.tree, strategy)  # raises ValueError for an array that is not a strategy
        own, owner = self.tree.own_reach(strategy), self.tree.owner[:, None]
        return np.select([owner == 0, owner == 1], [own[player] * self.met(player, strategy) for player in (0, 1)], 0.0)

    @property
    def num_information_sets(self) -> int:
        return len(self._nodes_seen)

    @property
    def largest_payoff(self) -> float:
        return float(np.abs(self.histories.payoff).max())

    @property
    def largest_difference(self) -> float:
        owner = self.histories.arrays[1]
        payoffs = self.histories.payoff[owner < 0]
        return float(payoffs.max() - payoffs.min())


class _Dealt:
    """A description whose first chance move deals the types, which are part of its states."""

    def __init__(self, description: GameDescription[Any], types: Types, prior: FloatArray) -> None:
        self._asked = description
        self._deals = {
            deal: description.prior(*deal)
            for deal in (Deal(types[0][first], types[1][second]) for first, second in np.argwhere(prior > 0.0))
        }
        if callable(getattr(description, "chance", None)):
            self._chance = description.chance  # type: ignore[attr-defined]

    def root(self) -> None:
        return None

    def owner(self, state: Any) -> Any:
        return CHANCE if state is None else self._asked.owner(state[0])

    def moves(self, state: Any) -> Any:
        if state is None:
            return [(deal, (self._asked.root(), *deal)) for deal in self._deals]
        answer = self._asked.moves(state[0])
        try:
            return [(name, (after, *state[1:])) for name, after in answer]
        except (TypeError, ValueError):
            return answer  # the walk refuses it

    def chance(self, state: Any, name: Any) -> Any:
        return self._deals[name] if state is None else self._chance(state[0], name, *state[1:])

    def sees(self, state: Any, player: int) -> Seen:
        return Seen(state[1 + player], self._asked.sees(state[0], player))  # type: ignore[attr-defined]

    def payoff(self, state: Any) -> Any:
        return self._asked.payoff(*state)


class _Public(_Dealt):
    """A description with public moves, turned into one with hidden moves: players see the history."""

    def moves(self, state: Any) -> Any:
        if state is None:
            return [(deal, (self._asked.root(), *deal, ())) for deal in self._deals]
        return [(name, (after, *state[1:3], (*state[3], name))) for name, after in self._asked.moves(state[0])]

    def chance(self, state: Any, name: Any) -> Any:
        return self._deals[name] if state is None else self._chance(state[0], name, *state[1:3])

    def sees(self, state: Any, player: int) -> Seen:
        known = state[1 + player]
        if callable(knows := getattr(self._asked, "knows", None)):
            known = knows(state[0], player, known)
        return Seen(known, state[3])

    def payoff(self, state: Any) -> Any:
        return self._asked.payoff(*state[:3])


class _Set(NamedTuple):
    seen: Seen
    before: int
    """The player's sequence that leads to the information set; 0 for no move so far."""
    first: int
    """The sequence of the first move; those of the others follow."""
    places: dict[Any, int]
    """The place of each move, by name."""
    history: int
    """The history at which it was found."""


class HiddenWalk(HistoryWalk[Any]):
    """A walk through all histories in preorder that collects the information sets and the ends.

    exactly: whether payoffs and probabilities are fractions, and probabilities must sum to exactly 1.
    """

    exactly = False

    def __init__(
        self,
        description: GameDescription[State] | HiddenMovesDescription[State],
        maximum_nodes: int,
        walked: Callable[[int], object] | None = None,
    ) -> None:
        self.types: Types = (("",), ("",))
        walked_through: Any = description
        self._deals = hasattr(description, "types")
        if self._deals:
            self.types, prior = types_and_prior(walked_through)
            dealt = _Dealt if hasattr(description, "sees") else _Public
            walked_through = dealt(walked_through, self.types, prior)
        super().__init__(walked_through, maximum_nodes, walked)
        self.sets: tuple[list[_Set], list[_Set]] = ([], [])
        self._set_of: tuple[dict[Seen, int], dict[Seen, int]] = ({}, {})
        self.num_sequences = [1, 1]
        self.ends: dict[tuple[int, int], tuple[float, float]] = {}
        self._set_at: dict[int, int] = {}  # by history
        self._move_into, self._chance, self._payoffs = [-1], [1.0], dict[int, Any]()

    def size(self) -> GameSize:
        megabytes = (self.num_nodes * _BYTES_PER_HISTORY + sum(self.num_sequences) * _BYTES_PER_NODE) / 1e6
        return GameSize(self.num_nodes, len(self._payoffs), 1, 0, 0.0, megabytes)

    def run(self) -> None:
        waiting: list[tuple[int, Any, tuple[int, int], Any]] = [(0, self.description.root(), (0, 0), 1)]
        while waiting:
            self._tell()
            node, state, sequences, chance = waiting.pop()
            owner = self._mover(node, state)
            if owner is None:
                self._end(sequences, chance, self._payoff(node, state))
                continue
            self._owner[node] = owner
            moves = self._moves(node, state)
            if owner == CHANCE:
                chances = self._chances(node, state, [name for name, _ in moves])
                moves = [move for move, likely in zip(moves, chances, strict=True) if likely > 0.0]
                chances = [likely for likely in chances if likely > 0.0]
                first = self._add(node, [name for name, _ in moves])
                self._move_into += [-1] * len(moves)
                self._chance += chances
                after = [
                    (first + place, moved, sequences, chance * chances[place]) for place, (_, moved) in enumerate(moves)
                ]
            else:
                where = self._set(node, state, owner, sequences[owner], [name for name, _ in moves])
                first = self._add(node, [name for name, _ in moves])
                made = [where.first + where.places[name] for name, _ in moves]
                self._move_into += made
                self._chance += [1.0] * len(moves)
                other = sequences[1 - owner]
                after = [
                    (first + place, moved, (made[place], other) if owner == 0 else (other, made[place]), chance)
                    for place, (_, moved) in enumerate(moves)
                ]
            waiting += reversed(after)

    def _end(self, sequences: tuple[int, int], chance: Any, payoff: Any) -> None:
        before = self.ends.get(sequences, (0.0, 0.0))
        self.ends[sequences] = before[0] + chance, before[1] + chance * payoff

    def _payoff(self, node: int, state: Any) -> Any:
        answer = self.ask("payoff", node, state)
        payoff = exact(answer) if self.exactly else finite(answer)
        if payoff is None:
            raise self.wrong("payoff", node, f"{shown(answer)} is not a finite number")
        self._payoffs[node] = payoff
        return payoff

    def _chances(self, node: int, state: Any, names: list[Any]) -> list[Any]:
        result: list[Any] = []
        for name in names:
            answer = self.ask("chance", node, state, name)
            likely = exact(answer) if self.exactly else finite(answer)
            if likely is None or likely < 0:
                raise self.wrong("chance", node, f"{shown(answer)} for {name} is not a probability")
            result.append(likely)
        if self.exactly and (left := 1 - sum(result)):
            what = f"the probabilities sum to {'less' if left > 0 else 'more'} than 1 by {float(abs(left)):.1e}"
            raise self.wrong("chance", node, f'{what}; give them as fractions or texts such as "1/6"')
        if abs(fsum(result) - 1.0) > SUM_TOLERANCE:
            raise self.wrong("chance", node, f"the probabilities sum to {fsum(result)!r}, not 1")
        return result

    def _set(self, node: int, state: Any, player: int, before: int, names: list[Any]) -> _Set:
        answer = self.ask("sees", node, state, player)
        seen = answer if self._deals else Seen("", answer)
        sets, set_of = self.sets[player], self._set_of[player]
        try:
            number = set_of.setdefault(seen, len(sets))
        except TypeError as error:
            raise self.wrong("sees", node, f"{error}; take a string, for instance") from error
        if number == len(sets):
            places = {name: place for place, name in enumerate(names)}
            sets.append(_Set(seen, before, self.num_sequences[player], places, node))
            self.num_sequences[player] += len(names)
        found = sets[number]
        if found.before != before or found.places.keys() != set(names):
            same = f"player {player} sees the same {self._where(found.history)}"
            if found.before != before:
                what = f"{same}, but its own moves and what it saw before were not the same: it must not forget them"
            else:
                what = f"{same}, but its moves are {shown(list(found.places))} there and {shown(names)} here"
            raise self.wrong("sees", node, what)
        self._set_at[node] = number
        return found

    def game(self, name: str) -> HiddenMovesGame:
        """Return the game, after the walk."""
        tree = _Numbered(self)
        first, second = np.array(list(self.ends), np.int32).T
        chance, paid = np.array(list(self.ends.values())).T
        first, second = tree.leaf_of[0][first], tree.leaf_of[1][second]
        order = np.lexsort((second, first))
        ends = Ends(first[order], second[order], chance[order], paid[order])
        made = np.array(self._move_into, np.int32)
        owner = np.array(self._owner, np.int32)
        parent = np.array(self._parent, np.int32)
        mover = np.r_[np.int32(CHANCE), owner[parent[1:]]]
        move, node = np.full(len(made), -1, np.int32), np.full(len(made), -1, np.int32)
        for player in (0, 1):
            own = mover == player
            move[own] = tree.node_of[player][made[own]]
        at = np.array(list(self._set_at), np.int32)
        node[at] = [tree.set_nodes[owner[history]][number] for history, number in self._set_at.items()]
        payoff = np.zeros(len(made))
        payoff[list(self._payoffs)] = list(self._payoffs.values())
        histories = Histories((parent, owner, tuple(self._names)), node, move, np.array(self._chance), payoff)
        named: Any = {"types": self.types, "name": name, "ends": ends, "histories": histories}
        return HiddenMovesGame(tree.tree(), np.zeros((0, 1, 1)), np.ones((1, 1)), **named)


class _Numbered:
    def __init__(self, walk: HiddenWalk) -> None:
        self._parent, self._owner, self._names = [-1], [CHANCE], list[Any]([None])
        self.node_of = [np.zeros(number, np.int32) for number in walk.num_sequences]
        """The node of every sequence, by player."""
        self.leaf_of = [np.full(number, -1, np.int32) for number in walk.num_sequences]
        """The leaf where histories end after each sequence, by player; -1 if none does."""
        self.set_nodes = [[0] * len(sets) for sets in walk.sets]
        after: list[dict[int, list[int]]] = [{}, {}]
        for player in (0, 1):
            for number, each in enumerate(walk.sets[player]):
                after[player].setdefault(each.before, []).append(number)
        ending = [set(column) for column in zip(*walk.ends, strict=True)]
        first = self._add(0, ["player 0", "player 1"])
        waiting: list[tuple[int, int, int, _Set | None]] = [(first + 1, 1, 0, None), (first, 0, 0, None)]
        while waiting:  # nodes of a player's sequences and information sets, parents first
            node, player, number, found = waiting.pop()
            if found is not None:
                self._owner[node], self.set_nodes[player][number] = player, node
                child = self._add(node, list(found.places))
                waiting += [
                    (child + place, player, found.first + place, None) for place in reversed(range(len(found.places)))
                ]
                continue
            self.node_of[player][number] = node
            sets, ends = after[player].get(number, []), number in ending[player]
            if sets:
                self._owner[node] = CHANCE
                names: list[Any] = [walk.sets[player][each].seen for each in sets]
                child = self._add(node, [*names, "end"] if ends else names)
                below = [(child + place, player, each, walk.sets[player][each]) for place, each in enumerate(sets)]
                waiting += reversed(below)
            if ends:
                self.leaf_of[player][number] = child + len(sets) if sets else node

    def _add(self, node: int, names: list[Any]) -> int:
        first = len(self._parent)
        self._parent += [node] * len(names)
        self._owner += [-1] * len(names)
        self._names += names
        return first

    def tree(self) -> NamedTree:
        owner = np.array(self._owner, np.int8)
        leaf_class = np.full(len(owner), -1, np.int32)
        leaves = np.concatenate([np.sort(leaf_of[leaf_of >= 0]) for leaf_of in self.leaf_of])
        leaf_class[leaves] = np.arange(len(leaves))
        return NamedTree(np.array(self._parent, np.int32), owner, leaf_class, tuple(self._names), num_types=1)
