"""Observations of a player: by hand, and that nothing secret changes them."""

import numpy as np

from tictactoe import Goal, Seat, observation
from tictactoe.environments.match_game import GameOptions, MatchGame
from tictactoe.environments.observations import OBSERVATION_SIZE, action_mask


def test_an_observation_by_hand() -> None:
    seen = observation((3, 7, 9), Goal.LOSE, Seat.SECOND, (1, 3), 4)
    ones = [7 - 1, 9 + 3 - 1, 9 + 9 - 1, 18 + 3 - 1, 18 + 9 + 7 - 1, 18 + 18 + 9 - 1, 99 + 1, 102 + 1]
    expected = np.zeros(OBSERVATION_SIZE, np.float32)
    expected[ones] = 1.0
    expected[104:] = 0.25, 0.75
    assert np.array_equal(seen, expected)
    assert seen.dtype == np.float32
    assert action_mask((1, 9)).tolist() == [1, 0, 0, 0, 0, 0, 0, 0, 1]


def test_the_opponents_goal_is_a_secret() -> None:
    told: dict[Goal, list[object]] = {}
    others: dict[Goal, set[Goal]] = {}
    for seed in range(60):
        game = MatchGame(GameOptions(winning_score=3, first=0))
        game.reset(seed)
        for square in (5, 1, 9):
            game.play(square)
        own, other = game.round.goals
        info = game.info(0)
        info["action_mask"] = info["action_mask"].tolist()
        shown = [game.observation(0).tolist(), info, game.text()]
        assert told.setdefault(own, shown) == shown
        others.setdefault(own, set()).add(other)
    assert others == {goal: set(Goal) for goal in Goal}
