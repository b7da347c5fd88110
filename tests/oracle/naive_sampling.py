"""External sampling as plain recursion over single histories; for what arrays are, see naive.py."""

from collections.abc import Callable
from itertools import product

import numpy as np

from .naive import NUM_TYPES, Floats, NaiveGame, normalised, uniform_strategy

MASK = 2**64 - 1


def mixed(bits: int) -> int:
    """SplitMix64's finaliser with Python's integers."""
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB & MASK
    return bits ^ (bits >> 31)


def draw(key: int, number: int) -> float:
    """The draw of that number, a float in 0 to 1, of those that belong to the key."""
    return (mixed((key + (number + 1) * 0x9E3779B97F4A7C15) & MASK) >> 11) * 2.0**-53


class NaiveSampler:
    """External sampling by recursion over single histories, with the draws of the solver under test.

    draw(iteration, player, number): a float in 0 to 1; number -1 is for the goals, others are decision nodes, counted
    in preorder. One `iterate()` updates both players, the second after the first.

    full_average: a player's sweep adds own reach * strategy to the player's own sums, everywhere and for all types.
    Without, it adds the strategy of the opponent's drawn type to the opponent's sums, where moves were drawn.
    draw_own_type: it works on the own type that was drawn. Without, on each one in turn, and what is added to the
    regrets is multiplied with the type's probability, given the opponent's drawn type.
    """

    def __init__(
        self,
        game: NaiveGame,
        draw: Callable[[int, int, int], float],
        *,
        full_average: bool = True,
        draw_own_type: bool = True,
    ) -> None:
        self.game, self._draw = game, draw
        self.full_average, self.draw_own_type = full_average, draw_own_type
        self.iteration = 0
        tree = game.tree
        self.regrets = np.zeros((tree.num_nodes, NUM_TYPES))
        self.strategy_sums = np.zeros((tree.num_nodes, NUM_TYPES))
        self.strategy = uniform_strategy(tree)
        self._number = {int(node): number for number, node in enumerate(tree.decision_nodes)}

    def iterate(self) -> None:
        for player in (0, 1):
            drawn, other = self._types(player)
            if self.full_average:
                self._add_own_to_average(player)
            else:
                self._add_drawn_to_average(player, other)
            chances = {drawn: 1.0} if self.draw_own_type else self._types_that_meet(player, other)
            for own, chance in chances.items():
                self._value(0, player, own, other, chance)
        self.iteration += 1

    def _prior(self, player: int) -> Floats:
        """[opponent's type, own type]."""
        return self.game.prior.T if player == 0 else self.game.prior

    def _types(self, player: int) -> tuple[int, int]:
        """Own and opponent's type, drawn: own fastest, in the order of the prior's rows as the opponent's types go."""
        prior = self._prior(player)
        left = self._draw(self.iteration, player, -1) * prior.sum()
        for other, own in product(range(NUM_TYPES), repeat=2):
            if left < prior[other, own]:
                return own, other
            left -= prior[other, own]
        raise AssertionError

    def _types_that_meet(self, player: int, other: int) -> dict[int, float]:
        """The own types that can meet the opponent's type, with their probabilities given that type."""
        chances = self._prior(player)[other]
        return {own: float(chance / chances.sum()) for own, chance in enumerate(chances) if chance > 0.0}

    def _drawn(self, node: int, player: int, other: int) -> int:
        """The child that the opponent's drawn move leads to."""
        left = self._draw(self.iteration, player, self._number[node])
        children = self.game.tree.children(node)
        for child in children[:-1]:
            left -= self.strategy[child, other]
            if left < 0.0:
                return child
        return children[-1]

    def _value(self, node: int, player: int, own: int, other: int, chance: float) -> float:
        """What the node is worth to one own type; on the way, that type's regrets, times `chance`, and strategies."""
        tree = self.game.tree
        if tree.leaf_class[node] >= 0:
            payoffs = self.game.payoffs[tree.leaf_class[node]]
            return float(payoffs[own, other] if player == 0 else -payoffs[other, own])
        if tree.owner[node] != player:
            return self._value(self._drawn(node, player, other), player, own, other, chance)
        children = list(tree.children(node))
        before = self.strategy[children, own].copy()
        values = np.array([self._value(child, player, own, other, chance) for child in children])
        mean = float(before @ values)
        self.regrets[children, own] += chance * (values - mean)
        self.strategy[children] = normalised(np.maximum(self.regrets[children], 0.0))
        return mean

    def _add_own_to_average(self, player: int) -> None:
        def descend(node: int, reach: Floats) -> None:
            for child in self.game.tree.children(node):
                below = reach
                if self.game.tree.owner[node] == player:
                    below = reach * self.strategy[child]
                    self.strategy_sums[child] += below
                descend(child, below)

        descend(0, np.ones(NUM_TYPES))

    def _add_drawn_to_average(self, player: int, other: int) -> None:
        tree = self.game.tree

        def descend(node: int) -> None:
            if tree.owner[node] == player:
                for child in tree.children(node):
                    descend(child)
            elif tree.leaf_class[node] < 0:
                children = list(tree.children(node))
                self.strategy_sums[children, other] += self.strategy[children, other]
                descend(self._drawn(node, player, other))

        descend(0)
