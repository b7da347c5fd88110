"""Leduc hold'em as a description: a card comes in the middle of the game (F. Southey et al. 2005, Bayes' bluff).

Six cards, two each of jack, queen and king. Both players pay an ante of 1 and get a card each. After a round of betting
a third card is turned over, for both to see, and a second round follows. A bet or a raise is 2 in the first round and 4
in the second, and there are at most two in a round. Player 0 begins both. A pair with the card on the table wins, or
else the higher card; equal cards share the pot. The value to player 0 is -0.085606.

Shows how chance moves: `owner` is CHANCE where the card comes, and how likely it is depends on the cards that the
players hold. The suits tell nothing: by ranks a player has three types and three cards may come; by cards there are six
of each, and the value is the same. Run it: python examples/games/leduc_poker.py
"""

from __future__ import annotations

import time
from fractions import Fraction
from typing import NamedTuple

from tictactoe import CHANCE, CFRSolver, build_game, exploitability, update_rule

RANKS = ("jack", "queen", "king")
CARDS = tuple(f"{rank} of {suit}" for rank in RANKS for suit in ("hearts", "spades"))
BETS, MOST_BETS = {1: 2, 2: 4}, 2


class State(NamedTuple):
    owner: int | None = 0
    paid: tuple[int, int] = (1, 1)
    """What each player has paid so far."""
    round: int = 1
    bets: int = 0
    """Bets and raises of this round."""
    checked: bool = False
    """Whether player 0 has checked in this round."""
    public: str = ""
    folded: int | None = None

    def pays(self, amount: int) -> tuple[int, int]:
        return (self.paid[0] + amount, self.paid[1]) if self.owner == 0 else (self.paid[0], self.paid[1] + amount)

    def round_over(self, paid: tuple[int, int]) -> State:
        return self._replace(owner=CHANCE if self.round == 1 else None, paid=paid, bets=0, checked=False)


class LeducPoker:
    """Leduc hold'em.

    Two jacks, two queens, two kings. Both pay an ante of 1 and get a card in
    secret. After a round of bets one more card is turned over, for both, then bets
    come again. A player who folds loses what it paid. In the end a pair with the
    shown card wins, else the higher card; equal ones share. +3.00: 3 antes won.
    """

    def __init__(self, by_ranks: bool = True) -> None:
        cards = RANKS if by_ranks else CARDS
        self.types = (cards, cards)
        self._copies = 2 if by_ranks else 1

    def prior(self, first: str, second: str) -> Fraction:
        return Fraction(self._copies * (self._copies - (first == second)), 30)

    def root(self) -> State:
        return State()

    def owner(self, state: State) -> int | None:
        return state.owner

    def moves(self, state: State) -> list[tuple[str, State]]:
        if state.owner == CHANCE:
            return [(card, state._replace(owner=0, round=2, public=card)) for card in self.types[0]]
        assert state.owner is not None
        other, behind = 1 - state.owner, abs(state.paid[0] - state.paid[1])
        checked = state._replace(owner=1, checked=True) if state.owner == 0 else state.round_over(state.paid)
        called = state.round_over(state.pays(behind))
        bet = state._replace(owner=other, paid=state.pays(behind + BETS[state.round]), bets=state.bets + 1)
        if not behind:
            return [("check", checked), ("bet", bet)]
        found = [("fold", state._replace(owner=None, folded=state.owner)), ("call", called)]
        return [*found, ("raise", bet)] if state.bets < MOST_BETS else found

    def chance(self, state: State, name: str, first: str, second: str) -> Fraction:
        return Fraction(self._copies - (first == name) - (second == name), 4)

    def show(self, state: State) -> str:
        table = f"On the table: {state.public}. " if state.public else ""
        first, second = state.paid
        return f"{table}The pot: {first + second}, {first} from the first player and {second} from the second."

    def means(self, state: State, name: str) -> str:
        if state.owner == CHANCE:
            return "on the table, for both"
        behind = abs(state.paid[0] - state.paid[1])
        costs = {"check": 0, "call": behind, "bet": BETS[state.round], "raise": behind + BETS[state.round]}
        return "give up" if name == "fold" else f"pay {costs[name] or 'nothing'}"

    def payoff(self, state: State, first: str, second: str) -> float:
        if state.folded is not None:
            return float(-state.paid[0] if state.folded == 0 else state.paid[1])
        public, *ranks = (RANKS.index(card.split()[0]) for card in (state.public, first, second))
        mine, its = ((rank == public, rank) for rank in ranks)
        return float(state.paid[0] * ((mine > its) - (mine < its)))


def main() -> None:
    for by_ranks in (True, False):
        game = build_game(LeducPoker(by_ranks))
        solver = CFRSolver(game, update_rule("rdcfr"))
        began = time.perf_counter()
        solver.run(10_000)
        seconds = time.perf_counter() - began
        found = exploitability(game, solver.average_strategy())
        print(
            f"Leduc by {'ranks' if by_ranks else 'six cards'}, "
            f"value to the first player: {found.value:.6f}; known: -0.085606"
        )
        print(f"exploitability: {found.total:.1e}, nodes: {game.tree.num_nodes:,}, seconds: {seconds:.2f}")


if __name__ == "__main__":
    main()
