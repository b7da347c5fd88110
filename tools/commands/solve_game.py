"""solve-game: solve another game than tic-tac-toe."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

import tictactoe

from ..lazy_imports import lazily
from ..options.parameters import ITERATIONS, NAME, Count, Directory, Number
from ..options_before.common import Earlier, json_option, quiet_option
from ..options_before.declaring import argument, command_of, flag, group, is_given, option
from ..options_before.game_option import GAME, print_about_game
from ..options_before.solving_options import errors_of_options
from ..options_before.workers import followed
from ..program import CommandError
from ..progress import SolverLine

with lazily():
    from tictactoe.games import named_games
    from tictactoe.solving import game_run


@dataclass(frozen=True)
class Options:
    game: named_games.NamedGame = argument(GAME, metavar="GAME")
    output: Path | None = option(
        Directory(),
        "Directory for snapshots and strategy.csv. A run that was stopped goes on where it was.  [default: none]",
        short="-o",
    )
    algorithm: str = option(
        NAME, "The update rule, NAME[(PARAMETER=VALUE,...)], as compare-algorithms takes it.", default="rdcfr"
    )
    iterations: int | None = option(
        Count(1), "Run until this iteration.  [default: 2000, or with --target without end]"
    )
    target: float | None = option(
        Number(0.0, above_least=True), "Stop as soon as both players together gain at most this against the strategy."
    )
    check_exploitability_every: int = option(Count(1), "Iterations between two checks of that.", default=100)
    exact: bool = flag("Solve by linear programs instead: exact but for rounding. Needs highspy.")
    snapshot_at: tuple[int, ...] | None = option(
        ITERATIONS, "Iterations to save beside the last one.", metavar="N,N,...|none"
    )
    seed: int | None = option(Count(0, 2**63 - 1), "Of the random draws of es-mccfr.  [default: 0]")
    maximum_nodes: int = option(Count(1), "Refuse a game of more histories.", default=1_000_000)
    earlier: Earlier = group(Earlier)
    quiet: bool = quiet_option("No progress and no result: nothing but errors.")
    as_json: bool = json_option()


@command_of(Options)
def command(given: Options) -> None:
    """Solve another game than tic-tac-toe: an example, a game of yours, or one of OpenSpiel.

    GAME is an example: kuhn, leduc, liars-dice, blackjack, twenty-one, duel, river, perhaps with settings such as
    kuhn(13), leduc(cards=6) or river(hands=all); FILE.py:Class, a description as docs/adding-a-game.md shows, which is
    run, so it must be trusted; or openspiel:NAME, a game of OpenSpiel. A game of one player against chance, such as
    twenty-one, is solved exactly by dynamic programming. The value is what player 0 gets. Press Ctrl-C to stop: with
    -o the same command goes on from there.

    \b
    solve-game kuhn
    solve-game 'leduc(cards=6)' -o my_leduc/ --algorithm cfr+ --target 0.001
    solve-game liars-dice --exact --json
    solve-game my_game.py:MyGame --iterations 10000
    solve-game 'openspiel:liars_dice(numdice=1)'
    """
    with errors_of_options():
        options = game_run.GameOptions.of_contender(
            given.algorithm,
            iterations=given.iterations,
            target=given.target,
            check_exploitability_every=given.check_exploitability_every,
            snapshot_at=given.snapshot_at or (),
            seed=given.seed,
        )
    progress = SolverLine(options.last, given.quiet)

    def announce(size: tictactoe.GameSize) -> None:
        progress.set(text := game_run.size_text(size))
        if game_run.is_large(size):
            progress.print(text)

    def walked(histories: int) -> None:
        progress.set(f"walking through the game, {{elapsed}} elapsed, {histories:,} histories")

    with progress.showing():
        progress.set("walking through the game, {elapsed} elapsed")
        given.game.described(given.maximum_nodes, walked)
    ways = [name for name in ("algorithm", "iterations", "target", "seed", "snapshot_at") if is_given(name)]
    if (given.exact or given.game.has_one_player) and ways:
        how = "--exact uses no update rule" if given.exact else "one player against chance: it is solved exactly"
        raise click.UsageError(f"--{ways[0].replace('_', '-')}: {how}")
    control: tictactoe.RunControl[Any] = tictactoe.RunControl(existing=given.earlier.existing)
    if given.game.has_one_player:
        solved: Any = game_run.solve_one_player(given.game, given.output, restart=control.restarts)
    else:
        with progress.showing():
            progress.set("walking through the game, {elapsed} elapsed")
            game = game_run.build(given.game, given.maximum_nodes, announce, walked)
            if given.exact:
                progress.set("solving linear programs, {elapsed} elapsed")
                solved = game_run.solve_exactly(given.game, game, given.output, control=control)
        if not given.exact:
            with followed(progress, control) as control:
                progress.starting(samples=options.algorithm.samples)
                solved = game_run.solve_game(given.game, game, options, given.output, control=control)
    print_about_game(given.game, solved, given.output, quiet=given.quiet, as_json=given.as_json)
    if given.exact and not given.game.has_one_player and not solved.is_solved:
        what = f"by a best response somebody still gains {solved.exploitability:.1e}, more than rounding"
        raise CommandError(f"{given.game.name}: not solved exactly: {what}")
