"""Comparing algorithms on several rounds: what is run, the runs themselves, and going on after a stop."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, ClassVar, NamedTuple, Protocol

from ..algorithms.arrays import LARGEST_NUM_TYPES
from ..algorithms.built_game import BuiltGame
from ..algorithms.cfr.rule_files import digest_of_rules, faults_of_rules, faults_of_workers
from ..algorithms.comparing import convergence
from ..algorithms.comparing.comparison_summary import Overall, Summary, over_all, summarize
from ..algorithms.comparing.contenders import Contender
from ..algorithms.comparing.measured_run import Budget, Measurement, Run, Trial
from ..algorithms.game import Game
from ..errors import ClusterError, GameError, Interrupted
from ..games.goals import SINGLE_ROUND, OutcomeValues
from ..games.payoffs import tic_tac_toe_round
from ..games.rules import Rules, by_rules
from ..games.tic_tac_toe_tree import GameTree
from ..run_control import RunControl
from ..storage.comparison_journal import ComparisonJournal
from ..storage.game_snapshot import fingerprint_of


class ComparedRound(NamedTuple):
    """A round to compare on."""

    rules: Rules
    outcome_values: OutcomeValues
    winning_score: int | None
    """Of the match that the outcome values are from; None without a match."""
    score: tuple[int, int] | None
    """Points of the first and of the second mover in that match; None without a match."""

    @property
    def hidden(self) -> str:
        """What each player alone knows."""
        return "goals"

    @property
    def name(self) -> str:
        """The score, such as 4-3; empty without a score."""
        return "" if self.score is None else f"{self.score[0]}-{self.score[1]}"

    @property
    def title(self) -> str:
        """A title that names the round."""
        by, values = by_rules(self.rules), self.outcome_values
        if self.score is not None:
            return f"The round at {self.name} of a match to {self.winning_score}{by}"
        if values == SINGLE_ROUND:
            return f"A round on its own{by}"
        shown = " ".join(f"{value:g}" for value in values)
        return f"A round with outcome values {shown} (both score, first, second, neither){by}"

    @property
    def in_match_value(self) -> bool:
        """Whether exploitabilities are differences of match values."""
        return self.winning_score is not None

    @property
    def of_all(self) -> dict[str, Any]:
        """What all rounds of a comparison have in common, for JSON."""
        return {"rules": str(self.rules), "winning_score": self.winning_score}

    @property
    def own(self) -> dict[str, Any]:
        """What the round has for itself, for JSON."""
        return {"score": self.score, "outcome_values": self.outcome_values._asdict()}

    @property
    def columns(self) -> dict[str, str]:
        """The columns of a table that tell rounds apart."""
        return {"rules": str(self.rules), "score": self.name}

    @property
    def digest(self) -> list[float] | str:
        """Everything that runs depend on, beside the rules."""
        return list(self.outcome_values)

    def built(self) -> Game:
        """The round as algorithms take it."""
        return tic_tac_toe_round(GameTree.build(self.rules), self.outcome_values)


@dataclass(frozen=True, eq=False)
class ComparedGame:
    """Another game to compare on. Attributes as those of `ComparedRound`."""

    game: str
    """Its name, as `named_game` takes it."""
    title: str
    described: BuiltGame

    name: ClassVar = ""
    in_match_value: ClassVar = False
    hidden: ClassVar = "types"

    @property
    def of_all(self) -> dict[str, Any]:
        return {"game": self.game}

    @property
    def own(self) -> dict[str, Any]:
        return {}

    @property
    def columns(self) -> dict[str, str]:
        return {"game": self.game}

    @property
    def digest(self) -> list[float] | str:
        return fingerprint_of(self.described)

    def check(self, contenders: Sequence[Contender]) -> None:
        """Raises GameError for an algorithm that the game is too large for."""
        sampling = [each.label for each in contenders if each.rule.samples]
        if self.described.is_wide and sampling:
            raise GameError(
                f"{self.game}: {sampling[0]} is for at most {LARGEST_NUM_TYPES} private types; leave it out"
            )

    def built(self) -> Game:
        return self.described


AnyGame = ComparedRound | ComparedGame


@dataclass(frozen=True)
class ComparisonPlan:
    """The runs on every round."""

    contenders: Sequence[Contender]
    budget: Budget
    """The length of every run."""
    num_seeds: int
    """Runs of a contender that draws random numbers."""
    num_perturbations: int
    """Runs of any other contender: one on the round itself, the others with other last bits of the outcome values."""

    def trials(self) -> list[Trial]:
        """The runs on one round."""
        return convergence.planned_trials(
            self.contenders, num_seeds=self.num_seeds, num_perturbations=self.num_perturbations
        )

    def about(
        self, rounds: Sequence[ComparedRound | ComparedGame], rules_of_user: Sequence[str] = ()
    ) -> dict[str, Any]:
        """Everything that runs depend on beside their own settings: JSON values by descriptive words. A stopped
        comparison continues only if all of them are the same. rules_of_user: files and modules with update rules."""
        from .. import __version__

        return {
            "version of the program": __version__,
            "budget": [self.budget.amount, self.budget.unit.value],
            "rules": next(iter(rounds[0].of_all.values())),
            "rounds": {each.name: each.digest for each in rounds},
            "algorithms of your own": digest_of_rules(rules_of_user) if rules_of_user else None,
        }


class ComparisonReporter(Protocol):
    """Follows a comparison on several rounds. A call reports a measurement of the run in progress."""

    def begins(self, num_runs: int, num_before: int, samples: bool) -> None:
        """num_before: runs that an earlier comparison has finished. samples: whether the first contender samples."""

    def round_begins(self, name: str) -> None:
        """name: empty for the only round."""

    def __call__(self, trial: Trial, measurement: Measurement) -> None: ...

    def run_ended(self, ended: Run) -> None:
        """Only of new runs."""


Compared = list[tuple[AnyGame, list[Run]]]
"""The finished runs on each round."""


@dataclass(frozen=True)
class ComparedRuns:
    """The runs of a comparison when it ends."""

    compared: Compared
    """The finished runs on each round that has any."""
    stopped: Interrupted | ClusterError | None
    """The error that stopped further runs."""
    num_before: int
    """Runs among them that an earlier comparison has made."""

    @cached_property
    def summaries(self) -> list[list[Summary]]:
        """The summaries of the runs on each round."""
        return [summarize(runs) for _, runs in self.compared]

    @cached_property
    def overall(self) -> list[Overall]:
        """The contenders over several rounds; empty for one round, and for a comparison that was stopped."""
        return over_all(self.summaries) if len(self.compared) > 1 and self.stopped is None else []


def compare_on_rounds(
    plan: ComparisonPlan, rounds: Sequence[AnyGame], journal: ComparisonJournal, control: RunControl[ComparisonReporter]
) -> ComparedRuns:
    """Run all contenders on all rounds, which have the same rules. The journal keeps every finished run.

    A stop, or the loss of a cluster, ends the comparison with the runs that have finished. Raises GameError
    and UserCodeError.
    """
    for each in rounds:
        if isinstance(each, ComparedGame):
            each.check(plan.contenders)
    trials = plan.trials()
    known = [journal.runs(each.name, trials) for each in rounds]
    reporter = control.reporter
    if reporter:
        reporter.begins(len(rounds) * len(trials), sum(map(len, known)), plan.contenders[0].rule.samples)
    compared: Compared = []
    stopped: Interrupted | ClusterError | None = None
    with faults_of_rules(), faults_of_workers():
        comparisons = [  # the runs of all rounds begin here in a cluster, otherwise in the loop below
            convergence.compare_algorithms(
                each.built(),
                trials,
                plan.budget,
                known=before,
                keep=partial(_keep, partial(journal.append, each.name)),
                control=control,
            )
            for each, before in zip(rounds, known, strict=True)
        ]
        for each, before, comparison in zip(rounds, known, comparisons, strict=True):
            if reporter:
                reporter.round_begins(each.name if len(rounds) > 1 else "")
            runs: list[Run] = []
            compared.append((each, runs))
            try:
                for ended in comparison:
                    runs.append(ended)
                    if reporter and not any(ended is earlier for earlier in before):
                        reporter.run_ended(ended)
            except (Interrupted, ClusterError) as error:
                stopped = stopped or error
                control.stop.set()  # keep only the finished runs of the other rounds
    num_before = sum(len(before) for (_, runs), before in zip(compared, known, strict=True) if runs)
    return ComparedRuns([(each, runs) for each, runs in compared if runs], stopped, num_before)


def _keep(append: Callable[[Run], None], ended: Run) -> None:
    """Write a finished run to the journal. A failure is no reason to end: after a kill, the run is only made again."""
    with contextlib.suppress(OSError):
        append(ended)
