"""Blackjack++ as a description: two players against one dealer, each with an up card and a secret card.

Rules: the deck is endless, and a ten comes four times as often as any other card, 1 (the ace) to 9. In turn, player 0
first, a player hits or stands. What it draws lies face up. It has had its last turn when it has stood, has drawn
`max_hits` cards, or when its face-up cards count more than 20. Then the dealer turns over its own secret card, and
draws up to 17 or more, an ace counting 11 where that does not exceed 21. Each player plays against the dealer alone: 2
for a win, 1 for a push, 0 for a loss. The zero-sum game is about player 0's payoff less player 1's (`shares`).
The game is that of https://github.com/erl-ang/blackjack-cfrpp. For up cards 6 and 6, dealer 2 and one hit its authors
print 0.860 and 0.844, and 1.296 for the dealer. By the rules here each player gets 0.848977, and the dealer 1.302045 if
that is 3 less both. Theirs differ, as they are means over 1,000 deals while the players learn, and of one pot of three
antes, which the best of three hands takes (about 0.853 each). Run it: python examples/games/blackjack_plus_plus.py
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from tictactoe import CHANCE, CFRSolver, build_game, exploitability, update_rule

CARDS = {card: (4 if card == 10 else 1) / 13 for card in range(1, 11)}  # how likely each card comes
Cards = tuple[int, ...]


def points(cards: Cards) -> int:
    return sum(cards) + (10 if 1 in cards and sum(cards) <= 11 else 0)


@cache
def against_dealer(mine: int, dealer: Cards) -> float:
    """What a player with so many points gets on average, if the dealer has these cards so far."""
    its = points(dealer)
    if its >= 17:
        return 0.0 if mine > 21 else 2.0 if its > 21 else 1.0 + (mine > its) - (mine < its)
    return sum(chance * against_dealer(mine, tuple(sorted((*dealer, card)))) for card, chance in CARDS.items())


class State(NamedTuple):
    owner: int | None
    up: tuple[Cards, ...]  # the face-up cards of each player
    turn: int = 0
    done: tuple[bool, ...] = (False, False)


class BlackjackPlusPlus:
    """Blackjack++.

    Each has a card face up and a secret one, and hits (gets one more) or stands in
    turn; past 21 it has lost. An ace, 1, is 11 where that fits; a 10 comes 4 times
    as often. The dealer draws to 17. More points than the dealer get 2, as many 1,
    fewer 0. You win what you get, on average, less what the other gets.
    """

    types = (tuple(CARDS), tuple(CARDS))

    def __init__(
        self, up: Cards = (6, 6), dealer: int = 2, max_hits: int = 1, *, shares: Cards = (1, -1), in_addition: int = 0
    ) -> None:
        self._up, self._dealer, self._max_hits, self._shares = up, dealer, max_hits, shares
        self._in_addition = in_addition

    def prior(self, first: int, second: int) -> float:
        return CARDS[first] * CARDS[second]

    def root(self) -> State:
        return State(0, tuple((card,) for card in self._up))

    def owner(self, state: State) -> int | None:
        return state.owner

    def moves(self, state: State) -> list[tuple[str | int, State]]:
        if state.owner != CHANCE:
            return [("stand", self._after_turn(state, (), True)), ("hit", state._replace(owner=CHANCE))]
        return [(card, self._after_turn(state, (card,), False)) for card in CARDS]

    def _after_turn(self, state: State, drawn: Cards, done: bool) -> State:
        up, all_done = list(state.up), list(state.done)
        mine = up[state.turn] = state.up[state.turn] + drawn
        all_done[state.turn] = done or len(mine) > self._max_hits or sum(mine) > 20
        turn = state.turn if state.done[1 - state.turn] else 1 - state.turn
        return State(None if all(all_done) else turn, tuple(up), turn, tuple(all_done))

    def chance(self, state: State, name: int, first: int, second: int) -> float:
        return CARDS[name]

    def payoff(self, state: State, first: int, second: int) -> float:
        hands = zip(self._shares, state.up, (first, second), strict=True)
        gets = (share * against_dealer(points((*up, secret)), (self._dealer,)) for share, up, secret in hands)
        return sum(gets, start=float(self._in_addition))

    def beside(self) -> dict[str, BlackjackPlusPlus]:
        """What each player gets, and the dealer, who has 3 less both, as games of the same moves."""
        shares, rules = {"player 0": (1, 0), "player 1": (0, 1), "the dealer": (-1, -1)}, (self._up, self._dealer)
        return {
            name: BlackjackPlusPlus(*rules, self._max_hits, shares=each, in_addition=3 if name == "the dealer" else 0)
            for name, each in shares.items()
        }

    def means(self, state: State, name: str | int) -> str:
        return {"stand": "no card", "hit": "one more card"}.get(
            str(name), f"face up, the {('first', 'second')[state.turn]} player's"
        )

    def show(self, state: State) -> str:
        return f"Face up: first player {list(state.up[0])}, second player {list(state.up[1])}, dealer [{self._dealer}]."


def payoffs(strategy: Any, *rules: Any) -> tuple[float, float, float]:
    """What player 0, player 1 and the dealer get; rules: as for BlackjackPlusPlus."""
    games = map(build_game, BlackjackPlusPlus(*rules).beside().values())
    first, second, dealer = (exploitability(game, strategy).value for game in games)
    return first, second, dealer


def main(*rules: Any) -> None:
    solver = CFRSolver(build_game(BlackjackPlusPlus(*rules)), update_rule("pdcfr+"))
    solver.run(200)
    found = exploitability(solver.game, solver.average_strategy())
    print(
        f"Blackjack++, value to the first player: {round(found.value, 6) + 0.0:.6f}, exploitability: {found.total:.1e}"
    )
    print(
        "Payoffs: first player {:.6f}, second player {:.6f}, dealer {:.6f}".format(
            *payoffs(solver.average_strategy(), *rules)
        )
    )


if __name__ == "__main__":
    main()
