"""Imports that stand at the top of a file and happen at first use, so that --help waits for no numpy.

    with lazily():
        from tictactoe.solving import dry_run

imports nothing yet; `dry_run.plan_match` later imports the module. Type checkers and import-linter see a usual import.
Public names need no such block: `import tictactoe` costs nothing, and `tictactoe.solve_match` imports what it needs.
"""

from __future__ import annotations

import builtins
import contextlib
import importlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import resolve_name
from types import SimpleNamespace
from typing import Any


class _Module:
    """Stands for a module until an attribute is read, which imports the module."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(importlib.import_module(self._name), attribute)


@contextlib.contextmanager
def lazily() -> Iterator[None]:
    """Within the block, the calling file's `import module` and `from package import module` wait for the first use of
    the module. Names of functions and classes cannot be imported there."""
    caller, usual_import = sys._getframe(2).f_globals, builtins.__import__

    def deferred(
        name: str,
        globals: Mapping[str, Any] | None = None,
        locals: Mapping[str, Any] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> Any:
        if globals is not caller:
            return usual_import(name, globals, locals, fromlist or (), level)
        package = resolve_name("." * level + name, caller["__package__"])
        if not fromlist:
            return _Module(package)
        return SimpleNamespace(**{module: _Module(f"{package}.{module}") for module in fromlist})

    builtins.__import__ = deferred
    try:
        yield
    finally:
        builtins.__import__ = usual_import
