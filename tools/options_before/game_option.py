"""The option or argument that names another game than tic-tac-toe, and what a command says about such a game."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import click

from tictactoe.errors import printable

from ..lazy_imports import lazily
from ..options.parameters import Reader
from ..program import print_json, say, shown_path
from .declaring import is_given, option

with lazily():
    from tictactoe.environments import open_spiel_game
    from tictactoe.games import named_games

GAME = Reader("game", lambda text: open_spiel_game.game_by_name(text))
"""A game by name, as a NamedGame."""

ROUND_OPTIONS = ("rules", "goal_odds", "outcome_values", "score", "all_scores", "values_from")
"""Parameters that choose a round of tic-tac-toe."""


def game_option(text: str) -> Any:
    """Another game, in place of a round of tic-tac-toe."""
    how = "an example such as kuhn or leduc, FILE.py:Class (which is run), or openspiel:NAME; see solve-game --help."
    return option(GAME, f"{text}: {how}", metavar="GAME")


def refuse_beside_game(names: Collection[str]) -> None:
    """Raises click.UsageError for one of these parameters: they are about a round of tic-tac-toe."""
    for parameter in click.get_current_context().command.params:
        if parameter.name in names and is_given(parameter.name or ""):
            raise click.UsageError(f"{parameter.opts[-1]}: it is about tic-tac-toe, and --game is another game")


def print_about_game(
    game: named_games.NamedGame | None, result: Any, output: Path | None, *, quiet: bool, as_json: bool
) -> None:
    """Print a result that has `as_dict` for JSON, and `lines` in words. game: None for a round of tic-tac-toe."""
    if as_json and game is None:
        print_json(result.as_dict())
    elif as_json and game is not None:
        print_json({"game": game.name, **result.as_dict(), **({"output": str(output)} if output else {})})
    elif not quiet:
        title = [] if game is None else [f"{game.title}:"]
        print("\n".join(printable(line) for line in (*title, *result.lines())))
        if output is not None:
            say(f"saved in {shown_path(output)}")
