"""What the player whose turn it is knows: for each goal that it may have, what its moves are worth and cost."""

from __future__ import annotations

from dataclasses import dataclass

from ..games.cursor import Cursor
from ..games.goals import Goal, Seat
from ..match.percentages import percentage_points, win_percentage
from .advice import advise, value_to
from .beliefs import Belief
from .bot import RoundBot


@dataclass(frozen=True)
class Cell:
    """A move for one goal of the mover, as `advise` and the review have it: how often it is played, what it is worth to
    the mover over what is believed of the opponent's goal, and how much less that is than the best move's.

    cost_percent: the cost in percentage points of matches won, None for a round on its own.
    """

    squares: tuple[int, ...]
    probability: float
    value: float
    cost: float
    cost_percent: float | None


@dataclass(frozen=True)
class GoalRow:
    """One goal that the mover may have.

    value: of the position, to the mover, over what is believed of the opponent's goal, when both go on by the strategy;
    in the unit of the outcome values. wins_percent: of matches, for that value; None for a round on its own.
    moves: by their lowest square; none where the outcome is certain.
    """

    goal: Goal
    value: float
    wins_percent: float | None
    moves: tuple[Cell, ...]


def goal_rows(bot: RoundBot, cursor: Cursor, opponent: Belief | None, in_match: bool) -> tuple[GoalRow, ...]:
    """The rows for winning, losing and tying; none where the round is over.

    opponent: what is believed of the goal of the player who is not to move; None: as it was drawn.

    >>> from tictactoe.storage.open_saved import open_saved
    >>> saved = open_saved("single_round").load()
    >>> bot = RoundBot(saved.tree, saved.average_strategy, saved.snapshot.outcome_values)
    >>> rows = goal_rows(bot, Cursor(bot.tree), None, in_match=False)
    >>> [row.goal.name for row in rows], [cell.squares for cell in rows[0].moves]
    (['WIN', 'LOSE', 'TIE'], [(1, 3, 7, 9), (2, 4, 6, 8), (5,)])
    """
    seat = cursor.mover
    if seat is None:
        return ()
    rows, unknown = [], bot.tree.rules.goal_probabilities
    for goal in Goal:
        value = float(value_to(bot, [cursor.node], Seat(seat), goal, opponent or unknown)[0])
        cells = tuple(
            Cell(
                move.squares,
                move.probability,
                move.value,
                move.cost,
                percentage_points(move.cost) if in_match else None,
            )
            for move in advise(bot, cursor, goal)
        )
        rows.append(GoalRow(goal, value, win_percentage(value) if in_match else None, cells))
    return tuple(rows)
