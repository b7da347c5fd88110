"""Learning a round by trial and error. The run saves its table every few seconds and continues from the file."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from ..algorithms.best_response import exploitability
from ..algorithms.learning.learning_method import MOST_LEARNING_ROUNDS, LearningFigures
from ..algorithms.learning.state_learning import StateLearner
from ..algorithms.learning.tabular_learning import TabularLearner, best_values_against
from ..checked_numbers import whole_number
from ..errors import Interrupted, OtherTaskError, Remedy, StoreError
from ..games.payoffs import tic_tac_toe_round
from ..run_control import DEFAULT_CONTROL, Existing, RunControl
from ..storage.atomic_files import regular_file
from ..storage.directory_layout import list_snapshots, snapshot_name
from ..storage.learnt_game import LearntGame
from ..storage.learnt_table import LearntTable
from ..storage.lock import DirectoryLock
from ..storage.snapshot import Snapshot
from .checkpoint_clock import CheckpointClock

ROUNDS_PER_STRETCH = 20_000
"""Rounds that the learner plays between two looks at the clock and at requests to stop."""
FIRST_CHECKPOINT = 100
"""Rounds before the first checkpoint, which judges the table."""
POINTS_PER_DECADE = 10
"""Checkpoints for every factor of ten in rounds."""

Learnt = TypeVar("Learnt", LearntTable, LearntGame)
LearningReporter = Callable[[int, LearningFigures], None]
"""Called with the rounds played so far, and the figures of the last checkpoint."""


def next_checkpoint(rounds: int) -> int:
    """The rounds played at the next checkpoint: ten of them for every factor of ten, from FIRST_CHECKPOINT on.

    >>> next_checkpoint(0), next_checkpoint(100), next_checkpoint(999_999)
    (100, 126, 1000000)
    """
    exponent = max(0, math.floor(POINTS_PER_DECADE * math.log10(max(rounds, 1) / FIRST_CHECKPOINT)) - 1)
    while (checkpoint := round(FIRST_CHECKPOINT * 10 ** (exponent / POINTS_PER_DECADE))) <= rounds:
        exponent += 1
    return checkpoint


def learner_of(table: LearntTable) -> TabularLearner:
    """A learner that continues from a table."""
    game = tic_tac_toe_round(table.tree, table.outcome_values)
    opponent = table.opponent_strategy
    learner = TabularLearner(game, table.method, opponent=opponent, row=table.row, seed=table.seed)
    learner.set_state(table.rounds, table.nodes, table.values, table.visits)
    return learner


def judged(table: LearntTable) -> tuple[LearningFigures, tuple[float, float] | None]:
    """The figures of the greedy policy; and the most that a player can get against the opponent in each seat."""
    learner, opponent = learner_of(table), table.opponent_strategy
    return learner.figures(), None if opponent is None else best_values_against(learner.game, opponent)


def train_agent(
    path: Path,
    rounds: int,
    start: LearntTable | None = None,
    *,
    control: RunControl[LearningReporter] = DEFAULT_CONTROL,
) -> LearntTable:
    """Continue the learner of the file `path` until it has played `rounds` rounds. Return the table, which is saved.

    start: a new table, for the case that the file does not exist; an existing file must have the same task. None
    requires an existing file.
    control: RESTART begins from `start` even if the file exists, which stays until the first save some seconds later.
    One thread learns, whatever the number of workers.

    A table of more rounds stays unchanged. Stopping and continuing a run changes no bit of the file. Raises StoreError
    when the file has another task or is missing, FormatError when it is damaged, OSError when it cannot be written, and
    Interrupted, with everything saved, once `control.stop` is set.

    >>> from tempfile import TemporaryDirectory
    >>> from tictactoe import GameTree, LearningMethod
    >>> new = LearntTable.new(GameTree.build(), LearningMethod())
    >>> with TemporaryDirectory() as directory:
    ...     table = train_agent(Path(directory) / "agent", 1000, new)
    >>> table.rounds, [figures.rounds for figures in table.figures][-3:]
    (1000, [631, 794, 1000])
    """
    return learn(path, rounds, start, (LearntTable.load, learner_of), control)


def learn(
    path: Path,
    rounds: int,
    start: Learnt | None,
    how: tuple[Callable[[Path], Learnt], Callable[[Learnt], TabularLearner | StateLearner]],
    control: RunControl[LearningReporter],
) -> Learnt:
    """As `train_agent`, for any kind of table. how: a function that loads a table, and one that makes its learner."""
    rounds, path = whole_number("rounds", rounds, 0, MOST_LEARNING_ROUNDS - 1), regular_file(path)
    load, learner_from = how
    table = _begin(path, start, control.existing, load)
    learner = learner_from(table)
    if table.rounds >= rounds:
        return table
    log = table.figures
    clock, report = CheckpointClock(), control.reporter

    def save() -> Learnt:
        rows = np.array(log, np.float64).reshape(-1, len(LearningFigures._fields))
        values, visits = learner.values.copy(), learner.visits.copy()
        saved = replace(table, rounds=learner.rounds, nodes=learner.nodes, values=values, visits=visits, log=rows)
        saved.save(path)
        return saved

    if not (path.exists() and control.restarts):  # what is there stays until something has been learnt
        save()  # raises now, not after long learning, if the file cannot be written
    while learner.rounds < rounds:
        if control.stop.is_set():
            save()
            raise Interrupted
        checkpoint = next_checkpoint(learner.rounds)
        learner.run(min(rounds, checkpoint, learner.rounds + ROUNDS_PER_STRETCH) - learner.rounds)
        if learner.rounds == checkpoint:
            log.append(learner.figures())
        if report and log:
            report(learner.rounds, log[-1])
        if clock.is_due():
            save()
    return save()


def _begin(path: Path, start: Learnt | None, existing: Existing, load: Callable[[Path], Learnt]) -> Learnt:
    """The table that a run continues. Raises StoreError as `train_agent` does."""
    if not path.exists() or (existing is Existing.RESTART and start is not None):
        if start is None or existing is Existing.RESUME:
            raise StoreError(f"{path}: no agent to continue", Remedy.NEW_AGENT)
        return start
    table = load(path)
    if start is None:
        return table
    theirs, ours = table.task(), start.task()
    different = [name for name in ours if ours[name] != theirs[name]]
    same_opponent = table.opponent_strategy is start.opponent_strategy or np.array_equal(
        np.asarray(table.opponent_strategy), np.asarray(start.opponent_strategy)
    )
    if not different and same_opponent:
        return table
    raise OtherTaskError(path, different)


def export_agent(table: LearntTable, directory: Path) -> Path:
    """Save the greedy policy as a snapshot, for commands that take a solved round; return the path of the file.

    Snapshots of learnt tables that are already in the directory stay. Raises StoreError for a directory that cannot be
    used, or holds a solved round.
    """
    game = tic_tac_toe_round(table.tree, table.outcome_values)
    found = exploitability(game, table.strategy)
    lock = DirectoryLock()
    lock.acquire(directory)
    try:
        for iteration in list_snapshots(directory):
            path = directory / snapshot_name(iteration)
            if "learnt" not in Snapshot.load(path, table.tree).options:
                raise StoreError(f"{directory}: holds a round that was solved; choose another directory")
        path = directory / snapshot_name(table.rounds)
        table.snapshot(found.total, found.value).save(path)
    finally:
        lock.release()
    return path
