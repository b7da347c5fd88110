"""The details of explore, for people who study the solver: values, probabilities, best responses, regrets."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tictactoe.games.rules import goal_name
from tictactoe.play.explored_position import MARKS, View

from .explore_text import Look, joined


def details(view: View, saved: str, look: Look) -> list[str]:
    """The details, in lines that fit the window. saved: the saved iterations in words."""
    numbers, goals = look.numbers, list(zip(MARKS, view.goals, strict=True))

    def pair(values: Iterable[float], written: Callable[[float], str]) -> str:
        return " ".join(f"{seat} {written(value)}" for seat, value in zip(MARKS, values, strict=True))

    unit = "1: X surely wins the match, -1: O does" if view.score is not None else "points that X gets ahead"
    before = view.parent_counterfactual_probability
    earlier = "" if before is None else f"; one move earlier {pair(before, numbers.small)}"
    given = ", ".join(f"{seat} {goal_name(goal)}" for seat, goal in goals if goal is not None)
    weighed = ", ".join(f"{seat} {'weighed' if goal is None else goal_name(goal)}" for seat, goal in goals)
    for_goals = f"for {weighed}" if given else "with the goals weighed"
    texts = [
        iteration_line(view, saved),
        f"Value to X {for_goals}: {numbers.value(view.expected_value)} ({unit})",
        f"Counterfactual probability {pair(view.counterfactual_probability, numbers.small)}{earlier}",
        f"These moves happen: {numbers.small(view.history_probability)} over all goals"
        + (f", {numbers.small(view.history_probability_for_goals)} for {given}" if given else ""),
    ]
    response = view.best_response
    if view.best_response_problem is not None:
        texts.append(f"Best response: damaged: {view.best_response_problem}")
    elif response is not None:
        texts.append(
            f"Best response to the {response.answers} strategy: {pair(response.values, numbers.value)} from here "
            f"{for_goals}; {pair(response.round_values, numbers.value)} in the whole round"
        )
        if given:
            texts.append(
                "  That is what the best responder in that seat gets when the goals happen to be these. It does not "
                "see the other's goal and plays for all of them at once; with these it may lose what it gains with "
                "others."
            )
    return [*look.wrapped(*texts), *(["", *_table(view, look)] if view.choices and look.table else [])]


def iteration_line(view: View, saved: str) -> str:
    which = "average strategy" if view.strategy == "average" else "CURRENT strategy"
    return f"Iteration {view.iteration}{f' ({saved})' if saved else ''}, {which}"


def _table(view: View, look: Look) -> list[str]:
    """A table with a row per move. A column with the same text for all moves becomes part of a sentence below it. So
    does the column of the current strategy if it equals the average one."""
    moves, numbers, briefly = view.choices, look.numbers, view.rules.of_round.briefly
    ends = [move.forced_outcome for move in moves]
    columns = [
        ("value", "to X", [numbers.value(move.expected_value) for move in moves]),
        ("prob.", "average", [numbers.probability(move.average) for move in moves]),
        ("prob.", "current", [numbers.probability(move.current) for move in moves]),
        ("best", "resp.", ["yes" if move.best_response else "-" for move in moves]),
        ("certain", "end", ["" if end is None else briefly[end] for end in ends]),
        ("regret", "of goals", [numbers.small(move.regret) for move in moves]),
        ("regret", "info set", [numbers.small(move.information_set_regret) for move in moves]),
        ("regret", "total", [numbers.small(move.total_regret or 0.0) for move in moves]),
    ]
    absent = {
        "resp.": all(move.best_response is None for move in moves),
        "end": all(end is None for end in ends),
        "total": all(move.total_regret is None for move in moves),
    }
    first = ["", f"{MARKS[int(view.to_move or 0)]} plays", *(" ".join(map(str, move.squares)) for move in moves)]
    blocks, below = [[first]], []
    for top, bottom, cells in columns:
        if bottom == "current" and all(abs(move.average - move.current) <= 1e-12 for move in moves):
            below.append("current strategy as average")
        elif len(set(cells)) == 1 and len(cells) > 1 and not absent.get(bottom):
            below.append(f"{top} {bottom} {cells[0]}")
        elif not absent.get(bottom):
            column = [top, bottom, *cells]
            used = sum(max(map(len, one)) + 1 for one in blocks[-1])
            if used + max(map(len, column)) > look.window.columns:
                blocks.append([first])
            blocks[-1].append(column)
    lines = [
        look.paint.styled(row) if index < 2 else row for block in blocks for index, row in enumerate(joined(block, 1))
    ]
    return [*lines, *(look.wrapped(f"The same for all moves: {', '.join(below)}.") if below else [])]
