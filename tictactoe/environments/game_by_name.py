"""Games by name, those of OpenSpiel among them: openspiel:NAME or openspiel:NAME(OPTIONS)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import GameError
from ..games.named_games import NamedGame, named_game

DOOR = "openspiel:"


def game_by_name(name: str) -> NamedGame:
    """As `named_game`, and a game of OpenSpiel, such as openspiel:leduc_poker, which is walked through when needed.

    Raises ValueError for what is no name, or of a kind that cannot be taken, and MissingLibraryError without OpenSpiel.

    >>> game_by_name("leduc(cards=6)").title
    "Leduc hold'em"
    """
    if name.startswith(DOOR):
        from .open_spiel_game import loaded, open_spiel_game

        found = name.removeprefix(DOOR)
        try:
            loaded(found)
        except ValueError as error:
            raise ValueError(str(error).removeprefix("name_or_game: ")) from error

        def described(maximum_nodes: int, walked: Callable[[int], object] | None) -> Any:
            try:
                return open_spiel_game(found, maximum_nodes=maximum_nodes, walked=walked)
            except ValueError as error:
                raise GameError(str(error)) from error

        return NamedGame(name, found, described)
    try:
        return named_game(name)
    except ValueError as error:
        if str(error).endswith("FILE.py:Class"):
            raise ValueError(f"{str(error).replace(', or FILE', ', FILE')}, or {DOOR}NAME") from error
        raise
