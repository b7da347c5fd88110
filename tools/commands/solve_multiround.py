"""solve-multiround: solve the whole match."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tictactoe
from tictactoe.games.rules import Rules
from tictactoe.number_text import counted, listed

from ..lazy_imports import lazily
from ..options.common import Earlier, directory_option, json_option, quiet_option, winning_score_option
from ..options.declaring import command_of, flag, group, option
from ..options.parameters import ITERATIONS, Count, Number
from ..options.rules_options import WantedRules, require_end
from ..options.solving_options import UpdateOptions, errors_of_options
from ..options.start_option import start_option, starting_values
from ..options.workers import THREADS, Workers, cluster_of, connected, control_of, followed
from ..program import EXIT_FAILURE, note
from ..progress import MatchProgress, StatusLine
from ..reports.match_plan import print_plan
from ..reports.report import report
from .polish_multiround import polish

with lazily():
    from tictactoe.algorithms.cfr import rule_files
    from tictactoe.algorithms.exact import linear_program
    from tictactoe.match import endless
    from tictactoe.solving import cluster as clusters
    from tictactoe.solving import dry_run, time_left
    from tictactoe.solving import polish as polishing


MANY_ROUNDS = 100
"""At a score. An exploitability in one round says little of a match then."""


@dataclass(frozen=True)
class Options:
    output: Path = directory_option(
        "my_solution", "Directory for the solution. A run that was stopped goes on where it was."
    )
    winning_score: int = winning_score_option()
    maximum_subgame_exploitability: float | None = option(
        Number(0.0, above_least=True),
        "Solve every score until nobody can gain more than this in its round (both seats together, match value)."
        "  [default: 1e-06; with --polish 0.0001]",
    )
    check_exploitability_every: int = option(
        Count(1), "Iterations between two checks of the exploitability.", default=20
    )
    rules: WantedRules = group(WantedRules, default="three-in-a-row, or those of --start-from")
    start_from: str | Path | None = start_option()
    updates: UpdateOptions = group(UpdateOptions)
    workers: Workers = group(Workers, jobs=THREADS)
    snapshot_at: tuple[int, ...] | None = option(
        ITERATIONS,
        "Iterations to save beside the last one, all in full.  [default: 0,1,10,100,... in single precision; if "
        "--winning-score is above 5 none, and the last one without regrets]",
        metavar="N,N,...|none",
    )
    max_iterations: int | None = option(
        Count(1),
        "Stop every score after this many iterations, converged or not; exit code 1 if any has not converged, "
        "unless --polish makes up for it.",
    )
    polish: bool = flag("Then make it exact, as polish-multiround does; OUTPUT/unpolished keeps what it was made from.")
    no_refine: bool = flag("With --polish: leave play after mistakes as it comes, in less time.")
    earlier: Earlier = group(Earlier)
    dry_run: bool = flag(
        "Only say what would be solved, and the time, memory and disk it needs; measures a pair for that."
    )
    quiet: bool = quiet_option()
    as_json: bool = json_option()


@command_of(Options)
def command(given: Options) -> int:
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
    start = starting_values(given.start_from, given.rules, given.winning_score)
    with errors_of_options():
        options = tictactoe.MatchOptions(
            winning_score=given.winning_score,
            maximum_subgame_exploitability=given.maximum_subgame_exploitability or (1e-4 if given.polish else 1e-6),
            check_exploitability_every=given.check_exploitability_every,
            snapshot_at=given.snapshot_at,
            start_from=start.values,
            **given.updates.settings(),
        )
        if given.max_iterations is None:
            options.check_target()
    require_end([start.rules])
    if given.dry_run:
        plan = _plan(given, start.rules, options)
        if given.as_json or not given.quiet:
            print_plan(given.output, plan, as_json=given.as_json)
        return 0
    with control_of(given.workers, given.earlier.existing, quiet=given.quiet, exact=given.polish) as control:
        if given.polish:
            linear_program.require_solver()
            unpolished = polishing.prepare_polish_output(given.output, control.existing, not given.no_refine)
            solution = _solve(given, unpolished, start.rules, options, control)
            exact = polish(solution, given.output, control, quiet=given.quiet, refined=not given.no_refine)
        else:
            solution = _solve(given, given.output, start.rules, options, control)
    if given.polish:
        if given.as_json or not given.quiet:
            report(exact, as_json=given.as_json, total=True)
        return 0
    if given.as_json or not given.quiet:
        rounds = endless.rounds_at_last_score(solution.tree, solution.average_strategy, given.winning_score)
        report(solution, as_json=given.as_json, total=rounds > MANY_ROUNDS)
        if rounds > MANY_ROUNDS:
            _complain_of_rounds(rounds)
    return _complain_of_unconverged(solution) if solution.unconverged_scores else 0


def _solve(
    given: Options, output: Path, rules: Rules, options: tictactoe.MatchOptions, control: tictactoe.RunControl[Any]
) -> tictactoe.Solution:
    jobs = control.workers if isinstance(control.workers, int) else 1
    num_pairs = options.winning_score * (options.winning_score + 1) // 2
    expected = time_left.MatchForecast(num_pairs, jobs, given.max_iterations)
    progress = MatchProgress(expected, cluster_of(control), quiet=given.quiet)
    with rule_files.faults_of_rules(), rule_files.faults_of_workers(), followed(progress, control) as control:
        progress.starting()
        tree = tictactoe.GameTree.build(rules)
        return tictactoe.solve_match(output, tree, options, max_iterations=given.max_iterations, control=control)


def _complain_of_rounds(rounds: float) -> None:
    what = f"with these odds of the goals {rounds:,.0f} rounds are played at the last score until somebody scores alone"
    more = "in a match, best responders gain more than in a round, as said above; a smaller"
    note(f"solve-multiround: {what}: {more} --maximum-subgame-exploitability makes it less")


def _complain_of_unconverged(solution: tictactoe.Solution) -> int:
    unconverged = solution.unconverged_scores
    most, named = max(solution.results[score].iteration for score in unconverged), listed(unconverged, 5)
    note(
        f"solve-multiround: not converged within {counted(most, 'iteration')}: {len(unconverged)} of "
        f"{counted(len(solution.results), 'score')} ({named}); the same command with a higher --max-iterations goes on"
    )
    return EXIT_FAILURE


def _plan(given: Options, rules: Rules, options: tictactoe.MatchOptions) -> dry_run.MatchPlan:
    """The plan of a dry run. A scheduler on another machine is contacted, to check that its workers are usable."""
    jobs, address, quiet = given.workers.threads, given.workers.cluster, given.quiet or given.as_json
    if address is not None:
        jobs = clusters.local_workers(address) or 0
        if not jobs:
            with connected(address, quiet=quiet, exact=given.polish) as cluster:
                assert cluster is not None
                jobs = max(1, cluster.state().threads)
    run = dry_run.PlannedRun(
        control=tictactoe.RunControl(jobs, given.earlier.existing),
        on_cluster=address is not None,
        polish=given.polish,
        refined=not given.no_refine,
        max_iterations=given.max_iterations,
    )
    with StatusLine("measuring how long a pair of scores takes, {elapsed} elapsed", quiet=quiet).showing():
        return dry_run.plan_match(given.output, rules, options, run)
