"""solve-subgame: solve one round on its own."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tictactoe.games.rules import DEFAULT_RULES
from tictactoe.number_text import signed_text
from tictactoe.storage.json_text import json_text

from ..options.parameters import Count, Iterations, directory_option, json_option
from ..options.solving_options import ChosenRound, UpdateOptions, errors_of_options, round_options, update_options
from ..program import DISCARD_HELP, SETTINGS, existing_of, run, say, shown_path, stop_on_signals
from ..progress import StatusLine, duration
from ..words import counted

if TYPE_CHECKING:
    from tictactoe.algorithms.cfr.solver import Evaluation
    from tictactoe.games.rules import Rules
    from tictactoe.match.options import RoundOptions
    from tictactoe.run_control import Existing
    from tictactoe.storage.snapshot import Snapshot


@click.command(context_settings=SETTINGS)
@directory_option(
    "-o", "--output", "my_subgame", "Directory for the snapshots. A run that was stopped goes on where it was."
)
@click.option("--iterations", type=Count(1), default=2000, show_default=True, help="Run until this iteration.")
@round_options
@click.option(
    "--check-exploitability-every",
    type=Count(1),
    default=100,
    show_default=True,
    help="Iterations between two entries in the record of convergence.",
)
@update_options
@click.option(
    "--seed",
    type=Count(0, 2**63 - 1),
    help="Of the random draws of es-mccfr: the same seed gives the same bits.  [default: 0]",
)
@click.option(
    "--snapshot-at",
    type=Iterations(),
    metavar="N,N,...|none",
    help="Iterations to save beside the last one.  [default: 0,1,10,100,... up to the last]",
)
@click.option("--only-save-last", is_flag=True, help="The same as --snapshot-at none.")
@click.option("--resume", is_flag=True, help="Insist on continuing: an error when the directory holds no earlier run.")
@click.option("--restart", is_flag=True, help=DISCARD_HELP)
@click.option("--quiet", is_flag=True, help="No progress and no result: nothing but errors.")
@json_option
def command(
    output: Path,
    iterations: int,
    chosen: ChosenRound,
    check_exploitability_every: int,
    updates: UpdateOptions,
    seed: int | None,
    snapshot_at: tuple[int, ...] | None,
    only_save_last: bool,
    resume: bool,
    restart: bool,
    quiet: bool,
    as_json: bool,
) -> None:
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
    if resume and restart:
        raise click.UsageError("--resume and --restart exclude each other")
    if only_save_last and snapshot_at:
        raise click.UsageError("--only-save-last and --snapshot-at exclude each other")
    from tictactoe.match.options import RoundOptions
    from tictactoe.match.scores import Score

    rules, values, winning_score = chosen.found()
    with errors_of_options():
        options = RoundOptions(
            iterations=iterations,
            outcome_values=values,
            score=None if chosen.score is None else Score(*chosen.score),
            winning_score=winning_score,
            check_exploitability_every=check_exploitability_every,
            snapshot_at=() if only_save_last else snapshot_at,
            seed=seed,
            **vars(updates),
        )
    snapshot = _solve(output, rules, options, existing_of(restart, resume), quiet)
    if as_json or not quiet:
        _print_result(snapshot, output, iterations, as_json)


def _solve(output: Path, rules: Rules, options: RoundOptions, existing: Existing, quiet: bool) -> Snapshot:
    from tictactoe.games.tic_tac_toe_tree import GameTree
    from tictactoe.run_control import RunControl
    from tictactoe.solving.round_run import solve_round

    progress = _Progress(options.iterations, quiet)
    with stop_on_signals() as stop, progress.showing():
        progress.starting(samples=options.rule.samples)
        control = RunControl(existing=existing, stop=stop, reporter=progress)
        return solve_round(output, GameTree.build(rules), options, control=control)


class _Progress(StatusLine):
    """A RoundReporter that shows the iteration, the speed, and the time to go."""

    def __init__(self, iterations: int, quiet: bool) -> None:
        super().__init__("starting", seconds=10.0, quiet=quiet)
        self._iterations = iterations
        self._first: tuple[float, int] | None = None

    def __call__(self, iteration: int, evaluation: Evaluation) -> None:
        now = time.monotonic()
        if self._first is None:
            self._first = (now, iteration)
        then, before = self._first
        speed = (iteration - before) / max(now - then, 1e-9)
        left = f", {duration((self._iterations - iteration) / speed)} to go" if speed > 0.0 else ""
        self.set(
            f"{iteration:,} of {counted(self._iterations, 'iteration')}, {speed:,.0f}/s, exploitability "
            f"{evaluation.average_exploitability:.1e}{left}"
        )


def _print_result(snapshot: Snapshot, output: Path, iterations: int, as_json: bool) -> None:
    from tictactoe.algorithms.best_response import exploitability
    from tictactoe.games.tic_tac_toe import tic_tac_toe_round
    from tictactoe.games.tic_tac_toe_tree import GameTree

    from ..reports.report import exploitability_text

    game = tic_tac_toe_round(GameTree.build(snapshot.rules), snapshot.outcome_values)
    current = exploitability(game, snapshot.current_strategy).total
    if as_json:
        content = {
            "rules": snapshot.rules,
            "iterations": snapshot.iteration,
            "value": snapshot.value,
            "exploitability": snapshot.exploitability,
            "current_exploitability": current,
            "outcome_values": snapshot.outcome_values._asdict(),
            "score": None if snapshot.score is None else list(snapshot.score),
            "winning_score": snapshot.winning_score,
            "options": snapshot.options,
        }
        print(json_text(content, indent=2))
        return
    if snapshot.iteration > iterations:
        later = f"{shown_path(output)} holds a later state already"
        print(f"{later}: nothing was done; --iterations above {snapshot.iteration} goes on from there")
    both, first, second, neither = snapshot.outcome_values
    if snapshot.rules != DEFAULT_RULES:
        print(f"rules: {snapshot.rules}")
    print(
        f"outcome values to the first mover: both score {both:g}, first {first:g}, second {second:g}, "
        f"neither {neither:g}"
    )
    print(
        f"value to the first mover after {counted(snapshot.iteration, 'iteration')}: {signed_text(snapshot.value, 9)}"
    )
    if snapshot.score is None:
        print(f"exploitability: {snapshot.exploitability:.2e} in the unit of the outcome values")
        print(f"of the current strategy: {current:.2e}")
    else:
        print(f"exploitability: {exploitability_text(snapshot.exploitability)} of matches won")
        print(f"of the current strategy: {exploitability_text(current)} of matches won")
    say(f"saved in {shown_path(output)}")


main = partial(run, command)
