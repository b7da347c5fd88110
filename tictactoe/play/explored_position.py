"""A position at a saved iteration, as data and in words.

Seats are X, who moves first, and O. Expected values are to X, in payoff. Counterfactual values
follow Zinkevich et al. 2007. An unknown goal is weighed over all goals by `View.weights`.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import lru_cache
from typing import Any

import numpy as np

from ..algorithms.arrays import FloatArray
from ..games.board import Board, final_lines, lines_of
from ..games.cursor import Cursor
from ..games.payoffs import goal_prior
from ..games.rules import Goal, Outcome, Rules, Seat, goal_name
from ..games.tic_tac_toe_tree import GameTree
from ..match.percentages import percentage_points, win_percentage
from ..match.scores import Score
from ..storage.open_saved import SavedRound
from .bot import Belief, RoundBot, saved_bot
from .move_costs import advise
from .notation import Position

Goals = tuple[Goal | None, Goal | None]
_EQUALLY_LIKELY = 1e-6
"""Probabilities that differ by less count as equal. The page reads 32-bit floats and must show the same line."""
Weights = tuple[Belief, Belief]


@dataclass(frozen=True)
class Move:
    """A move from a position, for the goals of the view. Regrets are to the mover."""

    squares: tuple[int, ...]
    """The symmetric squares, 1 to 9, of the move. They share its probability evenly."""
    expected_value: float
    """The expected value to X after the move."""
    regret: float
    """The regret for this pair of goals."""
    information_set_regret: float
    """The sum of the regrets over the goals that the opponent may have."""
    total_regret: float | None
    """The regret that the solver has accumulated over iterations; None if the file does not have it."""
    current: float
    """The probability of the move in the mover's current strategy."""
    average: float
    """The probability of the move in the mover's average strategy."""
    best_response: bool | None
    """Whether the mover's saved best response makes this move; None if none is saved or the mover's goal is unknown."""
    forced_outcome: Outcome | None
    """The certain outcome of the round after the move; None while the outcome is open."""


@dataclass(frozen=True)
class Line:
    """The likeliest continuation of a position."""

    squares: tuple[int, ...]
    """The squares, 1 to 9, up to the move that decides the round."""
    probability: float
    """The probability of all these moves together, for the goals of the view."""
    outcome: Outcome
    """The outcome of the round after these moves."""


@dataclass(frozen=True)
class ResponseView:
    """The values of the saved best responses of X and of O, each to the best responder."""

    answers: str
    """The strategy that they respond to: average or current."""
    values: tuple[float, float]
    """The values from the position on, for the goals of the view."""
    round_values: tuple[float, float]
    """The values of the whole round, over all goals."""


@dataclass(frozen=True)
class View:
    """Everything that is known about a position. The fields are the keys of its JSON. Pairs are for X and O."""

    position: str
    """The position, as text that `Position` reads."""
    rules: Rules
    """The rules of the round; in JSON, their text."""
    score: Score | None
    """The points of X and of O; None for a round on its own."""
    winning_score: int | None
    """Points that win the match; None for a round on its own."""
    goals: Goals
    """The goals of X and of O; None for an unknown goal."""
    moves: tuple[int, ...]
    """The squares played so far, 1 to 9."""
    lines: tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]
    """The three in a row of X and of O, as squares."""
    iteration: int
    strategy: str
    """The strategy, average or current, that the values, regrets, reach, beliefs and the likely line belong to."""
    to_move: Seat | None
    """The seat of the player to move; None when the round is over."""
    outcome: Outcome | None
    """The outcome of the round; None while moves are left."""
    forced_outcome: Outcome | None
    """The certain outcome of the round; None while the outcome is open."""
    expected_value: float
    """The value to X, for the goals of the view."""
    first_mover_wins_percent: float | None
    """The percentage of matches that X wins with `expected_value`; None for a round on its own."""
    counterfactual_probability: tuple[float, float]
    """The probability of both goals times the opponent's probabilities on the way here."""
    parent_counterfactual_probability: tuple[float, float] | None
    """The counterfactual probability one move earlier; None before the first move."""
    history_probability: float
    """The probability of these moves or symmetric ones, over all goals."""
    history_probability_for_goals: float
    """The probability of these moves or symmetric ones, for the goals of the view."""
    beliefs: tuple[Belief | None, Belief | None]
    """The probability of each goal to an observer who knows the strategies. None if the solution is not refined and no
    goal of the player leads here."""
    weights: Weights
    """The weight of each goal in the numbers above: 1 for a known goal, otherwise the belief."""
    mover_value: float | None
    """The value to the player to move, averaged over both players' goals by the beliefs, even if goals are known."""
    mover_wins_percent: float | None
    """The percentage of matches that the player to move wins with `mover_value`; None for a round on its own."""
    rows: tuple[GoalRow, ...]
    """For each goal that the mover may have, the value and the moves."""
    most_likely_line: Line | None
    """The likeliest continuation; None once the outcome is certain."""
    best_response: ResponseView | None
    """The saved best responses; None if there are none that can be used."""
    best_response_problem: str | None
    """The reason why the saved best response cannot be used; None if there is none."""
    choices: tuple[Move, ...]
    """The moves, ordered by their lowest square; empty once the outcome is certain."""

    def as_dict(self) -> Any:
        return plain(self)


def plain(item: Any) -> Any:
    """Turn dataclasses, enumerations, rules and tuples into what JSON can hold."""
    if isinstance(item, Enum):
        return item.name.lower()
    if isinstance(item, Rules):
        return str(item)
    if is_dataclass(item):
        return {field.name: plain(getattr(item, field.name)) for field in fields(item)}
    return [plain(part) for part in item] if isinstance(item, tuple) else item


@lru_cache(maxsize=2)
def _bot_of(saved: SavedRound, average: bool) -> RoundBot:
    return saved_bot(saved, average)


def view(
    saved: SavedRound, cursor: Cursor, goals: Goals, average: bool = True, responder: RoundBot | None = None
) -> View:
    """The view of the cursor's position in `saved` when X and O have these goals.

    average: whether to show the average strategy, not the current one.
    responder: a best responder, to show its play and that of its opponent instead.

    >>> from tictactoe.storage.open_saved import open_saved
    >>> rounds = open_saved()
    >>> seen = view(rounds.load(Score(4, 4)), Cursor(rounds.tree, (5, 1)), (Goal.WIN, None))
    >>> print(seen.position, seen.to_move.name, [move.squares for move in seen.choices])
    4-4 w? 51 FIRST [(2, 4), (3, 7), (6, 8), (9,)]
    """
    tree, node, rules = saved.tree, cursor.node, saved.tree.rules
    bot = _bot_of(saved, average) if responder is None else responder
    strategy = bot.strategy
    in_match = saved.snapshot.score is not None
    likely = bot.belief(node, Seat.FIRST), bot.belief(node, Seat.SECOND)
    first, second = (None if bot.is_lost(node, seat) else likely[seat] for seat in Seat)
    weights = _weights(goals, likely)
    expected_value = _mean(bot.expected[node], weights)
    reach = tree.own_reach_at(node, strategy)
    before = tree.own_reach_at(int(tree.parent[node]), strategy)
    seat = cursor.mover
    rows = () if seat is None else goal_rows(bot, cursor, in_match)
    mover_value = None
    if seat is not None:
        mover_value = sum(b * row.value for b, row in zip(likely[seat], rows, strict=True))
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
        beliefs=(first, second),
        weights=weights,
        mover_value=mover_value,
        mover_wins_percent=win_percentage(mover_value) if in_match and mover_value is not None else None,
        rows=rows,
        most_likely_line=None if cursor.forced_outcome is not None else _line(tree, strategy, cursor, weights),
        best_response=_best_response(saved, node, weights),
        best_response_problem=saved.response_problem,
        choices=_choices(saved, bot, saved.average_strategy if responder is None else strategy, cursor, goals, weights),
    )


def _weights(goals: Goals, likely: tuple[Belief, Belief]) -> Weights:
    first, second = (
        belief if goal is None else tuple(float(goal is one) for one in Goal)
        for goal, belief in zip(goals, likely, strict=True)
    )
    return first, second


def _mean(by_goals: FloatArray, weights: Weights) -> float:
    return float(np.array(weights[0]) @ by_goals @ np.array(weights[1]))


def _likelihood(rules: Rules, own: FloatArray, goal: Goal | None) -> float:
    return float(np.average(own, weights=rules.goal_odds) if goal is None else own[goal])


def _counterfactual(rules: Rules, reach: FloatArray, weights: Weights) -> tuple[float, float]:
    prior, (first, second) = goal_prior(rules), map(np.array, weights)
    return float(first @ prior @ (reach[1] * second)), float(second @ prior @ (reach[0] * first))


def _best_response(saved: SavedRound, node: int, weights: Weights) -> ResponseView | None:
    if saved.response is None or saved.response_values is None:
        return None
    first, second = (_mean(values[node], weights) for values in saved.response_values)
    return ResponseView("average" if saved.response.average else "current", (first, second), saved.response.values)


def _line(tree: GameTree, strategy: FloatArray, cursor: Cursor, weights: Weights) -> Line:
    walk, probability = Cursor(tree, cursor.moves), 1.0
    goals = [np.array(own) for own in weights]  # the probability of each goal, by player, given the moves of the line
    while walk.forced_outcome is None:
        moves, owner = walk.squares_by_child(), int(tree.owner[walk.node])
        mine = strategy[list(moves)] @ goals[owner]
        likeliest = int(np.argmax(mine > mine.max() - _EQUALLY_LIKELY))
        probability *= float(mine[likeliest])
        goals[owner] = strategy[list(moves)[likeliest]] * goals[owner] / mine[likeliest]
        walk.play(list(moves.values())[likeliest][0])
    return Line(walk.moves[len(cursor.moves) :], probability, walk.forced_outcome)


def _choices(
    saved: SavedRound, bot: RoundBot, average: FloatArray, cursor: Cursor, goals: Goals, weights: Weights
) -> tuple[Move, ...]:
    tree, node, values = saved.tree, cursor.node, bot.expected
    mover = len(cursor.moves) % 2
    goal, sign = goals[mover], 1.0 - 2.0 * mover
    mine, opponents = (np.array(weights[player]) for player in (mover, 1 - mover))
    opponents_reach = goal_prior(tree.rules) * tree.own_reach_at(node, bot.strategy)[1 - mover]
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
                average=float(average[child] @ mine),
                best_response=None if answer is None else bool(answer[child, goal]),
                forced_outcome=tree.outcome(child),
            )
        )
    return tuple(sorted(result, key=lambda move: move.squares))


@dataclass(frozen=True)
class Cell:
    """A move for one goal of the mover, with the numbers of `Advice`."""

    squares: tuple[int, ...]
    """The symmetric squares, 1 to 9, of the move."""
    probability: float
    """The probability of the move, over all its squares."""
    value: float
    """The value to a mover who plays best afterwards, in payoff."""
    cost: float
    """The value of the best move minus the value of this one."""
    cost_percent: float | None
    """The cost in points of winning chance; None for a round on its own."""


@dataclass(frozen=True)
class GoalRow:
    goal: Goal
    value: float
    """The value of the position to a mover who plays best, in payoff."""
    wins_percent: float | None
    """The percentage of matches that the mover wins with `value`; None for a round on its own."""
    moves: tuple[Cell, ...]
    """The moves, ordered by their lowest square; empty once the outcome is certain."""


def goal_rows(bot: RoundBot, cursor: Cursor, in_match: bool) -> tuple[GoalRow, ...]:
    """The rows for winning, losing and tying; none when the round is over. in_match: whether values have percentages.

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


MARKS = ("X", "O")
"""The marks of the first and of the second mover."""


def turn_text(view: View) -> str:
    """A text that says whose turn it is and both goals or, once the end is certain, the end and who scores."""
    seat = int(view.to_move or 0)
    mover, other, mine, others = MARKS[seat], MARKS[1 - seat], view.goals[seat], view.goals[1 - seat]
    if view.outcome is not None:
        return f"The round is over: {_happened(view, view.outcome)}. {_points(view, view.outcome)}"
    if (end := view.forced_outcome) is not None:
        return f"{mover} moves next, but the end is certain: {_happened(view, end)}. {_points(view, end)}"
    lines = ", ".join(f"{own} in a row" for own in _lines_text(view.lines, "has "))
    so_far = f"{lines}; the round goes on. " if lines else ""
    if mine is None and others is None:
        return f"{so_far}{mover} moves next. The goals are unknown."
    wants = ", its goal unknown" if mine is None else f" and wants to {mine.name}"
    theirs = "has an unknown goal" if others is None else f"wants to {others.name}"
    return f"{so_far}{mover} moves next{wants}; {other} {theirs}."


def _happened(view: View, outcome: Outcome) -> str:
    lines = ", ".join(_lines_text(view.lines))
    happened, tie = view.rules.of_round.happened[outcome], ""
    if outcome is Outcome.TIE and not view.rules.of_round.ends_with_line:  # both have three in a row, or nobody
        ends = final_lines(functools.reduce(Board.play, view.moves, Board()))
        if ends == {(True, True)}:
            happened, tie = "both have three in a row", ", which is a tie"
        elif ends == {(False, False)}:
            happened = "nobody has three in a row"
    so_far = "" if view.outcome is not None else "so far "
    return f"{happened}{f' ({so_far}{lines})' if lines else ''}{tie}"


def _points(view: View, outcome: Outcome) -> str:
    goals_true, said = view.rules.goals_true(outcome), []
    for name, known, fitting in zip(MARKS, view.goals, goals_true, strict=True):
        if not fitting:
            said.append(f"{name} does not score, whatever it wants")
        elif known is None:
            wanted = " or ".join(f"to {goal.name}" for goal in sorted(fitting))
            said.append(f"{name} scores if it wants {wanted}")
        else:
            said.append(f"{name} wants to {known.name} and {'scores' if known in fitting else 'does not score'}")
    return f"{said[0]}; {said[1]}." if any(goals_true) else "Nobody scores, whatever they want."


def never_drawn(rules: Rules) -> str:
    """A sentence about goals with odds of 0, if there are any."""
    names = [goal_name(goal).upper() for goal in Goal if not rules.goal_odds[goal]]
    return f"Nobody draws {' or '.join(names)}: the bot may play badly with that goal." if names else ""


def _lines_text(lines: Sequence[Sequence[Sequence[int]]], has: str = "") -> list[str]:
    squares = (" and ".join(" ".join(map(str, line)) for line in own) for own in lines)
    return [f"{seat} {has}{own}" for seat, own in zip(MARKS, squares, strict=True) if own]


def rules_text(rules: Rules) -> str:
    """The name of the rules and, if they are uneven, the odds."""
    return f"Rules: {rules.name}{'' if rules.has_even_odds else f', goals win:lose:tie {rules.odds_text}'}"


def untold_text(rules: Rules) -> str:
    """A phrase for the weights of goals without any evidence."""
    return "each goal counts the same" if rules.has_even_odds else "each goal counts as often as it is drawn"
