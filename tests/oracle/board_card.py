"""A small game with chance, types that depend on each other, and a card that is looked at late; and games beside it."""

from collections.abc import Callable

from tictactoe import CHANCE, build_game, kuhn_poker
from tictactoe.algorithms.game import Game
from tictactoe.environments.match_game import RoundVariant


class BoardCard:
    """Player 0 has one of three cards, player 1 one of two, a third one is turned over, and player 0 looks late."""

    types = ("J", "Q", "K"), ("Q", "K")
    deck = "JJQQKK"

    def __init__(self, prior: dict[str, float] | None = None) -> None:
        self._prior = prior or {"J": 1 / 2, "Q": 1 / 6, "K": 1 / 3}

    def prior(self, first: str, second: str) -> float:
        return self._prior[first] / 2 if first != "K" else self._prior[first] * (1 if second == "Q" else 0)

    def root(self) -> str:
        return ""

    def owner(self, state: str) -> int | None:
        return (0, CHANCE, 1, 0, None)[len(state)]

    def moves(self, state: str) -> list[tuple[str, str]]:
        names = {0: ("blind bet", 'say "no"'), 1: ("J", "Q", "K"), 2: ("a", "b"), 3: ("a", "b")}[len(state)]
        return [(name, state + name[0]) for name in names]

    def chance(self, state: str, name: str, first: str, second: str) -> float:
        left = self.deck.replace(first, "", 1).replace(second, "", 1)
        return left.count(name) / len(left)

    def knows(self, state: str, player: int, card: str) -> str:
        return "unseen" if player == 0 and state == "" else card

    def payoff(self, state: str, first: str, second: str) -> float:
        pot = 2 if state[0] == "b" else 1
        better = "JQK".index(first) - "JQK".index(second) + 3 * ((first == state[1]) - (second == state[1]))
        return pot * better / 3 + (0.7 if state[2] == state[3] else -0.1)


class BoardFirst(BoardCard):
    """The third card is turned over before the first move, and the deck has a single K."""

    deck = "JJQQK"

    def owner(self, state: str) -> int | None:
        return (CHANCE, 0, 1, 0, None)[len(state)]

    def moves(self, state: str) -> list[tuple[str, str]]:
        names = ("a", "b") if state else ("J", "Q", "K")
        return [(name, state + name) for name in names]

    def knows(self, state: str, player: int, card: str) -> str:
        return "unseen" if player == 0 and len(state) == 1 else card

    def payoff(self, state: str, first: str, second: str) -> float:
        return super().payoff(state[1] + state[0] + state[2:], first, second)


class BoardSymbol(BoardCard):
    """Cards whose names are no printable ASCII; two of them are alike without their accents."""

    types = ("\u00e9", "\u00e8", "\u2660"), ("\u00e8", "\u2660")
    plain = str.maketrans("\u00e9\u00e8\u2660", "JQK")

    def prior(self, first: str, second: str) -> float:
        return super().prior(first.translate(self.plain), second.translate(self.plain))

    def moves(self, state: str) -> list[tuple[str, str]]:
        return [(name, state + name) for name in self.types[0]] if len(state) == 1 else super().moves(state)

    def chance(self, state: str, name: str, first: str, second: str) -> float:
        return super().chance(state, *(each.translate(self.plain) for each in (name, first, second)))

    def payoff(self, state: str, first: str, second: str) -> float:
        return super().payoff(*(each.translate(self.plain) for each in (state, first, second)))


GAMES: dict[str, Callable[[], Game]] = {
    "a board card": lambda: build_game(BoardCard()),
    "a board card with a symbol \u2660": lambda: build_game(BoardSymbol()),
    "a board card before the first move": lambda: build_game(BoardFirst()),
    "no simple fractions": lambda: build_game(BoardCard({"J": 0.12345678901234, "Q": 0.5, "K": 0.37654321098766})),
    "Kuhn poker as arrays": kuhn_poker,
    "a round": lambda: RoundVariant(start=(5, 1, 9, 3)).game(),
}
