"""A round robin: who plays whom, in which order, and what is drawn for each match."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..play.randomness import generator_for


class Pairing(NamedTuple):
    """A match to be played. number: of the match in the tournament, from 1. names: of players 0 and 1, in the order of
    the alphabet. first: which of them moves first in its first round. game: how many matches the two had before."""

    number: int
    names: tuple[str, str]
    first: int
    game: int

    def seed(self, tournament_seed: int | None, purpose: str = "match") -> int | None:
        """Of what is drawn in this match, or in another way for another purpose; None without a seed.

        It does not depend on who else plays, nor on the order of the matches.
        """
        if tournament_seed is None:
            return None
        return generator_for(tournament_seed, f"{purpose} {self.names} {self.game}").getrandbits(62)


def round_robin(names: Sequence[str], num_matches: int) -> list[Pairing]:
    """Everybody against everybody, so many matches a pair; whoever moves first alternates.

    In the order in which they begin. The circle method: in every turn of the circle each plays at most once, so that
    many matches can go on at a time. ValueError unless names differ and there are two at least.

    >>> [(each.names, each.first) for each in round_robin(["Bob", "Ann"], 2)]
    [(('Ann', 'Bob'), 0), (('Ann', 'Bob'), 1)]
    """
    if len(names) < 2 or len(set(names)) != len(names):
        raise ValueError("names: at least two different ones are needed")
    circle: list[str | None] = [*sorted(names)]
    if len(circle) % 2:
        circle.append(None)
    half = len(circle) // 2
    found: list[Pairing] = []
    for game in range(num_matches):
        for _ in range(len(circle) - 1):
            for one, other in zip(circle[:half], reversed(circle[half:]), strict=True):
                if one is not None and other is not None:
                    pair = (one, other) if one < other else (other, one)
                    found.append(Pairing(len(found) + 1, pair, game % 2, game))
            circle = [circle[0], circle[-1], *circle[1:-1]]
    return found
