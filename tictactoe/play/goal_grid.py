"""The grid of the player whose turn it is: for each of its possible goals, the values and costs of its moves."""

from __future__ import annotations

from dataclasses import dataclass

from ..games.cursor import Cursor
from ..games.goals import Goal, Seat
from ..match.percentages import percentage_points, win_percentage
from .bot import RoundBot
from .move_costs import advise


@dataclass(frozen=True)
class Cell:
    """A move for one goal of the mover. Hints and the review use the same numbers, those of `Advice`."""

    squares: tuple[int, ...]
    """The squares, 1 to 9, that symmetry makes one move."""
    probability: float
    """How often the strategy plays the move, all its squares together."""
    value: float
    """To the mover, in the unit of the outcome values: if it goes on with its best moves."""
    cost: float
    """The value of the best move less this one's."""
    cost_percent: float | None
    """The cost in points of winning chance; None for a round on its own."""


@dataclass(frozen=True)
class GoalRow:
    """One goal that the mover may have."""

    goal: Goal
    value: float
    """The value of the position to the mover, in the unit of the outcome values, if it goes on with its best moves."""
    wins_percent: float | None
    """The percentage of matches that the mover wins with that value; None for a round on its own."""
    moves: tuple[Cell, ...]
    """By their lowest square; empty once the outcome is certain."""


def goal_rows(bot: RoundBot, cursor: Cursor, in_match: bool) -> tuple[GoalRow, ...]:
    """The rows for winning, losing and tying; no rows when the round is over.

    in_match: whether values are match values, which have percentages.

    >>> from tictactoe.storage.open_saved import open_saved
    >>> saved = open_saved("single_round").load()
    >>> bot = RoundBot(saved.tree, saved.average_strategy, saved.snapshot.outcome_values)
    >>> rows = goal_rows(bot, Cursor(bot.tree), in_match=False)
    >>> [row.goal.name for row in rows], [cell.squares for cell in rows[0].moves]
    (['WIN', 'LOSE', 'TIE'], [(1, 3, 7, 9), (2, 4, 6, 8), (5,)])
    """
    seat = cursor.mover
    if seat is None:
        return ()
    rows = []
    for goal in Goal:
        value = bot.worth(cursor.node, Seat(seat), goal)
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
