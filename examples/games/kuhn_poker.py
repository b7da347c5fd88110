"""Kuhn poker as a description: three cards, an ante of 1, one bet of 1 (H. W. Kuhn 1950).

Shows what a game with dependent private types looks like: two players never hold the same card. Its value to the
player who moves first is -1/18, and there is bluffing in every equilibrium: the second player bets a jack after a check
one time in three. Run it: python examples/games/kuhn_poker.py
"""

from __future__ import annotations

from tictactoe import CFRSolver, build_game, exploitability, update_rule

CARDS = ("jack", "queen", "king")
ENDS = {("check", "check"), ("check", "bet", "fold"), ("check", "bet", "call"), ("bet", "fold"), ("bet", "call")}
History = tuple[str, ...]


class KuhnPoker:
    """A state is the history: the names of the moves so far."""

    types = (CARDS, CARDS)

    def prior(self, first: str, second: str) -> float:
        return 0.0 if first == second else 1 / 6

    def root(self) -> History:
        return ()

    def owner(self, history: History) -> int | None:
        return None if history in ENDS else len(history) % 2

    def moves(self, history: History) -> list[tuple[str, History]]:
        names = ("fold", "call") if history[-1:] == ("bet",) else ("check", "bet")
        return [(name, (*history, name)) for name in names]

    def payoff(self, history: History, first: str, second: str) -> float:
        if history[-1] == "fold":
            return -1.0 if len(history) == 3 else 1.0  # the first player has folded, or the second
        stake = 2.0 if history[-1] == "call" else 1.0
        return stake if CARDS.index(first) > CARDS.index(second) else -stake


def main() -> None:
    game = build_game(KuhnPoker())
    solver = CFRSolver(game, update_rule("pdcfr+"))
    solver.run(1000)
    strategy = solver.average_strategy()
    found = exploitability(game, strategy)
    print(f"Kuhn poker, value to player 0: {found.value:.6f}; known: -1/18 = {-1 / 18:.6f}")
    print(f"exploitability: {found.total:.1e}\n")
    print(game.describe(strategy))


if __name__ == "__main__":
    main()
