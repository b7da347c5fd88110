"""Twenty-one against a dealer as a description: a single player who hits or stands, and chance.

The rules are those of a course's project on reinforcement learning: an ace counts 11 where that does not go over 21,
and 1 otherwise. The player gets two cards, the dealer one that is face up and one that is not. The player hits or
stands, and loses at once with more than 21. The dealer draws up to 17 or more, and stands on all 17. More points win
1, fewer lose 1, equal ones are a push, 0. There is no splitting or doubling, and an ace with a ten is 21 like any
other. The deck is endless: a ten comes four times as often as any other card. So the dealer's secret card may as well
be drawn at the end.

Shows `best_play`: there are a million sequences of cards for each of the dealer's, but states that are alike are one.
What matters is the player's points, whether an ace counts 11 among them (soft), and the dealer's card. The program
prints the value, exact up to rounding, and the best moves as a chart. Run it: python examples/games/twenty_one.py
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from tictactoe import CHANCE, best_play

CARDS = {card: Fraction(4 if card == 10 else 1, 13) for card in range(1, 11)}  # how likely each card comes; 1: an ace
AFTER = {"first card": "second card", "second card": "up card", "up card": "play", "hit": "play"}


class Hand(NamedTuple):
    points: int = 0
    soft: bool = False  # whether an ace counts 11

    def with_card(self, card: int) -> Hand:
        points = self.points + card
        if (self.soft or card == 1) and points + 10 * (not self.soft) <= 21:
            return Hand(points + 10 * (not self.soft), True)
        return Hand(points - 10 * self.soft, False)


class State(NamedTuple):
    stage: str = "first card"
    """The card that comes next, "play" when the player moves, or "over"."""
    mine: Hand = Hand()
    dealer: Hand = Hand()


class TwentyOne:
    """number: what probabilities are; with Fraction everything is exact."""

    types = (("player",), ("dealer",))

    def __init__(self, number: Callable[[Fraction], Any] = float) -> None:
        self._number = number

    def prior(self, first: str, second: str) -> float:
        return 1.0

    def root(self) -> State:
        return State()

    def owner(self, state: State) -> int | None:
        return {"play": 0, "over": None}.get(state.stage, CHANCE)

    def moves(self, state: State) -> list[tuple[str | int, State]]:
        if state.stage == "play":
            return [("stand", state._replace(stage="dealer")), ("hit", state._replace(stage="hit"))]
        return [(card, self._with_card(state, card)) for card in CARDS]

    def _with_card(self, state: State, card: int) -> State:
        if state.stage in ("up card", "dealer"):
            dealer = state.dealer.with_card(card)
            stage = "play" if state.stage == "up card" else "over" if dealer.points >= 17 else "dealer"
            return State(stage, state.mine, dealer)
        mine = state.mine.with_card(card)
        return State(AFTER[state.stage] if mine.points <= 21 else "over", mine, state.dealer)

    def chance(self, state: State, name: int, first: str, second: str) -> float:
        chance: float = self._number(CARDS[name])
        return chance

    def payoff(self, state: State, first: str, second: str) -> float:
        mine, dealer = state.mine.points, state.dealer.points
        return -1 if mine > 21 else 1 if dealer > 21 else (mine > dealer) - (mine < dealer)


def main() -> None:
    best = best_play(TwentyOne())
    print(f"Twenty-one, value to the player: {best.value:.6f}, exact; states: {len(best.values):,}")
    print("\nBest moves, H hit or S stand, by points and the dealer's card:")
    up_cards = (*range(2, 11), 1)
    print("        " + " ".join(f"{'A' if card == 1 else card:>2}" for card in up_cards))
    for mine in [*(Hand(points) for points in range(20, 3, -1)), *(Hand(points, True) for points in range(21, 11, -1))]:
        row = [best.moves[State("play", mine, Hand().with_card(card))][0].upper() for card in up_cards]
        print(f"{'soft' if mine.soft else 'hard'} {mine.points:2}  " + "  ".join(row))


if __name__ == "__main__":
    main()
