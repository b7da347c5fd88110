"""The review of a player's moves: what each one cost, compared with the best move."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..games.cursor import Cursor
from ..games.rules import Goal, Seat
from ..match.scores import Score
from .bot import RoundBot
from .move_costs import Advice, advise, off_equilibrium
from .notation import Position
from .referee import Round


class MoveCost(NamedTuple):
    """A move and what it gave away, compared with the best move at its position."""

    number: int
    """Of the move in the round, from 1."""
    square: int
    """1 to 9."""
    cost: float
    """In the unit of the outcome values."""
    best: tuple[int, ...]
    """The squares that cost nothing."""
    advice: Advice
    """About the move."""
    missed_row: bool
    """Whether the player wants to win, every best square completes a row, and this move is none of them."""
    off_equilibrium: bool
    """Whether the bot is not refined, and never reaches the position against itself (`off_equilibrium`)."""


def review(bot: RoundBot, moves: tuple[int, ...], seat: Seat, goal: Goal, *, given: int = 0) -> list[MoveCost]:
    """The cost of each move that the player in `seat` made while the outcome was open; see `advise`.

    The first `given` moves are the position that the round began at: nobody made them.

    >>> from tictactoe.storage.open_saved import open_saved
    >>> saved = open_saved("single_round").load()
    >>> bot = RoundBot(saved.tree, saved.average_strategy, saved.snapshot.outcome_values)
    >>> [(move.number, move.best) for move in review(bot, (1, 4, 2, 5, 9), Seat.FIRST, Goal.WIN)][-1]
    (5, (3,))
    """
    result = []
    cursor = Cursor(bot.tree)
    for number, square in enumerate(moves, 1):
        if number > given and cursor.mover is seat:
            advice = advise(bot, cursor, goal)
            best = [move for move in advice if not move.cost]
            squares = tuple(sorted(square for move in best for square in move.squares))
            row = goal is Goal.WIN and all(move.completes_row for move in best)
            off = off_equilibrium(bot, cursor, seat, goal)
            for played in (move for move in advice if square in move.squares):
                missed = row and played not in best
                result.append(MoveCost(number, square, played.cost, squares, played, missed, off))
        cursor.play(square)
    return result


class Mistake(NamedTuple):
    """A move that cost something."""

    played: Round
    """The round that has the move."""
    move: MoveCost
    goal: Goal
    """Of the player who made it."""
    position: Position
    """The position before the move, without the goal that the player did not see."""


def mistakes(
    rounds: Sequence[tuple[Round, RoundBot]], player: int, solved_score: Callable[[Score], Score], *, given: int = 0
) -> list[Mistake]:
    """The moves of `player` in these rounds that cost something, worst first.

    rounds: each with the bot that judges it: the perfect player, or the best responder to an opponent whose play is
    known. solved_score: from a round's score to the solution's score. given: as in `review`.
    """
    result = []
    for played, bot in rounds:
        seat, goal = played.seat(player), played.goals[player]
        for move in review(bot, played.cursor.moves, seat, goal, given=given):
            if move.cost:
                position = played.position(1 - player, move.number, solved_score(played.score))
                result.append(Mistake(played, move, goal, position))
    return sorted(result, key=lambda mistake: -mistake.move.cost)
