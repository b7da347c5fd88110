"""The work of making one pair of scores exact, apart from where it is done and from the directory that it goes into."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ..algorithms.arrays import FloatArray
from ..algorithms.strategy import rounded_strategy
from ..games.tic_tac_toe_tree import GameTree
from ..match.pair_exact import PairEquilibrium, PairPolisher
from ..match.scores import Pair, Score
from ..storage.snapshot import Snapshot
from .pair_work import SnapshotFile
from .schedule import SerialExecutor, Work, run_graph

BITS = 52
"""Probabilities are rounded to multiples of 2^-52 that sum to exactly 1: an exact reader finds nothing to normalise."""

COMPRESSION = 6
"""Of the snapshots, by zlib: 9 takes three times as long, for files that are hardly smaller."""


@dataclass(frozen=True, eq=False)
class PolishTask:
    """What there is to know of a pair before it is made exact.

    following: the values of the scores that it leads to, exact already. values: its own, roughly. files: of every score
    of the pair the snapshot to start from, its path for errors and what it holds. options: of the solution to be made.
    """

    pair: Pair
    following: Mapping[Score, float]
    values: Mapping[Score, float]
    winning_score: int
    files: tuple[tuple[Path, bytes], ...]
    options: Mapping[str, Any]


class PolishedPair(NamedTuple):
    """equilibrium: without its strategies, which are in the files."""

    equilibrium: PairEquilibrium
    files: tuple[SnapshotFile, ...]


def polish_work(tree: GameTree, task: PolishTask) -> Work[PolishedPair]:
    """Makes the pair exact. Raises FormatError for a damaged file, and ProgramError when there is no getting to it."""
    sources = zip(task.pair, task.files, strict=True)
    loaded = yield [partial(Snapshot.of_score, *file, tree, score, task.winning_score) for score, file in sources]
    snapshots: dict[Score, Snapshot] = dict(zip(task.pair, loaded, strict=True))
    references = {score: snapshot.average_strategy(tree) for score, snapshot in snapshots.items()}
    finish = partial(_exact_in_binary, tree)
    solved = PairPolisher(tree, task.pair, task.following, references, task.values, task.winning_score, finish)
    found = yield from solved.solve()
    files = yield [partial(_file, snapshot, found, task.options) for snapshot in snapshots.values()]
    return PolishedPair(replace(found, strategies={}), tuple(files))


def polish_elsewhere(rules: str, task: PolishTask) -> PolishedPair:
    """All of `polish_work`, by rules as str(Rules) writes them, in this thread."""
    tree = GameTree.build(rules)
    return run_graph({task.pair: ()}, lambda _: polish_work(tree, task), SerialExecutor())[task.pair]


def _exact_in_binary(tree: GameTree, strategy: FloatArray) -> FloatArray:
    """A strategy whose probabilities have few enough digits to be exact."""
    return rounded_strategy(tree, strategy, 0.0, BITS)


def _file(snapshot: Snapshot, found: PairEquilibrium, options: Mapping[str, Any]) -> SnapshotFile:
    """The snapshot with the strategy that was found in place of its own."""
    score = snapshot.score
    assert score is not None
    strategy = found.strategies[score]
    sums = strategy.copy()
    sums[0] = 0.0
    polished = replace(
        snapshot.without_regrets(),
        outcome_values=found.outcome_values[score],
        options=dict(options),
        strategy_sums=sums,
        current_strategy=strategy,
        exploitability=found.exploitabilities[score],
        value=found.values[score],
    )
    return SnapshotFile(score, snapshot.iteration, polished.file_bytes(compression=COMPRESSION), is_last=True)
