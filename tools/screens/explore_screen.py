"""The main screen of explore: the board, the beliefs, and a grid of the mover's goals and moves."""

from __future__ import annotations

from enum import IntEnum

from tictactoe.games.rules import Goal, Rules
from tictactoe.match.percentages import win_percentage
from tictactoe.play.explored_position import MARKS, View, never_drawn, rules_text, turn_text, untold_text

from .explore_details import details, iteration_line
from .explore_text import Look, joined, wrapped


class Part(IntEnum):
    """A part of the screen. A low window leaves out one part and the earlier ones."""

    NONE, COURSE, SPACE, LEGEND, ANY, WORDS, KNOWN, CAPTION = range(8)


_ANY_EXPLAINED = "any: all goals, weighed by how likely each is."


class ExploreScreen:
    """A position, as lines that fit a window. saved: the saved iterations in words, "" for a single one. about: whose
    moves are shown; "" for the solution's."""

    def __init__(self, view: View, saved: str, look: Look, about: str = "") -> None:
        self._view, self._saved, self._look, self._numbers = view, saved, look, look.numbers
        self._about = look.wrapped(about) if about else []
        self._seat = int(view.to_move or 0)
        self._mover, self._other = MARKS[self._seat], MARKS[1 - self._seat]
        self._goal, self._goal_of_other = view.goals[self._seat], view.goals[1 - self._seat]

    def lines(self) -> list[str]:
        """The lines in order of importance. Lines that do not fit go to a second page."""
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
        iteration = bool(self._saved) or view.strategy == "current"  # other iterations or strategies can be shown
        lines = self._header(short and iteration)
        if iteration and not look.details and not short:
            lines += look.wrapped(iteration_line(view, self._saved))
        lines += ["", *self._board_and_beliefs(), *self._caption(without)]
        if look.table and view.rows:
            lines += ["", *self._grid(), *self._legend(without)]
        if (line := view.most_likely_line) is not None and without < Part.COURSE:
            squares, share = " ".join(map(str, line.squares)), self._numbers.share(line.probability)
            happened = view.rules.of_round.happened[line.outcome]
            lines += ["", *look.wrapped(f"Likeliest course: {squares} ({share} likely), then surely {happened}.")]
        return lines

    def _header(self, iteration: bool = False) -> list[str]:
        """The position and whose turn it is. iteration: show the iteration in place of the points."""
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
        facts = ["To judge by the moves,", "how likely each goal is:", *joined(columns, 3)]
        if width + 3 + max(map(len, facts)) <= self._look.window.columns:
            return [f"{row}   {fact}" for row, fact in zip(board, facts, strict=True)]
        return [*(row.rstrip() for row in board), *facts]

    def _board(self) -> tuple[list[str], int]:
        """The board as five lines, and their width. Marks have the number of their move, free squares the probability
        of being marked next."""
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
        """A grid with two lines for each goal: the probability of every move, and its cost. A grid that is wider than
        the window is split into blocks."""
        view, numbers, rows = self._view, self._numbers, self._view.rows

        def worth(value: float, percent: float | None) -> str:
            return (numbers.points(value) if percent is None else numbers.percent(percent)).replace(" ", "")

        def cost(value: float, percent: float | None) -> str:
            return numbers.cost(value, 1) if percent is None else numbers.cost(percent, 2)

        names = [f"{'>' if row.goal is self._goal else ' '}{row.goal.name:<4}" for row in rows]
        worths = [worth(row.value, row.wins_percent) for row in rows]
        of_any = worth(view.mover_value or 0.0, view.mover_wins_percent)
        unit = "points" if view.score is None else "wins"
        if not rows[0].moves:  # the end is certain
            return joined([["goal", *names, " any "], [unit, *worths, of_any]])
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
        return self._in_blocks(left, cells)

    def _in_blocks(self, left: list[list[str]], cells: list[list[str]]) -> list[str]:
        tight = joined(left, 1)
        width = max(map(len, tight))
        for space in (3, 2, 1):
            blocks: list[list[list[str]]] = [[]]
            for column in cells:
                used = width + sum(space + max(map(len, one)) for one in [*blocks[-1], column])
                if blocks[-1] and used > self._look.window.columns:
                    blocks.append([])
                blocks[-1].append(column)
            if len(blocks) == 1:
                break
        bold = {0} if self._goal is None else {0, 1 + 2 * int(self._goal), 2 + 2 * int(self._goal)}
        lines = []
        for block in blocks:
            for number, line in enumerate(joined([[row.ljust(width) for row in tight], *block], space)):
                lines.append(self._look.paint.styled(line) if number in bold else line)
        return lines

    def _legend(self, without: Part) -> list[str]:
        """The explanation of the grid."""
        view, mover, in_match = self._view, self._mover, self._view.score is not None
        if without >= Part.WORDS:
            texts = []
        elif without >= Part.LEGEND and view.choices:
            units = "wins: % of matches; costs: points," if in_match else "points: expected lead; costs: points,"
            texts = [f"{units} against the best move.", *([] if without >= Part.ANY else [_ANY_EXPLAINED])]
        else:
            worth = f"wins: % of matches {mover} wins" if in_match else f"points: how far {mover} gets ahead on average"
            moves = [
                f"plays: how often {mover} makes the move; squares of a column are the same by symmetry.",
                f"costs: points{' of winning chance' if in_match else ''} given away against the best move.",
            ]
            explained = f"{worth} with that goal, not seeing {self._other}'s."
            texts = [explained, *(moves if view.choices else []), _ANY_EXPLAINED]
        return self._look.wrapped(*texts, *([] if without >= Part.KNOWN else self._known_goals()))

    def _known_goals(self) -> list[str]:
        """The value for the given goals, if the opponent's is given. The mover cannot see it."""
        if (goal := self._goal_of_other) is None:
            return []
        mover, value = self._mover, (1.0 - 2.0 * self._seat) * self._view.expected_value
        worth = f"wins {self._numbers.percent(win_percentage(value))}"
        if self._view.score is None:
            worth = f"gets {self._numbers.points(value)} points"
        return [f"If {self._other} wants to {goal.name} ({mover} cannot see it), {mover} {worth}."]


def _every_other(texts: list[str]) -> list[str]:
    """Each text and an empty one."""
    return [cell for text in texts for cell in (text, "")]
