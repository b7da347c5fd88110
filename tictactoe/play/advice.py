"""What each move is worth to a player who knows its own goal, the strategies and the moves so far, and why."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..algorithms.arrays import FloatArray
from ..games.board import Board, has_line
from ..games.cursor import Cursor
from ..games.goals import Goal, Seat
from ..games.rules import Outcome
from .beliefs import Belief
from .bot import RoundBot

PLAYED = 5e-4
"""What is played less often is not played."""

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
    outcome: the one that is certain after the move, None while that is open. completes_row: whether the mover has three
    in a row by this move, and had not before. opponent_scores: how likely the opponent scores by `outcome`, None where
    that is open. possible: whether the mover's goal can still come true. answers: where the opponent, who may well want
    that, could complete its first row at once, after one of the squares, unless all that could make the mover score
    still can then. spoiling: those of the answers after which the round would go on, but the mover's goal could no
    longer come true. forfeits, avoidable: what of that is the move's own fault, as no good move (one that is played or
    costs nothing) does it: that the goal cannot come true, and those answers.
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
    spoiling: tuple[int, ...] = ()
    forfeits: bool = False
    avoidable: tuple[int, ...] = ()


def advise(bot: RoundBot, cursor: Cursor, goal: Goal) -> list[Advice]:
    """Every move from the position for a mover with this goal, by its lowest square; none where all is decided.

    The opponent's goal is weighed by what its moves have told, as it was drawn if they fit none.

    >>> from tictactoe.storage.open_saved import open_saved
    >>> saved = open_saved("single_round").load()
    >>> bot = RoundBot(saved.tree, saved.average_strategy, saved.snapshot.outcome_values)
    >>> best = min(advise(bot, Cursor(bot.tree, (1, 4, 2, 5)), Goal.WIN), key=lambda move: move.cost)
    >>> best.squares, best.completes_row, best.outcome.name, best.cost
    ((3,), True, 'WIN', 0.0)
    """
    groups, seat, rules = cursor.squares_by_child(), cursor.mover, cursor.tree.rules
    if not groups or seat is None:
        return []
    belief = bot.belief(cursor.node, Seat(1 - seat)) or rules.goal_probabilities
    values = value_to(bot, list(groups), seat, goal, belief)
    best, result = float(values.max()), []
    for (child, squares), value in zip(groups.items(), values, strict=True):
        outcome, answers = cursor.tree.outcome(child), _answers(bot, cursor, seat, goal, belief, squares)
        result.append(
            Advice(
                squares=squares,
                probability=float(bot.strategy[child, goal]),
                value=float(value),
                cost=best - float(value),
                outcome=outcome,
                completes_row=_completes_row(cursor.board, squares[0]),
                opponent_scores=None
                if outcome is None
                else sum(belief[true] for true in rules.goals_true(outcome)[1 - seat]),
                possible=bool(_ways(bot, child, seat, goal)),
                answers=tuple(sorted(answers)),
                spoiling=tuple(sorted(square for square, spoils in answers.items() if spoils)),
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
    """Whether the bot against itself, in `seat` with this goal, does not come here. How it goes on from here is then
    arbitrary, and with it what moves cost. Other perfect players may come here."""
    mine, other = bot.belief(cursor.node, seat), bot.belief(cursor.node, Seat(1 - seat))
    return mine is None or other is None or mine[goal] < PLAYED


def value_to(bot: RoundBot, nodes: list[int], seat: Seat, goal: Goal, belief: Belief) -> FloatArray:
    """float64, by node: what the player in `seat` with this goal gets from there on, over the opponent's goals."""
    values, weights = bot.expected[nodes], np.array(belief)
    result: FloatArray = values[:, goal, :] @ weights if seat is Seat.FIRST else -(values[:, :, goal] @ weights)
    return result


def _completes_row(board: Board, square: int) -> bool:
    """Whether the player whose turn it is has three in a row by marking the square, and had not before."""
    mover, after = board.num_marks % 2, board.play(square)
    return has_line(after[mover]) and not has_line(board[mover])


def _ways(bot: RoundBot, node: int, seat: Seat, goal: Goal) -> set[Outcome]:
    """The outcomes that are possible from the node on, and make the goal of the player in `seat` come true."""
    rules = bot.tree.rules
    return {end for end in bot.possible_outcomes(node) if goal in rules.goals_true(end)[seat]}


def _answers(
    bot: RoundBot, cursor: Cursor, seat: Seat, goal: Goal, belief: Belief, squares: tuple[int, ...]
) -> dict[int, bool]:
    """Where the other player could complete a first row after one of these squares, and whether that would spoil the
    goal of the mover, who is in `seat`; see `Advice`. Only what may well be wanted, and takes a way to score from the
    mover, or would if it had one."""
    found: dict[int, bool] = {}
    other = Seat(1 - seat)
    for square in squares:
        cursor.play(square)
        node, board = cursor.node, cursor.board
        before = _ways(bot, node, seat, goal)
        rows = [answer for answer in board.free_squares if _completes_row(board, answer)]
        for answer in rows if cursor.outcome is None else ():
            cursor.play(answer)
            wanted = [theirs for theirs in Goal if _ways(bot, cursor.node, other, theirs)]
            if not wanted:  # it serves no goal, but may be wanted by who cannot score any more
                wanted = [theirs for theirs in Goal if not _ways(bot, node, other, theirs)]
            after = _ways(bot, cursor.node, seat, goal)
            if sum(belief[theirs] for theirs in wanted) > _MAY_WELL_BE and (not before or after < before):
                found[answer] = found.get(answer, False) or bool(before and not after and cursor.outcome is None)
            cursor.undo()
        cursor.undo()
    return found
