"""The cost of each move, and the reasons for it, to a player who knows its own goal and the strategies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ..games.board import Board, has_line
from ..games.cursor import Cursor
from ..games.rules import Goal, Outcome, Seat
from ..match.scores import Score
from .bot import Belief, RoundBot
from .notation import Position
from .referee import Round

LEAST_PLAYED_PROBABILITY = 5e-4
"""The least probability with which a strategy is said to play a move."""

_TELLING = 0.1  # a move that reveals this much more of its player's goal than another is less safe
_WANTED_PROBABILITY = 0.2  # the opponent may well have a goal that is likelier than this


@dataclass(frozen=True)
class Advice:
    """A move of the mover, for one goal. A good move is one that the bot plays or that costs nothing."""

    squares: tuple[int, ...]
    """The symmetric squares, 1 to 9, of the move."""
    probability: float
    """The probability of the move, over all its squares."""
    value: float
    """The value to a mover who plays best afterwards, in payoff."""
    cost: float
    """The value of the best move minus the value of this one; 0 if it is negligible (`RoundBot.costs`)."""
    outcome: Outcome | None
    """The certain outcome of the round after the move; None while the outcome is open."""
    completes_row: bool
    """Whether the move gives the mover its first three in a row."""
    opponent_scores: float | None
    """The probability that the opponent scores with `outcome`; None while the outcome is open."""
    possible: bool
    """Whether the mover's goal can still come true after the move."""
    tells: float
    """The belief in the mover's goal after the move."""
    answers: tuple[int, ...]
    """Squares where the opponent could complete its first row right after the move, and may well want to. An answer
    counts only if it rules out an end by which the mover would score, or if the mover has no such end left."""
    spoiling: tuple[int, ...] = ()
    """The answers after which the round continues, but the mover's goal can no longer come true."""
    forfeits: bool = False
    """Whether this move makes the mover's goal impossible, and no good move does."""
    avoidable: tuple[int, ...] = ()
    """The answers that no good move allows."""


def advise(bot: RoundBot, cursor: Cursor, goal: Goal) -> list[Advice]:
    """Every move for this goal of the mover, ordered by its lowest square; none once the round is decided.

    >>> from tictactoe import open_saved
    >>> saved = open_saved("single_round").load()
    >>> bot = RoundBot(saved.tree, saved.average_strategy, saved.snapshot.outcome_values)
    >>> best = min(advise(bot, Cursor(bot.tree, (1, 4, 2, 5)), Goal.WIN), key=lambda move: move.cost)
    >>> best.squares, best.completes_row, best.outcome.name, best.cost
    ((3,), True, 'WIN', 0.0)
    """
    groups, seat, rules = cursor.squares_by_child(), cursor.mover, cursor.tree.rules
    if not groups or seat is None:
        return []
    belief, first = bot.belief(cursor.node, Seat(1 - seat)), min(groups)
    costs, result = bot.costs(cursor.node, goal), []
    for child, squares in groups.items():
        outcome, answers = cursor.tree.outcome(child), _answers(bot, cursor, seat, goal, belief, squares)
        result.append(
            Advice(
                squares=squares,
                probability=float(bot.strategy[child, goal]),
                value=bot.worth(child, seat, goal),
                cost=float(costs[child - first]),
                outcome=outcome,
                completes_row=_completes_row(cursor.board, squares[0]),
                opponent_scores=None
                if outcome is None
                else sum(belief[true] for true in rules.goals_true(outcome)[1 - seat]),
                possible=bool(_ways(bot, child, seat, goal)),
                tells=bot.belief(child, seat)[goal],
                answers=tuple(sorted(answers)),
                spoiling=tuple(sorted(square for square, spoils in answers.items() if spoils)),
            )
        )
    return sorted(_blamed(result), key=lambda move: move.squares)


def _blamed(advice: list[Advice]) -> list[Advice]:
    good = [move for move in advice if move.probability >= LEAST_PLAYED_PROBABILITY or not move.cost]
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
    """Whether the bot is not refined and never gets here with this goal when it plays `seat` against itself."""
    if bot.is_refined:
        return False
    never = bot.is_lost(cursor.node, seat) or bot.is_lost(cursor.node, Seat(1 - seat))
    return never or bot.belief(cursor.node, seat)[goal] < LEAST_PLAYED_PROBABILITY


def _completes_row(board: Board, square: int) -> bool:
    mover, after = board.num_marks % 2, board.play(square)
    return has_line(after[mover]) and not has_line(board[mover])


def _ways(bot: RoundBot, node: int, seat: Seat, goal: Goal) -> set[Outcome]:
    rules = bot.tree.rules
    return {end for end in bot.possible_outcomes(node) if goal in rules.goals_true(end)[seat]}


def _answers(
    bot: RoundBot, cursor: Cursor, seat: Seat, goal: Goal, belief: Belief, squares: tuple[int, ...]
) -> dict[int, bool]:
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
            if not wanted:  # the answer serves no goal, but an opponent who can no longer score loses nothing by it
                wanted = [theirs for theirs in Goal if not _ways(bot, node, other, theirs)]
            after = _ways(bot, cursor.node, seat, goal)
            if sum(belief[theirs] for theirs in wanted) > _WANTED_PROBABILITY and (not before or after < before):
                found[answer] = found.get(answer, False) or bool(before and not after and cursor.outcome is None)
            cursor.undo()
        cursor.undo()
    return found


def accuracy_of(cost: float, worst: float) -> float | None:
    """100 x (1 - its cost / the worst move's cost); None where all moves cost nothing.

    >>> accuracy_of(0.02, 0.08), accuracy_of(0.0, 0.0)
    (75.0, None)
    """
    return 100.0 * (1.0 - cost / worst) if worst > 0.0 else None


def mean_accuracy(accuracies: Iterable[float | None]) -> float | None:
    """The mean of the accuracies that are not None; None if there are none."""
    known = [one for one in accuracies if one is not None]
    return sum(known) / len(known) if known else None


class MoveCost(NamedTuple):
    number: int
    """The number of the move in the round, from 1."""
    square: int
    """The square that was marked, 1 to 9."""
    cost: float
    """The cost of the move, in payoff."""
    accuracy: float | None
    """The accuracy, as in `accuracy_of`."""
    best: tuple[int, ...]
    """The squares that cost nothing."""
    advice: Advice
    """The advice about the move."""
    missed_row: bool
    """Whether the player wants to win and every best square, but not this one, completes a row."""
    betrays: bool
    """Whether the move reveals clearly more of the player's goal than every best one, unless it also lets the opponent
    complete a row at once, which is the better reason."""
    off_equilibrium: bool
    """Whether the function `off_equilibrium` is true before the move."""


def review(bot: RoundBot, moves: tuple[int, ...], seat: Seat, goal: Goal, *, given: int = 0) -> list[MoveCost]:
    """The cost of each move of the player in `seat` while the outcome was open.

    given: the number of moves that the round began with.

    >>> from tictactoe import open_saved
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
            worst = max((move.cost for move in advice), default=0.0)
            for played in (move for move in advice if square in move.squares):
                missed = row and played not in best
                after = cursor.board.play(square)
                betrays = all(played.tells > move.tells + _TELLING for move in best) and not any(
                    _completes_row(after, answer) for answer in after.free_squares
                )
                accuracy = accuracy_of(played.cost, worst)
                told = MoveCost(number, square, played.cost, accuracy, squares, played, missed, betrays, off)
                result.append(told)
        cursor.play(square)
    return result


class Mistake(NamedTuple):
    """A move that cost something."""

    played: Round
    """The round that has the move."""
    move: MoveCost
    goal: Goal
    """The goal of the player who made the mistake."""
    position: Position
    """The position before the move, without the goal that the player did not see."""


def mistakes(
    rounds: Sequence[tuple[Round, RoundBot]], player: int, solved_score: Callable[[Score], Score], *, given: int = 0
) -> list[Mistake]:
    """The moves of `player` that cost something, worst first.

    rounds: the rounds, each with the bot that judges it.
    solved_score: a function from a round's score to the solution's score.
    given: as in `review`.
    """
    result = []
    for played, bot in rounds:
        seat, goal = played.seat(player), played.goals[player]
        for move in review(bot, played.cursor.moves, seat, goal, given=given):
            if move.cost:
                position = played.position(1 - player, move.number, solved_score(played.score))
                result.append(Mistake(played, move, goal, position))
    return sorted(result, key=lambda mistake: -mistake.move.cost)
