"""The options of a comparison: contenders, budgets, and one or more rounds of a match."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .cluster_option import cluster_option
from .parameters import Count, Number, SolutionDirectory, all_of, score_option
from .rules_options import WantedRules, rules_options
from .solving_options import ChosenRound, FoundRound, result_values_option

if TYPE_CHECKING:
    from tictactoe.algorithms.comparing.contenders import Contender
    from tictactoe.algorithms.comparing.measured_run import Budget, Trial

BUDGET_UNITS = ("iterations", "nodes", "histories", "seconds")  # a test compares them with measured_run.Unit
_SUFFIXES = {"": "iterations", "s": "seconds"} | {unit: unit for unit in BUDGET_UNITS}
LARGEST_BUDGET = 1e15
USUAL_SEEDS = 5


class BudgetType(click.ParamType):
    """An amount with its unit, as text: 2000, 2000iterations, 5e7nodes, 1e9histories, 20s or 20seconds."""

    name = "budget"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, str]:
        if isinstance(value, tuple):
            return value
        match = re.fullmatch(r"\s*([0-9.]+(?:[eE][+-]?[0-9]+)?)\s*([a-z]*)\s*", str(value), re.ASCII)
        if match is None or match[2] not in _SUFFIXES:
            shown = str(value) if len(str(value)) <= 40 else f"{str(value)[:37]}..."
            self.fail(f"{shown!r} is not a number followed by iterations, nodes, histories or s", param, ctx)
        amount, unit = Number(0.0, LARGEST_BUDGET, above_least=True).convert(match[1], param, ctx), _SUFFIXES[match[2]]
        if unit == "iterations" and amount != int(amount):
            self.fail(f"{match[1]} is not a whole number of iterations", param, ctx)
        return amount, unit


def contenders_of(texts: Sequence[str], known: Sequence[str]) -> list[Contender]:
    """The contenders that the texts of --algorithm name; without texts, the `known` algorithms. Raises
    click.UsageError."""
    from tictactoe.algorithms.comparing.contenders import distinct, parse_contenders

    try:
        return distinct([each for text in texts or known for each in parse_contenders(text)])
    except ValueError as error:
        problem = str(error).removeprefix("algorithm: ").removeprefix("label: ")
        raise click.UsageError(f"--algorithm: {problem}") from error


@dataclass(frozen=True)
class ComparedRound:
    """A round to compare on."""

    score: tuple[int, int] | None
    """Points of the first and of the second mover; None if the outcome values are not from a match."""
    found: FoundRound

    @property
    def name(self) -> str:
        """The score, such as 4-3; empty without a score."""
        return "" if self.score is None else f"{self.score[0]}-{self.score[1]}"


@dataclass(frozen=True)
class ChosenRounds:
    """The rounds that the options ask for."""

    given: tuple[float, ...] | None
    """Of --outcome-values."""
    scores: tuple[tuple[int, int], ...]
    """Of --score."""
    all_scores: bool
    values_from: Path | None
    """The solution whose match the scores belong to."""
    wanted_rules: WantedRules

    def found(self) -> list[ComparedRound]:
        """The rounds, all by the same rules.

        Raises click.UsageError when the options contradict each other, and FormatError.
        """
        scores: Sequence[tuple[int, int] | None] = list(dict.fromkeys(self.scores))
        if self.all_scores:
            if self.scores:
                raise click.UsageError("--all-scores and --score exclude each other")
            if self.values_from is None:
                raise click.UsageError("--all-scores needs --values-from")
            from tictactoe.match.scores import all_scores
            from tictactoe.storage.solution import load_solution

            scores = [(each.first, each.second) for each in all_scores(load_solution(self.values_from).winning_score)]
        chosen = [ChosenRound(self.given, score, self.values_from, self.wanted_rules) for score in scores or [None]]
        return [ComparedRound(each.score, each.found()) for each in chosen]


_ROUND_OPTIONS = [
    rules_options("three-in-a-row, or those of --values-from"),
    result_values_option,
    score_option(
        "--score",
        "Take the outcome values from a solved match: of the round at A points for the first mover and B. May be given "
        "more than once: a table for each, and one over all.",
    ),
    click.option("--all-scores", is_flag=True, help="At all scores of the match."),
    click.option(
        "--values-from",
        type=SolutionDirectory(),
        metavar="SOLUTION",
        help="The solved match that scores are about; shipped: the one that comes with the program.",
    ),
]


def compared_rounds_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options for rounds to a command. The command gets them as `chosen`, a ChosenRounds."""

    @functools.wraps(function)
    def command(
        outcome_values: tuple[float, ...] | None,
        score: tuple[tuple[int, int], ...],
        all_scores: bool,
        values_from: Path | None,
        rules: WantedRules,
        **others: Any,
    ) -> Any:
        return function(chosen=ChosenRounds(outcome_values, score, all_scores, values_from, rules), **others)

    return all_of(_ROUND_OPTIONS, command)


_AMOUNT_OPTIONS = [
    click.option(
        "--budget",
        type=BudgetType(),
        default="5e7nodes",
        show_default=True,
        metavar="AMOUNT[UNIT]",
        help="How long every run is: 2000 or 2000iterations, 5e7nodes or 1e9histories (touched), or 20s (of updates).",
    ),
    click.option(
        "--perturbations",
        type=Count(1, 1000),
        default=1,
        show_default=True,
        help="Runs of every algorithm: the first on the round as it is, each other with the last bits of the outcome "
        "values changed. Tables show medians and quartiles.",
    ),
    click.option(
        "--seeds",
        type=Count(1, 1000),
        help="Runs of every algorithm that draws random numbers.  [default: 5, or as many as --perturbations]",
    ),
    click.option(
        "--jobs",
        type=Count(1, 1024),
        help="Runs at a time. Results are the same; but measured seconds get longer, for runs disturb each other.  "
        "[default: 1]",
    ),
    cluster_option,
]


def amount_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options for the number of runs and their length."""
    return all_of(_AMOUNT_OPTIONS, function)


@dataclass(frozen=True)
class Plan:
    """The runs on every round."""

    contenders: Sequence[Contender]
    budget: Budget
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
    def of(
        cls,
        contenders: Sequence[Contender],
        budget: tuple[float, str],
        seeds: int | None,
        perturbations: int,
        jobs: int | None,
        cluster: str | None,
    ) -> Plan:
        """The plan that options ask for. Raises click.UsageError for seeds that nothing would use."""
        from tictactoe.algorithms.comparing.measured_run import Budget, Unit

        if seeds is not None and not any(contender.rule.samples for contender in contenders):
            raise click.UsageError("--seeds: none of these algorithms draws random numbers; see --perturbations")
        num_seeds = seeds or (perturbations if perturbations > 1 else USUAL_SEEDS)
        return cls(contenders, Budget(budget[0], Unit(budget[1])), num_seeds, perturbations, jobs or 1, cluster)

    def trials(self) -> list[Trial]:
        """The runs on one round."""
        from tictactoe.algorithms.comparing.convergence import planned_trials

        return planned_trials(self.contenders, num_seeds=self.num_seeds, num_perturbations=self.num_perturbations)

    def about(self, rounds: Sequence[ComparedRound], rules_of_user: Sequence[str]) -> dict[str, Any]:
        """Everything that runs depend on beside their own settings: JSON values by descriptive words. A stopped
        comparison continues only if all of them are the same."""
        from tictactoe import __version__
        from tictactoe.algorithms.cfr.rule_files import digest_of_rules

        return {
            "version of the program": __version__,
            "budget": [self.budget.amount, self.budget.unit.value],
            "rules": str(rounds[0].found.rules),
            "rounds": {each.name: list(each.found.outcome_values) for each in rounds},
            "algorithms of your own": digest_of_rules(rules_of_user) if rules_of_user else None,
        }

    def as_dict(self) -> dict[str, Any]:
        """The plan as JSON has it."""
        from tictactoe import __version__

        return {
            "version": __version__,
            "budget": {"amount": self.budget.amount, "unit": self.budget.unit.value},
            "seeds": self.num_seeds,
            "perturbations": self.num_perturbations,
            "jobs": self.jobs,
            "cluster": self.cluster,
        }
