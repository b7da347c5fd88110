"""OpenSpiel's games as descriptions for `build_game`, and games by name."""

from __future__ import annotations

import contextlib
import os
from collections import deque
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from ..algorithms.arrays import CHANCE, FloatArray
from ..algorithms.game_builder import MAXIMUM_NODES
from ..checked_numbers import whole_number
from ..errors import GameError, missing_library
from ..games.named_games import FILES, NamedGame, named_game
from .walked_game import Labels, WalkedGame, WalkedNode

MAXIMUM_DEALS = 4096
"""The most deals of a game that is described by public moves."""

STATES_BREADTH_FIRST = 50_000
"""The number of states that are walked breadth first, which finds hidden moves early, before the walk is depth
first."""

SUM_TOLERANCE = 1e-9
"""The largest difference between sums of both players' payoffs."""

_MOVES_SHOWN = 8
_CHARACTERS_SHOWN = 60

_FROM_FILES = ("efg_game", "nfg_game")
"""The games of OpenSpiel that are read from a file."""

_NODES_BETWEEN_CALLS = 1000
"""The number of nodes between two calls that report the progress of the walk."""

Worlds = dict[int, Any]
"""The state of OpenSpiel, by the number of the deal."""


def open_spiel_game(
    name_or_game: Any, *, maximum_nodes: int = MAXIMUM_NODES, walked: Callable[[int], object] | None = None
) -> WalkedGame | SeenGame:
    """A two-player constant-sum game of OpenSpiel with perfect recall, as a description for `build_game`.

    name_or_game: a name with parameters, as `pyspiel.load_game` takes it, or a `pyspiel.Game`.
    maximum_nodes: the most histories of public moves.
    walked: called during the walk with the number of histories found so far.

    The description is a `WalkedGame` if all moves are public and only the deal before the first move is secret: at
    every public history, the same player has the same moves for all deals, and the mover's information state occurs
    only at this history. Deals that a player never tells apart are one type.

    Any other game is a `SeenGame`, with hidden moves. If both move at once, player 0 moves first, unseen by player 1,
    as in OpenSpiel's `turn_based_simultaneous_game`.

    Moves have OpenSpiel's names. Types are named by the differences between the information states after the deal.
    Payoffs are those of player 0, even if the sum is not 0.

    Raises ValueError, which names the game or its file, for an unknown name and for a game of another kind, and
    MissingLibraryError without open_spiel.

    >>> from tictactoe import build_game, open_spiel_game
    >>> description = open_spiel_game("kuhn_poker")
    >>> description.types
    (('0', '1', '2'), ('0', '1', '2'))
    >>> build_game(description).tree.history(3)
    ('Pass', 'Pass')
    >>> game = build_game(open_spiel_game("matrix_rps"))
    >>> game.has_hidden_moves, len(game.ends.paid)
    (True, 9)
    """
    maximum_nodes = whole_number("maximum_nodes", maximum_nodes, 1)
    game, label = loaded(name_or_game)
    terms = _Terms(label, maximum_nodes, walked, _Payoffs(label))
    found: WalkedGame | SeenGame
    try:
        initial = game.new_initial_state()
        found = SeenGame(terms, game)
        if not _is_at_once(initial):
            with contextlib.suppress(_NotPublicError):
                if _is_perfect(game):
                    found = _Walk(terms, all_public=True).run([_Deal(1.0, initial)])
                else:
                    found = _with_a_deal(terms, initial)
    except _FAULTS as error:
        raise _fault(label, error) from error
    found.source = game
    if isinstance(found, WalkedGame):
        found.constant_sum = terms.payoffs.constant_sum
    return found


def loaded(name_or_game: Any) -> tuple[Any, str]:
    """The game of OpenSpiel, and its name in messages. Raises ValueError and MissingLibraryError like
    `open_spiel_game`.
    """
    try:
        import pyspiel
    except ImportError as error:
        raise missing_library("open_spiel", "open_spiel") from error
    game, file = name_or_game, ""
    if isinstance(name_or_game, str):
        game, file = _loaded(pyspiel, name_or_game)
    if not isinstance(game, pyspiel.Game):
        raise ValueError(f"name_or_game: {_cut(repr(game))} is neither a name nor a game of OpenSpiel")
    label = file or game.get_type().short_name
    if game.num_players() != 2:
        raise ValueError(f"{label}: it is not for two players, but for {game.num_players()}")
    types, kind = pyspiel.GameType, game.get_type()
    if kind.chance_mode == types.ChanceMode.SAMPLED_STOCHASTIC:
        raise ValueError(f"{label}: its chance only draws samples and does not give probabilities")
    if kind.dynamics == types.Dynamics.SIMULTANEOUS:
        game = pyspiel.convert_to_turn_based(game)
    if not (kind.provides_information_state_string or _is_perfect(game)):
        raise ValueError(f"{label}: it does not say what its players know (information_state_string)")
    return game, label


def _is_at_once(state: Any) -> bool:
    return hasattr(state, "simultaneous_game_state")


def _is_perfect(game: Any) -> bool:
    initial = game.new_initial_state()
    kind = (initial.simultaneous_game_state().get_game() if _is_at_once(initial) else game).get_type()
    return bool(kind.information == type(kind.information).PERFECT_INFORMATION)


class _Terms(NamedTuple):
    label: str
    """The game's name in messages."""
    maximum_nodes: int
    walked: Callable[[int], object] | None
    payoffs: _Payoffs


class _Payoffs:
    """Player 0's payoffs at the ends. Raises GameError if the sum of both players' payoffs changes."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._sum: float | None = None

    @property
    def constant_sum(self) -> float:
        return self._sum or 0.0

    def __call__(self, state: Any) -> float:
        first, second = state.returns()
        self._sum = first + second if self._sum is None else self._sum
        if not abs(first + second - self._sum) <= SUM_TOLERANCE:
            sums = f"{self._sum:g}, and to {first + second:g} {_after(state)}"
            raise GameError(f"{self._label}: it is not constant-sum: the payoffs of both players sum to {sums}")
        return float(first)


class _NotPublicError(Exception):
    """A game does not consist of public moves after a deal."""


class _Deal(NamedTuple):
    probability: float
    state: Any
    """The state after these moves."""
    names: tuple[Any, ...] = ()
    """The names of the moves."""


def _with_a_deal(terms: _Terms, initial: Any) -> WalkedGame:
    deals = _deals(terms.label, initial, None)
    longest = max(len(deal.names) for deal in deals)
    for length in range(longest):
        if _seems_public(deals, length):
            with contextlib.suppress(_NotPublicError, ValueError):
                return _Walk(terms).run(_deals(terms.label, initial, length))
    return _Walk(terms).run(deals)


def _deals(label: str, initial: Any, length: int | None) -> list[_Deal]:
    deals, waiting = [], [_Deal(1.0, initial)]
    while waiting:
        deal = waiting.pop()
        probability, state, names = deal
        if state.is_chance_node() and len(names) != length:
            chances = dict(state.chance_outcomes())
            after = [
                _Deal(probability * chances[action], state.child(action), (*names, name))
                for name, action in _by_name(label, state).items()
            ]
            waiting += reversed(after)
        else:
            deals.append(deal)
            if len(deals) > MAXIMUM_DEALS:
                raise _NotPublicError
    return deals


def _seems_public(deals: list[_Deal], length: int) -> bool:
    seen: dict[tuple[int, str], tuple[Any, ...]] = {}
    told = ((player, _told(deal.state, player), deal.names[length:]) for deal in deals for player in (0, 1))
    return all(text is None or seen.setdefault((player, text), names) == names for player, text, names in told)


def _loaded(pyspiel: Any, name: str) -> tuple[Any, str]:
    short_name = name.partition("(")[0].strip()
    if short_name.startswith("smbc_tictactoe_"):
        import_module("tictactoe.environments.open_spiel")  # registers ours
    if short_name not in pyspiel.registered_names() and short_name.startswith("python_"):
        import_module("open_spiel.python.games")  # registers games that are written in Python
    if short_name not in pyspiel.registered_names():
        raise ValueError(f"name_or_game: OpenSpiel has no game {_cut(short_name)!r}")
    try:
        with _silence():
            file = str(pyspiel.game_parameters_from_string(name).get("filename", ""))
            if short_name in _FROM_FILES and not os.path.isfile(file):
                what = f"there is no file {file!r}" if file else f"it takes a file, {short_name}(filename=FILE)"
                raise ValueError(what)
            return pyspiel.load_game(name), file
    except Exception as error:  # a pyspiel.SpielError, an error of C++ or of a game in Python
        raise ValueError(f"name_or_game: OpenSpiel refuses {_one_line(name)!r}: {_one_line(error)}") from error


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    try:
        kept = os.dup(2)
    except OSError:  # it is closed
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


class _Walk:
    def __init__(self, terms: _Terms, all_public: bool = False) -> None:
        self.all_public = all_public
        self._terms = terms
        self._nodes: list[WalkedNode] = []
        self._waiting: deque[tuple[int, Worlds]] = deque()
        self._node_of: tuple[dict[str, int], dict[str, int]] = ({}, {})  # by player and information state
        self._labels: dict[bytes, Labels] = {}  # each kind once
        self._remembered: set[tuple[int, int]] = set()  # pairs of labels that were checked
        self._names: tuple[list[list[str]], list[list[str]]] = ([], [])
        self._most_known = [0, 0]
        self._payoffs: dict[bytes, FloatArray] = {}  # each kind once

    def run(self, deals: list[_Deal]) -> WalkedGame:
        worlds = {number: deal.state for number, deal in enumerate(deals)}
        self._enter(-1, None, worlds, np.array([deal.probability for deal in deals]))
        if not self.all_public:
            for player in (0, 1):
                told = [_told(state, player) for state in worlds.values()]
                if None not in told:
                    self._names[player].append([text for text in told if text is not None])
        while self._waiting:
            early = len(self._nodes) * len(deals) < STATES_BREADTH_FIRST
            number, worlds = self._waiting.popleft() if early else self._waiting.pop()
            node, some = self._nodes[number], next(iter(worlds.values()))
            if some.is_terminal():
                node.payoffs = self._payoffs_of(worlds)
            elif some.is_chance_node():
                node.owner = CHANCE
                self._draw(number, worlds)
            else:
                node.owner = int(some.current_player())
                self._move(number, worlds)
        return WalkedGame(self._nodes, self._names)

    def _enter(self, parent: int, name: Any, worlds: Worlds, weights: FloatArray) -> int:
        number = len(self._nodes)
        if number == self._terms.maximum_nodes:
            raise GameError(f"{self._terms.label}: more than {number:,} histories of public moves; raise maximum nodes")
        if number % _NODES_BETWEEN_CALLS == 0 and self._terms.walked is not None:
            self._terms.walked(number)
        _must(len({int(state.current_player()) for state in worlds.values()}) == 1)
        self._nodes.append(WalkedNode(parent, name, weights))
        self._waiting.append((number, worlds))
        return number

    def _move(self, number: int, worlds: Worlds) -> None:
        node = self._nodes[number]
        label = self._terms.label
        actions = {deal: _by_name(label, state) for deal, state in worlds.items()}
        names = next(iter(actions.values()))
        _must(all(named.keys() == names.keys() for named in actions.values()))
        if not self.all_public:
            self._note(number, worlds, actions)
        for name in names:
            after = {deal: state.child(actions[deal][name]) for deal, state in worlds.items()}
            node.moves.append((name, self._enter(number, name, after, node.weights)))

    def _draw(self, number: int, worlds: Worlds) -> None:
        node = self._nodes[number]
        after: dict[Any, Worlds] = {}
        first: dict[Any, int] = {}  # by name, the lowest action
        for deal, state in worlds.items():
            chances = dict(state.chance_outcomes())
            for name, action in _by_name(self._terms.label, state).items():
                after.setdefault(name, {})[deal] = state.child(action)
                first[name] = min(action, first.get(name, action))
                node.chances.setdefault(name, np.zeros(len(node.weights)))[deal] = chances[action]
        for name in sorted(after, key=first.__getitem__):
            node.moves.append((name, self._enter(number, name, after[name], node.weights * node.chances[name])))

    def _note(self, number: int, worlds: Worlds, actions: dict[int, dict[Any, int]]) -> None:
        node, player = self._nodes[number], int(next(iter(worlds.values())).current_player())
        node_of, numbers = self._node_of[player], dict[str, int]()
        labels: Labels = np.full(len(self._nodes[0].weights), -1, np.int16)
        told = {deal: state.information_state_string(player) for deal, state in worlds.items()}
        for deal, text in told.items():
            _must(node_of.setdefault(text, number) == number)
            labels[deal] = numbers.setdefault(text, len(numbers))
            if text not in node.information_states:
                node.information_states[text] = tuple(actions[deal][name] for name in actions[next(iter(actions))])
        node.labels = self._labels.setdefault(labels.tobytes(), labels)
        self._check_memory(number, player)
        if len(numbers) > self._most_known[player] and len(told) == len(labels):
            self._most_known[player] = len(numbers)
            self._names[player].append([told[deal] for deal in range(len(labels))])

    def _check_memory(self, number: int, player: int) -> None:
        before = self._nodes[number].parent
        while before >= 0 and self._nodes[before].owner != player:
            before = self._nodes[before].parent
        if before < 0:
            return
        old, new = self._nodes[before].labels, self._nodes[number].labels
        assert old is not None
        assert new is not None
        if (id(old), id(new)) not in self._remembered:
            both = {(a, b) for a, b in zip(old.tolist(), new.tolist(), strict=True) if b >= 0}
            _must(len(both) == len({b for _, b in both}))
            self._remembered.add((id(old), id(new)))

    def _payoffs_of(self, worlds: Worlds) -> FloatArray:
        payoffs = np.zeros(len(self._nodes[0].weights))
        for deal, state in worlds.items():
            payoffs[deal] = self._terms.payoffs(state)
        return self._payoffs.setdefault(payoffs.tobytes(), payoffs)


def _must(holds: bool) -> None:
    if not holds:
        raise _NotPublicError


_FAULTS = (RuntimeError, LookupError)
"""The errors of OpenSpiel: a pyspiel.SpielError, or an error of C++."""


def _fault(label: str, error: Exception) -> GameError:
    return GameError(f"{label}: OpenSpiel fails: {_one_line(error)}")


class _At(NamedTuple):
    state: Any
    said: str = ""
    """The names of all moves up to the state; "" if they are not public."""
    told: str = ""
    """The names of all moves except the last."""


class SeenGame:
    """A game of OpenSpiel as a description with hidden moves for `build_game`.

    A player sees its information state or, if only simultaneous moves are hidden, all earlier moves.

    source: the turn-based `pyspiel.Game`.
    """

    def __init__(self, terms: _Terms, game: Any) -> None:
        self.source: Any = game
        self.all_public = _is_perfect(game)
        """Whether all moves except simultaneous ones are seen."""
        self._label, self._payoffs = terms.label, terms.payoffs
        self._drawn: tuple[_At | None, dict[Any, float]] = (None, {})
        """The last state for which `chance` was called, and the probabilities of its moves."""

    def root(self) -> _At:
        return _At(self.source.new_initial_state())

    def owner(self, at: _At) -> int | None:
        """The player who moves: 0, 1, or 2 for chance; None at the end."""
        if at.state.is_terminal():
            return None
        return CHANCE if at.state.is_chance_node() else int(at.state.current_player())

    def actions(self, at: _At) -> dict[Any, int]:
        try:
            return _by_name(self._label, at.state)
        except _FAULTS as error:
            raise _fault(self._label, error) from error

    def moves(self, at: _At) -> list[tuple[Any, _At]]:
        actions = self.actions(at)
        if not self.all_public:
            return [(name, _At(at.state.child(action))) for name, action in actions.items()]
        return [(name, _At(at.state.child(action), f"{at.said}{name}\n", at.said)) for name, action in actions.items()]

    def chance(self, at: _At, name: Any) -> float:
        if self._drawn[0] is not at:
            chances = dict(at.state.chance_outcomes())
            self._drawn = at, {known: chances[action] for known, action in self.actions(at).items()}
        return self._drawn[1][name]

    def sees(self, at: _At, player: int) -> str:
        """The information state of the player who moves."""
        if self.all_public:
            now = at.state.simultaneous_game_state()
            hidden = player == 1 and now.is_simultaneous_node() and now.legal_actions(0)
            return at.told if hidden else at.said
        try:
            return str(at.state.information_state_string(player))
        except _FAULTS as error:
            raise _fault(self._label, error) from error

    @property
    def constant_sum(self) -> float:
        """The sum of both players' payoffs, after an end has been paid."""
        return self._payoffs.constant_sum

    def payoff(self, at: _At) -> float:
        return self._payoffs(at.state)


def _by_name(label: str, state: Any) -> dict[Any, int]:
    """The possible actions at a state by OpenSpiel's words, which include the number if two are the same.

    Raises GameError if OpenSpiel lists an action twice.
    """
    player = int(state.current_player())
    if state.is_chance_node():
        listed = [action for action, chance in state.chance_outcomes() if chance > 0.0]
    else:
        listed = list(state.legal_actions())
    actions = list(dict.fromkeys(listed))
    if len(actions) < len(listed):
        name = next(state.action_to_string(player, action) for action in actions if listed.count(action) > 1)
        what = f"two moves are called {name!r} {_after(state)}, which OpenSpiel takes for one; name them differently"
        raise GameError(f"{label}: {what}")
    named = {state.action_to_string(player, action): action for action in actions}
    if len(named) == len(actions):
        return named
    return {(state.action_to_string(player, action), action): action for action in actions}


def _told(state: Any, player: int) -> str | None:
    try:
        with _silence():
            return None if state.is_terminal() else str(state.information_state_string(player))
    except RuntimeError:  # pyspiel.SpielError
        return None


def _after(state: Any) -> str:
    names, before = [], state.get_game().new_initial_state()
    for action in state.history():
        names.append(before.action_to_string(before.current_player(), action))
        before.apply_action(action)
    shown = list(map(_cut, names[-_MOVES_SHOWN:]))
    left = f"{len(names) - _MOVES_SHOWN} moves and " if len(names) > _MOVES_SHOWN else ""
    return f"after {left}{', '.join(shown)}" if shown else "before the first move"


def _one_line(text: object) -> str:
    return " ".join(str(text).split())


def _cut(text: str) -> str:
    text = _one_line(text)
    return text if len(text) <= _CHARACTERS_SHOWN else f"{text[:_CHARACTERS_SHOWN]}..."


DOOR = "openspiel:"


def game_by_name(name: str) -> NamedGame:
    """A game by name, including games of OpenSpiel, such as openspiel:leduc_poker.

    Raises ValueError for an unknown name or a game of another kind, and MissingLibraryError without OpenSpiel.

    >>> game_by_name("leduc(cards=6)").title
    "Leduc hold'em"
    """
    if name.startswith(DOOR):
        found = name.removeprefix(DOOR)
        try:
            game, _ = loaded(found)
        except ValueError as error:
            raise ValueError(str(error).removeprefix("name_or_game: ")) from error

        def described(maximum_nodes: int, walked: Callable[[int], object] | None) -> Any:
            return open_spiel_game(found, maximum_nodes=maximum_nodes, walked=walked)

        least, most = game.min_utility(), game.max_utility()
        rules = (
            f"A game of OpenSpiel, {found}: its documentation has the rules. You get {least:+g} to {most:+g} a round."
        )
        return NamedGame(name, game.get_type().long_name, described, rules=(rules,))
    try:
        return named_game(name)
    except ValueError as error:
        if str(error).endswith(FILES):
            raise ValueError(f"{str(error).replace(' or FILE', ', FILE')} or {DOOR}NAME") from error
        raise
