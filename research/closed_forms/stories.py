"""How rounds without any chance in them go when both players play well, and where that is optimal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from plans import GOALS, PURE, Moves, Round, result

from tictactoe.games.rules import RESULTS, Goal, Outcome

Payoffs = tuple[Fraction, Fraction, Fraction, Fraction]
"""What both, first, second and neither scoring are worth to the first mover."""


@dataclass(frozen=True, eq=False)
class Story:
    """A pure path for both seats, and where it is optimal. Points are (b, n), as in the payoffs (b, 1, -1, n).

    corners: of the convex polygon of points where it is claimed to be optimal, counterclockwise; where: the polygon in
    words. derived_at: the points that the answers to departures are derived for.
    """

    moves: Moves
    corners: Sequence[tuple[Fraction, Fraction]]
    where: str
    derived_at: Sequence[tuple[Fraction, Fraction]]

    def covers(self, b: Fraction, n: Fraction) -> bool:
        """Whether the point is in the polygon, the edges included."""
        following = [*self.corners[1:], self.corners[0]]
        return all(
            (right[0] - left[0]) * (n - left[1]) >= (right[1] - left[1]) * (b - left[0])
            for left, right in zip(self.corners, following, strict=True)
        )


class Table(NamedTuple):
    """The ends of the nine rounds of a story, [goal of the first][goal of the second]: outcomes, and indices into
    RESULTS of who scores."""

    outcomes: list[list[Outcome]]
    results: list[list[int]]

    @property
    def counts(self) -> tuple[int, ...]:
        """How many of the nine have each of RESULTS."""
        flat = [one for row in self.results for one in row]
        return tuple(flat.count(index) for index in range(len(RESULTS)))

    def value(self, payoffs: Sequence[Fraction]) -> Fraction:
        """Of the round to the first mover."""
        terms = (count * worth for count, worth in zip(self.counts, payoffs, strict=True))
        return sum(terms, Fraction(0)) / len(Goal) ** 2


def play(game: Round, story: Story) -> Table:
    """Play the nine rounds."""
    moves = {game.find(history): by_goal for history, by_goal in story.moves.items()}

    def outcome(*goals: Goal) -> Outcome:
        node = 0
        while game.outcome[node] < 0:
            own = GOALS[goals[game.owner[node]]]
            squares = next(squares for who, squares in moves[node].items() if own in who)
            node = game.find(game.name(node) + str(*squares))
        return Outcome(game.outcome[node])

    outcomes = [[outcome(first, second) for second in Goal] for first in Goal]
    results = [
        [result(game.tree.rules, 0, end, first, second) for second, end in zip(Goal, row, strict=True)]
        for first, row in zip(Goal, outcomes, strict=True)
    ]
    return Table(outcomes, results)


def everybody(history: str) -> Moves:
    """Moves that are made whatever the goal."""
    return {history[:index]: {"WLT": {int(square): "ABC"}} for index, square in enumerate(history)}


def points(*points: tuple[int | Fraction, int | Fraction]) -> list[tuple[Fraction, Fraction]]:
    return [(Fraction(b), Fraction(n)) for b, n in points]


NOT_THE_CENTRE: Moves = {"1": {"WLT": {9: "ABC"}}, "2": {"WLT": {8: "ABC"}}}
"""Answers to other openings than 5, given so that the programs are smaller."""

LAST_THREE: Moves = {
    **NOT_THE_CENTRE,
    **everybody("519368"),
    "519368": {"W": {4: "ABC"}, "LT": {7: "ABC"}},
    "5193684": {"WT": {2: "ABC"}, "L": {7: "ABC"}},
    "5193687": {"WL": {2: "ABC"}, "T": {4: "ABC"}},
}
ALWAYS_A_TIE: Moves = {**NOT_THE_CENTRE, **everybody("519378")}
STORIES: Mapping[str, Sequence[Story]] = {
    "three-in-a-row": [
        Story(
            PURE,
            points((-1, -1), (1, 1), (-1, 1)),
            "-1 <= b <= n <= 1",
            points((0, 0), (Fraction(1, 13), Fraction(1, 13))),
        )
    ],
    "filled": [
        Story(
            LAST_THREE,
            points((-1, -1), (1, 0), (1, 1), (-1, 1)),
            "-1 <= b <= 1 and (b - 1)/2 <= n <= 1",
            points((0, 0), (Fraction(1, 7), Fraction(1, 7))),
        )
    ],
    "filled-none": [
        Story(
            LAST_THREE,
            points((-1, 0), (0, 0), (1, 1), (-1, 1)),
            "-1 <= b <= n and 0 <= n <= 1",
            points((0, 0), (Fraction(1, 17), Fraction(1, 17))),
        )
    ],
    "filled-tie": [
        Story(
            ALWAYS_A_TIE,
            points((-1, -1), (1, -1), (1, 1), (-1, 1)),
            "-1 <= b <= 1 and -1 <= n <= 1",
            points((-1, -1), (1, -1), (1, 1), (-1, 1)),
        )
    ],
}
"""Of all rules: the first one is that of the single round and of the match to 1."""
