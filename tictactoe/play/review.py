"""What the moves of a player cost against the bot's best ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..games.cursor import Cursor
from ..games.goals import Goal, Seat
from ..match.scores import Score
from .advice import NOTHING, WORTH_MENTIONING, Advice, advise, off_equilibrium
from .bot import RoundBot
from .notation import Position
from .referee import Round


class MoveCost(NamedTuple):
    """What a move gave away, in the unit of the outcome values, against the best move at its position."""

    number: int  # of the move in the round, from 1
    square: int
    cost: float
    best: tuple[int, ...]  # the squares that cost nothing
    advice: Advice  # about the move
    missed_row: bool  # whether each of the best squares completes a row of the player, who wants that
    off_equilibrium: bool  # whether the bot never gets here against itself: from here on its play is arbitrary


def review(bot: RoundBot, moves: tuple[int, ...], seat: Seat, goal: Goal, *, given: int = 0) -> list[MoveCost]:
    """The cost of every move of the player in `seat` that could still change the outcome of the round; see `advise`.

    The first `given` moves, from which the round started, are nobody's.

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
            best = [move for move in advice if move.cost < NOTHING]
            squares = tuple(sorted(square for move in best for square in move.squares))
            row = goal is Goal.WIN and all(move.completes_row for move in best)
            astray = off_equilibrium(bot, cursor, seat, goal)
            for played in (move for move in advice if square in move.squares):
                missed = row and played not in best
                result.append(MoveCost(number, square, played.cost, squares, played, missed, astray))
        cursor.play(square)
    return result


class Mistake(NamedTuple):
    """A move that cost something worth mentioning, of a player with this goal. position: as that player saw it."""

    played: Round
    move: MoveCost
    goal: Goal
    position: Position


def mistakes(
    rounds: Sequence[tuple[Round, RoundBot]],
    player: int,
    solved_score: Callable[[Score], Score],
    *,
    given: int = 0,
    least: float = WORTH_MENTIONING,
) -> list[Mistake]:
    """What `player` did wrong in these rounds, worst first: moves that cost at least `least`.

    solved_score: the score at which the solution has a round. given: as in `review`.
    """
    result = []
    for played, bot in rounds:
        seat, goal = played.seat(player), played.goals[player]
        goals = (goal, None) if seat is Seat.FIRST else (None, goal)
        for move in review(bot, played.cursor.moves, seat, goal, given=given):
            if move.cost >= least:
                before = played.cursor.moves[: move.number - 1]
                result.append(Mistake(played, move, goal, Position(solved_score(played.score), goals, before)))
    return sorted(result, key=lambda mistake: -mistake.move.cost)
