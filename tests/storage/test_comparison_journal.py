"""Runs of a comparison that are written down as they end: what is read again, and what is refused."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tictactoe.algorithms.comparing.contenders import parse_contender
from tictactoe.algorithms.comparing.measured_run import Measurement, Run, Trial
from tictactoe.errors import FormatError, StoreError
from tictactoe.storage.comparison_journal import ComparisonJournal

ABOUT = {"budget": [5.0, "iterations"], "rounds": {"": [0.1, 1.0, -1.0, 0.0]}}
MEASURED = (
    Measurement(1, 3, 27, 0.1, 1 / 3, 2e-17, -0.0),
    Measurement(2**40, 2**50, 2**53, 1e9, math.inf, math.nan, 5e-324),
)
RUNS = [
    Run(Trial(parse_contender("dcfr(alpha=2.3)")), MEASURED),
    Run(Trial(parse_contender("bold = es-mccfr"), 4, 1), MEASURED[:1]),
]
TRIALS = [run.trial for run in RUNS]


def opened(path: Path, about: object = ABOUT) -> ComparisonJournal:
    journal = ComparisonJournal(path, about)  # type: ignore[arg-type]
    journal.read()
    return journal


@pytest.fixture(name="path")
def _path(tmp_path: Path) -> Path:
    path = tmp_path / "runs"
    journal = opened(path)
    for run in RUNS:
        journal.append("4-3", run)
    return path


def test_runs_come_back_to_the_last_bit(path: Path) -> None:
    found = opened(path).runs("4-3", [Trial(parse_contender("cfr")), *reversed(TRIALS)])
    assert [repr(run) for run in found] == [repr(run) for run in reversed(RUNS)]
    others = [
        Trial(parse_contender("dcfr(alpha=2.4)")),
        Trial(parse_contender("x = dcfr(alpha=2.3)")),
        Trial(parse_contender("bold = es-mccfr"), 5, 1),
    ]
    assert opened(path).runs("4-3", others) == opened(path).runs("", TRIALS) == []


def test_nothing_is_written_before_a_run_has_ended(tmp_path: Path) -> None:
    journal = opened(tmp_path / "runs")
    assert not journal.path.exists()
    assert journal.runs("", TRIALS) == []
    journal.append("", RUNS[0])
    journal.remove()
    assert not journal.path.exists()
    journal.remove()


def test_every_length_of_a_torn_file(path: Path, tmp_path: Path) -> None:
    """What is whole counts, and it can be gone on with."""
    data, torn = path.read_bytes(), tmp_path / "torn"
    ends = [place for place, byte in enumerate(data, start=1) if byte == ord("\n")]
    for size in range(len(data) + 1):
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


@pytest.mark.parametrize("about", [{**ABOUT, "budget": [5.0, "nodes"]}, {**ABOUT, "budget": None}])
def test_of_another_comparison(path: Path, about: object) -> None:
    with pytest.raises(StoreError, match=r"of a comparison that was stopped, with other budget$"):
        opened(path, about)
    path.write_text("7\n")
    with pytest.raises(StoreError, match=r"with other budget, rounds$"):
        opened(path)


def changed(entry: dict[str, object], **fields: object) -> bytes:
    return json.dumps(entry | fields).encode() + b"\n"


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda entry: b"{\n", "line 2: not JSON"),
        (lambda entry: b"[" * 100_000 + b"\n", "line 2: not JSON"),
        (lambda entry: b"\xff\n", "line 2: not JSON"),
        (lambda entry: b"[]\n", "line 2: expected map, got list"),
        (lambda entry: changed(entry, seed=True), "line 2: seed: expected int | null, got bool"),
        (lambda entry: changed(entry, more=1), "line 2: contains unknown field more"),
        (lambda entry: changed(entry, measurements=[]), "line 2: measurements: none"),
        (lambda entry: changed(entry, measurements=[[1, 2, 3, "4", "5", "6"]]), "line 2: measurements"),
        (
            lambda entry: changed(entry, measurements=[[1, 2, 3, "4", "5", "6", "7x"]]),
            "line 2: measurements: could not convert string to float: '7x'",
        ),
    ],
)
def test_damaged(path: Path, damage: Callable[[dict[str, object]], bytes], message: str) -> None:
    about, entry, *others = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([about, damage(json.loads(entry)), *others]))
    with pytest.raises(FormatError) as raised:
        opened(path)
    assert str(raised.value).startswith(f"{path}: {message}")


def test_no_file_of_its_own(path: Path, tmp_path: Path) -> None:
    link, directory = tmp_path / "link", tmp_path / "directory"
    link.symlink_to(path)
    directory.mkdir()
    for other in (link, directory):
        with pytest.raises(FormatError, match="not a regular file"):
            opened(other)


def test_a_full_disk_leaves_what_was_there(path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before, journal, new = path.read_bytes(), opened(path), opened(tmp_path / "new")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        for each in (journal, new):
            with pytest.raises(OSError, match="No space left"):
                each.append("2-2", RUNS[0])
    assert path.read_bytes() == before
    assert not new.path.exists()
    journal.append("2-2", RUNS[0])
    assert repr(opened(path).runs("2-2", TRIALS)) == repr(opened(path).runs("4-3", TRIALS)[:1])
