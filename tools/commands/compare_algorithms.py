"""compare-algorithms: how fast algorithms converge on one round or several."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import tictactoe
from tictactoe.errors import ClusterError, TicTacToeError

from ..options.common import (
    directory_option,
    for_paper_option,
    json_option,
    quiet_option,
    require_plots_unless,
    restart_option,
)
from ..options.comparison_options import (
    BUDGET_UNITS,
    Amounts,
    ChosenRounds,
    amounts_options,
    comparison_workers,
    contenders_of,
    rounds_options,
)
from ..options.parameters import NAME
from ..options.rules_options import WantedRules
from ..options.solving_options import algorithms_from_option, errors_of_options
from ..options.workers import Workers, connected, followed
from ..program import CommandError, Program, print_json, say, shown_path

if TYPE_CHECKING:
    from tictactoe.solving import comparison_run


@click.command(cls=Program)
@click.option(
    "--algorithm",
    "--algorithms",
    "algorithms",
    type=NAME,
    multiple=True,
    metavar="ITEM,ITEM,...",
    help="What to compare, each [LABEL=]NAME[(PARAMETER=VALUE,...)]; simultaneous among the parameters: both players' "
    "updates see the old strategies. May be given more than once.  [default: every algorithm there is]",
)
@algorithms_from_option
@rounds_options
@amounts_options
@comparison_workers
@directory_option("comparison", "Directory for comparison.csv, comparison.json and pictures.")
@restart_option
@click.option(
    "--against",
    type=click.Choice(BUDGET_UNITS),
    multiple=True,
    help="What the pictures show exploitability against; may be given more than once.  [default: all; histories only "
    "where an algorithm samples, for the others these are nodes times a number]",
)
@click.option("--no-plot", is_flag=True, help="No pictures; works without matplotlib.")
@for_paper_option("Also write comparison.tex and .pdf, for a paper: LaTeX, and pictures as PDF.")
@quiet_option()
@json_option
def command(
    algorithms: tuple[str, ...],
    algorithms_from: tuple[str, ...],
    rules: WantedRules,
    chosen: ChosenRounds,
    amounts: Amounts,
    workers: Workers,
    output: Path,
    restart: bool,
    against: tuple[str, ...],
    no_plot: bool,
    for_paper: bool,
    quiet: bool,
    as_json: bool,
) -> None:
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
    tictactoe compare-algorithms
    tictactoe compare-algorithms --algorithms dcfr,cfr --score 4-3 --values-from shipped --budget 500
    tictactoe compare-algorithms --algorithms 'cfr+, slow=dcfr(discount_alpha=1, simultaneous)'
    tictactoe compare-algorithms --algorithms-from my_rule.py --algorithms 'cfr+, x=my-rule(share=1)'
    tictactoe compare-algorithms --all-scores --values-from shipped --perturbations 20 --jobs 4
    tictactoe compare-algorithms --all-scores --values-from shipped --cluster local:4
    tictactoe compare-algorithms --game leduc --budget 2000
    tictactoe compare-algorithms --budget 20s --against seconds -o by_time/
    """
    from tictactoe.algorithms import user_code
    from tictactoe.figures import comparison_files
    from tictactoe.solving import comparison_run

    from ..reports import comparison_report

    with errors_of_options():
        new = user_code.load_rules(algorithms_from) if algorithms_from else []
    if workers.cluster is not None:
        user_code.send_modules_of(algorithms_from)
    contenders = contenders_of(algorithms, [*tictactoe.ALGORITHMS, *new])
    if no_plot and against:
        raise click.UsageError("--against: it is about pictures, and --no-plot leaves them out")
    plan = amounts.plan(contenders)
    require_plots_unless(no_plot, "pictures")
    rounds = chosen.rounds(rules)
    units = [] if no_plot else _units(against, contenders)
    files = comparison_files.ComparisonFiles(output, units, for_paper)
    started = time.monotonic()
    with (
        files.prepared(plan.about(rounds, algorithms_from), restart) as journal,
        connected(workers.cluster, quiet=quiet) as cluster,
    ):
        progress = comparison_report.ComparisonProgress(rounds[0].in_match_value, cluster, quiet)
        with followed(progress, tictactoe.RunControl(cluster or workers.jobs or 1)) as control:
            ended = comparison_run.compare_on_rounds(plan, rounds, journal, control)
        # Report before closing the cluster, which takes time.
        if not ended.compared:
            nothing = tictactoe.Interrupted("no run had ended, nothing is written")
            raise ended.stopped if isinstance(ended.stopped, ClusterError) else nothing
        record = comparison_run.comparison_as_dict(
            plan,
            ended,
            jobs=workers.jobs or 1,
            cluster=workers.cluster,
            seconds=time.monotonic() - started,
            rules_of_user=algorithms_from,
        )

        def show(written: Sequence[Path]) -> None:
            if as_json:
                _print_json(record, ended.compared, written)
            elif not quiet:
                comparison_report.print_comparison(ended, workers)
                if written:
                    say(f"written: {', '.join(map(shown_path, written))}")

        try:
            written = files.write(ended.compared, record)
        except (OSError, TicTacToeError):  # the runs may have taken hours: print the results even so
            if ended.stopped is None:
                show([])
            raise
        if isinstance(ended.stopped, ClusterError):
            raise CommandError(f"{ended.stopped}; the runs that had ended are in {output}") from ended.stopped
        if ended.stopped is not None:
            raise tictactoe.Interrupted(f"the runs that had ended are in {output}, and the same command goes on")
        show(written)
        journal.remove()


def _units(against: Sequence[str], contenders: Sequence[tictactoe.Contender]) -> list[tictactoe.Unit]:
    """The horizontal axes of the pictures: the units of --against; by default all useful units."""
    samples = any(contender.rule.samples for contender in contenders)
    return [
        unit
        for unit in tictactoe.Unit
        if (unit in against if against else unit is not tictactoe.Unit.HISTORIES or samples)
    ]


def _print_json(record: dict[str, Any], compared: comparison_run.Compared, written: Sequence[Path]) -> None:
    """Print the record with all measurements and the names of the written files."""
    from tictactoe.solving import comparison_run

    for each, (_, runs) in zip(record["rounds"], compared, strict=True):
        each["runs"] = [comparison_run.run_as_dict(run) for run in runs]
    print_json(record | {"files": list(map(str, written))})
