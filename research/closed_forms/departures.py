"""The play on the path, and where the adversary of a seat can leave it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from plans import EVERYBODY, GOALS, Moves, Plan, Point, Reach, Round

from tictactoe.games.rules import Goal

SOLVED_WHOLE = {"51932"}
"""Where the answers to departures of several plans hang together: solved as one, the given moves fixed."""


class Departure(NamedTuple):
    """Where the adversary of a seat leaves the path: the node, who may be there, and by point and goal of the
    adversary the most that it may get from there on."""

    node: int
    reach: Reach
    caps: list[list[Fraction]]


class Line:
    """The play on the path, and the departures from it."""

    def __init__(self, game: Round, moves: Moves, points: Sequence[Point]) -> None:
        self._game = game
        self.points = points
        self._next: dict[tuple[int, int], dict[int, frozenset[str]]] = {}
        for history, by_goal in moves.items():
            node = game.find(history)
            for goals, squares in by_goal.items():
                following = {game.find(f"{history}{square}"): frozenset(plans) for square, plans in squares.items()}
                self._next.update({(node, GOALS.index(goal)): following for goal in goals})
        self._reach: dict[int, tuple[Reach, Reach]] = {}
        self._walk(0, (EVERYBODY, EVERYBODY))

    def _walk(self, node: int, reach: tuple[Reach, Reach]) -> None:
        if not (any(reach[0]) and any(reach[1])):
            return
        self._reach[node] = reach
        seat = self._game.owner[node]
        for child in self._game.children[node]:
            below = tuple(
                plans & self._next.get((node, goal), {}).get(child, frozenset())
                for goal, plans in enumerate(reach[seat])
            )
            self._walk(child, (below, reach[1]) if seat == 0 else (reach[0], below))

    def plan(self) -> Plan:
        """The moves on the path."""
        return {
            (node, goal, plan): next(child for child, plans in self._next[node, goal].items() if plan in plans)
            for node, reach in self._reach.items()
            if self._game.outcome[node] < 0
            for goal in Goal
            for plan in reach[self._game.owner[node]][goal]
        }

    def given(self, node: int, goal: int, plan: str) -> int | None:
        """The child that the path gives for a decision, if it gives one."""
        return next((child for child, plans in self._next.get((node, goal), {}).items() if plan in plans), None)

    def _worth(self, point: Point, seat: int, node: int, other: int) -> Fraction:
        """What the adversary's goal `other` gets below `node` when both stay on the path, times its own chance."""
        if node not in self._reach:
            return Fraction(0)
        reach = self._reach[node]
        if (outcome := self._game.outcome[node]) >= 0:
            return point.chance(reach[1 - seat][other]) * point.leaf(seat, outcome, reach[seat])[other]
        return sum((self._worth(point, seat, child, other) for child in self._game.children[node]), Fraction(0))

    def departures(self, seat: int) -> Iterator[Departure]:
        """Every departure of the adversary of `seat`; SystemExit when one that ends the round gains anything."""
        yield from self._below(seat, 0, [[self._worth(p, seat, 0, other) for other in Goal] for p in self.points])

    def _below(self, seat: int, node: int, caps: list[list[Fraction]]) -> Iterator[Departure]:
        game, reach = self._game, self._reach[node][seat]
        if game.name(node) in SOLVED_WHOLE and game.owner[node] == seat:
            yield Departure(node, reach, caps)
        elif game.owner[node] == seat:
            inner = [child for child in game.children[node] if child in self._reach and game.outcome[child] < 0]
            for child in inner:
                yield from self._below(seat, child, self._split(seat, node, child, caps, len(inner)))
        else:
            for child in game.children[node]:
                if game.outcome[child] >= 0:
                    for point, most in zip(self.points, caps, strict=True):
                        gains = point.leaf(seat, game.outcome[child], reach)
                        if any(gain > cap for gain, cap in zip(gains, most, strict=True)):
                            raise SystemExit(f"{game.name(child)}: the path is no equilibrium")
                elif child in self._reach:
                    yield from self._below(seat, child, caps)
                else:
                    yield Departure(child, reach, caps)

    def _split(
        self, seat: int, node: int, child: int, caps: list[list[Fraction]], num_inner: int
    ) -> list[list[Fraction]]:
        """The caps of the adversary below one of the moves that the seat makes at `node`."""
        game, reach = self._game, self._reach[node]

        def cap(point: Point, most: list[Fraction], other: int) -> Fraction:
            if chance := point.chance(reach[1 - seat][other]):  # it comes here: it gets exactly what the path gives
                return self._worth(point, seat, child, other) / chance
            if num_inner != 1:
                raise SystemExit(f"{game.name(node)}: a cap to be divided")
            leaves = [leaf for leaf in game.children[node] if leaf in self._reach and game.outcome[leaf] >= 0]
            return most[other] - sum(
                point.leaf(seat, game.outcome[leaf], self._reach[leaf][seat])[other] for leaf in leaves
            )

        return [[cap(point, most, other) for other in Goal] for point, most in zip(self.points, caps, strict=True)]
