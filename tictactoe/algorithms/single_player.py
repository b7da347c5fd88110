"""The best play of a single player against chance, such as 21 against a dealer, by dynamic programming over states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from ..checked_numbers import whole_number
from .arrays import CHANCE
from .game_description import SUM_TOLERANCE, GameDescription, State, finite, probability, shown

PLAYER = 0
MAXIMUM_STATES = 1_000_000
"""The most states of a game, unless the caller allows more."""


@dataclass(frozen=True, eq=False)
class BestMoves:
    """The best play of a single player, by state.

    >>> from tictactoe import best_play, named_game
    >>> best = best_play(named_game("twenty-one").description)
    >>> round(best.value, 6), list(best.moves.values())[:2]
    (-0.046556, ['stand', 'stand'])
    """

    value: float
    """The value to player 0; a Fraction if all payoffs and probabilities are whole numbers and Fractions."""
    values: Mapping[Any, float]
    """The value to player 0 from each state on, including states of chance and at the end."""
    moves: Mapping[Any, Any]
    """The name of the best move (the first of equals) at each state at which player 0 moves."""


def best_play(description: GameDescription[State], *, maximum_states: int = MAXIMUM_STATES) -> BestMoves:
    """Solve a game of player 0 against chance by dynamic programming: find its value and the best move at each state.

    description: as for `build_game`, but player 1 never moves, each player has one type, and states are hashable. Equal
        states are one state. No state may occur twice in a history.

    With Fractions as payoffs and probabilities, the result is exact. Raises ValueError, in one line that names the
    state, for any other description, and for a game of more than `maximum_states` states.

    >>> from fractions import Fraction
    >>> from tictactoe import best_play
    >>> class ThreeThrows:  # a die is thrown up to three times; its last number is paid
    ...     types = ("",), ("",)
    ...     def prior(self, first, second):
    ...         return 1
    ...     def root(self):
    ...         return 3, 0
    ...     def owner(self, state):
    ...         left, shown = state
    ...         return 2 if shown == 0 else 0 if left > 0 else None
    ...     def moves(self, state):
    ...         left, shown = state
    ...         if shown == 0:
    ...             return [(number, (left - 1, number)) for number in range(1, 7)]
    ...         return [("keep", (0, shown)), ("throw", (left, 0))]
    ...     def chance(self, state, name, first, second):
    ...         return Fraction(1, 6)
    ...     def payoff(self, state, first, second):
    ...         return state[1]
    >>> best = best_play(ThreeThrows())
    >>> best.value
    Fraction(14, 3)
    >>> [shown for shown in range(1, 7) if best.moves[2, shown] == "throw"]
    [1, 2, 3, 4]
    """
    search = _Search(description, whole_number("maximum_states", maximum_states, 1))
    root = _hashable(description.root())
    search.run(root)
    return BestMoves(search.values[root], search.values, search.moves)


class _Branch(NamedTuple):
    name: Any
    weight: Any
    """The probability of a chance move; 1 for a move of the player."""
    state: Any


class _Search:
    def __init__(self, description: GameDescription[Any], maximum_states: int) -> None:
        self._description, self._maximum_states = description, maximum_states
        numbers = [len(list(names)) for names in description.types]
        if numbers != [1, 1]:
            raise ValueError(
                f"types: the players have {numbers}; best_play needs games without secrets, with one type each"
            )
        self._types = [next(iter(names)) for names in description.types]
        self._branches: dict[Any, list[_Branch]] = {}  # the branches of every opened state; none when the game is over
        self.values: dict[Any, Any] = {}
        self.moves: dict[Any, Any] = {}

    def run(self, root: Any) -> None:
        waiting = [root]
        while waiting:
            state = waiting[-1]
            if state in self.values:
                waiting.pop()
            elif state in self._branches:
                self._close(state)
            else:
                self._open(state)
                waiting.extend(branch.state for branch in self._branches[state])

    def _open(self, state: Any) -> None:
        if len(self._branches) == self._maximum_states:
            raise ValueError(f"the game has more than {self._maximum_states:,} states; maximum_states allows more")
        owner = self._description.owner(state)
        if owner is None:
            self._branches[state], self.values[state] = [], self._payoff(state)
        elif owner == CHANCE:
            self._branches[state] = self._chances(state, self._moves(state))
        elif owner == PLAYER:
            self._branches[state] = [_Branch(name, 1, after) for name, after in self._moves(state)]
            self.moves[state] = None  # until the state is closed
        else:
            what = f"{shown(owner)} is not {PLAYER}, CHANCE ({CHANCE}), or None when the game is over"
            raise _wrong("owner", state, what)
        for name, _, after in self._branches[state]:
            if _hashable(after) in self._branches and after not in self.values:
                raise _wrong("moves", state, f"{shown(name)} leads back to {shown(after)}")

    def _close(self, state: Any) -> None:
        branches = self._branches[state]
        if state in self.moves:
            best = max(branches, key=lambda branch: self.values[branch.state])
            self.moves[state], self.values[state] = best.name, self.values[best.state]
        else:
            self.values[state] = sum(branch.weight * self.values[branch.state] for branch in branches)

    def _moves(self, state: Any) -> list[tuple[Any, Any]]:
        answer = self._description.moves(state)
        moves = list(islice(answer, self._maximum_states)) if isinstance(answer, Iterable) else []
        if not moves or not all(isinstance(move, tuple) and len(move) == 2 for move in moves):
            raise _wrong("moves", state, f"{shown(answer)} is not a list of pairs (name, state)")
        names = [name for name, _ in moves]
        if any(name in names[:number] for number, name in enumerate(names)):
            raise _wrong("moves", state, f"two have the same name: {shown(names)}")
        return moves

    def _chances(self, state: Any, moves: list[tuple[Any, Any]]) -> list[_Branch]:
        chance = getattr(self._description, "chance", None)
        if chance is None:
            raise _wrong("owner", state, f"CHANCE ({CHANCE}), but the description has no method chance")
        branches = [_Branch(name, chance(state, name, *self._types), after) for name, after in moves]
        for name, weight, _ in branches:
            if probability(weight) is None:
                raise _wrong("chance", state, f"{shown(weight)} for {shown(name)} is not a probability")
        total = sum(branch.weight for branch in branches)
        if abs(total - 1) > SUM_TOLERANCE:
            raise _wrong("chance", state, f"the probabilities of all moves sum to {float(total)!r}, not 1")
        return [branch for branch in branches if branch.weight > 0]

    def _payoff(self, state: Any) -> Any:
        payoff = self._description.payoff(state, *self._types)
        if finite(payoff) is None:
            raise _wrong("payoff", state, f"{shown(payoff)} is not a finite number")
        return payoff


def _hashable(state: Any) -> Any:
    try:
        hash(state)
    except TypeError as error:
        raise ValueError(f"state {shown(state)}: {error}; best_play needs states such as tuples") from error
    return state


def _wrong(name: str, state: object, what: str) -> ValueError:
    return ValueError(f"{name} at {shown(state)}: {what}")
