"""The opponents to choose from: names, descriptions and strengths. Plain data, which costs little to import.

`opponent_bot` has their strategies. docs/opponents.md says how their strengths were measured; a test measures again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ..games.rules import DEFAULT_RULES


class Wins(NamedTuple):
    """Percentages, rounded, of the matches to 5 that are won against an opponent."""

    perfect: int
    """Won by the perfect opponent."""
    expert: int
    """Won by the best possible player against this opponent, who knows its strategy but not its goals."""


@dataclass(frozen=True)
class Opponent:
    """An opponent in words for somebody who has never played the game.

    >>> print(OPPONENTS["learner-10"].text())
    Has practised for 10 steps against itself. The perfect bot beats it in 67 of 100 matches.
    """

    title: str
    """What people read in the place of its name: how strong it is."""
    description: str
    """One sentence."""
    wins: Mapping[str, Wins]
    """By the rules, as str(Rules) writes them, for which a solution ships."""
    uses_solution: bool = False
    """Whether it plays from a solution. Other opponents have one strategy for every score of any match."""

    def text(self, rules: str = DEFAULT_RULES) -> str:
        """The description and the strength by these rules. Raises KeyError if the strength was not measured."""
        return f"{self.description} The perfect bot beats it in {self.wins[rules].perfect} of 100 matches."


def _wins(three_in_a_row: Wins, filled: Wins) -> Mapping[str, Wins]:
    return {"three-in-a-row": three_in_a_row, "filled": filled}


OPPONENTS = {
    "perfect": Opponent(
        "Perfect",
        "Plays so that nobody can win more than half of the matches in the long run.",
        _wins(Wins(50, 50), Wins(50, 50)),
        uses_solution=True,
    ),
    "learner-100": Opponent(
        "Expert", "Has practised for 100 steps against itself: nearly perfect.", _wins(Wins(53, 56), Wins(51, 55))
    ),
    "learner-10": Opponent("Student", "Has practised for 10 steps against itself.", _wins(Wins(67, 85), Wins(60, 79))),
    "careless": Opponent(
        "Careless",
        "Plays like the perfect bot, but marks a square at random in one move of five.",
        _wins(Wins(70, 80), Wins(71, 84)),
        uses_solution=True,
    ),
    "learner-1": Opponent(
        "First try",
        "Has practised for one step: its first move shows when it wants to win.",
        _wins(Wins(79, 100), Wins(74, 98)),
    ),
    "uniform": Opponent(
        "Random", "Marks any free square at random, whatever its goal.", _wins(Wins(97, 99), Wins(96, 98))
    ),
}
"""By name; the strongest first, by the default rules."""

MEASURED_RULES = tuple(OPPONENTS["perfect"].wins)
"""The rules by which a solution and learners ship."""

DEFAULT_OPPONENT = "perfect"
