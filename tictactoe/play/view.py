"""What is known of a position at a saved iteration, as data: values, regrets, strategies, beliefs, likely play.

Seats are X, who moves first, and O. Expected values are to X. Counterfactual values follow Zinkevich et al. 2007: the
counterfactual probability of a node for a player is the chance of both goals (1/9 if they are even) times the
opponent's probabilities on the way there; the regret of a move is that times what the mover would gain by always making
it.

A goal may be unknown. Then every number that depends on it is an average over that player's goals, each weighed by what
the moves have told about it, or as it was drawn where they fit no goal.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import lru_cache
from typing import Any

import numpy as np

from ..algorithms.arrays import FloatArray
from ..games.board import lines_of
from ..games.cursor import Cursor
from ..games.goals import Goal, Seat
from ..games.rules import Outcome, Rules
from ..games.tic_tac_toe import goal_prior
from ..games.tic_tac_toe_tree import GameTree
from ..match.percentages import win_percentage
from ..match.scores import Score
from ..storage.open_saved import SavedRound
from .beliefs import Belief, beliefs, own_reach_of
from .bot import RoundBot
from .goal_grid import GoalRow, goal_rows
from .notation import Position

Goals = tuple[Goal | None, Goal | None]
_ROUNDING = 1e-6
"""Probabilities that differ by less are equally likely; the page reads them from 32 bits, and shows the same line."""
Weights = tuple[Belief, Belief]


@dataclass(frozen=True)
class Move:
    """A move from a position: the squares that are the same move by symmetry, which share its probability.

    expected_value: to X, after the move. regret: of this pair of goals; information_set_regret: summed over the goals
    that the opponent may have; total_regret: what the solver has accumulated of those, None where the file has not kept
    it; all three to the mover.
    current, average: the mover's strategies for its goal. best_response: whether the saved best response of the mover
    makes this move, None where none is saved or the mover's goal is unknown. forced_outcome: the outcome that is
    certain after it, if any.
    """

    squares: tuple[int, ...]
    expected_value: float
    regret: float
    information_set_regret: float
    total_regret: float | None
    current: float
    average: float
    best_response: bool | None
    forced_outcome: Outcome | None


@dataclass(frozen=True)
class Line:
    """The likeliest continuation: real squares, how likely all of it is for these goals, how the round then ends.

    For an unknown goal, the probabilities of a player who draws one by its weights, and they change with every move.
    """

    squares: tuple[int, ...]
    probability: float
    outcome: Outcome


@dataclass(frozen=True)
class ResponseView:
    """What the saved best responses get, to the responder, X first.

    answers: average or current, the strategy that they answer. values: from the position on, when the goals are those
    that are looked at. round_values: of the whole round, over all goals.
    """

    answers: str
    values: tuple[float, float]
    round_values: tuple[float, float]


@dataclass(frozen=True)
class View:
    """Everything that is known of a position, under the keys that `explore --json` prints. Pairs are of X and of O.

    rules: as text in JSON. lines: the squares of each three in a row that a player has. score: None for a round on its
    own; expected values are match values, there they are points. strategy: average or current, of which expected
    values, regrets, reach, beliefs and line are. first_mover_wins_percent: of matches. history_probability: of a
    history that is the same by symmetry, over all goals; for_goals: for these goals, over all goals of a player whose
    goal is unknown. beliefs: by goal, what an observer who knows the strategies thinks; None for a player who would
    never play so. weights: by goal, what the numbers take for granted: 1 for a known goal, else the beliefs, or the
    odds of the goals. mover_value: to the player whose turn it is, over what is believed of both goals, whatever is
    known of them; mover_wins_percent: of matches. rows: the same for each goal that the mover may have, see
    `goal_rows`. best_response_problem: why the one on the disk cannot be used. choices is empty where the outcome is
    certain.
    """

    position: str
    rules: Rules
    score: Score | None
    winning_score: int | None
    goals: Goals
    moves: tuple[int, ...]
    lines: tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]
    iteration: int
    strategy: str
    to_move: Seat | None
    outcome: Outcome | None
    forced_outcome: Outcome | None
    expected_value: float
    first_mover_wins_percent: float | None
    counterfactual_probability: tuple[float, float]
    parent_counterfactual_probability: tuple[float, float] | None
    history_probability: float
    history_probability_for_goals: float
    beliefs: tuple[Belief | None, Belief | None]
    weights: Weights
    mover_value: float | None
    mover_wins_percent: float | None
    rows: tuple[GoalRow, ...]
    most_likely_line: Line | None
    best_response: ResponseView | None
    best_response_problem: str | None
    choices: tuple[Move, ...]

    def as_dict(self) -> Any:
        """As --json prints it."""
        return _plain(self)


def _plain(item: Any) -> Any:
    if isinstance(item, Enum):
        return item.name.lower()
    if isinstance(item, Rules):
        return str(item)
    if is_dataclass(item):
        return {field.name: _plain(getattr(item, field.name)) for field in fields(item)}
    return [_plain(part) for part in item] if isinstance(item, tuple) else item


@lru_cache(maxsize=2)
def _bot_of(saved: SavedRound, average: bool) -> RoundBot:
    """Kept from screen to screen: its values take a walk through the whole tree."""
    return RoundBot(saved.tree, saved.strategy(average), saved.snapshot.outcome_values)


def view(saved: SavedRound, cursor: Cursor, goals: Goals, average: bool = True) -> View:
    """What `saved` knows of the position of `cursor` when X and O have these goals.

    >>> from tictactoe.storage.open_saved import open_saved
    >>> rounds = open_saved()
    >>> seen = view(rounds.load(Score(4, 4)), Cursor(rounds.tree, (5, 1)), (Goal.WIN, None))
    >>> print(seen.position, seen.to_move.name, [move.squares for move in seen.choices])
    4-4 w? 51 FIRST [(2, 4), (3, 7), (6, 8), (9,)]
    """
    tree, node, rules = saved.tree, cursor.node, saved.tree.rules
    bot = _bot_of(saved, average)
    strategy = bot.strategy
    in_match = saved.snapshot.score is not None
    believed = beliefs(tree, strategy, node)
    weights = _weights(rules, goals, believed)
    expected_value = _mean(bot.expected[node], weights)
    reach = own_reach_of(tree, strategy, node)
    before = own_reach_of(tree, strategy, int(tree.parent[node]))
    seat = cursor.mover
    rows = () if seat is None else goal_rows(bot, cursor, believed[1 - seat], in_match)
    mover_value = None
    if seat is not None:
        mine = believed[seat] or rules.goal_probabilities
        mover_value = sum(b * row.value for b, row in zip(mine, rows, strict=True))
    return View(
        position=str(Position(saved.score, goals, cursor.moves)),
        rules=rules,
        score=saved.score if in_match else None,
        winning_score=saved.snapshot.winning_score,
        goals=goals,
        moves=cursor.moves,
        lines=(lines_of(cursor.board.first), lines_of(cursor.board.second)),
        iteration=saved.iteration,
        strategy="average" if average else "current",
        to_move=seat,
        outcome=cursor.outcome,
        forced_outcome=cursor.forced_outcome,
        expected_value=expected_value,
        first_mover_wins_percent=win_percentage(expected_value) if in_match else None,
        counterfactual_probability=_counterfactual(rules, reach, weights),
        parent_counterfactual_probability=None if node == 0 else _counterfactual(rules, before, weights),
        history_probability=_likelihood(rules, reach[0], None) * _likelihood(rules, reach[1], None),
        history_probability_for_goals=_likelihood(rules, reach[0], goals[0]) * _likelihood(rules, reach[1], goals[1]),
        beliefs=believed,
        weights=weights,
        mover_value=mover_value,
        mover_wins_percent=win_percentage(mover_value) if in_match and mover_value is not None else None,
        rows=rows,
        most_likely_line=None if cursor.forced_outcome is not None else _line(tree, strategy, cursor, weights),
        best_response=_best_response(saved, node, weights),
        best_response_problem=saved.response_problem,
        choices=_choices(saved, bot, cursor, goals, weights),
    )


def _weights(rules: Rules, goals: Goals, believed: tuple[Belief | None, Belief | None]) -> Weights:
    first, second = (
        (belief or rules.goal_probabilities) if goal is None else tuple(float(goal is one) for one in Goal)
        for goal, belief in zip(goals, believed, strict=True)
    )
    return first, second


def _mean(by_goals: FloatArray, weights: Weights) -> float:
    """Of float64 (3, 3), by X's goal and O's."""
    return float(np.array(weights[0]) @ by_goals @ np.array(weights[1]))


def _likelihood(rules: Rules, own: FloatArray, goal: Goal | None) -> float:
    """Of a player's moves, by float64 (3,), its own probabilities of them for each of its goals."""
    return float(np.average(own, weights=rules.goal_odds) if goal is None else own[goal])


def _counterfactual(rules: Rules, reach: FloatArray, weights: Weights) -> tuple[float, float]:
    """For X and for O: the chance of the goals times the other player's probabilities."""
    prior, (first, second) = goal_prior(rules), map(np.array, weights)
    return float(first @ prior @ (reach[1] * second)), float(second @ prior @ (reach[0] * first))


def _best_response(saved: SavedRound, node: int, weights: Weights) -> ResponseView | None:
    if saved.response is None or saved.response_values is None:
        return None
    first, second = (_mean(values[node], weights) for values in saved.response_values)
    return ResponseView("average" if saved.response.average else "current", (first, second), saved.response.values)


def _line(tree: GameTree, strategy: FloatArray, cursor: Cursor, weights: Weights) -> Line:
    """What follows when both players play their likeliest move each time, the first of equally likely ones."""
    walk, probability = Cursor(tree, cursor.moves), 1.0
    goals = [np.array(own) for own in weights]  # of each player, how likely, given the moves of the line
    while walk.forced_outcome is None:
        moves, owner = walk.squares_by_child(), int(tree.owner[walk.node])
        mine = strategy[list(moves)] @ goals[owner]
        likeliest = int(np.argmax(mine > mine.max() - _ROUNDING))
        probability *= float(mine[likeliest])
        goals[owner] = strategy[list(moves)[likeliest]] * goals[owner] / mine[likeliest]
        walk.play(list(moves.values())[likeliest][0])
    return Line(walk.moves[len(cursor.moves) :], probability, walk.forced_outcome)


def _choices(saved: SavedRound, bot: RoundBot, cursor: Cursor, goals: Goals, weights: Weights) -> tuple[Move, ...]:
    tree, node, values = saved.tree, cursor.node, bot.expected
    mover = len(cursor.moves) % 2
    goal, sign = goals[mover], 1.0 - 2.0 * mover
    mine, opponents = (np.array(weights[player]) for player in (mover, 1 - mover))
    opponents_reach = goal_prior(tree.rules) * own_reach_of(tree, bot.strategy, node)[1 - mover]
    answer = saved.response.strategy if saved.response is not None and goal is not None else None
    result = []
    for child, squares in cursor.squares_by_child().items():
        gain = sign * (values[child] - values[node])
        regrets = (gain if mover == 0 else gain.T) * opponents_reach  # by the mover's goal and the opponent's
        result.append(
            Move(
                squares=squares,
                expected_value=_mean(values[child], weights),
                regret=float(mine @ regrets @ opponents),
                information_set_regret=float(mine @ regrets.sum(axis=1)),
                total_regret=float(saved.snapshot.regrets[child] @ mine) if saved.has_regrets else None,
                current=float(saved.snapshot.current_strategy[child] @ mine),
                average=float(saved.average_strategy[child] @ mine),
                best_response=None if answer is None else bool(answer[child, goal]),
                forced_outcome=tree.outcome(child),
            )
        )
    return tuple(sorted(result, key=lambda move: move.squares))
