"""The rules of a round as data: goals, results, endings and odds.

To add rules, add an entry to RULES, and the checker's own statement of them to proof/checker_tree.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from math import gcd
from typing import NamedTuple

from .board import FULL, Board, has_line


class Goal(IntEnum):
    """The secret goal of a player for one round, from that player's own seat.

    >>> from tictactoe import Goal
    >>> [goal.name for goal in Goal]
    ['WIN', 'LOSE', 'TIE']
    """

    WIN = 0
    LOSE = 1
    TIE = 2


class Seat(IntEnum):
    """Moving first or second in a round.

    >>> from tictactoe import Seat
    >>> int(Seat.FIRST), int(Seat.SECOND)
    (0, 1)
    """

    FIRST = 0
    SECOND = 1


class OutcomeValues(NamedTuple):
    """The worth of the four results of a round to the first mover (match value, -1 to 1), by who scores.

    >>> from tictactoe import SINGLE_ROUND, OutcomeValues
    >>> SINGLE_ROUND == OutcomeValues(both=0.0, first=1.0, second=-1.0, neither=0.0)
    True
    """

    both: float
    first: float
    second: float
    neither: float


SINGLE_ROUND = OutcomeValues(both=0.0, first=1.0, second=-1.0, neither=0.0)
"""The outcome values of a round on its own: a player's points minus the opponent's."""

RESULTS = ((True, True), (True, False), (False, True), (False, False))
"""The results (first scores, second scores), in the order of the fields of OutcomeValues."""


GOAL_NAMES = tuple(goal.name.lower() for goal in Goal)
"""The names of the goals: win, lose, tie."""


def goal_name(goal: int) -> str:
    """The name of a goal: win, lose or tie."""
    return Goal(goal).name.lower()


class Outcome(IntEnum):
    """The end of a round's board, as the first mover sees it.

    BOTH_LINES occurs only if three in a row of both players is neither a win nor a tie.

    >>> from tictactoe import Outcome
    >>> [outcome.name for outcome in Outcome]
    ['WIN', 'LOSE', 'TIE', 'BOTH_LINES']
    """

    WIN = 0
    LOSE = 1
    TIE = 2
    BOTH_LINES = 3


class GoalsTrue(NamedTuple):
    """The goals that come true for each seat."""

    first: frozenset[Goal]
    second: frozenset[Goal]


@dataclass(frozen=True, eq=False)
class RoundRules:
    """The rules of a round without the odds."""

    outcome: Callable[[Board], Outcome | None]
    """The outcome of a round with a board; None while the round continues. It is the same for all images of a board and
    for all orders of the moves."""
    goals_true: Mapping[Outcome, GoalsTrue]
    """The goals that come true with each outcome that these rules have."""
    title: str
    """The difference from other rules, in a few words."""
    text: str
    """The rules in sentences."""
    to_do: Mapping[Goal, str]
    """The words after "you want to", by goal; {} is replaced by the opponent."""
    happened: Mapping[Outcome, str]
    """The words for what the board shows at the end, by outcome."""
    briefly: Mapping[Outcome, str]
    """The words for the end of the board in brief, by outcome."""

    @property
    def ends_with_line(self) -> bool:
        """Whether three in a row ends a round at once."""
        return self.outcome(_WITH_LINE) is not None

    def scores(self, outcome: Outcome, first_goal: Goal, second_goal: Goal) -> tuple[bool, bool]:
        """Whether the first and whether the second mover scores when the round ends in `outcome`."""
        first, second = self.goals_true[outcome]
        return first_goal in first, second_goal in second


_WITH_LINE = Board(first=0b000_000_111, second=0b000_011_000)


def _goals(first: str, second: str) -> GoalsTrue:
    return GoalsTrue(*(frozenset(Goal[name.upper()] for name in names.split()) for names in (first, second)))


def _first_line(board: Board) -> Outcome | None:
    if has_line(board.first):
        return Outcome.WIN
    if has_line(board.second):
        return Outcome.LOSE
    return Outcome.TIE if board.first | board.second == FULL else None


def _full_board(board: Board) -> Outcome | None:
    if board.first | board.second != FULL:
        return None
    if has_line(board.first):
        return Outcome.BOTH_LINES if has_line(board.second) else Outcome.WIN
    return Outcome.LOSE if has_line(board.second) else Outcome.TIE


def _full_board_or_tie(board: Board) -> Outcome | None:
    outcome = _full_board(board)
    return Outcome.TIE if outcome is Outcome.BOTH_LINES else outcome


_USUAL = {Outcome.WIN: _goals("win", "lose"), Outcome.LOSE: _goals("lose", "win"), Outcome.TIE: _goals("tie", "tie")}
_BRIEFLY = {Outcome.WIN: "X row", Outcome.LOSE: "O row", Outcome.TIE: "tie", Outcome.BOTH_LINES: "X+O row"}

_FILLED = RoundRules(
    outcome=_full_board,
    goals_true=_USUAL | {Outcome.BOTH_LINES: _goals("win", "win")},
    title="the board is filled",
    text="Three in a row does not end the round, which continues until all nine squares are marked. Whoever then has "
    "three in a row has won, or both if both have. If only one has won, the other has lost. If nobody has three "
    "in a row, it is a tie.",
    to_do={
        Goal.WIN: "have three in a row in the end",
        Goal.LOSE: "let only {} have three in a row",
        Goal.TIE: "see that nobody gets three in a row",
    },
    happened={
        Outcome.WIN: "X has three in a row, O has not",
        Outcome.LOSE: "O has three in a row, X has not",
        Outcome.TIE: "nobody has three in a row",
        Outcome.BOTH_LINES: "both have three in a row",
    },
    briefly=_BRIEFLY,
)

RULES: dict[str, RoundRules] = {
    "three-in-a-row": RoundRules(
        outcome=_first_line,
        goals_true=_USUAL,
        title="three in a row ends the round",
        text="The first three in a row ends the round: whoever has it has won, and the other has lost. A full board "
        "without three in a row is a tie.",
        to_do={
            Goal.WIN: "complete three in a row",
            Goal.LOSE: "make {} complete three in a row",
            Goal.TIE: "see that nobody gets three in a row",
        },
        happened={
            Outcome.WIN: "X completes three in a row",
            Outcome.LOSE: "O completes three in a row",
            Outcome.TIE: "nobody completes three in a row",
        },
        briefly=_BRIEFLY,
    ),
    "filled": _FILLED,
    "filled-none": replace(
        _FILLED,
        goals_true=_USUAL | {Outcome.BOTH_LINES: _goals("", "")},
        title="the board is filled; rows of both count for nobody",
        text="Three in a row does not end the round, which continues until all nine squares are marked. If only one "
        "player then has three in a row, that player has won, and the other has lost. If nobody has, it is a tie. If "
        "both have, nobody's goal comes true.",
        to_do={**_FILLED.to_do, Goal.WIN: "be the only one with three in a row"},
    ),
    "filled-tie": replace(
        _FILLED,
        outcome=_full_board_or_tie,
        goals_true=_USUAL,
        title="the board is filled; rows of both are a tie",
        text="Three in a row does not end the round, which continues until all nine squares are marked. If only one "
        "player then has three in a row, that player has won, and the other has lost. If nobody has, or both have, it "
        "is a tie.",
        to_do={
            **_FILLED.to_do,
            Goal.WIN: "be the only one with three in a row",
            Goal.TIE: "let nobody or both have three in a row",
        },
        happened={**_FILLED.happened, Outcome.TIE: "nobody has three in a row, or both have"},
    ),
}
"""The rules by the names that commands and files use."""

DEFAULT_RULES = "three-in-a-row"
MOST_ODDS = 1_000_000
"""The largest number in goal odds."""


@dataclass(frozen=True)
class Rules:
    """The rules of a round: an entry of RULES by its name, and the odds of the goals.

    `str(rules)` is the text in files and reports: the name, followed by the odds if they are not even.

    Raises ValueError for an unknown name, and for odds that are not three whole numbers from 0 to MOST_ODDS, or all 0.

    >>> from tictactoe import Board, Goal, Rules
    >>> rules = Rules("filled", (2, 4, 2))
    >>> print(rules)
    filled 1:2:1
    >>> board = Board(first=0b100_101_111, second=0b011_010_000)
    >>> rules.outcome(board).name, rules.scores(rules.outcome(board), Goal.WIN, Goal.TIE)
    ('WIN', (True, False))
    """

    name: str = DEFAULT_RULES
    """The name of the rules, a key of RULES."""
    goal_odds: tuple[int, int, int] = (1, 1, 1)
    """The odds win : lose : tie, in lowest terms. They are the same for both players, who draw independently."""

    def __post_init__(self) -> None:
        if self.name not in RULES:
            raise ValueError(f"rules: unknown rules {self.name[:40]!r}; known: {', '.join(RULES)}")
        odds = tuple(self.goal_odds)
        if len(odds) != len(Goal) or not all(type(one) is int and 0 <= one <= MOST_ODDS for one in odds):
            raise ValueError(f"goal_odds: {odds} are not three whole numbers from 0 to {MOST_ODDS:,}")
        if not any(odds):
            raise ValueError("goal_odds: all are 0, so no goal can be drawn")
        object.__setattr__(self, "goal_odds", tuple(one // gcd(*odds) for one in odds))

    def __str__(self) -> str:
        return self.name if self.has_even_odds else f"{self.name} {self.odds_text}"

    @property
    def has_even_odds(self) -> bool:
        """Whether all goals are equally likely."""
        return len({*self.goal_odds}) == 1

    @property
    def odds_text(self) -> str:
        """The odds win:lose:tie, as `parse_odds` reads them."""
        return ":".join(map(str, self.goal_odds))

    @classmethod
    def parse(cls, text: str) -> Rules:
        """Read the text of `str(rules)`. Raises ValueError for any other text.

        >>> Rules.parse("filled 1:2:1").goal_odds, Rules.parse("filled") == Rules("filled")
        ((1, 2, 1), True)
        """
        name, _, odds = text.partition(" ")
        rules = cls(name, parse_odds(odds)) if odds else cls(name)
        if str(rules) != text:
            raise ValueError(f"rules: {text[:60]!r} where {str(rules)!r} would be right")
        return rules

    @property
    def of_round(self) -> RoundRules:
        """The rules without the odds."""
        return RULES[self.name]

    @property
    def goal_probabilities(self) -> tuple[float, ...]:
        """The probability of each goal."""
        return tuple(one / sum(self.goal_odds) for one in self.goal_odds)

    def outcome(self, board: Board) -> Outcome | None:
        """The outcome of a round with this board; None while the round continues."""
        return self.of_round.outcome(board)

    def goals_true(self, outcome: Outcome) -> GoalsTrue:
        """The goals that come true with an outcome, by seat."""
        return self.of_round.goals_true[outcome]

    def scores(self, outcome: Outcome, first_goal: Goal, second_goal: Goal) -> tuple[bool, bool]:
        """Whether the first and whether the second mover scores when the round ends in `outcome`."""
        return self.of_round.scores(outcome, first_goal, second_goal)


def by_rules(rules: Rules | str) -> str:
    """Words to add to a round or a match, such as " by the rules filled 2:1:1"; "" for the default rules."""
    return "" if str(rules) == DEFAULT_RULES else f" by the rules {rules}"


def parse_odds(text: str) -> tuple[int, int, int]:
    """Read odds win:lose:tie, such as 2:1:1. Raises ValueError for any other text."""
    if not re.fullmatch("[0-9]{1,9}:[0-9]{1,9}:[0-9]{1,9}", text):
        raise ValueError(f"goal_odds: {text[:40]!r} are not whole numbers win:lose:tie, such as 2:1:1")
    win, lose, tie = map(int, text.split(":"))
    return win, lose, tie
