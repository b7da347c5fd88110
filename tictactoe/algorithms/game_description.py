"""What somebody writes who describes a game, and how its answers are checked."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Iterable, Sequence
from typing import Any, Protocol, TypeVar

State = TypeVar("State")
Types = tuple[tuple[Any, ...], tuple[Any, ...]]
"""The names of player 0's types and of player 1's."""

SUM_TOLERANCE = 1e-9
"""How far the probabilities of a description may be from summing to 1."""


class GameDescription(Protocol[State]):
    """A two-player zero-sum game with public moves, as `build_game` takes it: any object with these members.

    Before the first move a private type is drawn for either player, such as a card, and shown to that player alone.
    Then the players move, and public chance moves may come in between. A state is any object that suits the
    description: a board, a string of moves. It must tell everything that matters about the public moves so far, and
    nothing about the types.

    Two methods are needed only where they matter. `chance(state, name, first, second)` is the probability that the
    chance move called `name` comes at `state` when these are the types; a card that somebody holds cannot come.
    `knows(state, player, type)` is what the player who moves knows there of its own type: it has one strategy for all
    types with equal answers. Without that method players know their types.

    With very many types a description gives its payoffs by matrices. `payoff_matrix(state)`, in place of `payoff`,
    returns a number, such as the pot, and the name of one of `matrices`, a dictionary of float64 (types of player 0,
    types of player 1). Their product is the payoff to player 0.

    >>> from tictactoe import GameDescription, build_game
    >>> class Guess:  # which side of the coin is up, as player 0 alone can see? Player 1 guesses
    ...     types = ("head", "tail"), ("",)
    ...     def prior(self, first: str, second: str) -> float:
    ...         return 1 / 2
    ...     def root(self) -> str:
    ...         return "start"
    ...     def owner(self, state: str) -> int | None:
    ...         return 1 if state == "start" else None
    ...     def moves(self, state: str) -> list[tuple[str, str]]:
    ...         return [("head", "head"), ("tail", "tail")]
    ...     def payoff(self, state: str, first: str, second: str) -> float:
    ...         return -1 if state == first else 1
    >>> build_game(Guess()).payoffs[:, :2, 0].tolist()
    [[-1.0, 1.0], [1.0, -1.0]]
    """

    @property
    def types(self) -> Sequence[Sequence[Any]]:
        """The private types of player 0 and of player 1: different names, such as strings.

        A player without a secret has one type."""

    def prior(self, first: Any, second: Any) -> float:
        """The probability that player 0 has the type `first` and player 1 the type `second`; they may be dependent."""

    def root(self) -> State:
        """The state before the first move."""

    def owner(self, state: State) -> int | None:
        """Who moves: 0, 1 or CHANCE; None when the game is over."""

    def moves(self, state: State) -> Iterable[tuple[Any, State]]:
        """The moves of whoever moves, each with a name (such as a string) and the state that it leads to.

        Both players see the move that is made. The list must not depend on the types."""

    def payoff(self, state: State, first: Any, second: Any) -> float:
        """What player 0 gets, and player 1 loses, when the game is over and these are the types.

        Called only for types that may be drawn together, and where the chance moves so far may come with them."""


def shown(answer: object) -> str:
    """A description's answer, cut to a few characters of one line."""
    return " ".join(reprlib.repr(answer).split())


def finite(number: object) -> float | None:
    """The number as a float; None for anything but a finite number."""
    try:
        result = math.nan if isinstance(number, str) else float(number)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return result if math.isfinite(result) else None


def probability(number: object) -> float | None:
    """The number as a float; None for anything but a finite number from 0 on."""
    result = finite(number)
    return result if result is not None and result >= 0.0 else None
