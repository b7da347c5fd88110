"""The opponents to choose from, by name and in words. Plain data, which costs nothing to import.

What they play is in `opponent_bot`; how strong they are was measured as docs/opponents.md says, and a test measures it
again.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Opponent:
    """An opponent in words for somebody who has never played the game.

    description: a sentence. perfect_wins: the percentage, rounded, of matches to 5 that the perfect opponent wins
    against it. expert_wins: the same for the best possible player against it, who knows all about it but its goals.
    uses_solution: whether it plays from a solution; the others play alike at every score of any match.

    >>> print(OPPONENTS["learner-10"].text)
    Has learnt for 10 steps. The perfect one beats it in 67 of 100 matches.
    """

    description: str
    perfect_wins: int
    expert_wins: int
    uses_solution: bool = False

    @property
    def text(self) -> str:
        """The description, and how strong it is."""
        return f"{self.description} The perfect one beats it in {self.perfect_wins} of 100 matches."


OPPONENTS = {
    "perfect": Opponent(
        "Plays so that nobody can win more than half of the matches in the long run.", 50, 50, uses_solution=True
    ),
    "learner-100": Opponent("Has learnt for 100 steps: nearly perfect.", 53, 56),
    "learner-10": Opponent("Has learnt for 10 steps.", 67, 85),
    "careless": Opponent(
        "Plays like the perfect one, but marks a square at random in one move of five.", 72, 79, uses_solution=True
    ),
    "learner-1": Opponent("Has learnt for one step: its first move shows when it wants to win.", 82, 100),
    "uniform": Opponent("Marks any free square at random, whatever its goal.", 98, 99),
}
"""By the name that `--opponent` takes, the strongest first."""

DEFAULT_OPPONENT = "perfect"
