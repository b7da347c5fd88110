"""solve-subgame: solve one round on its own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

import tictactoe

from ..lazy_imports import lazily
from ..options.common import Earlier, directory_option, json_option, quiet_option
from ..options.declaring import command_of, flag, group, option
from ..options.parameters import ITERATIONS, Count
from ..options.solving_options import ChosenRound, UpdateOptions, errors_of_options
from ..options.workers import followed
from ..program import print_json
from ..progress import SolverLine

with lazily():
    from tictactoe.algorithms.cfr import rule_files
    from tictactoe.solving import results_as_data

    from ..reports import round_report


@dataclass(frozen=True)
class Options:
    output: Path = directory_option(
        "my_subgame", "Directory for the snapshots. A run that was stopped goes on where it was."
    )
    iterations: int = option(Count(1), "Run until this iteration.", default=2000)
    round: ChosenRound = group(ChosenRound)
    check_exploitability_every: int = option(
        Count(1), "Iterations between two entries in the record of convergence.", default=100
    )
    updates: UpdateOptions = group(UpdateOptions)
    seed: int | None = option(
        Count(0, 2**63 - 1), "Of the random draws of es-mccfr: the same seed gives the same bits.  [default: 0]"
    )
    snapshot_at: tuple[int, ...] | None = option(
        ITERATIONS,
        "Iterations to save beside the last one.  [default: 0,1,10,100,... up to the last]",
        metavar="N,N,...|none",
    )
    only_save_last: bool = flag("The same as --snapshot-at none.")
    earlier: Earlier = group(Earlier)
    quiet: bool = quiet_option("No progress and no result: nothing but errors.")
    as_json: bool = json_option()


@command_of(Options)
def command(given: Options) -> None:
    """Solve one round on its own and save the strategy.

    Without options: a single round in which scoring is worth a point, 2,000 iterations of discounted CFR, into
    my_subgame/. Press Ctrl-C to stop: the same command goes on from there. A larger --iterations continues a run
    that has ended.

    \b
    solve-subgame -o my_subgame/ --iterations 5000
    solve-subgame -o four_three/ --score 4 3 --values-from my_solution/ --algorithm pdcfr+
    solve-subgame -o greedy/ --outcome-values 1 1 0 0 --only-save-last
    solve-subgame -o filled_round/ --rules filled
    """
    if given.only_save_last and given.snapshot_at:
        raise click.UsageError("--only-save-last and --snapshot-at exclude each other")
    rules, values, winning_score = given.round.round()
    with errors_of_options():
        options = tictactoe.GameOptions(
            iterations=given.iterations,
            outcome_values=values,
            score=given.round.score,
            winning_score=winning_score,
            check_exploitability_every=given.check_exploitability_every,
            snapshot_at=() if given.only_save_last else given.snapshot_at,
            seed=given.seed,
            **given.updates.settings(),
        )
    tree, progress = tictactoe.GameTree.build(rules), SolverLine(given.iterations, given.quiet)
    control: tictactoe.RunControl[Any] = tictactoe.RunControl(existing=given.earlier.existing)
    with rule_files.faults_of_rules(), followed(progress, control) as control:
        progress.starting(samples=options.algorithm.samples)
        snapshot = tictactoe.solve_game(given.output, tree, options, control=control)
    if given.as_json:
        print_json(results_as_data.solved_round(snapshot))
    elif not given.quiet:
        round_report.print_solved(snapshot, given.output, given.iterations)
