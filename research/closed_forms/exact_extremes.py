"""Proofs that an optimal strategy has a sum of probabilities, and that no optimal strategy has more."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from face_programs import Extremes
from optimal_sets import Answer, Move, OptimalSet, Plan

COARSE = 1_000  # a second try for denominators
WEIGHTS = [Fraction(2**power) for power in (4, 10, 16, 22, 28)]


def total(coefficients: Mapping[Move, Fraction], plan: Plan) -> Fraction:
    return sum((number * plan.get(move, Fraction(0)) for move, number in coefficients.items()), Fraction(0))


class NotProvedError(ValueError):
    """What a linear program says could not be made exact."""


class Prover:
    """Extremes over the optimal strategies of a player, proved. value: of the game to the first mover."""

    def __init__(self, extremes: Extremes, found: OptimalSet, other: OptimalSet, value: Fraction) -> None:
        self._extremes, self._found, self._other = extremes, found, other
        self._value = value if found.player == 0 else -value

    def largest(self, coefficients: Mapping[Move, Fraction]) -> Fraction:
        """The largest value of a sum of coefficients times probabilities (of all moves up to one). Proved:

        - some optimal strategy has it;
        - a plan of the adversary is found against which the player, were it paid the coefficients besides what the
          game is worth, would get no more than this value more than a guaranteed one: an optimal strategy, which gets
          at least the value of the game, has no more.

        ValueError if either fails, NotProvedError if it is the second.
        """
        largest, plan, shadow = self._extremes.largest(coefficients)
        if total(coefficients, self._checked(plan)) != largest:
            raise ValueError("another sum")
        try:
            self._bound(coefficients, shadow, largest)
        except NotProvedError:
            self._bound(coefficients, self._extremes.shadow(COARSE), largest)
        return largest

    def best(self, coefficients: Mapping[Move, Fraction]) -> Plan:
        """A strategy with the largest sum among the optimal ones. Only its optimality is proved, not the sum."""
        return self._checked(self._extremes.largest(coefficients)[1])

    def _checked(self, plan: Plan) -> Plan:
        """The plan with its total, mended if need be; ValueError unless it is optimal."""
        plan = {**plan, **{(0, goal): Fraction(1) for goal in range(3)}}
        try:
            self._found.duel.check(self._found.player, plan)
        except ValueError:
            plan = self._extremes.mended()
        if Answer(self._found.duel, self._found.player, plan).value != -self._value:
            raise ValueError("a plan that is not optimal")
        return plan

    def _bound(self, coefficients: Mapping[Move, Fraction], shadow: Plan, largest: Fraction) -> None:
        """The adversary's plan is the shadow and so much of an inner optimal plan that nothing is below 0."""
        inner, duel, player = self._other.plan, self._found.duel, self._other.player
        first = [move for move in shadow if duel.last[player][duel.parent[move[0]]] == 0]
        node = min((duel.parent[move[0]] for move in first), default=0)
        mass = sum((shadow[move] for move in first if duel.parent[move[0]] == node and move[1] == 0), Fraction(0))
        for weight in WEIGHTS:
            plan = {move: shadow.get(move, Fraction(0)) + weight * inner.get(move, 0) for move in {*shadow, *inner}}
            plan.update({(0, goal): mass + weight for goal in range(3)})
            if min(plan.values()) >= 0:
                try:
                    answer = Answer(duel, player, plan, coefficients)
                except ValueError:
                    break
                if answer.value - (mass + weight) * self._value <= largest:
                    return
        raise NotProvedError("a bound that was not proved")
