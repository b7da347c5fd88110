"""The fuzzer for a moment, always on the same cases, and mistakes that it must see."""

import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest
from fuzzing.cases import Case, plain
from fuzzing.edits import apply
from fuzzing.files import format_of
from fuzzing.judge import Judge
from fuzzing.search import first_found
from fuzzing.uses import USES
from support.slowness import slow
from support.storage_files import linux
from tictactoe.tools.command_list import COMMAND_NAMES

pytestmark = linux


def test_every_command_is_used() -> None:
    assert {use.words[0] for use in USES} == {*COMMAND_NAMES, "tictactoe"}


def test_every_use_has_the_files_that_it_reads(original: Path) -> None:
    for use in USES:
        for pattern in use.reads:
            assert list(original.glob(pattern)), use


@pytest.mark.parametrize("count", [3, *slow(200)])
def test_findings_none(count: int, original: Path) -> None:
    """Odd options, and files with right checksums that are wrong in every way; the same cases every time."""
    found = first_found(original, Judge(original, seconds=60), seed=1, count=count)
    assert found is None, found


def _warns() -> None:
    warnings.warn("of numbers", RuntimeWarning, stacklevel=1)


def _says_two_lines() -> None:
    print("wrong", "more", sep="\n", file=sys.stderr)
    sys.exit(1)


def _prints_infinity() -> None:
    print('{"value": Infinity}')


def _writes_over_its_input() -> None:
    Path("match/solution.msgpack").unlink()


def _takes_memory() -> None:
    try:
        bytearray(2**30 + 2**29)
    except MemoryError:
        print("internal error: MemoryError", file=sys.stderr)


def _computes_for_ever() -> None:
    while True:
        pass


@pytest.mark.parametrize(
    ("does", "what"),
    [
        (lambda: 1 // 0, "traceback, ZeroDivisionError"),
        (_warns, "warning, "),
        (_says_two_lines, "more than one line on standard error"),
        (lambda: sys.exit(3), "exit code 3"),
        (lambda: print("{'a': 1}"), "no JSON, Expecting"),
        (_prints_infinity, "no JSON, Infinity"),
        (lambda: print('"\x1b[31m"'), "'\\x1b' on standard output"),
        (_writes_over_its_input, "removes what it was not told to"),
        (lambda: Path(".smbc-tictactoe-1-00.tmp").touch(), "leaves a temporary file"),
        (lambda: Path("dropped").touch(), "writes what it was not told to"),
        (_takes_memory, "internal error, internal error: MemoryError"),
        *slow((_computes_for_ever, "takes more than 1 s")),
    ],
)
def test_what_is_wrong_is_seen(does: Callable[[], object], what: str, original: Path) -> None:
    (use,) = (use for use in USES if use.words[0] == "match-values")
    with mock.patch("tictactoe.tools.commands.match_values.command", does):
        found = [finding.what for finding in Judge(original, seconds=1).findings(plain(use))]
    assert any(one.startswith(f"match-values: {what}") for one in found), found


def test_a_case_is_repeated_from_its_line(original: Path, tmp_path: Path) -> None:
    use = next(use for use in USES if use.words[0] == "explore")
    edit = ["match/solution.msgpack", "set", ["content", "winning_score"], float("inf")]
    case = Case(use, use.words, (edit,), "5\n")
    again = Case.parse(str(case))
    assert (again.words, again.typed, again.edits) == (case.words, case.typed, case.edits)
    target = tmp_path / "solution.msgpack"
    target.write_bytes((original / edit[0]).read_bytes())
    apply(target, edit[1:], original)
    kind = format_of(target)
    assert kind is not None
    assert kind.read(target.read_bytes())["content"]["winning_score"] == float("inf")
