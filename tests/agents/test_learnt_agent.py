"""Learnt tables as agents, and whom a learner can play against."""

from pathlib import Path

import numpy as np
import pytest

from tictactoe import SINGLE_ROUND, FormatError, GameTree, LearningMethod, Score, open_saved, play_match, train_agent
from tictactoe.agents.learnt_agent import learnt_agent, round_opponent
from tictactoe.agents.strategy_agent import uniform_agent
from tictactoe.play.opponent_bot import CARELESS_PROBABILITY, constant_strategy
from tictactoe.play.referee import Match
from tictactoe.storage.learnt_table import FixedOpponent, LearntTable
from tictactoe.storage.shipped import shipped_solution

TREE = GameTree.build()


def test_it_beats_the_opponent_that_it_has_learnt_against(tmp_path: Path) -> None:
    uniform = constant_strategy("uniform", TREE)
    new = LearntTable.new(TREE, LearningMethod(), state="board", opponent=FixedOpponent("uniform", uniform))
    ours, theirs = learnt_agent(train_agent(tmp_path / "agent", 6_000, new), 1), uniform_agent(TREE, 2)
    matches = [Match(TREE, 1, ("ours", "theirs"), first=number % 2, seed=number) for number in range(60)]
    for match in matches:
        play_match((ours, theirs), match)
    assert sum(match.winner == 0 for match in matches) >= 45


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
    with pytest.raises(FormatError, match="a whole solution"):
        round_opponent("shipped", TREE, SINGLE_ROUND)
    with pytest.raises(FormatError, match="of a round by the rules 'three-in-a-row', not 'filled'"):
        round_opponent("single_round", filled, SINGLE_ROUND)
    with pytest.raises(ValueError, match="nobody' names no opponent; give one of perfect, "):
        round_opponent(str(tmp_path / "nobody"), TREE, SINGLE_ROUND)
    with pytest.raises(ValueError, match=r"^opponent: no perfect player ships for filled 2:1:1"):
        round_opponent("perfect", GameTree.build("filled 2:1:1"), SINGLE_ROUND)
    path = tmp_path / "agent"
    LearntTable.new(filled, LearningMethod()).save(path)
    assert round_opponent(str(path), filled, SINGLE_ROUND)[1].tolist() == [1.0, 1.0, 1.0]
    with pytest.raises(FormatError, match="of a round by the rules 'filled'"):
        round_opponent(str(path), TREE, SINGLE_ROUND)
