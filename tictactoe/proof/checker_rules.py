"""The checker's own statement of the rules: when a round has ended, which goals have then come true, the goals' odds.

It uses only the standard library and nothing from the solver. The solver has its own statement, games/rules.py, so a
mistake there does not reach the proof. A board is two bit masks, the marks of the first and of the second mover; bit s
stands for square s, 0 to 8.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import cache
from math import gcd
from typing import NamedTuple

WIN, LOSE, TIE, BOTH = range(4)
"""Endings, as the first mover sees them; BOTH: both players have three in a row. The first three numbers are goals,
too, as the player sees them who has the goal."""
GOALS = (WIN, LOSE, TIE)
MOST_ODDS = 1_000_000
"""The largest of the three numbers in the odds of goals."""
FULL_BOARD = 0b111111111
_LINES = (0b111, 0b111000, 0b111000000, 0b1001001, 0b10010010, 0b100100100, 0b100010001, 0b1010100)

Ending = Callable[[int, int], int | None]
"""From the marks of the first and of the second mover to the ending; None while the round goes on. Turning or
mirroring the board changes nothing."""
Goals = tuple[Collection[int], Collection[int]]
"""The goals with which the first mover scores, and the goals with which the second does."""


@cache
def _line(marks: int) -> bool:
    return any(marks & line == line for line in _LINES)


def first_line(first: int, second: int) -> int | None:
    """The first three in a row ends the round, or a full board."""
    if _line(first):
        return WIN
    if _line(second):
        return LOSE
    return TIE if first | second == FULL_BOARD else None


def full_board(first: int, second: int) -> int | None:
    """The full board ends the round; who has three in a row then?"""
    if first | second != FULL_BOARD:
        return None
    return {(True, False): WIN, (False, True): LOSE, (False, False): TIE, (True, True): BOTH}[
        _line(first), _line(second)
    ]


def full_board_both_as_none(first: int, second: int) -> int | None:
    """The full board ends the round; if both have three in a row, it is a tie, as if nobody had."""
    ending = full_board(first, second)
    return TIE if ending == BOTH else ending


_ONE_WINS: tuple[Goals, ...] = (((WIN,), (LOSE,)), ((LOSE,), (WIN,)), ((TIE,), (TIE,)))
_STATEMENTS: dict[str, tuple[Ending, tuple[Goals, ...]]] = {
    "three-in-a-row": (first_line, _ONE_WINS),
    "filled": (full_board, (*_ONE_WINS, ((WIN,), (WIN,)))),
    "filled-none": (full_board, (*_ONE_WINS, ((), ()))),
    "filled-tie": (full_board_both_as_none, _ONE_WINS),
}
"""By the name of the rules: when and how a round ends, and the goals that score, by ending."""


class Rules(NamedTuple):
    """The rules of a round, and how likely each goal is drawn."""

    name: str = "three-in-a-row"
    odds: tuple[int, int, int] = (1, 1, 1)
    """Of win, lose and tie, in lowest terms, the same for both players."""

    def __str__(self) -> str:
        """As files name them: filled, or filled 2:1:1."""
        return self.name if self.odds == (1, 1, 1) else f"{self.name} {':'.join(map(str, self.odds))}"

    @property
    def ending(self) -> Ending:
        """The function that says when and how a round has ended."""
        return _STATEMENTS[self.name][0]

    @property
    def goals_true(self) -> tuple[Goals, ...]:
        """By ending, the goals with which the first and the second mover score."""
        return _STATEMENTS[self.name][1]


def read_rules(text: str) -> Rules:
    """The rules that a file names. Raises ValueError unless the text is exactly str() of rules that the checker
    knows."""
    name, _, odds_text = text.partition(" ")
    odds = re.fullmatch("([0-9]{1,7}):([0-9]{1,7}):([0-9]{1,7})", odds_text or "1:1:1", re.ASCII)
    if name in _STATEMENTS and odds:
        win, lose, tie = map(int, odds.groups())
        rules = Rules(name, (win, lose, tie))
        if gcd(*rules.odds) == 1 and max(rules.odds) <= MOST_ODDS and str(rules) == text:  # gcd(0, 0, 0) is 0
            return rules
    raise ValueError(f"unknown rules: {text}")
