"""The optimal strategies of a seat as a polytope, in exact arithmetic: their support, and their dimension.

A strategy is given by its plan: for the moves of the seat, by goal, the product of the probabilities of all its moves
up to that one; a plan has a total in the place of the probability 1. Given are plans of both seats, near enough to
inner points of both polytopes. The proof relies on no other property of these plans:

- an exact plan is found where the same moves are made, and where the adversary's moves that are made stay equally good;
- `Answer` computes in whole numbers what an adversary gets against it at most, and what each of its moves loses on the
  way, at least. If that is the value of the game for both seats, both plans are optimal. If, in addition, every move
  of either seat either is made in its plan or loses something against the plan of the other seat, then the moves that
  optimal strategies make at all are those of the plan: a move that loses something against an optimal strategy is in
  no optimal strategy.
- Then an optimal strategy satisfies the equations, and near the plan every solution of the equations is optimal. So
  the dimension of the polytope is the number of unknowns minus the rank of the equations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import lcm

from sparse_equations import Equations

from tictactoe.algorithms.arrays import FloatArray
from tictactoe.algorithms.public_tree import PublicTree

TYPES = range(3)
MADE = 1e-7
"""In a nearly inner plan, moves with a smaller number are not made. Made moves have a hundred times as much."""
STEPS = 2**40
"""What is free in a plan is rounded to multiples of 1/STEPS."""

Move = tuple[int, int]
"""The node that it leads to and the mover's goal."""
Plan = Mapping[Move, Fraction]
"""Its total stands at the root."""


class Duel:
    """A tree as lists, and what its leaves are worth to the first mover: whole numbers.

    worth: [leaf class][type of the first mover][type of the second], payoffs times the chance of the two types.
    """

    def __init__(self, tree: PublicTree, worth: Sequence[Sequence[Sequence[int]]]) -> None:
        self.tree = tree
        self.parent: list[int] = tree.parent.tolist()
        self.owner: list[int] = tree.owner.tolist()
        self.mover: list[int] = tree.mover.tolist()
        self.leaf_class: list[int] = tree.leaf_class.tolist()
        self.children = [tree.children(node) for node in range(tree.num_nodes)]
        self.last = [[0] * tree.num_nodes for _ in TYPES[:2]]  # by player: where its last move on the way led, or 0
        for node in range(1, tree.num_nodes):
            for player in (0, 1):
                self.last[player][node] = node if self.mover[node] == player else self.last[player][self.parent[node]]
        self.losses = [[[[-number for number in row] for row in one] for one in worth], [*map(_transposed, worth)]]
        """[player][leaf class][type of the player][type of the adversary]: what the adversary gets."""

    def moves(self, player: int) -> list[Move]:
        return [(node, goal) for node, mover in enumerate(self.mover) if mover == player for goal in TYPES]

    def check(self, player: int, plan: Plan) -> Fraction:
        """The total of a plan. Raises ValueError if it is no plan of the player."""
        total = plan[0, 0]
        if any(plan[0, goal] != total for goal in TYPES) or min(plan.values()) < 0:
            raise ValueError("no plan: different totals, or something below 0")
        for node, owner in enumerate(self.owner):
            if owner == player:
                for goal in TYPES:
                    made = sum((plan.get((child, goal), Fraction(0)) for child in self.children[node]), Fraction(0))
                    if made != plan.get((self.last[player][node], goal), 0):
                        raise ValueError(f"no plan: the moves from node {node} do not add up")
        return total


def _transposed(matrix: Sequence[Sequence[int]]) -> list[list[int]]:
    return [list(column) for column in zip(*matrix, strict=True)]


class Answer:
    """What the adversary gets against a plan of a player at most, and what each of its moves loses on the way.

    bonus: by a move of the adversary, what it gets for making it, whatever happens later.
    """

    def __init__(self, duel: Duel, player: int, plan: Plan, bonus: Mapping[Move, Fraction] | None = None) -> None:
        duel.check(player, plan)
        bonus = bonus or {}
        self._scale = lcm(*(one.denominator for one in plan.values()), *(one.denominator for one in bonus.values()))
        number = {move: int(one * self._scale) for move, one in plan.items()}
        more = {move: int(one * self._scale) for move, one in bonus.items()}
        values = [[0] * 3 for _ in duel.parent]
        for node in reversed(range(len(values))):
            if (leaf := duel.leaf_class[node]) >= 0:
                before = duel.last[player][node]
                for own in TYPES:
                    if reach := number.get((before, own), 0):
                        gains = duel.losses[player][leaf][own]
                        values[node] = [value + reach * gain for value, gain in zip(values[node], gains, strict=True)]
            else:
                below = [values[child] for child in duel.children[node]]
                best = max if duel.owner[node] != player else sum
                values[node] = [best(column) for column in zip(*below, strict=True)]
            if duel.mover[node] == 1 - player and more:
                values[node] = [value + more.get((node, goal), 0) for goal, value in enumerate(values[node])]
        self.value = Fraction(sum(values[0]), self._scale)
        self._loses: dict[Move, int] = {(0, goal): 0 for goal in TYPES}
        for node, goal in duel.moves(1 - player):
            before = duel.parent[node]
            lost = values[before][goal] - values[node][goal]
            self._loses[node, goal] = self._loses[duel.last[1 - player][before], goal] + lost

    def losing(self) -> set[Move]:
        """The moves of the adversary that lose something, or come after one that does."""
        return {move for move, lost in self._loses.items() if lost}


class OptimalSet:
    """The optimal strategies of a player.

    near, near_other: plans, float64 (num_nodes, 3), of the player and of the adversary, nearly inner points of the two
    sets. values: those of the adversary's information sets against `near`, float64 (num_nodes, 3) by decision node.
    The attributes are proved facts only after `prove` has found no fault.
    """

    def __init__(self, duel: Duel, player: int, near: FloatArray, near_other: FloatArray, values: FloatArray) -> None:
        self.duel, self.player = duel, player
        self.moves = {move for move in duel.moves(player) if near[move] > MADE}
        self.others = {move for move in duel.moves(1 - player) if near_other[move] > MADE}
        self._unknown: dict[tuple[str, int, int], int] = {}
        for node, goal in sorted(self.moves):
            self._index("plan", node, goal)
        self._rows = [*self._flows(), *self._ties()]
        self.equations = Equations(len(self._unknown), self._rows)
        self.dimension = len(self._unknown) - self.equations.rank
        floats = {
            index: (near if kind == "plan" else values)[node, goal]
            for (kind, node, goal), index in self._unknown.items()
        }
        free = {index: Fraction(round(float(floats[index]) * STEPS), STEPS) for index in self.equations.free}
        solved = self.equations.solve(free)
        self.plan: dict[Move, Fraction] = {(0, goal): Fraction(1) for goal in TYPES}
        self.plan.update({move: solved[self._unknown["plan", *move]] for move in self.moves})

    def _index(self, kind: str, node: int, goal: int) -> int:
        return self._unknown.setdefault((kind, node, goal), len(self._unknown))

    def _add(self, row: dict[int, Fraction], node: int, goal: int, number: int) -> Fraction:
        """Add number * the plan at the player's last move before `node` to a row. Returns the part that is known."""
        before = self.duel.last[self.player][node]
        if before == 0:
            return Fraction(number)
        if (before, goal) in self.moves:
            index = self._index("plan", before, goal)
            row[index] = row.get(index, Fraction(0)) + number
        return Fraction(0)

    def _flows(self) -> Iterable[tuple[dict[int, Fraction], Fraction]]:
        """Probabilities add up."""
        for node, owner in enumerate(self.duel.owner):
            if owner == self.player:
                for goal in TYPES:
                    here = [child for child in self.duel.children[node] if (child, goal) in self.moves]
                    row = {self._index("plan", child, goal): Fraction(1) for child in here}
                    known = self._add(row, node, goal, -1)
                    if row:
                        yield row, -known

    def _ties(self) -> Iterable[tuple[dict[int, Fraction], Fraction]]:
        """A move that the adversary makes is worth what its information set is worth."""
        duel = self.duel
        for node, goal in sorted(self.others):
            row = {self._index("value", duel.parent[node], goal): Fraction(1)}
            known = Fraction(0)
            for end in [node] if duel.leaf_class[node] >= 0 else duel.children[node]:
                if (leaf := duel.leaf_class[end]) < 0:
                    row[self._index("value", end, goal)] = Fraction(-1)
                else:
                    for own in TYPES:
                        known += self._add(row, end, own, -duel.losses[self.player][leaf][own][goal])
            yield {index: number for index, number in row.items() if number}, -known

    def dimension_seen(self, moves: Iterable[Move]) -> int:
        """Of what is left of the set when only these moves are looked at: of its projection."""
        fixed = [({self._unknown["plan", *move]: Fraction(1)}, self.plan[move]) for move in moves if move in self.moves]
        return Equations(len(self._unknown), [*self._rows, *fixed]).rank - self.equations.rank


def prove(first: OptimalSet, second: OptimalSet) -> Fraction:
    """The value to the first mover, in the unit of the whole numbers; ValueError if the sets are not what they say."""
    answers = [Answer(one.duel, one.player, one.plan) for one in (first, second)]
    if answers[0].value + answers[1].value != 0:
        raise ValueError("somebody gains something against a plan")
    for one, other, answer in ((first, second, answers[1]), (second, first, answers[0])):
        made = {move for move, chance in one.plan.items() if chance > 0 and move[0]}
        if one.others != other.moves or made != one.moves:
            raise ValueError("the plans do not make the moves that they should")
        if made & answer.losing() or made | answer.losing() != set(one.duel.moves(one.player)):
            raise ValueError("a move neither is made nor loses anything")
    return answers[1].value
