"""The truth for games as descriptions: a reading of types and moves one by one, without a tree.

Exact where the description, the chances and the payoffs are fractions. Behaviour is by names: what the game builder and
its arrays make of a description is held to this. Chance may move between the players, a player may move several times
in a row, and with `knows` a player may know less than its own type.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

History = tuple[Any, ...]
Behaviour = Callable[[History, Any], dict[Any, Any]]
"""What a player does after a history with a type: the probability of every move, by name."""

CHANCE = 2
"""The owner of a state at which no player moves."""

LARGEST_ERROR = 1e-9
"""How far from 1 the probabilities of chance may sum."""


def value(description: Any, play: Sequence[Behaviour]) -> Any:

    def after(history: History, state: Any, types: tuple[Any, Any]) -> Any:
        owner = description.owner(state)
        if owner is None:
            return description.payoff(state, *types)
        moves = list(description.moves(state))
        if owner == CHANCE:
            chances = {name: description.chance(state, name, *types) for name, _ in moves}
            assert abs(sum(chances.values()) - 1) < LARGEST_ERROR, (history, types)
        else:
            chances = play[owner](history, types[owner])
        going = [(name, below) for name, below in moves if chances[name]]
        return sum(chances[name] * after((*history, name), below, types) for name, below in going)

    drawn = [types for types in product(*description.types) if description.prior(*types)]
    return sum(description.prior(*types) * after((), description.root(), types) for types in drawn)


def best_response_value(description: Any, play: Sequence[Behaviour], player: int) -> Any:
    """The most that the player gets, in its own units. Types that it cannot tell apart make the same move."""

    def after(history: History, state: Any, reach: dict[tuple[Any, Any], Any]) -> Any:
        """What the state adds to the total. reach has an entry for each pair of types, player 0's and player 1's: their
        chance, times that of every move so far of chance and of the other player. Its pairs hold those types of the
        player that the player cannot tell from each other."""
        owner = description.owner(state)
        if owner is None:
            total = sum(share * description.payoff(state, *types) for types, share in reach.items())
            return total if player == 0 else -total
        moves = [((*history, name), name, below) for name, below in description.moves(state)]
        if owner == player:
            known = knowledge(state, reach)
            return sum(max(after(longer, below, part) for longer, _, below in moves) for part in known)
        if owner == CHANCE:
            shares = {(types, name): description.chance(state, name, *types) for types in reach for _, name, _ in moves}
        else:
            chances = {types: play[owner](history, types[owner]) for types in reach}
            shares = {(types, name): chances[types][name] for types in reach for _, name, _ in moves}
        lower = [
            (longer, below, {types: share * shares[types, name] for types, share in reach.items()})
            for longer, name, below in moves
        ]
        return sum(after(longer, below, possible(each)) for longer, below, each in lower if possible(each))

    def knowledge(state: Any, reach: dict[tuple[Any, Any], Any]) -> Iterator[dict[tuple[Any, Any], Any]]:
        parts: dict[Any, dict[tuple[Any, Any], Any]] = {}
        for types, share in reach.items():
            parts.setdefault(known_type(description, state, player, types[player]), {})[types] = share
        yield from parts.values()

    pairs = {types: description.prior(*types) for types in product(*description.types)}
    return after((), description.root(), possible(pairs))


def known_type(description: Any, state: Any, player: int, own: Any) -> Any:
    """What the player knows of its own type at a state: the type, unless the description has `knows`."""
    return description.knows(state, player, own) if hasattr(description, "knows") else own


def possible(reach: dict[tuple[Any, Any], Any]) -> dict[tuple[Any, Any], Any]:
    return {types: share for types, share in reach.items() if share}


class Exact:
    def __init__(self, description: Any) -> None:
        self._inner, self.types = description, description.types
        self.root, self.owner, self.moves = description.root, description.owner, description.moves

    def prior(self, *types: Any) -> Fraction:
        return exactly(self._inner.prior(*types))

    def payoff(self, *leaf: Any) -> Fraction:
        return exactly(self._inner.payoff(*leaf))


def exactly(number: float) -> Fraction:
    found = Fraction(number).limit_denominator(10**7)
    assert abs(float(found) - number) < 1e-12
    return found


def exact_behaviour(sets: Sequence[Any]) -> tuple[Behaviour, Behaviour]:
    """The behaviour of both players, whose probabilities are meant to be fractions. sets: their information sets."""
    exact = {(each.history, each.type): {name: exactly(p) for name, p in each.probabilities.items()} for each in sets}
    assert all(sum(chances.values()) == 1 for chances in exact.values())
    return (lambda *where: exact[where],) * 2


def gains(description: Any, play: Sequence[Behaviour]) -> list[Fraction]:
    """The value of both players' behaviour, and what either gets at best against the other's, to player 0."""
    exact = Exact(description)
    best = [best_response_value(exact, play, player) for player in (0, 1)]
    return [value(exact, play), best[0], -best[1]]
