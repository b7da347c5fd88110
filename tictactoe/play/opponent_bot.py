"""The strategies of the opponents that the module `opponents` lists."""

from __future__ import annotations

from functools import cache

from ..algorithms.arrays import FloatArray
from ..algorithms.public_tree import read_only
from ..games.free_squares import uniform_over_squares
from ..games.tic_tac_toe_tree import GameTree
from ..storage.open_saved import SavedRounds
from ..storage.shipped import shipped_for, shipped_solution
from .bot import RoundBot
from .opponents import DEFAULT_OPPONENT, MEASURED_RULES, OPPONENTS

CARELESS_PROBABILITY = 0.2
"""How often the careless opponent marks a random free square."""


def opponent_of(name: str, bot: RoundBot) -> RoundBot:
    """The opponent of that name in a round whose perfect player is `bot`. The opponent "perfect" is `bot` itself.

    Raises ValueError for a name that is not in OPPONENTS, and for a learner that has not learnt the round's game by the
    round's rules; FormatError when a learner's file is missing or damaged.

    >>> from tictactoe import MatchBot, Score, open_saved, opponent_of
    >>> perfect = MatchBot(open_saved().solution).round_bot(Score(0, 0))
    >>> opponent_of("uniform", perfect).strategy[1:4, 0].round(2).tolist()  # a corner, a side, the centre
    [0.44, 0.44, 0.11]
    """
    if name == DEFAULT_OPPONENT:
        return bot
    if name == "careless":
        strategy = (1.0 - CARELESS_PROBABILITY) * bot.strategy + CARELESS_PROBABILITY * constant_strategy(
            "uniform", bot.tree
        )
    else:
        strategy = constant_strategy(name, bot.tree)
    return RoundBot(bot.tree, strategy, bot.values)


def require_opponent(name: str, tree: GameTree) -> None:
    """Raises the errors of `opponent_of` for an opponent that cannot play rounds of this tree."""
    if name not in OPPONENTS or not OPPONENTS[name].uses_solution:
        constant_strategy(name, tree)


@cache
def constant_strategy(name: str, tree: GameTree) -> FloatArray:
    """The strategy of an opponent that uses no solution, the same at every score: float64 (num_nodes, 3), read-only.

    Raises the errors of `opponent_of`, and ValueError for an opponent that plays from a solution.
    """
    if name not in OPPONENTS or OPPONENTS[name].uses_solution:
        known = (other for other, opponent in OPPONENTS.items() if not opponent.uses_solution)
        raise ValueError(f"opponent: {name!r} is not one of {', '.join(known)}")
    if name == "uniform":
        return read_only(uniform_over_squares(tree))
    shipped = shipped_for(tree.rules, name)
    if shipped is None:
        raise ValueError(f"opponent: {name} has learnt by {' and by '.join(MEASURED_RULES)}, not by {tree.rules}")
    saved = SavedRounds(shipped_solution(shipped)).load()
    if saved.tree.fingerprint != tree.fingerprint:
        raise ValueError(f"opponent: {name} has learnt another game, by the rules {str(saved.tree.rules)!r}")
    return read_only(saved.average_strategy)
