"""A round of a described game as it is played: the deal, the moves, and chance. Plain Python, without a tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from random import Random
from typing import Any

CHANCE = 2


@dataclass(frozen=True, eq=False)
class GameRules:
    """A description, and how its types are dealt."""

    description: Any
    """A GameDescription."""

    @cached_property
    def deals(self) -> tuple[list[tuple[Any, Any]], list[float]]:
        """The pairs of types that may be dealt, and their probabilities."""
        pairs = product(*(list(names) for names in self.description.types))
        likely = [(pair, float(self.description.prior(*pair))) for pair in pairs]
        possible = [each for each in likely if each[1] > 0.0]
        return [pair for pair, _ in possible], [chance for _, chance in possible]

    def dealt(self, random: Random) -> GameRound:
        """A new round."""
        pairs, chances = self.deals
        return GameRound(self.description, random.choices(pairs, chances)[0], self.description.root(), random)


class GameRound:
    """A round in progress.

    >>> from random import Random
    >>> from tictactoe.games.named_games import named_game
    >>> game = GameRules(named_game("kuhn").description).dealt(Random(1))
    >>> game.play("check"); game.play("bet"); game.play("fold")
    >>> game.owner, game.history, game.payoff
    (None, ('check', 'bet', 'fold'), -1.0)
    """

    def __init__(self, description: Any, types: tuple[Any, Any], state: Any, random: Random) -> None:
        self.description, self.types, self.state, self._random = description, types, state, random
        self.history: tuple[Any, ...] = ()

    @property
    def owner(self) -> int | None:
        """Who moves: 0, 1, CHANCE, or None at the end."""
        owner: int | None = self.description.owner(self.state)
        return owner

    @property
    def moves(self) -> dict[Any, Any]:
        """By name, the states that the moves lead to."""
        return dict(self.description.moves(self.state))

    def play(self, name: Any) -> None:
        """Make a move. Raises KeyError if no move has that name."""
        self.state, self.history = self.moves[name], (*self.history, name)

    def draw(self) -> Any:
        """Make the move of chance; its name."""
        names = list(self.moves)
        return self.play_one_of(names, [self.description.chance(self.state, name, *self.types) for name in names])

    def play_one_of(self, names: Sequence[Any], chances: Sequence[float]) -> Any:
        """Make a move that these chances draw; return its name."""
        name = self._random.choices(names, list(map(float, chances)))[0]
        self.play(name)
        return name

    @property
    def payoff(self) -> float:
        """At the end: to player 0."""
        if hasattr(self.description, "payoff"):
            return float(self.description.payoff(self.state, *self.types))
        factor, name = self.description.payoff_matrix(self.state)
        first, second = (list(names).index(own) for names, own in zip(self.description.types, self.types, strict=True))
        return float(factor) * float(self.description.matrices[name][first][second])

    def known_types(self, player: int) -> list[Any]:
        """The types that the player may have, as far as it knows: one, unless it has not looked yet."""
        knows = getattr(self.description, "knows", None)
        own = self.types[player]
        if knows is None:
            return [own]
        answer = knows(self.state, player, own)
        return [each for each in self.description.types[player] if knows(self.state, player, each) == answer]
