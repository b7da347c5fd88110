"""The descriptions that `build_game` takes, and the walk through their histories, which checks their answers."""

from __future__ import annotations

import math
import re
import reprlib
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import islice, product
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from .arrays import CHANCE, NUM_TYPES, FloatArray, row_type

State = TypeVar("State")
Types = tuple[tuple[Any, ...], tuple[Any, ...]]
"""The names of the types of players 0 and 1."""

Number = float | Fraction | str
"""A payoff or a probability, which may also be a fraction, or a text such as "1/6" or "0.1"."""

SUM_TOLERANCE = 1e-9
"""The largest accepted difference between 1 and the sum of a description's probabilities."""


class GameDescription(Protocol[State]):
    """A two-player zero-sum game with public moves for `build_game`: any object with these members.

    Before the first move, each player is dealt a private type, such as a card, which the other player does not see. A
    state is any object, such as a board. It must contain everything that matters about the public moves so far, and
    nothing about the types.

    Two methods are optional. `chance(state, name, first, second)` is the probability of the chance move `name`, given
    these types. `knows(state, player, type)` is what the mover knows of its own type; the mover has one strategy for
    all types with equal answers. Without that method, players know their types.

    Payoffs and probabilities are numbers, fractions (`fractions.Fraction`) or texts such as "1/6" and "0.1".

    For very many types, `payoff_matrix(state)` replaces `payoff`. It returns a number, such as the pot, and the name of
    one of `matrices`, a dictionary of float64 (types of player 0, types of player 1). Their product is the payoff to
    player 0. If ranks of types decide, a `RankedDescription` is far faster.

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
        """The private types of player 0 and of player 1, with different names. A player without a secret has one
        type."""

    def prior(self, first: Any, second: Any) -> Number:
        """The joint probability that player 0 has the type `first` and player 1 the type `second`."""

    def root(self) -> State:
        """The state before the first move."""

    def owner(self, state: State) -> int | None:
        """The player to move: 0, 1 or CHANCE; None when the game is over."""

    def moves(self, state: State) -> Iterable[tuple[Any, State]]:
        """The moves at `state`, each with a name (such as a string) and the state that it leads to.

        Both players see the move that is made. The moves must not depend on the types.
        """

    def payoff(self, state: State, first: Any, second: Any) -> Number:
        """The payoff to player 0 at the end; the payoff to player 1 is its negative.

        Called only for types and chance moves that can occur together.
        """


class RankedDescription(Protocol[State]):
    """A game for `build_game` with public moves whose payoffs follow from strengths and blockers.

    Types are ranked, and the stronger type wins. Types that hold the same thing, such as a card, are not dealt
    together.

    More members are optional. `weights`: numbers for all types of both players; the probability of a pair of types is
    in proportion to their product (all are equal by default). `blockers`: what each type holds, at most two hashables.
    `chance(state, name)`: the probability of a chance move for types that hold nothing in the list `blocks(state,
    name)` of what it brings. `base`: an additional payoff to player 0. Types of both players that hold the same two
    things must be equally strong.

    >>> from tictactoe import RankedDescription, build_game
    >>> class HighCard:  # player 0 shows its card, or gives up; of 100 different cards
    ...     types = tuple(range(100)), tuple(range(100))
    ...     blockers = [[[card] for card in range(100)]] * 2
    ...     strengths = {"card": (range(100), range(100))}
    ...     def root(self) -> str:
    ...         return ""
    ...     def owner(self, state: str) -> int | None:
    ...         return None if state else 0
    ...     def moves(self, state: str) -> list[tuple[str, str]]:
    ...         return [("show", "show"), ("give up", "give up")]
    ...     def payoff_strength(self, state: str) -> tuple[float, str | None]:
    ...         return (3.0, "card") if state == "show" else (-1.0, None)
    >>> from tictactoe import CFRSolver, update_rule
    >>> solver = CFRSolver(build_game(HighCard()), update_rule("cfr+"))
    >>> solver.run(100)
    >>> solver.average_strategy()[1, [0, 32, 34, 99]].round().tolist()  # who wins a third of the time shows
    [0.0, 0.0, 1.0, 1.0]
    """

    @property
    def types(self) -> Sequence[Sequence[Any]]:
        """The private types of player 0 and of player 1."""

    @property
    def strengths(self) -> Mapping[Any, Sequence[Sequence[float]]]:
        """The strengths of the types of players 0 and 1, by name. The higher number wins."""

    def root(self) -> State:
        """The state before the first move."""

    def owner(self, state: State) -> int | None:
        """The player to move: 0, 1 or CHANCE; None when the game is over."""

    def moves(self, state: State) -> Iterable[tuple[Any, State]]:
        """The moves at `state`, each with a name and the state that it leads to."""

    def payoff_strength(self, state: State) -> tuple[float, Any]:
        """At the end, the amount that the weaker pays the stronger, and the name of one of `strengths`.

        With None in place of a name, player 0 receives the amount.
        """


class HiddenMovesDescription(Protocol[State]):
    """A two-player zero-sum game for `build_game` with hidden or simultaneous moves.

    All states in which the mover sees the same form one information set. What a player sees must reveal its own earlier
    moves and all that it saw before (perfect recall). With chance moves, there is one more method, `chance(state,
    name)`, the probability of a chance move. With private types, there are `types` and `prior`, as in a
    `GameDescription`; `payoff` and `chance` then take the types, too, and an information set is the own type and what
    is seen.

    >>> from tictactoe import HiddenMovesDescription, build_game
    >>> class Pennies:  # player 1 wants to choose the same side
    ...     def root(self) -> str:
    ...         return ""
    ...     def owner(self, state: str) -> int | None:
    ...         return len(state) if len(state) < 2 else None
    ...     def moves(self, state: str) -> list[tuple[str, str]]:
    ...         return [("head", state + "h"), ("tail", state + "t")]
    ...     def sees(self, state: str, player: int) -> str:
    ...         return "nothing"
    ...     def payoff(self, state: str) -> float:
    ...         return -1 if state in ("hh", "tt") else 1
    >>> build_game(Pennies()).num_information_sets
    2
    """

    def root(self) -> State:
        """The state before the first move."""

    def owner(self, state: State) -> int | None:
        """The player to move: 0, 1 or CHANCE; None when the game is over."""

    def moves(self, state: State) -> Iterable[tuple[Any, State]]:
        """The moves at `state`, each with a name (such as a string) and the state that it leads to.

        The names must be the same in all states in which the mover sees the same.
        """

    def sees(self, state: State, player: int) -> Hashable:
        """What the player who moves sees, such as a string."""

    def payoff(self, state: State) -> Number:
        """The payoff to player 0 at the end; the payoff to player 1 is its negative."""


class GameSize(NamedTuple):
    """The size of a game, known before its payoffs are.

    >>> from tictactoe import named_game
    >>> sizes = []
    >>> game = named_game("kuhn").build(announce=sizes.append)
    >>> sizes[0].histories, sizes[0].leaves, sizes[0].num_types, sizes[0].payoffs
    (9, 5, 3, 30)
    """

    histories: int
    leaves: int
    num_types: int
    """The number of types of the player with more types."""
    payoffs: int
    """The number of payoffs to ask for: one for every end and every pair of types that can occur there."""
    seconds: float
    """The time that the payoffs take, estimated from the first leaves."""
    megabytes: float
    """The size of a solver's arrays."""


_ROWS_PER_NODE = 8
"""The number of rows that a solver keeps for every node: regrets, sums, strategies and scratch."""


def megabytes_of_rows(num_nodes: int, num_types: int) -> float:
    """The megabytes of a solver's arrays, for `GameSize`."""
    return num_nodes * _ROWS_PER_NODE * row_type(num_types).itemsize / 1e6


def shown(answer: object) -> str:
    """A description's answer as text, shortened to a line."""
    return " ".join(reprlib.repr(answer).split())


_NUMBER = re.compile(r"[+-]?(\d{1,300}/\d{1,300}|(\d{1,300}(\.\d{0,300})?|\.\d{1,300})([eE][+-]?\d{1,3})?)", re.ASCII)


def exact(number: object) -> Fraction | None:
    """The number, or a text such as "1/6" or "0.1", as a fraction; None unless it is finite."""
    try:
        if isinstance(number, str):
            return Fraction(number) if _NUMBER.fullmatch(number) else None
        return Fraction(number if isinstance(number, (int, Fraction, Decimal)) else float(number))  # type: ignore[arg-type]
    except (TypeError, ValueError, ArithmeticError):
        return None


def finite(number: object) -> float | None:
    """The number, or the text of one, as a float; None unless it is finite."""
    try:
        result = float(exact(number) if isinstance(number, str) else number)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return result if math.isfinite(result) else None


def probability(number: object) -> float | None:
    """The number as a float; None unless it is finite and at least 0."""
    result = finite(number)
    return result if result is not None and result >= 0.0 else None


def fault_of_names(names: Sequence[Any], what: str, whose: str = "") -> str | None:
    """The reason why these cannot be names; None if they can."""
    try:
        if len(set(names)) == len(names):
            return None
    except TypeError as error:
        return f"no name for {what}{whose}: {error}; take a string"
    repeated = next(name for place, name in enumerate(names) if name in names[:place])
    return f"two{whose} have the same name: {repeated}"


_MOVES_SHOWN = 8
"""The number of a history's moves that a message shows."""

LONGEST_HISTORY = 5000
"""The most moves of a history. States with longer ones would fill memory."""

_NODES_BETWEEN_CALLS = 1000
"""The number of nodes between two calls of `walked`."""


class HistoryWalk(Generic[State]):
    """A walk through all histories of a description. Its lists are by history.

    maximum_nodes: the most histories.
    walked: called now and then with the number of histories so far.
    """

    def __init__(
        self,
        description: GameDescription[State] | HiddenMovesDescription[State],
        maximum_nodes: int,
        walked: Callable[[int], object] | None = None,
    ) -> None:
        self.description = description
        self._maximum_nodes, self._walked, self._told = maximum_nodes, walked, 0
        self._parent, self._owner, self._depth = [-1], [-1], [0]
        self._names: list[Any] = [None]

    @property
    def num_nodes(self) -> int:
        return len(self._parent)

    def _tell(self) -> None:
        if self._walked is not None and self.num_nodes - self._told >= _NODES_BETWEEN_CALLS:
            self._told = self.num_nodes
            self._walked(self._told)

    def _mover(self, node: int, state: State) -> int | None:
        owner = self.ask("owner", node, state)
        if owner is None:
            if node == 0:
                raise self.wrong("owner", node, "it is None, but a game has at least one move")
            return None
        if owner == CHANCE and not callable(getattr(self.description, "chance", None)):
            raise self.wrong("owner", node, f"CHANCE ({CHANCE}), but the description has no method chance")
        if owner not in (0, 1, CHANCE):
            what = f"{shown(owner)} is not 0, 1, CHANCE ({CHANCE}), or None when the game is over"
            raise self.wrong("owner", node, what)
        return int(owner)

    def _add(self, node: int, names: Sequence[Any]) -> int:
        first = len(self._parent)
        if first + len(names) > self._maximum_nodes:
            what = f"the game has more than {self._maximum_nodes:,} histories; raise maximum nodes"
            raise self.wrong("moves", node, what)
        if self._depth[node] == LONGEST_HISTORY:
            raise self.wrong("moves", node, f"more than {LONGEST_HISTORY:,} moves in a row; a game must end")
        self._parent += [node] * len(names)
        self._owner += [-1] * len(names)
        self._depth += [self._depth[node] + 1] * len(names)
        self._names += names
        return first

    def _moves(self, node: int, state: State) -> list[tuple[Any, State]]:
        answer = self.ask("moves", node, state)
        if not isinstance(answer, Iterable):
            raise self.wrong("moves", node, f"{shown(answer)} is not a list of pairs (name, state)")
        moves = list(islice(answer, self._maximum_nodes))  # stops even an endless iterator
        if not moves:
            mover = "chance" if self._owner[node] == CHANCE else f"player {self._owner[node]}"
            raise self.wrong("moves", node, f"there are none, and {mover} is to move")
        for move in moves:
            if not isinstance(move, tuple) or len(move) != 2:
                raise self.wrong("moves", node, f"{shown(move)} is not a pair (name, state)")
        if (fault := fault_of_names([name for name, _ in moves], "a move")) is not None:
            raise self.wrong("moves", node, fault)
        return moves

    def ask(self, name: str, node: int, *arguments: Any) -> Any:
        """The answer of a method of the description. The history is added to an error as a note."""
        try:
            return getattr(self.description, name)(*arguments)
        except Exception as error:
            last = error.__traceback__
            while last and last.tb_next:
                last = last.tb_next
            if isinstance(error, TypeError) and last and last.tb_frame.f_globals.get("__package__") == __package__:
                raise self.wrong(name, node, str(error)) from error  # the method takes other arguments
            error.add_note(f"{name} was asked {self._where(node)}")
            raise

    def wrong(self, name: str, node: int, what: str) -> ValueError:
        """The error for a wrong answer of a method at a node."""
        return ValueError(f"{name} {self._where(node)}: {what}")

    def _where(self, node: int) -> str:
        left = self._depth[node] - _MOVES_SHOWN
        names: list[str] = []
        while node > 0 and len(names) < _MOVES_SHOWN:
            names, node = [str(self._names[node]), *names], self._parent[node]
        before = f"{left} moves and " if left > 0 else ""
        return f"after {before}{', '.join(names)}" if names else "before the first move"


def types_and_prior(description: GameDescription[Any]) -> tuple[Types, FloatArray]:
    types = types_of(description)
    num_types = max(NUM_TYPES, *map(len, types))
    prior = np.zeros((num_types, num_types))
    for (i, first), (j, second) in product(*map(enumerate, types)):
        answer = description.prior(first, second)
        chance = probability(answer)
        if chance is None:
            raise ValueError(f"prior: {shown(answer)} for {first} and {second} is not a probability")
        prior[i, j] = chance
    if abs(prior.sum() - 1.0) > SUM_TOLERANCE:
        raise ValueError(f"prior: the probabilities of all pairs of types sum to {float(prior.sum())!r}, not 1")
    return types, prior


def types_of(description: GameDescription[Any]) -> Types:
    """The names of all types, checked."""
    try:
        given = [tuple(names) for names in description.types]
    except TypeError as error:
        what = f"{shown(description.types)} is not two lists of names, one for either player"
        raise ValueError(f"types: {what}") from error
    if len(given) != 2:
        raise ValueError(f"types: {len(given)} lists of names; give one for either player")
    for player, names in enumerate(given):
        if not names:
            raise ValueError(f"types: player {player} has none; a player without a secret has one")
        if (fault := fault_of_names(names, "a type", f" of player {player}")) is not None:
            raise ValueError(f"types: {fault}")
    return given[0], given[1]
