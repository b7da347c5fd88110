"""solve-multiround: solve the whole match."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tictactoe.games.rules import Rules

from ..options.cluster_option import check_jobs, cluster_of, cluster_option, connected
from ..options.parameters import Count, Iterations, Number, directory_option, json_option
from ..options.rules_options import WantedRules, require_end, rules_options
from ..options.solving_options import UpdateOptions, errors_of_options, update_options
from ..options.start_option import found_start, start_option
from ..program import DISCARD_HELP, EXIT_FAILURE, SETTINGS, available_cores, existing_of, run, stop_on_signals
from ..progress import StatusLine
from ..reports.match_plan import print_plan
from ..reports.report import report
from ..words import counted
from .polish_multiround import polish

if TYPE_CHECKING:
    from tictactoe.match.options import MatchOptions
    from tictactoe.run_control import Existing, RunControl
    from tictactoe.solving.dry_run import MatchPlan, PlannedRun
    from tictactoe.storage.solution import Solution

MANY_ROUNDS = 100
"""At a score. An exploitability in one round says little of a match then."""


@click.command(context_settings=SETTINGS)
@directory_option(
    "-o", "--output", "my_solution", "Directory for the solution. A run that was stopped goes on where it was."
)
@click.option("--winning-score", type=Count(1, 100), default=5, show_default=True, help="Points that win the match.")
@click.option(
    "--maximum-subgame-exploitability",
    type=Number(0.0, above_least=True),
    help="Solve every score until nobody can gain more than this in its round (both seats together, match value)."
    "  [default: 1e-06; with --polish 0.0001]",
)
@click.option(
    "--check-exploitability-every",
    type=Count(1),
    default=20,
    show_default=True,
    help="Iterations between two checks of the exploitability.",
)
@rules_options("three-in-a-row, or those of --start-from")
@start_option
@update_options
@click.option(
    "--jobs", type=Count(1, 1024), help="Threads; the result does not depend on it.  [default: the available cores]"
)
@cluster_option
@click.option(
    "--snapshot-at",
    type=Iterations(),
    metavar="N,N,...|none",
    help="Iterations to save beside the last one, all in full.  [default: 0,1,10,100,... in single precision; if "
    "--winning-score is above 5 none, and the last one without regrets]",
)
@click.option(
    "--max-iterations",
    type=Count(1),
    help="Stop every score after this many iterations, converged or not; exit code 1 if any has not converged, "
    "unless --polish makes up for it.",
)
@click.option(
    "--polish",
    "do_polish",
    is_flag=True,
    help="Then make it exact, as polish-multiround does; OUTPUT/unpolished keeps what it was made from.",
)
@click.option("--resume", is_flag=True, help="Insist on continuing: an error when the directory holds no earlier run.")
@click.option("--restart", is_flag=True, help=DISCARD_HELP)
@click.option(
    "--dry-run",
    is_flag=True,
    help="Only say what would be solved, and the time, memory and disk it needs; measures a pair for that.",
)
@click.option("--quiet", is_flag=True, help="No progress and no table: nothing but errors.")
@json_option
def command(
    output: Path,
    winning_score: int,
    maximum_subgame_exploitability: float | None,
    check_exploitability_every: int,
    rules: WantedRules,
    start_from: str | Path | None,
    updates: UpdateOptions,
    jobs: int | None,
    cluster: str | None,
    snapshot_at: tuple[int, ...] | None,
    max_iterations: int | None,
    do_polish: bool,
    resume: bool,
    restart: bool,
    dry_run: bool,
    quiet: bool,
    as_json: bool,
) -> int:
    """Solve the whole match, backwards from the last score, and save the strategy.

    Without options: the match to 5 by discounted CFR, into my_solution/. Scores that lead to each other are solved
    together; independent ones at the same time. Press Ctrl-C to stop: what is done is saved, and the same command
    goes on from there.

    \b
    solve-multiround -o my_solution/
    solve-multiround -o quick/ --maximum-subgame-exploitability 0.0001
    solve-multiround -o to_three/ --winning-score 3 --json
    solve-multiround -o exact/ --polish
    solve-multiround -o comic/ --rules filled
    solve-multiround -o sooner/ --start-from formula
    """
    if resume and restart:
        raise click.UsageError("--resume and --restart exclude each other")
    check_jobs(jobs, cluster)
    from tictactoe.match.options import MatchOptions
    from tictactoe.run_control import RunControl

    start = found_start(start_from, rules, winning_score)
    with errors_of_options():
        options = MatchOptions(
            winning_score=winning_score,
            maximum_subgame_exploitability=maximum_subgame_exploitability or (1e-4 if do_polish else 1e-6),
            check_exploitability_every=check_exploitability_every,
            snapshot_at=snapshot_at,
            start_values=start.values,
            **vars(updates),
        )
        if max_iterations is None:
            options.check_target()
    require_end([start.rules])
    jobs, existing = jobs or available_cores(), existing_of(restart, resume)
    if dry_run:
        from tictactoe.solving.dry_run import PlannedRun

        planned = PlannedRun(
            control=RunControl(jobs, existing),
            on_cluster=cluster is not None,
            polish=do_polish,
            max_iterations=max_iterations,
        )
        plan = _plan(output, start.rules, options, planned, cluster, quiet or as_json)
        if as_json or not quiet:
            print_plan(output, plan, as_json=as_json)
        return 0
    with connected(cluster, quiet=quiet, exact=do_polish) as workers:
        learnt = _unpolished(output, existing) if do_polish else output
        control: RunControl[Any] = RunControl(workers or jobs, existing)
        solution = _solve(learnt, start.rules, options, control, max_iterations, quiet)
        exact = polish(solution, output, (), control, quiet) if do_polish else None
    if exact is not None:
        if as_json or not quiet:
            report(exact, as_json=as_json, total=True)
        return 0
    if as_json or not quiet:
        from tictactoe.match.endless import rounds_at_last_score

        rounds = rounds_at_last_score(solution.tree, solution.average_strategy, winning_score)
        report(solution, as_json=as_json, total=rounds > MANY_ROUNDS)
        if rounds > MANY_ROUNDS:
            _complain_of_rounds(rounds)
    return _complain_of_unconverged(solution) if solution.unconverged_scores else 0


def _unpolished(output: Path, existing: Existing) -> Path:
    """The directory for the solution to be polished. A restart deletes an earlier polished solution, too."""
    from tictactoe.algorithms.exact.linear_program import require_solver
    from tictactoe.solving.polish import prepare_polish_output

    require_solver()
    return prepare_polish_output(output, existing)


def _solve(
    output: Path, rules: Rules, options: MatchOptions, control: RunControl[Any], max_iterations: int | None, quiet: bool
) -> Solution:
    from tictactoe.games.tic_tac_toe_tree import GameTree
    from tictactoe.solving.forecast import MatchForecast
    from tictactoe.solving.match_run import solve_match

    from ..progress import MatchProgress

    jobs = control.workers if isinstance(control.workers, int) else 1
    forecast = MatchForecast(options.winning_score * (options.winning_score + 1) // 2, jobs, max_iterations)
    progress = MatchProgress(forecast, cluster_of(control), quiet=quiet)
    with stop_on_signals() as stop, progress.showing():
        progress.starting()
        return solve_match(
            output,
            GameTree.build(rules),
            options,
            max_iterations=max_iterations,
            control=replace(control, stop=stop, reporter=progress),
        )


def _complain_of_rounds(rounds: float) -> None:
    what = f"with these odds of the goals {rounds:,.0f} rounds are played at the last score until somebody scores alone"
    more = "in a match, perfect opponents gain more than in a round, as said above; a smaller"
    print(f"solve-multiround: {what}: {more} --maximum-subgame-exploitability makes it less", file=sys.stderr)


def _complain_of_unconverged(solution: Solution) -> int:
    unconverged = solution.unconverged_scores
    most = max(solution.results[score].iteration for score in unconverged)
    named = ", ".join(str(score) for score in unconverged[:5]) + (", ..." if len(unconverged) > 5 else "")
    print(
        f"solve-multiround: not converged within {counted(most, 'iteration')}: {len(unconverged)} of "
        f"{counted(len(solution.results), 'score')} ({named}); the same command with a higher --max-iterations goes on",
        file=sys.stderr,
    )
    return EXIT_FAILURE


def _plan(
    output: Path, rules: Rules, options: MatchOptions, run: PlannedRun, cluster: str | None, quiet: bool
) -> MatchPlan:
    """The plan of a dry run. A scheduler on another machine is contacted, to check that its workers are usable."""
    from tictactoe.solving.cluster import local_workers
    from tictactoe.solving.dry_run import plan_match

    if cluster is not None:
        jobs = local_workers(cluster) or 0
        if not jobs:
            with connected(cluster, quiet=quiet, exact=run.polish) as workers:
                assert workers is not None
                jobs = max(1, workers.num_threads())
        run = replace(run, control=replace(run.control, workers=jobs))
    with StatusLine("measuring how long a pair of scores takes, {elapsed} elapsed", quiet=quiet).showing():
        return plan_match(output, rules, options, run)


main = partial(run, command)
