"""Games by name, those of OpenSpiel among them: openspiel:NAME or openspiel:NAME(OPTIONS)."""

from __future__ import annotations

from ..games.named_games import NamedGame, named_game

DOOR = "openspiel:"


def game_by_name(name: str) -> NamedGame:
    """As `named_game`, and a game of OpenSpiel, such as openspiel:leduc_poker.

    Raises ValueError for what is no name, or no game that can be taken, and MissingLibraryError without OpenSpiel.

    >>> game_by_name("leduc(cards=6)").title
    "Leduc hold'em"
    """
    if name.startswith(DOOR):
        from .open_spiel_game import open_spiel_game

        found = name.removeprefix(DOOR)
        try:
            return NamedGame(name, found, open_spiel_game(found))
        except ValueError as error:
            raise ValueError(str(error).removeprefix("name_or_game: ")) from error
    try:
        return named_game(name)
    except ValueError as error:
        if str(error).endswith("FILE.py:Class"):
            raise ValueError(f"{str(error).replace(', or FILE', ', FILE')}, or {DOOR}NAME") from error
        raise
