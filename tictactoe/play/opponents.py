"""The opponents to choose from: names, descriptions and strengths. Plain data, which costs little to import.

`bot.py` has their strategies. docs/opponents.md says how their strengths were measured; a test measures again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ..games.rules import DEFAULT_RULES


class Wins(NamedTuple):
    """Percentages, rounded, of the matches that are won against an opponent."""

    perfect: int
    """Of matches to 5, won by the perfect opponent."""
    expert: int
    """Of matches to 5, won by the best responder to this opponent, who knows its strategy but not its
    goals."""
    of_shorter: tuple[int, int, int, int]
    """Of matches to 1, 2, 3 and 4, won by the perfect opponent."""

    @property
    def by_length(self) -> dict[int, int]:
        """Won by the perfect opponent, by the points that win the match, 1 to 5."""
        return dict(enumerate((*self.of_shorter, self.perfect), 1))


@dataclass(frozen=True)
class Opponent:
    """An opponent in words for somebody who has never played the game.

    >>> print(OPPONENTS["learner-10"].text())
    Has practised for 10 steps against itself. The perfect bot beats it in 67 of 100 matches to 5.
    """

    title: str
    """What people read in the place of its name: how strong it is."""
    description: str
    """One sentence."""
    wins: Mapping[str, Wins]
    """By the rules, as str(Rules) writes them, for which a solution ships."""
    uses_solution: bool = False
    """Whether it plays from a solution. Other opponents have one strategy for every score of any match."""

    def text(self, rules: str = DEFAULT_RULES, winning_score: int = 5) -> str:
        """The description and the strength by these rules in matches to so many points. Raises KeyError if the strength
        was not measured: it is for 1 to 5."""
        wins = self.wins[rules].by_length[winning_score]
        return f"{self.description} The perfect bot beats it in {wins} of 100 matches to {winning_score}."


def _wins(three_in_a_row: Wins, filled: Wins) -> Mapping[str, Wins]:
    return {"three-in-a-row": three_in_a_row, "filled": filled}


OPPONENTS = {
    "perfect": Opponent(
        "Perfect",
        "Plays so that nobody can win more than half of the matches in the long run.",
        _wins(Wins(50, 50, (50, 50, 50, 50)), Wins(50, 50, (50, 50, 50, 50))),
        uses_solution=True,
    ),
    "learner-100": Opponent(
        "Expert",
        "Has practised for 100 steps against itself: nearly perfect.",
        _wins(Wins(53, 56, (52, 52, 52, 52)), Wins(51, 55, (51, 51, 51, 51))),
    ),
    "learner-10": Opponent(
        "Student",
        "Has practised for 10 steps against itself.",
        _wins(Wins(67, 85, (62, 63, 64, 66)), Wins(60, 79, (56, 57, 58, 59))),
    ),
    "careless": Opponent(
        "Careless",
        "Plays like the perfect bot, but marks a square at random in one move of five.",
        _wins(Wins(70, 80, (62, 64, 66, 68)), Wins(71, 84, (63, 64, 67, 69))),
        uses_solution=True,
    ),
    "learner-1": Opponent(
        "First try",
        "Has practised for one step: its first move shows when it wants to win.",
        _wins(Wins(79, 100, (78, 76, 76, 78)), Wins(74, 98, (62, 65, 71, 72))),
    ),
    "uniform": Opponent(
        "Random",
        "Marks any free square at random, whatever its goal.",
        _wins(Wins(97, 99, (89, 91, 93, 95)), Wins(96, 98, (85, 89, 92, 95))),
    ),
}
"""By name; the strongest first, by the default rules."""

MEASURED_RULES = tuple(OPPONENTS["perfect"].wins)
"""The rules by which a solution and learners ship."""

DEFAULT_OPPONENT = "perfect"

ADAPTIVE = "adaptive"
"""The bot that adapts to its opponent (`adaptive.py`): in matches, and as a player whose strategy is no fixed one."""
