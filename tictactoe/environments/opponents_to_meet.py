"""The opponents that a learning agent can meet: shipped ones by name, solutions, and bots of your own."""

from __future__ import annotations

from pathlib import Path

from ..agents.strategy_agent import RoundBots, SameAtEveryScore
from ..games.goals import SINGLE_ROUND
from ..games.rules import Rules
from ..games.tic_tac_toe_tree import GameTree
from ..match.scores import Score
from ..play.bot import MatchBot, RoundBot
from ..play.opponent_bot import constant_strategy, opponent_of
from ..play.opponents import DEFAULT_OPPONENT, OPPONENTS
from ..storage.open_saved import open_saved
from ..storage.shipped import SHIPPED_MATCHES, shipped_for, shipped_match


class AtEveryScore:
    """An opponent of OPPONENTS that plays from a solution, such as the careless one."""

    def __init__(self, name: str, perfect: RoundBots) -> None:
        self._name = name
        self._perfect = perfect
        self._bots: dict[Score, RoundBot] = {}

    def round_bot(self, score: Score) -> RoundBot:
        """The bot at a score, made at the first call."""
        if score not in self._bots:
            self._bots[score] = opponent_of(self._name, self._perfect.round_bot(score))
        return self._bots[score]


def opponent_to_meet(opponent: str | Path | RoundBot | RoundBots, rules: str, winning_score: int | None) -> RoundBots:
    """The agent's opponent at every score of the match, or in a single round.

    opponent: a name of OPPONENTS; or a solved match or round, as open_saved takes it, for its average strategy; or a
        RoundBot, which plays alike at every score; or any object with the method round_bot(score).
    rules: the rules of the game, as text.
    winning_score: None for a single round.

    Raises ValueError for an opponent by other rules, for a match that is longer than the solution's, and for a solved
    match in a single round, and FormatError for files that cannot be used.

    >>> bots = opponent_to_meet("learner-10", "three-in-a-row", winning_score=None)
    >>> bots.round_bot(Score(0, 0)).strategy.shape
    (37538, 3)
    """
    if isinstance(opponent, RoundBot):
        bots: RoundBots = SameAtEveryScore(opponent)
    elif not isinstance(opponent, str | Path):
        bots = opponent
    elif opponent in OPPONENTS and not OPPONENTS[str(opponent)].uses_solution:
        tree = GameTree.build(rules)
        bots = SameAtEveryScore(RoundBot(tree, constant_strategy(str(opponent), tree), SINGLE_ROUND))
    elif opponent in OPPONENTS:
        parsed = Rules.parse(rules)
        found = shipped_for(parsed, "single_round")
        if winning_score is not None:
            found = shipped_match(parsed, min(winning_score, SHIPPED_MATCHES["shipped"]))
        if found is None:
            raise ValueError(f"opponent: no solution ships by {rules}; solve one, and name its directory")
        perfect = _saved_bots(found, winning_score)
        bots = perfect if opponent == DEFAULT_OPPONENT else AtEveryScore(str(opponent), perfect)
    else:
        bots = _saved_bots(opponent, winning_score)
    plays = bots.round_bot(Score(0, 0)).tree
    if plays.fingerprint != GameTree.build(rules).fingerprint:
        raise ValueError(f"opponent: it plays by {plays.rules}, not by {rules}")
    return bots


def _saved_bots(name: str | Path, winning_score: int | None) -> RoundBots:
    saved = open_saved(name)
    if saved.solution is None:
        found = saved.load()
        return SameAtEveryScore(RoundBot(found.tree, found.average_strategy, found.snapshot.outcome_values))
    if winning_score is None:
        raise ValueError(f"opponent: {name} is a whole match; for a single round name one, such as single_round")
    return MatchBot(saved.solution, winning_score)
