"""Whom a learning agent can meet."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tictactoe.environments.opponents_to_meet import opponent_to_meet
from tictactoe.errors import FormatError
from tictactoe.games.tic_tac_toe_tree import GameTree
from tictactoe.match.scores import Score
from tictactoe.play.bot import MatchBot
from tictactoe.storage.open_saved import open_saved

USUAL = "three-in-a-row"


def test_names_and_solutions() -> None:
    """The perfect one is what ships for a match, or for a round; a solution is what it plays on average."""
    shipped = open_saved().load(Score(4, 3)).average_strategy
    for opponent in ("perfect", "shipped", MatchBot(open_saved().solution)):  # type: ignore[arg-type]
        bots = opponent_to_meet(opponent, USUAL, 5)
        assert np.array_equal(bots.round_bot(Score(4, 3)).strategy, shipped)
    single = open_saved("single_round").load().average_strategy
    for opponent in ("perfect", "single_round"):
        assert np.array_equal(opponent_to_meet(opponent, USUAL, None).round_bot(Score(0, 0)).strategy, single)


def test_a_bot_of_ones_own_plays_alike_at_every_score() -> None:
    bot = opponent_to_meet("uniform", USUAL, None).round_bot(Score(0, 0))
    assert opponent_to_meet(bot, USUAL, 3).round_bot(Score(2, 1)) is bot


def test_the_careless_one_makes_mistakes() -> None:
    careless = opponent_to_meet("careless", USUAL, 2).round_bot(Score(1, 0))
    perfect = opponent_to_meet("perfect", USUAL, 2).round_bot(Score(1, 0))
    assert careless.strategy[1:].min() > 0.0
    assert perfect.strategy[1:].min() == 0.0


def test_what_is_refused(tmp_path: Path) -> None:
    """Other rules, a whole match where a round is played, a longer match, files that are not there."""
    with pytest.raises(ValueError, match="it plays by three-in-a-row, not by filled"):
        opponent_to_meet("shipped", "filled", 5)
    with pytest.raises(ValueError, match="no solution ships by filled-tie"):
        opponent_to_meet("perfect", "filled-tie", 5)
    with pytest.raises(ValueError, match="shipped is a whole match"):
        opponent_to_meet("shipped", USUAL, None)
    with pytest.raises(ValueError, match="winning_score: 6 is not in 1 to 5"):
        opponent_to_meet("shipped", USUAL, 6)
    with pytest.raises(FormatError):
        opponent_to_meet(tmp_path / "nothing", USUAL, 5)
    assert opponent_to_meet("learner-1", "filled", 5).round_bot(Score(0, 0)).tree is GameTree.build("filled")
