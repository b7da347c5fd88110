"""A learnt table as an agent, and the opponents against which a learner can learn."""

from __future__ import annotations

from pathlib import Path

from ..algorithms.arrays import FloatArray
from ..errors import FormatError
from ..games.rules import OutcomeValues
from ..games.tic_tac_toe_tree import GameTree
from ..match.scores import Score
from ..play.bot import RoundBot, constant_strategy, opponent_of
from ..play.opponents import OPPONENTS
from ..storage.learnt_table import LearntTable
from ..storage.open_saved import SavedRounds, open_saved
from ..storage.shipped import shipped_for, shipped_solution, solution_directory
from .strategy_agent import StrategyAgent, same_at_every_score


def learnt_agent(table: LearntTable, seed: int | None = None) -> StrategyAgent:
    """An agent that always makes the move of the highest value, at every score, not only at that of the table.

    seed: seed of its draws among symmetric squares; None for a new seed every time.

    >>> from tictactoe import GameTree, LearningMethod
    >>> from tictactoe.agents.agent import MatchFacts, RoundFacts
    >>> from tictactoe.games.rules import Goal, Seat
    >>> agent = learnt_agent(LearntTable.new(GameTree.build(), LearningMethod()), seed=1)
    >>> agent.begin_match(MatchFacts(5, "three-in-a-row", "somebody"))
    >>> agent.begin_round(RoundFacts(1, Seat.FIRST, Goal.WIN, (0, 0)))
    >>> agent.choose(()) in (1, 3, 7, 9)  # nothing was learnt: the first move of the tree, a corner
    True
    """
    return same_at_every_score(table.tree, table.strategy, seed)


def round_opponent(
    name: str, tree: GameTree, values: OutcomeValues, solution: Path | None = None, score: Score | None = None
) -> FloatArray:
    """The strategy of an opponent in a round of `tree`: float64 (num_nodes, 3).

    name: a name of OPPONENTS, the file of a learnt table, or a round of a solution (a directory, or a name that ships).
    values: the outcome values of the round.
    solution: the strategy of the opponents perfect and careless; None for the single round that ships.
    score: the score at which a whole solution plays.

    Raises ValueError for an opponent that cannot play the round, and FormatError for a file that cannot be used.

    >>> tree, values = GameTree.build(), OutcomeValues(0.0, 1.0, -1.0, 0.0)
    >>> round_opponent("uniform", tree, values)[1:4, 0].round(2).tolist()
    [0.44, 0.44, 0.11]
    """
    if name in OPPONENTS and not OPPONENTS[name].uses_solution:
        return constant_strategy(name, tree)
    if name in OPPONENTS:
        return opponent_of(name, RoundBot(tree, _perfect(tree, solution, score), values)).strategy
    if Path(name).is_file():
        table = LearntTable.load(Path(name))
        found, strategy = table.tree, table.strategy
    else:
        if not solution_directory(name).exists():
            raise ValueError(
                f"{name!r} names no opponent; give one of {', '.join(OPPONENTS)}, the directory or name of a round "
                "of a solution, or the file of an agent"
            )
        found, strategy = _of_solution(open_saved(name), score)
    if found.fingerprint != tree.fingerprint:
        raise FormatError(Path(name), f"of a round by the rules {str(found.rules)!r}, not {str(tree.rules)!r}")
    return strategy


def _perfect(tree: GameTree, solution: Path | None, score: Score | None) -> FloatArray:
    if solution is None:
        shipped = shipped_for(tree.rules, "single_round")
        if shipped is None:
            raise ValueError(f"opponent: no perfect player ships for {tree.rules}; name a solution of yours")
        solution = shipped_solution(shipped)
    return _of_solution(SavedRounds(solution), score)[1]


def _of_solution(saved: SavedRounds, score: Score | None) -> tuple[GameTree, FloatArray]:
    if score is None:
        saved.require_subgame()
    loaded = saved.load(score if saved.solution is not None else None)
    return loaded.tree, loaded.average_strategy
