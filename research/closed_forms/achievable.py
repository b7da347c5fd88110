"""All that pure strategies of a seat can achieve: what best responses get, and how long the table is.

What is below a position depends on its board alone, and there are 749 boards up to symmetry. For each of them, and each
set of goals that may have come there, there is a list of all that pure play from there on can achieve: what a best
response gets, for each of the adversary's goals, and at what costs. An entry is dropped if another one is at least as
good everywhere. When the adversary moves, entries of the replies combine: the most of what a best response gets, the
sum of the costs. When the seat moves, the goals divide into groups, one for each move made. At the empty board a
strategy is optimal when what a best response gets adds up to the value. Nothing is rounded: all numbers are integers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from math import lcm, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from plans import ALL, GOALS, Moves, Plan, Point, Round, outcomes

from tictactoe.games.board import Board
from tictactoe.games.rules import Goal

Rows = NDArray[np.int64]
"""What pure play can achieve. By point and goal of the adversary, what a best response gets, times the denominator of
the points; then the costs. Smaller numbers are better."""
Parts = list[tuple[int, Rows]]
"""Types, and what they can achieve in one of the ways that a position goes on."""
Points = Sequence[tuple[Fraction, Fraction]]

Type = tuple[Goal, frozenset[str]]
"""A goal, and plans in which it plays alike. Sets of types are numbers: bit 0 is the first type."""
WHOLE_GOALS: Sequence[Type] = [(goal, ALL) for goal in Goal]


@cache
def divisions(types: int) -> list[list[int]]:
    """The ways to divide a set into groups."""
    if not types:
        return [[]]
    lowest = types & -types
    rest, found, group = types - lowest, [], types - lowest
    while True:
        found += [[lowest | group, *others] for others in divisions(rest - group)]
        if not group:
            return found
        group = (group - 1) & rest


def nine_values(seat: int, b: Fraction, n: Fraction) -> Fraction:
    """9 times what the adversary of the seat gets when both play well, where b <= n."""
    return (3 * b + n - 1) * (-1 if seat == 0 else 1)


def undominated(rows: Rows) -> Rows:
    """The rows that no other row dominates, by being at most as large in every column."""
    if not len(rows):
        return rows
    rows = np.unique(rows, axis=0)
    rows = rows[np.argsort(rows.sum(axis=1), kind="stable")]
    left = np.ones(len(rows), bool)
    for index, row in enumerate(rows):
        if left[index]:
            left[index + 1 :] &= (rows[index + 1 :] < row).any(axis=1)
    return rows[left]


def turns(free: int) -> int:
    """In how many ways a player who moves next can mark squares when `free` are free and the other one moves, too."""
    return prod(range(free, 0, -2))


@cache
def boards_of(game: Round) -> list[Board]:
    """By node."""
    boards = [Board()]
    for node, above in enumerate(game.tree.parent.tolist()[1:], 1):
        boards.append(boards[above].play(game.square[node]))
    return boards


class Search:
    """All that pure strategies of a seat can achieve at some points (b, n).

    costs: of "moves", "positions" and "mistakes", the columns that follow what best responses get. The last one is the
    sum, over k from 1 to `most_random`, of what an adversary gets on average who marks k squares at random and plays
    perfectly from then on, at the first of the points (times a number, see `mistakes`). path: moves that are given.
    types: what plays alike. caps: by point and goal, what a best response may get, if that is known; only that is kept.
    """

    def __init__(
        self,
        game: Round,
        seat: int,
        points: Points,
        costs: Sequence[str] = ("moves",),
        path: Moves | None = None,
        types: Sequence[Type] = WHOLE_GOALS,
        caps: Sequence[Fraction] | None = None,
    ) -> None:
        self._game, self._seat, self._costs = game, seat, tuple(costs)
        self._points, self._types = points, types
        self._width = len(Goal) * len(points)
        self.most_random = 4 + seat  # so often the adversary moves in a round
        self._boards = boards_of(game)
        worth = {end: [self._worth(end, own, plans) for own, plans in types] for end in outcomes(game.tree.rules)}
        self.denominator = lcm(*(one.denominator for rows in worth.values() for row in rows for one in row))
        self._gains = {int(end): self._integers(rows) for end, rows in worth.items()}
        self._least = np.min(list(self._gains.values()), axis=0)
        self._caps = None if caps is None else self._integers(caps)
        self._given = {
            game.find(history): {
                GOALS.index(goal): game.find(f"{history}{square}")
                for goals, squares in by_goals.items()
                for square in squares
                for goal in goals
            }
            for history, by_goals in (path or {}).items()
        }
        self._known: dict[tuple[int | Board, int], Rows] = {}

    @property
    def everybody(self) -> int:
        return (1 << len(self._types)) - 1

    def gains(self, row: Rows) -> list[Fraction]:
        """By point and goal of the adversary: what a best response gets."""
        return [Fraction(int(number), self.denominator) for number in row[: self._width]]

    def least_gains(self) -> list[Fraction]:
        """The same, of rounds that end as badly for the adversary as they can."""
        return self.gains(self._least.sum(axis=0))

    def _worth(self, outcome: int, own: Goal, plans: frozenset[str]) -> list[Fraction]:
        """By point and goal of the adversary."""
        reach = tuple(plans if goal == own else frozenset("") for goal in Goal)
        points = [Point(self._game.tree.rules, *point) for point in self._points]
        return [one for point in points for one in point.leaf(self._seat, outcome, reach)]

    def _integers(self, numbers: Any) -> Rows:
        scaled = np.array(numbers) * self.denominator
        whole: Rows = np.floor(scaled).astype(np.int64)  # caps may be between integers
        return whole

    def within(self, rows: Rows, types: int) -> Rows:
        """Those that can be within the caps whatever the other types do."""
        if self._caps is None:
            return rows
        others = [at for at in range(len(self._types)) if not types >> at & 1]
        kept: Rows = rows[(rows[:, : self._width] <= self._caps - self._least[others].sum(axis=0)).all(axis=1)]
        return kept

    def optimal(self) -> Rows:
        """The costs of strategies that are optimal at all of the points: all of what they achieve, a row for every
        trade of one cost for another, the least first cost first."""
        rows = self.rows(0, self.everybody)
        for at, (b, n) in enumerate(self._points):
            total = rows[:, len(Goal) * at : len(Goal) * (at + 1)].sum(axis=1)
            value = nine_values(self._seat, b, n) * self.denominator
            if total.min() < value:
                raise SystemExit("the adversary gets less than the value")
            rows = rows[total == int(value)]
        rows = rows[np.lexsort(rows[:, self._width :].T[::-1])]
        costs = rows[:, self._width :]
        return rows[[not (costs[:at] <= one).all(axis=1).any() for at, one in enumerate(costs)]]

    def rows(self, node: int, types: int) -> Rows:
        """All that can be achieved from the node on with the types that get there."""
        key = (node if node in self._given else self._boards[node].canonical(), types)
        if key not in self._known:
            found = [self._combined(node, parts)[-1] + more for more, parts in self._ways(node, types)]
            self._known[key] = undominated(self.within(np.vstack(found), types))
            if self._game.outcome[node] < 0 and self._game.owner[node] != self._seat:
                self._known[key] = self._with_best_responses(node, self._known[key])
        return self._known[key]

    def _ways(self, node: int, types: int) -> Iterator[tuple[Rows, Parts]]:
        """The ways to go on: what is to be added, and what is possible in each of the parts that follow."""
        game, nothing = self._game, np.zeros(self._width + len(self._costs), np.int64)
        if (outcome := game.outcome[node]) >= 0:
            worth = nothing.copy()
            worth[: self._width] = sum(gain for at, gain in enumerate(self._gains[outcome]) if types >> at & 1)
            if "mistakes" in self._costs:  # for every k that is at least the number of moves made
                made = max(self._moves_made(node), 1)
                number = (self.most_random + 1 - made) * self._scale(node)
                worth[self._mistakes] = worth[: len(Goal)].sum() * number
            yield worth, []
        elif game.owner[node] != self._seat:
            yield nothing, [(types, self._times(node, one, self.rows(one, types))) for one in game.children[node]]
        else:
            for groups in self._groups(node, types):
                cost = nothing.copy()
                for at, name in enumerate(self._costs, self._width):
                    cost[at] = {"moves": len(groups), "positions": 1, "mistakes": 0}[name]
                yield cost, [(part, np.vstack([self.rows(one, part) for one in moves])) for part, moves in groups]

    def _groups(self, node: int, types: int) -> Iterator[list[tuple[int, list[int]]]]:
        """The ways in which the types may divide: groups, and what the moves of each may be."""
        moves = self._game.children[node]
        if given := self._given.get(node):
            by_child: dict[int, int] = {}
            for at, (goal, _) in enumerate(self._types):
                if types >> at & 1:
                    by_child[given[goal]] = by_child.get(given[goal], 0) | 1 << at
            yield [(part, [child]) for child, part in by_child.items()]
        else:
            yield from ([(part, moves) for part in some] for some in divisions(types) if len(some) <= len(moves))

    def _combined(self, node: int, parts: Parts) -> list[Rows]:
        """What the first part can do, the first two, and so on."""
        if not parts:
            return [np.zeros((1, self._width + len(self._costs)), np.int64)]
        types, rows = parts[0]
        result = [undominated(rows)]
        for more, rows in parts[1:]:
            types |= more
            result.append(undominated(self.within(self._pairs(node, result[-1], undominated(rows)), types)))
        return result

    def _pairs(self, node: int, left: Rows, right: Rows) -> Rows:
        """Every row of the left with every row of the right one."""
        both = left[:, None, :] + right[None, :, :]
        if self._game.owner[node] != self._seat:
            most = slice(None, self._width)
            both[:, :, most] = np.maximum(left[:, None, most], right[None, :, most])
        return both.reshape(-1, left.shape[1])

    # Mistakes: times the number of ways in which the adversary can go on marking squares, so that all are integers.

    @property
    def _mistakes(self) -> int:
        return self._width + self._costs.index("mistakes")

    def mistakes(self, row: Rows) -> Fraction:
        """What the adversary gets on average in a round, over all k."""
        ways = turns(8 + self._seat) * self.denominator * len(Goal) ** 2 * self.most_random
        return Fraction(int(row[self._mistakes]), ways)

    def _moves_made(self, node: int) -> int:
        return (self._boards[node].num_marks + self._seat) // 2

    def _scale(self, node: int) -> int:
        marks = self._boards[node].num_marks
        return turns(9 - marks - (marks % 2 == self._seat))

    def _times(self, node: int, child: int, rows: Rows) -> Rows:
        """The rows of a child of an adversary's node, with mistakes counted once for each square that leads there."""
        if "mistakes" not in self._costs:
            return rows
        board, wanted = self._boards[node], self._boards[child].canonical()
        rows = rows.copy()
        rows[:, self._mistakes] *= sum(board.play(square).canonical() == wanted for square in board.free_squares)
        return rows

    def _with_best_responses(self, node: int, rows: Rows, sign: int = 1) -> Rows:
        """Playing perfectly begins here for one k, if anything random has come before."""
        if "mistakes" in self._costs and self._moves_made(node):
            rows = rows.copy()
            rows[..., self._mistakes] += sign * rows[..., : len(Goal)].sum(axis=-1) * self._scale(node)
        return rows

    def plan(self, row: Rows, node: int = 0) -> Plan:
        """A strategy that achieves what the row of the node says."""
        found: Plan = {}
        self._follow(node, self.everybody, row, found)
        return found

    def _follow(self, node: int, types: int, row: Rows, found: Plan) -> None:
        game = self._game
        if game.outcome[node] >= 0:
            return
        if game.owner[node] != self._seat:
            row = self._with_best_responses(node, row, -1)
        for number, (more, parts) in enumerate(self._ways(node, types)):
            before = self._combined(node, parts)
            if not (before[-1] == row - more).all(axis=1).any():
                continue
            chosen = self._taken_apart(node, row - more, parts, before)
            if game.owner[node] != self._seat:
                for child, one in zip(game.children[node], chosen, strict=True):
                    self._follow(child, types, one // self._times(node, child, np.ones_like(one[None]))[0], found)
                return
            for (part, moves), one in zip(list(self._groups(node, types))[number], chosen, strict=True):
                child = next(child for child in moves if (self.rows(child, part) == one).all(axis=1).any())
                for goal, plans in (some for at, some in enumerate(self._types) if part >> at & 1):
                    found.update({(node, goal, plan): child for plan in plans})
                self._follow(child, part, one, found)
            return
        raise SystemExit(f"{game.name(node)}: a row that nothing leads to")

    def _taken_apart(self, node: int, row: Rows, parts: Parts, before: Sequence[Rows]) -> list[Rows]:
        """A row of each part, which together make the row."""
        chosen: list[Rows] = []
        for (_, rows), left in zip(parts[:0:-1], before[-2::-1], strict=True):
            last = undominated(rows)
            index = int(np.flatnonzero((self._pairs(node, left, last) == row).all(axis=1))[0])
            row = left[index // len(last)]
            chosen.insert(0, last[index % len(last)])
        return [row, *chosen]
