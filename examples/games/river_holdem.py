"""The last round of betting of Texas hold'em, the river, as a description: five cards lie on the table, and each player
holds two that the other does not see, out of a range of hands that both know.

The pot is 1, half from each player. A player checks or bets half the pot or the whole. Who faces the bet folds, calls,
or raises by the whole pot, which the other folds or calls. The best five of seven cards win the pot. All pairs of hands
that share no card are equally likely. A range is a list, a number for so many hands of all strengths, or "all".
Run it: python examples/games/river_holdem.py, or with all 1,081 hands: python examples/games/river_holdem.py all all
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from itertools import combinations, product

from tictactoe import CFRSolver, build_game, exploitability, update_rule

RANKS = "23456789TJQKA"
DECK = [rank + suit for rank in RANKS for suit in "cdhs"]
BOARD = "Ks Th 7s 4d 2s"
RANGES = ("AsQs 9s8s KhTd 7c7d AhKd KcQc JcTc 9h8h AdQd 6h5h", "As3s Kd4h TcTd AcKh QcTs 9c9d 8h7h JdJh")
STAKES = {"bet half": 1.0, "bet pot": 1.5}  # what a player has then paid, with its half of the pot
History = tuple[str, ...]


def rank_of(cards: Sequence[str]) -> tuple[int, ...]:
    """How good the best five of five to seven cards are: the larger the better, equal if they share the pot."""
    suits = Counter(card[1] for card in cards)
    counts = Counter(RANKS.index(card[0]) for card in cards)
    flush = sorted((RANKS.index(card[0]) for card in cards if suits[card[1]] >= 5), reverse=True)
    high, *_ = groups = sorted(counts, key=lambda rank: (counts[rank], rank), reverse=True)
    first, second, run = counts[high], counts[groups[1]], straight(flush or groups)
    if flush or run >= 0:  # then there are neither four of a kind nor a full house among seven cards
        return (8 if flush else 4, run) if run >= 0 else (5, *flush[:5])
    if first == 4 or (first == 3 and second >= 2):
        return (7, high, max(groups[1:])) if first == 4 else (6, high, groups[1])
    if first == second == 2:
        return 2, high, groups[1], max(groups[2:])
    return (3 if first == 3 else first - 1, *groups[: 6 - first])


def straight(ranks: Sequence[int]) -> int:
    """The highest of five ranks in a row, -1 if there are none; an ace is also below a two."""
    present = {*ranks, *(-1 for rank in ranks if rank == 12)}
    return max((rank for rank in present if all(rank - step in present for step in range(5))), default=-1)


def cards_of(text: str, number: int) -> list[str]:
    cards = [text[place : place + 2] for place in range(0, len(text), 2)]
    if len(cards) != number or len({*DECK} & {*cards}) != number:
        raise ValueError(f"{text!r} is not {number} different cards, such as {''.join(DECK[-number:])}")
    return cards


def hands_of(text: str, every: Sequence[str]) -> tuple[str, ...]:
    """The hands of a range."""
    if not (text == "all" or text.isdecimal()):
        return tuple(text.split())
    number = len(every) if text == "all" else int(text)
    if not 2 <= number <= len(every):
        raise ValueError(f"ranges: {text} is not a number of hands from 2 to {len(every):,}")
    return tuple(every[place * len(every) // number] for place in range(number))


class RiverHoldem:
    """River hold'em.

    Texas hold'em, last bets: five cards lie on the table, each holds two in secret
    (Th: the ten of hearts). The pot is 1, half from each. Player 0 begins. Check,
    or bet half the pot or all; who faces a bet folds, calls or raises by the pot,
    once. The best five of seven cards win. +0.50: the other's half of the pot.
    """

    def __init__(self, board: str = BOARD, ranges: Sequence[str] = RANGES) -> None:
        if isinstance(ranges, str) or len(ranges) != 2:
            raise ValueError(f"ranges: {ranges!r} is not two lists of hands, one for each player")
        self._board = cards_of("".join(board.split()), 5)
        left = [card for card in DECK if card not in self._board]
        every = [first + second for first, second in combinations(left, 2)]
        self.types = tuple(hands_of(hands, every) for hands in ranges)
        for hands in self.types:
            for cards, times in Counter(frozenset(cards_of(hand, 2)) for hand in hands).items():
                if times > 1:
                    raise ValueError(f"ranges: {''.join(sorted(cards))} comes twice")
        self.blockers = [[(hand[:2], hand[2:]) for hand in hands] for hands in self.types]
        self.weights = [[float(not {*self._board} & {*cards}) for cards in held] for held in self.blockers]
        self._chance = 1.0  # of each pair of hands that is possible; first to count them
        possible = sum(self.prior(*pair) for pair in product(*self.types))
        if not possible:
            raise ValueError("ranges: no two hands can be dealt at once")
        self._chance /= possible
        ranks = {hand: rank_of([*self._board, hand[:2], hand[2:]]) for hands in self.types for hand in hands}
        order = sorted({*ranks.values()})
        self._strength = {hand: order.index(rank) for hand, rank in ranks.items()}
        self.strengths = {"showdown": [[self._strength[hand] for hand in hands] for hands in self.types]}

    def prior(self, first: str, second: str) -> float:
        return self._chance if len({*self._board, first[:2], first[2:], second[:2], second[2:]}) == 9 else 0.0

    def root(self) -> History:
        return ()

    def owner(self, history: History) -> int | None:
        return None if history == ("check", "check") or history[-1:] in (("fold",), ("call",)) else len(history) % 2

    def moves(self, history: History) -> list[tuple[str, History]]:
        names = ("check", *STAKES) if history in ((), ("check",)) else ("fold", "call", "raise")
        return [(name, (*history, name)) for name in names if name != "raise" or "raise" not in history]

    def payoff_strength(self, history: History) -> tuple[float, str | None]:
        """What is paid, to whom if a hand is folded, and by which strengths if not."""
        paid = self._paid(history)
        return (min(paid) * (-1.0) ** len(history), None) if history[-1] == "fold" else (max(paid), "showdown")

    def _paid(self, history: History) -> list[float]:
        """By each player, with its half of the pot."""
        paid = [0.5, 0.5]
        for place, name in enumerate(history):
            paid[place % 2] = (STAKES | {"raise": 3 * max(paid), "call": max(paid)}).get(name, paid[place % 2])
        return paid

    def show(self, history: History) -> str:
        paid = self._paid(history)
        table = f"On the table: {' '.join(self._board)}."
        return f"{table} The pot: {sum(paid):g}, {paid[0]:g} from the first player and {paid[1]:g} from the second."

    def means(self, history: History, name: str) -> str:
        before, after = (self._paid(moves)[len(history) % 2] for moves in (history, (*history, name)))
        return "give up" if name == "fold" else f"pay {after - before:g}" if after > before else "pay nothing"

    def payoff(self, history: History, first: str, second: str) -> float:
        (factor, name), mine, its = self.payoff_strength(history), self._strength[first], self._strength[second]
        return factor if name is None else factor * ((mine > its) - (mine < its))


def main(*ranges: str) -> None:
    game = build_game(RiverHoldem(ranges=ranges or RANGES))
    solver = CFRSolver(game, update_rule("rdcfr"))
    solver.run(1000)
    found = exploitability(game, solver.average_strategy())
    print(
        f"River, {len(game.types[0]):,} hands against {len(game.types[1]):,}, "
        f"value to the first player: {found.value:.6f}"
    )
    print(f"exploitability: {found.total:.1e}, nodes: {game.tree.num_nodes}")


if __name__ == "__main__":
    main(*sys.argv[1:])
