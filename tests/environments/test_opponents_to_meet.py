"""The opponents of a learning agent."""

from pathlib import Path

import numpy as np
import pytest

from tictactoe import FormatError, GameTree, MatchBot, Score, load_solution, open_saved
from tictactoe.environments.match_game import opponent_to_meet

USUAL, ROOT = "three-in-a-row", Score(0, 0)


def test_names_solutions_and_bots() -> None:
    shipped = open_saved().load(Score(4, 3)).average_strategy
    for opponent in ("perfect", "shipped", MatchBot(load_solution("shipped"))):
        assert np.array_equal(opponent_to_meet(opponent, USUAL, 5).round_bot(Score(4, 3)).strategy, shipped)
    single = open_saved("single_round").load().average_strategy
    for opponent in ("perfect", "single_round"):
        assert np.array_equal(opponent_to_meet(opponent, USUAL, None).round_bot(ROOT).strategy, single)
    careless, perfect = (opponent_to_meet(name, USUAL, 2).round_bot(ROOT).strategy for name in ("careless", "perfect"))
    assert careless[1:].min() > 0.0 == perfect[1:].min()
    bot = opponent_to_meet("uniform", USUAL, None).round_bot(ROOT)
    assert opponent_to_meet(bot, USUAL, 3).round_bot(Score(2, 1)) is bot
    assert opponent_to_meet("learner-1", "filled", 5).round_bot(ROOT).tree is GameTree.build("filled")


def test_opponents_that_are_refused(tmp_path: Path) -> None:
    for message, asked in {
        "it plays by three-in-a-row, not by filled": ("shipped", "filled", 5),
        "no solution ships by filled-tie": ("perfect", "filled-tie", 5),
        "shipped is a whole match": ("shipped", USUAL, None),
        "winning_score: 6 is not in 1 to 5": ("shipped", USUAL, 6),
    }.items():
        with pytest.raises(ValueError, match=message):
            opponent_to_meet(*asked)  # type: ignore[arg-type]
    with pytest.raises(FormatError):
        opponent_to_meet(tmp_path / "nothing", USUAL, 5)
