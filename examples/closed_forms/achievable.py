"""All that pure strategies of a seat can achieve: what best responses get, and how long the table is.

What is below a position depends on its board alone, and there are 749 boards up to symmetry. For each of them, and each
set of goals that may have come there, there is a list of all that pure play from there on can achieve: what a best
response gets, for each of the adversary's goals, and at what costs. Of two entries one is dropped when it is nowhere
better. When the adversary moves, entries of the replies combine: the most of what a best response gets, the sum of the
costs. When the seat moves, the goals divide into groups, one for each move made. At the empty board a strategy is
optimal when what a best response gets adds up to the value. Nothing is rounded: all numbers are integers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from math import lcm, prod

import numpy as np
from numpy.typing import NDArray
from plans import GOALS, Moves, Plan, Round, outcomes, to_adversary

from tictactoe.games.board import Board
from tictactoe.games.goals import Goal

Rows = NDArray[np.int64]
"""What pure play can achieve. By point and goal of the adversary, what a best response gets, times the denominator of
the points; then the costs. All of it is to be small."""
Points = Sequence[tuple[Fraction, Fraction]]

DIVISIONS = {
    1: [[1]],
    2: [[2]],
    3: [[3], [1, 2]],
    4: [[4]],
    5: [[5], [1, 4]],
    6: [[6], [2, 4]],
    7: [[7], [1, 6], [2, 5], [4, 3], [1, 2, 4]],
}
"""By set of goals (1 is W, 2 is L, 4 is T, added up): the ways to divide it into groups."""


def nine_values(seat: int, b: Fraction, n: Fraction) -> Fraction:
    """9 times what the adversary of the seat gets when both play well, where b <= n."""
    return (3 * b + n - 1) * (-1 if seat == 0 else 1)


def undominated(rows: Rows) -> Rows:
    """Those rows that no other row is at most as large as in every column."""
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
    """

    def __init__(
        self, game: Round, seat: int, points: Points, costs: Sequence[str] = ("moves",), path: Moves | None = None
    ) -> None:
        self._game, self._seat, self._costs = game, seat, tuple(costs)
        self._points = points
        self.denominator = lcm(*(number.denominator for point in points for number in point))
        self._width = len(Goal) * len(points)
        self.most_random = 4 + seat  # so often the adversary moves in a round
        self._boards = boards_of(game)
        payoffs = [[self.denominator * one for one in (b, Fraction(1), Fraction(-1), n)] for b, n in points]
        gains = [to_adversary(game.tree.rules, seat, one) for one in payoffs]
        self._gains = {
            int(end): np.array([[int(gain) for one in gains for gain in one[end][own]] for own in Goal])
            for end in outcomes(game.tree.rules)
        }
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

    def optimal(self) -> Rows:
        """The costs of strategies that are optimal at all of the points: all of what they achieve, a row for every
        trade of one cost for another, the least first cost first."""
        rows = self.rows(0, 7)
        for at, (b, n) in enumerate(self._points):
            total = rows[:, len(Goal) * at : len(Goal) * (at + 1)].sum(axis=1)
            value = nine_values(self._seat, b, n) * self.denominator
            if total.min() < value:
                raise SystemExit("the adversary gets less than the value")
            rows = rows[total == int(value)]
        rows = rows[np.lexsort(rows[:, self._width :].T[::-1])]
        costs = rows[:, self._width :]
        return rows[[not (costs[:at] <= one).all(axis=1).any() for at, one in enumerate(costs)]]

    def rows(self, node: int, goals: int) -> Rows:
        """All that can be achieved from the node on with the goals that get there."""
        key = (node if node in self._given else self._boards[node].canonical(), goals)
        if key not in self._known:
            ways = list(self._ways(node, goals))
            self._known[key] = undominated(np.vstack([self._combined(node, parts)[-1] + more for more, parts in ways]))
            if self._game.outcome[node] < 0 and self._game.owner[node] != self._seat:
                self._known[key] = self._with_best_responses(node, self._known[key])
        return self._known[key]

    def _ways(self, node: int, goals: int) -> Iterator[tuple[Rows, list[Rows]]]:
        """The ways to go on: what is to be added, and what is possible in each of the parts that follow."""
        game, nothing = self._game, np.zeros(self._width + len(self._costs), np.int64)
        if (outcome := game.outcome[node]) >= 0:
            worth = nothing.copy()
            worth[: self._width] = sum(self._gains[outcome][goal] for goal in Goal if goals >> goal & 1)
            if "mistakes" in self._costs:  # for every k that is at least the number of moves made
                made = max(self._moves_made(node), 1)
                number = (self.most_random + 1 - made) * self._scale(node)
                worth[self._mistakes] = worth[: len(Goal)].sum() * number
            yield worth, []
        elif game.owner[node] != self._seat:
            yield nothing, [self._times(node, child, self.rows(child, goals)) for child in game.children[node]]
        else:
            for groups in self._groups(node, goals):
                cost = nothing.copy()
                for at, name in enumerate(self._costs, self._width):
                    cost[at] = {"moves": len(groups), "positions": 1, "mistakes": 0}[name]
                yield cost, [np.vstack([self.rows(child, part) for child in children]) for part, children in groups]

    def _groups(self, node: int, goals: int) -> Iterator[list[tuple[int, list[int]]]]:
        """The ways in which the goals may divide: groups, and what the moves of each may be."""
        if given := self._given.get(node):
            here = {given[goal] for goal in Goal if goals >> goal & 1}
            yield [(sum(1 << g for g in Goal if goals >> g & 1 and given[g] == child), [child]) for child in here]
        else:
            yield from ([(part, self._game.children[node]) for part in division] for division in DIVISIONS[goals])

    def _combined(self, node: int, parts: Sequence[Rows]) -> list[Rows]:
        """What the first part can do, the first two, and so on."""
        if not parts:
            return [np.zeros((1, self._width + len(self._costs)), np.int64)]
        result = [undominated(parts[0])]
        for part in parts[1:]:
            result.append(undominated(self._pairs(node, result[-1], undominated(part))))
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
        """Of the child of an adversary's node: mistakes count as often as squares lead there."""
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

    def plan(self, row: Rows) -> Plan:
        """A strategy that achieves what the row of the empty board says."""
        found: Plan = {}
        self._follow(0, 7, row, found)
        return found

    def _follow(self, node: int, goals: int, row: Rows, found: Plan) -> None:
        game = self._game
        if game.outcome[node] >= 0:
            return
        if game.owner[node] != self._seat:
            row = self._with_best_responses(node, row, -1)
        for number, (more, parts) in enumerate(self._ways(node, goals)):
            before = self._combined(node, parts)
            if not (before[-1] == row - more).all(axis=1).any():
                continue
            chosen = self._taken_apart(node, row - more, parts, before)
            if game.owner[node] != self._seat:
                for child, one in zip(game.children[node], chosen, strict=True):
                    self._follow(child, goals, one // self._times(node, child, np.ones_like(one[None]))[0], found)
                return
            for (part, children), one in zip(list(self._groups(node, goals))[number], chosen, strict=True):
                child = next(c for c in children if (self.rows(c, part) == one).all(axis=1).any())
                found.update({(node, goal, plan): child for goal in Goal if part >> goal & 1 for plan in "ABC"})
                self._follow(child, part, one, found)
            return
        raise SystemExit(f"{game.name(node)}: a row that nothing leads to")

    def _taken_apart(self, node: int, row: Rows, parts: Sequence[Rows], before: Sequence[Rows]) -> list[Rows]:
        """A row of each part, which together make the row."""
        chosen: list[Rows] = []
        for part, left in zip(parts[:0:-1], before[-2::-1], strict=True):
            last = undominated(part)
            index = int(np.flatnonzero((self._pairs(node, left, last) == row).all(axis=1))[0])
            row = left[index // len(last)]
            chosen.insert(0, last[index % len(last)])
        return [row, *chosen]
