"""The Gymnasium environment: one agent against an opponent, by Gymnasium's own check and by ours."""

import contextlib
import io
from typing import Any

import numpy as np
import pytest

from tictactoe import SINGLE_ROUND, GameTree, Score, exploitability, tic_tac_toe_round, uniform_over_squares
from tictactoe.algorithms.strategy import both_seats
from tictactoe.environments.match_game import opponent_to_meet
from tictactoe.errors import IllegalMoveError

pytest.importorskip("gymnasium", reason="gymnasium is not installed: pip install '.[rl]'")
import gymnasium
from gymnasium.utils.env_checker import check_env

from tictactoe.environments.gymnasium_match import AgainstOpponent


class AnyAction(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Takes any action for an allowed one: Gymnasium's check knows no masks."""

    def step(self, action: Any) -> Any:
        allowed = np.flatnonzero(self.env.unwrapped.action_masks())
        return self.env.step(int(allowed[int(action) % len(allowed)]))


@pytest.mark.parametrize(
    "options",
    [{"winning_score": None}, {"winning_score": 2, "merge_symmetric": True, "rules": "filled", "rewards": "points"}],
)
@pytest.mark.filterwarnings("ignore")  # its check wants gymnasium.make
def test_gymnasiums_own_check(options: dict[str, Any]) -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        check_env(AnyAction(AgainstOpponent("uniform", **options)), skip_render_check=True)


def mean_reward(environment: AgainstOpponent, episodes: int) -> float:
    chooser = np.random.default_rng(5)
    environment.reset(seed=4)
    total = 0.0
    for _ in range(episodes):
        environment.reset()
        terminated = truncated = False
        while not (terminated or truncated):
            action = chooser.choice(np.flatnonzero(environment.action_masks()))
            _, reward, terminated, truncated, info = environment.step(action)
            assert np.array_equal(info["action_mask"], environment.action_masks())
            total += reward
    return total / episodes


@pytest.mark.parametrize("first", [0, 1])
def test_the_opponent_plays_its_strategy(first: int) -> None:
    """The mean of 500 rounds, in either seat, is within four standard errors of the exact value: rewards are between
    -1 and 1. A uniform opponent, or one that knew the agent's goal, would be further away."""
    tree, episodes = GameTree.build(), 500
    ours, theirs = uniform_over_squares(tree), opponent_to_meet("perfect", "three-in-a-row", None)
    strategies = (ours, theirs.round_bot(Score(0, 0)).strategy)
    game = tic_tac_toe_round(tree, SINGLE_ROUND)
    to_first = exploitability(game, both_seats(tree, *(strategies if first == 0 else strategies[::-1]))).value
    expected = to_first if first == 0 else -to_first
    assert expected < -0.15
    mean = mean_reward(AgainstOpponent("perfect", winning_score=None, first=first), episodes)
    assert abs(mean - expected) < 4 * 0.7 / episodes**0.5
    merging = AgainstOpponent("learner-10", winning_score=None, merge_symmetric=True)  # MatchGame refuses other moves
    assert -1.0 < mean_reward(merging, 50) < 0.5


def test_truncation_rendering_and_refusals() -> None:
    environment = gymnasium.make(
        "SMBCTicTacToe-v0", opponent="uniform", winning_score=2, max_rounds=1, first=0, render_mode="ansi"
    )
    environment.reset(seed=1)
    assert "Round 1" in environment.render()
    environment.step(0)
    with pytest.raises(IllegalMoveError):
        environment.step(0)
    terminated = truncated = False
    while not (terminated or truncated):
        allowed = np.flatnonzero(environment.unwrapped.action_masks())
        _, reward, terminated, truncated, _ = environment.step(allowed[0])
    assert (terminated, truncated, reward) == (False, True, 0.0)  # nobody wins within one round
    with pytest.raises(ValueError, match="render_mode"):
        AgainstOpponent("uniform", render_mode="video")
