"""The options of a comparison: contenders, budgets, and one or more rounds of a match."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import tictactoe

from .common import one_value, scores_option
from .game_option import ROUND_OPTIONS, game_option, refuse_beside_game
from .parameters import Count, Number, Reader, shortened
from .rules_options import WantedRules, rules_options
from .solving_options import outcome_values_option, round_of, values_from_option
from .workers import workers_options

if TYPE_CHECKING:
    from tictactoe.games.named_games import NamedGame
    from tictactoe.solving import comparison_run

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
    from tictactoe.algorithms import measured_run as comparing

    try:
        return comparing.distinct([each for text in texts or known for each in comparing.parse_contenders(text)])
    except ValueError as error:
        problem = str(error).removeprefix("algorithm: ").removeprefix("label: ")
        raise click.UsageError(f"--algorithm: {problem}") from error


@dataclass(frozen=True)
class ChosenRounds:
    """The rounds that the options ask for, but for their rules."""

    outcome_values: tuple[float, ...] | None
    scores: tuple[tictactoe.Score, ...]
    all_scores: bool
    values_from: Path | None
    game: NamedGame | None

    def rounds(self, rules: WantedRules) -> Sequence[comparison_run.ComparedGame]:
        """The rounds, all by the same rules; or another game.

        Raises click.UsageError when the options contradict each other, and FormatError.
        """
        from tictactoe.match.scores import all_scores
        from tictactoe.solving import comparison_run

        if self.game is not None:
            refuse_beside_game(ROUND_OPTIONS)
            if self.game.has_one_player:
                raise click.UsageError("--game: one player against chance: game solve solves it exactly")
            return [comparison_run.compared_game(self.game)]
        chosen: Sequence[tictactoe.Score | None] = list(dict.fromkeys(self.scores))
        if self.all_scores:
            if self.scores:
                raise click.UsageError("--all-scores and --score exclude each other")
            if self.values_from is None:
                raise click.UsageError("--all-scores needs --values-from")
            chosen = list(all_scores(tictactoe.load_solution(self.values_from).winning_score))
        return [
            comparison_run.compared_round(*round_of(self.outcome_values, score, self.values_from, rules), score)
            for score in chosen or [None]
        ]


def rounds_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The rounds of a comparison, or another game: `rules` and `chosen`."""
    chosen = one_value(
        "chosen",
        ChosenRounds,
        outcome_values_option(),
        scores_option(
            "Take the outcome values from a solved match: of the round at A points for the first mover and B. May be "
            "given more than once: a table for each, and one over all."
        ),
        click.option("--all-scores", is_flag=True, help="At all scores of the match."),
        values_from_option,
        game_option("Compare on another game instead"),
    )
    return rules_options("three-in-a-row, or those of --values-from")(chosen(function))


@dataclass(frozen=True)
class Amounts:
    """The number of runs, and their length."""

    budget: tuple[float, str]
    perturbations: int
    seeds: int | None

    def plan(self, contenders: Sequence[tictactoe.Contender]) -> comparison_run.ComparisonPlan:
        """The runs of these contenders. Raises click.UsageError for seeds that nothing would use."""
        from tictactoe.solving import comparison_run

        if self.seeds is not None and not any(contender.rule.samples for contender in contenders):
            raise click.UsageError("--seeds: none of these algorithms draws random numbers; see --perturbations")
        num_seeds = self.seeds or (self.perturbations if self.perturbations > 1 else USUAL_SEEDS)
        amount, unit = self.budget
        budget = tictactoe.Budget(amount, tictactoe.Unit(unit))
        return comparison_run.ComparisonPlan(contenders, budget, num_seeds, self.perturbations)


amounts_options = one_value(
    "amounts",
    Amounts,
    click.option(
        "--budget",
        type=Reader("budget", read_budget),
        default="5e7nodes",
        metavar="AMOUNT[UNIT]",
        help="How long every run is: 2000 or 2000iterations, 5e7nodes or 1e9histories (touched), or 20s (of updates).",
    ),
    click.option(
        "--perturbations",
        type=Count(1, 1000),
        default=1,
        help="Runs of every algorithm: the first on the round as it is, each other with the last bits of the outcome "
        "values changed. Tables show medians and quartiles.",
    ),
    click.option(
        "--seeds",
        type=Count(1, 1000),
        help="Runs of every algorithm that draws random numbers.  [default: 5, or as many as --perturbations]",
    ),
)
"""The number of runs, and their length: `amounts`."""

comparison_workers = workers_options(
    "Runs at a time. Results are the same; but measured seconds get longer, for runs disturb each other.  [default: 1]"
)
