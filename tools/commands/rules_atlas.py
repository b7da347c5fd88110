"""The verb rules-atlas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

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
    require_plots,
    restart_option,
    scores_option,
    target_option,
    winning_score_option,
)
from ..options.parameters import Count, PathName, Reader
from ..options.rules_options import ODDS, RulesReader, WantedRules, errors_of_formulas, require_end, wanted_rules
from ..options.solving_options import errors_of_options
from ..options.workers import THREADS, Workers, cluster_of, control_of, followed, workers_options
from ..program import CommandError, Program, note, print_json, say, shown_path
from ..progress import SpeedLine

if TYPE_CHECKING:
    from tictactoe.solving import rules_atlas as facts_of_rules

LARGE_MEMORY = 1e9
"""The number of bytes above which a warning about memory is printed."""
_OF_THE_ATLAS = ("target", "polish", "jobs", "cluster", "restart", "no_plot", "for_paper")
_OF_VALUES = ("scores", "digits")
FRACTIONS = "fractions"


def _several(text: str) -> list[WantedRules]:
    return [wanted_rules(each.lstrip()) for each in text.split(",")]


@dataclass(frozen=True)
class Atlas:
    target: float
    polish: bool
    restart: bool
    no_plot: bool
    for_paper: bool


@dataclass(frozen=True)
class Values:
    values: bool
    scores: tuple[tictactoe.Score, ...]
    digits: int | str | None


@click.command(cls=Program)
@click.option(
    "--rules",
    "chosen",
    type=RulesReader(_several),
    multiple=True,
    metavar="NAME,NAME,...",
    help=f"Rules to compare: {', '.join(RULES)}; may be given more than once. Or compare all of them {ODDS}.  "
    f"[default: all of them; with --values, {DEFAULT_RULES}]",
)
@winning_score_option(most=10_000)
@click.option(
    "-o",
    "--output",
    type=PathName(),
    help="Directory for the tables, the picture and the solutions. A stopped run continues. With --values: file for a "
    "picture of the values, .png, .svg or .pdf.  [default: rules_atlas; with --values, none]",
)
@one_value(
    "atlas",
    Atlas,
    target_option(
        "Solve every score until nobody can gain more than this in its round (match value, both seats together).", 1e-6
    ),
    click.option(
        "--polish", is_flag=True, help="Make every solution exact afterwards; this takes longer and needs highspy."
    ),
    restart_option,
    click.option("--no-plot", is_flag=True, help="Draw no picture; matplotlib is then not needed."),
    for_paper_option("Also write atlas.tex, and the picture as PDF, for a paper."),
)
@workers_options(THREADS)
@one_value(
    "values",
    Values,
    click.option(
        "--values", is_flag=True, help="Print only the value of every score, by formula, for even odds of the goals."
    ),
    scores_option("With --values: print only this score; may be repeated."),
    click.option(
        "--digits",
        type=Reader("digits", lambda text: text if text == FRACTIONS else Count(1, 10_000).convert(text, None, None)),
        metavar=f"N|{FRACTIONS}",
        help="With --values: digits after the decimal point, or fractions, for rules that fill the board.  [default: "
        "12, from floats; beyond 1000 points the last may be wrong]",
    ),
)
@quiet_option("Show no progress and no tables, only errors.")
@json_option
def command(
    chosen: tuple[list[WantedRules], ...],
    winning_score: int,
    output: Path | None,
    atlas: Atlas,
    workers: Workers,
    values: Values,
    quiet: bool,
    as_json: bool,
) -> None:
    """Compare the rules of a round: whom they favour, how perfect players fare, which rules are the fairest.

    For every set of rules, this shows the value of a round on its own and of all scores of a match, who is favoured and
    by how much, how often perfect players score, how their rounds end, and the size of the tree. What comes with the
    program is looked up. Everything else is solved as by solve-multiround, which takes much longer with uneven odds.
    Press Ctrl-C to stop: finished work is saved, and the same command continues.

    The verb writes atlas.csv, atlas.json and a picture, atlas.png and .svg. New solutions are in RULES/match_to_5 in
    the same directory and, with --polish, in RULES/match_to_5_exact.

    --values solves and compares nothing. It prints the value of every score to the first mover between perfect players:
    the chance of winning the match minus that of losing it, -1 to 1. A match to 1000, which has a million values, takes
    seconds. docs/closed-forms.md explains the formulas.

    \b
    tictactoe rules-atlas
    tictactoe rules-atlas --rules three-in-a-row,filled --winning-score 3 --no-plot
    tictactoe rules-atlas --rules 2:1:1 -o more_wins/ --polish
    tictactoe rules-atlas --values --digits 50 --score 0-0
    tictactoe rules-atlas --values --rules filled --digits fractions --score 4-3
    """
    wanted = [each for several in chosen for each in several]
    names = list(dict.fromkeys(each.name for each in wanted if each.name))
    known = {each.goal_odds for each in wanted if each.goal_odds} or {(1, 1, 1)}
    if len(known) > 1:
        raise click.UsageError("--rules: the same odds apply to all rules that are compared; give them once")
    odds = known.pop()
    if values.values:
        refuse(_OF_THE_ATLAS, "cannot be combined with --values")
        if len(names) > 1:
            raise click.UsageError("--rules: with --values, give only one")
        rules = Rules(names[0] if names else DEFAULT_RULES, odds)
        _print_values(values, rules, winning_score, output, quiet=quiet, as_json=as_json)
        return
    refuse(_OF_VALUES, "requires --values")
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

    require_plots(not atlas.no_plot, "leave out the picture with --no-plot")
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
    progress.rules_begin(rules)
    try:
        facts = tictactoe.rules_facts(output, rules, options, polish=polish, control=control)
    except EndlessMatchError as error:
        advice = "choose other odds, or other rules (--rules)"
        raise CommandError(f"{rules}: {error}; {advice}") from error
    progress.rules_end(facts)
    return facts


def _print_values(
    wanted: Values, rules: Rules, winning_score: int, picture: Path | None, *, quiet: bool, as_json: bool
) -> None:
    from tictactoe.figures import solution_figures, style
    from tictactoe.formulas import match_values

    from ..reports import solution_report

    for score in wanted.scores:
        if max(score) >= winning_score:
            raise click.UsageError(f"--score: {score} does not exist in a match to {winning_score}")
    if picture is not None:
        check_picture(picture, "--output")
    some = wanted.scores if picture is None else ()
    status = SpeedLine(match_values.num_needed(some, winning_score) if some else winning_score**2, quiet=quiet)
    digits = wanted.digits if isinstance(wanted.digits, int) else None
    memory = match_values.memory_of_all(winning_score, digits)
    if not some and memory > LARGE_MEMORY and not quiet:
        note(f"all values take about {size_text(memory)} of memory; single scores (--score, without -o) take little")

    def told(done: int, scores: int) -> None:
        status.set(f"{done:,} of {scores:,} values computed, {{elapsed}} elapsed{status.speed(done)[1]}")

    with errors_of_formulas(), status.showing():
        numbers: dict[str, Any] = {"digits": digits, "exact": wanted.digits == FRACTIONS, "reporter": told}
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
