"""What it takes to solve a match into a directory, before anything is done: scores, memory and disk."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..match.options import MatchOptions
from ..match.scores import all_scores, pairs_in_solve_order
from ..storage.directory_layout import SOLUTION_FILE, option_differences
from ..storage.solution import load_solution

BYTES_PER_SNAPSHOT = 800_000
"""Measured: 0.5 to 1.0 MB after deflating; 2.7 MB before."""
BYTES_OF_PROGRAM = 180_000_000
"""Measured: interpreter, libraries and compiled code."""
BYTES_PER_PAIR = 25_000_000
"""Measured: the arrays of a pair of scores, scratch space and a copy while it is saved."""
USUAL_SNAPSHOTS = 6
"""How many snapshots the default schedule, 0, 1, 10, 100, ..., comes to."""


@dataclass(frozen=True)
class MatchPlan:
    """What solve_match would do.

    subgames_solved: those that the directory holds already. conflicts: in words, what is another configuration in the
    directory. pairs: of scores that are solved together, `jobs` at a time. options: MatchOptions.as_dict().
    """

    subgames: int
    subgames_solved: int
    conflicts: list[str]
    pairs: int
    jobs: int
    memory_bytes: int
    disk_bytes: int
    options: dict[str, Any]

    @property
    def snapshots(self) -> int:
        """How many are kept of every score beside its last state."""
        at = self.options["snapshot_at"]
        return USUAL_SNAPSHOTS if at is None else len(at)


def plan_match(directory: Path, options: MatchOptions, jobs: int) -> MatchPlan:
    """What solve_match would do in `directory`, which is not touched. Raises FormatError for a damaged record in it."""
    earlier = load_solution(directory) if (directory / SOLUTION_FILE).exists() else None
    conflicts = [] if earlier is None else option_differences(earlier.options, options.as_dict())
    num_solved = 0 if earlier is None or conflicts else len(earlier.results) - len(earlier.unconverged_scores)
    num_scores = len(all_scores(options.winning_score))
    num_snapshots = USUAL_SNAPSHOTS if options.snapshot_at is None else len(options.snapshot_at)
    return MatchPlan(
        subgames=num_scores,
        subgames_solved=num_solved,
        conflicts=conflicts,
        pairs=len(pairs_in_solve_order(options.winning_score)),
        jobs=jobs,
        memory_bytes=BYTES_OF_PROGRAM + min(jobs, options.winning_score) * BYTES_PER_PAIR,
        disk_bytes=num_scores * (num_snapshots + 1) * BYTES_PER_SNAPSHOT,
        options=options.as_dict(),
    )
