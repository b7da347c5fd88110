"""The fuzzer for a moment, always on the same cases, and mistakes that it must see."""

import sys
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest
from fuzzing.cases import plain
from fuzzing.judge import Judge
from fuzzing.search import first_found
from fuzzing.uses import USES
from support.slowness import slow
from support.storage_files import linux

pytest.importorskip("resource")

pytestmark = linux


def test_every_use_has_the_files_that_it_reads(original: Path) -> None:
    for use in USES:
        for pattern in use.reads:
            assert list(original.glob(pattern)), use


@pytest.mark.parametrize("count", [3, *slow(200)])
def test_findings_none(count: int, original: Path) -> None:
    """Odd options, and files with right checksums that are wrong in every way; the same cases every time."""
    found = first_found(original, Judge(original, seconds=60), seed=1, count=count)
    assert found is None, found


@pytest.mark.parametrize(
    ("does", "what"),
    [
        (lambda: 1 // 0, "traceback, ZeroDivisionError"),
        (lambda: sys.exit(3), "exit code 3"),
        (lambda: print("{'a': 1}"), "no JSON, Expecting"),
        (lambda: print('"\x1b[31m"'), "'\\x1b' on standard output"),
        (lambda: Path("match/solution.msgpack").unlink(), "removes what it was not told to"),
        (lambda: Path(".smbc-tictactoe-1-00.tmp").touch(), "leaves a temporary file"),
        (lambda: Path("dropped").touch(), "writes what it was not told to"),
    ],
)
def test_what_is_wrong_is_seen(does: Callable[[], object], what: str, original: Path) -> None:
    (use,) = (use for use in USES if use.line.startswith("rules-atlas --values"))
    with mock.patch("tictactoe.tools.commands.rules_atlas.command", does):
        found = [finding.what for finding in Judge(original, seconds=1).findings(plain(use))]
    assert any(one.startswith(f"rules-atlas: {what}") for one in found), found
