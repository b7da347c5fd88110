"""Learnt tables on disk: what is saved is read, and nothing is believed that cannot be."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tictactoe.algorithms.learning.learning_method import LearningMethod
from tictactoe.algorithms.strategy import uniform_strategy
from tictactoe.errors import FormatError
from tictactoe.games.goals import OutcomeValues
from tictactoe.games.tic_tac_toe_tree import GameTree
from tictactoe.match.scores import Score
from tictactoe.storage.file_format import read_file, write_file
from tictactoe.storage.learnt_table import LEARNT_KIND, FixedOpponent, LearntTable, RoundToLearn

TREE = GameTree.build()


def example() -> LearntTable:
    """Of two rounds of eleven moves, six of them the learner's."""
    new = LearntTable.new(
        TREE,
        LearningMethod(name="q-learning", learning_rate=0.25),
        state="board",
        seed=3,
        played=RoundToLearn(outcome_values=OutcomeValues(0.5, 1.0, -1.0, -0.25), score=Score(1, 0), winning_score=2),
        opponent=FixedOpponent("uniform", uniform_strategy(TREE)),
    )
    visits, values = new.visits.copy(), new.values.copy()
    visits[1:4, 2] = 2
    values[1:4, 2] = 0.5, 0.75, -1.0
    log = np.array([[1.0, 5.0, 0.1, -0.2, 1.5], [2.0, 11.0, 0.2, -0.1, 1.25]])
    return replace(new, rounds=2, nodes=11, visits=visits, values=values, log=log)


def test_what_is_saved_is_read(tmp_path: Path) -> None:
    table, path = example(), tmp_path / "agent"
    table.save(path)
    again = LearntTable.load(path)
    for name, value in vars(table).items():
        assert np.array_equal(getattr(again, name), value) if isinstance(value, np.ndarray) else (
            getattr(again, name) == value
        )  # fmt: skip
    again.save(tmp_path / "other")
    assert (tmp_path / "other").read_bytes() == path.read_bytes()
    assert again.strategy[1:4, 2].tolist() == [0.0, 1.0, 0.0]
    assert [figures.value for figures in again.figures] == [-0.05, 0.05]


METHOD = vars(LearningMethod())
SMALL = np.zeros((5, 3))


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"state": "goal"}, "state: 'goal' is not one of"),
        ({"end_rule": "filled"}, "another game tree"),
        ({"end_rule": "nonsense"}, "rules that are unknown here"),
        ({"tree_fingerprint": "0" * 64}, "another game tree"),
        ({"method": METHOD | {"name": "sarsa"}}, "name: 'sarsa' is not one of"),
        ({"method": METHOD | {"epsilon": 2.0}}, "epsilon: 2.0 is not in 0 to 1"),
        ({"method": METHOD | {"more": 1}}, "method: unknown or missing fields"),
        ({"seed": -1}, "seed: -1"),
        ({"seed": True}, "seed: expected int, got bool"),
        ({"score": [2, 0]}, "score: 2-0 does not exist"),
        ({"outcome_values": [0.0, 1e101, 0.0, 0.0]}, "outcome_values: not all within"),
        ({"rounds": 3, "nodes": 2}, "rounds, nodes: 3 and 2"),
        ({"rounds": 2, "nodes": 19}, "rounds, nodes: 2 and 19"),
        ({"values": SMALL}, "values: float64"),
        ({"values": example().values + 0.001}, "values: more than can be won"),
        ({"values": 2.0 * example().values}, "values: more than can be won"),
        ({"visits": SMALL}, "visits: float64"),
        ({"visits": -example().visits}, "visits: impossible after 2 rounds"),
        ({"visits": 2 * example().visits}, "visits: impossible after 2 rounds"),
        ({"log": example().log[::-1]}, "log: rounds and nodes"),
        ({"log": example().log + 0.5}, "log: rounds and nodes"),
        ({"log": example().log + 1.0}, "log: of later rounds"),
        ({"log": SMALL}, "log: float64"),
        ({"opponent": "self"}, "opponent: 'self' does not fit"),
        ({"opponent_strategy": None}, "opponent: 'uniform' does not fit"),
        ({"opponent_strategy": SMALL}, "opponent_strategy: no strategy"),
        ({"opponent_strategy": 2.0 * uniform_strategy(TREE)}, "opponent_strategy: no strategy"),
        ({"more": 1}, "unknown field"),
    ],
)
def test_what_cannot_be_is_refused(changes: dict[str, Any], what: str, tmp_path: Path) -> None:
    """With a right checksum."""
    path = tmp_path / "agent"
    example().save(path)
    write_file(path, LEARNT_KIND, read_file(path, LEARNT_KIND) | changes)
    with pytest.raises(FormatError) as caught:
        LearntTable.load(path)
    assert what in str(caught.value)


def test_new_tables_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match=r"^state: "):
        LearntTable.new(TREE, LearningMethod(), state="")
    with pytest.raises(ValueError, match=r"^opponent: "):
        LearntTable.new(TREE, LearningMethod(), opponent=FixedOpponent("self", uniform_strategy(TREE)))
    with pytest.raises(ValueError, match=r"^score: "):
        LearntTable.new(TREE, LearningMethod(), played=RoundToLearn(score=Score(1, 1)))
