"""Rock-paper-scissors: both throw at once, so each move is hidden from the other player.

The program solves two games: the usual one, and one in which rock against scissors counts double. Both values are 0,
because the players have the same chances. The only equilibrium of the second game is rock 1/4, paper 1/2, scissors 1/4.
Run it: python examples/games/rock_paper_scissors.py
"""

from __future__ import annotations

from tictactoe import CFRSolver, build_game, exploitability, update_rule

THROWS = ("rock", "paper", "scissors")
State = tuple[str, ...]


class RockPaperScissors:
    """Rock-paper-scissors.

    Both choose a throw at the same time: rock beats scissors, scissors beats paper,
    paper beats rock. Who is beaten pays 1; the same throw twice pays nothing.
    """

    # a state is the throws so far; player 1 throws second, and does not see the first throw

    def __init__(self, rock_beats_scissors: float = 1.0) -> None:
        self._worth = {("rock", "scissors"): rock_beats_scissors, ("paper", "rock"): 1.0, ("scissors", "paper"): 1.0}

    def root(self) -> State:
        return ()

    def owner(self, throws: State) -> int | None:
        return len(throws) if len(throws) < 2 else None

    def moves(self, throws: State) -> list[tuple[str, State]]:
        return [(name, (*throws, name)) for name in THROWS]

    def sees(self, throws: State, player: int) -> str:
        return ""  # nothing, in particular not the other one's throw

    def payoff(self, throws: State) -> float:
        first, second = throws
        return self._worth.get((first, second), 0.0) - self._worth.get((second, first), 0.0)


def main() -> None:
    for worth in (1.0, 2.0):
        game = build_game(RockPaperScissors(worth))
        solver = CFRSolver(game, update_rule("pdcfr+"))
        solver.run(2000)
        strategy = solver.average_strategy()
        found = exploitability(game, strategy)
        value = round(found.value, 6) + 0.0  # without a minus before 0
        print(f"Rock beats scissors: {worth:g}. Value: {value:.6f}, exploitability: {found.total:.1e}")
        for each in game.information_sets(strategy):
            chances = ", ".join(f"{throw} {chance:.3f}" for throw, chance in each.probabilities.items())
            print(f"player {each.player}: {chances}")
        print()


if __name__ == "__main__":
    main()
