"""The picture of a game at the top of the README: python benchmarks/play_picture.py writes docs/pictures/play.svg.

A real session in a terminal of 80 columns, as the terminal shows it. Needs pexpect and pyte, which the tests need, too.
"""

from __future__ import annotations

import re
import sys
import time
from html import escape
from itertools import groupby
from pathlib import Path

import pexpect
import pyte

PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "play.svg"
COLUMNS, ROWS = 80, 21
_SESSION = ("--position", "2-0 ?w 15274", "--seed", "1")
_TYPED, _WAITS_FOR = "h\r", "Hint: to WIN"
_WIDTH, _HEIGHT, _MARGIN = 8.4, 18, 14  # of a character, of a line, around all
_COLOURS = {"default": "#d8dee9", "cyan": "#7fd1ff", "brown": "#ffd479", "magenta": "#ff8bd2"}
_BACKGROUND = "#1d222b"


def screen() -> pyte.Screen:
    """What the terminal shows once a hint has been asked for."""
    result = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.Stream(result)
    child = pexpect.spawn(
        str(Path(sys.executable).parent / "play-multiround"),
        list(_SESSION),
        dimensions=(ROWS, COLUMNS),
        encoding="utf-8",
        env={"TERM": "xterm-256color", "LANG": "C.UTF-8"},
        timeout=60,
    )
    child.expect(r"q quit\): ")
    stream.feed(child.before + child.after)
    child.send(_TYPED)
    child.expect(_WAITS_FOR)
    stream.feed(child.before + child.after)
    child.expect(r"q quit\): ")
    stream.feed(child.before + child.after)
    time.sleep(0.1)
    child.close(force=True)
    return result


def svg(shown: pyte.Screen) -> str:
    """The screen as a picture, each stretch of one style stretched to its columns whatever the font."""
    width, height = 2 * _MARGIN + COLUMNS * _WIDTH, 2 * _MARGIN + ROWS * _HEIGHT
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" role="img" '
        'aria-label="A round being played in a terminal: the hint says that a perfect player who wants to win never '
        'completes the row, because the bot would surely score too.">',
        f'<rect width="100%" height="100%" rx="8" fill="{_BACKGROUND}"/>',
        '<g font-family="Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="14">',
    ]
    for row in range(ROWS):
        characters = [shown.buffer[row][column] for column in range(COLUMNS)]
        for (colour, bold, reverse), run in groupby(enumerate(characters), key=lambda item: _style(item[1])):
            cells = list(run)
            text = "".join(character.data for _, character in cells)
            x, y = _MARGIN + cells[0][0] * _WIDTH, _MARGIN + (row + 1) * _HEIGHT - 4
            if reverse:
                box = f'x="{x:g}" y="{y - _HEIGHT + 4}" width="{len(text) * _WIDTH:g}" height="{_HEIGHT}"'
                lines.append(f'<rect {box} fill="{colour}"/>')
                colour = _BACKGROUND
            weight = ' font-weight="bold"' if bold else ""
            for words in re.finditer(r"\S+( \S+)*", text):
                place = f'x="{x + words.start() * _WIDTH:g}" y="{y}" textLength="{len(words[0]) * _WIDTH:g}"'
                what = f'lengthAdjust="spacingAndGlyphs" fill="{colour}"{weight}'
                lines.append(f"<text {place} {what}>{escape(words[0])}</text>")
    return "\n".join([*lines, "</g>", "</svg>", ""])


def _style(character: pyte.screens.Char) -> tuple[str, bool, bool]:
    return _COLOURS.get(character.fg, _COLOURS["default"]), character.bold, character.reverse


if __name__ == "__main__":
    PICTURE.write_text(svg(screen()), encoding="utf-8")
    print(f"written: {PICTURE}")
