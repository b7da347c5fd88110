"""What it takes to solve a match into a directory, before anything is done: scores, memory, disk and time."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ..algorithms.exact.linear_program import require_solver
from ..errors import MissingSolverError, StoreError
from ..games.rules import Rules
from ..games.tic_tac_toe_tree import GameTree
from ..match.options import MatchOptions
from ..match.scores import Pair, Score, all_scores
from ..storage.directory_layout import SOLUTION_FILE, UNPOLISHED
from ..storage.solution import load_solution
from ..storage.solution_writer import check_output, differences_between
from . import run_length
from .match_run import dependencies
from .polish import check_polish_output

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


BYTES_TO_POLISH = 75_000_000
"""Measured: what polishing takes more, once for the process and once for every pair in progress."""
BYTES_POLISHED = 90_000
"""Measured: of a score made exact, 30 to 150 kB."""
BYTES_OF_WORKER = 300_000_000
"""Measured: the most that a worker process took that solves, 345 MB where it polishes, too."""
BYTES_OF_CLUSTER = 20_000_000
"""Measured: what it takes more to speak with a cluster; compiled code is with the workers."""


@dataclass(frozen=True, kw_only=True)
class MatchPlan:
    """What solve_match would do, and polish_solution after it.

    subgames_solved: those that the directory holds already. conflicts: in words, why it would be refused. pairs: of
    scores that are solved together, `jobs` at a time: each is a task. snapshots: how many are kept of every score
    beside its last state; kept: in words, what is kept. memory_bytes: of this process, worker_memory_bytes: of every
    process of a cluster, None without one. measured_pair: the pair that was measured, None where nothing is left to do;
    pair_seconds: of one processor's time, that it takes, infinite if that could not be told; core_seconds: that all
    that are left take if they are like it; seconds: how long that is, least_seconds: with as many workers as are of
    use, which are most_useful_jobs; chain: so many pairs wait for each other. options: MatchOptions.as_dict().
    """

    subgames: int
    subgames_solved: int
    conflicts: list[str]
    pairs: int
    jobs: int
    memory_bytes: int
    worker_memory_bytes: int | None
    disk_bytes: int
    measured_pair: Pair | None
    pair_seconds: float
    core_seconds: float
    seconds: float
    least_seconds: float
    most_useful_jobs: int
    chain: int
    snapshots: int
    kept: str
    rules: str
    options: dict[str, Any]


def plan_match(
    directory: Path,
    rules: Rules,
    options: MatchOptions,
    jobs: int,
    *,
    on_cluster: bool = False,
    polish: bool = False,
    max_iterations: int | None = None,
    restart: bool = False,
    resume: bool = False,
) -> MatchPlan:
    """What solve_match would do in `directory`, which is not touched; it takes some seconds, to measure a pair.

    jobs: pairs at a time, on_cluster: in processes of a cluster. polish: what is solved, within the directory, is made
    exact then. The others are those of solve_match. Raises FormatError for a damaged record.
    """
    learnt = directory / UNPOLISHED if polish else directory
    conflicts = _refusals(directory, restart, resume, polish) or _differences(learnt, rules, options, restart)
    solved = set() if conflicts or restart else _solved(directory if polish else learnt)
    graph, num_scores = dependencies(options.winning_score), len(all_scores(options.winning_score))
    left = {pair: before for pair, before in graph.items() if not solved.issuperset(pair)}
    length = _length(rules, options, left, jobs, on_cluster, polish, max_iterations)
    size = _DiskUse.of(options)
    scale = GameTree.build(rules).num_nodes / NODES_MEASURED
    at_once = min(jobs, options.winning_score)
    in_progress, of_tree = at_once * 2 * BYTES_IN_FULL, BYTES_OF_TREE + at_once * BYTES_PER_PAIR
    if polish:
        of_tree += (1 + at_once) * BYTES_TO_POLISH
    of_scores = num_scores * (size.bytes_of_score + BYTES_POLISHED * polish)
    memory = BYTES_OF_PROGRAM + round((BYTES_OF_CLUSTER if on_cluster else of_tree) * scale)
    return MatchPlan(
        subgames=num_scores,
        subgames_solved=len(solved),
        conflicts=conflicts,
        pairs=len(graph),
        jobs=jobs,
        memory_bytes=memory + num_scores * BYTES_PER_SCORE,
        worker_memory_bytes=round((BYTES_OF_WORKER + polish * BYTES_TO_POLISH / 2) * scale) if on_cluster else None,
        disk_bytes=round((of_scores + in_progress) * scale),
        **length,
        snapshots=size.snapshots,
        kept=size.kept + (", and the exact one" if polish else ""),
        rules=str(rules),
        options=options.as_dict(),
    )


def _refusals(directory: Path, restart: bool, resume: bool, polish: bool) -> list[str]:
    """Why nothing could be written there, whatever the options; empty if something could."""
    learnt = directory / UNPOLISHED if polish else directory
    try:
        if polish:
            require_solver()
            check_polish_output(directory, learnt, restart)
        check_output(learnt, restart=restart, continues=True)
    except (StoreError, MissingSolverError) as error:
        return [str(error)]
    if resume and not (learnt / SOLUTION_FILE).exists():
        return [f"{learnt}: no earlier run to resume; leave --resume out to start one"]
    return []


def _differences(directory: Path, rules: Rules, options: MatchOptions, restart: bool) -> list[str]:
    """Of an earlier run's options, rules and tree from these."""
    if restart or not (directory / SOLUTION_FILE).exists():
        return []
    earlier = load_solution(directory)
    return differences_between(earlier, options.as_dict(), GameTree.build(rules))


def _solved(directory: Path) -> set[Score]:
    """The scores that need no more work."""
    if not (directory / SOLUTION_FILE).exists():
        return set()
    earlier = load_solution(directory)
    return earlier.results.keys() - set(earlier.unconverged_scores)


def _length(
    rules: Rules,
    options: MatchOptions,
    left: Mapping[Pair, Collection[Pair]],
    jobs: int,
    on_cluster: bool,
    polish: bool,
    limit: int | None,
) -> dict[str, Any]:
    """The fields of MatchPlan about time."""
    names = ("pair_seconds", "core_seconds", "seconds", "least_seconds")
    if not left:
        return {"measured_pair": None, **dict.fromkeys(names, 0.0), "most_useful_jobs": 1, "chain": 0}
    measured = run_length.measure_pair(GameTree.build(rules), options, limit, polish=polish)
    graph = {pair: [other for other in before if other in left] for pair, before in left.items()}
    # In threads twins are solved at the same time, by a worker one after the other.
    share = measured.seconds_per_score
    lengths = {
        pair: (share if math.isfinite(share) else 1.0) * (len(pair) if on_cluster or jobs == 1 else 1) for pair in graph
    }
    core_seconds = share * sum(map(len, graph))
    useful, least = run_length.most_useful_workers(graph, lengths)
    if on_cluster:
        seconds = run_length.makespan(graph, lengths, jobs)
    else:
        seconds, useful = max(least, core_seconds / jobs), useful if jobs == 1 else 2 * useful
    chain = round(run_length.makespan(graph, dict.fromkeys(graph, 1.0), len(graph)))
    if not math.isfinite(share):
        seconds = least = math.inf
    found = (measured.seconds, core_seconds, seconds, least)
    return {
        "measured_pair": measured.pair,
        **dict(zip(names, found, strict=True)),
        "most_useful_jobs": useful,
        "chain": chain,
    }


class _DiskUse(NamedTuple):
    """What is kept of a score: its bytes, by the tree of three in a row; how many snapshots; and in words."""

    bytes_of_score: int
    snapshots: int
    kept: str

    @classmethod
    def of(cls, options: MatchOptions) -> _DiskUse:
        if options.snapshot_at is not None:
            saved, size, last, kept = options.snapshot_at, BYTES_IN_FULL, BYTES_IN_FULL, "the last state of every score"
        elif options.has_schedule:
            saved, size, last, kept = USUAL_SCHEDULE, BYTES_IN_BRIEF, BYTES_IN_FULL, "the last state of every score"
        else:
            saved, size, last, kept = (), 0, BYTES_WITHOUT_REGRETS, "the last state of every score, without regrets"
        last = round(last * SMOOTH_SHARE) if options.rule.averages_twice else last
        in_all = last + sum(round(size * EARLY_SHARES.get(iteration, 1.0)) for iteration in saved)
        if saved:
            kept = f"{len(saved)} snapshot{'s' * (len(saved) > 1)} of a score and its last state"
        return cls(in_all, len(saved), kept)
