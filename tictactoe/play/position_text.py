"""A position in words: whose turn it is, how the round ends, who scores, and the rules."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from ..games.board import Board, final_lines
from ..games.goals import Goal, goal_name
from ..games.rules import Outcome, Rules
from .view import View

MARKS = ("X", "O")
"""Of the first and of the second mover."""


def turn_text(view: View) -> str:
    """Three in a row, whose turn it is and both goals; or, once the end is certain, the end and who scores."""
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
    """The ending in words, with the present lines of three in a row."""
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
    """Who scores and why, or, for an unknown goal, the goals that would score."""
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
    """A sentence about goals with odds of 0, "" if every goal can be drawn."""
    names = [goal_name(goal).upper() for goal in Goal if not rules.goal_odds[goal]]
    return f"Nobody draws {' or '.join(names)}: the bot may play badly for it." if names else ""


def _lines_text(lines: Sequence[Sequence[Sequence[int]]], has: str = "") -> list[str]:
    """For each player with three in a row, the mark and the squares: "X 1 5 9". has: a word between both."""
    squares = (" and ".join(" ".join(map(str, line)) for line in own) for own in lines)
    return [f"{seat} {has}{own}" for seat, own in zip(MARKS, squares, strict=True) if own]


def rules_text(rules: Rules) -> str:
    """The name of the rules and, if they are uneven, the odds of the goals."""
    return f"Rules: {rules.name}{'' if rules.has_even_odds else f', goals win:lose:tie {rules.odds_text}'}"


def untold_text(rules: Rules) -> str:
    """A phrase for the weights of goals about which the moves tell nothing."""
    return "each goal counts the same" if rules.has_even_odds else "each goal counts as it is drawn"
