"""The guard that keeps every test in directories of its own sees what it looks for."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.own_directory import Guard, OutsideError
from support.storage_files import linux

Place = tuple[Guard, Path]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """A guard of its own, and a folder with a checkout in it; that may be written to is below `own`."""
    for name in ("README.md", "docs/rules.md", "my_solution/solution.msgpack"):
        (tmp_path / "checkout" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "checkout" / name).write_text("mine")
    (tmp_path / "own").mkdir()
    guard = Guard(tmp_path / "own", checkout=tmp_path / "checkout")
    guard.begin()
    try:
        yield guard, tmp_path
    finally:
        guard.end()


ELSEWHERE: list[Callable[[Path], object]] = [
    lambda at: (at / "checkout/dropped").touch(),
    lambda at: (at / "checkout/docs/rules.md").open("a"),
    lambda at: (at / "checkout/README.md").rename(at / "own/README.md"),
    lambda at: (at / "own/link").symlink_to(at / "checkout") or (at / "own/link/README.md").write_text("x"),
    lambda at: shutil.rmtree(at / "checkout/my_solution"),
    lambda at: (at / "checkout/my_solution/solution.msgpack").read_bytes(),
]


@linux
@pytest.mark.parametrize("does", ELSEWHERE)
def test_what_this_process_does_elsewhere_is_refused(place: Place, does: Callable[[Path], object]) -> None:
    guard, at = place
    with pytest.raises((OutsideError, PermissionError)):
        does(at)
    assert guard.complaints() != [] or os.getuid() != 0  # whom the system lets change the current directory
    assert guard.complaints() == []


SEEN = {
    "open(at + '/checkout/my_solution/solution.msgpack', 'a').write('x')": "my_solution/solution.msgpack",
    "os.mkdir('left')": "changes its current directory",
}


@pytest.mark.parametrize("code", SEEN)
def test_what_programs_do_elsewhere_is_seen(place: Place, code: str) -> None:
    guard, at = place
    done = subprocess.run([sys.executable, "-c", f"import os; at = {str(at)!r}; {code}"], stderr=subprocess.DEVNULL)
    if done.returncode == 0:  # nobody but root can change the current directory
        (complaint,) = guard.complaints()
        assert SEEN[code] in complaint
    assert (guard.complaints(), os.listdir()) == ([], [])


def test_what_a_test_may_do(place: Place) -> None:
    guard, at = place
    (at / "checkout/docs/rules.md").read_text()
    (at / "own/file").write_text("mine")
    (at / "checkout/.hypothesis").mkdir()
    assert subprocess.run([sys.executable, "-c", ""]).returncode == 0
    assert guard.complaints() == []
    assert (os.environ["TMPDIR"], os.stat(".").st_mode & 0o777) == (tempfile.gettempdir(), 0o555)
