"""Commands on file systems that know no owners, modes, locks or fsync: all is written, and a notice says so."""

from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path

import pytest
from support.programs import MATCH, ONE_POINT, ROUND, call, contents

WRITERS = (
    (MATCH, *ONE_POINT, "--restart", "-o"),
    (ROUND, "--iterations", "1", "--restart", "-o"),
    ("compare-algorithms", "--budget", "2", "--algorithm", "pdcfr+", "--no-plot", "--restart", "-o"),
    ("tournament", "uniform", "learner-1", "--sample", "--matches", "2", "-o"),
)
NOTICE = "this file system cannot tell when data is on the disk (fsync: Invalid argument); a power cut may lose"


@pytest.fixture
def _poor(monkeypatch: pytest.MonkeyPatch) -> None:
    """As FAT, network mounts and FUSE may answer."""

    def refuse(function: str, number: int, module: object = os) -> None:
        def refused(*_: object) -> None:
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(module, function, refused)

    refuse("chmod", errno.EPERM)
    refuse("chown", errno.EPERM)
    refuse("fsync", errno.EINVAL)
    refuse("flock", errno.ENOSYS, fcntl)


@pytest.mark.filterwarnings("default")
@pytest.mark.usefixtures("_poor")
@pytest.mark.parametrize("writer", WRITERS, ids=lambda writer: writer[0])
def test_all_is_written_on_a_poor_file_system(tmp_path: Path, writer: tuple[str, ...]) -> None:
    out, quiet = tmp_path / "out", [] if writer[0] == "tournament" else ["--quiet"]
    first = call(*writer, out)
    assert first.code == 0, first
    assert [line for line in first.err.splitlines() if "fsync" in line or "arning" in line] == [
        f"{writer[0]}: {NOTICE} what was saved last"
    ]
    names = contents(out).keys()
    assert names
    assert not any("lock" in name or "held" in name or name.endswith(".tmp") for name in names)
    if quiet:
        second = call(*writer, out, *quiet)
        assert (second.code, second.err) == (0, ""), second
        assert contents(out).keys() == names


@pytest.mark.filterwarnings("default")
@pytest.mark.usefixtures("_poor")
def test_a_quiet_command_says_nothing_of_it(tmp_path: Path) -> None:
    result = call(ROUND, "--iterations", "1", "-o", tmp_path / "out", "--quiet")
    assert (result.code, result.out, result.err) == (0, "", "")
