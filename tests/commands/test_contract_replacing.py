"""The contract of every command with an output: the new is complete before the old goes."""

import errno
import os
import re
import signal
from pathlib import Path

import pytest
from support.contract import COMMANDS, NAMES, at_the_file, full_disk, options_of, used, without_progress
from support.programs import (
    EXPORT,
    FORMULA,
    IMPORT,
    MATCH,
    ONE_POINT,
    POLISH,
    PROVE,
    ROUND,
    VALUES,
    call,
    called,
    contents,
)
from support.slowness import by_default, slow

from tictactoe.storage.directory_layout import RESTARTED

fcntl = pytest.importorskip("fcntl")

REPLACING = {
    FORMULA: "--restart",
    "convert": "--restart",
    IMPORT: "--restart",
    "compare-algorithms": "--restart",
    EXPORT: "--restart",
    PROVE: "",
    "plot": "",
    "page": "-o page.html",
    "rules-atlas": "",
    "tournament": "-o table.csv -o table.svg",
    VALUES: "-o out.svg",
}
"""The options that make a verb replace all files of its earlier use."""
RESTARTING = dict.fromkeys((MATCH, ROUND, POLISH, "game solve", "train-agent"), "--restart")
RESTARTING["network host"] = "-o out --restart"
"""Verbs whose runs go on unless --restart is given."""
NEW_ONLY = ("review",)
"""Write a new file, or none."""


def test_every_command_with_an_output_is_known_to_replace_or_refuse() -> None:
    writing = {name for name in NAMES if any("--output" in each.opts for each in COMMANDS[name].params)}
    assert writing == {name.partition(" --")[0] for name in (*REPLACING, *RESTARTING, *NEW_ONLY)}


@pytest.mark.parametrize("name", by_default(REPLACING, "convert", "tournament"))
def test_nothing_is_replaced_in_silence(name: str, world: Path) -> None:
    assert used(name).code == 0
    if "--restart" in REPLACING[name]:
        before = identities(world)
        refused = without_progress(used(name))
        assert (refused.code, refused.out) == (1, "")
        advice = "choose another output (file|directory), or restart to replace (it|what is there)"
        assert re.fullmatch(rf"{called(name)}: out: .*; {advice}\n", refused.err)
        assert identities(world) == before
        return
    texts = [each.help for each in options_of(name) if "--output" in each.opts]  # type: ignore[attr-defined]
    assert texts
    assert [text for text in texts if not re.search(r"replaced|\bcontinues\b", text)] == []


def identities(directory: Path) -> dict[str, tuple[int, bytes] | None]:
    """Every file with its number and its bytes, as an equal file in its place is another file."""
    paths = [path for path in sorted(directory.rglob("*")) if "__pycache__" not in path.parts]
    return {
        str(path.relative_to(directory)): (path.stat().st_ino, path.read_bytes()) if path.is_file() else None
        for path in paths
    }


@pytest.mark.parametrize("name", by_default({**REPLACING, **RESTARTING}, "compare-algorithms", "tournament", MATCH))
def test_the_new_is_complete_before_the_old_goes(name: str, world: Path) -> None:
    """With a disk that is full from the first or the last file on, nothing of what was there before has changed."""
    more = {**REPLACING, **RESTARTING}[name].split()
    assert used(name, *more).code == 0
    with at_the_file(0, full_disk) as files:
        assert used(name, *more).code == 0
    before = identities(world)
    first = files[0] - 1 if name == "compare-algorithms" else 1  # the table, which comes after the journal of its runs
    for number in sorted({first, files[0]}):
        with at_the_file(number, full_disk):
            failed = without_progress(used(name, *more))
        assert failed.code == 1, failed
        assert failed.err.endswith("No space left on device; what was saved before is intact\n")
        after = identities(world)
        for unfinished in [path for path in after if "unfinished" in path or RESTARTED in path]:
            del after[unfinished]  # what the runs came to, for the next attempt
        assert after == before, number
    assert used(name, *more).code == 0
    assert identities(world) != before


@pytest.mark.parametrize(
    ("name", "number"), [*slow(("plot", signal.SIGHUP)), (PROVE, signal.SIGTERM), (EXPORT, signal.SIGHUP)]
)
def test_told_to_end_while_writing(name: str, number: signal.Signals, world: Path) -> None:
    more = REPLACING[name].split()
    assert used(name, *more).code == 0
    before, ended = identities(world), 0 if name == EXPORT else 130  # which has but this file to write
    with at_the_file(1, lambda: os.kill(os.getpid(), number)):
        assert used(name, *more).code == ended
    assert (identities(world) == before) == (ended == 130)
    assert not list(world.rglob(".*"))
    handler = signal.signal(number, signal.SIG_IGN)
    try:
        with at_the_file(1, lambda: os.kill(os.getpid(), number)):
            assert used(name, *more).code == 0
    finally:
        signal.signal(number, handler)


WRITERS = {
    MATCH: (*ONE_POINT, "--restart", "-o"),
    ROUND: ("--max-iterations", "1", "--restart", "-o"),
    "compare-algorithms": ("--budget", "2", "--algorithm", "pdcfr+", "--no-plot", "--restart", "-o"),
    "tournament": ("uniform", "learner-1", "--sample", "--matches", "2", "-o"),
}
NOTICE = "this file system cannot tell when data is on the disk (fsync: Invalid argument); a power cut may lose"


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", by_default(WRITERS, MATCH, "tournament"))
def test_all_is_written(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On FAT, network mounts and FUSE. --quiet leaves the notice out."""
    for module, function, number in (
        (os, "chmod", errno.EPERM),
        (os, "chown", errno.EPERM),
        (os, "fsync", errno.EINVAL),
        (fcntl, "flock", errno.ENOSYS),
    ):
        error = OSError(number, os.strerror(number))
        monkeypatch.setattr(module, function, lambda *_, error=error: (_ for _ in ()).throw(error))
    out = tmp_path / "out"
    first = call(name, *WRITERS[name], out)
    assert first.code == 0, first
    said = [line for line in first.err.splitlines() if "fsync" in line or "arning" in line]
    assert said == [f"{called(name)}: {NOTICE} what was saved last"]
    names = contents(out).keys()
    assert names
    assert not any("lock" in name or "held" in name or name.endswith(".tmp") for name in names)
    if name != "tournament":
        second = call(name, *WRITERS[name], out, "--quiet")
        assert (second.code, second.out, second.err) == (0, "", ""), second
        assert contents(out).keys() == names
