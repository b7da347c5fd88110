"""A CSV file of judged moves: a row for each move of matches or practice."""

from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ..games.goals import goal_name
from ..match.percentages import percentage_points
from ..storage.atomic_files import replacing_output
from .analysis import Judged
from .transcript_files import WrittenMatch

MOVE_COLUMNS = (
    *("file", "line", "winning_score", "round", "score", "player", "opponent", "seat", "goal", "opponent_goal"),
    *("move", "square", "cost", "hidden", "position"),
)
"""The headings.

- file, line: where the transcript begins
- score: points of the first mover, then of the other
- cost, hidden: in points of winning chance (of 100 matches), or in points for a round on its own
- position: before the move, as the player saw it, with the solution's score
"""


@contextlib.contextmanager
def moves_table(path: Path | None) -> Iterator[Callable[[WrittenMatch, Judged], None]]:
    """A function that writes the moves of a match. The file appears when the block ends without an error. path: None
    for no file."""
    if path is None:
        yield lambda written, judged: None
        return
    with replacing_output(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
        writer = csv.writer(text)
        writer.writerow(MOVE_COLUMNS)
        yield lambda written, judged: writer.writerows(_rows(written, judged))
        text.detach()


def _rows(written: WrittenMatch, judged: Judged) -> Iterator[tuple[Any, ...]]:
    of_match = written.path, written.first_line, "" if judged.winning_score is None else judged.winning_score
    for one in judged.rounds:
        played = one.played
        for move in one.terms.moves:
            player = played.first if move.seat == 0 else 1 - played.first
            values = move.cost, move.hidden
            in_unit = values if judged.in_points else map(percentage_points, values)
            yield (
                *(*of_match, played.number, played.score, judged.names[player], judged.names[1 - player]),
                *(move.seat.name.lower(), goal_name(played.goals[player]), goal_name(played.goals[1 - player])),
                *(move.number, move.square, *(repr(value + 0.0) for value in in_unit)),
                one.position(player, move.number),
            )
