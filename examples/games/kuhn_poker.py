"""Kuhn poker as a description: an ante of 1, one bet of 1 (H. W. Kuhn 1950), with any number of cards.

Shows what a game with dependent private types looks like: two players never hold the same card. With the three cards of
Kuhn's paper its value to the player who moves first is -1/18, and there is bluffing in every equilibrium: the second
player bets a jack after a check one time in three. With 13 cards it is called one-card poker, and its value is -5/78.
Run it: python examples/games/kuhn_poker.py [number of cards]
"""

from __future__ import annotations

import sys
from fractions import Fraction

from tictactoe import CFRSolver, build_game, exploitability, update_rule

CARDS = ("jack", "queen", "king")
ENDS = {("check", "check"), ("check", "bet", "fold"), ("check", "bet", "call"), ("bet", "fold"), ("bet", "call")}
KNOWN = {3: "-1/18 = -0.055556", 13: "-5/78 = -0.064103"}
"""Values to player 0, by the number of cards."""

Card = str | int
History = tuple[str, ...]


class KuhnPoker:
    """Kuhn poker.

    Both pay an ante of 1 and get a card, hidden from the other: jack, queen or
    king, the highest (in a larger deck, numbers). A check is free, a bet costs 1;
    there is one bet at most. Who faces it calls for 1 more, or folds and loses.
    Otherwise the higher card wins what the other paid. +1.00: an ante won.
    """

    def __init__(self, num_cards: int = 3) -> None:
        if num_cards < 2:
            raise ValueError(f"num_cards: {num_cards} is fewer than 2, one for each player")
        cards: tuple[Card, ...] = CARDS if num_cards == 3 else tuple(range(1, num_cards + 1))
        self.types = (cards, cards)
        self._rank = {card: rank for rank, card in enumerate(cards)}

    def prior(self, first: Card, second: Card) -> Fraction:
        return Fraction(first != second, len(self._rank) * (len(self._rank) - 1))

    def root(self) -> History:
        return ()

    def owner(self, history: History) -> int | None:
        return None if history in ENDS else len(history) % 2

    def moves(self, history: History) -> list[tuple[str, History]]:
        names = ("fold", "call") if history[-1:] == ("bet",) else ("check", "bet")
        return [(name, (*history, name)) for name in names]

    def show(self, history: History) -> str:
        first, second = (1 + any(name in ("bet", "call") for name in history[player::2]) for player in (0, 1))
        return f"The pot: {first + second}, {first} from the first player and {second} from the second."

    def means(self, history: History, name: str) -> str:
        return {"check": "pay nothing", "bet": "pay 1", "fold": "give up", "call": "pay 1"}[name]

    def payoff(self, history: History, first: Card, second: Card) -> float:
        if history[-1] == "fold":
            return -1.0 if len(history) == 3 else 1.0  # the first player has folded, or the second
        stake = 2.0 if history[-1] == "call" else 1.0
        return stake if self._rank[first] > self._rank[second] else -stake


def main(num_cards: int = 3) -> None:
    game = build_game(KuhnPoker(num_cards))
    solver = CFRSolver(game, update_rule("pdcfr+"))
    solver.run(1000)
    strategy = solver.average_strategy()
    found = exploitability(game, strategy)
    known = f"; known: {KNOWN[num_cards]}" if num_cards in KNOWN else ""
    print(f"Kuhn poker, value to the first player: {found.value:.6f}{known}")
    print(f"exploitability: {found.total:.1e}\n")
    print(game.describe(strategy))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
