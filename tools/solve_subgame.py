"""solve-subgame: solve one round on its own."""

from __future__ import annotations

import contextlib
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .common import (
    EXIT_INTERRUPTED,
    Count,
    Directory,
    Iterations,
    live_console,
    print_interrupted,
    run,
    say,
    stop_on_signals,
)
from .options import outcome_options, outcome_values_from, rule_from, small_moves_from, solving_options

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from tictactoe.cfr import RoundEvaluation
    from tictactoe.options import RoundOptions
    from tictactoe.snapshot import Snapshot

SECONDS_BETWEEN_LINES = 10.0


@click.command(context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]})
@click.option(
    "-o", "--output", type=Directory(), default=Path("my_subgame"),
    show_default=True, help="Directory for the snapshots. A run that was stopped goes on where it was.",
)
@click.option("--iterations", type=Count(1), default=2000, show_default=True, help="Run until this iteration.")
@outcome_options
@click.option(
    "--check-exploitability-every", type=Count(1), default=100, show_default=True,
    help="Iterations between two entries in the record of convergence.",
)
@solving_options
@click.option(
    "--seed", type=Count(0, 2**63 - 1), default=None,
    help="Of the random draws of es-mccfr: the same seed gives the same bits.  [default: 0]",
)
@click.option(
    "--snapshot-at", type=Iterations(), default=None, metavar="N,N,...|none",
    help="Iterations to save beside the last one.  [default: 0,1,10,100,... up to the last]",
)
@click.option("--only-save-last", is_flag=True, help="The same as --snapshot-at none.")
@click.option("--resume", is_flag=True, help="Insist on continuing: an error when the directory holds no earlier run.")
@click.option("--restart", is_flag=True, help="Throw away what an earlier run left in the directory.")
@click.option("--quiet", is_flag=True, help="No progress and no result: nothing but errors.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON on standard output.")
def command(
    output: Path, iterations: int, outcome_values: tuple[float, ...] | None, score: tuple[int, int] | None,
    values_from: Path | None, check_exploitability_every: int, algorithm: str, discount: bool | None,
    discount_alpha: float | None, discount_beta: float | None, discount_gamma: float | None,
    schedule_horizon: float | None, seed: int | None,
    small_move_epsilon: float, small_move_epsilon_decay: float, alternate_updates: bool,
    snapshot_at: tuple[int, ...] | None, only_save_last: bool, resume: bool, restart: bool, quiet: bool,
    as_json: bool,
) -> int:  # fmt: skip
    """Solve one round on its own and save the strategy.

    Without options: a single round in which scoring is worth a point, 2,000 iterations of discounted CFR, into
    my_subgame/. Press Ctrl-C to stop: the same command goes on from there. A larger --iterations continues a run
    that has ended.

    \b
    solve-subgame -o my_subgame/ --iterations 5000
    solve-subgame -o four_three/ --score 4 3 --values-from my_solution/ --algorithm pdcfr+
    solve-subgame -o greedy/ --outcome-values 1 1 0 0 --only-save-last
    """
    if resume and restart:
        raise click.UsageError("--resume and --restart exclude each other")
    if only_save_last and snapshot_at:
        raise click.UsageError("--only-save-last and --snapshot-at exclude each other")
    rule = rule_from(algorithm, discount, discount_alpha, discount_beta, discount_gamma, schedule_horizon)
    small_moves = small_moves_from(small_move_epsilon, small_move_epsilon_decay)
    if not rule.samples and seed is not None:
        raise click.UsageError(f"--seed: {algorithm} draws nothing at random")
    if rule.samples and not alternate_updates:
        raise click.UsageError(f"--alternate-updates false: {algorithm} has no other way than to alternate")
    if rule.samples and small_moves.epsilon > 0.0:
        raise click.UsageError(f"--small-move-epsilon: {algorithm} knows no bonus")
    from tictactoe.match import Score
    from tictactoe.options import RoundOptions

    values, winning_score = outcome_values_from(outcome_values, score, values_from)
    options = RoundOptions(
        iterations=iterations,
        outcome_values=values,
        score=None if score is None else Score(*score),
        winning_score=winning_score,
        check_exploitability_every=check_exploitability_every,
        rule=rule,
        alternate_updates=alternate_updates,
        small_moves=small_moves,
        snapshot_at=() if only_save_last else snapshot_at,
        seed=seed or 0,
    )
    snapshot = _solve(output, options, resume, restart, quiet)
    if snapshot is None:
        return EXIT_INTERRUPTED
    if as_json:
        print(json.dumps(_as_dict(snapshot), indent=2))
    elif not quiet:
        _print_result(snapshot, output, iterations)
    return 0


def _solve(output: Path, options: RoundOptions, resume: bool, restart: bool, quiet: bool) -> Snapshot | None:
    """The last snapshot, or None when the run was interrupted (and has said so)."""
    with stop_on_signals() as stop:
        from tictactoe.directory import Interrupted
        from tictactoe.single import solve_round
        from tictactoe.tree import GameTree

        progress = _Progress(options.iterations, None if quiet else live_console())
        try:
            with progress.showing():
                return solve_round(
                    output, GameTree.build(), options, restart=restart, resume=resume,
                    observer=None if quiet else progress, stop=stop,
                )  # fmt: skip
        except Interrupted:
            print_interrupted("solve-subgame")
            return None


class _Progress:
    """One line on standard error: redrawn on a terminal, printed now and then elsewhere."""

    def __init__(self, iterations: int, console: Console | None) -> None:
        self._iterations = iterations
        self._console = console
        self._line = "compiling"
        self._first: tuple[float, int] | None = None
        self._printed = time.monotonic()

    def showing(self) -> contextlib.AbstractContextManager[None]:
        """Shows the line for as long as the block runs, where it can be redrawn."""
        from .progress import redrawn

        return redrawn(self._console, self._as_text)

    def _as_text(self) -> Text:
        from rich.text import Text

        return Text(self._line, overflow="ellipsis", no_wrap=True)

    def __call__(self, iteration: int, evaluation: RoundEvaluation) -> None:
        from .progress import duration

        now = time.monotonic()
        if self._first is None:
            self._first = (now, iteration)
        then, before = self._first
        speed = (iteration - before) / max(now - then, 1e-9)
        left = f", {duration((self._iterations - iteration) / speed)} to go" if speed > 0.0 else ""
        self._line = (
            f"{iteration:,} of {self._iterations:,} iterations, {speed:,.0f}/s, exploitability "
            f"{evaluation.average_exploitability:.1e}{left}"
        )
        if self._console is None and now - self._printed >= SECONDS_BETWEEN_LINES:
            self._printed = now
            print(self._line, file=sys.stderr, flush=True)


def _as_dict(snapshot: Snapshot) -> dict[str, object]:
    return {
        "iterations": snapshot.iteration,
        "value": snapshot.value,
        "exploitability": snapshot.exploitability,
        "current_exploitability": _current_exploitability(snapshot),
        "outcome_values": snapshot.outcome_values._asdict(),
        "score": None if snapshot.score is None else list(snapshot.score),
        "winning_score": snapshot.winning_score,
        "options": snapshot.options,
    }


def _current_exploitability(snapshot: Snapshot) -> float:
    from tictactoe.game import tic_tac_toe_round
    from tictactoe.response import exploitability
    from tictactoe.tree import GameTree

    game = tic_tac_toe_round(GameTree.build(snapshot.end_rule), snapshot.outcome_values)
    return exploitability(game, snapshot.current_strategy).total


def _print_result(snapshot: Snapshot, output: Path, iterations: int) -> None:
    from .report import exploitability_text

    if snapshot.iteration > iterations:
        print(f"{output} holds a later state already: nothing was done")
    both, first, second, neither = snapshot.outcome_values
    print(f"outcome values to the first mover: both score {both:g}, first {first:g}, second {second:g}, "
          f"neither {neither:g}")  # fmt: skip
    print(f"value to the first mover after {snapshot.iteration:,} iterations: {snapshot.value:+.9f}")
    current = _current_exploitability(snapshot)
    if snapshot.score is None:
        print(f"exploitability: {snapshot.exploitability:.2e} in the unit of the outcome values")
        print(f"of the current strategy: {current:.2e}")
    else:
        print(f"exploitability: {exploitability_text(snapshot.exploitability)} of matches won")
        print(f"of the current strategy: {exploitability_text(current)} of matches won")
    say(f"saved in {output}")


def main() -> None:
    """The program."""
    run(command)
