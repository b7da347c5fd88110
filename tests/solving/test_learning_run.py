"""Learning into a file: the log, other tasks in the same file, and exports."""

import os
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

from tictactoe import SINGLE_ROUND, GameTree, TabularLearner, exploitability, open_saved, solve_game, tic_tac_toe_round
from tictactoe.algorithms.learning import LearningMethod
from tictactoe.errors import FormatError, StoreError
from tictactoe.match.options import GameOptions
from tictactoe.run_control import Existing, RunControl
from tictactoe.solving import learning_run
from tictactoe.solving.learning_run import export_agent, next_checkpoint, train_agent
from tictactoe.storage.learnt_table import FixedOpponent, LearntTable
from tictactoe.storage.population import constant_strategy

TREE = GameTree.build()
UNIFORM = constant_strategy("uniform", TREE)
NEW = LearntTable.new(TREE, LearningMethod(epsilon_episodes=2000), seed=4, opponent=FixedOpponent("uniform", UNIFORM))
RESTART: RunControl[Any] = RunControl(existing=Existing.RESTART)


def test_the_log_is_what_the_greedy_policy_is_worth(tmp_path: Path) -> None:
    saved: list[int] = []
    control = RunControl(reporter=lambda *_: saved.append(LearntTable.load(tmp_path / "agent").rounds))
    with mock.patch.object(learning_run.CheckpointClock, "is_due", return_value=True):
        table = train_agent(tmp_path / "agent", 1000, NEW, control=control)
    learner = TabularLearner(tic_tac_toe_round(TREE, SINGLE_ROUND), NEW.method, opponent=UNIFORM, seed=4)
    for figures in table.figures:
        learner.run(figures.rounds - learner.rounds)
        assert figures == learner.figures()
    rounds = [100, 126, 158, 200, 251, 316, 398, 501, 631, 794, 1000]
    assert [figures.rounds for figures in table.figures] == rounds
    assert saved == [0, *rounds[:-1]]
    assert next_checkpoint(10**11) == round(10**11.1)


def test_what_is_there_is_not_mixed_with_another_task(tmp_path: Path) -> None:
    path = tmp_path / "agent"
    train_agent(path, 10, NEW)
    before = path.read_bytes()
    for method, words in (
        (LearningMethod(epsilon_episodes=1), "epsilon_episodes"),
        (LearningMethod(method="q-learning", epsilon_episodes=2000), "method"),
    ):
        other = LearntTable.new(TREE, method, seed=4, opponent=FixedOpponent("uniform", UNIFORM))
        with pytest.raises(StoreError, match=f"other options: {words}; choose"):
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
            train_agent(path, 10, NEW, control=RESTART)
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
    solve_game(tmp_path / "solved", TREE, GameOptions(iterations=1, snapshot_at=()))
    with pytest.raises(StoreError, match="there is a solved round in it"):
        export_agent(table, tmp_path / "solved")
