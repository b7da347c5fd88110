"""rules-atlas: what difference the rules of a round make, and what every score of a match is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

import tictactoe
from tictactoe.errors import EndlessMatchError
from tictactoe.games.rules import DEFAULT_RULES, RULES, Rules
from tictactoe.number_text import size_text

from ..options.common import (
    check_picture,
    existing_of,
    for_paper_option,
    json_option,
    one_value,
    quiet_option,
    refuse,
    require_plots_unless,
    restart_option,
    scores_option,
    target_option,
    winning_score_option,
)
from ..options.parameters import Count, PathName, Reader, shortened
from ..options.rules_options import errors_of_formulas, goal_odds_option, require_end
from ..options.solving_options import errors_of_options
from ..options.workers import THREADS, Workers, cluster_of, control_of, followed, workers_options
from ..program import CommandError, Program, note, print_json, say, shown_path
from ..progress import SpeedLine

if TYPE_CHECKING:
    from tictactoe.solving import rules_atlas as facts_of_rules

LARGE_MEMORY = 1e9
"""Bytes, of which somebody should be told."""
_OF_THE_ATLAS = ("target", "polish", "jobs", "cluster", "restart", "no_plot", "for_paper")
_OF_VALUES = ("scores", "digits", "fractions")


def _names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(","))
    for name in names:
        if name not in RULES:
            raise ValueError(f"{shortened(name)} is not the name of rules; known: {', '.join(RULES)}")
    return names


class RulesNames(Reader):
    """Names of rules, separated by commas."""

    def __init__(self) -> None:
        super().__init__("choice", _names)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The names of all rules, to continue the list that has been typed."""
        before, comma, last = incomplete.rpartition(",")
        return [CompletionItem(f"{before}{comma}{name}") for name in RULES if name.startswith(last)]


@dataclass(frozen=True)
class Atlas:
    """What is compared, and how exactly."""

    target: float
    polish: bool
    restart: bool
    no_plot: bool
    for_paper: bool


@dataclass(frozen=True)
class Values:
    """Which values are printed, and how."""

    values: bool
    scores: tuple[tictactoe.Score, ...]
    digits: int | None
    fractions: bool


@click.command(cls=Program)
@click.option(
    "--rules",
    "chosen",
    type=RulesNames(),
    multiple=True,
    metavar="NAME,NAME,...",
    help=f"Which rules to compare: {', '.join(RULES)}; may be given more than once.  [default: all of them, with "
    f"--values {DEFAULT_RULES}]",
)
@goal_odds_option
@winning_score_option(most=10_000)
@click.option(
    "-o",
    "--output",
    type=PathName(),
    help="Directory for the tables, the picture and what is solved. A run that was stopped goes on where it was. With "
    "--values a picture to draw the map of values in, .png, .svg or .pdf.  [default: rules_atlas, with --values none]",
)
@one_value(
    "atlas",
    Atlas,
    target_option(
        "Solve every score until nobody can gain more than this in its round (both seats together, match value).", 1e-6
    ),
    click.option("--polish", is_flag=True, help="Then make all that is solved exact; takes longer, and needs highspy."),
    restart_option,
    click.option("--no-plot", is_flag=True, help="No picture; works without matplotlib."),
    for_paper_option("Also write atlas.tex and .pdf: LaTeX, and the picture as PDF."),
)
@workers_options(THREADS)
@one_value(
    "values",
    Values,
    click.option(
        "--values", is_flag=True, help="Only what every score of a match is worth, by formula: even odds of the goals."
    ),
    scores_option("With --values: only this score; may be repeated."),
    click.option(
        "--digits",
        type=Count(1, 10_000),
        help="With --values: so many digits behind the point.  [default: 12, from floats; the last may be wrong beyond "
        "1000 points]",
    ),
    click.option("--fractions", is_flag=True, help="With --values: as fractions, by the rules that fill the board."),
)
@quiet_option("No progress and no tables: nothing but errors.")
@json_option
def command(
    chosen: tuple[tuple[str, ...], ...],
    goal_odds: tuple[int, int, int] | None,
    winning_score: int,
    output: Path | None,
    atlas: Atlas,
    workers: Workers,
    values: Values,
    quiet: bool,
    as_json: bool,
) -> None:
    """Compare the rules of a round: who is favoured, how perfect players fare, which rules are the fairest.

    For every rule: the value of a round on its own and of all scores of a match, who is favoured and by how much, how
    often perfect players score and how their rounds end, how large the tree is. What comes with the program is looked
    up, all else is solved, as solve-multiround does it, which takes much longer with uneven odds than with even ones.
    Press Ctrl-C to stop: what is solved is saved, and the same command goes on from there.

    Writes atlas.csv, atlas.json and a picture, atlas.png and .svg. What was solved is below the same directory, in
    RULES/match_to_5 and, with --polish, RULES/match_to_5_exact: solutions like any other.

    With --values nothing is solved or compared: it prints what every score is worth to the player who moves first, the
    chance of winning the match less that of losing it, -1 to 1, when both players are perfect. docs/closed-forms.md has
    the formulas and why they are right. A match to 1000, a million values, takes seconds.

    \b
    tictactoe rules-atlas
    tictactoe rules-atlas --rules three-in-a-row,filled --winning-score 3 --no-plot
    tictactoe rules-atlas --goal-odds 2:1:1 -o more_wins/ --polish
    tictactoe rules-atlas --values --digits 50 --score 0-0
    tictactoe rules-atlas --values --rules filled --fractions --score 4-3
    """
    names = list(dict.fromkeys(name for several in chosen for name in several))
    odds = goal_odds or (1, 1, 1)
    if values.values:
        refuse(_OF_THE_ATLAS, "does not go with --values")
        if len(names) > 1:
            raise click.UsageError("--rules: with --values, name one")
        rules = Rules(names[0] if names else DEFAULT_RULES, odds)
        _print_values(values, rules, winning_score, output, quiet=quiet, as_json=as_json)
        return
    refuse(_OF_VALUES, "is for --values")
    with errors_of_options():
        options = tictactoe.MatchOptions(
            winning_score=winning_score, maximum_subgame_exploitability=atlas.target, snapshot_at=()
        )
    all_rules = [Rules(name, odds) for name in names or RULES]
    _compare(all_rules, options, output or Path("rules_atlas"), atlas, workers, quiet=quiet, as_json=as_json)


def _compare(
    rules: Sequence[Rules],
    options: tictactoe.MatchOptions,
    output: Path,
    atlas: Atlas,
    workers: Workers,
    *,
    quiet: bool,
    as_json: bool,
) -> None:
    from tictactoe.figures import comparison_files
    from tictactoe.storage import atomic_files

    from ..reports import atlas_report

    require_plots_unless(atlas.no_plot, "picture")
    require_end(rules)
    atomic_files.make_directory(output)  # a bad name fails here, before the solving
    with control_of(workers, existing_of(atlas.restart), quiet=quiet, exact=atlas.polish) as control:
        progress = atlas_report.AtlasProgress(len(rules), cluster_of(control), quiet=quiet)
        with followed(progress, control) as control:
            found = [_facts(each, options, output, atlas.polish, control, progress) for each in rules]
    written = comparison_files.write_atlas(output, found, picture=not atlas.no_plot, for_paper=atlas.for_paper)
    if as_json:
        print_json(comparison_files.atlas_as_dict(found) | {"files": list(map(str, written))})
    elif not quiet:
        atlas_report.print_atlas(found)
        say(f"written: {', '.join(map(shown_path, written))}")


def _facts(
    rules: Rules,
    options: tictactoe.MatchOptions,
    output: Path,
    polish: bool,
    control: tictactoe.RunControl[Any],
    progress: Any,
) -> facts_of_rules.RulesFacts:
    """The entry of these rules. Raises Interrupted after a signal."""
    progress.rules_begin(rules)
    try:
        facts = tictactoe.rules_facts(output, rules, options, polish=polish, control=control)
    except EndlessMatchError as error:
        advice = "choose other odds, or other rules (--goal-odds, --rules)"
        raise CommandError(f"{rules}: {error}; {advice}") from error
    progress.rules_end(facts)
    return facts


def _print_values(
    wanted: Values, rules: Rules, winning_score: int, picture: Path | None, *, quiet: bool, as_json: bool
) -> None:
    from tictactoe.figures import solution_figures, style
    from tictactoe.formulas import match_values

    from ..reports import solution_report

    if wanted.fractions and wanted.digits is not None:
        raise click.UsageError("--fractions and --digits exclude each other")
    for score in wanted.scores:
        if max(score) >= winning_score:
            raise click.UsageError(f"--score: {score} does not exist in a match to {winning_score}")
    if picture is not None:
        check_picture(picture, "--output")
    some = wanted.scores if picture is None else ()
    status = SpeedLine(match_values.num_needed(some, winning_score) if some else winning_score**2, quiet=quiet)
    memory = match_values.memory_of_all(winning_score, wanted.digits)
    if not some and memory > LARGE_MEMORY and not quiet:
        note(f"all values take about {size_text(memory)} of memory; some scores (--score, without -o) take little")

    def told(done: int, scores: int) -> None:
        status.set(f"{done:,} of {scores:,} values worked out, {{elapsed}} elapsed{status.speed(done)[1]}")

    with errors_of_formulas(), status.showing():
        numbers: dict[str, Any] = {"digits": wanted.digits, "exact": wanted.fractions, "reporter": told}
        if some:
            found: Any = match_values.values_at(some, winning_score, rules, **numbers)
        else:
            found = tictactoe.values_by_formula(winning_score, rules, **numbers)
    if picture is not None:
        style.save_figure(solution_figures.value_map(found.astype(float), rules=str(rules)), picture)
        found = {score: found[score] for score in wanted.scores} or found
    if as_json:
        solution_report.print_values_json(found, rules, winning_score)
    elif not quiet:
        solution_report.print_values(found, rules)
