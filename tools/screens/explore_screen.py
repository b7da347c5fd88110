"""The main screen of explore: the board, the beliefs, and a grid of the mover's goals and moves."""

from __future__ import annotations

from tictactoe.games.goals import Goal
from tictactoe.games.rules import Outcome, Rules
from tictactoe.match.percentages import win_percentage
from tictactoe.play.view import View

from .explore_details import details, iteration_line
from .explore_text import (
    MARKS,
    Numbers,
    Paint,
    Window,
    goal_text,
    happened_text,
    joined,
    lines_text,
    never_drawn,
    rules_text,
    untold_text,
    wrapped,
)

_LEFT_OUT = (
    (),
    ("course",),
    ("course", "space"),
    ("course", "space", "legend"),
    ("course", "space", "legend", "any"),
    ("course", "space", "words"),
    ("course", "space", "words", "known"),
    ("course", "space", "words", "known", "caption"),
)
"""The parts that a low window goes without. The first entry that makes the screen fit is used."""
_ANY_EXPLAINED = "any: all goals, weighed by how likely each is."


class ExploreScreen:
    """A position, as lines that fit a window.

    saved: the saved iterations in words, "" for a single one. precision: digits of numbers. table: whether to show the
    grid and tables. show_details: whether to add the details for students of the solver. numpad: whether 7 8 9 are the
    squares at the top.
    """

    def __init__(
        self,
        view: View,
        saved: str,
        window: Window,
        precision: int,
        table: bool,
        show_details: bool,
        paint: Paint,
        *,
        numpad: bool = False,
    ) -> None:
        self._rows = (7, 4, 1) if numpad else (1, 4, 7)
        self._view, self._saved, self._window, self._paint = view, saved, window, paint
        self._numbers, self._table, self._details = Numbers(precision), table, show_details

    def lines(self) -> list[str]:
        """The lines in order of importance. Lines that do not fit go to a second page."""
        room = None if self._window.rows is None else self._window.rows - 1
        last = [] if room is None else ["", *wrapped(self._hint(), self._window.columns)]
        main: list[str] = []
        for without in _LEFT_OUT:
            main = self._main(without)
            lines = [*main, *(["", *self._own_details()] if self._details else []), *last]
            if "space" in without and room is not None:
                lines = _without_blanks(lines, len(lines) - room)
            if room is None or len(lines) <= room:
                return lines
        if self._details:  # one key shows the board and the grid again
            lines = [*self._header(), *self._own_details(), *last[1:]]
        return lines

    def _hint(self) -> str:
        return f"Type a square to play on, d {'grid' if self._details else 'details'}, ? help, q quit."

    def _own_details(self) -> list[str]:
        view, columns = self._view, self._window.columns
        return details(view, self._saved, self._numbers, self._table, columns, self._paint)

    def _main(self, without: tuple[str, ...]) -> list[str]:
        view, columns = self._view, self._window.columns
        iteration = bool(self._saved) or view.strategy == "current"  # other iterations or strategies can be shown
        short = "words" in without
        lines = self._header(short and iteration)
        if iteration and not self._details and not short:
            lines += wrapped(iteration_line(view, self._saved), columns, 2)
        lines += ["", *self._board_and_beliefs(), *self._caption(without)]
        if self._table and view.rows:
            lines += ["", *self._grid(), *self._legend(without)]
        if view.most_likely_line is not None and "course" not in without:
            line, happened = view.most_likely_line, view.rules.of_round.happened
            squares = " ".join(map(str, line.squares))
            how = self._numbers.share(line.probability)
            text = f"Likeliest course: {squares} ({how} likely), then surely {happened[line.outcome]}."
            lines += ["", *wrapped(text, columns, 2)]
        return lines

    def _header(self, iteration: bool = False) -> list[str]:
        """The position and whose turn it is. iteration: show the iteration in place of the points."""
        view, columns = self._view, self._window.columns
        where = "a round on its own"
        if view.score is not None:
            points = f"{view.score.first} point{'' if view.score.first == 1 else 's'}"
            where = f"X has {points}, O {view.score.second}; match to {view.winning_score}"
        if iteration:
            where = iteration_line(view, "").replace("Iteration", "iteration")
        first, *others = wrapped(f"Position {view.position} ({where})", columns, 2)
        title = f"Position {view.position}"
        rules = wrapped(f"{rules_text(view.rules)}; ? explains.", columns, 2) if view.rules != Rules() else []
        return [first.replace(title, self._paint.heading(title)), *others, *rules, *wrapped(self._turn(), columns, 2)]

    def _turn(self) -> str:
        """Three in a row, whose turn it is and both goals; or, once the end is certain, the end and who scores."""
        view = self._view
        if view.outcome is not None:
            return f"The round is over: {self._happened(view.outcome)}. {self._points(view.outcome)}"
        seat = int(view.to_move or 0)
        if view.forced_outcome is not None:
            certain = f"the end is certain: {self._happened(view.forced_outcome)}"
            return f"{MARKS[seat]} moves next, but {certain}. {self._points(view.forced_outcome)}"
        mine, others = view.goals[seat], view.goals[1 - seat]
        mover, other = MARKS[seat], MARKS[1 - seat]
        lines = ", ".join(f"{own} in a row" for own in lines_text(view.lines, "has "))
        so_far = f"{lines}; the round goes on. " if lines else ""
        if mine is None and others is None:
            return f"{so_far}{mover} moves next. The goals are unknown."
        what = (
            f"{mover} moves next, its goal unknown"
            if mine is None
            else f"{mover} moves next and wants {goal_text(mine)}"
        )
        return f"{so_far}{what}; {other} {'has an unknown goal' if others is None else f'wants {goal_text(others)}'}."

    def _happened(self, outcome: Outcome) -> str:
        """The ending in words, with the present lines of three in a row."""
        lines = ", ".join(lines_text(self._view.lines))
        so_far = "" if self._view.outcome is not None else "so far "
        happened, tie = happened_text(self._view, outcome)
        return f"{happened}{f' ({so_far}{lines})' if lines else ''}{tie}"

    def _points(self, outcome: Outcome) -> str:
        """Who scores and why, or, for an unknown goal, the goals that would score."""
        said = []
        for name, known, fitting in zip(MARKS, self._view.goals, self._view.rules.goals_true(outcome), strict=True):
            wanted = " or ".join(goal_text(goal) for goal in sorted(fitting))
            if not fitting:
                said.append(f"{name} does not score, whatever it wants")
            elif known is None:
                said.append(f"{name} scores if it wants {wanted}")
            elif known in fitting:
                said.append(f"{name} wants {goal_text(known)} and scores")
            else:
                said.append(f"{name} wants {goal_text(known)} and does not score")
        if not any(self._view.rules.goals_true(outcome)):
            return "Nobody scores, whatever they want."
        return f"{said[0]}; {said[1]}."

    def _board_and_beliefs(self) -> list[str]:
        board, width = self._board()
        title = ("To judge by the moves,", "how likely each goal is:")
        rows = [["", *MARKS]]
        for index, goal in enumerate(Goal):
            cells = (("-" if belief is None else self._numbers.share(belief[index])) for belief in self._view.beliefs)
            rows.append([goal.name.lower(), *cells])
        facts = [*title, *joined(rows, 3)]
        if width + 3 + max(map(len, facts)) <= self._window.columns:
            return [f"{row}   {fact}" for row, fact in zip(board, facts, strict=True)]
        return [*(row.rstrip() for row in board), *facts]

    def _board(self) -> tuple[list[str], int]:
        """The board as five lines, and their width. Marks have the number of their move, free squares the probability
        of being marked next."""
        view, paint = self._view, self._paint
        cells = {square: f"[{square}]" for square in range(1, 10)}
        for move in view.choices:
            probability = (move.average if view.strategy == "average" else move.current) / len(move.squares)
            for square in move.squares:
                cells[square] = f"[{square}] {self._numbers.share(probability):>4}"
        for number, square in enumerate(view.moves):
            cells[square] = f"{MARKS[number % 2]}{number + 1}"
        width = max(8, *map(len, cells.values()))
        painted = {square: text.center(width) for square, text in cells.items()}
        for number, square in enumerate(view.moves):
            in_line = any(square in line for line in view.lines[number % 2])
            painted[square] = paint.mark(number % 2, painted[square], in_line=in_line)
        lines = []
        for start in self._rows:
            lines.append(" | ".join(painted[square] for square in range(start, start + 3)))
            lines.append("-+-".join(["-" * width] * 3))
        return lines[:-1], 3 * width + 6

    def _caption(self, without: tuple[str, ...]) -> list[str]:
        view, columns, short = self._view, self._window.columns, "words" in without
        lines = []
        if view.choices and "caption" not in without:
            seat = int(view.to_move or 0)
            goal = view.goals[seat]
            whose = "its goal unknown" if goal is None else f"if it wants {goal_text(goal)}"
            lines += wrapped(f"% in a square: how often {MARKS[seat]} plays there, {whose}.", columns)
        nowhere = [seat for seat, belief in zip(MARKS, view.beliefs, strict=True) if belief is None]
        if nowhere:
            text = f"Off the equilibrium: no goal of {' or of '.join(nowhere)} leads here"
            more = "." if short else f"; play here is arbitrary, and {untold_text(view.rules)}."
            lines += wrapped(text + more, columns, 2)
        if (never := never_drawn(view.rules)) and not short:
            lines += wrapped(never, columns, 2)
        return lines

    def _grid(self) -> list[str]:
        """A grid with two lines for each goal: the probability of every move, and its cost. A grid that is wider than
        the window is split into blocks."""
        view, numbers = self._view, self._numbers
        mover = int(view.to_move or 0)
        known = view.goals[mover]
        in_match = view.score is not None
        unit = "wins" if in_match else "points"
        left = [["goal"], [unit], [""]]
        for row in view.rows:
            worth = numbers.points(row.value) if row.wins_percent is None else numbers.percent(row.wins_percent)
            left[0] += [f"{'>' if row.goal is known else ' '}{row.goal.name:<4}", ""]
            left[1] += [worth.replace(" ", ""), ""]
            left[2] += ["plays", "costs"]
        worth = numbers.points(view.mover_value or 0.0)
        if view.mover_wins_percent is not None:
            worth = numbers.percent(view.mover_wins_percent)
        left[0].append(" any ")
        left[1].append(worth.replace(" ", ""))
        left[2].append("plays")
        cells = []
        believed = view.beliefs[mover] or view.rules.goal_probabilities
        for index, move in enumerate(view.rows[0].moves):
            column = [" ".join(map(str, move.squares))]
            for row in view.rows:
                cell = row.moves[index]
                cost = numbers.cost(cell.cost, 1) if cell.cost_percent is None else numbers.cost(cell.cost_percent, 2)
                column += [numbers.share(cell.probability), cost]
            together = sum(b * row.moves[index].probability for b, row in zip(believed, view.rows, strict=True))
            cells.append([*column, numbers.share(together)])
        if not cells:  # no moves: the end is certain
            keep = [0, *range(1, len(left[0]), 2)]
            return joined([[column[index] for index in keep] for column in left[:2]])
        return self._in_blocks(left, cells, known)

    def _in_blocks(self, left: list[list[str]], cells: list[list[str]], known: Goal | None) -> list[str]:
        columns = self._window.columns
        for space in (3, 2, 1):
            tight = joined(left, 1)
            width = max(map(len, tight))
            blocks: list[list[list[str]]] = [[]]
            for column in cells:
                used = width + sum(space + max(map(len, one)) for one in [*blocks[-1], column])
                if blocks[-1] and used > columns:
                    blocks.append([])
                blocks[-1].append(column)
            if len(blocks) == 1:
                break
        lines = []
        for block in blocks:
            rows = joined([[line.ljust(width) for line in tight], *block], space)
            bold = {0} if known is None else {0, 1 + 2 * int(known), 2 + 2 * int(known)}
            lines += [self._paint.heading(line) if number in bold else line for number, line in enumerate(rows)]
        return lines

    def _legend(self, without: tuple[str, ...]) -> list[str]:
        """The explanation of the grid."""
        view, columns = self._view, self._window.columns
        mover, other = (MARKS[int(view.to_move or 0)], MARKS[1 - int(view.to_move or 0)])
        in_match = view.score is not None
        if "words" in without:
            texts = []
        elif "legend" in without and view.choices:
            texts = [
                "wins, costs: % of matches; costs: against the best move."
                if in_match
                else "points: expected lead; costs: points, against the best move."
            ]
            texts += [] if "any" in without else [_ANY_EXPLAINED]
        else:
            worth = f"wins: % of matches {mover} wins" if in_match else f"points: how far {mover} gets ahead on average"
            texts = [f"{worth} with that goal, not seeing {other}'s."]
            if view.choices:
                texts += [
                    f"plays: how often {mover} makes the move; squares of a column are the same by symmetry.",
                    f"costs: {'% of matches' if in_match else 'points'} given away against the best move.",
                ]
            texts += [_ANY_EXPLAINED]
        known = [] if "known" in without else self._known_goals()
        return [*(line for text in texts for line in wrapped(text, columns, 2)), *known]

    def _known_goals(self) -> list[str]:
        """The value for the given goals, if the opponent's is given. The mover cannot see it."""
        view, numbers = self._view, self._numbers
        seat = int(view.to_move or 0)
        other = view.goals[1 - seat]
        if other is None:
            return []
        value = (1.0 - 2.0 * seat) * view.expected_value
        worth = f"gets {numbers.points(value)} points"
        if view.score is not None:
            worth = f"wins {numbers.percent(win_percentage(value))}"
        text = f"If {MARKS[1 - seat]} wants {goal_text(other)} ({MARKS[seat]} cannot see it), {MARKS[seat]} {worth}."
        return wrapped(text, self._window.columns, 2)


def _without_blanks(lines: list[str], most: int) -> list[str]:
    """The lines without the first `most` blank ones."""
    blank = [index for index, line in enumerate(lines) if not line][: max(most, 0)]
    return [line for index, line in enumerate(lines) if index not in blank]
