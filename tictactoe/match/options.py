"""How a round or a match is solved: everything that the result depends on, checked, and as plain data for files."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..algorithms.cfr.update_rules import UpdateRule, update_rule
from ..algorithms.game import BonusSchedule
from ..checked_numbers import LARGEST_SEED, finite_number, positive_number, truth, whole_number
from ..games.goals import SINGLE_ROUND, OutcomeValues
from .scores import LARGEST_WINNING_SCORE, Score, all_scores, checked_score

LONGEST_WITH_SCHEDULE = 5
"""Matches to more points keep no earlier iterations unless they are asked for: so many scores would fill a disk."""

LARGEST_OUTCOME_VALUE = 1e100
"""Keeps sums over many iterations finite."""

LARGEST_MATCH_VALUE = 1.0 + 1e-9
"""Of a match won, which is worth 1, with what rounding may leave beyond it."""

OPTION_NAMES = {
    "rule": "algorithm",
    "bonus_schedule": "small_move_epsilon",
    "alpha": "discount_alpha",
    "beta": "discount_beta",
    "gamma": "discount_gamma",
    "horizon": "schedule_horizon",
    "start_values": "start_from",
    "epsilon": "small_move_epsilon",
    "decay": "small_move_epsilon_decay",
}
"""What a command calls a field, or a parameter of an update rule, that has another name here."""

BONUS_FADES_WITHIN = 1_000_000
"""Iterations after which a bonus should be small, if strategies are to be as good as without it."""

LARGEST_BONUS = 10.0
"""Measured: equilibria of a round with a bonus are exploitable, without it, by an eighth to a half of the bonus."""

_YOUNGER_PARAMETERS = {"full_average": 1.0, "draw_own_type": 1.0}
"""Parameters of update rules that are younger than files of them, and what a file without them means: it was so."""


def checked_outcome_values(name: str, values: Any, in_match: bool = False) -> OutcomeValues:
    """The values as four floats. Raises ValueError unless they are numbers within LARGEST_OUTCOME_VALUE, or in a match
    match values."""
    largest = LARGEST_MATCH_VALUE if in_match else LARGEST_OUTCOME_VALUE
    if not isinstance(values, tuple) or len(values) != len(OutcomeValues._fields):
        raise ValueError(f"{name}: {values!r} are not the values of the four results")
    found = OutcomeValues(*(finite_number(name, value) for value in values))
    if not all(abs(value) <= largest for value in found):
        raise ValueError(f"{name}: {found} are not all within +-{largest:g}")
    return found


@dataclass(frozen=True, kw_only=True)
class _SolvingOptions:
    """What a match and a round on its own have in common."""

    check_exploitability_every: int
    rule: UpdateRule = field(default_factory=lambda: update_rule("rdcfr"))
    alternate_updates: bool = True
    bonus_schedule: BonusSchedule = field(default_factory=BonusSchedule)
    snapshot_at: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        self._set("check_exploitability_every", whole_number, 1)
        self._set("alternate_updates", truth)
        if self.snapshot_at is not None:
            if not isinstance(self.snapshot_at, Iterable) or isinstance(self.snapshot_at, str | bytes):
                raise ValueError(f"snapshot_at: {self.snapshot_at!r} is no list of iterations")
            object.__setattr__(
                self, "snapshot_at", tuple(whole_number("snapshot_at", at, 0) for at in self.snapshot_at)
            )
        for name, kind in (("rule", UpdateRule), ("bonus_schedule", BonusSchedule)):
            if not isinstance(getattr(self, name), kind):
                raise ValueError(f"{name}: {getattr(self, name)!r} is no {kind.__name__}")
        self.rule.check_use(self.alternate_updates, self.bonus_schedule.epsilon > 0.0)

    def _set(self, name: str, checked: Callable[..., Any], *limits: Any) -> None:
        """The field as `checked` returns it, which raises ValueError for a wrong one."""
        object.__setattr__(self, name, checked(name, getattr(self, name), *limits))

    def next_snapshot(self, iteration: int) -> int | None:
        """The first iteration after `iteration` (-1: from the start) to be saved on schedule, None for no more."""
        if self.snapshot_at is not None:
            return min((at for at in self.snapshot_at if at > iteration), default=None)
        if iteration < 1:
            return iteration + 1
        return int(10 ** len(str(iteration)))

    def is_snapshot(self, iteration: int) -> bool:
        """Whether the state after `iteration` iterations is to be saved on schedule."""
        return self.next_snapshot(iteration - 1) == iteration

    def _as_dict(self, **more: Any) -> dict[str, Any]:
        """The fields by the names of the command's options; files hold them, and `more`, in this order."""
        parameters = self.rule.parameters.items()
        return {
            "check_exploitability_every": self.check_exploitability_every,
            "algorithm": self.rule.algorithm,
            **{
                OPTION_NAMES.get(name, name): value
                for name, value in parameters
                if value != _YOUNGER_PARAMETERS.get(name)
            },
            "alternate_updates": self.alternate_updates,
            "small_move_epsilon": self.bonus_schedule.epsilon,
            "small_move_epsilon_decay": self.bonus_schedule.decay,
            **more,
            "snapshot_at": None if self.snapshot_at is None else list(self.snapshot_at),
        }


@dataclass(frozen=True, kw_only=True)
class MatchOptions(_SolvingOptions):
    """How a match is solved: everything that the result depends on. Raises ValueError naming the field that is wrong.

    maximum_subgame_exploitability: target for every subgame's NashConv, in match value (-1 to 1).
    check_exploitability_every: iterations from one check, and one update of the recursive values, to the next.
    snapshot_at: the iterations to save beside the last one, everything in full. None for 0, 1, 10, 100, ... in single
    precision, the last one in full; in a match to more than 5 points for the last one alone, without its regrets, which
    nothing needs any more. rule: one that does not sample,
    because values that are learnt from noise and passed on do not settle. bonus_schedule: of the bonus for playing
    low-numbered squares. start_values: what every score of the match is thought to be worth (-1 to 1) to the player who
    moves first; the nearer to the truth, the faster it is solved. None for not knowing.

    >>> from tictactoe import MatchOptions, update_rule
    >>> options = MatchOptions(winning_score=2, rule=update_rule("pdcfr+"), snapshot_at=(50,))
    >>> options.as_dict()["algorithm"], options.next_snapshot(0), options.next_snapshot(50)
    ('pdcfr+', 50, None)
    >>> from tictactoe import load_solution
    >>> MatchOptions(start_values=load_solution("shipped").value).as_dict()["start_from"][:6]
    'd8a6f6'
    """

    winning_score: int = 5
    maximum_subgame_exploitability: float = 1e-6
    check_exploitability_every: int = 20
    start_values: Mapping[Score, float] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("winning_score", whole_number, 1, LARGEST_WINNING_SCORE)
        self._set("maximum_subgame_exploitability", positive_number)
        if self.rule.samples:
            raise ValueError(f"rule: {self.rule.algorithm} samples, which is for single rounds; use solve-subgame")
        if self.start_values is not None:
            self._check_start_values(self.start_values)

    def check_target(self) -> None:
        """Raises ValueError where the bonus keeps strategies from ever becoming as good as they have to be: after
        BONUS_FADES_WITHIN iterations it is still LARGEST_BONUS times the target."""
        target, left = self.maximum_subgame_exploitability, self.bonus_schedule.at(np.array([BONUS_FADES_WITHIN]))[0]
        if left > LARGEST_BONUS * target:
            what = f"the bonus is still {left:.2g} after a million iterations, too large for an exploitability of"
            ways = "a larger decay of it, a larger target or a limit of iterations is needed"
            raise ValueError(f"bonus_schedule: {what} {target:g}; {ways}")

    def next_snapshot(self, iteration: int) -> int | None:
        return super().next_snapshot(iteration) if self.in_full or self.has_schedule else None

    def _check_start_values(self, values: Mapping[Score, float]) -> None:
        scores = all_scores(self.winning_score)
        if missing := [score for score in scores if score not in values]:
            raise ValueError(f"start_values: none for the score {missing[0]}")
        if len(values) > len(scores):
            raise ValueError(f"start_values: of more scores than a match to {self.winning_score} has")
        for score in scores:
            finite_number(f"start_values: at the score {score}", values[score], -1.0, 1.0)

    @property
    def in_full(self) -> bool:
        """Whether what is saved is saved in full: somebody has said what to save."""
        return self.snapshot_at is not None

    @property
    def has_schedule(self) -> bool:
        """Whether earlier iterations and the last regrets are saved although nobody has asked for them."""
        return self.winning_score <= LONGEST_WITH_SCHEDULE

    def as_dict(self) -> dict[str, Any]:
        """Every field as a number, text, boolean, list or None, by the name of the command's option.

        start_from, the SHA-256 of the start values, is there only if they are: files without them are as they were.
        """
        return {
            "winning_score": self.winning_score,
            "maximum_subgame_exploitability": self.maximum_subgame_exploitability,
            **self._as_dict(),
            **({} if self.start_values is None else {"start_from": self._digest(self.start_values)}),
        }

    def _digest(self, values: Mapping[Score, float]) -> str:
        """SHA-256 of the start values as float64, little-endian, in the order in which scores are solved."""
        in_order = [float(values[score]) for score in all_scores(self.winning_score)]
        return hashlib.sha256(struct.pack(f"<{len(in_order)}d", *in_order)).hexdigest()


@dataclass(frozen=True, kw_only=True)
class RoundOptions(_SolvingOptions):
    """How one round on its own is solved. Raises ValueError naming the field that is wrong.

    outcome_values: what the four results are worth to the first mover; within +-LARGEST_OUTCOME_VALUE, or match values.
    score, winning_score: the subgame that they were taken from, None for neither.
    seed: of the draws of a rule that samples, None for 0; None for all others, to which it means nothing.
    The other fields are those of MatchOptions.

    >>> from tictactoe import RoundOptions, update_rule
    >>> RoundOptions(rule=update_rule("es-mccfr"), seed=7).as_dict()["seed"]
    7
    >>> RoundOptions(seed=7)
    Traceback (most recent call last):
    ValueError: seed: rdcfr draws nothing at random
    """

    iterations: int = 2000
    outcome_values: OutcomeValues = SINGLE_ROUND
    score: Score | None = None
    winning_score: int | None = None
    check_exploitability_every: int = 100
    seed: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.seed is not None and not self.rule.samples:
            raise ValueError(f"seed: {self.rule.algorithm} draws nothing at random")
        if self.seed is not None:
            self._set("seed", whole_number, 0, LARGEST_SEED)
        self._set("iterations", whole_number, 1)
        if self.winning_score is not None:
            self._set("winning_score", whole_number, 1, LARGEST_WINNING_SCORE)
        if self.score is not None:
            self._set("score", checked_score, self.winning_score)
        self._set("outcome_values", checked_outcome_values, self.winning_score is not None)

    def as_dict(self) -> dict[str, Any]:
        """Everything that the course of the run depends on, as numbers, text, booleans, lists or None."""
        return {
            "outcome_values": list(self.outcome_values),
            "score": None if self.score is None else list(self.score),
            "winning_score": self.winning_score,
            **self._as_dict(**({"seed": self.seed or 0} if self.rule.samples else {})),
        }
