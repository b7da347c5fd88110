"""The checker's own statement of the rules of a round: when it has ended, which goals are true then, their odds.

Standard library only, and nothing from the solver, whose own statement games/rules.py is: a mistake there is found out
here. A board is two bit masks, the marks of the first and of the second mover, with square 0 to 8 in that bit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import cache
from math import gcd
from typing import NamedTuple

WIN, LOSE, TIE, BOTH = range(4)
"""Endings, as the first mover sees them. The first three are goals, too, as their player sees them."""
GOALS = (WIN, LOSE, TIE)
MOST_ODDS = 1_000_000
FULL = 0b111111111
_LINES = (0b111, 0b111000, 0b111000000, 0b1001001, 0b10010010, 0b100100100, 0b100010001, 0b1010100)

Ending = Callable[[int, int], int | None]
"""How a round with these marks on the board has ended, None while it goes on. The same for all images of a board."""
Goals = tuple[Collection[int], Collection[int]]
"""The goals that are true for the first mover, and for the second."""


@cache
def _line(marks: int) -> bool:
    return any(marks & line == line for line in _LINES)


def first_line(first: int, second: int) -> int | None:
    """The first three in a row ends the round, or a full board."""
    if _line(first):
        return WIN
    if _line(second):
        return LOSE
    return TIE if first | second == FULL else None


def full_board(first: int, second: int) -> int | None:
    """The full board ends the round; who has three in a row then?"""
    if first | second != FULL:
        return None
    return {(True, False): WIN, (False, True): LOSE, (False, False): TIE, (True, True): BOTH}[
        _line(first), _line(second)
    ]


def full_board_both_as_none(first: int, second: int) -> int | None:
    """The full board ends the round; that both have three in a row is the same as that nobody has."""
    ending = full_board(first, second)
    return TIE if ending == BOTH else ending


_ONE_WINS: tuple[Goals, ...] = (((WIN,), (LOSE,)), ((LOSE,), (WIN,)), ((TIE,), (TIE,)))
_STATEMENTS: dict[str, tuple[Ending, tuple[Goals, ...]]] = {
    "three-in-a-row": (first_line, _ONE_WINS),
    "filled": (full_board, (*_ONE_WINS, ((WIN,), (WIN,)))),
    "filled-none": (full_board, (*_ONE_WINS, ((), ()))),
    "filled-tie": (full_board_both_as_none, _ONE_WINS),
}
"""By name: when a round ends and how, and by ending the goals that are true then."""


class Rules(NamedTuple):
    """Rules by their name, and the odds of the goals (win, lose, tie) in lowest terms, the same for both players."""

    name: str = "three-in-a-row"
    odds: tuple[int, int, int] = (1, 1, 1)

    def __str__(self) -> str:
        """As files name them: filled, or filled 2:1:1."""
        return self.name if self.odds == (1, 1, 1) else f"{self.name} {':'.join(map(str, self.odds))}"

    @property
    def ending(self) -> Ending:
        """When a round ends, and how."""
        return _STATEMENTS[self.name][0]

    @property
    def goals_true(self) -> tuple[Goals, ...]:
        """By ending, for the first and for the second mover."""
        return _STATEMENTS[self.name][1]


def read_rules(text: str) -> Rules:
    """The rules that a file names. Raises ValueError for rules that the checker does not know, spelt as they are."""
    name, _, odds_text = text.partition(" ")
    odds = re.fullmatch("([0-9]{1,7}):([0-9]{1,7}):([0-9]{1,7})", odds_text or "1:1:1", re.ASCII)
    if name in _STATEMENTS and odds:
        win, lose, tie = map(int, odds.groups())
        rules = Rules(name, (win, lose, tie))
        if gcd(*rules.odds) == 1 and max(rules.odds) <= MOST_ODDS and str(rules) == text:  # of 0:0:0 it is 0
            return rules
    raise ValueError(f"unknown rules: {text}")
