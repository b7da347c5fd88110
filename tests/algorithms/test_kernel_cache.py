"""Compiled kernels on disk: used again, and compiled again when any module that their code is made of has changed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tictactoe
from tictactoe.algorithms.compiling import is_compiled

PROGRAM = """
import importlib, os
from pathlib import Path
from tictactoe.algorithms import compiling, kernels
from tictactoe.algorithms.arrays import zero_rows

def foretold():
    return compiling.is_compiled(importlib.reload(kernels)._apply_discounts)

def compiled():
    before = foretold()
    kernels._apply_discounts(zero_rows(1, 3), 0.5, 0.5)
    missed = bool(kernels._apply_discounts.stats.cache_misses)
    assert before != missed and compiling.is_compiled(kernels._apply_discounts)
    return missed

print(compiled(), compiled())
for name in ("arrays", "compiling", "simd", "rule_definition", "kernels"):
    path = Path(f"tictactoe/algorithms/{name}.py")
    text, stat = path.read_text(), path.stat()
    path.write_text(text + "# edited\\n")
    print(foretold(), end=" ")
    path.write_text(text)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    print(foretold())
path.write_text(text + "# edited\\n")
print(compiled(), compiled())
"""

FIRST_RUN = """
from tictactoe import CFRSolver, best_response, kuhn_poker, update_rule
from tictactoe.algorithms import kernels

game = kuhn_poker()
solver = CFRSolver(game, update_rule("dcfr"))
solver.run(1)
best_response(game, 0, solver.average_strategy())
signatures = {name: getattr(part, "signatures", ()) for name, part in vars(kernels).items()}
assert all(signatures[name] for name in ("run_iterations", "sweep", "_learn", "_collect", "best_response"))
print([name for name, found in signatures.items() if len(found) > 1 and name not in ("_leaf_value", "_share")])
"""
"""`_leaf_value` and `_share` are left out: a few instructions, called with literals on purpose."""


def run(program: str, directory: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(directory / "cache"), **variables}
    command = [sys.executable, "-c", program]
    return subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_an_edit_of_any_part_compiles_the_kernels_again_once(tmp_path: Path) -> None:
    """In a copy of the algorithms, which need no other package."""
    assert is_compiled(len), "an interpreted function need not be compiled"
    source, package = Path(tictactoe.__file__).parent, tmp_path / "tictactoe"
    shutil.copytree(source / "algorithms", package / "algorithms", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(source / "errors.py", package)
    (package / "__init__.py").touch()
    process = run(PROGRAM, tmp_path, PYTHONPATH=str(tmp_path))
    assert process.stdout.splitlines() == ["True False", *["False True"] * 5, "True False"], process.stderr


@pytest.mark.slow
def test_nothing_is_compiled_twice(tmp_path: Path) -> None:
    """A literal number as an argument makes another function of every part that it is passed on to."""
    process = run(FIRST_RUN, tmp_path)
    assert process.stdout.splitlines() == ["[]"], process.stderr
