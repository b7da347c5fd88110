"""The option or argument that names another game than tic-tac-toe."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from ..lazy_imports import lazily
from .declaring import is_given, option
from .parameters import Reader

with lazily():
    from tictactoe.environments import game_by_name

GAME = Reader("game", lambda text: game_by_name.game_by_name(text))
"""A game by name, as a NamedGame."""


def game_option(text: str) -> Any:
    """Another game, in place of a round of tic-tac-toe."""
    how = "an example such as kuhn or leduc, FILE.py:Class (which is run), or openspiel:NAME; see solve-game --help."
    return option(GAME, f"{text}: {how}", metavar="GAME")


def refuse_beside_game(allowed: Callable[[str], bool]) -> None:
    """Raises click.UsageError for an option that is given beside --game, and not `allowed`, by its parameter's name."""
    for parameter in click.get_current_context().command.params:
        if (
            parameter.name not in (None, "game")
            and is_given(parameter.name or "")
            and not allowed(parameter.name or "")
        ):
            raise click.UsageError(f"{parameter.opts[-1]}: it is about tic-tac-toe, and --game is another game")
