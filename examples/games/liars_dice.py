"""Liar's dice as a description: one die of six sides each, by the rules of OpenSpiel's game liars_dice.

Both players roll a die, and see their own. In turn they claim how often a face lies on the table, on both dice
together: "1-4" is one four at least. A six counts as any face. Each claim must be higher than the last one: of a higher
face, or of two dice after one. Instead of a claim a player may say that the other lies. Then both dice are shown: if
the claim is true, who made it wins 1; if not, who doubted it. Player 0 begins. The value to player 0 is -7/258:
tests/games/test_example_games.py proves it in fractions.

Shows a game of long histories: every set of claims is one, in rising order. Run it: python examples/games/liars_dice.py
"""

from __future__ import annotations

import time
from fractions import Fraction
from typing import NamedTuple

from tictactoe import CFRSolver, build_game, exploitability, update_rule


class State(NamedTuple):
    owner: int | None = 0
    claim: int = -1
    """The number of the last claim; -1 before the first."""
    doubter: int = 0
    """Who has said that the other lies, when the game is over."""


class LiarsDice:
    """Liar's dice.

    Both roll a die in secret, and claim in turn how many of the two show a face:
    1-4 is at least one 4, 2-4 two. A six counts as any face. Each claim is higher:
    of a higher face, or two dice after one. Or say liar: the dice are shown, and
    who made the claim gets 1 from the other if it is true, pays 1 if not.
    """

    def __init__(self, sides: int = 6, wild: int | None = 6) -> None:
        self._sides, self._wild = sides, wild
        self._claims = [(dice, face) for dice in (1, 2) for face in range(1, sides + 1)]
        faces = tuple(range(1, sides + 1))
        self.types = (faces, faces)

    def prior(self, first: int, second: int) -> Fraction:
        return Fraction(1, self._sides**2)

    def root(self) -> State:
        return State()

    def owner(self, state: State) -> int | None:
        return state.owner

    def moves(self, state: State) -> list[tuple[str, State]]:
        assert state.owner is not None
        higher = range(state.claim + 1, len(self._claims))
        found = [("{}-{}".format(*self._claims[claim]), State(1 - state.owner, claim)) for claim in higher]
        return found if state.claim < 0 else [*found, ("liar", State(None, state.claim, state.owner))]

    def show(self, state: State) -> str:
        return "No claim yet." if state.claim < 0 else "The claim: {}-{}.".format(*self._claims[state.claim])

    def payoff(self, state: State, first: int, second: int) -> float:
        dice, face = self._claims[state.claim]
        true = sum(die in (face, self._wild) for die in (first, second)) >= dice
        return 1.0 if true == (state.doubter == 1) else -1.0


def main() -> None:
    game = build_game(LiarsDice())
    solver = CFRSolver(game, update_rule("dcfr"))
    began = time.perf_counter()
    solver.run(3000)
    seconds = time.perf_counter() - began
    strategy = solver.average_strategy()
    found = exploitability(game, strategy)
    print(f"Liar's dice, value to the first player: {found.value:.6f}; exactly: -7/258 = {-7 / 258:.6f}")
    print(f"exploitability: {found.total:.1e}, nodes: {game.tree.num_nodes:,}, seconds: {seconds:.2f}\n")
    print("die  first claim")
    for die in game.types[0]:
        claims = game.information_set(strategy, (), die).probabilities
        print(f"{die:3}  " + ", ".join(f"{claim} {share:.3f}" for claim, share in claims.items() if share > 0.0005))


if __name__ == "__main__":
    main()
