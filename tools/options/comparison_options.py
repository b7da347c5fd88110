"""The options of a comparison: contenders, budgets, and one or more rounds of a match."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

import tictactoe

from ..lazy_imports import lazily
from .common import scores_option
from .declaring import flag, group, option
from .parameters import Count, Number, Reader, shortened
from .rules_options import WantedRules
from .solving_options import Round, outcome_values_option, round_of, values_from_option
from .workers import Workers

with lazily():
    from tictactoe.algorithms.cfr import rule_files
    from tictactoe.algorithms.comparing import contenders as comparing
    from tictactoe.algorithms.comparing import convergence, measured_run
    from tictactoe.match import scores


BUDGET_UNITS = ("iterations", "nodes", "histories", "seconds")  # a test compares them with measured_run.Unit
_SUFFIXES = {"": "iterations", "s": "seconds"} | {unit: unit for unit in BUDGET_UNITS}
LARGEST_BUDGET = 1e15
USUAL_SEEDS = 5


def read_budget(text: str) -> tuple[float, str]:
    """An amount with its unit: 2000, 2000iterations, 5e7nodes, 1e9histories, 20s or 20seconds."""
    match = re.fullmatch(r"\s*([0-9.]+(?:[eE][+-]?[0-9]+)?)\s*([a-z]*)\s*", text, re.ASCII)
    if match is None or match[2] not in _SUFFIXES:
        raise ValueError(f"{shortened(text)} is not a number followed by iterations, nodes, histories or s")
    amount, unit = Number(0.0, LARGEST_BUDGET, above_least=True).convert(match[1], None, None), _SUFFIXES[match[2]]
    if unit == "iterations" and amount != int(amount):
        raise ValueError(f"{match[1]} is not a whole number of iterations")
    return amount, unit


def contenders_of(texts: Sequence[str], known: Sequence[str]) -> list[tictactoe.Contender]:
    """The contenders that the texts of --algorithm name; without texts, the `known` algorithms. Raises
    click.UsageError."""
    try:
        return comparing.distinct([each for text in texts or known for each in comparing.parse_contenders(text)])
    except ValueError as error:
        problem = str(error).removeprefix("algorithm: ").removeprefix("label: ")
        raise click.UsageError(f"--algorithm: {problem}") from error


@dataclass(frozen=True)
class ComparedRound:
    """A round to compare on."""

    score: tuple[int, int] | None
    """Points of the first and of the second mover; None if the outcome values are not from a match."""
    found: Round

    @property
    def name(self) -> str:
        """The score, such as 4-3; empty without a score."""
        return "" if self.score is None else f"{self.score[0]}-{self.score[1]}"


@dataclass(frozen=True)
class ChosenRounds:
    """The rounds that the options ask for."""

    rules: WantedRules = group(WantedRules, default="three-in-a-row, or those of --values-from")
    outcome_values: tuple[float, ...] | None = outcome_values_option()
    scores: tuple[tuple[int, int], ...] = scores_option(
        "Take the outcome values from a solved match: of the round at A points for the first mover and B. May be given "
        "more than once: a table for each, and one over all.",
        names="--score",
    )
    all_scores: bool = flag("At all scores of the match.")
    values_from: Path | None = values_from_option("scores are")

    def rounds(self) -> list[ComparedRound]:
        """The rounds, all by the same rules.

        Raises click.UsageError when the options contradict each other, and FormatError.
        """
        chosen: Sequence[tuple[int, int] | None] = list(dict.fromkeys(self.scores))
        if self.all_scores:
            if self.scores:
                raise click.UsageError("--all-scores and --score exclude each other")
            if self.values_from is None:
                raise click.UsageError("--all-scores needs --values-from")
            winning_score = tictactoe.load_solution(self.values_from).winning_score
            chosen = [(each.first, each.second) for each in scores.all_scores(winning_score)]
        return [
            ComparedRound(score, round_of(self.outcome_values, score, self.values_from, self.rules))
            for score in chosen or [None]
        ]


@dataclass(frozen=True)
class Amounts:
    """The number of runs, and their length."""

    budget: tuple[float, str] = option(
        Reader("budget", read_budget),
        "How long every run is: 2000 or 2000iterations, 5e7nodes or 1e9histories (touched), or 20s (of updates).",
        default="5e7nodes",
        metavar="AMOUNT[UNIT]",
    )
    perturbations: int = option(
        Count(1, 1000),
        "Runs of every algorithm: the first on the round as it is, each other with the last bits of the outcome "
        "values changed. Tables show medians and quartiles.",
        default=1,
    )
    seeds: int | None = option(
        Count(1, 1000),
        "Runs of every algorithm that draws random numbers.  [default: 5, or as many as --perturbations]",
    )
    workers: Workers = group(
        Workers,
        jobs="Runs at a time. Results are the same; but measured seconds get longer, for runs disturb each other.  "
        "[default: 1]",
    )


@dataclass(frozen=True)
class Plan:
    """The runs on every round."""

    contenders: Sequence[tictactoe.Contender]
    budget: tictactoe.Budget
    """The length of every run."""
    num_seeds: int
    """Runs of a contender that draws random numbers."""
    num_perturbations: int
    """Runs of any other contender: one on the round itself, the others with other last bits of the outcome values."""
    jobs: int
    """Runs at a time."""
    cluster: str | None
    """The address of the cluster that makes the runs."""

    @classmethod
    def of(cls, contenders: Sequence[tictactoe.Contender], amounts: Amounts) -> Plan:
        """The plan that options ask for. Raises click.UsageError for seeds that nothing would use."""
        if amounts.seeds is not None and not any(contender.rule.samples for contender in contenders):
            raise click.UsageError("--seeds: none of these algorithms draws random numbers; see --perturbations")
        amount, unit = amounts.budget
        num_seeds = amounts.seeds or (amounts.perturbations if amounts.perturbations > 1 else USUAL_SEEDS)
        budget = tictactoe.Budget(amount, tictactoe.Unit(unit))
        jobs, cluster = amounts.workers.jobs or 1, amounts.workers.cluster
        return cls(contenders, budget, num_seeds, amounts.perturbations, jobs, cluster)

    def trials(self) -> list[measured_run.Trial]:
        """The runs on one round."""
        return convergence.planned_trials(
            self.contenders, num_seeds=self.num_seeds, num_perturbations=self.num_perturbations
        )

    def about(self, rounds: Sequence[ComparedRound], rules_of_user: Sequence[str]) -> dict[str, Any]:
        """Everything that runs depend on beside their own settings: JSON values by descriptive words. A stopped
        comparison continues only if all of them are the same."""
        return {
            "version of the program": tictactoe.__version__,
            "budget": [self.budget.amount, self.budget.unit.value],
            "rules": str(rounds[0].found.rules),
            "rounds": {each.name: list(each.found.outcome_values) for each in rounds},
            "algorithms of your own": rule_files.digest_of_rules(rules_of_user) if rules_of_user else None,
        }

    def as_dict(self) -> dict[str, Any]:
        """The plan as JSON has it."""
        return {
            "version": tictactoe.__version__,
            "budget": {"amount": self.budget.amount, "unit": self.budget.unit.value},
            "seeds": self.num_seeds,
            "perturbations": self.num_perturbations,
            "jobs": self.jobs,
            "cluster": self.cluster,
        }
