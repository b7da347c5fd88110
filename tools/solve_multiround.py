"""solve-multiround: solve the whole match."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .common import (
    EXIT_FAILURE,
    EXIT_INTERRUPTED,
    Count,
    Directory,
    Iterations,
    Number,
    available_cores,
    live_console,
    print_interrupted,
    run,
    stop_on_signals,
)
from .options import SAMPLING_ALGORITHMS, rule_from, small_moves_from, solving_options

if TYPE_CHECKING:
    from tictactoe.options import MatchOptions
    from tictactoe.solution import Solution


@click.command(context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]})
@click.option(
    "-o", "--output", type=Directory(), default=Path("my_solution"),
    show_default=True, help="Directory for the solution. A run that was stopped goes on where it was.",
)
@click.option("--winning-score", type=Count(1, 100), default=5, show_default=True, help="Points that win the match.")
@click.option(
    "--maximum-subgame-exploitability", type=Number(above=0.0), default=None,
    help="Solve every score until nobody can gain more than this in its round (both seats together, match value)."
    "  [default: 1e-06; with --polish 0.0001]",
)
@click.option(
    "--check-exploitability-every", type=Count(1), default=10, show_default=True,
    help="Iterations between two checks of the exploitability.",
)
@solving_options
@click.option(
    "--jobs", type=Count(1, 1024), default=None,
    help="Threads; the result does not depend on it.  [default: the available cores]",
)
@click.option(
    "--snapshot-at", type=Iterations(), default=None, metavar="N,N,...|none",
    help="Iterations to save beside the last one.  [default: 0,1,10,100,... up to the last]",
)
@click.option(
    "--max-iterations", type=Count(1), default=None,
    help="Stop every score after this many iterations, converged or not; exit code 1 if any has not converged, "
    "unless --polish makes up for it.",
)
@click.option(
    "--polish", "do_polish", is_flag=True,
    help="Then make it exact, as polish-multiround does; OUTPUT/unpolished keeps what it was made from.",
)
@click.option("--resume", is_flag=True, help="Insist on continuing: an error when the directory holds no earlier run.")
@click.option("--restart", is_flag=True, help="Throw away what an earlier run left in the directory.")
@click.option("--dry-run", is_flag=True, help="Only say what would be solved, and the memory and disk it needs.")
@click.option("--quiet", is_flag=True, help="No progress and no table: nothing but errors.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON on standard output.")
def command(
    output: Path, winning_score: int, maximum_subgame_exploitability: float | None, check_exploitability_every: int,
    algorithm: str, discount: bool | None, discount_alpha: float | None, discount_beta: float | None,
    discount_gamma: float | None, schedule_horizon: float | None, small_move_epsilon: float,
    small_move_epsilon_decay: float,
    alternate_updates: bool, jobs: int | None, snapshot_at: tuple[int, ...] | None, max_iterations: int | None,
    do_polish: bool, resume: bool, restart: bool, dry_run: bool, quiet: bool, as_json: bool,
) -> int:  # fmt: skip
    """Solve the whole match, backwards from the last score, and save the strategy.

    Without options: the match to 5 by discounted CFR, into my_solution/. Scores that lead to each other are solved
    together; independent ones at the same time. Press Ctrl-C to stop: what is done is saved, and the same command
    goes on from there.

    \b
    solve-multiround -o my_solution/
    solve-multiround -o quick/ --algorithm pdcfr+ --maximum-subgame-exploitability 0.0001
    solve-multiround -o to_three/ --winning-score 3 --json
    solve-multiround -o exact/ --polish
    """
    if resume and restart:
        raise click.UsageError("--resume and --restart exclude each other")
    if algorithm in SAMPLING_ALGORITHMS:
        raise click.UsageError(f"--algorithm: {algorithm} samples, which is for single rounds; use solve-subgame")
    from tictactoe.options import MatchOptions

    if maximum_subgame_exploitability is None:
        maximum_subgame_exploitability = 1e-4 if do_polish else 1e-6
    options = MatchOptions(
        winning_score=winning_score,
        maximum_subgame_exploitability=maximum_subgame_exploitability,
        check_exploitability_every=check_exploitability_every,
        rule=rule_from(algorithm, discount, discount_alpha, discount_beta, discount_gamma, schedule_horizon),
        alternate_updates=alternate_updates,
        small_moves=small_moves_from(small_move_epsilon, small_move_epsilon_decay),
        snapshot_at=snapshot_at,
    )
    jobs = jobs or available_cores()
    learnt = _unpolished(output, restart, dry_run) if do_polish else output
    if dry_run:
        _print_plan(learnt, options, jobs, as_json)
        return 0
    solution = _solve(learnt, options, jobs, max_iterations, resume, restart, quiet)
    if solution is None:
        return EXIT_INTERRUPTED
    if do_polish:
        from .polish_multiround import polish, report

        exact = polish(solution, output, (), jobs, restart, quiet)
        if exact is None:
            return EXIT_INTERRUPTED
        report(exact, quiet, as_json)
        return 0
    unconverged = solution.unconverged_scores
    if as_json:
        from .report import as_json as solution_as_json

        print(json.dumps(solution_as_json(solution), indent=2))
    elif not quiet:
        from .report import print_solution

        print_solution(solution)
    if unconverged:
        most = max(solution.results[score].iteration for score in unconverged)
        named = ", ".join(str(score) for score in unconverged[:5]) + (", ..." if len(unconverged) > 5 else "")
        print(
            f"solve-multiround: not converged within {most} iterations: {len(unconverged)} of {len(solution.results)} "
            f"scores ({named}); the same command with a higher --max-iterations goes on",
            file=sys.stderr,
        )
        return EXIT_FAILURE
    return 0


def _unpolished(output: Path, restart: bool, dry_run: bool) -> Path:
    """Where the solution to be polished goes. Complains about what would stop the polishing only after the solving."""
    from tictactoe.directory import UNPOLISHED
    from tictactoe.linear_program import require_solver
    from tictactoe.polish import check_output

    if not dry_run:
        require_solver()
        check_output(output, output / UNPOLISHED, restart)
    return output / UNPOLISHED


def _solve(
    output: Path, options: MatchOptions, jobs: int, max_iterations: int | None, resume: bool, restart: bool,
    quiet: bool,
) -> Solution | None:  # fmt: skip
    """The solution, or None when the run was interrupted (and has said so)."""
    with stop_on_signals() as stop:
        from tictactoe.directory import Interrupted
        from tictactoe.solve import solve_match
        from tictactoe.store import SolutionStore
        from tictactoe.tree import GameTree

        from .progress import MatchProgress

        num_pairs = options.winning_score * (options.winning_score + 1) // 2
        console = None if quiet else live_console()
        progress = MatchProgress(
            num_pairs, options.maximum_subgame_exploitability, jobs, console=console, max_iterations=max_iterations
        )
        with SolutionStore(output, GameTree.build(), options, restart=restart, resume=resume) as store:
            try:
                with progress.showing():
                    return solve_match(
                        store, jobs=jobs, max_iterations=max_iterations, observer=None if quiet else progress,
                        stop=stop,
                    )  # fmt: skip
            except Interrupted:
                print_interrupted("solve-multiround")
                return None


BYTES_PER_SNAPSHOT = 800_000
"""Measured: 0.5 to 1.0 MB after deflating; 2.7 MB before."""
BYTES_OF_PROGRAM = 180_000_000
"""Measured: interpreter, libraries and compiled code."""
BYTES_PER_PAIR = 25_000_000
"""Measured: the arrays of a pair of scores, scratch space and a copy while it is saved."""


def _print_plan(output: Path, options: MatchOptions, jobs: int, as_json: bool) -> None:
    from tictactoe.directory import option_differences
    from tictactoe.match import all_scores, pairs_in_solve_order
    from tictactoe.solution import SOLUTION_FILE, load_solution

    earlier = load_solution(output) if (output / SOLUTION_FILE).exists() else None
    differences = [] if earlier is None else option_differences(earlier.options, options.as_dict())
    num_solved = 0 if earlier is None or differences else len(earlier.results) - len(earlier.unconverged_scores)

    num_snapshots = 6 if options.snapshot_at is None else len(options.snapshot_at)
    scores = all_scores(options.winning_score)
    plan: dict[str, Any] = {
        "subgames": len(scores),
        "subgames_solved": num_solved,
        "conflicts": differences,
        "pairs": len(pairs_in_solve_order(options.winning_score)),
        "jobs": jobs,
        "memory_bytes": BYTES_OF_PROGRAM + min(jobs, options.winning_score) * BYTES_PER_PAIR,
        "disk_bytes": len(scores) * (num_snapshots + 1) * BYTES_PER_SNAPSHOT,
        "options": options.as_dict(),
    }
    if as_json:
        print(json.dumps(plan, indent=2))
        return
    print(f"would solve {plan['subgames']} scores as {plan['pairs']} pairs, {jobs} at a time")
    if num_solved:
        print(f"{output} holds {num_solved} of them already")
    for difference in differences:
        print(f"{output} holds a run of another configuration: {difference}")
    print(f"memory: about {plan['memory_bytes'] / 1e6:.0f} MB")
    print(f"disk: about {plan['disk_bytes'] / 1e6:.0f} MB, for {num_snapshots} snapshots of a score and its last state")
    for name, value in options.as_dict().items():
        print(f"{name}: {'default schedule' if value is None else value}")


def main() -> None:
    """The program."""
    run(command)
