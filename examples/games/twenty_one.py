"""Twenty-one against a dealer as a description: a single player who hits or stands, and chance.

An ace counts 11 where that does not go over 21, and 1 otherwise. The player gets two cards, and sees one of the
dealer's. The player hits or stands, no more, and loses at once with over 21. The dealer draws up to 17 or more, and
stands on all 17. More points win 1, fewer lose 1, equal ones are a push, 0; an ace with a ten is 21 like any other. The
deck is endless, so the dealer's secret card may as well be drawn at the end. A ten comes four times as often as others.

Shows `best_play`: of a million sequences of cards those that are alike are one state: the player's points, whether an
ace counts 11 among them (soft), and the dealer's card. Run it: python examples/games/twenty_one.py
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

    def __str__(self) -> str:
        return f"{'soft' if self.soft else 'hard'} {self.points:2}"

    def with_card(self, card: int) -> Hand:
        points = self.points + card
        if (self.soft or card == 1) and points + 10 * (not self.soft) <= 21:
            return Hand(points + 10 * (not self.soft), True)
        return Hand(points - 10 * self.soft, False)


class State(NamedTuple):
    stage: str = "first card"  # the card that comes next, "play" when the player moves, or "over"
    mine: Hand = Hand()
    dealer: Hand = Hand()


class TwentyOne:
    """Twenty-one against a dealer.

    You get two cards and see one of the dealer's. Hit (get one more) as often as
    you like, or stand. An ace, 1, counts 11 where that fits: then the hand is soft,
    else hard. Past 21 you lose at once. When you stand, the dealer draws to 17 or
    more. More points win 1, fewer lose 1, as many are a draw.
    """

    types = (("player",), ("dealer",))

    def __init__(self, number: Callable[[Fraction], Any] = float) -> None:  # with Fraction all is exact
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

    def chance(self, state: State, name: int, first: str, second: str) -> Any:
        return self._number(CARDS[name])

    def payoff(self, state: State, first: str, second: str) -> float:
        mine, dealer = state.mine.points, state.dealer.points
        return -1 if mine > 21 else 1 if dealer > 21 else (mine > dealer) - (mine < dealer)

    def means(self, state: State, name: str | int) -> str:
        whose = {"up card": "the dealer's, which you see", "dealer": "the dealer's"}.get(state.stage, "yours")
        return {"stand": "no card", "hit": "one more card"}.get(str(name), whose)

    def show(self, state: State) -> str:
        return f"You have {state.mine}, the dealer {state.dealer}."

    def chart(self) -> list[tuple[str, str, State]]:  # the names of a row and a column, and the state there
        hands = [*map(Hand, range(20, 3, -1)), *(Hand(points, True) for points in range(21, 11, -1))]
        up_cards = {name: Hand().with_card(card) for name, card in zip("23456789TA", (*range(2, 11), 1), strict=True)}
        return [(str(mine), name, State("play", mine, up_cards[name])) for mine in hands for name in up_cards]


def main() -> None:
    game, best = TwentyOne(), best_play(TwentyOne())
    print(f"Twenty-one, value to the player: {best.value:.6f}, exact; states: {len(best.values):,}")
    print("\nBest moves, H hit or S stand, by points and the dealer's card:")
    rows = {7 * " ": [column for _, column, _ in game.chart()[:10]]}
    for row, _, state in game.chart():
        rows.setdefault(row, []).append(best.moves[state][0].upper())
    print("\n".join(f"{row}  {'  '.join(cells)}" for row, cells in rows.items()))


if __name__ == "__main__":
    main()
