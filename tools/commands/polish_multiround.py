"""polish-multiround: make a solved match exact."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tictactoe

from ..options.parameters import SolutionDirectory
from ..options_before.common import DISCARD_HELP, directory_option, json_option, quiet_option, scores_option
from ..options_before.declaring import command_of, flag, group, option
from ..options_before.solution_choice import MY_SOLUTION
from ..options_before.workers import Workers, cluster_of, control_of, existing_of, followed
from ..program import CommandError
from ..progress import PolishProgress
from ..reports.report import report


@dataclass(frozen=True)
class Options:
    solution: Path = option(
        SolutionDirectory(),
        "Directory of the solved match to start from; an exploitability of 0.0001 in every round will do.",
        short="-s",
        default=MY_SOLUTION,
    )
    output: Path = directory_option(
        "exact_solution", "Directory for the exact solution. A run that was stopped goes on where it was."
    )
    keep: tuple[tuple[int, int], ...] = scores_option(
        "A score whose earlier snapshots are copied, for exploring over iterations; may be repeated."
    )
    workers: Workers = group(
        Workers,
        jobs="Linear programs at the same time; the result does not depend on it.  [default: the available cores]",
    )
    no_refine: bool = flag(
        "Leave play after mistakes as it comes. By default it is made best, too, which takes longer."
    )
    restart: bool = flag(DISCARD_HELP)
    quiet: bool = quiet_option()
    as_json: bool = json_option()


@command_of(Options)
def command(given: Options) -> None:
    """Make a solved match exact: an equilibrium to the last digits, by linear programs.

    Starts from what solve-multiround wrote and solves every pair of scores again, backwards. Then it refines: after a
    mistake of either player, too, every move is a best one. Among such strategies it takes those that punish mistakes.
    Needs highspy: pip install highspy. Press Ctrl-C to stop: the
    scores that are done are saved, and the same command goes on from there.

    \b
    solve-multiround -o my_solution/ --maximum-subgame-exploitability 0.0001
    polish-multiround -s my_solution/ -o exact_solution/
    certify -s exact_solution/
    """
    if given.solution == MY_SOLUTION and not given.solution.exists():  # the shipped solution is exact already
        name = f"{given.solution}/"
        raise CommandError(f"{name} does not exist: solve the match first (solve-multiround), or name one with -s")
    scores = [tictactoe.Score(*score) for score in given.keep]
    with control_of(given.workers, existing_of(given.restart), quiet=given.quiet, exact=True) as control:
        source = tictactoe.load_solution(given.solution)
        refined = not given.no_refine
        polished = polish(source, given.output, control, quiet=given.quiet, keep=scores, refined=refined)
    if given.as_json or not given.quiet:
        report(polished, as_json=given.as_json, total=True)


def polish(
    source: tictactoe.Solution, output: Path, control: tictactoe.RunControl[Any], *, quiet: bool, **how: Any
) -> tictactoe.Solution:
    """Make the exact solution. how: as `polish_solution` takes it. Raises Interrupted after a signal."""
    progress = PolishProgress(source.winning_score, cluster_of(control), quiet=quiet)
    with followed(progress, control) as control:
        return tictactoe.polish_solution(source, output, control=control, **how)
