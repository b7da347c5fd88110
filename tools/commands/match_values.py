"""match-values: what every score of a match is worth, by formula."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

import tictactoe
from tictactoe.number_text import size_text

from ..lazy_imports import lazily
from ..options.parameters import Count, PathName
from ..options_before.common import check_picture, json_option, scores_option
from ..options_before.declaring import command_of, flag, group, option
from ..options_before.rules_options import WantedRules, errors_of_formulas
from ..program import note
from ..progress import SpeedLine

with lazily():
    from tictactoe.figures import solution_figures, style
    from tictactoe.formulas import match_values

    from ..reports import values_report

LARGE_MEMORY = 1e9
"""Bytes, of which somebody should be told."""


@dataclass(frozen=True)
class Options:
    winning_score: int = option(Count(1, 10_000), "Points that win the match.", default=5)
    rules: WantedRules = group(WantedRules, default="three-in-a-row; the goals must be equally likely")
    score: tuple[tuple[int, int], ...] = scores_option(
        "Only this score: points of the player who moves first, then of the other; may be repeated."
    )
    digits: int | None = option(
        Count(1, 10_000),
        "So many digits behind the point.  [default: 12, from floats; the last may be wrong beyond 1000 points]",
    )
    fractions: bool = flag("As fractions: by the rules that fill the board.")
    plot: Path | None = option(
        PathName(dir_okay=False),
        "Also draw the map of values, as .png, .svg or .pdf; an earlier one is replaced. Needs matplotlib: "
        "pip install matplotlib.",
        metavar="FILE",
    )
    as_json: bool = json_option()


@command_of(Options)
def command(given: Options) -> None:
    """Print what every score of a match is worth to the player who moves first, by formula.

    A value is the chance of winning the match less that of losing it, -1 to 1, when both players are perfect. Nothing
    is solved: docs/closed-forms.md has the formulas and why they are right. A match to 1000, a million values, takes
    seconds.

    \b
    match-values
    match-values --digits 50 --score 0 0
    match-values --winning-score 1000 --json > values.json
    match-values --rules filled --fractions --score 4 3
    match-values --winning-score 30 --plot map.png
    """
    if given.fractions and given.digits is not None:
        raise click.UsageError("--fractions and --digits exclude each other")
    for first, second in given.score:
        if max(first, second) >= given.winning_score:
            raise click.UsageError(f"--score: {first}-{second} does not exist in a match to {given.winning_score}")
    if given.plot is not None:
        check_picture(given.plot, "--plot")
    rules, some = given.rules.over(), given.score if given.plot is None else ()
    most = match_values.num_needed(some, given.winning_score) if some else given.winning_score**2
    status = SpeedLine(most, quiet=False)
    memory = match_values.memory_of_all(given.winning_score, given.digits)
    if not some and memory > LARGE_MEMORY:
        note(f"all values take about {size_text(memory)} of memory; some scores (--score, without --plot) take little")

    def told(done: int, scores: int) -> None:
        status.set(f"{done:,} of {scores:,} values worked out, {{elapsed}} elapsed{status.speed(done)[1]}")

    with errors_of_formulas(), status.showing():
        numbers: dict[str, Any] = {"digits": given.digits, "exact": given.fractions, "reporter": told}
        if some:
            values: Any = match_values.values_at(some, given.winning_score, rules, **numbers)
        else:
            values = tictactoe.values_by_formula(given.winning_score, rules, **numbers)
    if given.plot is not None:
        style.save_figure(solution_figures.value_map(values.astype(float), rules=str(rules)), given.plot)
        values = {score: values[score] for score in given.score} or values
    if given.as_json:
        values_report.print_json(values, rules, given.winning_score)
    else:
        values_report.print_values(values, rules)
