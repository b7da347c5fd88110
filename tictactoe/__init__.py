"""The solver of SMBC's imperfect-information tic-tac-toe. `__init__.pyi` lists the public names."""

import importlib.util
import os
import sys
from importlib.machinery import ModuleSpec

import lazy_loader

_HERE = os.path.dirname(__file__)
if not os.path.isdir(_HERE):
    raise ImportError("tictactoe does not run from within a zip file: unpack it, or install it with pip")


class _Checkout:
    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        folder = _BESIDE.get(name)
        return importlib.util.spec_from_file_location(name, f"{_ROOT}/{folder}/__init__.py") if folder else None


_ROOT = os.path.dirname(_HERE)
_BESIDE = {"tictactoe.tools": "tools", "tictactoe.solutions": "solutions", "tictactoe.example_games": "examples/games"}
# Only in a checkout of this project, because packages beside an installed one belong to others.
if not os.path.isdir(f"{_HERE}/tools") and os.path.isfile(f"{_ROOT}/pyproject.toml"):
    with open(f"{_ROOT}/pyproject.toml", "rb") as _project:
        if b'name = "smbc-tictactoe"' in _project.read():
            sys.meta_path.append(_Checkout)

__version__ = "2.0.0"
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
