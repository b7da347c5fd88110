"""The round and the match as games of OpenSpiel. Importing this module registers them:

    import pyspiel
    import tictactoe.environments.open_spiel

    game = pyspiel.load_game("smbc_tictactoe_round(rules=filled)")

`game_by_name` goes the other way: openspiel:NAME is a game of OpenSpiel, which this package then solves.

Needs open_spiel: `pip install open_spiel`. Without it the import raises MissingLibraryError, which is an ImportError,
too. docs/environments.md says what the games are.
"""

from .open_spiel_match import MatchGame, MatchState
from .open_spiel_policies import StrategyPolicy, match_policy, match_strategies_of, round_policy, strategy_of
from .open_spiel_round import RoundGame, RoundState, values_text

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
