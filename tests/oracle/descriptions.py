"""The truth for games as descriptions: a reading of types and moves one by one, without a tree.

Exact where the description, the chances and the payoffs are fractions. Behaviour is by names: what the game builder and
its arrays make of a description is held to this.
"""

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

History = tuple[Any, ...]
Behaviour = Callable[[History, Any], dict[Any, Any]]
"""What a player does after a history with a type: the probability of every move, by name."""


def value(description: Any, play: Sequence[Behaviour]) -> Any:
    def after(history: History, state: Any, types: tuple[Any, Any]) -> Any:
        owner = description.owner(state)
        if owner is None:
            return description.payoff(state, *types)
        chances = play[owner](history, types[owner])
        return sum(chances[name] * after((*history, name), below, types) for name, below in description.moves(state))

    drawn = [types for types in product(*description.types) if description.prior(*types)]
    return sum(description.prior(*types) * after((), description.root(), types) for types in drawn)


def best_response_value(description: Any, play: Sequence[Behaviour], player: int) -> Any:
    """The most that the player gets, in its own units, against the other's play; type by type of its own."""

    def after(history: History, state: Any, own: Any, reach: dict[Any, Any]) -> Any:
        """reach: by the other's type, the chance of this type and of all of its moves so far."""
        owner = description.owner(state)
        if owner is None:
            return sum(reach[other] * to_player(state, own, other) for other in reach if reach[other])
        moves = [((*history, name), name, below) for name, below in description.moves(state)]
        if owner == player:
            return max(after(longer, below, own, reach) for longer, _, below in moves)
        chances = {other: play[owner](history, other) for other in reach}
        return sum(
            after(longer, below, own, {other: reach[other] * chances[other][name] for other in reach})
            for longer, name, below in moves
        )

    def to_player(state: Any, own: Any, other: Any) -> Any:
        return description.payoff(state, own, other) if player == 0 else -description.payoff(state, other, own)

    def priors(own: Any) -> dict[Any, Any]:
        others = description.types[1 - player]
        return {other: description.prior(*((own, other) if player == 0 else (other, own))) for other in others}

    return sum(after((), description.root(), own, priors(own)) for own in description.types[player])
