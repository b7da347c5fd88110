"""What explore shows."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

from tictactoe.games.rules import Goal, Rules, goal_name
from tictactoe.match.percentages import win_percentage
from tictactoe.play.explored_game import GameView
from tictactoe.play.explored_position import MARKS, View, never_drawn, rules_text, turn_text, untold_text
from tictactoe.play.notation import Numbers

from ..streams import takes_escapes

_WIDEST_WINDOW = 100

Column = Sequence[str]
"""A column of a table, with its heading first."""


class Window(NamedTuple):
    columns: int
    rows: int | None
    """The number of lines; None without a limit."""


def window() -> Window:
    """The size of the terminal; 80 columns and unlimited lines if there is none."""
    try:
        columns, rows = os.get_terminal_size(sys.stdout.fileno())
    except (AttributeError, OSError, ValueError):
        return Window(80, None)
    return Window(min(columns or 80, _WIDEST_WINDOW), rows or None)


class Paint:
    def __init__(self) -> None:
        self.on = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and takes_escapes()

    def styled(self, text: str, code: str = "1") -> str:
        """The text in an escape sequence, by default that of a heading."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.on else text


@dataclass(frozen=True)
class Look:
    window: Window
    precision: int = 4
    """The number of digits of a number."""
    table: bool = True
    """Whether to show the grid and tables."""
    details: bool = False
    """Whether to show details of the solver."""
    numpad: bool = False
    """Whether the squares at the top are 7 8 9."""
    paint: Paint = field(default_factory=Paint)

    @property
    def numbers(self) -> Numbers:
        return Numbers(self.precision)

    def wrapped(self, *texts: str) -> list[str]:
        return [line for text in texts for line in wrapped(text, self.window.columns, 2)]

    def blocks(
        self, left: Sequence[Column], groups: Iterable[Sequence[Column]], space: int, bold: Collection[int] = (0, 1)
    ) -> list[str]:
        """A table: the columns `left`, then groups of columns. Groups that do not fit go into further blocks.

        bold: the rows of a block that are highlighted.
        """
        blocks = [[*left]]
        for group in groups:
            wide = max(map(len, joined([*blocks[-1], *group], space)))
            if wide > self.window.columns and len(blocks[-1]) > 1:
                blocks.append([left[0]])
            blocks[-1] += group
        rows = (row for block in blocks for row in enumerate(joined(block, space)))
        return [self.paint.styled(line) if number in bold else line for number, line in rows]


def wrapped(text: str, columns: int, hanging: int = 0) -> list[str]:
    return textwrap.wrap(text, max(columns, 20), subsequent_indent=" " * hanging, break_on_hyphens=False) or [text]


def joined(columns: Sequence[Column], space: int) -> list[str]:
    widths = [max(map(len, column)) for column in columns]
    rows = (map(str.rjust, row, widths) for row in zip(*columns, strict=True))
    return [(" " * space).join(row).rstrip() for row in rows]


def details(view: View, saved: str, look: Look) -> list[str]:
    """The lines of the details. saved: words about the saved iterations."""
    numbers, goals = look.numbers, list(zip(MARKS, view.goals, strict=True))

    def pair(values: Iterable[float], written: Callable[[float], str]) -> str:
        return " ".join(f"{seat} {written(value)}" for seat, value in zip(MARKS, values, strict=True))

    unit = "1: X surely wins the match, -1: O does" if view.score is not None else "the expected lead of X in points"
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
                "  This is what the best responder in that seat gets if the goals are these. It does not see the "
                "other's goal and plays for all of them at once; with these goals it may lose what it gains with "
                "others."
            )
    return [*look.wrapped(*texts), *(["", *_table(view, look)] if view.choices and look.table else [])]


def iteration_line(view: View | GameView, saved: str) -> str:
    which = "average strategy" if view.strategy == "average" else "CURRENT strategy"
    return f"Iteration {view.iteration}{f' ({saved})' if saved else ''}, {which}"


def _table(view: View, look: Look) -> list[str]:
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
    shown, below = [], []
    for top, bottom, cells in columns:
        known = not absent.get(bottom)
        if bottom == "current" and all(abs(move.average - move.current) <= 1e-12 for move in moves):
            below.append("current strategy as average")
        elif known and len(set(cells)) == 1 and len(cells) > 1:
            below.append(f"{top} {bottom} {cells[0]}")
        elif known:
            shown.append([[top, bottom, *cells]])
    same = look.wrapped(f"The same for all moves: {', '.join(below)}.") if below else []
    return [*look.blocks([first], shown, 1), *same]


class Part(IntEnum):
    """A part of the screen. If the window is low, it leaves out one part and all earlier ones."""

    NONE, COURSE, SPACE, LEGEND, ANY, WORDS, KNOWN, CAPTION = range(8)


_ANY_EXPLAINED = "any: all goals, weighed by how likely each is."


class ExploreScreen:
    """A position as lines that fit a window.

    saved: words about the saved iterations. about: whose moves are shown; empty for the solution's.
    """

    def __init__(self, view: View, saved: str, look: Look, about: str = "") -> None:
        self._view, self._saved, self._look, self._numbers = view, saved, look, look.numbers
        self._about = look.wrapped(about) if about else []
        self._seat = int(view.to_move or 0)
        self._mover, self._other = MARKS[self._seat], MARKS[1 - self._seat]
        self._goal, self._goal_of_other = view.goals[self._seat], view.goals[1 - self._seat]

    def lines(self) -> list[str]:
        """The lines, the most important first. The others go to a second page."""
        look, rows = self._look, self._look.window.rows
        own_details = details(self._view, self._saved, look) if look.details else []
        keys = f"Type a square to play on, d {'grid' if look.details else 'details'}, ? help, q quit."
        last = [] if rows is None else wrapped(keys, look.window.columns)
        for without in Part:
            lines = [*self._main(without), *([""] * bool(own_details)), *own_details, *([""] * bool(last)), *last]
            if without >= Part.SPACE and rows is not None:
                blank = [index for index, line in enumerate(lines) if not line][: max(len(lines) - rows + 1, 0)]
                lines = [line for index, line in enumerate(lines) if index not in blank]
            if rows is None or len(lines) < rows:
                return lines
        return [*self._header(), *own_details, *last] if own_details else lines  # d shows the board and the grid again

    def _main(self, without: Part) -> list[str]:
        view, look, short = self._view, self._look, without >= Part.WORDS
        iteration = bool(self._saved) or view.strategy == "current"  # others could be shown
        lines = self._header(short and iteration)
        if iteration and not look.details and not short:
            lines += look.wrapped(iteration_line(view, self._saved))
        lines += ["", *self._board_and_beliefs(), *self._caption(without)]
        if look.table and view.rows:
            lines += ["", *self._grid(), *self._legend(without)]
        if (line := view.most_likely_line) is not None and without < Part.COURSE:
            squares, share = " ".join(map(str, line.squares)), self._numbers.share(line.probability)
            happened = view.rules.of_round.happened[line.outcome]
            lines += [
                "",
                *look.wrapped(f"Likeliest course: {squares} ({share}), after which it is certain: {happened}."),
            ]
        return lines

    def _header(self, iteration: bool = False) -> list[str]:
        view, look = self._view, self._look
        where = "a round on its own"
        if view.score is not None:
            points = f"{view.score.first} point{'' if view.score.first == 1 else 's'}"
            where = f"X has {points}, O {view.score.second}; match to {view.winning_score}"
        if iteration:
            where = iteration_line(view, "").replace("Iteration", "iteration")
        title = f"Position {view.position}"
        first, *others = look.wrapped(f"{title} ({where})")
        rules = look.wrapped(f"{rules_text(view.rules)}; ? explains.") if view.rules != Rules() else []
        return [
            first.replace(title, look.paint.styled(title)),
            *others,
            *rules,
            *self._about,
            *look.wrapped(turn_text(view)),
        ]

    def _board_and_beliefs(self) -> list[str]:
        board, width = self._board()
        columns = [["", *MARKS]]
        for goal in Goal:
            shares = ("-" if own is None else self._numbers.share(own[goal]) for own in self._view.beliefs)
            columns.append([goal.name.lower(), *shares])
        facts = ["Judging by the moves,", "how likely each goal is:", *joined(columns, 3)]
        if width + 3 + max(map(len, facts)) <= self._look.window.columns:
            return [f"{row}   {fact}" for row, fact in zip(board, facts, strict=True)]
        return [*(row.rstrip() for row in board), *facts]

    def _board(self) -> tuple[list[str], int]:
        view, cells = self._view, {square: f"[{square}]" for square in range(1, 10)}
        for move in view.choices:
            probability = (move.average if view.strategy == "average" else move.current) / len(move.squares)
            for square in move.squares:
                cells[square] = f"[{square}] {self._numbers.share(probability):>4}"
        for number, square in enumerate(view.moves):
            cells[square] = f"{MARKS[number % 2]}{number + 1}"
        width = max(8, *map(len, cells.values()))
        painted = {square: text.center(width) for square, text in cells.items()}
        for number, square in enumerate(view.moves):
            code = ("1;36", "1;33")[number % 2] + ";7" * any(square in line for line in view.lines[number % 2])
            painted[square] = self._look.paint.styled(painted[square], code)
        lines = []
        for start in (7, 4, 1) if self._look.numpad else (1, 4, 7):
            lines += [" | ".join(painted[start + index] for index in range(3)), "-+-".join(["-" * width] * 3)]
        return lines[:-1], 3 * width + 6

    def _caption(self, without: Part) -> list[str]:
        view, look, short = self._view, self._look, without >= Part.WORDS
        lines = []
        if view.choices and without < Part.CAPTION:
            whose = "its goal unknown" if self._goal is None else f"if it wants to {self._goal.name}"
            text = f"% in a square: how often {self._mover} plays there, {whose}."
            lines += wrapped(text, look.window.columns)
        nowhere = [seat for seat, belief in zip(MARKS, view.beliefs, strict=True) if belief is None]
        if nowhere:
            more = (
                "." if short else f": no goal of {' or of '.join(nowhere)} leads here, and {untold_text(view.rules)}."
            )
            lines += look.wrapped(f"Not refined after mistakes{more}")
        if (never := never_drawn(view.rules)) and not short:
            lines += look.wrapped(never)
        return lines

    def _grid(self) -> list[str]:
        view, numbers, rows = self._view, self._numbers, self._view.rows

        def worth(value: float, percent: float | None) -> str:
            return (numbers.points(value) if percent is None else numbers.percent(percent)).replace(" ", "")

        def cost(value: float, percent: float | None) -> str:
            return numbers.cost(value, 1) if percent is None else numbers.cost(percent, 2)

        names = [f"{'>' if row.goal is self._goal else ' '}{row.goal.name:<4}" for row in rows]
        worths = [worth(row.value, row.wins_percent) for row in rows]
        of_any = worth(view.mover_value or 0.0, view.mover_wins_percent)
        unit = "points" if view.score is None else "wins"
        if not rows[0].moves:  # how the round ends is certain
            return joined([["goal", *names, " any "], [unit, *worths, of_any]], 2)
        left = [["goal", *_every_other(names), " any "], [unit, *_every_other(worths), of_any]]
        left.append(["", *["plays", "costs"] * len(rows), "plays"])
        believed = view.beliefs[self._seat] or view.rules.goal_probabilities
        cells = []
        for moves in zip(*(row.moves for row in rows), strict=True):
            column = [" ".join(map(str, moves[0].squares))]
            for move in moves:
                column += [numbers.share(move.probability), cost(move.cost, move.cost_percent)]
            together = sum(belief * move.probability for belief, move in zip(believed, moves, strict=True))
            cells.append([*column, numbers.share(together)])
        tight = joined(left, 1)
        bold = {0} if self._goal is None else {0, 1 + 2 * int(self._goal), 2 + 2 * int(self._goal)}
        width = max(map(len, tight))
        first = [row.ljust(width) for row in tight]
        for space in (3, 2, 1):
            lines = self._look.blocks([first], ([column] for column in cells), space, bold)
            if len(lines) == len(tight):
                break
        return lines

    def _legend(self, without: Part) -> list[str]:
        view, mover, in_match = self._view, self._mover, self._view.score is not None
        if without >= Part.WORDS:
            texts = []
        elif without >= Part.LEGEND and view.choices:
            units = "wins: % of matches; costs: points," if in_match else "points: expected lead; costs: points,"
            texts = [f"{units} against the best move.", *([] if without >= Part.ANY else [_ANY_EXPLAINED])]
        else:
            worth = f"wins: % of matches {mover} wins" if in_match else f"points: the expected lead of {mover}"
            moves = [
                f"plays: how often {mover} makes the move; symmetric squares share a column.",
                f"costs: points{' of winning chance' if in_match else ''} lost compared with the best move.",
            ]
            explained = f"{worth} with that goal, not seeing {self._other}'s."
            texts = [explained, *(moves if view.choices else []), _ANY_EXPLAINED]
        return self._look.wrapped(*texts, *([] if without >= Part.KNOWN else self._known_goals()))

    def _known_goals(self) -> list[str]:
        if (goal := self._goal_of_other) is None:
            return []
        mover, value = self._mover, (1.0 - 2.0 * self._seat) * self._view.expected_value
        worth = f"wins {self._numbers.percent(win_percentage(value))}"
        if self._view.score is None:
            worth = f"gets {self._numbers.points(value)} points"
        return [f"If {self._other} wants to {goal.name} ({mover} cannot see it), {mover} {worth}."]


def _every_other(texts: list[str]) -> list[str]:
    return [cell for text in texts for cell in (text, "")]


_COMMANDS = (
    ("5, m 5, 513", "play moves: squares {digits}"),
    ("u, r", "take a move back, or all of them"),
    ("g w l, g w ?", "goals of X, O: win, lose, tie, ? unknown"),
    ("4-3 w? 513", "go to a position: score, goals, moves"),
    ("s 4 3", "go to a score (in a whole solution)"),
    ("d", "details of the solver on or off"),
    ("i, i 500", "list iterations, or go to one (first, last, +, -)"),
    ("v a, v c", "show the average or the current strategy"),
    ("p 6, t", "more digits (usually p 4); tables on or off"),
    ("?, q", "show this help; quit"),
)
_PARAGRAPHS = (
    "X moves first, O second. {rules} Each has a secret goal: to win ({win}), to lose ({lose}) or to tie ({tie}). "
    "A player whose goal comes true scores.",
    "The grid has a row for each goal that the player who moves next may have, and a column for each move; symmetric "
    "squares share a column. > marks the goal that is given.",
    "wins: the percentage of matches that the player wins from here if both follow the strategy shown. The player does "
    "not see the other's goal, so all are weighed by what the moves have revealed. plays: how often the player makes "
    "the move. costs: points of winning chance (of 100 matches) that the move loses; a review charges the same. In a "
    "round on its own, wins and costs are points of the round.",
    "How likely each goal is: to somebody who knows the strategies and saw the moves. Where no goal of a player leads "
    "to the position, {untold}. An unknown goal (?) is weighed like that everywhere.",
    "Details. Value: 1 if X is sure to win the match, -1 if O is. Counterfactual probability, for a player: the "
    "probability of both goals (1/9 if all are equally likely) times the other player's probabilities of the moves so "
    "far; the solver weighs regrets with it. Regret: that probability times the mover's gain from always playing the "
    "move: for these goals, over all goals of the opponent (information set), or as accumulated and discounted by the "
    "solver (total; compact files do not keep it). These moves: in any of their symmetric variants. Average strategy: "
    "near an equilibrium; current: what the solver plays at that iteration.",
    "Best response (saved by best-response-multiround --save): what the best responder in that seat gets with these "
    "goals. It does not see the other's goal, and may lose with some goals what it gains with others: its value can be "
    "-1 where it surely wins on average.",
)


def help_lines(columns: int, rules: Rules, numpad: bool = False) -> list[str]:
    digits = "7 8 9 / 4 5 6 / 1 2 3" if numpad else "1 2 3 / 4 5 6 / 7 8 9"
    to_do = {goal.name.lower(): text.format("the other") for goal, text in rules.of_round.to_do.items()}
    named = f"{rules_text(rules)}. {rules.of_round.text}"
    paragraphs = [text.format(rules=named, untold=untold_text(rules), **to_do) for text in _PARAGRAPHS]
    return keys_and_paragraphs([(keys, what.format(digits=digits)) for keys, what in _COMMANDS], paragraphs, columns)


def keys_and_paragraphs(commands: Sequence[tuple[str, str]], texts: Iterable[str], columns: int) -> list[str]:
    width = max(len(keys) for keys, _ in commands) + 2
    table = [line for keys, what in commands for line in wrapped(f"{keys:<{width}}{what}", columns, width)]
    return [*table, *(line for text in texts for line in ["", *wrapped(text, columns)])]
