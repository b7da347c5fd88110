"""No test reads or writes outside of its own directories: the guard refuses the access, and the test fails.

The current directory is a trap, empty and read-only. Home, configuration and temporary files are new ones. The guard
refuses writes elsewhere by this process and its forks, and reads of a user's files in the checkout. Child programs get
the same directories; after a test with such a program the guard compares the checkout.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]

CHECKOUT = Path(__file__).resolve().parents[2]
PROJECT = frozenset({
    ".ci", ".gitignore", "benchmarks", "docs", "examples", "pyproject.toml", "research", "solutions", "tests",
    "tictactoe", "tools", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "README.md", "constraints.txt",
})  # fmt: skip
"""What tests may read there."""
OF_TOOLS = frozenset({
    ".git", ".hypothesis", ".import_linter_cache", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".venv",
    os.path.basename(sys.prefix), "__pycache__", "build", "node_modules", "smbc_tictactoe.egg-info",
})  # fmt: skip
"""Folders that other programs keep there, beside the tests or for them. Nothing is said of them."""
CHANGED = {
    "open": (0,), "os.chmod": (0,), "os.chown": (0,), "os.link": (1,), "os.mkdir": (0,), "os.remove": (0,),
    "os.rename": (0, 1), "os.rmdir": (0,), "os.symlink": (1,), "os.truncate": (0,), "os.utime": (0,),
}  # fmt: skip
"""Python's events of a change, with the places of the paths among their details."""
READ = ("open", "os.listdir", "os.scandir")
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class OutsideError(AssertionError):
    """A test reads or writes outside of its own directories."""


class Guard:
    """Of one process that runs tests. root: an empty directory for what it gives to them. own: what else may be written
    to. checkout: of the project."""

    def __init__(self, root: Path, *own: Path, checkout: Path = CHECKOUT) -> None:
        self._root, self._folder = root, f"{checkout}{os.sep}"
        self._own = tuple(f"{os.path.realpath(path)}{os.sep}" for path in (root, *own, "/dev", "/proc"))
        self._seen: list[str] = []
        self._number = 0
        self._listening = False
        self._checkout = self._state_of_checkout()
        self._programs = _programs_that_have_ended()
        self._set_trap()
        self._listening = True
        sys.addaudithook(self._hear)

    def begin(self) -> None:
        """A test begins: with a configuration of its own, in the trap."""
        self._number += 1
        os.environ["XDG_CONFIG_HOME"] = str(self._root / f"configuration_{self._number}")
        os.chdir(self._trap)

    def complaints(self) -> list[str]:
        """What the test that ends now has done outside of its own directories; forgotten with that."""
        self._listening = False
        try:
            return [*self._seen, *self._traces()]
        finally:
            self._seen.clear()
            self._listening = True

    def _traces(self) -> list[str]:
        traces = []
        if os.stat(self._trap).st_mtime_ns != self._untouched:
            traces.append(f"changes its current directory, which nobody gave to it: {os.listdir(self._trap)}")
            self._set_trap()
        programs = _programs_that_have_ended()
        if programs is None or programs != self._programs:
            before, self._programs = self._checkout, programs
            self._checkout = self._state_of_checkout()
            if changed := sorted({path for path, _ in self._checkout.items() ^ before.items()}):
                traces.append(f"while it ran, in {self._folder}, somebody changed {', '.join(changed)}")
        return traces

    def end(self) -> None:
        self._listening = False

    def _set_trap(self) -> None:
        self._trap = Path(tempfile.mkdtemp(prefix="empty-", dir=self._root))
        self._trap.chmod(0o555)
        self._untouched = os.stat(self._trap).st_mtime_ns
        os.chdir(self._trap)

    def _hear(self, event: str, details: tuple[Any, ...]) -> None:
        if (event not in CHANGED and event not in READ) or not self._listening:
            return
        if event in READ and not (event == "open" and _writes(*details)):
            path = details[0]
            if isinstance(path, (str, bytes, os.PathLike)) and self._is_a_users(os.path.normpath(os.fsdecode(path))):
                self._refuse(f"reads {os.fsdecode(path)}")
            return
        for place in CHANGED[event]:
            path = _resolved(event, details, place)
            if path is not None and not self._may_change(path) and not (event == "os.mkdir" and os.path.isdir(path)):
                self._refuse(f"{event} {path}")

    def _may_change(self, path: str) -> bool:
        if f"{path}{os.sep}".startswith(self._own):
            return True
        return path.startswith(self._folder) and not OF_TOOLS.isdisjoint(path.split(os.sep))

    def _is_a_users(self, path: str) -> bool:
        """Whether it is in the checkout, and neither the project's nor a tool's."""
        if not path.startswith(self._folder):
            return False
        first = path.removeprefix(self._folder).partition(os.sep)[0]
        return first not in PROJECT and first not in OF_TOOLS

    def _state_of_checkout(self) -> dict[str, tuple[int, int]]:
        """Every folder and file that is no tool's; of solutions, and of what is a user's, with the size and when it was
        changed. The others are texts that somebody may edit meanwhile."""
        found: dict[str, tuple[int, int]] = {}
        waiting, start = [self._folder], len(self._folder)
        while waiting:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.name in OF_TOOLS:
                        continue
                    path = entry.path[start:]
                    found[path] = (0, 0)
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    elif path.partition(os.sep)[0] not in PROJECT - {"solutions"}:
                        status = entry.stat(follow_symlinks=False)
                        found[path] = (status.st_size, status.st_mtime_ns)
        return found

    def _refuse(self, what: str) -> None:
        self._seen.append(what)
        raise OutsideError(f"a test's own directory does not hold this: {what}")


def of_the_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The temporary directory of a run: all its workers share it, and each has one of its own in it."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def _guard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guard]:
    """Short paths: sockets have names of about a hundred characters."""
    own, before = of_the_run(tmp_path_factory), os.getcwd()
    root = Path(tempfile.mkdtemp(prefix="tests-"))
    with pytest.MonkeyPatch.context() as patch:
        for name in ("home", "tmp"):
            (root / name).mkdir()
        patch.setenv("HOME", str(root / "home"))
        patch.setenv("TMPDIR", str(root / "tmp"))
        patch.setenv("XDG_CONFIG_HOME", str(root / "configuration"))
        for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "MPLCONFIGDIR", "DASK_CONFIG"):
            patch.delenv(name, raising=False)
        patch.setattr(tempfile, "tempdir", str(root / "tmp"))
        guard = Guard(root, own)
        try:
            yield guard
        finally:
            guard.end()
            os.chdir(before)
            shutil.rmtree(root, ignore_errors=True)


@pytest.fixture(autouse=True)
def _own_directory(_guard: Guard) -> Iterator[None]:
    _guard.begin()
    yield
    if complaints := _guard.complaints():
        raise OutsideError("; ".join(complaints))


def _writes(_path: object, mode: object, flags: object) -> bool:
    """Whether a file is opened for writing. os.open has no mode."""
    return isinstance(flags, int) and bool(flags & WRITES)


def _resolved(event: str, details: tuple[Any, ...], place: int) -> str | None:
    """The path without symbolic links, but the last one unless it is followed; None for an open file or no path."""
    path = details[place]
    if isinstance(path, int):
        return None
    try:
        path = os.fsdecode(path)
        descriptor = details[len(details) - len(CHANGED[event]) + CHANGED[event].index(place)]
        if event not in ("open", "os.truncate") and descriptor != -1 and not os.path.isabs(path):
            path = os.path.join(os.readlink(f"/proc/self/fd/{descriptor}"), path)
        if event == "open":
            return os.path.realpath(path)
        folder, name = os.path.split(os.path.abspath(path))
        return os.path.join(os.path.realpath(folder), name)
    except (OSError, TypeError, ValueError):  # the call itself will complain
        return None


def _programs_that_have_ended() -> object:
    """The resources used by ended child processes: they change when a child ends. None without the module resource."""
    return resource and resource.getrusage(resource.RUSAGE_CHILDREN)
