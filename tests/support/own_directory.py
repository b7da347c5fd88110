"""Every test begins in an empty directory that is not to be written to, with a home, a configuration and temporary
files of its own. A test that leaves something in that directory fails, and so does a run that changes the checkout."""

import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
OF_TOOLS = frozenset({
    ".git", ".hypothesis", ".import_linter_cache", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".venv",
    os.path.basename(sys.prefix), "__pycache__", "build", "node_modules", "smbc_tictactoe.egg-info",
})  # fmt: skip
"""Folders that other programs keep there, beside the tests or for them. Nothing is said of them."""
TEXTS = frozenset({".ci", "benchmarks", "docs", "examples", "research", "tests", "tictactoe", "tools"})
"""Folders whose files somebody may edit meanwhile: of these it counts only which there are."""


def state_of(checkout: Path) -> dict[str, tuple[int, int]]:
    """Every folder and file that is no tool's, most of them with their size and the time of their last change."""
    found: dict[str, tuple[int, int]] = {}
    for folder, folders, names in os.walk(checkout):
        folders[:] = [name for name in folders if name not in OF_TOOLS]
        for path in (Path(folder, name) for name in (*folders, *names)):
            inside = path.relative_to(checkout)
            found[str(inside)] = (0, 0)
            with contextlib.suppress(FileNotFoundError):  # a tool's, which is gone again
                if not (path.is_dir() or inside.parts[0] in TEXTS or len(inside.parts) == 1):
                    found[str(inside)] = path.lstat().st_size, path.lstat().st_mtime_ns
    return found


def refuse_changes(before: dict[str, tuple[int, int]], checkout: Path) -> None:
    changed = sorted({path for path, _ in state_of(checkout).items() ^ before.items()})
    assert not changed, f"while the tests ran, somebody changed in {checkout}: {', '.join(changed)}"


def of_the_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The temporary directory of a run: all its workers share it, and each has one of its own in it."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def _root() -> Iterator[Path]:
    """Short paths: sockets have names of about a hundred characters."""
    before, state = os.getcwd(), state_of(CHECKOUT)
    root = Path(tempfile.mkdtemp(prefix="tests-"))
    with pytest.MonkeyPatch.context() as patch:
        for name in ("home", "tmp"):
            (root / name).mkdir()
        patch.setenv("HOME", str(root / "home"))
        patch.setenv("TMPDIR", str(root / "tmp"))
        for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "MPLCONFIGDIR", "DASK_CONFIG"):
            patch.delenv(name, raising=False)
        patch.setattr(tempfile, "tempdir", str(root / "tmp"))
        yield root
    os.chdir(before)
    shutil.rmtree(root, ignore_errors=True)
    refuse_changes(state, CHECKOUT)


@pytest.fixture(autouse=True)
def _own_directory(_root: Path) -> Iterator[None]:
    own = Path(tempfile.mkdtemp(prefix="empty-", dir=_root))
    own.chmod(0o555)
    os.environ["XDG_CONFIG_HOME"] = f"{own}-configuration"
    os.chdir(own)
    yield
    assert not (left := os.listdir(own)), f"the test leaves in its current directory, which is not for that: {left}"
