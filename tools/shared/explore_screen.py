"""What explore draws: the board, what is known of the position, and the table of moves."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Callable

from tictactoe.games.end_rules import Outcome
from tictactoe.games.goals import Goal, scores
from tictactoe.play.view import Move, View

WIDTH = 80
"""Columns of the screen."""

SEATS = ("X", "O")


class Paint:
    """Colour where a terminal wants it."""

    def __init__(self) -> None:
        self.on = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "dumb") != "dumb"

    def _styled(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.on else text

    def heading(self, text: str) -> str:
        return self._styled(text, "1")

    def mark(self, seat: int, text: str) -> str:
        return self._styled(text, ("1;36", "1;33")[seat])

    def mistake(self, text: str) -> str:
        return self._styled(text, "31")


def screen(view: View, saved: str, precision: int, table: bool, paint: Paint) -> str:
    """Everything about a position, in lines of at most 80 columns.

    saved: what iterations there are, in words. precision: digits of numbers. table: whether it is wanted.
    """
    numbers = _Numbers(precision)
    board, width = _board(view, numbers, paint)
    facts = _values(view, numbers)
    lines = [*_header(view, saved, paint), ""]
    if width + 3 + max(map(len, facts)) <= WIDTH:
        lines += [f"{row}   {fact}".rstrip() for row, fact in zip(board, facts, strict=True)]
    else:
        lines += [*board, *filter(None, facts)]
    lines += _probabilities(view, numbers)
    if view.choices and table:
        lines += ["", *_table(view, numbers, paint)]
    return "\n".join(lines)


class _Numbers:
    """Numbers as text, to the chosen precision."""

    def __init__(self, precision: int) -> None:
        self._precision = precision

    def probability(self, number: float) -> str:
        return f"{number:.{self._precision}f}"

    def value(self, number: float) -> str:
        return f"{round(number, self._precision) + 0.0:+.{self._precision}f}"

    def percent(self, number: float) -> str:
        return f"{number:.{max(self._precision - 2, 0)}f} %"

    def small(self, number: float | None) -> str:
        return "not kept" if number is None else f"{number + 0.0:.{self._precision}g}"


def _header(view: View, saved: str, paint: Paint) -> list[str]:
    match = f"match to {view.winning_score}" if view.winning_score is not None else "a round on its own"
    goals = view.goals
    first, second = (
        f"{name} ({who}) {'wants' if view.to_move is not None else 'wanted'} to {goal.name}"
        for name, who, goal in zip(SEATS, ("moves first", "second"), goals, strict=True)
    )
    which = "average strategy" if view.strategy == "average" else "CURRENT strategy"
    if view.outcome is not None:
        turn = f"The round is over: {_outcome_text(view.outcome)}; {_points_text(view.outcome, goals)}."
    elif view.forced_outcome is not None:
        name, outcome = SEATS[int(view.to_move or 0)], view.forced_outcome
        turn = f"{name} moves, outcome forced: {_outcome_text(outcome)}; {_points_text(outcome, goals)}."
    else:
        seat = int(view.to_move or 0)
        shared = " (=: shared)" if any(len(move.squares) > 1 for move in view.choices) else ""
        turn = f"{SEATS[seat]} moves; the squares show its {which} for goal {goals[seat].name}{shared}"
    points = f" (points of X-O, {match})" if view.score is not None else f" ({match})"
    return [
        paint.heading(f"Position {view.position}") + points,
        f"Iteration {view.iteration} ({saved}), {which}",
        f"{first}; {second}",
        turn,
    ]


def _outcome_text(outcome: Outcome) -> str:
    return ("X makes three in a row", "O makes three in a row", "a tie")[int(outcome)]


def _points_text(outcome: Outcome, goals: tuple[Goal, Goal]) -> str:
    scoring = [name for name, point in zip(SEATS, scores(outcome, *goals), strict=True) if point]
    return {0: "nobody scores", 1: f"{scoring[0] if scoring else ''} scores", 2: "both score"}[len(scoring)]


def _board(view: View, numbers: _Numbers, paint: Paint) -> tuple[list[str], int]:
    """Three lines and their width: marks with move numbers, free squares with probabilities."""
    cells = {square: (f"[{square}]", -1) for square in range(1, 10)}
    for move in view.choices:
        probability = move.average if view.strategy == "average" else move.current
        for square in move.squares:
            text = f"[{square}] {numbers.probability(probability)}{'=' if len(move.squares) > 1 else ''}"
            cells[square] = (text, -1)
    for number, square in enumerate(view.moves):
        seat = number % 2
        cells[square] = (f"  {SEATS[seat]}{number + 1}", seat)
    width = max(len(text) for text, _ in cells.values())
    rows = []
    for start in (1, 4, 7):
        row = [(text.ljust(width), seat) for text, seat in (cells[square] for square in range(start, start + 3))]
        rows.append("  ".join(text if seat < 0 else paint.mark(seat, text) for text, seat in row))
    return rows, 3 * width + 4


def _values(view: View, numbers: _Numbers) -> list[str]:
    """Three lines."""
    wins = "" if view.first_mover_wins_percent is None else f": X wins {numbers.percent(view.first_mover_wins_percent)}"
    value = f"Value to X {numbers.value(view.expected_value)}{wins}"
    response = view.best_response
    if response is None:
        return [value, "Best response: " + ("none saved" if view.best_response_problem is None else "damaged"), ""]
    here = " ".join(f"{seat} {numbers.value(v)}" for seat, v in zip(SEATS, response.values, strict=True))
    whole = " ".join(f"{seat} {numbers.value(v)}" for seat, v in zip(SEATS, response.round_values, strict=True))
    suffix = "" if response.answers == "average" else " (to current)"
    return [value, f"Best response gets {here}{suffix}", f"  in the whole round {whole}"]


def _probabilities(view: View, numbers: _Numbers) -> list[str]:
    def pair(numbers_of: tuple[float, float] | None) -> str:
        if numbers_of is None:
            return "none"
        return " ".join(f"{seat} {numbers.small(number)}" for seat, number in zip(SEATS, numbers_of, strict=True))

    lines = [
        f"Counterfactual prob. {pair(view.counterfactual_probability)}; "
        f"parent's {pair(view.parent_counterfactual_probability)}",
        f"This history happens: {numbers.small(view.history_probability)} over all goals, "
        f"{numbers.small(view.history_probability_for_goals)} for these goals",
    ]
    for seat, belief in zip(SEATS, view.beliefs, strict=True):
        if belief is None:
            lines.append(f"Belief about {seat}'s goal: impossible, {seat} never plays so whatever its goal")
        else:
            named = zip(("win", "lose", "tie"), belief, strict=True)
            lines.append(f"Belief about {seat}'s goal: " + ", ".join(f"{n} {numbers.probability(b)}" for n, b in named))
    if view.most_likely_line is not None:
        squares = " ".join(map(str, view.most_likely_line.squares))
        lines.append(
            f"Likeliest line {squares} ({numbers.small(view.most_likely_line.probability)}), "
            f"then for sure {_outcome_text(view.most_likely_line.outcome)}"
        )
    if view.best_response_problem is not None:
        lines.append(f"Best response: {view.best_response_problem}")
    return [part for line in lines for part in wrapped(line).splitlines()]


def _table(view: View, numbers: _Numbers, paint: Paint) -> list[str]:
    """A row per move; in more than one block when the columns are too wide together."""
    moves = view.choices
    mover = SEATS[int(view.to_move or 0)]

    def column(top: str, bottom: str, cell: Callable[[Move], str]) -> list[str]:
        cells = [top, bottom, *(cell(move) for move in moves)]
        width = max(map(len, cells))
        return [text.rjust(width) for text in cells]

    def forced(move: Move) -> str:
        return "" if move.forced_outcome is None else ("X row", "O row", "tie")[int(move.forced_outcome)]

    squares = column("", mover + " plays", lambda move: " ".join(map(str, move.squares)))
    columns = [
        column("value", "to X", lambda move: numbers.value(move.expected_value)),
        column("prob.", "average", lambda move: numbers.probability(move.average)),
        column("prob.", "current", lambda move: numbers.probability(move.current)),
    ]
    if view.best_response is not None:
        columns.append(column("best", "resp.", lambda move: "yes" if move.best_response else "-"))
    if any(move.forced_outcome is not None for move in moves):
        columns.append(column("forced", "ending", forced))
    columns += [
        column("regret", "of goals", lambda move: numbers.small(move.regret)),
        column("regret", "info set", lambda move: numbers.small(move.information_set_regret)),
        column("regret", "total", lambda move: numbers.small(move.total_regret)),
    ]
    blocks = [[squares]]
    for cells in columns:
        if sum(len(c[0]) + 1 for c in blocks[-1]) + len(cells[0]) > WIDTH:
            blocks.append([squares])
        blocks[-1].append(cells)
    lines = []
    for block in blocks:
        rows = [" ".join(cells).rstrip() for cells in zip(*block, strict=True)]
        lines += [paint.heading(row) if index < 2 else row for index, row in enumerate(rows)]
    return lines


def wrapped(text: str) -> str:
    indent = " " * (len(text) - len(text.lstrip()) + 2)
    return "\n".join(textwrap.wrap(text, WIDTH - 1, subsequent_indent=indent, break_on_hyphens=False)) or text
