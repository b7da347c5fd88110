"""solve-by-formula: a match from closed forms, without solving."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tictactoe
from tictactoe.match.percentages import at_most, exploitability_text
from tictactoe.number_text import counted

from ..lazy_imports import lazily
from ..options_before.common import REPLACE_HELP, directory_option, json_option, quiet_option, winning_score_option
from ..options_before.declaring import command_of, flag, group
from ..options_before.rules_options import WantedRules, errors_of_formulas
from ..options_before.workers import THREADS, existing_of, followed, jobs_option
from ..program import available_cores, print_json, say, shown_path
from ..progress import StatusLine

with lazily():
    from tictactoe.solving import results_as_data

    from ..reports import report


TABLE_UP_TO = 10
"""The largest winning score with a printed table of all scores."""


@dataclass(frozen=True)
class Options:
    output: Path = directory_option("by_formula", "New or empty directory for the solution.")
    winning_score: int = winning_score_option()
    rules: WantedRules = group(WantedRules, default="three-in-a-row; the goals must be equally likely")
    jobs: int | None = jobs_option(THREADS)
    restart: bool = flag(REPLACE_HELP)
    quiet: bool = quiet_option()
    as_json: bool = json_option()


@command_of(Options)
def command(given: Options) -> None:
    """Write the perfect solution of a match from closed forms: no learning, no linear programs.

    Values come from formulas, strategies from tables that ship with the program: one to three for each set of rules,
    and a draw between three plans where both scoring is worth more than nobody. docs/closed-forms.md has them and why
    they are right. How much each round can be exploited is measured all the same. The result is a solution like any
    other. It is not refined: after a mistake it may play badly; polish-multiround makes one that plays best there, too.

    \b
    solve-by-formula -o by_formula/
    solve-by-formula -o to_ten/ --winning-score 10 --rules filled
    best-response-multiround -s by_formula/
    """
    status = StatusLine("working out the values", quiet=given.quiet)

    def told(done: int, pairs: int, most: float) -> None:
        written = f"{done} of {counted(pairs, 'pair of scores', 'pairs of scores')} written"
        status.set(f"{written}, {{elapsed}} elapsed, exploitability {at_most(most)}")

    begun: tictactoe.RunControl[Any] = tictactoe.RunControl(given.jobs or available_cores(), existing_of(given.restart))
    with errors_of_formulas(), followed(status, begun, told) as control:
        solution = tictactoe.solve_by_formula(given.output, given.winning_score, given.rules.over(), control=control)
    if given.as_json:
        print_json(results_as_data.solved_match(solution))
    elif not given.quiet:
        _print(solution)


def _print(solution: tictactoe.Solution) -> None:
    if solution.winning_score <= TABLE_UP_TO:
        report.print_solution(solution)
    else:
        say(results_as_data.favourite(solution))
    most = max(solution.exploitability.values())
    where = shown_path(solution.directory)
    say(f"Written to {where}; in no round can anybody gain more than {exploitability_text(most, up=True)}.")
