"""Who stands where after matches of pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

Wins = Mapping[tuple[str, str], int]
"""wins[a, b]: how many matches a has won against b."""


class Standing(NamedTuple):
    """A row of the table. place: shared by those who have won the same share of their matches."""

    place: int
    name: str
    won: int
    lost: int

    @property
    def played(self) -> int:
        """Matches that somebody has won."""
        return self.won + self.lost

    @property
    def share(self) -> float:
        """Of the matches, those that were won; 0 without matches."""
        return self.won / self.played if self.played else 0.0


def wins_of(decided: Iterable[tuple[str, str]]) -> Counter[tuple[str, str]]:
    """The wins in matches of which the winner and the loser are given."""
    return Counter(decided)


def standings(names: Iterable[str], wins: Wins) -> list[Standing]:
    """The table: the greatest share of matches won comes first, then the alphabet.

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
