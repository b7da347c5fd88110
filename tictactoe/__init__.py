"""Solver for SMBC's imperfect-information tic-tac-toe.

The names below are the public interface; they are imported when they are first used, so that `import tictactoe`
costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .board import Board as Board
    from .board import Outcome as Outcome
    from .cfr import RoundSolver as RoundSolver
    from .directory import StoreError as StoreError
    from .files import FormatError as FormatError
    from .game import RoundGame as RoundGame
    from .game import tic_tac_toe_round as tic_tac_toe_round
    from .match import SINGLE_ROUND as SINGLE_ROUND
    from .match import Goal as Goal
    from .match import OutcomeValues as OutcomeValues
    from .match import Score as Score
    from .match import Seat as Seat
    from .multiround import PairSolver as PairSolver
    from .options import MatchOptions as MatchOptions
    from .options import SmallMoves as SmallMoves
    from .response import Exploitability as Exploitability
    from .response import best_response_value as best_response_value
    from .response import exploitability as exploitability
    from .rules import UpdateRule as UpdateRule
    from .rules import update_rule as update_rule
    from .snapshot import Snapshot as Snapshot
    from .solution import Solution as Solution
    from .solution import load_solution as load_solution
    from .solve import solve_match as solve_match
    from .store import SolutionStore as SolutionStore
    from .tree import GameTree as GameTree
    from .tree import PublicTree as PublicTree

_MODULES = {
    "board": ("Board", "Outcome"),
    "cfr": ("RoundSolver",),
    "directory": ("StoreError",),
    "files": ("FormatError",),
    "game": ("RoundGame", "tic_tac_toe_round"),
    "match": ("SINGLE_ROUND", "Goal", "OutcomeValues", "Score", "Seat"),
    "multiround": ("PairSolver",),
    "options": ("MatchOptions", "SmallMoves"),
    "response": ("Exploitability", "best_response_value", "exploitability"),
    "rules": ("UpdateRule", "update_rule"),
    "snapshot": ("Snapshot",),
    "solution": ("Solution", "load_solution"),
    "solve": ("solve_match",),
    "store": ("SolutionStore",),
    "tree": ("GameTree", "PublicTree"),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}

__all__ = sorted(_HOME)
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
