"""The verb game solve."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import tictactoe

from ..options.common import (
    check_picture,
    existing_of,
    json_option,
    quiet_option,
    refuse,
    restart_option,
    seed_option,
    target_option,
)
from ..options.game_option import GAME, print_about_game
from ..options.parameters import ITERATIONS, NAME, Count, Directory, PathName
from ..options.solving_options import errors_of_options
from ..options.workers import followed
from ..program import CommandError, Program, note, say, shown_path
from ..progress import SolverLine

if TYPE_CHECKING:
    from tictactoe.games.named_games import NamedGame


@click.command(cls=Program)
@click.argument("game", type=GAME, metavar="GAME")
@click.option(
    "-o",
    "--output",
    type=Directory(),
    help="Directory for snapshots, strategy.csv and convergence.csv. A stopped run in it continues.  [default: none]",
)
@click.option(
    "--algorithm",
    type=NAME,
    default="rdcfr",
    metavar="NAME[(PARAMETER=VALUE,...)]",
    help="The update rule, as in compare-algorithms; or exact: a linear program, exact but for rounding. That needs "
    "highspy and, with -o, also writes a certificate in fractions.",
)
@click.option(
    "--max-iterations", type=Count(1), help="Run until this iteration.  [default: 2000, or no limit with --target]"
)
@target_option("Stop when both players together can gain at most this against the strategy.", None)
@click.option(
    "--check-exploitability-every",
    type=Count(1),
    default=100,
    help="Iterations between two checks of the exploitability.",
)
@click.option("--snapshot-at", type=ITERATIONS, metavar="N,N,...|none", help="Iterations to save besides the last.")
@seed_option("Seed of es-mccfr and os-mccfr, which sample.  [default: 0]")
@click.option("--maximum-nodes", type=Count(1), default=1_000_000, help="Refuse a game with more histories.")
@click.option(
    "--plot",
    type=PathName(),
    help="File for a picture of the convergence: .png, .svg or .pdf; it is replaced.  [default: none]",
)
@restart_option
@quiet_option()
@json_option
def command(
    game: NamedGame,
    output: Path | None,
    algorithm: str,
    max_iterations: int | None,
    target: float | None,
    check_exploitability_every: int,
    snapshot_at: tuple[int, ...] | None,
    seed: int | None,
    maximum_nodes: int,
    plot: Path | None,
    restart: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Solve a game other than tic-tac-toe: an example, a game of your own, a Gambit file, or a game of OpenSpiel.

    GAME is an example (kuhn, leduc, liars-dice, blackjack, twenty-one, duel, river, holdem), perhaps with settings,
    such as kuhn(13), leduc(cards=6) or river(hands=all); FILE.py:Class, a description as in docs/adding-a-game.md,
    which is run and must be trusted; FILE.efg or FILE.nfg, a Gambit file with two players and payoffs of constant sum;
    or openspiel:NAME. A game of one player against chance, such as twenty-one, is solved exactly by dynamic
    programming. The value is the payoff of the first player. Press Ctrl-C to stop: with -o the same command continues.
    --json and convergence.csv list every check: iteration, exploitability of the average and of the current strategy,
    value. --plot draws them.

    \b
    tictactoe game solve kuhn
    tictactoe game solve 'leduc(cards=6)' -o my_leduc/ --algorithm cfr+ --target 0.001
    tictactoe game solve liars-dice --algorithm exact --json
    tictactoe game solve my_game.py:MyGame --max-iterations 10000
    tictactoe game solve poker.efg --target 0.0001
    tictactoe game solve 'openspiel:liars_dice(numdice=1)'
    """
    from tictactoe.solving import game_run, solved_game

    exact = algorithm == "exact"
    if plot is not None:
        check_picture(plot, "--plot")
    with errors_of_options():
        options = game_run.options_of_contender(
            "rdcfr" if exact else algorithm,
            iterations=max_iterations,
            target=target,
            check_exploitability_every=check_exploitability_every,
            snapshot_at=snapshot_at or (),
            seed=seed,
        )
    progress = SolverLine(options.last, quiet)

    def announce(size: tictactoe.GameSize) -> None:
        progress.set(text := solved_game.size_text(size))
        if size.seconds > 2.0 or size.megabytes > 200.0:  # announce a long wait
            progress.print(text)

    def walked(histories: int) -> None:
        progress.set(f"walking through the game, {{elapsed}} elapsed, {histories:,} histories")

    with progress.showing():
        progress.set("walking through the game, {elapsed} elapsed")
        game.described(maximum_nodes, walked)
    if exact or game.has_one_player:
        how = "a linear program has no iterations" if exact else "a game against chance is solved exactly"
        of_runs = ("max_iterations", "target", "seed", "snapshot_at", "plot")
        refuse(of_runs if exact else ("algorithm", *of_runs), f"does not apply: {how}")
    told: list[str] = []
    control: tictactoe.RunControl[Any] = tictactoe.RunControl(existing=existing_of(restart))
    if game.has_one_player:
        solved: Any = game_run.solve_one_player(game, output, restart=control.restarts)
    else:
        with progress.showing():
            progress.set("walking through the game, {elapsed} elapsed")
            built = game.build(maximum_nodes, announce, walked)
        start = time.perf_counter()
        if exact:
            progress.set("solving a linear program, {elapsed} elapsed; Ctrl-C takes effect after that")
            with followed(progress, control) as control:
                certified = dataclasses.replace(control, reporter=told.append)
                snapshot = game_run.solve_exactly(output, built, game, maximum_nodes, control=certified)
        else:
            with followed(progress, control) as control:
                progress.starting(samples=options.algorithm.samples, hidden=built.has_hidden_moves)
                snapshot = tictactoe.solve_game(output, built, options, control=control)
        seconds = time.perf_counter() - start
        solved = solved_game.SolvedGame(built, snapshot, seconds, solved_game.values_beside(game, built, snapshot))
    print_about_game(game, solved, output, quiet=quiet, as_json=as_json)
    if not quiet:
        for line in told:
            note(line)
    if plot is not None:
        _draw(game, algorithm, snapshot, plot)
        if not (quiet or as_json):
            say(f"written: {shown_path(plot)}")
    if exact and not game.has_one_player and not solved.is_solved:
        what = f"a best response still gains {snapshot.exploitability:.1e}, which is more than rounding"
        raise CommandError(f"{game.name}: it was not solved exactly: {what}")


def _draw(game: NamedGame, algorithm: str, snapshot: tictactoe.Snapshot, path: Path) -> None:
    from tictactoe.figures import learning_figure, style

    title = f"Convergence: {game.title}"
    style.save_figure(learning_figure.convergence_figure(algorithm, snapshot.convergence_rows, title), path)
