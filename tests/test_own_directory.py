"""The guard that keeps every test in directories of its own refuses what a test does elsewhere, or sees it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.own_directory import Guard, OutsideError
from support.storage_files import linux


@linux
def test_what_is_done_elsewhere(tmp_path: Path) -> None:
    mine, own = tmp_path / "checkout" / "my_solution" / "solution.msgpack", tmp_path / "own"
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    own.mkdir()
    guard = Guard(own, checkout=tmp_path / "checkout")
    guard.begin()
    try:
        (own / "file").write_text("mine")
        assert guard.complaints() == []
        for does in (
            mine.read_bytes,
            lambda: mine.open("a"),
            lambda: mine.rename(own / "moved"),
            mine.with_name("dropped").touch,
            lambda: shutil.rmtree(mine.parent),
        ):
            with pytest.raises(OutsideError):
                does()
            assert len(guard.complaints()) > len(guard.complaints()) == 0
        subprocess.run([sys.executable, "-c", f"open({str(mine)!r}, 'a').write('x')"], check=True)
        (complaint,) = guard.complaints()
        assert "my_solution/solution.msgpack" in complaint
    finally:
        guard.end()
