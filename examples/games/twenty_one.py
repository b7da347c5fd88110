"""Twenty-one against a dealer as a description: a single player who hits or stands, and chance.

An ace counts 11 where that does not go over 21, and 1 otherwise. The player gets two cards, and sees one of the
dealer's. The player hits or stands, no more, and loses at once with over 21. The dealer draws up to 17 or more, and
stands on all 17. More points win 1, fewer lose 1, equal ones are a push, 0; an ace with a ten is 21 like any other. The
dealer's secret card may as well be drawn at the end. A ten comes four times as often as others. The deck is endless
(TwentyOne), or has 52 cards and is shuffled before each game (From52): then it matters a little which cards one has.

Shows `best_play`: of a million sequences of cards those that are alike are one state: the player's points, whether an
ace counts 11 among them (soft), and the dealer's card. Run it: python examples/games/twenty_one.py
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

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
    cards: tuple[int, ...] = ()  # From52: how many aces, twos, ..., tens the player has


class TwentyOne:
    """Twenty-one against a dealer, with an endless deck.

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


class From52(TwentyOne):
    """Twenty-one against a dealer, with 52 cards, for one who looks at its own cards.

    You get two cards and see one of the dealer's. Hit (get one more) as often as
    you like, or stand. An ace, 1, counts 11 where that fits: then the hand is soft,
    else hard. Past 21 you lose at once. When you stand, the dealer draws to 17 or
    more. More points win 1, fewer lose 1, as many are a draw.
    """

    chart = None  # type: ignore[assignment]  # what is best depends on more than points
    full = (4,) * 9 + (16,)

    def __init__(self) -> None:
        super().__init__()
        hands = np.array([*_hands((0,) * 10, 0)])
        self._hand_number = {tuple(hand): number for number, hand in enumerate(hands.tolist())}
        self._totals = {up: self._dealer_totals(hands, up) for up in CARDS}

    def root(self) -> State:
        return State(cards=(0,) * 10)

    def moves(self, state: State) -> list[tuple[str | int, State]]:
        if state.stage == "dealer":  # all that the dealer draws, in one move: what it ends with; 22 for more than 21
            return [(total, State("over", Hand(state.mine.points), Hand(total))) for total in range(17, 23)]
        return super().moves(state)

    def _with_card(self, state: State, card: int) -> State:
        after = super()._with_card(state, card)
        if after.stage == "over":
            return State("over", Hand(after.mine.points))
        if state.stage == "up card":
            return after._replace(cards=state.cards)
        return after._replace(cards=tuple(count + (card == place) for place, count in enumerate(state.cards, 1)))

    def chance(self, state: State, name: int, first: str, second: str) -> float:
        if state.stage == "dealer":
            return float(self._totals[_card(state.dealer)][name - 17, self._hand_number[state.cards]])
        seen = state.dealer != Hand() and _card(state.dealer) == name
        left = 52 - sum(state.cards) - (state.dealer != Hand())
        return max(self.full[name - 1] - state.cards[name - 1] - seen, 0) / left

    def _dealer_totals(self, hands: np.ndarray, up: int) -> np.ndarray:
        """[total - 17, hand]: how likely the dealer ends with it, 22 for more than 21, against each of the hands."""
        left = np.array(self.full) - hands
        left[:, up - 1] -= 1
        ends = np.zeros((6, len(hands)))
        reached: dict[tuple[int, ...], tuple[Hand, np.ndarray]] = {
            (0,) * 10: (Hand().with_card(up), np.ones(len(hands)))
        }
        while reached:  # by cards drawn: points, and how likely
            after: dict[tuple[int, ...], tuple[Hand, np.ndarray]] = {}
            for drawn, (hand, chance) in reached.items():
                all_left = left.sum(axis=1) - sum(drawn)
                for card in CARDS:
                    new = chance * np.maximum(left[:, card - 1] - drawn[card - 1], 0) / all_left
                    grown = hand.with_card(card)
                    if grown.points >= 17:
                        ends[min(grown.points, 22) - 17] += new
                    else:
                        cards = tuple(count + (card == place) for place, count in enumerate(drawn, 1))
                        after[cards] = grown, new + after[cards][1] if cards in after else new
            reached = after
        return ends


def _card(up: Hand) -> int:
    return 1 if up.points == 11 else up.points


def _hands(cards: tuple[int, ...], least: int) -> Iterator[tuple[int, ...]]:
    """All hands of 52 cards with at most 21 points, an ace being 1."""
    yield cards
    points = sum(card * count for card, count in enumerate(cards, 1))
    for place in range(least, 10):
        if points + place + 1 <= 21 and cards[place] < From52.full[place]:
            yield from _hands((*cards[:place], cards[place] + 1, *cards[place + 1 :]), place)


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
