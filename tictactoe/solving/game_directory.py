"""The directory of a run that solves a described game."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..algorithms.built_game import BuiltGame
from ..errors import OtherOptionsError, Remedy, StoreError
from ..run_control import RunControl
from ..storage.directory_layout import CHECKPOINT_FILE, check_no_leftovers, list_snapshots, snapshot_name
from ..storage.game_snapshot import STRATEGY_FILE, GameSnapshot, check_only_games
from ..storage.option_differences import option_differences
from .run_place import run_place


@contextlib.contextmanager
def game_directory(directory: Path, control: RunControl[Any]) -> Iterator[GameDirectory]:
    """The place of a run, as `run_place` says."""
    check_only_games(directory)
    what = "a game that was solved"
    with run_place(directory, control.existing, what, lambda path: path.name == STRATEGY_FILE) as place:
        yield GameDirectory(place)


class GameDirectory:
    """Where a run of a described game writes."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def load(self, name: str, game: BuiltGame, options: dict[str, Any]) -> GameSnapshot | None:
        """The snapshot of that name; None without one. Raises OtherOptionsError for one with other options."""
        path = self.directory / name
        newest = max(list_snapshots(self.directory), default=None)
        if not path.exists() and newest is not None:
            path = self.directory / snapshot_name(newest)
        if not path.exists() and (self.directory / CHECKPOINT_FILE).exists():
            path = self.directory / CHECKPOINT_FILE
        if not path.exists():
            return None
        return self.checked(path, game, options)

    def checked(self, path: Path, game: BuiltGame, options: dict[str, Any]) -> GameSnapshot:
        """The snapshot of a file. Raises OtherOptionsError for one with other options."""
        snapshot = GameSnapshot.load(path, game)
        if differences := option_differences(snapshot.options, options):
            raise OtherOptionsError(self.directory, differences)
        return snapshot


def check_replaceable(directory: Path, restart: bool) -> None:
    """Raises StoreError where a strategy of one player may not be written."""
    check_only_games(directory)
    if list_snapshots(directory) or (directory / CHECKPOINT_FILE).exists():
        raise StoreError(f"{directory}: holds another game; choose another output directory")
    check_no_leftovers(directory, lambda path: path.name == STRATEGY_FILE, True, "a game that was solved")
    if (directory / STRATEGY_FILE).exists() and not restart:
        raise StoreError(f"{directory}: holds a strategy", Remedy.REPLACE)
