"""A history of a described game at a saved iteration, as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from ..algorithms.arrays import FloatArray
from ..algorithms.built_game import BuiltGame
from ..algorithms.hidden_moves import Deal, HiddenMovesGame, Histories
from ..errors import FormatError, NotSavedError, StoreError
from ..games.named_games import NamedGame
from ..number_text import in_words, without_noise
from ..storage.directory_layout import list_snapshots, snapshot_name
from ..storage.locked_directory import finish
from ..storage.open_saved import shortened
from ..storage.snapshot import Snapshot
from .explored_position import plain
from .explorer import MistakeError, SavedIterations, iteration_in
from .game_advice import CHANCE, GameRound, advice_under
from .game_session import moves_meant

MOST_HISTORIES = 50
"""The largest number of histories of an information set in a view."""
NEVER = 1e-15
"""The probability below which a history has no beliefs and values, because they would be rounding errors."""


@dataclass(frozen=True)
class MoveOfType:
    """A move of a mover that has one of its types."""

    move: str
    probability: float
    """The probability of the move in the strategy that is shown."""
    current: float
    """The probability of the move in the current strategy."""
    average: float
    """The probability of the move in the average strategy."""
    value: float | None
    """The value, in payoff, of a best response after the move; None if the other player never leads here."""
    cost: float | None
    """The value of the best move minus the value of this one."""
    total_regret: float
    """The regret that the solver has accumulated over iterations; 0 in an exact solution."""


@dataclass(frozen=True)
class TypeRow:
    type: str
    belief: float | None
    """The probability of the type after these moves; None if the strategy never makes them."""
    value: float | None
    """The value of a best response to the other player; None if that player never leads here."""
    moves: tuple[MoveOfType, ...]


@dataclass(frozen=True)
class TypeBelief:
    """The belief that a player has a type."""

    type: str
    probability: float


@dataclass(frozen=True)
class ChanceMove:
    move: str
    probability: float | None
    """The probability of the type after these moves; None if the strategy never makes them."""


@dataclass(frozen=True)
class Payoff:
    """The payoff to the first player at the end, if the players have these types."""

    types: tuple[str, str]
    payoff: float


@dataclass(frozen=True)
class GameView:
    """Everything that is known about a history. The fields are the keys of its JSON. Pairs are for players 0 and 1."""

    game: str
    position: str
    """The moves with "/" between them, as strategy.csv has them."""
    history: tuple[str, ...]
    """The names of the moves."""
    shown: str | None
    """What lies on the table, in the words of the game; None if the game has none."""
    iteration: int
    strategy: str
    """The strategy, average or current, of the values, beliefs and probabilities."""
    solution_value: float
    """The value of the average strategies to player 0, in payoff."""
    exploitability: float
    """NashConv of the average strategy."""
    to_move: str | None
    """Who moves next: first, second (players 0 and 1) or chance; None at the end."""
    value: float | None
    """The value to player 0 under the strategy; None if the strategy never leads here."""
    history_probability: float
    """The probability of these moves, over all types."""
    beliefs: tuple[tuple[TypeBelief, ...] | None, tuple[TypeBelief, ...] | None]
    """The beliefs about each player; None if the strategy never leads here."""
    rows: tuple[TypeRow, ...]
    """For each type that the mover may have, the value and the moves."""
    chance: tuple[ChanceMove, ...]
    """The moves of chance."""
    payoffs: tuple[Payoff, ...]
    """At the end, the payoffs for the pairs of types that can occur here."""
    may_be: tuple[TypeBelief, ...] = ()
    """If moves may be hidden, the likeliest MOST_HISTORIES histories of the mover's information set with their
    probabilities; none if the strategy never leads to any."""

    def as_dict(self) -> Any:
        return plain(self)


def game_of_directory(directory: Path) -> str | None:
    """The name of the described game that was solved in a directory; None if the directory has something else."""
    finish(directory)
    iterations = list_snapshots(directory) if directory.is_dir() else []
    if not iterations:
        return None
    try:
        content = Snapshot.about(directory / snapshot_name(iterations[-1]))
    except FormatError:  # the reader of the file says what is wrong
        return None
    return str(content.get("rules")) if content.get("outcome_values") is None else None


class GameExplorer(SavedIterations):
    """A history at a saved iteration. A method that raises MistakeError changes nothing.

    directory: the directory of a solved game.
    history: the history to begin at, as text.
    iteration: "first", "last" or a number.

    Raises FormatError for an unusable file or a file of another game, NotSavedError for an iteration that is not saved,
    and MistakeError for a history that the game does not have.
    """

    def __init__(
        self, named: NamedGame, directory: Path, history: Sequence[str] = (), iteration: str | None = None
    ) -> None:
        self.saved: Snapshot
        self._named, self._directory = named, directory
        self.game: BuiltGame = named.build()
        self._tree, self._seen = self.game.tree, _Seen
        if isinstance(self.game, HiddenMovesGame):
            self._tree, self._seen = self.game.histories.tree, _SeenHidden
        saved = self.iterations()
        if not saved:
            raise StoreError(f"{directory}: there is no solved game in it")
        number = saved[-1] if iteration is None else iteration_in(iteration, saved)
        if number not in saved:
            raise NotSavedError(f"iteration {number} is not saved; saved: {shortened(saved)}")
        self.saved = Snapshot.load(directory / snapshot_name(number), self.game)
        self.node, self.average = 0, True
        self.go_to(history)

    def iterations(self) -> list[int]:
        return list_snapshots(self._directory)

    def load_iteration(self, number: int) -> None:
        try:
            self.saved = Snapshot.load(self._directory / snapshot_name(number), self.game)
        except (FormatError, OSError) as error:
            raise MistakeError(f"{error}; still at iteration {self.saved.iteration}") from error

    def go_to(self, history: Sequence[str]) -> None:
        self.node = self._after(0, history)

    def move(self, names: Sequence[str]) -> None:
        """Make moves. Each is given by its name, the beginning of its name, or its number."""
        self.node = self._after(self.node, names)

    def undo(self) -> None:
        if self.node == 0:
            raise MistakeError("no move to take back")
        self.node = int(self._tree.parent[self.node])

    def _after(self, node: int, names: Sequence[str]) -> int:
        left = list(names)
        while left:
            children = list(self._tree.children(node))
            if not children:
                raise MistakeError(f"{left[0][:40]!r}: the game is over before this move")
            known = [self._tree.move(child) for child in children]
            number = _parts_of_a_name(left, [in_words(move).lower() for move in known])
            name = "/".join(left[:number])
            del left[:number]
            found = moves_meant(name, known)
            if not found:
                raise MistakeError(f"{name[:40]!r} is not a move here: {', '.join(map(in_words, known))}")
            node = children[known.index(found[0])]
        return node

    def view(self) -> GameView:
        seen = self._seen(self._named, self.game, self.saved, self.average, self.node)
        names = tuple(map(in_words, self._tree.history(self.node)))
        owner = int(self._tree.owner[self.node])
        return GameView(
            game=self._named.name,
            position="/".join(names),
            history=names,
            shown=seen.position().shown,
            iteration=self.saved.iteration,
            strategy="average" if self.average else "current",
            solution_value=self.saved.value,
            exploitability=self.saved.exploitability,
            to_move={0: "first", 1: "second", CHANCE: "chance"}.get(owner),
            value=seen.value,
            history_probability=seen.probability,
            beliefs=(seen.beliefs(0), seen.beliefs(1)),
            rows=seen.rows() if owner in (0, 1) else (),
            chance=seen.chance() if owner == CHANCE else (),
            payoffs=seen.payoffs() if owner < 0 else (),
            may_be=seen.may_be() if owner in (0, 1) else (),
        )


def _parts_of_a_name(parts: Sequence[str], known: Sequence[str]) -> int:
    numbers = range(1 + max(name.count("/") for name in known), 1, -1)
    return next((number for number in numbers if "/".join(parts[:number]).lower() in known), 1)


@lru_cache(maxsize=2)
def _under(game: BuiltGame, saved: Snapshot, average: bool) -> Any:
    return advice_under(game, saved.average_strategy(game) if average else saved.current_strategy)


@dataclass(frozen=True, eq=False)
class _Seen:
    named: NamedGame
    game: BuiltGame
    saved: Snapshot
    average: bool
    node: int

    @cached_property
    def under(self) -> Any:
        return _under(self.game, self.saved, self.average)

    def joint_at(self, node: int) -> FloatArray:
        """The joint probability of the types of players 0 and 1 and of reaching a node: float64 (k, k)."""
        dealt = self.game.dealt(node)
        return dealt * np.outer(self.under.reach[0, node], self.under.reach[1, node])

    @cached_property
    def joint(self) -> FloatArray:
        return self.joint_at(self.node)

    @property
    def probability(self) -> float:
        return float(self.joint.sum())

    @property
    def is_reached(self) -> bool:
        return self.probability > NEVER

    def may_be(self) -> tuple[TypeBelief, ...]:
        return ()

    @property
    def value(self) -> float | None:
        if not self.is_reached:
            return None
        total, waiting = 0.0, [self.node]
        game = self.game
        while waiting:
            node = waiting.pop()
            if game.tree.owner[node] >= 0:
                waiting += game.tree.children(node)
                continue
            total += float(self.under.reach[0, node] @ game.paid(node) @ self.under.reach[1, node])
        return total / float(self.joint.sum())

    @cached_property
    def _state(self) -> Any:
        description = self.named.description
        state = description.root()
        for name in self.game.tree.history(self.node):
            state = dict(description.moves(state))[name]
        return state

    def position(self, types: tuple[Any, Any] = (None, None)) -> GameRound:
        position = GameRound(self.named.description, types, self._state, Random(0))
        position.history = self.game.tree.history(self.node)
        return position

    def beliefs(self, player: int) -> tuple[TypeBelief, ...] | None:
        if not self.is_reached:
            return None
        weights, types = self.joint.sum(axis=1 - player) / self.joint.sum(), self.game.types[player]
        return tuple(
            TypeBelief(in_words(types[number]), without_noise(float(weights[number]))) for number in self._dealt(player)
        )

    def _dealt(self, player: int) -> list[int]:
        dealt: list[int] = np.flatnonzero(self.game.prior.sum(axis=1 - player) > 0.0).tolist()
        return dealt

    def rows(self) -> tuple[TypeRow, ...]:
        game, player = self.game, int(self.game.tree.owner[self.node])
        beliefs = self.beliefs(player)
        others = self.under.reach[1 - player, self.node] * (game.prior if player == 0 else game.prior.T)
        result = []
        for place, number in enumerate(self._dealt(player)):
            other = game.types[1 - player][int(np.argmax(others[number]))]
            own = game.types[player][number]
            position = self.position((own, other) if player == 0 else (other, own))
            known = float(others[number].sum()) > NEVER
            worths = {name: move.worth for name, move in self.under.moves(position).items()}
            best = max(worths.values())
            moves = self.moves(self.node, number, worths, known)
            belief = None if beliefs is None else beliefs[place].probability
            result.append(TypeRow(in_words(own), belief, best if known else None, moves))
        return tuple(result)

    def moves(self, node: int, number: int, worths: dict[Any, float], known: bool) -> tuple[MoveOfType, ...]:
        tree, best, average = self.game.tree, max(worths.values()), _under(self.game, self.saved, True).strategy
        return tuple(
            MoveOfType(
                move=in_words(tree.move(child)),
                probability=without_noise(float(self.under.strategy[child, number])),
                current=without_noise(float(self.saved.current_strategy[child, number])),
                average=without_noise(float(average[child, number])),
                value=worths[tree.move(child)] if known else None,
                cost=max(0.0, best - worths[tree.move(child)]) if known else None,
                total_regret=float(self.saved.regrets[child, number]),
            )
            for child in tree.children(node)
        )

    def chance(self) -> tuple[ChanceMove, ...]:
        total = float(self.joint.sum())
        return tuple(
            ChanceMove(
                in_words(self.game.tree.move(child)),
                float(self.joint_at(child).sum()) / total if self.is_reached else None,
            )
            for child in self.game.tree.children(self.node)
        )

    def payoffs(self) -> tuple[Payoff, ...]:
        possible = np.argwhere(self.game.dealt(self.node) > 0.0).tolist()
        pairs = [(self.game.types[0][first], self.game.types[1][second]) for first, second in possible]
        return tuple(Payoff((in_words(pair[0]), in_words(pair[1])), self.position(pair).payoff) for pair in pairs)


@lru_cache(maxsize=2)
def _histories_under(game: HiddenMovesGame, saved: Snapshot, average: bool) -> tuple[FloatArray, FloatArray]:
    """The probability of each history and its value to player 0, float64 (num_histories,) each."""
    told = game.histories
    moves = told.probabilities(_under(game, saved, average).strategy)
    values = told.tree.from_leaves(told.payoff.copy(), lambda level, below: level.sums(moves[level.nodes] * below))
    return told.reach(moves), values


class _SeenHidden(_Seen):
    @property
    def histories(self) -> Histories:
        assert isinstance(self.game, HiddenMovesGame)
        return self.game.histories

    @property
    def _under_all(self) -> tuple[FloatArray, FloatArray]:
        assert isinstance(self.game, HiddenMovesGame)
        return _histories_under(self.game, self.saved, self.average)

    @property
    def probability(self) -> float:
        return float(self._under_all[0][self.node])

    @property
    def value(self) -> float | None:
        return float(self._under_all[1][self.node]) if self.is_reached else None

    def position(self, types: tuple[Any, Any] = ("", "")) -> GameRound:
        description, history = self.named.description, self.histories.tree.history(self.node)
        if isinstance(next(iter(history), None), Deal):
            types, history = tuple(history[0]), history[1:]
        position = GameRound(description, types, description.root(), Random(0))
        for name in history:
            position.play(name)
        return position

    def beliefs(self, player: int) -> tuple[TypeBelief, ...] | None:
        return ()

    def may_be(self) -> tuple[TypeBelief, ...]:
        told, reach = self.histories, self._under_all[0]
        alike = np.flatnonzero(told.node == told.node[self.node])
        total = float(reach[alike].sum())
        if total <= NEVER:
            return ()
        likeliest = alike[np.argsort(-reach[alike], kind="stable")][:MOST_HISTORIES].tolist()
        return tuple(
            TypeBelief("/".join(map(in_words, told.tree.history(each))), float(reach[each]) / total)
            for each in likeliest
        )

    def rows(self) -> tuple[TypeRow, ...]:
        node = int(self.histories.node[self.node])
        worths = {name: move.worth for name, move in self.under.moves_at(node).items()}
        known = self.under.met(node) > NEVER
        return (
            TypeRow(
                in_words(self.game.tree.names[node]),
                1.0 if self.is_reached else None,
                max(worths.values()) if known else None,
                self.moves(node, 0, worths, known),
            ),
        )

    def chance(self) -> tuple[ChanceMove, ...]:
        told = self.histories
        return tuple(
            ChanceMove(in_words(told.tree.move(child)), float(told.chance[child]))
            for child in told.tree.children(self.node)
        )

    def payoffs(self) -> tuple[Payoff, ...]:
        first, second = map(in_words, self.position().types)
        return (Payoff((first, second), float(self.histories.payoff[self.node])),)
