"""The option --start-from: the values of scores that solving starts from."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import click
from click.shell_completion import CompletionItem

import tictactoe
from tictactoe.errors import NoFormulaError

from ..lazy_imports import lazily
from ..options.parameters import SolutionDirectory
from ..program import CommandError
from .declaring import option
from .rules_options import WantedRules, require_rules

with lazily():
    from tictactoe.solving import match_run

FORMULA = "formula"


class StartSource(SolutionDirectory):
    """The word formula, or a solution. A directory named formula comes before the word."""

    name = "formula|solution"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == FORMULA and not Path(FORMULA).exists():
            return FORMULA
        return super().convert(value, param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The completions for a solution, and the word formula."""
        others = super().shell_complete(ctx, param, incomplete)
        return [CompletionItem(FORMULA), *others] if incomplete and FORMULA.startswith(incomplete) else others


def start_option() -> Any:
    """The option; `starting_values` reads it."""
    return option(
        StartSource(),
        "Begin with these values of the scores instead of 0: those of the closed forms, or of a solution of a match "
        "to as many points or more.",
        metavar="formula|SOLUTION",
    )


class Start(NamedTuple):
    """The rules to solve by, and the values to start from."""

    rules: tictactoe.Rules
    values: dict[tictactoe.Score, float] | None
    """Match values to the first mover, by score; None: start from 0."""


def starting_values(source: str | Path | None, wanted: WantedRules, winning_score: int) -> Start:
    """Combine --start-from, --rules and --goal-odds.

    Raises click.UsageError if the solution has other rules than the wanted ones, CommandError if no formula is known,
    FormatError if the directory holds no solution, and StoreError if the solution lacks values.
    """
    if source is None:
        return Start(wanted.over(), None)
    if not isinstance(source, Path):
        rules = wanted.over()
        try:
            return Start(rules, match_run.start_values_by_formula(winning_score, rules))
        except NoFormulaError as error:
            missing = f"no closed form is known for a match to {winning_score} by the rules {rules}"
            raise CommandError(f"--start-from: {missing}; leave the option out, or name a solution") from error
    solution = tictactoe.load_solution(source)
    require_rules(wanted, solution.tree, source)
    return Start(solution.tree.rules, match_run.start_values_of(solution, winning_score))
