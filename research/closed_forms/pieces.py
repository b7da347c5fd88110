"""filled-none at all scores: strategies that toss a coin here and there, a pair of them for each of three regions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np
from answers import LARGEST_DENOMINATOR, Answer
from departures import Departure, Line
from numpy.typing import NDArray
from plans import ALL, EVERYBODY, Moves, Point, Round
from stories import LAST_THREE, NOT_THE_CENTRE, Story, everybody, points

from tictactoe.formulas.answer_tables import Choices, Share, moves_elsewhere

SCALE = lcm(*range(1, LARGEST_DENOMINATOR + 1))
"""What probabilities are multiplied by: whole numbers, which files hold exactly."""


@dataclass(frozen=True, eq=False)
class Piece(Story):
    """Strategies of both seats and the polygon where they are optimal.

    moves are given for one seat or both, everything else is found. counts: 9 V, as coefficients of the values of both,
    first, second and neither scoring. The strategies are checked against V.
    """

    counts: tuple[int, ...] = ()

    def value(self, payoffs: Sequence[Fraction]) -> Fraction:
        return sum((count * worth for count, worth in zip(self.counts, payoffs, strict=True)), Fraction(0)) / 9


THIRD = Fraction(1, 3)
X_IS_FREE_AT_LAST: Moves = {history: moves for history, moves in LAST_THREE.items() if history != "519368"}
PIECES: Mapping[str, Sequence[Piece]] = {
    "filled-none": [
        Piece(
            LAST_THREE,
            points((-1, -THIRD), (-THIRD, -THIRD), (1, 1), (-1, 1)),
            "-1 <= b <= n and -1/3 <= n <= 1",
            (),
            (2, 0, 1, 6),
        ),
        Piece(
            X_IS_FREE_AT_LAST,
            points((-THIRD, -THIRD), (1, THIRD), (1, 1)),
            "n <= b <= 1 and b/2 - 1/6 <= n",
            (),
            (2, 0, 1, 6),
        ),
        Piece(
            {**NOT_THE_CENTRE, **everybody("519")},
            points((-1, -1), (-THIRD, -THIRD), (-1, -THIRD)),
            "-1 <= b <= n <= -1/3",
            (),
            (2, 1, 3, 3),
        ),
    ]
}


def find_choices(game: Round, piece: Piece) -> tuple[Choices, Choices]:
    """What both seats do, wherever their own moves lead them. Nothing here is trusted: check_region checks it."""
    path = Line(game, piece.moves, [Point(game.tree.rules, *corner) for corner in piece.corners])
    found = []
    for seat in (0, 1):
        sign = -1 if seat == 0 else 1
        caps = [[sign * 9 * piece.value(point.payoffs)] for point in path.points]
        mixed = Answer(game, seat, path, Departure(0, EVERYBODY, caps), [ALL]).mixed()
        found.append({key: _shares(by_child) for key, by_child in mixed.items()})
    return found[0], found[1]


def _shares(by_child: Mapping[int, Fraction]) -> dict[int, Share]:
    """Probabilities in the form of tables: a move of probability 1 has ALL, all plans."""
    return {child: ALL if chance == 1 else chance for child, chance in by_child.items() if chance}


def scaled_array(game: Round, choices: tuple[Choices, Choices]) -> NDArray[np.float64]:
    """float64 (num_nodes, 3): probabilities times SCALE, whole numbers."""
    strategy = SCALE * moves_elsewhere(game.tree)
    for one in choices:
        for (node, goal), by_child in one.items():
            strategy[game.children[node], goal] = 0.0
            for child, share in by_child.items():
                strategy[child, goal] = SCALE * (share if isinstance(share, Fraction) else 1)
    return strategy
