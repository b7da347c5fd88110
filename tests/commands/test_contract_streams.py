"""What every command keeps to: standard output and error, terminals, JSON, interruption."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from support.contract import NAMES, SILENT, USES, WITH_JSON, used, without_progress
from support.programs import MATCH, Result, call, call_in_a_child, json_of
from support.slowness import by_default

# --- streams


@pytest.mark.parametrize("name", by_default(NAMES, MATCH, "explore", "match-values"))
def test_streams_that_nobody_takes(name: str, world: Path) -> None:
    """Standard output full, without a reader, or closed with the other streams: no more than a line is said of it."""
    expected = f"{name}: No space left on device; what was saved before is intact\n"

    def full() -> None:
        os.dup2(os.open("/dev/full", os.O_WRONLY), 1)

    def without_reader() -> None:
        reader, writer = os.pipe()
        os.dup2(writer, 1)
        os.close(reader)
        os.close(writer)

    def closed() -> None:
        import sys

        sys.stdin = sys.stdout = None  # type: ignore[assignment]

    for prepare, codes, said in ((full, (1,), expected), (without_reader, (0, 1), ""), (closed, (0, 1), "")):
        if name == "polish-multiround":
            used(name)  # the solver of linear programs has threads, which a child does not get
        else:
            shutil.rmtree("out", ignore_errors=True)
            Path("out").unlink(missing_ok=True)
        result = without_progress(call_in_a_child(name, *USES[name].words(), prepare=prepare))
        assert (result.code in codes, result.err) == (True, said), (prepare, result)


@pytest.mark.parametrize("name", NAMES)
def test_no_escape_sequences_without_a_terminal(name: str, world: Path) -> None:
    result = call(name, *USES[name].words(), typed="", TERM="xterm-256color", NO_COLOR="1", COLUMNS="40")
    assert result.code == 0, result
    assert result.out
    assert not {"\x1b", "\r"} & set(result.out + result.err)


@pytest.mark.parametrize("name", SILENT)
def test_quiet_is_silent(name: str, world: Path) -> None:
    assert used(name, "--quiet") == Result(0, "", "")


@pytest.mark.parametrize("name", WITH_JSON)
def test_json_alone_is_on_standard_output(name: str, world: Path) -> None:
    """And it is JSON that every reader takes: no NaN, no Infinity."""
    printed = json_of(name, *USES[name].words(), *["--quiet"] * (name in SILENT))
    assert isinstance(printed, dict)
