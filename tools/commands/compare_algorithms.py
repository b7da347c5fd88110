"""compare-algorithms: how fast algorithms converge on one round or several."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tictactoe.errors import TicTacToeError
from tictactoe.storage.json_text import json_text

from ..options.cluster_option import check_jobs, connected
from ..options.comparison_options import (
    BUDGET_UNITS,
    ChosenRounds,
    ComparedRound,
    Plan,
    amount_options,
    compared_rounds_options,
    contenders_of,
)
from ..options.parameters import Name, directory_option, json_option
from ..options.solving_options import errors_of_options
from ..program import SETTINGS, CommandError, run, say, shown_path, stop_on_signals
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

if TYPE_CHECKING:
    from tictactoe.algorithms.comparing.comparison_summary import Overall, Summary
    from tictactoe.algorithms.comparing.contenders import Contender
    from tictactoe.algorithms.comparing.measured_run import Run, Unit
    from tictactoe.errors import ClusterError, Interrupted
    from tictactoe.solving.cluster import Cluster
    from tictactoe.storage.comparison_journal import ComparisonJournal


@click.command(context_settings=SETTINGS)
@click.option(
    "--algorithm",
    "--algorithms",
    "algorithms",
    type=Name(),
    multiple=True,
    metavar="ITEM,ITEM,...",
    help="What to compare, each [LABEL=]NAME[(PARAMETER=VALUE,...)]; simultaneous among the parameters: both players' "
    "updates see the old strategies. May be given more than once.  [default: every algorithm there is]",
)
@click.option(
    "--algorithms-from",
    type=Name(),
    multiple=True,
    metavar="FILE_OR_MODULE",
    help="Python that calls register_rule: your own rules (docs/adding-a-rule.md). It is run, so it must be trusted.",
)
@compared_rounds_options
@amount_options
@directory_option("-o", "--output", "comparison", "Directory for comparison.csv, comparison.json and pictures.")
@click.option("--restart", is_flag=True, help="Replace a comparison that the output directory holds.")
@click.option(
    "--against",
    type=click.Choice(BUDGET_UNITS),
    multiple=True,
    help="What the pictures show exploitability against; may be given more than once.  [default: all; histories only "
    "where an algorithm samples, for the others these are nodes times a number]",
)
@click.option("--no-plot", is_flag=True, help="No pictures; works without matplotlib.")
@click.option("--quiet", is_flag=True, help="No progress and no table: nothing but errors.")
@json_option
def command(
    algorithms: tuple[str, ...],
    algorithms_from: tuple[str, ...],
    chosen: ChosenRounds,
    budget: tuple[float, str],
    perturbations: int,
    seeds: int | None,
    jobs: int | None,
    cluster: str | None,
    output: Path,
    restart: bool,
    against: tuple[str, ...],
    no_plot: bool,
    quiet: bool,
    as_json: bool,
) -> None:
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
    check_jobs(jobs, cluster)
    from tictactoe.algorithms.cfr.rule_files import load_rules, send_modules_of
    from tictactoe.algorithms.cfr.update_rules import ALGORITHMS

    with errors_of_options():
        new = load_rules(algorithms_from) if algorithms_from else []
    if cluster is not None:
        send_modules_of(algorithms_from)
    contenders = contenders_of(algorithms, [*ALGORITHMS, *new])
    if no_plot and against:
        raise click.UsageError("--against: it is about pictures, and --no-plot leaves them out")
    plan = Plan.of(contenders, budget, seeds, perturbations, jobs, cluster)
    if not no_plot:
        _require_plots()
    rounds = chosen.found()
    files = ComparisonFiles(output, [] if no_plot else _units(against, contenders))
    started = time.monotonic()
    with (
        files.prepared(plan.about(rounds, algorithms_from), restart) as journal,
        connected(cluster, quiet=quiet) as workers,
    ):
        compared, stopped = _run(plan, rounds, workers, journal, quiet)
        seconds = time.monotonic() - started
        num_before = sum(len(journal.runs(each.name, plan.trials())) for each, _ in compared)
        # Report before closing the cluster, which takes time.
        _report(plan, compared, stopped, seconds, num_before, files, quiet, as_json)
        journal.remove()


def _require_plots() -> None:
    from tictactoe.figures.style import require_plots

    try:
        require_plots()
    except TicTacToeError as error:
        raise CommandError(f"{error}; or leave the pictures out with --no-plot") from error


def _units(against: Sequence[str], contenders: Sequence[Contender]) -> list[Unit]:
    """The horizontal axes of the pictures: the units of --against; by default all useful units."""
    from tictactoe.algorithms.comparing.measured_run import Unit

    samples = any(contender.rule.samples for contender in contenders)
    return [unit for unit in Unit if (unit in against if against else unit is not Unit.HISTORIES or samples)]


def _run(
    plan: Plan, rounds: Sequence[ComparedRound], cluster: Cluster | None, journal: ComparisonJournal, quiet: bool
) -> tuple[Compared, Interrupted | ClusterError | None]:
    """The finished runs, by round, and the error that stopped the others, if any."""
    compared: Compared = []
    stopped: Interrupted | ClusterError | None = None
    with stop_on_signals() as stop:
        from tictactoe.algorithms.cfr.rule_files import faults_of_rules, faults_of_workers
        from tictactoe.algorithms.comparing.convergence import compare_algorithms
        from tictactoe.errors import ClusterError, Interrupted
        from tictactoe.games.tic_tac_toe import tic_tac_toe_round
        from tictactoe.games.tic_tac_toe_tree import GameTree
        from tictactoe.run_control import RunControl

        trials = plan.trials()
        known = [journal.runs(each.name, trials) for each in rounds]
        progress = ComparisonProgress(
            len(rounds) * len(trials),
            rounds[0].found.winning_score is not None,
            cluster,
            quiet,
            num_before=sum(map(len, known)),
        )
        tree, control = (
            GameTree.build(rounds[0].found.rules),
            RunControl(cluster or plan.jobs, stop=stop, reporter=progress),
        )
        with progress.showing(), faults_of_rules(), faults_of_workers():
            progress.goes_on()
            if cluster is None:
                progress.starting(samples=plan.contenders[0].rule.samples)
            comparisons = [  # in a cluster the runs of all rounds begin here, otherwise in the loop below
                compare_algorithms(
                    tic_tac_toe_round(tree, each.found.outcome_values),
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
                runs: list[Run] = []
                compared.append((each, runs))
                try:
                    for ended in comparison:
                        runs.append(ended)
                        if not any(ended is earlier for earlier in before):
                            progress.run_ended(ended)
                except (Interrupted, ClusterError) as error:
                    stopped = stopped or error
                    stop.set()  # keep only the finished runs of the other rounds
    return [(each, runs) for each, runs in compared if runs], stopped


def _keep(journal: ComparisonJournal, name: str, ended: Run) -> None:
    """Write a finished run to the journal. A failure is no reason to end: after a kill, the run is only made again."""
    with contextlib.suppress(OSError):
        journal.append(name, ended)


def _report(
    plan: Plan,
    compared: Compared,
    stopped: Interrupted | ClusterError | None,
    seconds: float,
    num_before: int,
    files: ComparisonFiles,
    quiet: bool,
    as_json: bool,
) -> None:
    """Write the finished runs. Then print the results, or raise the error that stopped further runs."""
    from tictactoe.algorithms.comparing.comparison_summary import over_all, summarize
    from tictactoe.errors import ClusterError, Interrupted

    if not compared:
        raise stopped if isinstance(stopped, ClusterError) else Interrupted("no run had ended, nothing is written")
    summaries, found = [summarize(runs) for _, runs in compared], compared[0][0].found
    overall = over_all(summaries) if len(compared) > 1 and stopped is None else []
    record = plan.as_dict() | {
        "rules": str(found.rules),
        "winning_score": found.winning_score,
        "rounds": [round_as_dict(each, summary) for (each, _), summary in zip(compared, summaries, strict=True)],
        "overall": overall_as_dict(overall),
        "earlier_runs": num_before,
        "elapsed_seconds": seconds,
    }
    try:
        written = files.write(compared, record, [title_of(each) for each, _ in compared])
    except (OSError, TicTacToeError):  # the runs may have taken hours: print the results even so
        if stopped is None and as_json:
            _print_json(record, compared, [])
        elif stopped is None and not quiet:
            _print(compared, summaries, overall, plan)
        raise
    if isinstance(stopped, ClusterError):
        raise CommandError(f"{stopped}; the runs that had ended are in {files.output}") from stopped
    if stopped is not None:
        raise Interrupted(f"the runs that had ended are in {files.output}, and the same command goes on")
    if as_json:
        _print_json(record, compared, written)
    elif not quiet:
        _print(compared, summaries, overall, plan)
        say(f"written: {', '.join(map(shown_path, written))}")


def _print_json(record: dict[str, Any], compared: Compared, written: Sequence[Path]) -> None:
    """Print the record with all measurements and the names of the written files."""
    for each, (_, runs) in zip(record["rounds"], compared, strict=True):
        each["runs"] = [run_as_dict(run) for run in runs]
    print(json_text(record | {"files": list(map(str, written))}, indent=2))


def _print(compared: Compared, summaries: Sequence[Sequence[Summary]], overall: Sequence[Overall], plan: Plan) -> None:
    for (each, _), found in zip(compared, summaries, strict=True):
        if len(compared) > 1:
            say(f"{title_of(each)}:")
        print_round(found, each.found.winning_score is not None, plan)
        if len(compared) > 1:
            print()
    if overall:
        print_overall(overall)


main = partial(run, command)
