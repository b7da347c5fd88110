"""Learnt tables as agents, and whom a learner can play against."""

from pathlib import Path

import numpy as np
import pytest

from tictactoe import SINGLE_ROUND, FormatError, GameTree, LearningMethod, Score, open_saved
from tictactoe.agents.named import round_opponent
from tictactoe.play.bot import CARELESS_PROBABILITY, constant_strategy
from tictactoe.storage.learnt_table import LearntTable
from tictactoe.storage.shipped import shipped_solution

TREE = GameTree.build()


def test_opponents_by_name() -> None:
    perfect = open_saved("single_round").load().average_strategy
    uniform = constant_strategy("uniform", TREE)
    assert np.array_equal(round_opponent("perfect", TREE, SINGLE_ROUND), perfect)
    careless = round_opponent("careless", TREE, SINGLE_ROUND)
    np.testing.assert_allclose(careless, (1.0 - CARELESS_PROBABILITY) * perfect + CARELESS_PROBABILITY * uniform)
    score = Score(4, 3)
    at_score = open_saved().load(score).average_strategy
    for name, solution in (("perfect", shipped_solution()), ("shipped", None), ("shipped/subgame_4_3", None)):
        assert np.array_equal(round_opponent(name, TREE, SINGLE_ROUND, solution, score), at_score)


def test_opponents_that_cannot_play(tmp_path: Path) -> None:
    filled = GameTree.build("filled")
    with pytest.raises(FormatError, match="of a round by the rules 'three-in-a-row', not 'filled'"):
        round_opponent("single_round", filled, SINGLE_ROUND)
    with pytest.raises(ValueError, match=r"^opponent: no perfect player ships for filled 2:1:1"):
        round_opponent("perfect", GameTree.build("filled 2:1:1"), SINGLE_ROUND)
    path = tmp_path / "agent"
    LearntTable.new(filled, LearningMethod()).save(path)
    assert round_opponent(str(path), filled, SINGLE_ROUND)[1].tolist() == [1.0, 1.0, 1.0]
    with pytest.raises(FormatError, match="of a round by the rules 'filled'"):
        round_opponent(str(path), TREE, SINGLE_ROUND)
