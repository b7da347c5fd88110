"""Learnt tables on disk: the round trip, and impossible fields."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.storage_files import refusal, same

from tictactoe import GameTree, LearningMethod, OutcomeValues, Score, uniform_strategy
from tictactoe.storage.file_format import read_file, write_file
from tictactoe.storage.learnt_table import LEARNT_KIND, FixedOpponent, LearntTable, RoundToLearn


@pytest.fixture(scope="module")
def example(tree: GameTree) -> LearntTable:
    """A table of two rounds of eleven moves, six of them the learner's."""
    new = LearntTable.new(
        tree,
        LearningMethod(method="q-learning", learning_rate=0.25),
        played=RoundToLearn(OutcomeValues(0.5, 1.0, -1.0, -0.25), Score(1, 0), 2),
        state="board",
        opponent=FixedOpponent("uniform", uniform_strategy(tree)),
        seed=3,
    )
    visits, values = new.visits.copy(), new.values.copy()
    visits[1:4, 2] = 2
    values[1:4, 2] = 0.5, 0.75, -1.0
    log = np.array([[1.0, 5.0, 0.1, -0.2, 1.5], [2.0, 11.0, 0.2, -0.1, 1.25]])
    return replace(new, rounds=2, nodes=11, visits=visits, values=values, log=log)


def test_a_saved_table_is_read(example: LearntTable, tmp_path: Path) -> None:
    path = tmp_path / "agent"
    example.save(path)
    again = LearntTable.load(path)
    for name, value in vars(example).items():
        read = getattr(again, name)
        assert same(value, read) if isinstance(value, np.ndarray) else read == value
    again.save(tmp_path / "other")
    assert (tmp_path / "other").read_bytes() == path.read_bytes()
    assert again.strategy[1:4, 2].tolist() == [0.0, 1.0, 0.0]
    assert [figures.value for figures in again.figures] == [-0.05, 0.05]


METHOD = vars(LearningMethod())
SMALL = np.zeros((5, 3))
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"state": "goal"}, "state: 'goal' is not one of"),
    ({"rules": "filled"}, "made with another game tree"),
    ({"method": METHOD | {"method": "sarsa"}}, "method: method: 'sarsa' is not one of"),
    ({"method": METHOD | {"epsilon": 2.0}}, "method: epsilon: 2.0 is not from 0 to 1"),
    ({"method": METHOD | {"more": 1}}, "method: unknown or missing fields"),
    ({"seed": -1}, "seed: -1"),
    ({"score": [2, 0]}, "score: 2-0 does not exist"),
    ({"outcome_values": [0.0, 1e101, 0.0, 0.0]}, "outcome_values: not all within"),
    ({"rounds": 3, "nodes": 2}, "rounds, nodes: 3 and 2"),
    ({"opponent": "self"}, "opponent: 'self' does not fit"),
    ({"opponent_strategy": None}, "opponent: 'uniform' does not fit"),
    ({"opponent_strategy": SMALL}, "opponent_strategy: it is not a strategy"),
    *(({name: SMALL}, f"{name}: float64") for name in ("values", "visits", "log")),
    ({"more": 1}, "contains unknown field"),
]


def test_impossible_tables_are_refused(example: LearntTable, tree: GameTree, tmp_path: Path) -> None:
    changed = [
        ({"values": example.values + 0.001}, "values: they exceed what can be won"),
        ({"values": 2.0 * example.values}, "values: they exceed what can be won"),
        ({"visits": -example.visits}, "visits: impossible after 2 rounds"),
        ({"visits": 2 * example.visits}, "visits: impossible after 2 rounds"),
        ({"log": example.log[::-1]}, "log: rounds and nodes"),
        ({"log": example.log + 0.5}, "log: rounds and nodes"),
        ({"log": example.log + 1.0}, "log: it has later rounds than the table"),
        ({"opponent_strategy": 2.0 * uniform_strategy(tree)}, "opponent_strategy: it is not a strategy"),
    ]
    path = tmp_path / "agent"
    example.save(path)
    content = read_file(path, LEARNT_KIND)
    for changes, message in [*WRONG, *changed]:
        write_file(path, LEARNT_KIND, content | changes)
        assert refusal(LearntTable.load, path).startswith(message)
    unfit: dict[str, dict[str, Any]] = {
        "state": {"state": ""},
        "opponent": {"opponent": FixedOpponent("self", uniform_strategy(tree))},
        "score": {"played": RoundToLearn(score=Score(1, 1))},
    }
    for name, given in unfit.items():
        with pytest.raises(ValueError, match=f"^{name}: "):
            LearntTable.new(tree, LearningMethod(), **given)
