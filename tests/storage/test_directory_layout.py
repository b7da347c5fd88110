"""The names in a solution directory."""

from pathlib import Path

import pytest

from tictactoe import Score
from tictactoe.storage import directory_layout


def test_names(tmp_path: Path) -> None:
    for iteration in (0, 500, 999_999, 1_000_000, 12_345_678, 10**12 - 1):
        assert directory_layout.parse_snapshot_name(directory_layout.snapshot_name(iteration)) == iteration
    assert directory_layout.snapshot_name(500) == "snapshot_000500.msgpack"
    assert directory_layout.subgame_name(Score(4, 3)) == "subgame_4_3"
    assert directory_layout.parse_subgame_name("subgame_10_0") == Score(10, 0)
    for number in ("500", "0000500", "-00500", "+00500", "00050\u0660", "000500.msgpack", "00_500", "", "1" + 12 * "0"):
        assert directory_layout.parse_snapshot_name(f"snapshot_{number}.msgpack") is None
    assert directory_layout.parse_snapshot_name("snapshot_000500.msgpack\n") is None
    for name in ("subgame_4", "subgame_04_3", "subgame_4_3_", "subgame_4_-3", "subgame_4_3\n", "Subgame_4_3"):
        assert directory_layout.parse_subgame_name(name) is None
    for iteration in (-1, 10**12):
        with pytest.raises(ValueError, match=rf"^iteration: {iteration} is not in 0 to 999999999999$"):
            directory_layout.snapshot_name(iteration)
    with pytest.raises(ValueError, match=r"^score: 0--1 is negative$"):
        directory_layout.subgame_name(Score(0, -1))
    assert directory_layout.list_snapshots(tmp_path / "missing") == []
    for number in ("1000000", "000500", "000000", "1"):
        (tmp_path / f"snapshot_{number}.msgpack").touch()
    assert directory_layout.list_snapshots(tmp_path) == [0, 500, 1_000_000]


def test_what_is_about_a_snapshot_goes_with_it(tmp_path: Path) -> None:
    directory = tmp_path / "round"
    directory.mkdir()
    kept = ["best_response_5.msgpack", "best_response_000005.msgpack.old", "snapshot_1.msgpack"]
    for iteration in (0, 500, 10**6):
        (directory / directory_layout.snapshot_name(iteration)).touch()
        (directory / directory_layout.response_name(iteration)).touch()
    for name in (*kept, directory_layout.response_name(20)):
        (directory / name).touch()
    directory_layout.remove_snapshot(directory, 500)
    directory_layout.remove_snapshot(directory, 7)
    left = {path.name for path in directory.iterdir()}
    assert {"snapshot_000500.msgpack", "best_response_000500.msgpack"}.isdisjoint(left)
    assert len(left) == len(kept) + 5
    directory_layout.remove_snapshots(directory)
    assert sorted(path.name for path in directory.iterdir()) == sorted(kept)
