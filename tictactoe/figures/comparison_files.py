"""The files of a comparison of algorithms: a table, a record and pictures, written together at the end.

Until then a journal keeps the finished runs.
"""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..algorithms.comparing.comparison_table import as_csv
from ..algorithms.comparing.measured_run import Unit
from ..errors import FormatError, Remedy, StoreError
from ..solving.comparison_record import comparison_as_latex
from ..solving.comparison_run import Compared
from ..storage.comparison_journal import ComparisonJournal
from ..storage.json_text import json_text
from ..storage.lock import DirectoryLock
from .algorithms_figure import algorithms_figure
from .style import replace_together

if TYPE_CHECKING:
    from matplotlib.figure import Figure

JOURNAL_FILE = "comparison.unfinished"
"""The finished runs of a comparison that is not finished itself."""
_OUR_FILES = re.compile(r"comparison\.(csv|json|tex)|comparison(_[0-9]+-[0-9]+)?\.(png|svg|pdf)")


@dataclass(frozen=True)
class ComparisonFiles:
    """The files of one comparison."""

    output: Path
    """Their directory."""
    units: Sequence[Unit]
    """The horizontal axes of the pictures; empty for no pictures."""
    for_paper: bool = False
    """Whether to write tables in LaTeX, too, and pictures as PDF."""

    @contextlib.contextmanager
    def prepared(self, about: Mapping[str, Any], restart: bool) -> Iterator[ComparisonJournal]:
        """The journal of runs. While the block runs, the output directory is locked.

        about: the description of the comparison. The journal has the runs of a stopped comparison with the same
        description; with `restart` a new one replaces it as soon as a run has ended. Raises StoreError when the
        directory holds another comparison and `restart` is false, or when a file's name is taken by something else;
        also OSError.
        """
        lock, journal = DirectoryLock(), ComparisonJournal(self.output / JOURNAL_FILE, about)
        lock.acquire(self.output)
        try:
            self._check(restart or journal.path.is_file())
            try:
                if not restart:
                    journal.read()
            except (StoreError, FormatError) as error:
                raise StoreError(str(error), Remedy.REPLACE) from error
            yield journal
        finally:
            lock.release()

    def _check(self, may_replace: bool) -> None:
        for path in self._there():
            if not may_replace:
                raise StoreError(f"{self.output}: holds a comparison", Remedy.REPLACE)
            if not path.is_file():
                raise StoreError(f"{path}: not a regular file; choose another output directory")
        try:
            with tempfile.TemporaryFile(dir=self.output):
                pass
        except OSError as error:
            error.filename = str(self.output)
            raise

    def _there(self) -> list[Path]:
        return [path for path in sorted(self.output.iterdir()) if _OUR_FILES.fullmatch(path.name)]

    def write(self, compared: Compared, record: dict[str, Any]) -> list[Path]:
        """Write the table, the record and the pictures, and remove other files of an earlier comparison.

        Returns the files. Raises OSError and FormatError; on an error, nothing
        has changed on the disk.
        """
        games = [(each.columns, runs) for each, runs in compared]
        texts = {"comparison.csv": as_csv(games), "comparison.json": json_text(record, indent=2) + "\n"}
        if self.for_paper:
            texts["comparison.tex"] = comparison_as_latex(record)
        by_path = {self.output / name: text for name, text in texts.items()}
        return replace_together(by_path, self._pictures(compared), self._there())

    def _pictures(self, compared: Compared) -> Iterator[tuple[Path, Figure]]:
        for each, runs in compared:
            if runs and self.units:
                figure = algorithms_figure(runs, self.units, each.title, in_match_value=each.in_match_value)
                name = f"comparison_{each.name}" if len(compared) > 1 else "comparison"
                for suffix in ("png", "svg", *(["pdf"] if self.for_paper else [])):
                    yield self.output / f"{name}.{suffix}", figure
