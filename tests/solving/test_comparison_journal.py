"""The journal of a comparison: finished runs are read again to the last bit, and damaged lines are refused."""

import json
import math
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest import mock

import pytest

from tictactoe import FormatError, StoreError, parse_contender
from tictactoe.algorithms.measured_run import Measurement, Run, Trial
from tictactoe.solving.comparison_journal import ComparisonJournal

ABOUT = {"budget": [5.0, "iterations"], "rounds": {"": [0.1, 1.0, -1.0, 0.0]}}
MEASURED = (
    Measurement(1, 3, 27, 0.1, 1 / 3, 2e-17, -0.0),
    Measurement(2**40, 2**50, 2**53, 1e9, math.inf, math.nan, 5e-324),
)
RUNS = [
    Run(Trial(parse_contender("dcfr(discount_alpha=2.3)")), MEASURED),
    Run(Trial(parse_contender("bold = es-mccfr"), 4, 1), MEASURED[:1]),
]
TRIALS = [run.trial for run in RUNS]


def opened(path: Path, about: object = ABOUT) -> ComparisonJournal:
    journal = ComparisonJournal(path, about)  # type: ignore[arg-type]
    journal.read()
    return journal


@pytest.fixture(name="path")
def _path(tmp_path: Path) -> Path:
    journal = opened(tmp_path / "runs")
    for run in RUNS:
        journal.append("4-3", run)
    return journal.path


def test_runs_come_back_to_the_last_bit(path: Path) -> None:
    read = opened(path).runs("4-3", [Trial(parse_contender("cfr")), *reversed(TRIALS)])
    assert [repr(run) for run in read] == [repr(run) for run in reversed(RUNS)]
    named = [Trial(parse_contender(name)) for name in ("dcfr(discount_alpha=2.4)", "x = dcfr(discount_alpha=2.3)")]
    others = [*named, Trial(parse_contender("bold = es-mccfr"), 5, 1)]
    assert opened(path).runs("4-3", others) == opened(path).runs("", TRIALS) == []


def test_nothing_is_written_before_a_run_has_ended(tmp_path: Path) -> None:
    journal = opened(tmp_path / "runs")
    assert not journal.path.exists()
    assert journal.runs("", TRIALS) == []
    journal.append("", RUNS[0])
    for _ in range(2):
        journal.remove()
        assert not journal.path.exists()


def test_every_length_of_a_torn_file(path: Path, tmp_path: Path) -> None:
    data, torn = path.read_bytes(), tmp_path / "torn"
    ends = [place for place, byte in enumerate(data, start=1) if byte == ord("\n")]
    for size in sorted({*range(0, len(data) + 1, 7), *(end + step for end in ends for step in (-1, 0, 1))}):
        torn.write_bytes(data[:size])
        journal, num_runs = opened(torn), max(0, sum(end <= size for end in ends) - 1)
        assert len(journal.runs("4-3", TRIALS)) == num_runs
        for run in RUNS[num_runs:]:
            journal.append("4-3", run)
        assert torn.read_bytes() == data


def test_from_many_threads(tmp_path: Path) -> None:
    journal = opened(tmp_path / "runs")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: journal.append(str(number), RUNS[0]), range(40)))
    again = opened(journal.path)
    assert all(again.runs(str(number), TRIALS) for number in range(40))


def test_of_another_comparison(path: Path) -> None:
    for budget in ([5.0, "nodes"], None):
        with pytest.raises(StoreError, match=r"it belongs to a stopped comparison with other budget$"):
            opened(path, ABOUT | {"budget": budget})
    path.write_text("7\n")
    with pytest.raises(StoreError, match=r"with other budget, rounds$"):
        opened(path)


NOT_JSON = [b"{\n", b"[" * 100_000 + b"\n", b"\xff\n"]
ONE_ROW = [1, 2, 3, "4", "5", "6"]
FIELDS = [
    ({"seed": True}, "seed: expected int | null, got bool"),
    ({"more": 1}, "contains unknown field more"),
    ({"measurements": []}, "measurements: none"),
    ({"measurements": [ONE_ROW]}, "measurements"),
    ({"measurements": [[*ONE_ROW, "7x"]]}, "measurements: could not convert string to float: '7x'"),
]


def test_damaged(path: Path) -> None:
    about, entry, *others = path.read_bytes().splitlines(keepends=True)
    damaged = [(line, "not JSON") for line in NOT_JSON] + [(b"[]\n", "expected map, got list")]
    damaged += [(json.dumps(json.loads(entry) | change).encode() + b"\n", message) for change, message in FIELDS]
    for line, message in damaged:
        path.write_bytes(b"".join([about, line, *others]))
        with pytest.raises(FormatError) as raised:
            opened(path)
        assert str(raised.value).startswith(f"{path}: line 2: {message}")


def test_no_file_of_its_own(path: Path, tmp_path: Path) -> None:
    link, directory = tmp_path / "link", tmp_path / "directory"
    link.symlink_to(path)
    directory.mkdir()
    for other in (link, directory):
        with pytest.raises(FormatError, match="not a regular file"):
            opened(other)


def test_a_full_disk_leaves_the_old_file(path: Path, tmp_path: Path) -> None:
    before, journal, new = path.read_bytes(), opened(path), opened(tmp_path / "new")
    with mock.patch.object(os, "fsync", side_effect=OSError(28, "No space left on device")):
        for one in (journal, new, ComparisonJournal(path, ABOUT)):  # the last one begins anew
            with pytest.raises(OSError, match="No space left"):
                one.append("2-2", RUNS[0])
    assert path.read_bytes() == before
    assert not new.path.exists()
    journal.append("2-2", RUNS[0])
    assert repr(opened(path).runs("2-2", TRIALS)) == repr(opened(path).runs("4-3", TRIALS)[:1])
