"""How good a hand of poker is, by the definition of each kind for five cards; of more cards the best five of all."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

ORDER = "23456789TJQKA"


def best(cards: Sequence[str]) -> tuple[int, list[int]]:
    return max(of_five(five) for five in combinations(cards, 5))


def of_five(cards: Sequence[str]) -> tuple[int, list[int]]:
    """The kind, 0 (nothing) to 8 (straight flush), and the ranks that decide between two of a kind."""
    ranks = [ORDER.index(rank) + 2 for rank, _ in cards]
    if sorted(ranks) == [2, 3, 4, 5, 14]:
        ranks = [1, 2, 3, 4, 5]
    same_suit = len({suit for _, suit in cards}) == 1
    in_a_row = len({*ranks}) == 5 and max(ranks) - min(ranks) == 4
    by_number = sorted(ranks, key=lambda rank: (ranks.count(rank), rank), reverse=True)
    numbers = sorted(Counter(ranks).values(), reverse=True)
    kinds = {8: same_suit and in_a_row, 7: numbers[0] == 4, 6: numbers == [3, 2], 5: same_suit, 4: in_a_row}
    kinds |= {3: numbers[0] == 3, 2: numbers == [2, 2, 1], 1: numbers[0] == 2, 0: True}
    return max(kind for kind, true in kinds.items() if true), by_number
