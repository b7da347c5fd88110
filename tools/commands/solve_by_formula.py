"""solve-by-formula: a match from closed forms, without solving."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tictactoe.storage.json_text import json_text

from ..options.parameters import Count, directory_option, json_option
from ..options.rules_options import WantedRules, errors_of_formulas, rules_options
from ..program import REPLACE_HELP, SETTINGS, available_cores, existing_of, run, say, shown_path, stop_on_signals

if TYPE_CHECKING:
    from tictactoe.storage.solution import Solution

TABLE_UP_TO = 10
"""The largest winning score with a printed table of all scores."""


@click.command(context_settings=SETTINGS)
@directory_option("-o", "--output", "by_formula", "New or empty directory for the solution.")
@click.option("--winning-score", type=Count(1, 100), default=5, show_default=True, help="Points that win the match.")
@rules_options("three-in-a-row; the goals must be equally likely")
@click.option(
    "--jobs", type=Count(1, 1024), help="Threads; the result does not depend on it.  [default: the available cores]"
)
@click.option("--restart", is_flag=True, help=REPLACE_HELP)
@click.option("--quiet", is_flag=True, help="No progress and no table: nothing but errors.")
@json_option
def command(
    output: Path, winning_score: int, rules: WantedRules, jobs: int | None, restart: bool, quiet: bool, as_json: bool
) -> None:
    """Write the perfect solution of a match from closed forms: no learning, no linear programs.

    Values come from formulas, strategies from tables that ship with the program: one to three for each set of rules,
    and a draw between three plans where both scoring is worth more than nobody. docs/closed-forms.md has them and why
    they are right. How much each round can be exploited is measured all the same. The result is a solution like any
    other.

    \b
    solve-by-formula -o by_formula/
    solve-by-formula -o to_ten/ --winning-score 10 --rules filled
    best-response-multiround -s by_formula/
    """
    from tictactoe.run_control import RunControl
    from tictactoe.solving.formula_run import solve_by_formula

    from ..progress import StatusLine, at_most
    from ..words import counted

    status = StatusLine("working out the values", quiet=quiet)

    def told(done: int, pairs: int, most: float) -> None:
        written = f"{done} of {counted(pairs, 'pair of scores', 'pairs of scores')} written"
        status.set(f"{written}, {{elapsed}} elapsed, exploitability {at_most(most)}")

    with errors_of_formulas(), stop_on_signals() as stop, status.showing():
        control = RunControl(jobs or available_cores(), existing_of(restart), stop, told)
        solution = solve_by_formula(output, winning_score, rules.over(), control=control)
    if as_json:
        from ..reports.report import solution_as_json

        print(json_text(solution_as_json(solution), indent=2))
    elif not quiet:
        _print(solution)


def _print(solution: Solution) -> None:
    from ..reports.report import exploitability_text, favourite, print_solution

    if solution.winning_score <= TABLE_UP_TO:
        print_solution(solution)
    else:
        say(favourite(solution))
    most = max(solution.exploitability.values())
    where = shown_path(solution.directory)
    say(f"Written to {where}; in no round can anybody gain more than {exploitability_text(most, up=True)}.")


main = partial(run, command)
