"""The journal of a comparison, in which finished runs are saved at once.

Its first line of JSON lists what the runs depend on; every other line is a run. Readers ignore a torn last line.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from pathlib import Path
from threading import Lock
from typing import Any

import msgspec

from ..algorithms.measured_run import Measurement, Run, Trial
from ..errors import FormatError, StoreError
from ..storage.atomic_files import read_bytes, replacing, sync_file
from ..storage.texts import in_our_words, json_of, json_text

_Numbers = tuple[int, int, int, str, str, str, str]
"""The fields of a Measurement. Floats are text, written by `repr`, because JSON has no NaN and no infinity."""


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    game: str
    """The name of the game on which the algorithm ran."""
    label: str
    """The contender's name."""
    algorithm: str
    """The contender's settings as text, like Run.algorithm."""
    seed: int | None
    """The seed of a sampling algorithm; None for another algorithm."""
    perturbation: int
    """The number of the payoffs' perturbation; 0 for the unchanged game."""
    measurements: tuple[_Numbers, ...]

    @property
    def key(self) -> tuple[str, str, str, int | None, int]:
        return self.game, self.label, self.algorithm, self.seed, self.perturbation


def _entry(game: str, trial: Trial, measurements: Sequence[Measurement]) -> _Entry:
    contender, numbers = trial.contender, tuple(map(_numbers, measurements))
    return _Entry(game, contender.label, str(contender), trial.seed, trial.perturbation, numbers)


def _numbers(measurement: Measurement) -> _Numbers:
    iteration, nodes, histories, *figures = astuple(measurement)
    seconds, average, current, value = map(repr, figures)
    return iteration, nodes, histories, seconds, average, current, value


def _measurement(numbers: _Numbers) -> Measurement:
    seconds, average, current, value = map(float, numbers[3:])
    return Measurement(*numbers[:3], seconds, average, current, value)


class ComparisonJournal:
    """A journal file, which does not exist before the first run has finished.

    about: what all runs depend on besides their own settings, by name, as JSON types.
    """

    def __init__(self, path: Path, about: Mapping[str, Any]) -> None:
        self.path = path
        self._about = about
        self._found: dict[tuple[Any, ...], _Entry] = {}
        self._size = 0
        self._lock = Lock()

    def read(self) -> None:
        """Read the runs that an earlier process finished.

        Raises StoreError if they have another `about`, and FormatError for a damaged file.
        """
        if not (self.path.exists() or self.path.is_symlink()):
            return
        if self.path.is_symlink():
            raise FormatError(self.path, "not a regular file")
        *lines, _ = read_bytes(self.path).split(b"\n")  # a torn line has no end
        if not lines:
            return
        about, *entries = (self._decoded(number, line) for number, line in enumerate(lines, start=1))
        if about != self._about:
            before = about if isinstance(about, dict) else {}
            others = [name for name, value in self._about.items() if before.get(name) != value]
            raise StoreError(f"{self.path}: it belongs to a stopped comparison with other {', '.join(others)}")
        found = (self._converted(number, entry) for number, entry in enumerate(entries, start=2))
        self._found = {entry.key: entry for entry in found}
        self._size = sum(map(len, lines)) + len(lines)

    def runs(self, game: str, trials: Sequence[Trial]) -> list[Run]:
        """The finished runs of these trials on a game, as `read` found them."""
        entries = ((trial, self._found.get(_entry(game, trial, ()).key)) for trial in trials)
        return [Run(t, tuple(map(_measurement, e.measurements))) for t, e in entries if e is not None]

    def append(self, game: str, run: Run) -> None:
        """Save a run before returning. Any thread may call this. Raises OSError and undoes a partial write."""
        with self._lock:
            lines = [] if self._size else [dict(self._about)]
            lines.append(msgspec.to_builtins(_entry(game, run.trial, run.measurements)))
            data = b"".join(json_text(line).encode() + b"\n" for line in lines)
            if not self._size:  # a journal that was not read stays until this one is on the disk
                with replacing(self.path) as file:
                    file.write(data)
            else:
                self._extend(data)
            self._size += len(data)

    def _extend(self, data: bytes) -> None:
        try:
            with open(self.path, "r+b") as file:
                file.truncate(self._size)  # without a torn line
                file.seek(self._size)
                file.write(data)
                sync_file(file)
        except OSError:
            with contextlib.suppress(OSError):
                os.truncate(self.path, self._size)
            raise

    def remove(self) -> None:
        """Delete the file of a complete comparison."""
        with self._lock:
            self.path.unlink(missing_ok=True)
            self._size = 0

    def _decoded(self, number: int, line: bytes) -> Any:
        try:
            return json_of(line)
        except ValueError as error:
            raise FormatError(self.path, f"line {number}: {error}") from error

    def _converted(self, number: int, content: Any) -> _Entry:
        try:
            found = msgspec.convert(content, _Entry)
            for numbers in found.measurements:
                _measurement(numbers)
        except msgspec.ValidationError as error:
            raise FormatError(self.path, f"line {number}: {in_our_words(error)}") from error
        except ValueError as error:
            raise FormatError(self.path, f"line {number}: measurements: {error}") from error
        if not found.measurements:
            raise FormatError(self.path, f"line {number}: measurements: none")
        return found
