"""The options of solving a game or a match, which determine the result."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..algorithms.game import BonusSchedule
from ..algorithms.update_rules import UpdateRule, update_rule
from ..checked_numbers import LARGEST_SEED, finite_number, positive_number, truth, whole_number
from ..games.rules import SINGLE_ROUND, OutcomeValues
from .scores import LARGEST_WINNING_SCORE, Score, all_scores, checked_score

LONGEST_WITH_SCHEDULE = 5
"""The longest match that saves earlier iterations by default. Those of longer matches would fill a disk."""

LARGEST_OUTCOME_VALUE = 1e100
"""The largest outcome value of a round on its own; it keeps sums over many iterations finite."""

LARGEST_MATCH_VALUE = 1.0 + 1e-9
"""The value of a won match, 1, plus the largest excess by rounding."""

BONUS_FADES_WITHIN = 1_000_000
"""The iterations within which a bonus must become small."""

LARGEST_BONUS = 10.0
"""The largest bonus after these iterations, in multiples of the target. In measurements, equilibria of a round with a
bonus have, without it, a NashConv of an eighth to a half of the bonus."""


def checked_outcome_values(name: str, values: Any, in_match: bool = False) -> OutcomeValues:
    """The values as four floats within LARGEST_OUTCOME_VALUE or, in a match, within LARGEST_MATCH_VALUE.

    Raises ValueError for other values.
    """
    largest = LARGEST_MATCH_VALUE if in_match else LARGEST_OUTCOME_VALUE
    if not isinstance(values, tuple) or len(values) != len(OutcomeValues._fields):
        raise ValueError(f"{name}: {values!r} are not the values of the four results")
    found = OutcomeValues(*(finite_number(name, value) for value in values))
    if not all(abs(value) <= largest for value in found):
        raise ValueError(f"{name}: {found} are not all within +-{largest:g}")
    return found


@dataclass(frozen=True, kw_only=True)
class _SolvingOptions:
    check_exploitability_every: int
    """The number of iterations from one check of the exploitability to the next."""
    algorithm: UpdateRule = field(default_factory=lambda: update_rule("rdcfr"))
    algorithm_sha256: str | None = None
    """`digest_of_rules` of the user's code that registered the algorithm. A run continues only with the same code."""
    alternate_updates: bool = True
    """Whether the second player's update sees the first player's new strategy."""
    small_move_epsilon: float = 0.0
    """The bonus for playing low-numbered squares, in payoff, from 0 to 1."""
    small_move_epsilon_decay: float = 0.0
    """The fraction of the bonus that every iteration removes, from 0 to 1."""
    snapshot_at: tuple[int, ...] | None = None
    """The iterations to save in full besides the last. None: 0, 1, 10, 100, ... in single precision and the last in
    full; in a match to more than 5 points, only the last, without regrets."""

    def __post_init__(self) -> None:
        self._set("check_exploitability_every", whole_number, 1)
        self._set("alternate_updates", truth)
        if self.snapshot_at is not None:
            if not isinstance(self.snapshot_at, Iterable) or isinstance(self.snapshot_at, str | bytes):
                raise ValueError(f"snapshot_at: {self.snapshot_at!r} is not a list of iterations")
            iterations = tuple(whole_number("snapshot_at", at, 0) for at in self.snapshot_at)
            object.__setattr__(self, "snapshot_at", iterations)
        if not isinstance(self.algorithm, UpdateRule):
            raise ValueError(f"algorithm: {self.algorithm!r} is not an UpdateRule")
        for name, number in vars(self.bonus_schedule).items():
            object.__setattr__(self, name, number)
        self.algorithm.check_use(self.alternate_updates, self.small_move_epsilon > 0.0)

    def _set(self, name: str, checked: Callable[..., Any], *limits: Any) -> None:
        object.__setattr__(self, name, checked(name, getattr(self, name), *limits))

    @property
    def bonus_schedule(self) -> BonusSchedule:
        """The bonus for playing low-numbered squares, iteration by iteration."""
        return BonusSchedule(self.small_move_epsilon, self.small_move_epsilon_decay)

    def next_snapshot(self, iteration: int) -> int | None:
        """The next iteration to save after `iteration` (-1 for the start); None if there are no more."""
        if self.snapshot_at is not None:
            return min((at for at in self.snapshot_at if at > iteration), default=None)
        if iteration < 1:
            return iteration + 1
        return int(10 ** len(str(iteration)))

    def is_snapshot(self, iteration: int) -> bool:
        """Whether the schedule of snapshots contains `iteration`."""
        return self.next_snapshot(iteration - 1) == iteration

    def _as_dict(self, **more: Any) -> dict[str, Any]:
        algorithm: dict[str, Any] = {"algorithm": self.algorithm.name, **self.algorithm.parameters}
        if self.algorithm_sha256 is not None:  # parameters of a user's rule may have any names
            algorithm = {"algorithm": str(self.algorithm), "algorithm_sha256": self.algorithm_sha256}
        return {
            "check_exploitability_every": self.check_exploitability_every,
            **algorithm,
            "alternate_updates": self.alternate_updates,
            **vars(self.bonus_schedule),
            **more,
            "snapshot_at": None if self.snapshot_at is None else list(self.snapshot_at),
        }


@dataclass(frozen=True, kw_only=True)
class MatchOptions(_SolvingOptions):
    """The options of solving a match. Raises ValueError, which names the wrong field.

    The update rule must not sample.

    >>> from tictactoe import MatchOptions, update_rule
    >>> options = MatchOptions(winning_score=2, algorithm=update_rule("pdcfr+"), snapshot_at=(50,))
    >>> options.as_dict()["algorithm"], options.next_snapshot(0), options.next_snapshot(50)
    ('pdcfr+', 50, None)
    >>> from tictactoe import load_solution
    >>> MatchOptions(start_from=load_solution("shipped").value).as_dict()["start_from"][:6]
    'c826e5'
    """

    winning_score: int = 5
    """The points that win the match."""
    maximum_subgame_exploitability: float = 1e-6
    """The target for the NashConv of every subgame, in match value (-1 to 1)."""
    check_exploitability_every: int = 20
    """The number of iterations from one check to the next. A check also updates the values of the pair of scores."""
    start_from: Mapping[Score, float] | None = None
    """Estimates of every score's match value (-1 to 1) to the player who moves first. Good ones make solving faster."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("winning_score", whole_number, 1, LARGEST_WINNING_SCORE)
        self._set("maximum_subgame_exploitability", positive_number)
        if self.algorithm.samples:
            raise ValueError(f"algorithm: {self.algorithm.name} samples, which only single rounds allow")
        if self.start_from is not None:
            scores = all_scores(self.winning_score)
            if missing := [score for score in scores if score not in self.start_from]:
                raise ValueError(f"start_from: there is none for the score {missing[0]}")
            if len(self.start_from) > len(scores):
                raise ValueError(f"start_from: it has more scores than a match to {self.winning_score}")
            for score in scores:
                finite_number(f"start_from: at the score {score}", self.start_from[score], -1.0, 1.0)

    def check_target(self) -> None:
        """Raise ValueError for a bonus with which strategies never reach the target."""
        target, left = self.maximum_subgame_exploitability, self.bonus_schedule.at(np.array([BONUS_FADES_WITHIN]))[0]
        if left > LARGEST_BONUS * target:
            what = f"the bonus is still {left:.2g} after a million iterations, too large for an exploitability of"
            ways = "give a larger decay, a larger target or a limit of iterations"
            raise ValueError(f"small_move_epsilon: {what} {target:g}; {ways}")

    def next_snapshot(self, iteration: int) -> int | None:
        return super().next_snapshot(iteration) if self.in_full or self.has_schedule else None

    @property
    def in_full(self) -> bool:
        """Whether all snapshots are saved in full."""
        return self.snapshot_at is not None

    @property
    def has_schedule(self) -> bool:
        """Whether earlier iterations and the last regrets are saved by default."""
        return self.winning_score <= LONGEST_WITH_SCHEDULE

    def as_dict(self) -> dict[str, Any]:
        """The fields as numbers, texts, booleans, lists or None.

        start_from is the SHA-256 of the start values as little-endian float64 in solve order, and is left out without
        them.
        """
        target = {"maximum_subgame_exploitability": self.maximum_subgame_exploitability}
        options = {"winning_score": self.winning_score, **target, **self._as_dict()}
        if self.start_from is not None:
            values = np.array([self.start_from[score] for score in all_scores(self.winning_score)], "<f8")
            options["start_from"] = hashlib.sha256(values.tobytes()).hexdigest()
        return options


@dataclass(frozen=True, kw_only=True)
class GameOptions(_SolvingOptions):
    """The options of solving one game. Raises ValueError, which names the wrong field.

    >>> from tictactoe import GameOptions, update_rule
    >>> GameOptions(algorithm=update_rule("es-mccfr"), seed=7).as_dict()["seed"]
    7
    >>> GameOptions(seed=7)
    Traceback (most recent call last):
    ValueError: seed: rdcfr draws nothing at random
    """

    iterations: int | None = None
    """The last iteration; None for 2,000 or, with a target, for no limit."""
    target: float | None = None
    """The exploitability, in payoff, at which a check ends the run."""
    outcome_values: OutcomeValues | None = SINGLE_ROUND
    """The values of the four results to the first mover, within +-LARGEST_OUTCOME_VALUE, or match values. None for a
    described game."""
    score: Score | None = None
    """The score of the subgame whose outcome values these are; None for a round on its own."""
    winning_score: int | None = None
    """The winning score of that subgame's match; None for a round on its own."""
    check_exploitability_every: int = 100
    seed: int | None = None
    """The seed of a rule that samples, for which None means 0; None for any other rule."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.seed is not None and not self.algorithm.samples:
            raise ValueError(f"seed: {self.algorithm.name} draws nothing at random")
        for name, checked, limits in (
            ("seed", whole_number, (0, LARGEST_SEED)),
            ("iterations", whole_number, (1,)),
            ("target", positive_number, ()),
            ("winning_score", whole_number, (1, LARGEST_WINNING_SCORE)),
            ("score", checked_score, (self.winning_score,)),
            ("outcome_values", checked_outcome_values, (self.winning_score is not None,)),
        ):
            if getattr(self, name) is not None:
                self._set(name, checked, *limits)

    @property
    def last(self) -> int | None:
        """The last iteration; None if only the target ends the run."""
        return self.iterations or (2000 if self.target is None else None)

    def as_dict(self) -> dict[str, Any]:
        """The options that determine the run, but not its length, as numbers, texts, booleans, lists or None."""
        options = self._as_dict(**({"seed": self.seed or 0} if self.algorithm.samples else {}))
        if self.outcome_values is None:
            return options
        score = None if self.score is None else list(self.score)
        of_round = {"outcome_values": list(self.outcome_values), "score": score, "winning_score": self.winning_score}
        return {**of_round, **options}
