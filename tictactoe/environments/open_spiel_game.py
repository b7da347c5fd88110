"""Games of OpenSpiel as descriptions for `build_game`: found out by a walk through all of their states.

Needs open_spiel, when a game is asked for: `pip install open_spiel`. Games by name, those of OpenSpiel among them:
openspiel:NAME or openspiel:NAME(OPTIONS).
"""

from __future__ import annotations

import contextlib
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any, NamedTuple, NoReturn

import numpy as np

from ..algorithms.arrays import CHANCE, FloatArray
from ..algorithms.game_builder import MAXIMUM_NODES
from ..checked_numbers import whole_number
from ..errors import GameError, missing_library
from ..games.named_games import FILES, NamedGame, named_game
from .walked_game import Labels, WalkedGame, WalkedNode

MAXIMUM_DEALS = 4096
"""What chance may draw before the first move, in different ways."""

STATES_BREADTH_FIRST = 50_000
"""The number of states that are walked breadth first, which finds early what is hidden. After them the walk goes in
depth and keeps few states."""

SUM_TOLERANCE = 1e-9
"""How far the payoffs of both players may be from summing to 0."""

_MOVES_SHOWN = 8
_CHARACTERS_SHOWN = 60

_FROM_FILES = ("efg_game", "nfg_game")
"""Games of OpenSpiel that are read from a file."""

_NODES_BETWEEN_CALLS = 1000
"""The walk tells how far it is after so many nodes."""

Worlds = dict[int, Any]
"""By the number of a deal, the state of OpenSpiel."""


def open_spiel_game(
    name_or_game: Any, *, maximum_nodes: int = MAXIMUM_NODES, walked: Callable[[int], object] | None = None
) -> WalkedGame:
    """A two-player zero-sum game of OpenSpiel as a description: what `build_game` takes.

    name_or_game: a name with parameters, as `pyspiel.load_game` takes it, or a `pyspiel.Game`.
    maximum_nodes: histories of public moves at most.
    walked: is called now and then during the walk, with the number of histories found so far.

    All moves must be public, and chance must deal in secret before the first move alone; later chance is public. This
    is found out by a walk through all states. At a public history there is one state for each deal. The game is taken
    if at every history (1) the same player moves, and the same moves are legal, for all deals; and (2) the mover's
    information state occurs at this history alone. Then a history and what the mover knows of its deal are the same as
    the mover's information state, and nothing is lost or added. Deals that a player never tells apart are one type.
    What chance does before the first decision, but after the last secret, is public, too. In a game of perfect
    information all chance is public, and each player has one type.

    Names of moves are OpenSpiel's own words. Names of types are the player's information states after the deal, without
    what all of them share.

    Raises ValueError, in one line, for a name that OpenSpiel does not know and for a game of another kind: it says
    which information is not public. It begins with the game's name or, for a game from a file, with the file. Raises
    MissingLibraryError without open_spiel.

    >>> from tictactoe import build_game, open_spiel_game
    >>> description = open_spiel_game("kuhn_poker")
    >>> description.types
    (('0', '1', '2'), ('0', '1', '2'))
    >>> build_game(description).tree.history(3)
    ('Pass', 'Pass')
    >>> open_spiel_game("turn_based_simultaneous_game(game=matrix_rps())")
    Traceback (most recent call last):
    ValueError: turn_based_simultaneous_game: player 1 does not see player 0's move before the first move: Rock or Paper
    """
    maximum_nodes = whole_number("maximum_nodes", maximum_nodes, 1)
    game, label = loaded(name_or_game)
    terms = _Terms(label, maximum_nodes, walked)
    perfect = type(game.get_type().information).PERFECT_INFORMATION
    try:
        initial = game.new_initial_state()
        if game.get_type().information == perfect:
            found = _Walk(terms, all_public=True).run([_Deal(1.0, initial)])
        else:
            found = _with_a_deal(terms, initial)
    except (RuntimeError, LookupError) as error:  # of OpenSpiel: a pyspiel.SpielError, or one of C++
        raise ValueError(f"{label}: OpenSpiel fails: {_one_line(error)}") from error
    found.source = game
    return found


def loaded(name_or_game: Any) -> tuple[Any, str]:
    """The game of OpenSpiel, and what it is called in messages. Raises what `open_spiel_game` does before its walk."""
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
    _check_kind(pyspiel, game, label)
    return game, label


class _Terms(NamedTuple):
    """Of every walk through a game."""

    label: str
    """What the game is called in messages."""
    maximum_nodes: int
    walked: Callable[[int], object] | None


class _Deal(NamedTuple):
    """One way in which chance may make its first moves."""

    probability: float
    state: Any
    """After these moves."""
    names: tuple[Any, ...] = ()
    """Of the moves."""


def _with_a_deal(terms: _Terms, initial: Any) -> WalkedGame:
    """The game with as few of the first moves of chance in its deal as can be; those that follow are public.

    Raises ValueError for the deal with all of them, if there is no game with any deal.
    """
    deals = _deals(terms.label, initial, None)
    longest = max(len(deal.names) for deal in deals)
    for length in range(longest):
        if _seems_public(deals, length):
            with contextlib.suppress(ValueError):
                return _Walk(terms).run(_deals(terms.label, initial, length))
    return _Walk(terms).run(deals)


def _deals(label: str, initial: Any, length: int | None) -> list[_Deal]:
    """Every way in which chance may make its first `length` moves, or all, before the first decision."""
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
                raise ValueError(f"{label}: more than {MAXIMUM_DEALS} deals before the first move")
    return deals


def _seems_public(deals: list[_Deal], length: int) -> bool:
    """Whether both players know all moves of chance but the first `length`, by their information states after all."""
    seen: dict[tuple[int, str], tuple[Any, ...]] = {}
    told = ((player, _told(deal.state, player), deal.names[length:]) for deal in deals for player in (0, 1))
    return all(text is None or seen.setdefault((player, text), names) == names for player, text, names in told)


def _loaded(pyspiel: Any, name: str) -> tuple[Any, str]:
    """The game of a name, and the file that it is read from; "" for none."""
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
    except Exception as error:  # of OpenSpiel: a pyspiel.SpielError, one of C++ or of a game that is written in Python
        raise ValueError(f"name_or_game: OpenSpiel refuses {_one_line(name)!r}: {_one_line(error)}") from error


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Within the block nothing gets to the standard error: OpenSpiel prints its errors there besides raising them."""
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


def _check_kind(pyspiel: Any, game: Any, label: str) -> None:
    """Raise ValueError for a kind of game that no walk is needed for."""
    types, kind = pyspiel.GameType, game.get_type()
    if game.num_players() != 2:
        what = f"it has {game.num_players()} players, and 2 are supported"
    elif kind.dynamics != types.Dynamics.SEQUENTIAL:
        what = "both players move at once, so that neither sees the other's move"
    elif kind.utility != types.Utility.ZERO_SUM:
        what = "it is not zero-sum: what one player gets, the other need not lose"
    elif kind.chance_mode == types.ChanceMode.SAMPLED_STOCHASTIC:
        what = "its chance only draws samples, and does not say with which probabilities"
    elif kind.information != types.Information.PERFECT_INFORMATION and not kind.provides_information_state_string:
        what = "it does not say what its players know (information_state_string)"
    else:
        return
    raise ValueError(f"{label}: {what}")


class _Walk:
    """The walk through all public histories of a game."""

    def __init__(self, terms: _Terms, all_public: bool = False) -> None:
        """all_public: whether the game has perfect information, so that nobody need be asked what they know."""
        self.all_public = all_public
        self._terms = terms
        self._nodes: list[WalkedNode] = []
        self._waiting: deque[tuple[int, Worlds]] = deque()
        self._node_of: tuple[dict[str, int], dict[str, int]] = ({}, {})  # by player and information state
        self._labels: dict[bytes, Labels] = {}  # each kind once
        self._remembered: set[tuple[int, int]] = set()  # pairs of labels that were checked
        self._names: tuple[list[list[str]], list[list[str]]] = ([], [])
        self._most_known = [0, 0]
        self._shown: dict[int, str] = {}  # where chance shows a case: why
        self._payoffs: dict[bytes, FloatArray] = {}  # each kind once

    def run(self, deals: list[_Deal]) -> WalkedGame:
        """The game after one of these deals."""
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
                node.payoffs = self._payoffs_of(number, worlds)
            elif some.is_chance_node():
                node.owner = CHANCE
                self._draw(number, worlds)
            else:
                node.owner = int(some.current_player())
                self._move(number, worlds)
        return WalkedGame(self._nodes, self._names)

    def _enter(self, parent: int, name: Any, worlds: Worlds, weights: FloatArray) -> int:
        """The number of the new node after a move. Where what comes next depends on what both know, chance shows it."""
        number = len(self._nodes)
        if number == self._terms.maximum_nodes:
            self._refuse(f"more than {number:,} histories of public moves; see maximum_nodes")
        if number % _NODES_BETWEEN_CALLS == 0 and self._terms.walked is not None:
            self._terms.walked(number)
        node = WalkedNode(parent, name, weights)
        self._nodes.append(node)
        if self._alike(worlds.values()):
            self._waiting.append((number, worlds))
            return number
        parts = _common_knowledge(worlds)
        different = next((part for part in parts if not self._alike(part.values())), None)
        if different is not None:
            self._refuse(f"{self._what_differs(list(different.values()))} {self._where(number)}")
        node.owner = CHANCE
        self._shown[number] = self._what_differs(list(worlds.values()))
        for which, part in enumerate(parts):
            case = f"case {which + 1}"
            there = np.zeros(len(weights))
            there[list(part)] = 1.0
            node.chances[case] = there
            node.moves.append((case, self._enter(number, case, part, weights * there)))
        return number

    @staticmethod
    def _alike(states: Iterable[Any]) -> bool:
        kinds = {
            (player := int(state.current_player()), tuple(state.legal_actions()) if player >= 0 else ())
            for state in states
        }
        return len(kinds) == 1

    @staticmethod
    def _what_differs(states: list[Any]) -> str:
        """For a message: what is not the same in all states."""
        players = {int(state.current_player()) for state in states}
        if len(players) > 1:
            over = " and whether the game is over" if any(state.is_terminal() for state in states) else ""
            return f"who moves{over} depends on what is not public"
        return f"which moves player {players.pop()} may make depends on what is not public"

    def _move(self, number: int, worlds: Worlds) -> None:
        """The moves of a player at a node. The same name is the same move, whatever the deal."""
        node = self._nodes[number]
        label = self._terms.label
        actions = {deal: _by_name(label, state) for deal, state in worlds.items()}
        names = next(iter(actions.values()))
        if not self.all_public:
            self._note(number, worlds, actions)
        if any(named.keys() != names.keys() for named in actions.values()):
            self._refuse(f"what the moves are called depends on what is not public {self._where(number)}")
        for name in names:
            after = {deal: state.child(actions[deal][name]) for deal, state in worlds.items()}
            node.moves.append((name, self._enter(number, name, after, node.weights)))

    def _draw(self, number: int, worlds: Worlds) -> None:
        """The moves of chance at a node. The same name is the same move, whatever the deal."""
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
        """Write down what the mover knows at a node, and the actions there, by deal and name."""
        node, player = self._nodes[number], int(next(iter(worlds.values())).current_player())
        node_of, numbers = self._node_of[player], dict[str, int]()
        labels: Labels = np.full(len(self._nodes[0].weights), -1, np.int16)
        told = {deal: state.information_state_string(player) for deal, state in worlds.items()}
        for deal, text in told.items():
            other = node_of.setdefault(text, number)
            if other != number:
                self._refuse(self._what_is_hidden(player, other, number))
            labels[deal] = numbers.setdefault(text, len(numbers))
            if text not in node.information_states:
                node.information_states[text] = tuple(actions[deal][name] for name in actions[next(iter(actions))])
        node.labels = self._labels.setdefault(labels.tobytes(), labels)
        self._check_memory(number, player)
        if len(numbers) > self._most_known[player] and len(told) == len(labels):
            self._most_known[player] = len(numbers)
            self._names[player].append([told[deal] for deal in range(len(labels))])

    def _check_memory(self, number: int, player: int) -> None:
        """Refuse a player who forgets what it knew of the deal at its decision before."""
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
            if len(both) > len({b for _, b in both}):
                self._refuse(f"player {player} forgets {self._where(number)} what it knew {self._where(before)}")
            self._remembered.add((id(old), id(new)))

    def _payoffs_of(self, number: int, worlds: Worlds) -> FloatArray:
        payoffs = np.zeros(len(self._nodes[0].weights))
        for deal, state in worlds.items():
            first, second = state.returns()
            if not abs(first + second) <= SUM_TOLERANCE:
                self._refuse(f"it is not zero-sum: the players get {first:g} and {second:g} {self._where(number)}")
            payoffs[deal] = first
        return self._payoffs.setdefault(payoffs.tobytes(), payoffs)

    def _what_is_hidden(self, player: int, first: int, second: int) -> str:
        """For a message: which move a player does not see who cannot tell the two nodes apart."""
        paths = self._path(first), self._path(second)
        common = sum(1 for a, b in zip(*paths, strict=False) if a == b)
        if common == min(map(len, paths)):  # one history begins with the other one
            return f"player {player} does not see that play goes on {self._where(max(first, second))}"
        before = paths[0][common - 1]
        if before in self._shown:
            return f"{self._shown[before]} {self._where(before)}"
        names = " or ".join(_cut(str(self._nodes[path[common]].name)) for path in paths)
        owner = self._nodes[before].owner
        whose = "the outcome of chance" if owner == CHANCE else f"player {owner}'s move"
        seen = all(any(self._nodes[node].owner == player for node in path[common:-1]) for path in paths)
        verb = "forgets" if seen or owner == player else "does not see"
        return f"player {player} {verb} {whose} {self._where(before)}: {names}"

    def _path(self, number: int) -> list[int]:
        path = []
        while number >= 0:
            path.append(number)
            number = self._nodes[number].parent
        return path[::-1]

    def _where(self, number: int) -> str:
        """The history of a node in words: its last moves."""
        return _after([str(self._nodes[node].name) for node in self._path(number)[1:]])

    def _refuse(self, what: str) -> NoReturn:
        raise ValueError(f"{self._terms.label}: {what}")


def _by_name(label: str, state: Any) -> dict[Any, int]:
    """The actions at a state, of chance those that may come, by their names: OpenSpiel's words; with the number, where
    two have the same.

    Raises ValueError where OpenSpiel lists an action twice: one of two moves cannot be made. label: of the game.
    """
    player = int(state.current_player())
    if state.is_chance_node():
        listed = [action for action, chance in state.chance_outcomes() if chance > 0.0]
    else:
        listed = list(state.legal_actions())
    actions = list(dict.fromkeys(listed))
    if len(actions) < len(listed):
        name = next(state.action_to_string(player, action) for action in actions if listed.count(action) > 1)
        path, before = [], state.get_game().new_initial_state()
        for action in state.history():
            path.append(before.action_to_string(before.current_player(), action))
            before.apply_action(action)
        what = f"two moves are called {name!r} {_after(path)}, which OpenSpiel takes for one; name them differently"
        raise ValueError(f"{label}: {what}")
    named = {state.action_to_string(player, action): action for action in actions}
    if len(named) == len(actions):
        return named
    return {(state.action_to_string(player, action), action): action for action in actions}


def _told(state: Any, player: int) -> str | None:
    """The player's information state; None where the game has none, as at the end."""
    try:
        with _silence():
            return None if state.is_terminal() else str(state.information_state_string(player))
    except RuntimeError:  # pyspiel.SpielError
        return None


def _common_knowledge(worlds: Worlds) -> list[Worlds]:
    """The states in parts that both players can tell apart: two states that one player confuses are in one part."""
    parts: list[tuple[set[tuple[int, str]], Worlds]] = []
    for deal, state in worlds.items():
        known = {(player, text) for player in (0, 1) if (text := _told(state, player)) is not None}
        joined: Worlds = {}
        apart = []
        for texts, part in parts:
            if texts & known:
                known |= texts
                joined |= part
            else:
                apart.append((texts, part))
        parts = [*apart, (known, {**joined, deal: state})]
    return [part for _, part in parts]


def _after(names: list[str]) -> str:
    """A history in words: its last moves."""
    shown = list(map(_cut, names[-_MOVES_SHOWN:]))
    before = f"{len(names) - _MOVES_SHOWN} moves and " if len(names) > _MOVES_SHOWN else ""
    return f"after {before}{', '.join(shown)}" if shown else "before the first move"


def _one_line(text: object) -> str:
    return " ".join(str(text).split())


def _cut(text: str) -> str:
    text = _one_line(text)
    return text if len(text) <= _CHARACTERS_SHOWN else f"{text[:_CHARACTERS_SHOWN]}..."


DOOR = "openspiel:"


def game_by_name(name: str) -> NamedGame:
    """A game by name, also one of OpenSpiel, such as openspiel:leduc_poker, which is walked through when needed.

    Raises ValueError for what is no name, or of a kind that cannot be taken, and MissingLibraryError without OpenSpiel.

    >>> game_by_name("leduc(cards=6)").title
    "Leduc hold'em"
    """
    if name.startswith(DOOR):
        found = name.removeprefix(DOOR)
        try:
            loaded(found)
        except ValueError as error:
            raise ValueError(str(error).removeprefix("name_or_game: ")) from error

        def described(maximum_nodes: int, walked: Callable[[int], object] | None) -> Any:
            try:
                return open_spiel_game(found, maximum_nodes=maximum_nodes, walked=walked)
            except ValueError as error:
                raise GameError(str(error)) from error

        return NamedGame(name, found, described)
    try:
        return named_game(name)
    except ValueError as error:
        if str(error).endswith(FILES):
            raise ValueError(f"{str(error).replace(' or FILE', ', FILE')} or {DOOR}NAME") from error
        raise
