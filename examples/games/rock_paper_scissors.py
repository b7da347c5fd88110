"""Rock-paper-scissors: how to hide a move in a library whose moves are all public.

The first player has a secret number, its pad: 0, 1 or 2 with probability 1/3 each. It says a number aloud; its throw is
the sum of pad and said number, modulo 3. Whatever the probabilities of its throws, a player can say all numbers equally
often, and then the said number tells nothing about the throw. So the second player, who answers in public, knows no
more than if both threw at once. (Cryptography calls the secret number a one-time pad.)

The program solves two games: the usual one, and one in which rock against scissors counts double. Both values are 0,
because the players have the same chances. The only equilibrium of the second game is rock 1/4, paper 1/2, scissors 1/4.
The first player throws so after every said number; the second player answers so on average over the numbers that it can
hear. (After a single number the second player may favour a throw: the gain against one pad is a loss against another.)
Run it: python examples/games/rock_paper_scissors.py
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tictactoe import BuiltGame, CFRSolver, build_game, exploitability, update_rule

THROWS = ("rock", "paper", "scissors")
PADS = (0, 1, 2)
History = tuple[Any, ...]


class RockPaperScissors:
    """Rock, paper, scissors, with a pad.

    Player 0 has a secret number, 0, 1 or 2, and says one aloud. The sum is its throw: 0 or 3 is rock, 1 or 4 paper,
    2 scissors. Player 1 answers with a throw. Rock beats scissors, scissors paper, and paper rock, for 1.
    """

    # a state is the history: the number that player 0 has said, and the throw of player 1

    types = (PADS, ("no secret",))

    def __init__(self, rock_beats_scissors: float = 1.0) -> None:
        self._worth = {("rock", "scissors"): rock_beats_scissors, ("paper", "rock"): 1.0, ("scissors", "paper"): 1.0}

    def prior(self, pad: int, nothing: str) -> float:
        return 1 / 3

    def root(self) -> History:
        return ()

    def owner(self, history: History) -> int | None:
        return len(history) if len(history) < 2 else None

    def moves(self, history: History) -> list[tuple[Any, History]]:
        names = PADS if history == () else THROWS
        return [(name, (*history, name)) for name in names]

    def payoff(self, history: History, pad: int, nothing: str) -> float:
        said, answer = history
        throw = thrown(pad, said)
        return self._worth.get((throw, answer), 0.0) - self._worth.get((answer, throw), 0.0)


def thrown(pad: int, said: int) -> str:
    """The first player's throw."""
    return THROWS[(pad + said) % 3]


def first_throws(game: BuiltGame, strategy: NDArray[np.float64], said: int) -> list[float]:
    """The probability of each throw of the first player, given the number that it has said."""
    said_with = {thrown(pad, said): game.information_set(strategy, (), pad).probabilities[said] for pad in PADS}
    return [said_with[throw] / sum(said_with.values()) for throw in THROWS]


def second_throws(game: BuiltGame, strategy: NDArray[np.float64]) -> list[float]:
    """The probability of each throw of the second player, averaged over the three numbers that it can hear."""
    heard = [game.information_set(strategy, (said,), "no secret").probabilities for said in PADS]
    return [sum(answers[throw] for answers in heard) / 3 for throw in THROWS]


def main() -> None:
    for worth in (1.0, 2.0):
        game = build_game(RockPaperScissors(worth))
        solver = CFRSolver(game, update_rule("pdcfr+"))
        solver.run(2000)
        strategy = solver.average_strategy()
        found = exploitability(game, strategy)
        value = round(found.value, 6) + 0.0  # without a minus before 0
        print(f"Rock beats scissors: {worth:g}. Value: {value:.6f}, exploitability: {found.total:.1e}")
        rows = {f"first player, having said {said}": first_throws(game, strategy, said) for said in PADS}
        rows["second player, on average"] = second_throws(game, strategy)
        print(f"{'':27}", *(f"{throw:>8}" for throw in THROWS))
        for who, chances in rows.items():
            print(f"{who:27}", *(f"{chance:8.3f}" for chance in chances))
        print()


if __name__ == "__main__":
    main()
