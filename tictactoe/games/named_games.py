"""Games by name: an example, a class in a user's file (FILE.py:Class), or a Gambit file (FILE.efg or FILE.nfg).

The examples are the files of examples/games. A user's file is run and must be trusted. Brackets contain numbers, true,
false and words, never code.
"""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import inspect
import re
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..algorithms.built_game import BuiltGame
from ..algorithms.game import Game
from ..algorithms.game_builder import MAXIMUM_NODES, build_game
from ..algorithms.game_description import GameSize
from ..algorithms.public_tree import PublicTree
from ..algorithms.user_code import faults_with_lines, run_file, what_is_no_file
from ..errors import GameError, cut
from .gambit_files import GambitFile

LONGEST_NAME = 2000
"""The largest number of characters of a game's name."""

FILES = "FILE.py:Class, FILE.efg or FILE.nfg"
"""The files that are games."""
GAMBIT_ENDINGS = (".efg", ".nfg")

MOST_STATES = 1_000_000
"""The default limit of states to visit, and of histories of another library's game."""


class Example(NamedTuple):
    file: str
    """The file of the game, without its ending."""
    class_name: str
    adapted: Callable[..., Any] | None = None
    """A function of the file's names and the values in brackets; None if the class takes the values."""


@dataclass(frozen=True)
class NamedGame:
    """A described game with its name."""

    name: str
    """The text for `named_game`. The same name means the same game."""
    title: str
    given: Any
    """A GameDescription or, without `file`, a function of `maximum_nodes` and `walked` that makes one."""
    file: str | None = None
    """The Python file that describes the game; None for a game of another library or a Gambit file."""
    rules: tuple[str, ...] = ()
    """The lines of the rules that a player needs to know."""

    @cached_property
    def description(self) -> Any:
        """The description of the game, a GameDescription."""
        return self.described()

    def described(self, maximum_nodes: int = MOST_STATES, walked: Callable[[int], object] | None = None) -> Any:
        """The description. Only the first call walks through a game without `file`."""
        if self.file is None and "description" not in vars(self):
            with self.faults():
                vars(self)["description"] = self.given(maximum_nodes, walked)
        return vars(self).get("description", self.given)

    def build(
        self,
        maximum_nodes: int = MAXIMUM_NODES,
        announce: Callable[[GameSize], object] | None = None,
        walked: Callable[[int], object] | None = None,
    ) -> BuiltGame:
        """The built game. The arguments are those of `build_game`.

        Raises GameError for a wrong description, and UserCodeError for an error in its code.
        """
        with self.faults():
            description = self.described(maximum_nodes, walked)
            return build_game(
                description, maximum_nodes=maximum_nodes, announce=announce, walked=walked, name=self.name
            )

    @contextlib.contextmanager
    def faults(self) -> Iterator[None]:
        """Raise GameError for a wrong description within the block, and UserCodeError for an error in its code."""
        with faults_with_lines({self.file} if self.file else ()):
            try:
                yield
            except ValueError as error:
                if isinstance(error, GameError) or _is_from(error, self.file):
                    raise
                raise GameError(f"{self.name}: {error}") from error

    @cached_property
    def has_one_player(self) -> bool:
        """Whether `best_play` can solve the game: nobody has a secret, player 1 never moves, and states can be told
        apart."""
        with self.faults():
            return _has_one_player(self.description)


def _has_one_player(description: Any) -> bool:
    if hasattr(description, "sees") or not hasattr(description, "chance"):
        return False
    if [len(list(types)) for types in description.types] != [1, 1]:
        return False
    waiting: list[Any] = [description.root()]
    seen: set[Any] = set()
    while waiting:
        state = waiting.pop()
        if not isinstance(state, Hashable) or len(seen) > MOST_STATES:
            return False
        if state in seen:
            continue
        seen.add(state)
        owner = description.owner(state)
        if owner == 1:
            return False
        if owner is not None:
            waiting += [after for _, after in description.moves(state)]
    return True


def _leduc(names: Mapping[str, Any], cards: int = 3) -> Any:
    if cards not in (3, 6):
        raise ValueError(f"cards: {cards} is neither 3, for the ranks, nor 6")
    return names["LeducPoker"](by_ranks=cards == 3)


def _blackjack(names: Mapping[str, Any], first: int = 6, second: int = 6, dealer: int = 2, max_hits: int = 1) -> Any:
    for name, value in {"first": first, "second": second, "dealer": dealer, "max_hits": max_hits}.items():
        least = 0 if name == "max_hits" else 1
        if type(value) is not int or not least <= value <= 10:
            raise ValueError(f"{name}: {value!r} is not a whole number from {least} to 10")
    return names["BlackjackPlusPlus"]((first, second), dealer, max_hits)


def _twenty_one(names: Mapping[str, Any], deck: int | str = "endless") -> Any:
    if deck not in ("endless", 52):
        raise ValueError(f"deck: {deck!r} is neither endless nor 52")
    return names["From52" if deck == 52 else "TwentyOne"]()


def _river(names: Mapping[str, Any], hands: str | int = "some") -> Any:
    if hands not in ("some", "all", *range(2, 1082)):
        raise ValueError(f"hands: {hands!r} is neither some nor all, nor a number from 2 to 1081")
    return names["RiverHoldem"](**({} if hands == "some" else {"ranges": (str(hands), str(hands))}))


EXAMPLES = {
    "kuhn": Example("kuhn_poker", "KuhnPoker"),
    "leduc": Example("leduc_poker", "LeducPoker", _leduc),
    "liars-dice": Example("liars_dice", "LiarsDice"),
    "blackjack": Example("blackjack_plus_plus", "BlackjackPlusPlus", _blackjack),
    "rock-paper-scissors": Example("rock_paper_scissors", "RockPaperScissors"),
    "twenty-one": Example("twenty_one", "TwentyOne", _twenty_one),
    "duel": Example("duel_at_21", "DuelAt21"),
    "river": Example("river_holdem", "RiverHoldem", _river),
    "holdem": Example("holdem", "Holdem"),
}
"""The example games by their short names."""


def named_game(name: str) -> NamedGame:
    """The game of a name: kuhn, leduc(cards=6), FILE.py:Class, FILE.py:Class(...), FILE.efg or FILE.nfg.

    Raises ValueError for a wrong name, and UserCodeError or FormatError, which name file and line, for a wrong file.

    >>> named_game("kuhn(13)").description.types[0][-1]
    13
    >>> named_game("kuhn(x=1)")
    Traceback (most recent call last):
    ValueError: kuhn: got an unexpected keyword argument 'x'; it takes num_cards in brackets
    """
    if name.lower().endswith(GAMBIT_ENDINGS):
        if (problem := what_is_no_file(Path(name))) is not None:
            raise ValueError(f"{name}: {problem}")
        found = GambitFile(Path(name))
        return NamedGame(name, found.title, found.game)
    what, arguments = _parts(name)
    path, colon, class_name = what.rpartition(":")
    if what in EXAMPLES:
        example = EXAMPLES[what]
        file = _folder() / f"{example.file}.py"
        names = run_file(file)
        make = partial(example.adapted, names) if example.adapted else names[example.class_name]
        return _with_words(name, example.class_name, _made(make, arguments, what, str(file)), str(file))
    if not colon or not path.endswith(".py"):
        known = f"{', '.join(EXAMPLES)}, {FILES}"
        raise ValueError(f"{_cut(what)} is not a game: {known}")
    if (problem := what_is_no_file(Path(path))) is not None:
        raise ValueError(f"{path}: {problem}")
    described = run_file(Path(path)).get(class_name)
    if not callable(described):
        raise ValueError(f"{path}: has no class {_cut(class_name)}")
    return _with_words(name, class_name, _made(described, arguments, class_name, path), path)


def _with_words(name: str, class_name: str, given: Any, file: str) -> NamedGame:
    kind = type(given)
    title, _, below = inspect.cleandoc(kind.__doc__ or "").partition("\n")
    if not title or title.startswith(f"{kind.__name__}(") or kind.__module__.startswith("tictactoe."):
        return NamedGame(name, class_name, given, file)  # its author wrote no docstring
    rules = below.strip().partition("\n\n")[0]
    return NamedGame(name, title.removesuffix("."), given, file, tuple(rules.splitlines()))


def _parts(name: str) -> tuple[str, dict[int | str, Any]]:
    match = re.fullmatch(r"([^()]*)(?:\((.*)\))?", name.strip(), re.DOTALL)
    if match is None or len(name) > LONGEST_NAME:
        raise ValueError(f"{_cut(name)} is not NAME or NAME(VALUE, NAME=VALUE, ...)")
    try:
        call = ast.parse(f"f({match[2] or ''})", mode="eval").body
        if not isinstance(call, ast.Call):
            raise SyntaxError
        values: dict[Any, Any] = {place: _value(node) for place, node in enumerate(call.args)}
        values |= {keyword.arg: _value(keyword.value) for keyword in call.keywords}
        if None in values:  # from **
            raise SyntaxError
        return match[1].strip(), values
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError) as error:
        what = "only numbers and words are allowed in brackets, such as (13) or (cards=6)"
        raise ValueError(f"{_cut(name)}: {what}") from error


def _value(node: ast.expr) -> Any:
    if isinstance(node, ast.Name):
        return {"true": True, "false": False, "none": None}.get(node.id.lower(), node.id)
    value = ast.literal_eval(node)
    if type(value) not in (int, float, str, bool):
        raise ValueError
    return value


def _made(make: Callable[..., Any], given: Mapping[int | str, Any], what: str, file: str) -> Any:
    in_order = [value for key, value in given.items() if isinstance(key, int)]
    by_name = {key: value for key, value in given.items() if isinstance(key, str)}
    signature = inspect.signature(make)
    try:
        signature.bind(*in_order, **by_name)
    except TypeError as error:
        known = ", ".join(signature.parameters) or "nothing"
        raise ValueError(f"{what}: {error}; it takes {known} in brackets") from error
    if given:
        try:
            return make(*in_order, **by_name)
        except ValueError as error:
            raise ValueError(f"{what}: {error}") from error
        except Exception as error:  # the typed values are more likely to be wrong than the file
            values = ", ".join(map(repr, given.values()))
            raise ValueError(f"{what} cannot be made with {values}: {type(error).__name__}: {error}") from error
    with faults_with_lines({file}):
        return make()


def _folder() -> Path:
    specification = importlib.util.find_spec("tictactoe.example_games")
    assert specification is not None
    assert specification.submodule_search_locations, "installed with the library"
    return Path(specification.submodule_search_locations[0])


def _is_from(error: BaseException, file: str | None) -> bool:
    trace, last = error.__traceback__, ""
    while trace is not None:
        last, trace = trace.tb_frame.f_code.co_filename, trace.tb_next
    return last == file


def _cut(text: str) -> str:
    return repr(cut(text, 60))


class Card(IntEnum):
    """The private type of a player; the higher card wins."""

    JACK = 0
    QUEEN = 1
    KING = 2


def kuhn_poker() -> Game:
    """Kuhn poker (H. W. Kuhn 1950, "A simplified two-person poker"); payoffs in antes, to the player who moves first.

    Nodes: 0 root; 1 check, 2 bet; 3 check-check, 4 check-bet; 5 check-bet-fold, 6 check-bet-call; 7 bet-fold, 8
    bet-call.

    Leaf classes: 0 showdown for 1, 1 the first player has folded, 2 showdown for 2, 3 the second player has folded.

    >>> from tictactoe import CFRSolver, exploitability, kuhn_poker, update_rule
    >>> solver = CFRSolver(kuhn_poker(), update_rule("dcfr"))
    >>> solver.run(1000)
    >>> round(18 * exploitability(kuhn_poker(), solver.average_strategy()).value, 3)
    -1.0
    """
    tree = PublicTree(
        parent=np.array([-1, 0, 0, 1, 1, 4, 4, 2, 2], np.int32),
        owner=np.array([0, 1, 1, -1, 0, -1, -1, -1, -1], np.int8),
        leaf_class=np.array([-1, -1, -1, 0, -1, 1, 2, 3, 2], np.int8),
    )
    showdown = np.sign(np.subtract.outer(np.arange(3.0), np.arange(3.0)))
    payoffs = np.array([showdown, np.full((3, 3), -1.0), 2.0 * showdown, np.full((3, 3), 1.0)])
    prior = (1.0 - np.eye(len(Card))) / 6.0  # two different cards
    return Game(tree, payoffs, prior)
