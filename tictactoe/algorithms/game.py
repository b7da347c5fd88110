"""A two-player zero-sum game: public tree, payoffs, joint prior over private types, optional bonus."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..checked_numbers import finite_number
from .arrays import LARGEST_NUM_TYPES, FloatArray, GameArrays, IntArray, Links, SampledArrays, pieces, plain, rows_of
from .public_tree import PublicTree


class SharedMatrices(NamedTuple):
    """Payoff matrices that leaf classes share: class c has factor[c] times matrix number matrix[c]."""

    matrix: NDArray[np.intp]
    """intp (num_classes,): the matrix of each class."""
    factor: FloatArray
    """float64 (num_classes,): the factor of each class."""


class ChanceReach(NamedTuple):
    """The probabilities of the chance moves of every history, by types."""

    table_of: IntArray
    """int32 (num_nodes,): the table of each node."""
    tables: FloatArray
    """float64 (num_tables, k, k), by table and the types of players 0 and 1: the product of the probabilities of a
    history's chance moves, given these types."""


@dataclass(frozen=True, eq=False)
class Game:
    """A two-player zero-sum game on a public tree. `build_game` makes one from a description.

    Raises ValueError for arrays of the wrong shape, numbers that are not finite, and a prior that is not a joint
    probability.

    >>> from tictactoe import kuhn_poker
    >>> kuhn = kuhn_poker()
    >>> kuhn.payoffs.shape, float(kuhn.prior[0, 0]), float(kuhn.payoffs[2, 0, 1])
    ((4, 3, 3), 0.0, -2.0)
    """

    tree: PublicTree
    payoffs: FloatArray
    """float64 (num_classes, k, k), by leaf class and the types of players 0 and 1: the payoff to player 0 times the
    probability of the chance moves on the way, given these types. k is `tree.num_types`."""
    prior: FloatArray
    """float64 (k, k), by the types of players 0 and 1; its sum is 1."""
    bonus: FloatArray | None = None
    """float64 (num_nodes,): an additional payoff of a leaf to player 0, before an epsilon scales it; None for no
    bonus."""
    shared: SharedMatrices | None = field(default=None, kw_only=True)
    """How leaf classes share `payoffs`, for more than 64 types; None if each class has its own matrix."""
    chance: ChanceReach | None = field(default=None, kw_only=True)
    """The probabilities of the chance moves; None for a game without them, or where they are unknown."""

    def __post_init__(self) -> None:
        num_classes, pair = int(self.tree.leaf_class.max()) + 1, (self.tree.num_types, self.tree.num_types)
        if self.shared is not None:
            matrix, factor = self.shared
            if not self.is_wide:
                raise ValueError(f"shared: only for more than {LARGEST_NUM_TYPES} types")
            if not (len(matrix) == len(factor) >= num_classes and matrix.min() >= 0 and np.all(np.isfinite(factor))):
                raise ValueError("shared: not a matrix and a finite factor for each leaf class")
            num_classes = int(matrix.max()) + 1
        if self.payoffs.shape[1:] != pair or len(self.payoffs) < num_classes:
            raise ValueError(f"payoffs: shape {self.payoffs.shape}, expected {(num_classes, *pair)}")
        if not np.all(np.isfinite(self.payoffs)):
            raise ValueError("payoffs: not all finite")
        if self.prior.shape != pair or not (np.all(self.prior >= 0) and abs(self.prior.sum() - 1) <= 1e-9):
            raise ValueError("prior: not a joint probability of two players' types")
        if self.bonus is not None:
            if self.bonus.shape != (self.tree.num_nodes,):
                raise ValueError(f"bonus: shape {self.bonus.shape}, expected ({self.tree.num_nodes},)")
            if not np.all(np.isfinite(self.bonus)):
                raise ValueError("bonus: not all finite")
            if self.is_wide:
                raise ValueError(f"bonus: only for at most {LARGEST_NUM_TYPES} types")

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Game, shared=self.shared, chance=self.chance), (self.tree, self.payoffs, self.prior, self.bonus)

    @property
    def is_wide(self) -> bool:
        """Whether players have more types than kernels.py takes."""
        return self.tree.num_types > LARGEST_NUM_TYPES

    @property
    def in_lanes(self) -> bool:
        """Whether kernels.py sweeps the game."""
        return not self.is_wide

    def sweeps(self) -> tuple[Any, Any]:
        """The module whose functions sweep this game, and their arrays."""
        if self.is_wide:
            from . import wide_sweep

            return wide_sweep, self.wide_arrays
        from . import kernels

        return kernels, self.arrays

    @cached_property
    def wide_arrays(self) -> Any:
        """The game in the form that wide_sweep.py takes."""
        from .wide_sweep import TiledGame

        weighted = self.payoffs * self.prior
        shared = self.shared or SharedMatrices(np.arange(len(weighted)), np.ones(len(weighted)))
        return TiledGame(self.tree, weighted, *shared)

    @cached_property
    def sampled_arrays(self) -> SampledArrays:
        """The game in the form that sampling.py takes."""
        sweep, num_types = self.tree.sweep_arrays, self.tree.num_types
        group = np.full(len(sweep.owner), -1, np.int32) if sweep.group is None else sweep.group
        payoffs, prior = plain(self.arrays.payoffs), plain(self.arrays.prior)
        payoffs = payoffs.reshape(2, -1, num_types, payoffs.shape[-1])
        matrix, scale = self.shared or SharedMatrices(np.arange(payoffs.shape[1]), np.ones(payoffs.shape[1]))
        met = np.ascontiguousarray(prior.sum(axis=2))
        table_of, tables = self.chance or ChanceReach(np.zeros(0, np.int32), np.zeros((0, num_types, num_types)))
        links, num_decisions = Links(sweep.owner, sweep.first_child, sweep.target), len(sweep.owner)
        return SampledArrays(
            links,
            links,
            np.arange(num_decisions, dtype=np.int32),
            np.arange(self.tree.num_nodes, dtype=np.uint32),
            np.full(num_decisions, -1, np.int32),
            (0, 0),
            group,
            pieces(plain(sweep.partitions)),
            pieces(payoffs),
            matrix,
            scale,
            prior,
            met,
            table_of,
            tables,
        )

    @cached_property
    def arrays(self) -> GameArrays:
        """The game in the form that kernels.py takes."""
        weighted = self.payoffs * self.prior
        payoffs = rows_of(np.stack([weighted.transpose(0, 2, 1), -weighted]))
        prior = rows_of(np.stack([self.prior.T, self.prior]))
        bonus = np.zeros(0) if self.bonus is None else self.bonus
        return GameArrays(self.tree.sweep_arrays, payoffs, prior, bonus)


@dataclass(frozen=True)
class BonusSchedule:
    """The factor of a game's bonus in every iteration.

    Raises ValueError for a number outside 0 to 1, and for a decay that rounding would lose.

    >>> import numpy as np
    >>> from tictactoe import BonusSchedule
    >>> BonusSchedule(0.5, 0.1).at(np.array([1.0, 2.0])).tolist()
    [0.5, 0.45]
    """

    small_move_epsilon: float = 0.0
    """The factor of the bonus in the first iteration, in payoff."""
    small_move_epsilon_decay: float = 0.0
    """The fraction of the factor that every iteration removes."""

    def __post_init__(self) -> None:
        for name, value in vars(self).copy().items():
            object.__setattr__(self, name, finite_number(name, value, 0.0, 1.0))
        decay = self.small_move_epsilon_decay
        if decay > 0.0 and 1.0 - decay == 1.0:
            what = f"{decay} is so small that nothing is ever lost; use 0, or more than 1e-16"
            raise ValueError(f"small_move_epsilon_decay: {what}")

    def at(self, iterations: FloatArray) -> FloatArray:
        """The factor in the given iterations, counted from 1."""
        return self.small_move_epsilon * (1.0 - self.small_move_epsilon_decay) ** (iterations - 1.0)
