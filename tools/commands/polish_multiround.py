"""polish-multiround: make a solved match exact."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..options.cluster_option import check_jobs, cluster_of, cluster_option, connected
from ..options.parameters import Count, SolutionDirectory, directory_option, json_option, score_option
from ..options.solution_choice import MY_SOLUTION
from ..program import DISCARD_HELP, SETTINGS, CommandError, available_cores, existing_of, run, stop_on_signals
from ..reports.report import report

if TYPE_CHECKING:
    from tictactoe.match.scores import Score
    from tictactoe.run_control import RunControl
    from tictactoe.storage.solution import Solution


@click.command(context_settings=SETTINGS)
@click.option(
    "-s",
    "--solution",
    type=SolutionDirectory(),
    default=MY_SOLUTION,
    show_default=True,
    help="Directory of the solved match to start from; an exploitability of 0.0001 in every round will do.",
)
@directory_option(
    "-o", "--output", "exact_solution", "Directory for the exact solution. A run that was stopped goes on where it was."
)
@score_option("--keep", "A score whose earlier snapshots are copied, for exploring over iterations; may be repeated.")
@click.option(
    "--jobs",
    type=Count(1, 1024),
    help="Linear programs at the same time; the result does not depend on it.  [default: the available cores]",
)
@cluster_option
@click.option("--restart", is_flag=True, help=DISCARD_HELP)
@click.option("--quiet", is_flag=True, help="No progress and no table: nothing but errors.")
@json_option
def command(
    solution: Path,
    output: Path,
    keep: tuple[tuple[int, int], ...],
    jobs: int | None,
    cluster: str | None,
    restart: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Make a solved match exact: an equilibrium to the last digits, by linear programs.

    Starts from what solve-multiround wrote and solves every pair of scores again, backwards. Among the exact strategies
    it takes those that punish mistakes. Needs highspy: pip install highspy. Press Ctrl-C to stop: the
    scores that are done are saved, and the same command goes on from there.

    \b
    solve-multiround -o my_solution/ --maximum-subgame-exploitability 0.0001
    polish-multiround -s my_solution/ -o exact_solution/
    certify -s exact_solution/
    """
    from tictactoe.match.scores import Score
    from tictactoe.run_control import RunControl
    from tictactoe.storage.solution import load_solution

    check_jobs(jobs, cluster)
    if solution == MY_SOLUTION and not solution.exists():  # no fallback to the shipped solution: it is exact already
        raise CommandError(f"{solution}/ does not exist: solve the match first (solve-multiround), or name one with -s")
    scores = [Score(*score) for score in keep]
    with connected(cluster, quiet=quiet, exact=True) as workers:
        source = load_solution(solution)
        control: RunControl[Any] = RunControl(workers or jobs or available_cores(), existing_of(restart))
        polished = polish(source, output, scores, control, quiet)
    if as_json or not quiet:
        report(polished, as_json=as_json, total=True)


def polish(source: Solution, output: Path, keep: Collection[Score], control: RunControl[Any], quiet: bool) -> Solution:
    """Make the exact solution. Raises Interrupted after a signal."""
    from tictactoe.solving.polish import polish_solution

    from ..progress import PolishProgress

    progress = PolishProgress(source.winning_score, cluster_of(control), quiet=quiet)
    with stop_on_signals() as stop, progress.showing():
        return polish_solution(source, output, keep=keep, control=replace(control, stop=stop, reporter=progress))


main = partial(run, command)
