"""The last round of betting of Texas hold'em, the river, as a description: five cards lie on the table, and each player
holds two that the other does not see, out of a range of hands that both know.

The pot is 1, a half from each player. Player 0 checks or bets half the pot or the whole; so does player 1 after a
check. Who faces the bet folds, calls, or raises by the whole pot, which the other folds or calls. The best five of
seven cards win the pot. All pairs of hands that share no card are equally likely. With many types, `payoff_matrix`
and `matrices` give the payoffs of all at once. Run it: python examples/games/river_holdem.py [all]
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from itertools import combinations, product

import numpy as np

from tictactoe import CFRSolver, build_game, exploitability, update_rule

RANKS = "23456789TJQKA"
BOARD = "Ks Th 7s 4d 2s"
RANGES = ("AsQs 9s8s KhTd 7c7d AhKd KcQc JcTc 9h8h AdQd", "As3s Kd4h TcTd AcKh QcTs 9c9d 8h7h JdJh")
BETS = {"bet half": 0.5, "bet pot": 1.0}
History = tuple[str, ...]


def rank_of(cards: Sequence[str]) -> tuple[int, ...]:
    """How good the best five of five to seven cards are: the larger the better, equal if they share the pot."""
    suits = Counter(card[1] for card in cards)
    counts = Counter(RANKS.index(card[0]) for card in cards)
    flush = sorted((RANKS.index(card[0]) for card in cards if suits[card[1]] >= 5), reverse=True)
    high, *_ = groups = sorted(counts, key=lambda rank: (counts[rank], rank), reverse=True)
    first, second = counts[high], counts[groups[1]]
    if straight(flush) >= 0:
        return 8, straight(flush)
    if first == 4 or (first == 3 and second >= 2):
        return (7, high, max(groups[1:])) if first == 4 else (6, high, groups[1])
    if flush or straight(groups) >= 0:
        return (5, *flush[:5]) if flush else (4, straight(groups))
    if first == second == 2:
        return 2, high, groups[1], max(groups[2:])
    return (3 if first == 3 else first - 1, *groups[: 6 - first])


def straight(ranks: Sequence[int]) -> int:
    """The highest of five ranks in a row, -1 if there are none; an ace is also below a two."""
    present = {*ranks, *(-1 for rank in ranks if rank == 12)}
    return max((rank for rank in present if all(rank - step in present for step in range(5))), default=-1)


class RiverHoldem:
    """A state is the history: the names of the moves so far."""

    def __init__(self, board: str = BOARD, ranges: Sequence[str] = RANGES) -> None:
        self.types, self._board = tuple(tuple(hands.split()) for hands in ranges), board.split()
        self._num_pairs = sum(self._possible(first, second) for first, second in product(*self.types))
        self._rank = {hand: rank_of([*self._board, hand[:2], hand[2:]]) for hands in self.types for hand in hands}
        place = {rank: number for number, rank in enumerate(sorted({*self._rank.values()}))}
        first, second = ([place[self._rank[hand]] for hand in hands] for hands in self.types)
        showdown = np.sign(np.subtract.outer(first, second)).astype(np.float64)
        self.matrices = {"fold": np.ones_like(showdown), "showdown": showdown}

    def _possible(self, first: str, second: str) -> bool:
        return len({*self._board, first[:2], first[2:], second[:2], second[2:]}) == 9

    def prior(self, first: str, second: str) -> float:
        return self._possible(first, second) / self._num_pairs

    def root(self) -> History:
        return ()

    def owner(self, history: History) -> int | None:
        return None if history == ("check", "check") or history[-1:] in (("fold",), ("call",)) else len(history) % 2

    def moves(self, history: History) -> list[tuple[str, History]]:
        names = ("check", *BETS) if history in ((), ("check",)) else ("fold", "call", "raise")
        return [(name, (*history, name)) for name in names if name != "raise" or "raise" not in history]

    def payoff_matrix(self, history: History) -> tuple[float, str]:
        """A number and the name of a matrix: their product is the payoff, by the hands of both."""
        paid = [0.5, 0.5]
        for number, name in enumerate(history):
            due, so_far = max(paid), paid[number % 2]
            paid[number % 2] = {"call": due, "raise": 3 * due}.get(name, so_far + BETS.get(name, 0.0))
        if history[-1] == "fold":
            return (min(paid) if len(history) % 2 == 0 else -min(paid)), "fold"
        return paid[0], "showdown"

    def payoff(self, history: History, first: str, second: str) -> float:
        (factor, name), mine, its = self.payoff_matrix(history), self._rank[first], self._rank[second]
        return factor if name == "fold" else factor * ((mine > its) - (mine < its))


def all_hands(board: str = BOARD) -> str:
    """The 1,081 hands that five cards leave."""
    left = [rank + suit for rank, suit in product(RANKS, "cdhs") if rank + suit not in board]
    return " ".join(first + second for first, second in combinations(left, 2))


def main(*ranges: str) -> None:
    game = build_game(RiverHoldem(ranges=(all_hands(), all_hands()) if ranges else RANGES))
    solver = CFRSolver(game, update_rule("dcfr"))
    solver.run(1000)
    found = exploitability(game, solver.average_strategy())
    print(
        f"River, {' and '.join(f'{len(hands):,}' for hands in game.types)} hands, value to player 0: {found.value:.6f}"
    )
    print(f"exploitability: {found.total:.1e}, nodes: {game.tree.num_nodes}")


if __name__ == "__main__":
    main(*sys.argv[1:])
