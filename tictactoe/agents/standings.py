"""The table of a tournament: players by their share of matches won."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

Wins = Mapping[tuple[str, str], int]
"""wins[a, b]: the number of matches that a has won against b."""


class Standing(NamedTuple):
    """A row of the table."""

    place: int
    """The place, from 1. Players with the same share of matches won have the same place."""
    name: str
    won: int
    lost: int

    @property
    def played(self) -> int:
        """Matches with a winner."""
        return self.won + self.lost

    @property
    def share(self) -> float:
        """The share of these matches that the player won; 0 without matches."""
        return self.won / self.played if self.played else 0.0


def wins_of(decided: Iterable[tuple[str, str]]) -> Counter[tuple[str, str]]:
    """Count the wins in matches, each given as (winner, loser)."""
    return Counter(decided)


def standings(names: Iterable[str], wins: Wins) -> list[Standing]:
    """The rows of the table, by share of matches won, then by name.

    >>> [tuple(row) for row in standings(["Ann", "Bob", "Cy"], {("Bob", "Ann"): 2, ("Ann", "Cy"): 1})]
    [(1, 'Bob', 2, 0), (2, 'Ann', 1, 2), (3, 'Cy', 0, 1)]
    """
    rows = []
    for name in names:
        won = sum(number for (winner, _), number in wins.items() if winner == name)
        lost = sum(number for (_, loser), number in wins.items() if loser == name)
        rows.append(Standing(0, name, won, lost))
    rows.sort(key=lambda row: (-row.share, row.name))
    shares = [row.share for row in rows]
    return [row._replace(place=shares.index(row.share) + 1) for row in rows]
