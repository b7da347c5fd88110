"""An agent of your own in Python: it takes what wins at once, spoils what would, and else marks any free square.

python examples/agents/careful.py                         # a match here, against an opponent that ships
tournament "cmd:python examples/agents/careful.py --play" uniform
"""

from __future__ import annotations

import os
import random
import sys

from tictactoe import Goal, MatchEnd, MatchFacts, RoundEnd, RoundFacts, run_agent

LINES = ((1, 2, 3), (4, 5, 6), (7, 8, 9), (1, 4, 7), (2, 5, 8), (3, 6, 9), (1, 5, 9), (3, 5, 7))


class Careful:
    """Completes its own line when it wants to win; else avoids that, if it can."""

    def __init__(self, seed: str | None = None) -> None:
        self._draw = random.Random(seed)

    def begin_match(self, facts: MatchFacts) -> None:
        """Nothing depends on the match."""

    def begin_round(self, facts: RoundFacts) -> None:
        """Remember what to play for."""
        self._goal = facts.goal

    def choose(self, moves: tuple[int, ...]) -> int:
        """The square to mark. The players alternate, and the last of `moves` is the opponent's."""
        free = [square for square in range(1, 10) if square not in moves]
        own = set(moves[len(moves) % 2 :: 2])
        ends = [square for square in free if any(square in line and own >= {*line} - {square} for line in LINES)]
        wanted = ends if self._goal is Goal.WIN else [square for square in free if square not in ends]
        return self._draw.choice(wanted or free)

    def end_round(self, end: RoundEnd) -> None:
        """The opponent's goal, end.goals[1], could be learnt from here."""

    def end_match(self, end: MatchEnd) -> None:
        """Nothing is kept."""


def main() -> None:
    """A match, or with --play to be played by whoever speaks to this program."""
    if "--play" in sys.argv:
        run_agent(Careful(os.environ.get("TICTACTOE_SEED")), "careful")
        return
    from tictactoe import GameTree, Match, parse_agent, play_match

    tree = GameTree.build()
    match = Match(tree, 3, ("Careful", "learner-1"), first=0, seed=1)
    play_match((Careful("1"), parse_agent("learner-1").agent(tree, seed=1)), match)
    assert match.winner is not None
    print(f"{match.names[match.winner]} wins after {len(match.rounds)} rounds: {match.points[0]}-{match.points[1]}")


if __name__ == "__main__":
    main()
