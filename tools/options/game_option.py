"""The option for a game other than tic-tac-toe."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tictactoe.errors import printable

from ..program import print_json, say, shown_path
from .common import Decorator, refuse
from .parameters import Reader

if TYPE_CHECKING:
    from tictactoe.games.named_games import NamedGame

ROUND_OPTIONS = ("rules", "outcome_values", "score", "scores", "values_from")
"""Parameters that choose a round of tic-tac-toe."""


def _game(text: str) -> NamedGame:
    from tictactoe.environments import open_spiel_game

    return open_spiel_game.game_by_name(text)


GAME = Reader("game", _game)
"""The type of a game's name; the value is a NamedGame."""


def game_option(text: str) -> Decorator:
    files = "FILE.py:Class (which is run), FILE.efg, FILE.nfg"
    how = f"an example such as kuhn or leduc, {files}, or openspiel:NAME; see game solve --help."
    return click.option("--game", type=GAME, metavar="GAME", help=f"{text}: {how}")


def card_game_option(text: str) -> Decorator:
    """The option `game` of the network verbs. Its value is None for tic-tac-toe."""
    return click.option("--game", type=click.Choice(["twenty-one"]), help=text)


def refuse_beside_game(names: Collection[str]) -> None:
    refuse(names, "applies only to tic-tac-toe, and --game names another game")


def print_about_game(game: NamedGame | None, result: Any, output: Path | None, *, quiet: bool, as_json: bool) -> None:
    """Print a result with `as_dict` and `lines`. game: None for a round of tic-tac-toe."""
    if as_json and game is None:
        print_json(result.as_dict())
    elif as_json and game is not None:
        print_json({"game": game.name, **result.as_dict(), **({"output": str(output)} if output else {})})
    elif not quiet:
        title = [] if game is None else [f"{game.title}:"]
        print("\n".join(printable(line) for line in (*title, *result.lines())))
        if output is not None:
            say(f"saved in {shown_path(output)}")
