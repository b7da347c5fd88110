"""The round and the match as games of OpenSpiel. Importing this module registers them:

    import pyspiel
    import tictactoe.environments.open_spiel

    game = pyspiel.load_game("smbc_tictactoe_round(rules=filled)")

`game_by_name` goes the other way: openspiel:NAME is a game of OpenSpiel, which this package then solves.

Needs open_spiel: `pip install open_spiel`. Without it the import raises MissingLibraryError, which is an ImportError,
too. docs/environments.md says what the games are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import GameError, missing_library
from ..games.named_games import NamedGame, named_game
from .open_spiel_match import MatchGame, MatchState
from .open_spiel_policies import StrategyPolicy, match_policy, match_strategies_of, round_policy, strategy_of
from .open_spiel_round import RoundGame, RoundState, values_text

try:
    import pyspiel  # noqa: F401
except ImportError as error:
    raise missing_library("open_spiel", "open_spiel") from error

__all__ = [
    "MatchGame",
    "MatchState",
    "RoundGame",
    "RoundState",
    "StrategyPolicy",
    "match_policy",
    "match_strategies_of",
    "round_policy",
    "strategy_of",
    "values_text",
]


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
