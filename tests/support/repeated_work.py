"""Shortcuts for slow work that no test can see: flushing to the disk, compressing equal data again, collecting garbage.

They save a third of the tests' time. Child processes work without them.
"""

import compileall
import gc
import hashlib
import os
import stat
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

from filelock import FileLock

_MOST_KEPT = 256
_flush, _compress = os.fsync, zlib.compress
_compressed: dict[tuple[bytes, int, int], bytes] = {}


def spare() -> None:
    """From now on. Files are not flushed, which only matters when the power fails; equal bytes are compressed once."""
    zlib.compress = _compress_once  # type: ignore[assignment]
    os.fsync = _flush_others


def compile_modules(root: Path) -> None:
    """Once, and not in each of a thousand programs. Afterwards nothing is compiled to a file, as disks may be full."""
    for folder in ("tictactoe", "tools"):
        compileall.compile_dir(root / folder, quiet=2)
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"


def compile_kernels() -> None:
    """The kernels of the usual solver, of sampling and of learning."""
    import tictactoe

    game = tictactoe.tic_tac_toe_round(tictactoe.GameTree.build(), tictactoe.SINGLE_ROUND)
    for algorithm in ("dcfr", "es-mccfr"):
        solver = tictactoe.CFRSolver(game, tictactoe.update_rule(algorithm))
        solver.run(1)
        solver.evaluate()
    tictactoe.best_response(game, 0, solver.average_strategy())
    tictactoe.TabularLearner(game, tictactoe.LearningMethod()).run(1)


def compile_in_turn() -> None:
    """Of several workers that need a kernel at once the first one compiles it; the others wait, and load its code."""
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.dispatcher import Dispatcher

    compiled = Dispatcher.compile

    def in_turn(kernel: Any, signature: Any) -> Any:
        kept = getattr(kernel._cache, "_cache_file", None)
        # A test may be nobody, who must not write there.
        if kept is None or not os.access(Path(kept._index_path).parent, os.W_OK):
            return compiled(kernel, signature)
        with global_compiler_lock, FileLock(f"{kept._index_path}.lock"):  # in this order, or two threads may hang
            return compiled(kernel, signature)

    Dispatcher.compile = in_turn


def collecting(root: Path) -> "subprocess.Popen[bytes]":
    """A process that compiles all tests, whose asserts pytest rewrites, before every worker does so for itself."""
    command = [sys.executable, "-m", "pytest", "-n", "0", "--collect-only", str(root / "tests")]
    variables = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    return subprocess.Popen(command, cwd=root, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def leave_what_is_loaded() -> None:
    """Thousands of tests, and what they import, stay to the end: no collection of garbage looks through them again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


def _compress_once(data: bytes, /, level: int = -1, wbits: int = 15) -> bytes:
    key = (hashlib.sha256(data).digest(), level, wbits)
    if (result := _compressed.get(key)) is None:
        if len(_compressed) >= _MOST_KEPT:
            _compressed.pop(next(iter(_compressed)), None)
        _compressed[key] = result = _compress(data, level, wbits)
    return result


def _flush_others(file: int) -> None:
    mode = os.fstat(file).st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        _flush(file)
