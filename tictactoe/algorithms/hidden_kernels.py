"""The functions of kernels.py for hidden moves, on two trees of information sets and a sparse payoff matrix."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from . import rule_definition
from .arrays import CHANCE, ByteArray, FloatArray, IntArray, Part, SweepState, Workspace
from .compiling import compiled_with
from .wide_kernels import LeafValues
from .wide_kernels import best_response as best_response
from .wide_kernels import expected_value as expected_value
from .wide_kernels import normalise_sums as normalise_sums

_compiled = compiled_with(rule_definition)


class TwoParts(LeafValues, Protocol):
    """A game in the form that these functions take, read-only."""

    @property
    def parts(self) -> tuple[Part, Part]:
        """The parts of player 0 and of player 1."""


def run_stretches(
    game: TwoParts, rules: NDArray[np.float64], length: int, alternate: bool, state: SweepState, work: Workspace
) -> int:
    tree, (first, second) = game.tree.sweep_arrays, game.parts
    shape = tree.owner, tree.first_child, tree.target
    rows: list[Any] = [each.view(np.float64) for each in (*state[:3], work.frozen, work.reach, work.value)]
    run_sweeps(shape, first, second, rules, alternate, *rows)
    return 2 * len(rules) * len(tree.owner)


Shape = tuple[ByteArray, IntArray, IntArray]
"""The arrays owner, first_child and target of the tree."""


@_compiled
def run_sweeps(
    shape: Shape,
    first: Part,
    second: Part,
    rules: NDArray[np.float64],
    alternate: bool,
    regrets: FloatArray,
    sums: FloatArray,
    strategy: FloatArray,
    frozen: FloatArray,
    reach: FloatArray,
    value: FloatArray,
) -> None:
    """Run len(rules) iterations. The arrays are those of `SweepState` and `Workspace`, as float64."""
    for rule in rules:
        if not alternate:
            frozen[:] = strategy
        _sweep(shape, first, second, rule, strategy, regrets, sums, strategy, reach, value)
        _sweep(shape, second, first, rule, strategy if alternate else frozen, regrets, sums, strategy, reach, value)


@_compiled
def _sweep(
    shape: Shape,
    own: Part,
    other: Part,
    rule: NDArray[np.float64],
    met: FloatArray,
    regrets: FloatArray,
    sums: FloatArray,
    strategy: FloatArray,
    reach: FloatArray,
    value: FloatArray,
) -> None:
    owner, first_child, target = shape
    positive, negative = rule[rule_definition.POSITIVE_DISCOUNT], rule[rule_definition.NEGATIVE_DISCOUNT]
    discount, weight = rule[rule_definition.PREDICTION_DISCOUNT], rule[rule_definition.PREDICTION_WEIGHT]
    floor, averaging = rule[rule_definition.FLOOR], rule[rule_definition.AVERAGING_WEIGHT]
    reach[target[1]] = 1.0
    reach[target[2]] = 1.0
    for decision in range(other.first, other.end):
        here = reach[decision]
        for child in range(first_child[decision], first_child[decision + 1]):
            reach[target[child]] = here * met[child]
    for leaf in range(len(own.starts) - 1):
        total = 0.0
        for entry in range(own.starts[leaf], own.starts[leaf + 1]):
            total += own.paid[entry] * reach[own.other[entry]]
        value[own.rows[0] + leaf] = total
    for decision in range(own.first, own.end):
        here = reach[decision]
        weighted = averaging * here if owner[decision] != CHANCE else 0.0
        for child in range(first_child[decision], first_child[decision + 1]):
            reach[target[child]] = here * strategy[child]
            sums[child] += weighted * strategy[child]
    for decision in range(own.end - 1, own.first - 1, -1):
        start, end = first_child[decision], first_child[decision + 1]
        total = 0.0
        if owner[decision] == CHANCE:
            for child in range(start, end):
                total += value[target[child]]
            value[decision] = total
            continue
        for child in range(start, end):
            total += strategy[child] * value[target[child]]
        value[decision] = total
        predictions = 0.0
        for child in range(start, end):
            gained = value[target[child]] - total
            regret = regrets[child]
            regret = max(regret * (positive if regret > 0.0 else negative) + gained, floor)
            regrets[child] = regret
            predicted = max(max(regret, 0.0) * discount + weight * gained, 0.0)
            strategy[child] = predicted
            predictions += predicted
        for child in range(start, end):
            strategy[child] = strategy[child] / predictions if predictions > 0.0 else 1.0 / (end - start)
