"""The files of a comparison: their names, checks before the runs, and writing."""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tictactoe.storage.json_text import json_text

from ..options.comparison_options import ComparedRound
from ..program import CommandError

if TYPE_CHECKING:
    from tictactoe.algorithms.comparing.measured_run import Run, Unit
    from tictactoe.storage.comparison_journal import ComparisonJournal

TABLE_FILE, RECORD_FILE = "comparison.csv", "comparison.json"
JOURNAL_FILE = "comparison.unfinished"
"""The finished runs of a comparison that is not finished itself."""
_OUR_FILES = re.compile(r"comparison\.(csv|json)|comparison(_[0-9]+-[0-9]+)?\.(png|svg)")

Compared = list[tuple[ComparedRound, list["Run"]]]
"""The finished runs on each round."""


@dataclass(frozen=True)
class ComparisonFiles:
    """The files of one comparison."""

    output: Path
    """Their directory."""
    units: Sequence[Unit]
    """The horizontal axes of the pictures; empty for no pictures."""

    @contextlib.contextmanager
    def prepared(self, about: Mapping[str, Any], restart: bool) -> Iterator[ComparisonJournal]:
        """The journal of runs. While the block runs, the output directory is locked.

        about: the description of the comparison. The journal has the runs of a stopped comparison with the same
        description; `restart` discards them. Raises CommandError when the directory holds another comparison and
        `restart` is false, or when a file's name is taken by something else; also StoreError and OSError.
        """
        from tictactoe.errors import FormatError, StoreError
        from tictactoe.storage.comparison_journal import ComparisonJournal
        from tictactoe.storage.lock import DirectoryLock

        lock, journal = DirectoryLock(), ComparisonJournal(self.output / JOURNAL_FILE, about)
        lock.acquire(self.output)
        try:
            self._check(restart or journal.path.is_file())
            if restart:
                journal.remove()
            try:
                journal.read()
            except (StoreError, FormatError) as error:
                raise CommandError(f"{error}; choose another output directory, or use --restart") from error
            yield journal
        finally:
            lock.release()

    def _check(self, may_replace: bool) -> None:
        for path in self._there():
            if not may_replace:
                advice = "choose another output directory, or use --restart"
                raise CommandError(f"{self.output}: holds a comparison; {advice}")
            if not path.is_file():
                raise CommandError(f"{path}: not a regular file; choose another output directory")
        try:
            with tempfile.TemporaryFile(dir=self.output):
                pass
        except OSError as error:
            error.filename = str(self.output)
            raise

    def _there(self) -> list[Path]:
        return [path for path in sorted(self.output.iterdir()) if _OUR_FILES.fullmatch(path.name)]

    def write(self, compared: Compared, record: dict[str, Any], titles: Sequence[str]) -> list[Path]:
        """Write the table, the record and the pictures, and remove other files of an earlier comparison.

        titles: of the pictures, one per round. Returns the files. Raises OSError and FormatError; on an error, nothing
        has changed on the disk.
        """
        from tictactoe.algorithms.comparing.comparison_table import as_csv
        from tictactoe.storage.atomic_files import Replacements, output_file

        written = [self.output / TABLE_FILE, self.output / RECORD_FILE]
        games = [({"rules": str(each.found.rules), "score": each.name}, runs) for each, runs in compared]
        with Replacements() as new:
            for path, text in zip(written, (as_csv(games), json_text(record, indent=2) + "\n"), strict=True):
                with new.file(output_file(path)) as file:
                    file.write(text.encode())
            for (each, runs), title in zip(compared, titles, strict=True):
                if runs and self.units:
                    from tictactoe.figures.algorithms_figure import algorithms_figure
                    from tictactoe.figures.style import save_figure

                    in_match_value = each.found.winning_score is not None
                    figure = algorithms_figure(runs, self.units, title, in_match_value=in_match_value)
                    name = f"comparison_{each.name}" if len(compared) > 1 else "comparison"
                    for path in (self.output / f"{name}.png", self.output / f"{name}.svg"):
                        save_figure(figure, path, new)
                        written.append(path)
            new.remove(self._there())
        return written
