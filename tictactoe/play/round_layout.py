"""The layout of a round on a terminal of any size. What does not fit is left out, in the order of `Room`."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Collection, Sequence
from enum import IntEnum

MOST_COLUMNS = 99  # the most columns that a screen uses
_NARROWEST_PANEL = 26
_MARGIN, _GAP = "  ", "    "
_STYLES = {"heading": "1", "goal": "1;35", "X": "1;36", "O": "1;33", "free": "2", "last": "7", "message": "33"}
_STYLES |= {"line": "1;30;42", "last in line": "1;4;30;42"}


class Room(IntEnum):
    """The room on a screen: enough for this part and all earlier ones."""

    NEEDED, POSITION, SEATS, TALL_BOARD, SEALED, BLANK = range(6)


Draw = Callable[[Room, int | None], list[str]]
"""A function from the room and the most lines of the panel (None for all) to the lines of a screen."""


def styled(text: str, style: str) -> str:
    """The text with the escape sequences of a style: heading, X, O, free, last, line, last in line, goal, message."""
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m"


def fitting(draw: Draw, columns: int, rows: int) -> list[str]:
    """The first lines that take fewer than `rows` rows of a terminal; the shortest if none fit."""
    lines: list[str] = []
    for room in reversed(Room):
        lines = draw(room, None)
        if _height(lines, columns) < rows:
            return lines
    for most in range(len(lines), -1, -1):
        lines = draw(Room.NEEDED, most)
        if _height(lines, columns) < rows:
            break
    return lines


def _height(lines: Sequence[str], columns: int) -> int:
    return sum(max(1, -(-_width(line) // max(columns, 1))) for line in lines)


def _width(line: str) -> int:
    return len(re.sub(r"\x1b\[[0-9;]*m", "", line))


def justified(left: str, right: str, width: int) -> list[str]:
    """The texts at both ends of a line, or on a line each if they do not fit."""
    gap = width - len(left) - len(right)
    return [left + " " * gap + right] if gap >= 2 else [left, right]


def board(cells: Sequence[str], last: int | None, in_lines: Collection[int], *, tall: bool, colours: bool) -> list[str]:
    """The lines of a board.

    cells: for each square, its digit, or the mark with the number of the move.
    last, in_lines: the square that was marked last and the squares of three in a row, from 0.
    """
    width = 7 if tall else 4
    rule, empty = "+".join(["-" * width] * 3), "|".join([" " * width] * 3)

    def cell(square: int) -> str:
        text, mark = f"{cells[square]:^{width}}", cells[square][0]
        if not colours:
            return text
        if square in in_lines:
            return styled(text, "last in line" if square == last else "line")
        text = styled(text, mark if mark in "XO" else "free")
        return styled(text, "last") if square == last else text

    lines: list[str] = []
    for row in (0, 3, 6):
        middle = "|".join(map(cell, range(row, row + 3)))
        lines += [empty, middle, empty, rule] if tall else [middle, rule]
    return [_MARGIN + line for line in lines[:-1]]


def beside(left: Sequence[str], panel: Sequence[str], width: int, most: int | None) -> list[str]:
    """The lines of a board, with paragraphs beside it or below it. most: the most lines of the panel."""
    start = _width(left[0]) + len(_GAP) + len(_MARGIN)
    is_narrow = width - start < _NARROWEST_PANEL
    texts = [line for text in panel for line in wrapped(text, width if is_narrow else width - start)]
    if most is not None and len(texts) > most:
        texts = [*texts[: most - 1], "(more in a larger window)"] if most else []
    if is_narrow:
        return [*left, *texts]
    rows = [*left, *[""] * (len(texts) - len(left))]
    texts += [""] * (len(rows) - len(texts))
    return [row + " " * (start - _width(row)) + text if text else row for row, text in zip(rows, texts, strict=True)]


def wrapped(text: str, width: int) -> list[str]:
    """The wrapped text. Further lines are indented past a heading column."""
    match = re.match(r"( *\S+ {2,})\S", text)
    indent = " " * len(match[1]) if match and len(match[1]) < width // 2 else ""
    lines = textwrap.wrap(text, width, subsequent_indent=indent, break_on_hyphens=False)
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]
