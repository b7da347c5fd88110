"""The agents that come with the program, by name: for one match each, with draws of their own."""

from __future__ import annotations

from ..games.rules import Rules
from ..games.tic_tac_toe_tree import GameTree
from ..match.scores import Score
from ..play.bot import MatchBot, RoundBot
from ..play.opponent_bot import constant_strategy, opponent_of
from ..play.opponents import DEFAULT_OPPONENT, OPPONENTS
from ..storage.shipped import shipped_for, shipped_solution
from ..storage.solution import Solution, load_solution
from .network_referee import MakeAgent
from .strategy_agent import RoundBots, StrategyAgent, constant_agent

SHIPPED = "shipped"


def built_in_agent(name: str, rules: Rules, winning_score: int) -> MakeAgent:
    """What makes an agent of this name for a match: `shipped` or one of OPPONENTS; `perfect` is `shipped`.

    Raises ValueError for another name, and for one that cannot play by these rules or to so many points.

    >>> make = built_in_agent("learner-10", Rules(), 5)
    >>> make(1) is make(1)
    False
    """
    require_agent(name)
    tree = GameTree.build(rules)
    if name != SHIPPED and not OPPONENTS[name].uses_solution:
        constant_strategy(name, tree)
        return lambda seed: constant_agent(name, tree, seed)
    shipped = shipped_for(rules)
    if shipped is None:
        raise ValueError(f"agent: {name} has no solution for the rules {rules}")
    opponent = DEFAULT_OPPONENT if name == SHIPPED else name
    bots = _Bots(load_solution(shipped_solution(shipped)), winning_score, opponent)
    return lambda seed: StrategyAgent(bots.for_match, rules, seed)


def require_agent(name: str) -> None:
    """Raises ValueError for a name that no agent has."""
    if name != SHIPPED and name not in OPPONENTS:
        raise ValueError(f"agent: there is no {name[:40]!r}; there are {', '.join((SHIPPED, *OPPONENTS))}")


class _Bots:
    """The bots of all scores, read once for all matches."""

    def __init__(self, solution: Solution, winning_score: int, opponent: str) -> None:
        self._match = MatchBot(solution, winning_score)
        self.winning_score = winning_score
        self._opponent = opponent
        self._bots: dict[Score, RoundBot] = {}

    def for_match(self, winning_score: int) -> RoundBots:
        """Raises ValueError for another length."""
        if winning_score != self.winning_score:
            raise ValueError(f"winning_score: {winning_score} is not {self.winning_score}")
        return self

    def round_bot(self, score: Score) -> RoundBot:
        """As MatchBot has it."""
        if score not in self._bots:
            self._bots[score] = opponent_of(self._opponent, self._match.round_bot(score))
        return self._bots[score]
