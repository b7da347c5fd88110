"""Imports run one way: read from the import statements, and tried out in fresh interpreters."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LIBRARY, TOOLS = ROOT / "tictactoe", ROOT / "tools"

ROOMS = [
    "board", "match", "rules", "options", "tree", "arrays", "lanes", "kernels", "game", "response", "cfr", "chain",
    "multiround", "files", "snapshot", "saved_response", "solution", "directory", "store", "solve", "single",
    "round_response", "compare", "adversary", "published", "export", "compact", "comparison",
    "sequence_form", "linear_program", "equilibrium", "newton", "polish",
    "cursor", "analysis", "playing", "exploring", "checker_tree", "checker", "bounds", "certificate",
    "round_certificate", "plots", "comparison_plots", "solution_plots",
]  # fmt: skip
"""Every module of the library. Each imports modules that stand before it, and no others."""

MODULES = sorted(path.stem for path in LIBRARY.glob("*.py") if path.stem != "__init__")

UNCOMPILED = ["board", "match", "rules", "options", "tree", "arrays", "game", "files", "snapshot", "saved_response",
              "solution", "directory", "cursor", "analysis", "playing", "exploring", "checker_tree", "checker",
              "bounds", "certificate", "round_certificate"]  # fmt: skip
"""Reading a solution and building a tree must not load the compiler."""

LAZY = {"tictactoe", "numpy", "rich", "numba", "msgpack", "matplotlib"}
"""What the commands import when they need it: `--help` and errors in the options come at once."""


def is_type_checking(test: ast.expr) -> bool:
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )


def statements(node: ast.AST, *, inside_functions: bool) -> Iterator[ast.Import | ast.ImportFrom]:
    """The import statements that are carried out: not those for type checkers."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.Import, ast.ImportFrom)):
            yield child
        elif isinstance(child, ast.If) and is_type_checking(child.test):
            for other in child.orelse:
                yield from statements(ast.Module([other], []), inside_functions=inside_functions)
        elif inside_functions or not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield from statements(child, inside_functions=inside_functions)


def imported(source: str, package: str, *, inside_functions: bool = True) -> set[str]:
    """Full names of the modules that a module directly in `package` imports.

    `from package import name` counts as package.name, too: the name may be a module.
    """
    result = set()
    for statement in statements(ast.parse(source), inside_functions=inside_functions):
        if isinstance(statement, ast.Import):
            result |= {alias.name for alias in statement.names}
            continue
        parts = package.split(".")
        above = parts[: len(parts) - statement.level + 1] if statement.level else []
        base = ".".join([*above, *([statement.module] if statement.module else [])])
        result |= {base, *(f"{base}.{alias.name}" for alias in statement.names)}
    return result


def rooms_imported(name: str) -> set[str]:
    """The modules of the library that the module imports anywhere, except for type checkers."""
    names = imported((LIBRARY / f"{name}.py").read_text(), "tictactoe")
    return {full.split(".")[1] for full in names if full.startswith("tictactoe.")} & set(ROOMS)


def test_the_reading_of_import_statements() -> None:
    source = """
from __future__ import annotations
import os, numba.core
from . import kernels
from .game import RoundGame
from ..elsewhere import thing
if TYPE_CHECKING:
    from .solve import solve_match
else:
    import rich
try:
    import fcntl
except ImportError:
    fcntl = None
class Lazy:
    import json
    def method(self):
        from tictactoe.store import SolutionStore
"""
    everywhere = imported(source, "tictactoe.tools")
    for name in ("os", "numba.core", "tictactoe.tools.kernels", "tictactoe.tools.game", "tictactoe.elsewhere",
                 "rich", "fcntl", "json", "tictactoe.store"):  # fmt: skip
        assert name in everywhere
    assert not {name for name in everywhere if "solve" in name}
    assert everywhere - imported(source, "tictactoe.tools", inside_functions=False) == {
        "tictactoe.store",
        "tictactoe.store.SolutionStore",
    }


def test_the_list_names_every_module() -> None:
    """A new module takes its place in ROOMS."""
    assert set(MODULES) - set(ROOMS) == set()
    assert len(set(ROOMS)) == len(ROOMS)
    assert set(UNCOMPILED) <= set(MODULES)
    assert [path.name for path in LIBRARY.iterdir() if path.is_dir() and (path / "__init__.py").exists()] == []


@pytest.mark.parametrize("name", MODULES)
def test_imports_run_down_the_list(name: str) -> None:
    assert name in ROOMS
    before = set(ROOMS[: ROOMS.index(name)])
    assert rooms_imported(name) - before == set()


def test_some_imports_are_found() -> None:
    assert {"kernels", "game", "response"} <= rooms_imported("cfr")
    assert {"board"} == rooms_imported("tree")
    assert rooms_imported("board") == set()


@pytest.mark.parametrize("path", sorted(LIBRARY.glob("*.py")), ids=lambda path: path.stem)
def test_the_library_does_not_know_the_commands(path: Path) -> None:
    names = imported(path.read_text(), "tictactoe")
    assert {name for name in names if name.split(".")[0] in ("tools", "click", "rich")} == set()
    assert {name for name in names if name.startswith("tictactoe.tools")} == set()


def test_the_package_itself_imports_nothing() -> None:
    names = imported((LIBRARY / "__init__.py").read_text(), "tictactoe", inside_functions=False)
    assert {name.split(".")[0] for name in names} <= {"__future__", "importlib", "typing"}


@pytest.mark.parametrize("name", UNCOMPILED)
def test_no_compiler_behind(name: str) -> None:
    """Followed through all imports: neither numba nor the modules that need it."""
    seen, waiting = set(), [name]
    while waiting:
        module = waiting.pop()
        if module not in seen:
            seen.add(module)
            waiting += rooms_imported(module)
            outside = imported((LIBRARY / f"{module}.py").read_text(), "tictactoe")
            assert not {full for full in outside if full.split(".")[0] in ("numba", "llvmlite")}, module
    assert not seen & {"kernels", "lanes"}


@pytest.mark.parametrize("name", ["checker", "checker_tree"])
def test_the_checker_uses_the_standard_library_and_itself_alone(name: str) -> None:
    names = imported((LIBRARY / f"{name}.py").read_text(), "tictactoe")
    outside = {full.split(".")[0] for full in names if not full.startswith("tictactoe")}
    assert outside <= sys.stdlib_module_names
    assert {full.split(".")[1] for full in names if full.startswith("tictactoe.")} <= {"checker_tree"}


def test_certificates_use_nothing_of_the_solver_but_the_file_reader() -> None:
    assert rooms_imported("bounds") == {"checker", "checker_tree", "files"}
    assert rooms_imported("certificate") == {"bounds", "checker", "checker_tree", "files"}
    assert rooms_imported("round_certificate") == {"bounds", "certificate", "checker", "files"}


def loaded_by(code: str) -> set[str]:
    """The top-level packages, and our modules, that a fresh interpreter has loaded after `code`."""
    script = f"import sys\n{code}\nprint(*sys.modules)"
    process = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True, cwd=ROOT
    )
    names = process.stdout.split()
    return {name.split(".")[0] for name in names} | {name for name in names if name.startswith("tictactoe.")}


def test_reading_a_solution_does_not_load_the_compiler() -> None:
    imports = "; ".join(f"import tictactoe.{name}" for name in UNCOMPILED)
    for code in ("import tictactoe.solution", imports, "from tictactoe import GameTree, Goal, load_solution"):
        loaded = loaded_by(code)
        assert not loaded & {"numba", "llvmlite", "tictactoe.kernels", "tictactoe.lanes"}
    assert "tictactoe.solution" in loaded
    assert "numba" in loaded_by("import tictactoe.kernels")


def test_importing_the_package_costs_nothing() -> None:
    loaded = loaded_by("import tictactoe")
    assert "tictactoe" in loaded
    assert not loaded & {"numpy", "numba", "msgpack", "rich", "click"}


def test_the_public_names_are_there() -> None:
    code = "import tictactoe\nassert all(getattr(tictactoe, name) is not None for name in tictactoe.__all__)"
    assert "numba" in loaded_by(code)
    loaded_by("from tictactoe import *\nassert callable(load_solution)")


@pytest.mark.parametrize("path", sorted(TOOLS.glob("*.py")), ids=lambda path: path.stem)
def test_commands_import_what_is_slow_only_when_they_need_it(path: Path) -> None:
    names = imported(path.read_text(), "tictactoe.tools", inside_functions=False)
    slow = {name for name in names if name.split(".")[0] in LAZY and not name.startswith("tictactoe.tools")}
    assert slow == set()


def test_loading_the_commands_is_quick() -> None:
    modules = [path.stem for path in TOOLS.glob("*.py") if path.stem != "__init__"]
    assert {"solve_multiround", "solve_subgame"} <= set(modules)
    loaded = loaded_by("; ".join(f"import tictactoe.tools.{name}" for name in modules))
    assert "tictactoe.tools.solve_multiround" in loaded
    assert not loaded & {"numpy", "numba", "msgpack", "rich", "matplotlib", "tictactoe.solve", "tictactoe.kernels"}
