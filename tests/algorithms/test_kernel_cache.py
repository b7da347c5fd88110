"""Compiled kernels on disk: used again, and compiled again when any module that their code is made of has changed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import tictactoe

PROGRAM = """
import importlib
import numpy as np
from tictactoe.algorithms import kernels

def compiled():
    fresh = importlib.reload(kernels)
    fresh._apply_discounts(np.ones((1, 4)), 0.5, 0.5)
    return bool(fresh._apply_discounts.stats.cache_misses)

print(compiled(), compiled())
for name in ("arrays", "simd", "update_rules", "kernels"):
    with open(f"tictactoe/algorithms/{name}.py", "a") as file:
        file.write("# edited\\n")
    print(name, compiled(), compiled())
"""


def test_an_edit_of_any_part_compiles_the_kernels_again_once(tmp_path: Path) -> None:
    """In a copy of the algorithms, which need no other room."""
    source, package = Path(tictactoe.__file__).parent, tmp_path / "tictactoe"
    shutil.copytree(source / "algorithms", package / "algorithms", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(source / "errors.py", package)
    (package / "__init__.py").touch()
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-c", PROGRAM]
    process = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    names = ("arrays", "simd", "update_rules", "kernels")
    assert process.stdout.splitlines() == ["True False", *(f"{name} True False" for name in names)], process.stderr
