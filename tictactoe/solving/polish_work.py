"""The work of making one pair of scores exact, independent of where it runs and of the directory of the results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ..algorithms.arrays import FloatArray
from ..algorithms.rounding import rounded_strategy
from ..games.tic_tac_toe_tree import GameTree
from ..match.pair_exact import PairEquilibrium, PairPolisher
from ..match.scores import Pair, Score
from ..storage.snapshot import Snapshot
from .pair_work import SnapshotFile
from .task_graph import SerialExecutor, Work, run_graph

PROBABILITY_BITS = 52
"""Probabilities are multiples of 2^-52 and add up to exactly 1, so that an exact reader need not normalise them."""

SNAPSHOT_COMPRESSION = 6
"""zlib's level for the snapshots: level 9 takes three times as long, for files that are hardly smaller."""


@dataclass(frozen=True, eq=False)
class PolishTask:
    """The description of a pair that is to be made exact."""

    pair: Pair
    following: Mapping[Score, float]
    """The exact values of the scores that the pair leads to."""
    values: Mapping[Score, float]
    """The approximate values of the pair."""
    winning_score: int
    files: tuple[tuple[Path, bytes], ...]
    """For every score of the pair, the snapshot to start from: its path, for errors, and the bytes of its file."""
    options: Mapping[str, Any]
    """The options of the new solution."""


class PolishedPair(NamedTuple):
    """A pair that was made exact."""

    equilibrium: PairEquilibrium
    """Without its strategies and beliefs, which the files hold."""
    files: tuple[SnapshotFile, ...]


def polish_work(tree: GameTree, task: PolishTask) -> Work[PolishedPair]:
    """Make the pair exact. Raises FormatError for a damaged file, and ProgramError when no equilibrium is found."""
    sources = zip(task.pair, task.files, strict=True)
    loaded = yield [partial(Snapshot.of_score, *file, tree, score, task.winning_score) for score, file in sources]
    snapshots: dict[Score, Snapshot] = dict(zip(task.pair, loaded, strict=True))
    references = {score: snapshot.average_strategy(tree) for score, snapshot in snapshots.items()}
    finish = partial(_exact_in_binary, tree)
    refined = "refined" in task.options
    solved = PairPolisher(tree, task.pair, task.following, references, task.values, task.winning_score, finish, refined)
    found = yield from solved.solve()
    files = yield [partial(_file, snapshot, found, task.options) for snapshot in snapshots.values()]
    return PolishedPair(replace(found, strategies={}, beliefs={}), tuple(files))


def polish_elsewhere(rules: str, task: PolishTask) -> PolishedPair:
    """Do all of `polish_work` in this thread. rules: as str(Rules) writes them."""
    tree = GameTree.build(rules)
    return run_graph({task.pair: ()}, lambda _: polish_work(tree, task), SerialExecutor())[task.pair]


def _exact_in_binary(tree: GameTree, strategy: FloatArray) -> FloatArray:
    """The strategy, rounded to multiples of 2^-PROBABILITY_BITS."""
    return rounded_strategy(tree, strategy, 0.0, PROBABILITY_BITS)


def _file(snapshot: Snapshot, found: PairEquilibrium, options: Mapping[str, Any]) -> SnapshotFile:
    """The file of the snapshot with the exact strategy in place of its own."""
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
        beliefs=found.beliefs.get(score),
        exploitability=found.exploitabilities[score],
        value=found.values[score],
    )
    return SnapshotFile(score, snapshot.iteration, polished.file_bytes(compression=SNAPSHOT_COMPRESSION), is_last=True)
