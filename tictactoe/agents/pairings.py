"""The schedule of a round robin: the matches in order, and the seeds of their draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..play.randomness import generator_for


class Pairing(NamedTuple):
    """A match to be played."""

    number: int
    """The number of the match in the tournament, from 1."""
    names: tuple[str, str]
    """The names of players 0 and 1, in alphabetical order."""
    first: int
    """The player, 0 or 1, who moves first in the first round."""
    game: int
    """The number of earlier matches of these two players."""

    def seed(self, tournament_seed: int | None, purpose: str = "match") -> int | None:
        """The seed of the draws in this match for a purpose; None for a tournament without a seed.

        The seed depends neither on the other players nor on the order of the matches.
        """
        if tournament_seed is None:
            return None
        return generator_for(tournament_seed, f"{purpose} {self.names} {self.game}").getrandbits(62)


def round_robin(names: Sequence[str], num_matches: int) -> list[Pairing]:
    """The matches of a round robin in the order in which they begin; each pair takes turns at moving first.

    The circle method: in every turn of the circle each player has one match at most, so that many matches can be in
    progress at the same time. Raises ValueError unless there are two names or more, all different.

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
