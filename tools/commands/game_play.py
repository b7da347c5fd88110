"""The verb game play."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tictactoe.errors import printable

from ..options.common import seed_option
from ..options.game_option import GAME
from ..options.parameters import Count, PathName
from ..program import Program, say
from ..progress import StatusLine

if TYPE_CHECKING:
    from tictactoe.games.named_games import NamedGame


@click.command(cls=Program)
@click.argument("game", type=GAME, metavar="GAME")
@click.option(
    "-s",
    "--solution",
    type=PathName(),
    help="Directory of game solve, or file of train-agent --game, that the bot plays from.  [default: solved at once]",
)
@click.option("--rounds", type=Count(1), help="Play this many rounds.  [default: until you quit]")
@seed_option("Seed of the cards and of the bot's choices.  [default: any]")
def command(game: NamedGame, solution: Path | None, rounds: int | None, seed: int | None) -> None:
    """Play a game other than tic-tac-toe against the bot: an example, a game of your own, or one from another program.

    GAME is named as in game solve: kuhn, leduc(cards=6), twenty-one, FILE.py:Class (which is run), FILE.efg, FILE.nfg,
    openspiel:NAME. You and the bot take turns as the first player. Type the name or the number of a move, h for a hint,
    q to quit. After each move you see its cost: how much less you can now get on average than after the best move, if
    you know the bot's strategy but not its cards. In a game of one player against chance, an agent given by -s plays
    every second round while you watch.

    \b
    tictactoe game play leduc
    tictactoe game play 'kuhn(13)' --seed 1 --rounds 10
    tictactoe game play liars-dice -s my_dice/
    """
    from tictactoe.agents import game_bot

    from ..screens import line_reader

    reader, waiting = line_reader.LineReader(plain=True), StatusLine("the bot solves the game, {elapsed} elapsed")

    def ask(text: str) -> str | None:
        return reader.read(printable(text))

    game_bot.play_named_game(game, solution, rounds, seed, ask, _say, waiting.showing)


def _say(text: str) -> None:
    lines = text.split("\n")
    if sys.stdout.isatty() and lines[0] and max(map(len, lines)) > shutil.get_terminal_size().columns:
        lines = [" ".join(lines)]  # a paragraph, to be wrapped again
    for line in lines:
        say(printable(line))
