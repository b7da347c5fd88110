"""The layout of a round on a terminal of any size: from texts to lines.

Every screen shows the round, the score and the goal. A small terminal goes without other parts, in this order: blank
lines, the commitment, the large board, the seats, the position, the end of the panel.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

MOST_COLUMNS = 99  # columns of the terminal that are used
_NARROWEST_PANEL = 26
_MARGIN = "  "
_GAP = "    "


@dataclass(frozen=True)
class Parts:
    """The texts to show."""

    heading: str
    score: str
    goal: tuple[str, str]
    """In full, and short."""
    seats: str
    """Who moves first."""
    cells: Sequence[str]
    """By square (9): its digit, or the mark with the number of the move."""
    last: int | None
    """The square that was marked last, from 0."""
    in_lines: frozenset[int]
    """The squares of three in a row, from 0."""
    lines: str
    """Who has three in a row, in words."""
    panel: Sequence[str]
    """Paragraphs beside the board."""
    turn: str
    """Whose turn it is."""
    position: str
    sealed: Sequence[str]
    """Lines about a sealed commitment, which may be left out."""
    opened: Sequence[str]
    """Lines about an opened commitment, which are always shown."""
    message: str
    """An answer to the person's last line."""


@dataclass(frozen=True)
class _Plan:
    """The parts that a screen has: blank lines, the sealed commitment, the large board, the seats, the position."""

    blank: bool
    sealed: bool
    tall: bool
    seats: bool
    position: bool


_PLANS = (
    _Plan(True, True, True, True, True),
    _Plan(False, True, True, True, True),
    _Plan(False, False, True, True, True),
    _Plan(False, False, False, True, True),
    _Plan(False, False, False, False, True),
    _Plan(False, False, False, False, False),
)

Style = Callable[[str, str], str]
"""From a text and its kind (heading, X, O, free, last, line, last in line, goal, message) to the text with escape
sequences."""


def arrange(parts: Parts, columns: int, rows: int, style: Style) -> list[str]:
    """The lines above the prompt. They take at most `rows` - 1 rows of a terminal with so many columns, unless the
    terminal is too small for the score, the goal and the board."""
    width = max(min(columns - 1, MOST_COLUMNS), 10)
    for plan in _PLANS:
        lines = _lines(parts, plan, width, style, None)
        if _height(lines, columns) < rows:
            return [text for text, _ in lines]
    for room in range(len(lines), -1, -1):
        lines = _lines(parts, _PLANS[-1], width, style, room)
        if _height(lines, columns) < rows:
            break
    return [text for text, _ in lines]


_Line = tuple[str, int]  # the text, and the number of columns that it takes


def _height(lines: Sequence[_Line], columns: int) -> int:
    return sum(max(1, -(-taken // max(columns, 1))) for _, taken in lines)


def _lines(parts: Parts, plan: _Plan, width: int, style: Style, room: int | None) -> list[_Line]:
    """The lines of a plan. room: the most lines of the panel; None for all."""
    goal = parts.goal[0] if len(parts.goal[0]) <= width else parts.goal[1]
    blank = [("", 0)] if plan.blank else []
    return [
        *_heading(parts, width, style),
        *blank,
        (re.sub(r"\b(WIN|LOSE|TIE)\b", lambda word: style(word[0], "goal"), goal), len(goal)),
        *([(parts.seats, len(parts.seats))] if plan.seats else []),
        *blank,
        *_middle(parts, plan, width, style, room),
        *blank,
        *((style(line, "heading"), len(line)) for line in _wrapped(parts.lines, width)),
        (parts.turn, len(parts.turn)),
        *([(parts.position, len(parts.position))] if plan.position else []),
        *((line, len(line)) for line in (parts.sealed if plan.sealed else ())),
        *((line, len(line)) for line in parts.opened),
        *((style(line, "message"), len(line)) for line in _wrapped(parts.message, width)),
    ]


def _heading(parts: Parts, width: int, style: Style) -> Iterator[_Line]:
    gap = width - len(parts.heading) - len(parts.score)
    texts = [parts.heading + " " * gap + parts.score] if gap >= 2 else [parts.heading, parts.score]
    yield from ((style(text, "heading"), len(text)) for text in texts)


def _middle(parts: Parts, plan: _Plan, width: int, style: Style, room: int | None) -> list[_Line]:
    """The board, and the panel beside it or, on a narrow terminal, below it."""
    board = _tall_board(parts, style) if plan.tall else _small_board(parts, style)
    beside = board[0][1] + len(_GAP) + len(_MARGIN)
    if width - beside < _NARROWEST_PANEL:
        texts = _shortened(_paragraphs(parts.panel, width), room)
        return [*board, *((text, len(text)) for text in texts)]
    texts = _shortened(_paragraphs(parts.panel, width - beside), room)
    result = []
    for number in range(max(len(board), len(texts))):
        row, taken = board[number] if number < len(board) else ("", 0)
        text = texts[number] if number < len(texts) else ""
        result.append((f"{row}{' ' * (beside - taken)}{text}", beside + len(text)) if text else (row, taken))
    return result


def _shortened(texts: list[str], room: int | None) -> list[str]:
    if room is None or len(texts) <= room:
        return texts
    return [*texts[: room - 1], "(more in a larger window)"] if room else []


def _tall_board(parts: Parts, style: Style) -> list[_Line]:
    empty, rule = "       |       |       ", "-------+-------+-------"
    lines: list[str] = []
    for row in (0, 3, 6):
        lines += [empty, "|".join(_cell(parts, square, 7, style) for square in range(row, row + 3)), empty, rule]
    return [(_MARGIN + line, len(_MARGIN) + len(rule)) for line in lines[:-1]]


def _small_board(parts: Parts, style: Style) -> list[_Line]:
    rule = "----+----+----"
    lines: list[str] = []
    for row in (0, 3, 6):
        lines += ["|".join(_cell(parts, square, 4, style) for square in range(row, row + 3)), rule]
    return [(_MARGIN + line, len(_MARGIN) + len(rule)) for line in lines[:-1]]


def _cell(parts: Parts, square: int, width: int, style: Style) -> str:
    cell = parts.cells[square]
    kind = cell[0] if cell[0] in "XO" else "free"
    text, last = f"{cell:^{width}}", square == parts.last
    if square in parts.in_lines:
        return style(text, "last in line" if last else "line")
    return style(style(text, kind), "last") if last else style(text, kind)


def _paragraphs(panel: Sequence[str], width: int) -> list[str]:
    return [line for text in panel for line in _wrapped(text, width)]


def _wrapped(text: str, width: int) -> list[str]:
    """The text wrapped. If it begins with a heading column, further lines are indented past that column."""
    match = re.match(r"( *\S+ {2,})\S", text)
    indent = " " * len(match[1]) if match and len(match[1]) < width // 2 else ""
    lines = textwrap.wrap(text, width, subsequent_indent=indent, break_on_hyphens=False)
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]
