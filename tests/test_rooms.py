"""The rooms: imports run one way between them, read from the import statements and tried out in fresh interpreters."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = [
    "errors",
    "algorithms",
    "games",
    "match",
    "formulas",
    "storage",
    "solving",
    "proof",
    "play",
    "agents",
    "environments",
    "figures",
    "browser",
    "tools",
    "__main__",
]
"""A room imports rooms that stand before it, and no others."""
SHARED_WITH_PROOF = {
    "algorithms.checked_numbers",
    "errors",
    "match.scores",
    "storage.file_format",
    "storage.safe_files",
    "storage.directory_layout",
    "storage.snapshot",
    "storage.solution",
    "solving.schedule",
}
"""What the proofs need beside their own room: names, files and their loaders, and nothing that solves."""
SLOW = {"numpy", "numba", "rich", "msgpack", "msgspec", "matplotlib", "filelock"}
"""What the commands import when they need it: `--help` and errors in the options come at once."""


def modules() -> dict[str, ast.Module]:
    """By name within the package ("match.scores", "tools.explore"), every module but the package itself."""
    paths = {path: path.relative_to(ROOT / "tictactoe") for path in (ROOT / "tictactoe").rglob("*.py")}
    paths |= {path: path.relative_to(ROOT) for path in (ROOT / "tools").rglob("*.py")}
    named = {".".join(inner.with_suffix("").parts).removesuffix(".__init__"): path for path, inner in paths.items()}
    return {name: ast.parse(path.read_text()) for name, path in named.items() if name != "__init__"}


def imported(name: str, tree: ast.AST, known: set[str], *, inside_functions: bool = True) -> tuple[set[str], set[str]]:
    """What a module imports anywhere, for type checkers, too: modules of ours by name, and others' top-level names."""
    ours, others = set(), set()
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.ImportFrom) and (node.level or (node.module or "").split(".")[0] == "tictactoe"):
            package = name.split(".") if name in packages(known) else name.split(".")[:-1]
            start = package[: len(package) - node.level + 1] if node.level else []
            module = (node.module or "").removeprefix("tictactoe").lstrip(".") if not node.level else node.module or ""
            base = ".".join([*start, *filter(None, [module])])
            ours |= {full if full in known else base for full in (f"{base}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.ImportFrom):
            others.add((node.module or "").split(".")[0])
        elif isinstance(node, ast.Import):
            others |= {alias.name.split(".")[0] for alias in node.names}
        elif inside_functions or not isinstance(node, (ast.FunctionDef, ast.Lambda)):
            waiting += ast.iter_child_nodes(node)
    return ours & known, others


def packages(known: set[str]) -> set[str]:
    """The names of packages among those of modules."""
    return {name.rpartition(".")[0] for name in known}


MODULES = modules()
IMPORTS = {name: imported(name, tree, set(MODULES))[0] for name, tree in MODULES.items()}
OUTSIDE = {name: imported(name, tree, set(MODULES))[1] for name, tree in MODULES.items()}


def room(name: str) -> str:
    return name.split(".")[0]


def behind(name: str) -> set[str]:
    """Every module of ours that a module leads to, itself included."""
    seen, waiting = set(), [name]
    while waiting:
        module = waiting.pop()
        if module not in seen:
            seen.add(module)
            waiting += IMPORTS[module]
    return seen


def test_the_reading_of_import_statements() -> None:
    """Relative and absolute imports, of modules and of names, inside functions and for type checkers."""
    source = """
import os, numba.core
from . import kernels
from .game import Game
from ..errors import FormatError
if TYPE_CHECKING:
    from ..match.scores import Score
def later():
    from tictactoe.storage import directory_layout
    import json
"""
    known = {"algorithms", "algorithms.kernels", "algorithms.game", "algorithms.new", "errors", "match.scores",
             "storage.directory_layout", "match", "storage"}  # fmt: skip
    ours, others = imported("algorithms.new", ast.parse(source), known)
    assert ours == {"algorithms.kernels", "algorithms.game", "errors", "match.scores", "storage.directory_layout"}
    assert others == {"os", "numba", "json"}
    ours, others = imported("algorithms.new", ast.parse(source), known, inside_functions=False)
    assert "storage.directory_layout" not in ours
    assert others == {"os", "numba"}
    assert {"algorithms.kernels", "algorithms.game"} <= IMPORTS["algorithms.cfr"]


def test_every_module_has_a_room() -> None:
    """And every package is installed."""
    assert {room(name) for name in MODULES} == set(ROOMS)
    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    ours = {"tictactoe", "tictactoe.solutions"} | {f"tictactoe.{name}" for name in packages(set(MODULES)) if name}
    assert set(setuptools["packages"]) == ours


@pytest.mark.parametrize("name", sorted(MODULES))
def test_imports_run_one_way(name: str) -> None:
    """To the same room or one before it."""
    allowed = ROOMS[: ROOMS.index(room(name)) + 1]
    assert {other for other in IMPORTS[name] if room(other) not in allowed} == set()


def test_no_circles_between_modules() -> None:
    """Not even for type checkers. graphlib raises CycleError and names the circle."""
    assert len(list(TopologicalSorter(IMPORTS).static_order())) == len(MODULES)


def test_the_algorithms_know_no_game() -> None:
    """Whatever their modules lead to is an algorithm or an exception."""
    reached = {other for name in MODULES if room(name) == "algorithms" for other in behind(name)}
    assert {room(name) for name in reached} == {"algorithms", "errors"}


def test_the_trusted_core_uses_the_standard_library_alone() -> None:
    """The three modules that a certificate rests on."""
    core = {"proof.checker", "proof.checker_rules", "proof.checker_tree"}
    for name in core:
        assert IMPORTS[name] <= core
        assert OUTSIDE[name] <= sys.stdlib_module_names


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/certificate.md"])
def test_pages_name_all_that_a_certificate_rests_on(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    for name in MODULES:
        if name.startswith("proof.checker"):
            assert f"{name.split('.')[1]}.py`" in text, name


def test_proofs_use_nothing_that_solves() -> None:
    """Beside their own room only names, files, their loaders and the scheduler."""
    used = {other for name in MODULES if room(name) == "proof" for other in IMPORTS[name] if room(other) != "proof"}
    assert used <= SHARED_WITH_PROOF


def test_the_library_does_not_know_the_commands() -> None:
    """Neither how they read options nor how they draw."""
    for name in MODULES:
        assert room(name) == "tools" or not OUTSIDE[name] & {"click", "rich"}, name


def imported_at_the_top(name: str) -> tuple[set[str], set[str]]:
    """As `imported`, what is imported together with the module: not inside functions, nor for type checkers."""
    ours, others = imported(name, MODULES[name], set(MODULES), inside_functions=False)
    for block in ast.walk(MODULES[name]):
        if isinstance(block, ast.If) and "TYPE_CHECKING" in ast.dump(block.test):
            typed = imported(name, ast.Module(block.body, []), set(MODULES))
            ours, others = ours - typed[0], others - typed[1]
    return ours, others


@pytest.mark.parametrize("name", sorted(name for name in MODULES if room(name) == "tools" and ".shared." not in name))
def test_commands_import_what_is_slow_only_when_they_need_it(name: str) -> None:
    """A command, and all that comes with it, from whichever room: click, the standard library, and nothing slow."""
    seen, waiting = set(), [name]
    while waiting:
        module = waiting.pop()
        if module not in seen:
            seen.add(module)
            ours, others = imported_at_the_top(module)
            assert others & SLOW == set(), module
            waiting += ours


def loaded_by(code: str) -> set[str]:
    """The top-level packages, and our modules, that a fresh interpreter has loaded after `code`."""
    script = f"import sys\n{code}\nprint(*sys.modules)"
    process = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=True, cwd=ROOT
    )
    names = process.stdout.split()
    return {name.split(".")[0] for name in names} | {name for name in names if name.startswith("tictactoe.")}


def test_what_plays_and_explores_does_not_load_the_compiler() -> None:
    """Reading, opening, playing, looking: in plain numpy."""
    modules = [name for name in MODULES if room(name) in ("games", "play")]
    modules += ["storage.open_saved", "storage.solution", "match.options"]
    loaded = loaded_by("; ".join(f"import tictactoe.{name}" for name in modules))
    assert "tictactoe.play.view" in loaded
    assert not loaded & {"numba", "llvmlite", "tictactoe.algorithms.kernels", "matplotlib", "rich", "click"}
    assert "numba" in loaded_by("import tictactoe.algorithms.kernels")


def test_importing_the_package_costs_nothing() -> None:
    """The public names are loaded when they are used."""
    assert not loaded_by("import tictactoe") & {"numpy", "tictactoe.errors", *SLOW}
    loaded = loaded_by("from tictactoe import GameTree, Goal, load_solution")
    assert not loaded & {"numba", "tictactoe.algorithms.kernels"}
