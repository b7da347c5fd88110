"""compare-algorithms: how fast algorithms converge on one round or several."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

import tictactoe
from tictactoe.errors import ClusterError, TicTacToeError

from ..lazy_imports import lazily
from ..options.parameters import NAME
from ..options_before.common import directory_option, json_option, quiet_option, require_plots_unless
from ..options_before.comparison_options import BUDGET_UNITS, Amounts, ChosenRounds, contenders_of
from ..options_before.declaring import command_of, flag, group, option
from ..options_before.solving_options import algorithms_from_option, errors_of_options
from ..options_before.workers import connected, followed
from ..program import CommandError, print_json, say, shown_path

with lazily():
    from tictactoe.algorithms.cfr import rule_files
    from tictactoe.figures import comparison_files
    from tictactoe.solving import comparison_run

    from ..reports import comparison_report


@dataclass(frozen=True)
class Options:
    algorithms: tuple[str, ...] = option(
        NAME,
        "What to compare, each [LABEL=]NAME[(PARAMETER=VALUE,...)]; simultaneous among the parameters: both players' "
        "updates see the old strategies. May be given more than once.  [default: every algorithm there is]",
        short="--algorithm",
        multiple=True,
        metavar="ITEM,ITEM,...",
    )
    algorithms_from: tuple[str, ...] = algorithms_from_option()
    rounds: ChosenRounds = group(ChosenRounds)
    amounts: Amounts = group(Amounts)
    output: Path = directory_option("comparison", "Directory for comparison.csv, comparison.json and pictures.")
    restart: bool = flag("Replace a comparison that the output directory holds.")
    against: tuple[str, ...] = option(
        click.Choice(BUDGET_UNITS),
        "What the pictures show exploitability against; may be given more than once.  [default: all; histories only "
        "where an algorithm samples, for the others these are nodes times a number]",
        multiple=True,
    )
    no_plot: bool = flag("No pictures; works without matplotlib.")
    for_paper: bool = flag("Also write comparison.tex and .pdf, for a paper: LaTeX, and pictures as PDF.")
    quiet: bool = quiet_option()
    as_json: bool = json_option()


@command_of(Options)
def command(given: Options) -> None:
    """Run algorithms on one round, or on another game, and compare how fast their strategies get unexploitable.

    Without options: all algorithms on a single round, until each has touched 50 million nodes. Exploitability is
    measured about ten times for every factor of ten of the budget. Prints a table; writes every measurement as CSV,
    what was compared and the table as JSON, and a picture with logarithmic axes.

    Nodes touched are the decision nodes of the public tree that an algorithm's updates have visited; what it skips is
    not touched. Histories touched count a visit once for each pair of goals that it works on: nine for a full-width
    method, one for a sampling method, three if it draws the opponent's goal alone. Compiling and measuring count
    neither as nodes nor as seconds. Press Ctrl-C to stop: the runs that have ended are kept, and the same command goes
    on with the others.

    Rounding decides between moves that are equally good, and so the last digits of a result are luck: --perturbations
    20 tells how much of it.

    \b
    compare-algorithms
    compare-algorithms --algorithms dcfr,pdcfr+ --score 4 3 --values-from shipped --budget 2000
    compare-algorithms --algorithms 'dcfr, slow=dcfr(discount_alpha=1, simultaneous), es-mccfr(full_average=0)'
    compare-algorithms --algorithms-from my_rule.py --algorithms 'cfr+, x=my-rule(share=1)'
    compare-algorithms --all-scores --values-from shipped --perturbations 20 --jobs 4
    compare-algorithms --all-scores --values-from shipped --perturbations 20 --cluster local:4
    compare-algorithms --game leduc --budget 2000
    compare-algorithms --budget 20s --against seconds -o by_time/
    """
    address, workers = given.amounts.workers.cluster, given.amounts.workers
    with errors_of_options():
        new = rule_files.load_rules(given.algorithms_from) if given.algorithms_from else []
    if address is not None:
        rule_files.send_modules_of(given.algorithms_from)
    contenders = contenders_of(given.algorithms, [*tictactoe.ALGORITHMS, *new])
    if given.no_plot and given.against:
        raise click.UsageError("--against: it is about pictures, and --no-plot leaves them out")
    plan = given.amounts.plan(contenders)
    require_plots_unless(given.no_plot, "pictures")
    rounds = given.rounds.rounds()
    units = [] if given.no_plot else _units(given.against, contenders)
    files = comparison_files.ComparisonFiles(given.output, units, given.for_paper)
    started = time.monotonic()
    with (
        files.prepared(plan.about(rounds, given.algorithms_from), given.restart) as journal,
        connected(address, quiet=given.quiet) as cluster,
    ):
        progress = comparison_report.ComparisonProgress(rounds[0].in_match_value, cluster, given.quiet)
        with followed(progress, tictactoe.RunControl(cluster or workers.jobs or 1)) as control:
            ended = comparison_run.compare_on_rounds(plan, rounds, journal, control)
        # Report before closing the cluster, which takes time.
        _report(given, plan, files, ended, time.monotonic() - started)
        journal.remove()


def _units(against: Sequence[str], contenders: Sequence[tictactoe.Contender]) -> list[tictactoe.Unit]:
    """The horizontal axes of the pictures: the units of --against; by default all useful units."""
    samples = any(contender.rule.samples for contender in contenders)
    return [
        unit
        for unit in tictactoe.Unit
        if (unit in against if against else unit is not tictactoe.Unit.HISTORIES or samples)
    ]


def _report(
    given: Options,
    plan: comparison_run.ComparisonPlan,
    files: comparison_files.ComparisonFiles,
    ended: comparison_run.ComparedRuns,
    seconds: float,
) -> None:
    """Write the finished runs. Then print the results, or raise the error that stopped further runs."""
    compared, stopped = ended.compared, ended.stopped
    if not compared:
        nothing = tictactoe.Interrupted("no run had ended, nothing is written")
        raise stopped if isinstance(stopped, ClusterError) else nothing
    workers = given.amounts.workers
    record = comparison_run.comparison_as_dict(
        plan,
        ended,
        jobs=workers.jobs or 1,
        cluster=workers.cluster,
        seconds=seconds,
        rules_of_user=given.algorithms_from,
    )
    try:
        written = files.write(compared, record)
    except (OSError, TicTacToeError):  # the runs may have taken hours: print the results even so
        if stopped is None and given.as_json:
            _print_json(record, compared, [])
        elif stopped is None and not given.quiet:
            comparison_report.print_comparison(ended, workers)
        raise
    if isinstance(stopped, ClusterError):
        raise CommandError(f"{stopped}; the runs that had ended are in {files.output}") from stopped
    if stopped is not None:
        raise tictactoe.Interrupted(f"the runs that had ended are in {files.output}, and the same command goes on")
    if given.as_json:
        _print_json(record, compared, written)
    elif not given.quiet:
        comparison_report.print_comparison(ended, workers)
        say(f"written: {', '.join(map(shown_path, written))}")


def _print_json(record: dict[str, Any], compared: comparison_run.Compared, written: Sequence[Path]) -> None:
    """Print the record with all measurements and the names of the written files."""
    for each, (_, runs) in zip(record["rounds"], compared, strict=True):
        each["runs"] = [comparison_run.run_as_dict(run) for run in runs]
    print_json(record | {"files": list(map(str, written))})
