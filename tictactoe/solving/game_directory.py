"""The directory of a run that solves a described game: locked, and cleared for a restart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..algorithms.built_game import BuiltGame
from ..errors import OtherOptionsError, Remedy, StoreError
from ..run_control import Existing, RunControl
from ..storage.atomic_files import remove_temporary_files
from ..storage.directory_layout import check_no_leftovers, list_snapshots, remove_snapshots, snapshot_name
from ..storage.game_snapshot import STRATEGY_FILE, GameSnapshot, check_only_games
from ..storage.lock import DirectoryLock
from ..storage.option_differences import option_differences

CHECKPOINT_FILE = "checkpoint.msgpack"


class GameDirectory:
    """Locks the directory of a run while the block runs. For a restart, removes what an earlier run left there."""

    def __init__(self, directory: Path, control: RunControl[Any]) -> None:
        self.directory, self._control, self._lock = directory, control, DirectoryLock()

    def __enter__(self) -> GameDirectory:
        directory, restarts = self.directory, self._control.restarts
        started = directory.is_dir() and (list_snapshots(directory) or (directory / CHECKPOINT_FILE).exists())
        if self._control.existing is Existing.RESUME and not started:
            raise StoreError(f"{directory}: no earlier run to resume", Remedy.BEGIN)
        if directory.is_dir() and not started:
            check_no_leftovers(directory, lambda path: path.name == STRATEGY_FILE, restarts, "a game that was solved")
        self._lock.acquire(directory)
        try:
            check_only_games(directory)
            if restarts:
                for name in (CHECKPOINT_FILE, STRATEGY_FILE):
                    (directory / name).unlink(missing_ok=True)
                remove_snapshots(directory)
                directory.mkdir(exist_ok=True)
                self._lock.release()
                self._lock.acquire(directory)  # locks the new directory if remove_snapshots has removed the old one
            remove_temporary_files(directory)
        except BaseException:
            self._lock.release()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.release()

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
