"""How a round or a match is solved: everything that the result depends on, checked, and as plain data for files."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .rules import UpdateRule, update_rule

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class SmallMoves:
    """The bonus for low-numbered squares: `epsilon` (match value) times a number within +-1, less every iteration."""

    epsilon: float = 0.0
    decay: float = 0.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.epsilon <= 1.0:
            raise ValueError(f"small_move_epsilon: {self.epsilon} is not in 0 to 1")
        if not 0.0 <= self.decay <= 1.0:
            raise ValueError(f"small_move_epsilon_decay: {self.decay} is not in 0 to 1")

    def at(self, iterations: FloatArray) -> FloatArray:
        """The factor of the bonus in the given iterations, counted from 1."""
        return self.epsilon * (1.0 - self.decay) ** (iterations - 1.0)


@dataclass(frozen=True)
class MatchOptions:
    """How a match is solved: everything that the result depends on. Raises ValueError naming the field that is wrong.

    maximum_subgame_exploitability: target for every subgame's NashConv, in match value (-1 to 1).
    check_exploitability_every: iterations from one check, and one update of the recursive values, to the next.
    snapshot_at: the iterations to save beside the last one; None for 0, 1, 10, 100, ...
    """

    winning_score: int = 5
    maximum_subgame_exploitability: float = 1e-6
    check_exploitability_every: int = 10
    rule: UpdateRule = field(default_factory=lambda: update_rule("dcfr"))
    alternate_updates: bool = True
    small_moves: SmallMoves = field(default_factory=SmallMoves)
    snapshot_at: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if self.winning_score < 1:
            raise ValueError(f"winning_score: {self.winning_score} is not at least 1")
        if not 0.0 < self.maximum_subgame_exploitability < math.inf:
            raise ValueError(f"maximum_subgame_exploitability: {self.maximum_subgame_exploitability} is not above 0")
        if self.check_exploitability_every < 1:
            raise ValueError(f"check_exploitability_every: {self.check_exploitability_every} is not at least 1")
        if self.snapshot_at is not None and any(iteration < 0 for iteration in self.snapshot_at):
            raise ValueError("snapshot_at: iterations must be at least 0")

    def next_snapshot(self, iteration: int) -> int | None:
        """The first iteration after `iteration` (-1: from the start) to be saved on schedule, None for no more."""
        if self.snapshot_at is not None:
            return min((at for at in self.snapshot_at if at > iteration), default=None)
        return 0 if iteration < 0 else 10 ** len(str(iteration)) if iteration else 1

    def is_snapshot(self, iteration: int) -> bool:
        """Whether the state after `iteration` iterations is to be saved on schedule."""
        return self.next_snapshot(iteration - 1) == iteration

    def as_dict(self) -> dict[str, Any]:
        """Every field as a number, text, boolean, list or None, by the name of the command's option."""
        return {
            "winning_score": self.winning_score,
            "maximum_subgame_exploitability": self.maximum_subgame_exploitability,
            "check_exploitability_every": self.check_exploitability_every,
            "algorithm": self.rule.algorithm,
            **{f"discount_{name}": value for name, value in self.rule.parameters.items()},
            "alternate_updates": self.alternate_updates,
            "small_move_epsilon": self.small_moves.epsilon,
            "small_move_epsilon_decay": self.small_moves.decay,
            "snapshot_at": None if self.snapshot_at is None else list(self.snapshot_at),
        }
