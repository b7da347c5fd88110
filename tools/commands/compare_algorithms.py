"""compare-algorithms: how fast algorithms converge on one round or several."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import click

import tictactoe
from tictactoe.errors import ClusterError, TicTacToeError
from tictactoe.storage.json_text import json_text

from ..lazy_imports import lazily
from ..options.common import directory_option, json_option, quiet_option
from ..options.comparison_options import BUDGET_UNITS, Amounts, ChosenRounds, ComparedRound, Plan, contenders_of
from ..options.declaring import command_of, flag, group, option
from ..options.parameters import NAME
from ..options.pictures import require_plots_unless
from ..options.solving_options import errors_of_options
from ..options.workers import connected
from ..program import CommandError, say, shown_path, stop_on_signals
from ..reports.comparison_files import Compared, ComparisonFiles
from ..reports.comparison_report import (
    ComparisonProgress,
    overall_as_dict,
    print_overall,
    print_round,
    round_as_dict,
    run_as_dict,
    title_of,
)

with lazily():
    from tictactoe.algorithms.cfr import rule_files
    from tictactoe.algorithms.comparing import comparison_summary, convergence, measured_run
    from tictactoe.solving import cluster as clusters
    from tictactoe.storage import comparison_journal


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
    algorithms_from: tuple[str, ...] = option(
        NAME,
        "Python that calls register_rule: your own rules (docs/adding-a-rule.md). It is run, so it must be trusted.",
        multiple=True,
        metavar="FILE_OR_MODULE",
    )
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
    quiet: bool = quiet_option()
    as_json: bool = json_option()


@command_of(Options)
def command(given: Options) -> None:
    """Run algorithms on one round and compare how fast their strategies get unexploitable.

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
    compare-algorithms --algorithms 'dcfr, slow=dcfr(alpha=1, simultaneous), es-mccfr(full_average=0)'
    compare-algorithms --algorithms-from my_rule.py --algorithms 'cfr+, x=my-rule(share=1)'
    compare-algorithms --all-scores --values-from shipped --perturbations 20 --jobs 4
    compare-algorithms --all-scores --values-from shipped --perturbations 20 --cluster local:4
    compare-algorithms --budget 20s --against seconds -o by_time/
    """
    cluster = given.amounts.workers.cluster
    with errors_of_options():
        new = rule_files.load_rules(given.algorithms_from) if given.algorithms_from else []
    if cluster is not None:
        rule_files.send_modules_of(given.algorithms_from)
    contenders = contenders_of(given.algorithms, [*tictactoe.ALGORITHMS, *new])
    if given.no_plot and given.against:
        raise click.UsageError("--against: it is about pictures, and --no-plot leaves them out")
    plan = Plan.of(contenders, given.amounts)
    require_plots_unless(given.no_plot, "pictures")
    rounds = given.rounds.rounds()
    files = ComparisonFiles(given.output, [] if given.no_plot else _units(given.against, contenders))
    started = time.monotonic()
    with (
        files.prepared(plan.about(rounds, given.algorithms_from), given.restart) as journal,
        connected(cluster, quiet=given.quiet) as workers,
    ):
        compared, stopped = _run(plan, rounds, workers, journal, given.quiet)
        seconds = time.monotonic() - started
        num_before = sum(len(journal.runs(each.name, plan.trials())) for each, _ in compared)
        # Report before closing the cluster, which takes time.
        _report(given, plan, files, _Ended(compared, stopped, seconds, num_before))
        journal.remove()


class _Ended(NamedTuple):
    """The runs of a comparison when it ends."""

    compared: Compared
    stopped: tictactoe.Interrupted | ClusterError | None
    """The error that stopped further runs."""
    seconds: float
    num_before: int
    """Runs that an earlier call of the command has made."""


def _units(against: Sequence[str], contenders: Sequence[tictactoe.Contender]) -> list[tictactoe.Unit]:
    """The horizontal axes of the pictures: the units of --against; by default all useful units."""
    samples = any(contender.rule.samples for contender in contenders)
    return [
        unit
        for unit in tictactoe.Unit
        if (unit in against if against else unit is not tictactoe.Unit.HISTORIES or samples)
    ]


def _run(
    plan: Plan,
    rounds: Sequence[ComparedRound],
    cluster: clusters.Cluster | None,
    journal: comparison_journal.ComparisonJournal,
    quiet: bool,
) -> tuple[Compared, tictactoe.Interrupted | ClusterError | None]:
    """The finished runs, by round, and the error that stopped the others, if any."""
    compared: Compared = []
    stopped: tictactoe.Interrupted | ClusterError | None = None
    with stop_on_signals() as stop:
        trials = plan.trials()
        known = [journal.runs(each.name, trials) for each in rounds]
        progress = ComparisonProgress(
            len(rounds) * len(trials),
            rounds[0].found.winning_score is not None,
            cluster,
            quiet,
            num_before=sum(map(len, known)),
        )
        tree = tictactoe.GameTree.build(rounds[0].found.rules)
        control = tictactoe.RunControl(cluster or plan.jobs, stop=stop, reporter=progress)
        with progress.showing(), rule_files.faults_of_rules(), rule_files.faults_of_workers():
            progress.goes_on()
            if cluster is None:
                progress.starting(samples=plan.contenders[0].rule.samples)
            comparisons = [  # in a cluster the runs of all rounds begin here, otherwise in the loop below
                convergence.compare_algorithms(
                    tictactoe.tic_tac_toe_round(tree, each.found.outcome_values),
                    trials,
                    plan.budget,
                    known=before,
                    keep=partial(_keep, journal, each.name),
                    control=control,
                )
                for each, before in zip(rounds, known, strict=True)
            ]
            for each, before, comparison in zip(rounds, known, comparisons, strict=True):
                progress.round_begins(each.name if len(rounds) > 1 else "")
                runs: list[measured_run.Run] = []
                compared.append((each, runs))
                try:
                    for ended in comparison:
                        runs.append(ended)
                        if not any(ended is earlier for earlier in before):
                            progress.run_ended(ended)
                except (tictactoe.Interrupted, ClusterError) as error:
                    stopped = stopped or error
                    stop.set()  # keep only the finished runs of the other rounds
    return [(each, runs) for each, runs in compared if runs], stopped


def _keep(journal: comparison_journal.ComparisonJournal, name: str, ended: measured_run.Run) -> None:
    """Write a finished run to the journal. A failure is no reason to end: after a kill, the run is only made again."""
    with contextlib.suppress(OSError):
        journal.append(name, ended)


def _report(given: Options, plan: Plan, files: ComparisonFiles, ended: _Ended) -> None:
    """Write the finished runs. Then print the results, or raise the error that stopped further runs."""
    compared, stopped = ended.compared, ended.stopped
    if not compared:
        nothing = tictactoe.Interrupted("no run had ended, nothing is written")
        raise stopped if isinstance(stopped, ClusterError) else nothing
    summaries, first = [tictactoe.summarize(runs) for _, runs in compared], compared[0][0].found
    overall = comparison_summary.over_all(summaries) if len(compared) > 1 and stopped is None else []
    record = plan.as_dict() | {
        "rules": str(first.rules),
        "winning_score": first.winning_score,
        "rounds": [round_as_dict(each, summary) for (each, _), summary in zip(compared, summaries, strict=True)],
        "overall": overall_as_dict(overall),
        "earlier_runs": ended.num_before,
        "elapsed_seconds": ended.seconds,
    }
    try:
        written = files.write(compared, record, [title_of(each) for each, _ in compared])
    except (OSError, TicTacToeError):  # the runs may have taken hours: print the results even so
        if stopped is None and given.as_json:
            _print_json(record, compared, [])
        elif stopped is None and not given.quiet:
            _print(compared, summaries, overall, plan)
        raise
    if isinstance(stopped, ClusterError):
        raise CommandError(f"{stopped}; the runs that had ended are in {files.output}") from stopped
    if stopped is not None:
        raise tictactoe.Interrupted(f"the runs that had ended are in {files.output}, and the same command goes on")
    if given.as_json:
        _print_json(record, compared, written)
    elif not given.quiet:
        _print(compared, summaries, overall, plan)
        say(f"written: {', '.join(map(shown_path, written))}")


def _print_json(record: dict[str, Any], compared: Compared, written: Sequence[Path]) -> None:
    """Print the record with all measurements and the names of the written files."""
    for each, (_, runs) in zip(record["rounds"], compared, strict=True):
        each["runs"] = [run_as_dict(run) for run in runs]
    print(json_text(record | {"files": list(map(str, written))}, indent=2))


def _print(
    compared: Compared,
    summaries: Sequence[Sequence[comparison_summary.Summary]],
    overall: Sequence[comparison_summary.Overall],
    plan: Plan,
) -> None:
    for (each, _), found in zip(compared, summaries, strict=True):
        if len(compared) > 1:
            say(f"{title_of(each)}:")
        print_round(found, each.found.winning_score is not None, plan)
        if len(compared) > 1:
            print()
    if overall:
        print_overall(overall)
