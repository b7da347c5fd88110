"""Learning into a file: stopped and continued it is the same file; the log; what can be made of it."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Event
from unittest import mock

import numpy as np
import pytest

from tictactoe.algorithms.best_response import exploitability
from tictactoe.algorithms.learning.learning_method import LearningFigures, LearningMethod
from tictactoe.algorithms.learning.tabular_learning import TabularLearner
from tictactoe.errors import FormatError, Interrupted, StoreError
from tictactoe.games.goals import SINGLE_ROUND
from tictactoe.games.tic_tac_toe import tic_tac_toe_round
from tictactoe.games.tic_tac_toe_tree import GameTree
from tictactoe.match.options import RoundOptions
from tictactoe.play.opponent_bot import constant_strategy
from tictactoe.run_control import Existing, RunControl
from tictactoe.solving import learning_run
from tictactoe.solving.learning_run import export_agent, next_checkpoint, train_agent
from tictactoe.solving.round_run import solve_round
from tictactoe.storage.learnt_table import FixedOpponent, LearntTable
from tictactoe.storage.open_saved import open_saved

TREE = GameTree.build()
UNIFORM = constant_strategy("uniform", TREE)
NEW = LearntTable.new(TREE, LearningMethod(epsilon_rounds=2000), seed=4, opponent=FixedOpponent("uniform", UNIFORM))


class StopAt:
    """An observer that sets an event once so many rounds have been played."""

    def __init__(self, rounds: int) -> None:
        self.rounds, self.stop = rounds, Event()

    def __call__(self, rounds: int, figures: LearningFigures) -> None:
        if rounds >= self.rounds:
            self.stop.set()


def test_interrupted_and_continued_is_the_same_file(tmp_path: Path) -> None:
    """At a checkpoint, between two, before anything; and with less asked for first."""
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    with mock.patch.object(learning_run, "ROUNDS_PER_STRETCH", 300):
        train_agent(whole, 3000, NEW)
        for rounds in (0, 126, 700, 2222):
            observer = StopAt(rounds)
            if rounds == 0:
                observer.stop.set()
            with pytest.raises(Interrupted):
                train_agent(cut, 3000, NEW, control=RunControl(stop=observer.stop, reporter=observer))
            assert rounds <= LearntTable.load(cut).rounds < 3000
        train_agent(cut, 2950)
        train_agent(cut, 3000)
    assert cut.read_bytes() == whole.read_bytes()
    assert train_agent(cut, 10).rounds == 3000
    assert cut.read_bytes() == whole.read_bytes()
    train_agent(cut, 10, NEW, control=RunControl(existing=Existing.RESTART))
    assert LearntTable.load(cut).rounds == 10


def test_it_is_saved_on_the_way(tmp_path: Path) -> None:
    path, found = tmp_path / "agent", []

    def observer(rounds: int, figures: LearningFigures) -> None:
        found.append(LearntTable.load(path).rounds)

    with mock.patch.object(learning_run.CheckpointClock, "is_due", return_value=True):
        train_agent(path, 400, NEW, control=RunControl(reporter=observer))
    assert found == [0, 100, 126, 158, 200, 251, 316, 398]


def test_the_log_is_what_the_greedy_policy_is_worth(tmp_path: Path) -> None:
    table = train_agent(tmp_path / "agent", 1000, NEW)
    learner = TabularLearner(tic_tac_toe_round(TREE, SINGLE_ROUND), NEW.method, opponent=UNIFORM, seed=4)
    for figures in table.figures:
        learner.run(figures.rounds - learner.rounds)
        assert figures == learner.figures()
    assert [figures.rounds for figures in table.figures] == [
        100, 126, 158, 200, 251, 316, 398, 501, 631, 794, 1000]  # fmt: skip
    assert next_checkpoint(10**11) == round(10**11.1)


def test_what_is_there_is_not_mixed_with_another_task(tmp_path: Path) -> None:
    path = tmp_path / "agent"
    with pytest.raises(StoreError, match="no agent to continue"):
        train_agent(path, 10)
    train_agent(path, 10, NEW)
    before = path.read_bytes()
    for method, words in (
        (LearningMethod(epsilon_rounds=1), "--epsilon-episodes"),
        (LearningMethod(name="q-learning", epsilon_rounds=2000), "--method"),
    ):
        other = LearntTable.new(TREE, method, seed=4, opponent=FixedOpponent("uniform", UNIFORM))
        with pytest.raises(StoreError, match=f"other options: {words}; go on"):
            train_agent(path, 20, other)
    careless = 0.5 * UNIFORM + 0.5 * NEW.strategy
    other = LearntTable.new(TREE, NEW.method, seed=4, opponent=FixedOpponent("uniform", careless))
    with pytest.raises(StoreError, match="against another strategy of that name"):
        train_agent(path, 20, other)
    path.write_bytes(before[:-1])
    with pytest.raises(FormatError):
        train_agent(path, 20, NEW)
    assert path.read_bytes() == before[:-1]


def test_a_link_is_followed_and_only_files_are_replaced(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "agent")
    train_agent(tmp_path / "link", 10, NEW)
    assert (tmp_path / "link").is_symlink()
    assert LearntTable.load(tmp_path / "agent").rounds == 10
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(FormatError, match="not a regular file; choose another"):
            train_agent(path, 10, NEW, control=RunControl(existing=Existing.RESTART))
    assert (tmp_path / "pipe").is_fifo()


def test_exported_it_is_a_round_like_any_other(tmp_path: Path) -> None:
    table = train_agent(tmp_path / "agent", 500, NEW)
    export_agent(table, tmp_path / "round")
    export_agent(train_agent(tmp_path / "agent", 1000), tmp_path / "round")
    saved = open_saved(tmp_path / "round")
    assert saved.iterations() == [500, 1000]
    loaded = saved.load(None, 500)
    assert np.array_equal(loaded.average_strategy, table.strategy)
    assert np.array_equal(loaded.strategy(average=False), table.strategy)
    found = exploitability(tic_tac_toe_round(TREE, SINGLE_ROUND), table.strategy)
    assert (loaded.snapshot.exploitability, loaded.snapshot.value) == (found.total, found.value)
    solve_round(tmp_path / "solved", TREE, RoundOptions(iterations=1, snapshot_at=()))
    with pytest.raises(StoreError, match="holds a round that was solved"):
        export_agent(table, tmp_path / "solved")
