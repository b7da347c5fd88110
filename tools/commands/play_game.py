"""play-game: play another game than tic-tac-toe in the terminal."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tictactoe.errors import printable

from ..lazy_imports import lazily
from ..options.parameters import Count, PathName
from ..options_before.declaring import argument, command_of, option
from ..options_before.game_option import GAME
from ..program import say
from ..progress import StatusLine

with lazily():
    from tictactoe.agents import game_bot
    from tictactoe.games import named_games

    from ..screens import line_reader


@dataclass(frozen=True)
class Options:
    game: named_games.NamedGame = argument(GAME, metavar="GAME")
    solution: Path | None = option(
        PathName(),
        "What the bot plays: a directory of solve-game, or an agent of train-agent --game.  [default: solved at once]",
        short="-s",
    )
    rounds: int | None = option(Count(1), "Play so many rounds.  [default: until you quit]")
    seed: int | None = option(Count(0, 2**63 - 1), "Of the cards and of the bot.  [default: any]")


@command_of(Options)
def command(given: Options) -> None:
    """Play another game than tic-tac-toe against the bot: an example, a game of yours, or one of OpenSpiel.

    GAME is as in solve-game: kuhn, leduc(cards=6), twenty-one, FILE.py:Class (which is run), openspiel:NAME. You and
    the bot take turns as player 0. Type a move's name or number, h for a hint, q to quit. After each move you see what
    it costs: how much less you can still get, on average, than after the best move, by play that knows the bot's
    strategy, but not its cards. In a game of one player against chance, an agent that -s names plays every other round,
    and you watch.

    \b
    play-game leduc
    play-game 'kuhn(13)' --seed 1 --rounds 10
    play-game liars-dice -s my_dice/
    """
    reader, waiting = line_reader.LineReader(plain=True), StatusLine("the bot solves the game, {elapsed} elapsed")
    sitting = game_bot.Sitting(given.solution, given.rounds, given.seed)
    game_bot.play_named_game(given.game, sitting, lambda text: reader.read(printable(text)), _say, waiting.showing)


def _say(text: str) -> None:
    for line in text.split("\n"):
        say(printable(line))
