"""A duel at 21 as a description: who is nearer to 21 without going over wins, and there is no dealer.

Each player gets a secret card and a card face up from an endless deck, in which a ten comes four times as often as any
other card, 1 (the ace) to 9. An ace counts 11 where that does not go over 21. Then player 0 hits as often as it likes,
`max_hits` times at most, or until its face-up cards alone count more than 20, all cards face up; then player 1 does.
The winner gets 1 from the other. If both have the same, or both are over 21, nobody gets anything.

Shows chance that moves twice in a row. With two hits players do so, too, in 1,478,511 nodes instead of 14,511. Player 1
has the advantage: it sees what player 0 does, which tells about player 0's secret.
Run it: python examples/games/duel_at_21.py
"""

from __future__ import annotations

import time
from typing import NamedTuple

from tictactoe import CHANCE, CFRSolver, build_game, exploitability, update_rule

CARDS = {card: (4 if card == 10 else 1) / 13 for card in range(1, 11)}
"""How likely each card comes."""

Cards = tuple[int, ...]


def points(cards: Cards) -> int:
    """0 if the cards count more than 21."""
    total = sum(cards) + (10 if 1 in cards and sum(cards) <= 11 else 0)
    return total if total <= 21 else 0


class State(NamedTuple):
    owner: int | None = CHANCE
    turn: int = 0
    """Who gets a card, or may get one."""
    up: tuple[Cards, Cards] = ((), ())
    """The face-up cards of each player."""


class DuelAt21:
    """A duel at 21.

    Each gets a secret card and one face up, 1 (ace) to 10, which comes 4 times as
    often. Player 0, then player 1 hits (gets one more card, face up) or stands.
    Cards are added up, an ace is 11 where that fits. Who is nearer to 21 gets 1
    from the other; past 21 loses; as many, or both past 21: nobody gets anything.
    """

    def __init__(self, max_hits: int = 1, cards: dict[int, float] = CARDS) -> None:
        self.types, self._max_hits, self._cards = (tuple(cards), tuple(cards)), max_hits, cards

    def prior(self, first: int, second: int) -> float:
        return self._cards[first] * self._cards[second]

    def root(self) -> State:
        return State()

    def owner(self, state: State) -> int | None:
        return state.owner

    def moves(self, state: State) -> list[tuple[str | int, State]]:
        if state.owner == CHANCE:
            return [(card, self._with_card(state, card)) for card in self._cards]
        return [("stand", self._done(state)), ("hit", state._replace(owner=CHANCE))]

    def _with_card(self, state: State, card: int) -> State:
        cards = (*state.up[state.turn], card)
        after = state._replace(up=(cards, state.up[1]) if state.turn == 0 else (state.up[0], cards))
        if len(cards) == 1:  # the card that each player gets at first
            return after._replace(owner=CHANCE, turn=1) if state.turn == 0 else after._replace(owner=0, turn=0)
        done = len(cards) > self._max_hits or sum(cards) > 20
        return self._done(after) if done else after._replace(owner=state.turn)

    def _done(self, state: State) -> State:
        return state._replace(owner=1, turn=1) if state.turn == 0 else state._replace(owner=None)

    def chance(self, state: State, name: int, first: int, second: int) -> float:
        return self._cards[name]

    def payoff(self, state: State, first: int, second: int) -> float:
        mine, its = points((*state.up[0], first)), points((*state.up[1], second))
        return float((mine > its) - (mine < its))

    def means(self, state: State, name: str | int) -> str:
        return {"stand": "no card", "hit": "one more card"}.get(
            str(name), f"face up, the {('first', 'second')[state.turn]} player's"
        )

    def show(self, state: State) -> str:
        first, second = (", ".join(map(str, cards)) for cards in state.up)
        return f"Face up, first player: {first}; second player: {second}."


def main() -> None:
    game = build_game(DuelAt21())
    solver = CFRSolver(game, update_rule("rdcfr"))
    began = time.perf_counter()
    solver.run(500)
    seconds = time.perf_counter() - began
    found = exploitability(game, solver.average_strategy())
    print(f"Duel at 21, value to the first player: {found.value:.6f}, exploitability: {found.total:.1e}")
    print(f"nodes: {game.tree.num_nodes:,}, seconds: {seconds:.2f}")


if __name__ == "__main__":
    main()
