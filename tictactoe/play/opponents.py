"""The opponents to choose from, by name and in words. Plain data, which costs little to import.

What they play is in `opponent_bot`; how strong they are was measured as docs/opponents.md says, and a test measures it
again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ..games.rules import DEFAULT_RULES


class Wins(NamedTuple):
    """Percentages, rounded, of the matches to 5 that are won against an opponent.

    perfect: by the perfect opponent. expert: by the best possible player against it, who knows all about it but its
    goals.
    """

    perfect: int
    expert: int


@dataclass(frozen=True)
class Opponent:
    """An opponent in words for somebody who has never played the game.

    description: a sentence. wins: by the rules, as str(Rules) writes them, for which a solution ships.
    uses_solution: whether it plays from a solution; the others play alike at every score of any match.

    >>> print(OPPONENTS["learner-10"].text())
    Has learnt for 10 steps. The perfect one beats it in 68 of 100 matches.
    """

    description: str
    wins: Mapping[str, Wins]
    uses_solution: bool = False

    def text(self, rules: str = DEFAULT_RULES) -> str:
        """The description, and how strong it is by these rules. KeyError where that has not been measured."""
        return f"{self.description} The perfect one beats it in {self.wins[rules].perfect} of 100 matches."


def _wins(three_in_a_row: Wins, filled: Wins) -> Mapping[str, Wins]:
    return {"three-in-a-row": three_in_a_row, "filled": filled}


OPPONENTS = {
    "perfect": Opponent(
        "Plays so that nobody can win more than half of the matches in the long run.",
        _wins(Wins(50, 50), Wins(50, 50)),
        uses_solution=True,
    ),
    "learner-100": Opponent("Has learnt for 100 steps: nearly perfect.", _wins(Wins(53, 56), Wins(51, 55))),
    "learner-10": Opponent("Has learnt for 10 steps.", _wins(Wins(68, 85), Wins(58, 79))),
    "careless": Opponent(
        "Plays like the perfect one, but marks a square at random in one move of five.",
        _wins(Wins(70, 82), Wins(70, 85)),
        uses_solution=True,
    ),
    "learner-1": Opponent(
        "Has learnt for one step: its first move shows when it wants to win.", _wins(Wins(84, 100), Wins(68, 98))
    ),
    "uniform": Opponent("Marks any free square at random, whatever its goal.", _wins(Wins(98, 99), Wins(97, 98))),
}
"""By the name that `--opponent` takes; the strongest first, by the default rules."""

MEASURED = tuple(OPPONENTS["perfect"].wins)
"""The rules by which a solution and learners ship."""

DEFAULT_OPPONENT = "perfect"
