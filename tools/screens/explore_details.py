"""The details of explore, for people who study the solver: values, probabilities, best responses, regrets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from tictactoe.games.goals import goal_name
from tictactoe.games.rules import Outcome
from tictactoe.play.view import Move, View

from .explore_text import MARKS, Numbers, Paint, joined, wrapped


def details(view: View, saved: str, numbers: Numbers, table: bool, columns: int, paint: Paint) -> list[str]:
    """The details, in lines of at most `columns`. saved: the saved iterations in words. table: whether to add the table
    of moves."""

    def pair(values: tuple[float, float], written: Callable[[float], str]) -> str:
        return " ".join(f"{seat} {written(value)}" for seat, value in zip(MARKS, values, strict=True))

    unit = "1: X surely wins the match, -1: O does" if view.score is not None else "points that X gets ahead"
    before = view.parent_counterfactual_probability
    earlier = "" if before is None else f"; one move earlier {pair(before, numbers.small)}"
    given = [f"{seat} {goal_name(goal)}" for seat, goal in zip(MARKS, view.goals, strict=True) if goal is not None]
    texts = [
        iteration_line(view, saved),
        f"Value to X {_for_goals(view)}: {numbers.value(view.expected_value)} ({unit})",
        f"Counterfactual probability {pair(view.counterfactual_probability, numbers.small)}{earlier}",
        f"These moves happen: {numbers.small(view.history_probability)} over all goals"
        + (f", {numbers.small(view.history_probability_for_goals)} for {', '.join(given)}" if given else ""),
    ]
    response = view.best_response
    if view.best_response_problem is not None:
        texts.append(f"Best response: damaged: {view.best_response_problem}")
    elif response is not None:
        texts.append(
            f"Best response to the {response.answers} strategy: {pair(response.values, numbers.value)} from here "
            f"{_for_goals(view)}; {pair(response.round_values, numbers.value)} in the whole round"
        )
        if view.goals != (None, None):
            texts.append(
                "  That is what a perfect player in that seat gets when the goals happen to be these. It does not see "
                "the other's goal and plays for all of them at once; with these it may lose what it gains with others."
            )
    lines = [line for text in texts for line in wrapped(text, columns, 2)]
    if view.choices and table:
        lines += ["", *_table(view, numbers, columns, paint)]
    return lines


def iteration_line(view: View, saved: str) -> str:
    which = "average strategy" if view.strategy == "average" else "CURRENT strategy"
    return f"Iteration {view.iteration}{f' ({saved})' if saved else ''}, {which}"


def _for_goals(view: View) -> str:
    named = [
        f"{seat} {'weighed' if goal is None else goal_name(goal)}" for seat, goal in zip(MARKS, view.goals, strict=True)
    ]
    return "with the goals weighed" if view.goals == (None, None) else f"for {', '.join(named)}"


def _table(view: View, numbers: Numbers, columns: int, paint: Paint) -> list[str]:
    """A table with a row per move. A column with the same text for all moves becomes part of a sentence below it. So
    does the column of the current strategy if it equals the average one."""
    moves = view.choices
    below: list[str] = []
    table: list[list[str]] = []

    def column(top: str, bottom: str, cell: Callable[[Move], str]) -> None:
        cells = [cell(move) for move in moves]
        if len(set(cells)) == 1 and len(cells) > 1:
            below.append(f"{top} {bottom} {cells[0]}")
        else:
            table.append([top, bottom, *cells])

    column("value", "to X", lambda move: numbers.value(move.expected_value))
    column("prob.", "average", lambda move: numbers.probability(move.average))
    if any(abs(move.average - move.current) > 1e-12 for move in moves):
        column("prob.", "current", lambda move: numbers.probability(move.current))
    else:
        below.append("current strategy as average")
    if any(move.best_response is not None for move in moves):
        column("best", "resp.", lambda move: "yes" if move.best_response else "-")
    if any(move.forced_outcome is not None for move in moves):
        column("certain", "end", partial(_end, briefly=view.rules.of_round.briefly))
    column("regret", "of goals", lambda move: numbers.small(move.regret))
    column("regret", "info set", lambda move: numbers.small(move.information_set_regret))
    if any(move.total_regret is not None for move in moves):
        column("regret", "total", lambda move: numbers.small(move.total_regret or 0.0))
    first = ["", f"{MARKS[int(view.to_move or 0)]} plays", *(" ".join(map(str, move.squares)) for move in moves)]
    blocks = [[first]]
    for cells in table:
        if sum(max(map(len, one)) + 1 for one in blocks[-1]) + max(map(len, cells)) > columns:
            blocks.append([first])
        blocks[-1].append(cells)
    lines = [paint.heading(row) if index < 2 else row for block in blocks for index, row in enumerate(joined(block, 1))]
    same = f"The same for all moves: {', '.join(below)}." if below else ""
    return [*lines, *(wrapped(same, columns, 2) if same else [])]


def _end(move: Move, briefly: Mapping[Outcome, str]) -> str:
    return "" if move.forced_outcome is None else briefly[move.forced_outcome]
