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
from support.programs import contents
from support.storage_files import linux

FOLDERS = ("docs", "my_solution", "solutions")
FILES = ("README.md", "docs/rules.md", "my_solution/solution.msgpack", "solutions/a.msgpack")
Place = tuple[Guard, Path]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """A guard of its own, and a folder with a checkout in it; that may be written to is below `own`."""
    checkout = tmp_path / "checkout"
    for name in FILES:
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        (checkout / name).write_text("mine")
    (tmp_path / "own").mkdir()
    guard = Guard(tmp_path / "own", checkout=checkout)
    guard.begin()
    try:
        yield guard, tmp_path
    finally:
        guard.end()


ELSEWHERE: list[Callable[[Path], object]] = [
    lambda at: (at / "checkout/dropped").touch(),
    lambda at: (at / "dropped").write_text("x"),
    lambda at: (at / "checkout/docs/rules.md").open("a"),
    lambda at: (at / "checkout/dropped").mkdir(),
    lambda at: (at / "checkout/README.md").unlink(),
    lambda at: (at / "checkout/README.md").rename(at / "own/README.md"),
    lambda at: (at / "own/link").symlink_to(at / "checkout") or (at / "own/link/README.md").write_text("x"),
    lambda at: (at / "checkout/README.md").chmod(0o600),
    lambda at: shutil.rmtree(at / "checkout/solutions"),
    lambda at: shutil.rmtree(at / "checkout/my_solution"),
    lambda at: (at / "checkout/my_solution/solution.msgpack").read_bytes(),
    lambda at: list((at / "checkout/my_solution").iterdir()),
    lambda at: Path("dropped/deep").mkdir(parents=True) or Path("dropped/deep").rename(at / "deep"),
]


@linux
@pytest.mark.parametrize("does", ELSEWHERE)
def test_what_this_process_does_elsewhere_is_refused(place: Place, does: Callable[[Path], object]) -> None:
    guard, at = place
    with pytest.raises((OutsideError, PermissionError)):
        does(at)
    assert guard.complaints() != [] or os.getuid() != 0  # whom the system lets change the current directory
    assert guard.complaints() == []
    guard.end()
    assert contents(at / "checkout") == {**dict.fromkeys(FOLDERS), **dict.fromkeys(FILES, b"mine")}


SEEN = {
    "open(at + '/checkout/left', 'w')": "somebody changed left",
    "open(at + '/checkout/my_solution/solution.msgpack', 'a').write('x')": "my_solution/solution.msgpack",
    "open(at + '/checkout/solutions/a.msgpack', 'a').write('x')": "solutions/a.msgpack",
    "os.remove(at + '/checkout/docs/rules.md')": "docs/rules.md",
    "os.mkdir('left')": "changes its current directory",
    "os.mkdir('left'); os.rmdir('left')": "changes its current directory",
}


@pytest.mark.parametrize("code", SEEN)
def test_what_programs_do_elsewhere_is_seen(place: Place, code: str) -> None:
    guard, at = place
    done = subprocess.run([sys.executable, "-c", f"import os; at = {str(at)!r}; {code}"], stderr=subprocess.DEVNULL)
    if done.returncode == 0:  # nobody but root can change the current directory
        (complaint,) = guard.complaints()
        assert SEEN[code] in complaint
    else:
        assert "current directory" in SEEN[code]
    assert guard.complaints() == []
    assert os.listdir() == []


def test_what_a_test_may_do(place: Place) -> None:
    guard, at = place
    (at / "checkout/docs/rules.md").read_text()
    (at / "own/file").write_text("mine")
    os.makedirs(at / "checkout/docs", exist_ok=True)
    with open(os.devnull, "w") as nothing:
        nothing.write("x")
    (at / "checkout/.hypothesis").mkdir()
    assert subprocess.run([sys.executable, "-c", ""]).returncode == 0
    assert guard.complaints() == []


def test_the_guard_stands() -> None:
    assert (os.listdir(), os.stat(".").st_mode & 0o777) == ([], 0o555)
    own = tempfile.gettempdir()
    assert all(os.environ[name].startswith(os.path.dirname(own)) for name in ("HOME", "TMPDIR", "XDG_CONFIG_HOME"))
    code = "import os, tempfile; print(os.listdir(), tempfile.gettempdir())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"[] {own}\n"
