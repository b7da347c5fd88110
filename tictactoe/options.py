"""How a round or a match is solved: everything that the result depends on, checked, and as plain data for files."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .match import LARGEST_WINNING_SCORE, SINGLE_ROUND, OutcomeValues, Score
from .rules import UpdateRule, update_rule

LARGEST_OUTCOME_VALUE = 1e100
"""Keeps sums over many iterations finite."""

FloatArray = NDArray[np.float64]

PARAMETER_OPTIONS = {
    "alpha": "discount_alpha", "beta": "discount_beta", "gamma": "discount_gamma", "horizon": "schedule_horizon",
}  # fmt: skip
"""The command's option for parameters of update rules; others are not for the command."""


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
    snapshot_at: the iterations to save beside the last one; None for 0, 1, 10, 100, ... rule: one that does not sample,
    because values that are learnt from noise and passed on do not settle.
    """

    winning_score: int = 5
    maximum_subgame_exploitability: float = 1e-6
    check_exploitability_every: int = 10
    rule: UpdateRule = field(default_factory=lambda: update_rule("dcfr"))
    alternate_updates: bool = True
    small_moves: SmallMoves = field(default_factory=SmallMoves)
    snapshot_at: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.winning_score <= LARGEST_WINNING_SCORE:
            raise ValueError(f"winning_score: {self.winning_score} is not in 1 to {LARGEST_WINNING_SCORE}")
        if not 0.0 < self.maximum_subgame_exploitability < math.inf:
            raise ValueError(f"maximum_subgame_exploitability: {self.maximum_subgame_exploitability} is not above 0")
        if self.check_exploitability_every < 1:
            raise ValueError(f"check_exploitability_every: {self.check_exploitability_every} is not at least 1")
        if self.rule.samples:
            raise ValueError(f"rule: {self.rule.algorithm} samples; a match cannot be solved by it, only a round")
        if self.snapshot_at is not None and any(iteration < 0 for iteration in self.snapshot_at):
            raise ValueError("snapshot_at: iterations must be at least 0")

    def next_snapshot(self, iteration: int) -> int | None:
        """The first iteration after `iteration` (-1: from the start) to be saved on schedule, None for no more."""
        return next_snapshot(self.snapshot_at, iteration)

    def is_snapshot(self, iteration: int) -> bool:
        """Whether the state after `iteration` iterations is to be saved on schedule."""
        return self.next_snapshot(iteration - 1) == iteration

    def as_dict(self) -> dict[str, Any]:
        """Every field as a number, text, boolean, list or None, by the name of the command's option."""
        return {
            "winning_score": self.winning_score,
            "maximum_subgame_exploitability": self.maximum_subgame_exploitability,
            "check_exploitability_every": self.check_exploitability_every,
            **update_options(self.rule, self.alternate_updates, self.small_moves),
            "snapshot_at": None if self.snapshot_at is None else list(self.snapshot_at),
        }


@dataclass(frozen=True)
class RoundOptions:
    """How one round on its own is solved. Raises ValueError naming the field that is wrong.

    outcome_values: what the four results are worth to the first mover; within +-LARGEST_OUTCOME_VALUE.
    score, winning_score: the subgame that they were taken from, None for neither.
    seed: of the draws of a rule that samples; 0 for all others, to which it means nothing.
    """

    iterations: int = 2000
    outcome_values: OutcomeValues = SINGLE_ROUND
    score: Score | None = None
    winning_score: int | None = None
    check_exploitability_every: int = 100
    rule: UpdateRule = field(default_factory=lambda: update_rule("dcfr"))
    alternate_updates: bool = True
    small_moves: SmallMoves = field(default_factory=SmallMoves)
    snapshot_at: tuple[int, ...] | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.seed < 2**63:
            raise ValueError(f"seed: {self.seed} is not in 0 to {2**63 - 1}")
        if self.seed and not self.rule.samples:
            raise ValueError(f"seed: {self.rule.algorithm} draws nothing, got {self.seed}")
        if self.rule.samples and not self.alternate_updates:
            raise ValueError(f"alternate_updates: {self.rule.algorithm} has no other way than to alternate")
        if self.rule.samples and self.small_moves.epsilon > 0.0:
            raise ValueError(f"small_move_epsilon: {self.rule.algorithm} knows no bonus")
        if self.iterations < 1:
            raise ValueError(f"iterations: {self.iterations} is not at least 1")
        if not all(abs(value) <= LARGEST_OUTCOME_VALUE for value in self.outcome_values):
            raise ValueError(f"outcome_values: {self.outcome_values} are not all within +-{LARGEST_OUTCOME_VALUE:g}")
        if self.check_exploitability_every < 1:
            raise ValueError(f"check_exploitability_every: {self.check_exploitability_every} is not at least 1")

    def as_dict(self) -> dict[str, Any]:
        """Everything that the course of the run depends on, as numbers, text, booleans, lists or None."""
        return {
            "outcome_values": list(self.outcome_values),
            "score": None if self.score is None else list(self.score),
            "winning_score": self.winning_score,
            "check_exploitability_every": self.check_exploitability_every,
            **update_options(self.rule, self.alternate_updates, self.small_moves),
            **({"seed": self.seed} if self.rule.samples else {}),
            "snapshot_at": None if self.snapshot_at is None else list(self.snapshot_at),
        }


def next_snapshot(snapshot_at: tuple[int, ...] | None, iteration: int) -> int | None:
    """The first iteration after `iteration` (-1: from the start) in a schedule, 0, 1, 10, 100, ... by default."""
    if snapshot_at is not None:
        return min((at for at in snapshot_at if at > iteration), default=None)
    if iteration < 1:
        return iteration + 1
    return int(10 ** len(str(iteration)))


def update_options(rule: UpdateRule, alternate_updates: bool, small_moves: SmallMoves) -> dict[str, Any]:
    """The options of the updates themselves, by the names of the command's options."""
    return {
        "algorithm": rule.algorithm,
        **{PARAMETER_OPTIONS.get(name, name): value for name, value in rule.parameters.items()},
        "alternate_updates": alternate_updates,
        "small_move_epsilon": small_moves.epsilon,
        "small_move_epsilon_decay": small_moves.decay,
    }
