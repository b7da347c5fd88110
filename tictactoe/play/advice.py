"""What each move is worth to a player who knows its own goal, the strategies and the moves so far, and why."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..algorithms.arrays import FloatArray
from ..games.board import Board
from ..games.cursor import Cursor
from ..games.end_rules import END_RULES, Outcome
from ..games.goals import Goal, Seat, scores
from ..games.tic_tac_toe_tree import GameTree
from .beliefs import Belief
from .bot import RoundBot

PLAYED = 5e-4
"""What is played less often is not played."""

UNKNOWN: Belief = (1 / 3, 1 / 3, 1 / 3)
"""What is believed of a player whose moves fit no goal."""

NOTHING = 1e-9
"""A cost below this is rounding."""

WORTH_MENTIONING = 1e-4
"""The least cost that a person is told of."""

_MAY_WELL_BE = 0.2


@dataclass(frozen=True)
class Advice:
    """A move of the player whose turn it is, for one goal of that player.

    squares: those that are the same move by symmetry. probability: how often the strategy plays it, any of them.
    value: to the mover, in the unit of the outcome values, over what is believed of the opponent's goal, when both go
    on by the strategy. cost: how much less that is than the best move's, never negative.
    outcome: the one that is certain after the move, None while that is open. completes_row: whether the move does.
    opponent_scores: how likely the opponent scores by `outcome`, None where that is open.
    possible: whether the mover's goal can still come true. answers: where the opponent, whose goal that may well be,
    could complete a row at once, after one of the squares. forfeits, avoidable: what of that is the move's own fault,
    as no good move (one that is played or costs nothing) does it: that the goal cannot come true, and those answers.
    """

    squares: tuple[int, ...]
    probability: float
    value: float
    cost: float
    outcome: Outcome | None
    completes_row: bool
    opponent_scores: float | None
    possible: bool
    answers: tuple[int, ...]
    forfeits: bool = False
    avoidable: tuple[int, ...] = ()


def advise(bot: RoundBot, cursor: Cursor, goal: Goal) -> list[Advice]:
    """Every move from the position for a mover with this goal, by its lowest square; none where all is decided.

    The opponent's goal is weighed by what its moves have told, each goal the same if they fit none.

    >>> from tictactoe.storage.open_saved import open_saved
    >>> saved = open_saved("single_round").load()
    >>> bot = RoundBot(saved.tree, saved.average_strategy, saved.snapshot.outcome_values)
    >>> best = min(advise(bot, Cursor(bot.tree, (1, 4, 2, 5)), Goal.WIN), key=lambda move: move.cost)
    >>> best.squares, best.completes_row, best.outcome.name, best.cost
    ((3,), True, 'WIN', 0.0)
    """
    groups, seat = cursor.squares_by_child(), cursor.mover
    if not groups or seat is None:
        return []
    belief = bot.belief(cursor.node, Seat(1 - seat)) or UNKNOWN
    values = value_to(bot, list(groups), seat, goal, belief)
    best, result = float(values.max()), []
    for (child, squares), value in zip(groups.items(), values, strict=True):
        outcome = cursor.tree.outcome(child)
        result.append(
            Advice(
                squares=squares,
                probability=float(bot.strategy[child, goal]),
                value=float(value),
                cost=best - float(value),
                outcome=outcome,
                completes_row=_has_row(cursor.tree, cursor.board.play(squares[0])),
                opponent_scores=None if outcome is None else belief[_goal_of(Seat(1 - seat), outcome)],
                possible=any(_goal_of(seat, end) is goal for end in bot.possible_outcomes(child)),
                answers=_rows(cursor, squares) if belief[Goal.WIN] > _MAY_WELL_BE else (),
            )
        )
    return sorted(_blamed(result), key=lambda move: move.squares)


def _blamed(advice: list[Advice]) -> list[Advice]:
    """With what is the fault of each move."""
    good = [move for move in advice if move.probability >= PLAYED or move.cost < NOTHING]
    hope, anyway = all(move.possible for move in good), {square for move in good for square in move.answers}
    return [
        replace(
            move,
            forfeits=hope and not move.possible,
            avoidable=tuple(square for square in move.answers if square not in anyway),
        )
        for move in advice
    ]


def off_equilibrium(bot: RoundBot, cursor: Cursor, seat: Seat, goal: Goal) -> bool:
    """Whether perfect players, the one in `seat` with this goal, do not come here. How they go on from here is then
    arbitrary, and with it what moves cost."""
    mine, other = bot.belief(cursor.node, seat), bot.belief(cursor.node, Seat(1 - seat))
    return mine is None or other is None or mine[goal] < PLAYED


def value_to(bot: RoundBot, nodes: list[int], seat: Seat, goal: Goal, belief: Belief) -> FloatArray:
    """float64, by node: what the player in `seat` with this goal gets from there on, over the opponent's goals."""
    values, weights = bot.expected[nodes], np.array(belief)
    result: FloatArray = values[:, goal, :] @ weights if seat is Seat.FIRST else -(values[:, :, goal] @ weights)
    return result


def _goal_of(seat: Seat, outcome: Outcome) -> Goal:
    """The goal that comes true for the player in `seat`."""
    (goal,) = (goal for goal in Goal if scores(outcome, goal, goal)[seat])
    return goal


def _has_row(tree: GameTree, board: Board) -> bool:
    return END_RULES[tree.end_rule](board) not in (None, Outcome.TIE)


def _rows(cursor: Cursor, squares: tuple[int, ...]) -> tuple[int, ...]:
    """Where the other player would complete a row after one of these squares."""
    found: set[int] = set()
    for square in squares:
        after = cursor.board.play(square)
        if not _has_row(cursor.tree, after):
            found |= {answer for answer in after.free_squares if _has_row(cursor.tree, after.play(answer))}
    return tuple(sorted(found))
