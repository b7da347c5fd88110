"""21 and Blackjack++ by dynamic programming in fractions. Shares nothing with the games of examples/games.

A hand is a pair: how many aces, and what its other cards count together.
"""

from collections import Counter
from fractions import Fraction
from functools import cache

Hand = tuple[int, int]
ODDS = {**{card: Fraction(1, 13) for card in range(1, 10)}, 10: Fraction(4, 13)}


def grown(hand: Hand, card: int) -> Hand:
    return (hand[0] + 1, hand[1]) if card == 1 else (hand[0], hand[1] + card)


def total(hand: Hand) -> int:
    """The most that is not over 21, or the least that the hand can count: each ace is 1 or 11."""
    totals = [hand[1] + hand[0] + 10 * large for large in range(hand[0] + 1)]
    return max((each for each in totals if each <= 21), default=min(totals))


@cache
def dealer_totals(up_card: int) -> dict[int, Fraction]:
    """What the dealer ends with, who draws up to 17: hand after hand, with the chance of coming there."""
    reached: dict[Hand, Fraction] = {grown((0, 0), up_card): Fraction(1)}
    ends: Counter[int] = Counter()
    while reached:
        drawn: dict[Hand, Fraction] = {}
        for hand, chance in reached.items():
            for card, odds in ODDS.items():
                after = grown(hand, card)
                drawn[after] = drawn.get(after, Fraction(0)) + chance * odds
        for hand in [hand for hand in drawn if total(hand) >= 17]:
            ends[total(hand)] += drawn.pop(hand)  # type: ignore[assignment]
        reached = drawn
    assert sum(ends.values()) == 1
    return dict(ends)  # type: ignore[arg-type]


@cache
def standing(mine: int, up_card: int) -> Fraction:
    if mine > 21:
        return Fraction(-1)
    ends = dealer_totals(up_card).items()
    return sum((chance * (1 if end > 21 or end < mine else -(end > mine)) for end, chance in ends), Fraction(0))


@cache
def playing(hand: Hand, up_card: int, hits: int) -> Fraction:
    if total(hand) > 21 or hits == 0:
        return standing(total(hand), up_card)
    hitting = sum((odds * playing(grown(hand, card), up_card, hits - 1) for card, odds in ODDS.items()), Fraction(0))
    return max(standing(total(hand), up_card), hitting)


def twenty_one() -> Fraction:
    """The value of 21 to a single player: two cards, one of the dealer's is seen. Nobody can hit 21 times."""
    deals = ((first, second, up_card) for first in ODDS for second in ODDS for up_card in ODDS)
    return sum(
        (ODDS[a] * ODDS[b] * ODDS[c] * playing(grown(grown((0, 0), a), b), c, 21) for a, b, c in deals), Fraction(0)
    )


def blackjack(up_card: int, dealer: int, hits: int) -> Fraction:
    seen = grown((0, 0), up_card)
    return 1 + sum((odds * playing(grown(seen, card), dealer, hits) for card, odds in ODDS.items()), Fraction(0))
