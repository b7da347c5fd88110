"""Games with many types, such as the 1,326 hands of hold'em, whose payoffs follow from strengths and blockers."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arrays import CHANCE, NUM_TYPES, ByteArray, FloatArray, IntArray, SampledArrays, row_type
from .built_game import BuiltGame, NamedTree
from .game import ChanceReach, Game, SharedMatrices
from .game_description import (
    SUM_TOLERANCE,
    GameSize,
    HistoryWalk,
    Types,
    finite,
    megabytes_of_rows,
    probability,
    shown,
    types_of,
)
from .public_tree import PublicTree

if TYPE_CHECKING:
    from .ranked_kernels import RankedArrays, Tables


def is_ranked(description: object) -> bool:
    """Whether a description gives its payoffs by strengths and blockers."""
    return callable(getattr(description, "payoff_strength", None))


class RankedTypes:
    """The types of a `RankedDescription`, by [player, type], with room for k types. Raises ValueError for a description
    that breaks the rules.
    """

    def __init__(self, description: Any) -> None:
        self.types: Types = types_of(description)
        self.num_types = max(NUM_TYPES, *map(len, self.types))
        self.base = self._number("base", getattr(description, "base", 0.0))
        ones = [[1.0] * len(names) for names in self.types]
        self.weights = self._numbers("weights", getattr(description, "weights", ones))
        if self.weights.min() < 0.0:
            raise ValueError("weights: one of them is below 0")
        held = getattr(description, "blockers", [[()] * len(names) for names in self.types])
        self._numbers_of_blockers: dict[Hashable, int] = {}
        self.holds: list[list[frozenset[int]]] = [self._held(player, each) for player, each in enumerate(held)]
        self.blockers = np.full((2, self.num_types, 2), -1, np.int32)
        for player, each in enumerate(self.holds):
            for number, things in enumerate(each):
                self.blockers[player, number, : len(things)] = sorted(things)
        self.prior = self.weights[0][:, None] * self.weights[1] * ~self._shares(self.holds[0], self.holds[1])
        if not self.prior.sum() > 0.0:
            raise ValueError("weights, blockers: no two types can be dealt at once")
        self.weights /= np.sqrt(self.prior.sum())
        self.prior /= self.prior.sum()
        given = getattr(description, "strengths", {})
        if not isinstance(given, dict):
            raise ValueError(f"strengths: {shown(given)} is not a dictionary of names and numbers")
        self.strengths = {name: self._strengths(name, numbers) for name, numbers in given.items()}

    @property
    def num_blockers(self) -> int:
        return len(self._numbers_of_blockers)

    @staticmethod
    def _number(name: str, given: object) -> float:
        number = finite(given)
        if number is None:
            raise ValueError(f"{name}: {shown(given)} is not a finite number")
        return number

    def _numbers(self, name: str, given: Any) -> FloatArray:
        result = np.zeros((2, self.num_types))
        lengths = [len(names) for names in self.types]
        try:
            numbers = [np.asarray(each, np.float64) for each in given]
        except (TypeError, ValueError) as error:
            raise ValueError(f"{name}: not numbers for all types of both players") from error
        if [each.shape for each in numbers] != [(length,) for length in lengths]:
            raise ValueError(f"{name}: not {lengths[0]} numbers for player 0 and {lengths[1]} for player 1")
        for player, each in enumerate(numbers):
            if not np.all(np.isfinite(each)):
                raise ValueError(f"{name}: not all finite")
            result[player, : len(each)] = each
        return result

    def _held(self, player: int, given: Any) -> list[frozenset[int]]:
        names = self.types[player]
        if len(given) != len(names):
            raise ValueError(f"blockers: {len(given)} of player {player}, who has {len(names)} types")
        result = [self.numbers_of(f"blockers of {name}", things) for name, things in zip(names, given, strict=True)]
        seen: set[frozenset[int]] = set()
        for name, things in zip(names, result, strict=True):
            if len(things) > 2:
                raise ValueError(f"blockers: {name} of player {player} has {len(things)}, and at most two are allowed")
            if len(things) == 2 and things in seen:
                raise ValueError(f"blockers: another type of player {player} has the same two as {name}")
            seen.add(things)
        return result

    def numbers_of(self, what: str, things: Any) -> frozenset[int]:
        """The numbers of blockers. New blockers take the next numbers."""
        if isinstance(things, str) or not isinstance(things, Sequence | set | frozenset):
            raise ValueError(f"{what}: {shown(things)} is not a list")
        numbers = self._numbers_of_blockers
        return frozenset(numbers.setdefault(thing, len(numbers)) for thing in things)

    def _shares(self, first: Sequence[frozenset[int]], second: Sequence[frozenset[int]]) -> NDArray[np.bool_]:
        has = np.zeros((2, self.num_types, self.num_blockers))
        for player, each in enumerate((first, second)):
            for number, things in enumerate(each):
                has[player, number, list(things)] = 1.0
        result: NDArray[np.bool_] = has[0] @ has[1].T > 0.0
        return result

    def free(self, blocked: frozenset[int]) -> NDArray[np.bool_]:
        """bool (2, k): the types that hold none of the given blockers."""
        result = np.ones((2, self.num_types), np.bool_)
        for player, each in enumerate(self.holds):
            result[player, : len(each)] = [not things & blocked for things in each]
        return result

    def _strengths(self, name: Any, given: Any) -> FloatArray:
        numbers = self._numbers(f"strengths: {name}", given)
        others = {things: number for number, things in enumerate(self.holds[1]) if len(things) == 2}
        for number, things in enumerate(self.holds[0]):
            if things in others and numbers[0, number] != numbers[1, others[things]]:
                what = f"{self.types[0][number]} and {self.types[1][others[things]]} have the same two blockers"
                raise ValueError(f"strengths: {name}: {what}, and must be equally strong")
        return numbers

    def outcome(self, description: Any, state: Any) -> tuple[float, Any]:
        """The answer of `payoff_strength`, checked."""
        answer = description.payoff_strength(state)
        if not (isinstance(answer, tuple) and len(answer) == 2):
            raise ValueError(f"{shown(answer)} is not a pair (number, name of strengths or None)")
        amount = finite(answer[0])
        if amount is None:
            raise ValueError(f"{shown(answer[0])} is not a finite number")
        if answer[1] is not None and answer[1] not in self.strengths:
            raise ValueError(f"no strengths have the name {shown(answer[1])}")
        return amount, answer[1]


def _places(description: Any, types: tuple[Any, Any]) -> list[int]:
    return [list(names).index(own) for names, own in zip(description.types, types, strict=True)]


def ranked_payoff(description: Any, state: Any, first: Any, second: Any) -> float:
    """The payoff to player 0 at the end, given the types."""
    amount, name = description.payoff_strength(state)
    sign = 1
    if name is not None:
        mine, its = (
            each[n] for each, n in zip(description.strengths[name], _places(description, (first, second)), strict=True)
        )
        sign = (mine > its) - (mine < its)
    return float(amount) * sign + float(getattr(description, "base", 0.0))


def ranked_chance(description: Any, state: Any, name: Any, first: Any, second: Any) -> float:
    """The probability of a chance move, given the types."""
    blocked = {*description.blocks(state, name)} if hasattr(description, "blocks") else set()
    held = getattr(description, "blockers", None)
    places = zip((0, 1), _places(description, (first, second)), strict=True)
    if held is not None and any(blocked & {*held[player][number]} for player, number in places):
        return 0.0
    return float(description.chance(state, name))


class RankedLeaves(NamedTuple):
    """The ends of a game. Arrays are (num_leaves,), by leaf class."""

    order: IntArray
    """int32: the strengths that decide; -1 if none do."""
    amount: FloatArray
    """The payoff to player 0, or to the stronger from the weaker."""


class Dealt(NamedTuple):
    """The results of chance moves, by node."""

    blocked: IntArray
    """int32 (num_nodes,): the number of the node in `free`."""
    chance: FloatArray
    """(num_nodes,): the probability of the chance moves so far, for types that they do not block."""
    free: NDArray[np.bool_]
    """bool (num_sets, 2, k): types that nothing on the table blocks."""


class RankedWalk(HistoryWalk[Any]):
    """A walk through all histories of a ranked description."""

    def __init__(self, description: Any, maximum_nodes: int, walked: Callable[[int], object] | None = None) -> None:
        super().__init__(description, maximum_nodes, walked)
        if callable(getattr(description, "knows", None)):
            raise ValueError("description: with payoff_strength, players know their types; leave out knows")
        self.ranked = RankedTypes(description)
        self._sets: dict[frozenset[int], int] = {frozenset(): 0}
        self._free = [self.ranked.free(frozenset())]
        self._blocked, self._chance = [0], [1.0]  # by node
        self._checked: set[Any] = set()
        self.leaves: list[int] = []
        self._outcomes: list[tuple[int, float]] = []
        self._orders = {name: number for number, name in enumerate(self.ranked.strengths)}

    def run(self) -> None:
        waiting = [(0, self.description.root(), frozenset[int]())]
        while waiting:
            self._tell()
            node, state, blocked = waiting.pop()
            owner = self._mover(node, state)
            if owner is None:
                self.leaves.append(node)
                self._outcomes.append(self._outcome(node, state))
                continue
            self._owner[node] = owner
            moves = self._moves(node, state)
            after = [(1.0, blocked)] * len(moves)
            if owner == CHANCE:
                moves, after = self._possible(node, state, moves, blocked)
            first = self._add(node, [name for name, _ in moves])
            self._chance += [self._chance[node] * chance for chance, _ in after]
            self._blocked += [self._number(held) for _, held in after]
            waiting += reversed([(first + n, moves[n][1], after[n][1]) for n in range(len(moves))])

    def _outcome(self, node: int, state: Any) -> tuple[int, float]:
        try:
            amount, name = self.ranked.outcome(self.description, state)
        except ValueError as error:
            raise self.wrong("payoff_strength", node, str(error)) from error
        return -1 if name is None else self._orders[name], amount

    def _number(self, blocked: frozenset[int]) -> int:
        if blocked not in self._sets:
            self._sets[blocked] = len(self._sets)
            self._free.append(self.ranked.free(blocked))
        return self._sets[blocked]

    def _possible(
        self, node: int, state: Any, moves: list[tuple[Any, Any]], blocked: frozenset[int]
    ) -> tuple[list[tuple[Any, Any]], list[tuple[float, frozenset[int]]]]:
        chances, after = [], []
        blocks = getattr(self.description, "blocks", lambda state, name: ())
        for name, _ in moves:
            answer = self.ask("chance", node, state, name)
            chance = probability(answer)
            if chance is None:
                raise self.wrong("chance", node, f"{shown(answer)} for {name} is not a probability")
            chances.append(chance)
            after.append(blocked | self.ranked.numbers_of(f"blocks of {name}", blocks(state, name)))
        if (key := (blocked, tuple(chances), tuple(after))) not in self._checked:
            free = np.stack([self._free[self._number(each)] for each in after]).astype(np.float64)
            totals = (free[:, 0] * np.array(chances)[:, None]).T @ free[:, 1]
            first, second = self._free[self._number(blocked)]
            possible = (self.ranked.prior > 0.0) & first[:, None] & second
            wrong = possible & (np.abs(totals - 1.0) > SUM_TOLERANCE)
            if wrong.any():
                i, j = np.argwhere(wrong)[0].tolist()
                names = f"{self.ranked.types[0][i]} and {self.ranked.types[1][j]}"
                raise self.wrong("chance", node, f"the probabilities for {names} sum to {float(totals[i, j])!r}, not 1")
            self._checked.add(key)
        kept = [number for number, chance in enumerate(chances) if chance > 0.0]
        return [moves[number] for number in kept], [(chances[number], after[number]) for number in kept]

    def size(self) -> GameSize:
        megabytes = megabytes_of_rows(self.num_nodes, self.ranked.num_types)
        num_leaves, largest = len(self.leaves), max(map(len, self.ranked.types))
        return GameSize(self.num_nodes, num_leaves, largest, num_leaves, 0.0, megabytes)

    def game(self, name: str) -> BuiltGame:
        """The game, with payoff matrices if it has at most 64 types."""
        ranked, leaf_class = self.ranked, np.full(self.num_nodes, -1, np.int32)
        leaf_class[self.leaves] = np.arange(len(self.leaves))
        parent: IntArray = np.array(self._parent, np.int32)
        owner: ByteArray = np.array(self._owner, np.int8)
        tree = NamedTree(parent, owner, leaf_class, tuple(self._names), num_types=ranked.num_types)
        order, amount = map(np.array, zip(*self._outcomes, strict=True))
        dealt = Dealt(np.array(self._blocked, np.int32), np.array(self._chance), np.array(self._free))
        game = RankedGame(
            tree,
            np.zeros((0, ranked.num_types, ranked.num_types)),
            ranked.prior,
            types=ranked.types,
            name=name,
            leaves=RankedLeaves(order.astype(np.int32), amount.astype(np.float64)),
            happened=dealt,
            weights=ranked.weights,
            blockers=ranked.blockers,
            strengths=np.array([*ranked.strengths.values()]).reshape(-1, 2, ranked.num_types),
            base=ranked.base,
        )
        return game if game.is_wide else game.with_matrices()


@dataclass(frozen=True, eq=False)
class RankedGame(BuiltGame):
    """A game with more than 64 types whose payoffs follow from strengths and blockers. `payoffs` has no entry."""

    leaves: RankedLeaves = field(kw_only=True)
    happened: Dealt = field(kw_only=True)
    weights: FloatArray = field(kw_only=True)
    """float64 (2, k), by player and type. The product of two is the prior of types that have no blocker in common."""
    blockers: IntArray = field(kw_only=True)
    """int32 (2, k, 2): the numbers of a type's blockers, -1 for none."""
    strengths: FloatArray = field(kw_only=True)
    """float64 (num_orders, 2, k): strengths by order, player and type."""
    base: float = field(kw_only=True)
    """An additional payoff to player 0."""

    def __post_init__(self) -> None:
        pass  # the walk has checked everything

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(RankedGame, **{each.name: getattr(self, each.name) for each in fields(self)}), ()

    in_lanes = False

    def sweeps(self) -> tuple[Any, Any]:
        from . import ranked_kernels

        return ranked_kernels, self.ranked_arrays

    @cached_property
    def ranked_arrays(self) -> RankedArrays:
        return arrays_of(self)

    def _told(self) -> Iterator[bytes]:
        told = (*self.leaves, *self.happened, self.weights, self.blockers, self.strengths, np.array(self.base))
        yield from (np.ascontiguousarray(array).tobytes() for array in told)

    @property
    def largest_payoff(self) -> float:
        return float(np.abs(self.leaves.amount).max()) + abs(self.base)

    @property
    def largest_difference(self) -> float:
        amount = self.leaves.amount
        highest = np.where(self.leaves.order >= 0, np.abs(amount), amount).max()
        return float(highest - np.where(self.leaves.order >= 0, -np.abs(amount), amount).min())

    def dealt(self, node: int) -> FloatArray:
        first, second = self.happened.free[self.happened.blocked[node]]
        result: FloatArray = self.prior * (first[:, None] & second) * self.happened.chance[node]
        return result

    def paid(self, leaf: int) -> FloatArray:
        return (self._matrix(leaf) + self.base) * self.dealt(leaf)

    def _matrix(self, leaf: int) -> FloatArray:
        number = int(self.tree.leaf_class[leaf])
        order, amount = int(self.leaves.order[number]), float(self.leaves.amount[number])
        result = np.ones_like(self.prior)
        if order >= 0:
            result = np.sign(np.subtract.outer(*self.strengths[order]))
        return amount * result

    def _met(self, reach: FloatArray, player: int) -> FloatArray:
        result = np.zeros_like(reach)
        for number, free in enumerate(self.happened.free):
            nodes = np.flatnonzero(self.happened.blocked == number)
            prior = self.prior * (free[0][:, None] & free[1])
            met = reach[nodes] @ (prior if player == 0 else prior.T).T
            result[nodes] = met * self.happened.chance[nodes][:, None]
        return result

    @cached_property
    def _chance_reach(self) -> ChanceReach:
        reaches: dict[Any, int] = {}
        pairs = zip(self.happened.blocked.tolist(), self.happened.chance.tolist(), strict=True)
        table_of = np.array([reaches.setdefault(each, len(reaches)) for each in pairs], np.int32)
        free = self.happened.free[[blocked for blocked, _ in reaches]]
        tables = np.array([chance for _, chance in reaches])[:, None, None] * (free[:, 0, :, None] & free[:, 1, None])
        return ChanceReach(table_of, tables)

    def with_matrices(self) -> BuiltGame:
        """The same game with a payoff matrix for each leaf class, for few types."""
        tree, reach = self.tree, self._chance_reach
        leaves = np.flatnonzero(tree.leaf_class >= 0)
        classes: dict[Any, int] = {}
        leaf_class = np.full(tree.num_nodes, -1, np.int32)
        told = zip(*self.leaves, reach.table_of[leaves].tolist(), strict=True)
        leaf_class[leaves] = [classes.setdefault(each, len(classes)) for each in told]
        first = leaves[np.unique(leaf_class[leaves], return_index=True)[1]].tolist()
        payoffs = np.stack([(self._matrix(leaf) + self.base) * reach.tables[reach.table_of[leaf]] for leaf in first])
        again = NamedTree(tree.parent, tree.owner, leaf_class, tree.names, num_types=tree.num_types)
        chance = reach if CHANCE in tree.owner else None
        return BuiltGame(
            again, payoffs * (self.prior > 0.0), self.prior, types=self.types, chance=chance, name=self.name
        )

    @cached_property
    def sampled_arrays(self) -> SampledArrays:
        """The game in the form that sampling.py takes, without `base`, which does not change regrets."""
        leaves = np.flatnonzero(self.tree.leaf_class >= 0)
        keys = np.stack([self.leaves.order, self.happened.blocked[leaves]], axis=1)
        _, first, matrix = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        ones = self.leaves._replace(amount=np.ones_like(self.leaves.amount))
        plain, free = replace(self, leaves=ones), self.happened.free[keys[first, 1]]
        signs = np.stack([plain._matrix(leaf) for leaf in leaves[first].tolist()])
        payoffs = signs * (free[:, 0, :, None] & free[:, 1, None])
        shared = SharedMatrices(matrix.reshape(-1), self.leaves.amount * self.happened.chance[leaves])
        chance = self._chance_reach if CHANCE in self.tree.owner else None
        return Game(self.tree, payoffs, self.prior, shared=shared, chance=chance).sampled_arrays


def arrays_of(game: RankedGame) -> RankedArrays:
    """A game in the form that ranked_kernels.py takes."""
    from .ranked_kernels import LANES, Groups, RankedArrays

    tree = game.tree
    weight = np.zeros((2, row_type(tree.num_types).itemsize // 8))
    weight[:, : tree.num_types] = game.weights
    part, row, root_row = _parts(tree)
    num_parts = int(part.max()) + 1
    decisions = tree.decision_nodes
    decisions = decisions[np.argsort(part[decisions], kind="stable")]
    reach_row = np.zeros((2, tree.num_nodes), np.int32)
    root_reach_row = np.zeros((2, num_parts), np.int32)
    of_root = np.flatnonzero(root_row >= 0)
    for node in range(1, tree.num_nodes):
        parent, mover = tree.parent[node], tree.mover[node]
        reach_row[:, node] = reach_row[:, parent]
        if mover in (0, 1):
            reach_row[mover, node] = row[node]
        if root_row[node] >= 0:
            root_reach_row[:, part[node]] = reach_row[:, node]
            reach_row[:, node] = 0
    leaves = np.flatnonzero(tree.leaf_class >= 0)
    order, factor = np.full(tree.num_nodes, -1, np.int32), np.zeros(tree.num_nodes)
    order[leaves] = game.leaves.order[tree.leaf_class[leaves]]
    factor[leaves] = game.leaves.amount[tree.leaf_class[leaves]] * game.happened.chance[leaves]
    keys: dict[tuple[int, int], int] = {}
    together: dict[tuple[int, int, bool], list[int]] = {}
    for leaf in leaves.tolist():
        key = int(order[leaf]), int(game.happened.blocked[leaf])
        table = keys.setdefault(key, len(keys))
        together.setdefault((int(part[leaf]), table, key[0] >= 0), []).append(leaf)
    groups = [
        (*key, some[start : start + LANES])
        for key, some in sorted(together.items())
        for start in range(0, len(some), LANES)
    ]
    members = np.full((len(groups), LANES), -1, np.int32)
    for number, (*_, some) in enumerate(groups):
        members[number, : len(some)] = some
    of_part = [each[0] for each in groups]
    child_row = np.where(tree.first_child >= 0, np.where(root_row >= 0, root_row, row)[tree.first_child], 0)
    root_rows = np.zeros(num_parts, np.int32)
    root_rows[part[of_root]] = root_row[of_root]
    marginals = np.stack([game.prior.sum(axis=1), -game.prior.sum(axis=0)])
    return RankedArrays(
        owner=tree.owner,
        first_child=tree.first_child,
        num_children=tree.num_children,
        decisions=decisions,
        part_start=np.searchsorted(part[decisions], np.arange(num_parts + 1)).astype(np.int32),
        group_start=np.searchsorted(of_part, np.arange(num_parts + 1)).astype(np.int32),
        row=row,
        child_row=child_row.astype(np.int32),
        reach_row=reach_row,
        root_row=root_rows,
        root_reach_row=root_reach_row,
        num_rows=int(max(row.max(), root_row.max())) + 1,
        groups=Groups(
            np.array([each[1] for each in groups], np.int32), np.array([each[2] for each in groups], np.bool_), members
        ),
        tables=_tables(game, list(keys)),
        factor=factor,
        weight=weight,
        base=game.base * marginals,
        visits=2 * tree.num_decision_nodes,
    )


def _parts(tree: PublicTree) -> tuple[IntArray, IntArray, IntArray]:
    """Each node's part, its row in the part, and its row in the last part if it is the root of a part, otherwise -1."""
    arrays = tree.sweep_arrays
    decisions, ends = tree.decision_nodes, arrays.subtree_end
    chances = np.r_[0, np.cumsum(tree.owner[decisions] == CHANCE)]  # chance nodes before each decision
    roots = np.flatnonzero((chances[ends] == chances[:-1]) & (tree.mover[decisions] == CHANCE))
    part = np.full(tree.num_nodes, len(roots), np.int32)
    row, root_row = np.zeros(tree.num_nodes, np.int32), np.full(tree.num_nodes, -1, np.int32)
    for number, root in enumerate(roots.tolist()):
        first, end = arrays.first_child[root], arrays.first_child[ends[root]]
        part[first:end] = number
        row[first:end] = np.arange(1, end - first + 1)
        part[decisions[root]] = number
    last = np.flatnonzero((part == len(roots)) | (tree.mover == CHANCE))
    rows_of_last = np.arange(len(last))
    is_root = np.isin(last, decisions[roots])
    root_row[last[is_root]] = rows_of_last[is_root]
    row[last[~is_root]] = rows_of_last[~is_root]
    return part, row, root_row


def _tables(game: RankedGame, keys: list[tuple[int, int]]) -> Tables:
    from .ranked_kernels import Tables

    start, size = np.zeros((2, len(keys), 2), np.int32)
    num_blockers = int(game.blockers.max()) + 1
    entries: list[list[int]] = []  # type, rank, two blockers, same
    holds = [[frozenset(each) - {-1} for each in player] for player in game.blockers.tolist()]
    for table, (order, blocked) in enumerate(keys):
        strength = np.zeros_like(game.weights) if order < 0 else game.strengths[order]
        ranks = np.unique(strength, return_inverse=True)[1].reshape(strength.shape)
        sorted_types = []
        for player in (0, 1):
            usable = np.flatnonzero(game.happened.free[blocked, player] & (game.weights[player] > 0.0))
            sorted_types.append(usable[np.argsort(ranks[player, usable], kind="stable")].tolist())
        for player in (0, 1):
            start[table, player], size[table, player] = len(entries), len(sorted_types[player])
            places = {holds[1 - player][number]: place for place, number in enumerate(sorted_types[1 - player])}
            for number in sorted_types[player]:
                held = holds[player][number]
                same = places.get(held, -1) if len(held) == 2 else -1
                entries.append([number, int(ranks[player, number]), *game.blockers[player, number].tolist(), same])
    columns = np.array(entries, np.int32).reshape(-1, 5).T
    types, rank, first, second, partner = map(np.ascontiguousarray, columns)
    read, write = (
        [np.where(each < 0, other, each) for each in (first, second)] for other in (num_blockers, num_blockers + 1)
    )
    return Tables(start, size, types, rank, (read[0], read[1]), (write[0], write[1]), partner, num_blockers + 2)
