"""What it takes to solve a match into a directory, before anything is done: scores, memory and disk."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..games.rules import Rules
from ..games.tic_tac_toe_tree import GameTree
from ..match.options import MatchOptions
from ..match.scores import all_scores, pairs_in_solve_order
from ..storage.directory_layout import SOLUTION_FILE
from ..storage.option_differences import option_differences, rules_differences
from ..storage.solution import load_solution

NODES_MEASURED = 37_538
"""Nodes of the tree of three-in-a-row, of which the sizes below are: under other rules they grow with the tree."""
BYTES_IN_FULL = 1_050_000
"""Measured, of a snapshot after deflating: 0.9 to 1.07 MB; 2.7 MB before."""
BYTES_IN_BRIEF = 520_000
"""Measured, of one in single precision: 0.49 to 0.55 MB."""
BYTES_WITHOUT_REGRETS = 620_000
"""Measured: 0.5 to 0.68 MB."""
SMOOTH_SHARE = 1.28
"""Measured: a last state after averaging twice is larger by this factor, for hardly two of its sums are equal."""
EARLY_SHARES = {0: 0.03, 1: 0.28}
"""Measured: the part of these sizes that the first iterations come to, as long as most numbers are equal."""
BYTES_OF_PROGRAM = 172_000_000
"""Measured: interpreter, libraries and compiled code, in a run that compiles it first; 15 MB less in later ones."""
BYTES_OF_TREE = 23_000_000
"""What a run with a larger tree was measured to take more besides its pairs: the tree, what it takes to build it."""
BYTES_PER_PAIR = 25_000_000
"""Measured: the arrays of a pair of scores, scratch space and a copy while it is saved."""
BYTES_PER_SCORE = 12_000
"""Measured: what is known of a finished score, and what it takes to write it down."""
USUAL_SCHEDULE = (0, 1, 10, 100)
"""What the default schedule comes to before most scores are solved; slow algorithms get further."""


@dataclass(frozen=True)
class MatchPlan:
    """What solve_match would do.

    subgames_solved: those that the directory holds already. conflicts: in words, why what the directory holds cannot be
    gone on with. pairs: of scores that are solved together, `jobs` at a time. snapshots: how many are kept of every
    score beside its last state; kept: in words, what is kept. options: MatchOptions.as_dict().
    """

    subgames: int
    subgames_solved: int
    conflicts: list[str]
    pairs: int
    jobs: int
    memory_bytes: int
    disk_bytes: int
    snapshots: int
    kept: str
    rules: str
    options: dict[str, Any]


def plan_match(directory: Path, rules: Rules, options: MatchOptions, jobs: int) -> MatchPlan:
    """What solve_match would do in `directory`, which is not touched. Raises FormatError for a damaged record in it."""
    earlier = load_solution(directory) if (directory / SOLUTION_FILE).exists() else None
    conflicts = [] if earlier is None else option_differences(earlier.options, options.as_dict())
    conflicts += [] if earlier is None else rules_differences(earlier.rules, rules)
    num_solved = 0 if earlier is None or conflicts else len(earlier.results) - len(earlier.unconverged_scores)
    num_scores = len(all_scores(options.winning_score))
    jobs_at_once = min(jobs, options.winning_score)
    if options.snapshot_at is not None:
        saved, size, last, kept = options.snapshot_at, BYTES_IN_FULL, BYTES_IN_FULL, "the last state of every score"
    elif options.has_schedule:
        saved, size, last, kept = USUAL_SCHEDULE, BYTES_IN_BRIEF, BYTES_IN_FULL, "the last state of every score"
    else:
        saved, size, last, kept = (), 0, BYTES_WITHOUT_REGRETS, "the last state of every score, without regrets"
    last = round(last * SMOOTH_SHARE) if options.rule.averages_twice else last
    scale = GameTree.build(rules).num_nodes / NODES_MEASURED
    bytes_of_score = last + sum(size * EARLY_SHARES.get(iteration, 1.0) for iteration in saved)
    in_progress, of_tree = jobs_at_once * 2 * BYTES_IN_FULL, BYTES_OF_TREE + jobs_at_once * BYTES_PER_PAIR
    return MatchPlan(
        subgames=num_scores,
        subgames_solved=num_solved,
        conflicts=conflicts,
        pairs=len(pairs_in_solve_order(options.winning_score)),
        jobs=jobs,
        memory_bytes=BYTES_OF_PROGRAM + round(of_tree * scale) + num_scores * BYTES_PER_SCORE,
        disk_bytes=round((num_scores * bytes_of_score + in_progress) * scale),
        snapshots=len(saved),
        kept=f"{len(saved)} snapshot{'s' * (len(saved) > 1)} of a score and its last state" if saved else kept,
        rules=str(rules),
        options=options.as_dict(),
    )
