"""The Gymnasium environment: one agent against an opponent, by Gymnasium's own check and by ours."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import numpy as np
import pytest

from tictactoe import SINGLE_ROUND, GameTree, exploitability, tic_tac_toe_round, uniform_over_squares
from tictactoe.algorithms.strategy import both_seats
from tictactoe.environments.opponents_to_meet import opponent_to_meet
from tictactoe.errors import IllegalMoveError
from tictactoe.match.scores import Score

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
@pytest.mark.filterwarnings("ignore")  # that it was made without gymnasium.make
def test_gymnasiums_own_check(options: dict[str, Any]) -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        check_env(AnyAction(AgainstOpponent("uniform", **options)), skip_render_check=True)


def mean_reward(environment: AgainstOpponent, episodes: int) -> float:
    """Of an agent that marks any allowed square."""
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
    """The mean of 1500 rounds, in either seat, is what is computed exactly, within four standard errors: rewards are
    between -1 and 1. A uniform opponent, or one that knew the agent's goal, would be further away."""
    tree, episodes = GameTree.build(), 1500
    ours, theirs = uniform_over_squares(tree), opponent_to_meet("perfect", "three-in-a-row", None)
    strategies = (ours, theirs.round_bot(Score(0, 0)).strategy)
    game = tic_tac_toe_round(tree, SINGLE_ROUND)
    to_first = exploitability(game, both_seats(tree, *(strategies if first == 0 else strategies[::-1]))).value
    expected = to_first if first == 0 else -to_first
    assert expected < -0.15
    found = mean_reward(AgainstOpponent("perfect", winning_score=None, first=first), episodes)
    assert abs(found - expected) < 4 * 0.7 / episodes**0.5


def test_merged_moves_are_what_the_opponent_plays() -> None:
    """It marks allowed squares only: MatchGame refuses others."""
    environment = AgainstOpponent("learner-10", winning_score=None, merge_symmetric=True)
    assert -1.0 < mean_reward(environment, 100) < 0.5


def test_a_match_against_a_solution() -> None:
    """It is won or lost, with the strategy of every score on the way; the same for the same seed."""
    ends = []
    for _ in range(2):
        environment = AgainstOpponent("match_to_5", winning_score=2)
        seen, info = environment.reset(seed=11)
        steps = [seen.tolist()]
        terminated = False
        while not terminated:
            seen, reward, terminated, truncated, info = environment.step(np.flatnonzero(info["action_mask"])[0])
            assert not truncated
            steps.append(seen.tolist())
        assert reward in (-1.0, 1.0)
        assert (seen[104] == 1.0) == (reward == 1.0)
        ends.append(steps)
    assert ends[0] == ends[1]


def test_truncation() -> None:
    """A match of one round that nobody wins."""
    environment = AgainstOpponent("uniform", winning_score=2, max_rounds=1)
    environment.reset(seed=1)
    terminated = truncated = False
    while not (terminated or truncated):
        _, reward, terminated, truncated, _ = environment.step(np.flatnonzero(environment.action_masks())[0])
    assert (terminated, truncated, reward) == (False, True, 0.0)


def test_it_is_registered() -> None:
    environment = gymnasium.make("SMBCTicTacToe-v0", opponent="uniform", winning_score=None, render_mode="ansi")
    environment.reset(seed=2)
    assert "Round 1" in environment.render()


def test_what_is_refused() -> None:
    environment = AgainstOpponent("uniform", first=0)
    environment.reset(seed=1)
    environment.step(0)
    with pytest.raises(IllegalMoveError):
        environment.step(0)
    with pytest.raises(ValueError, match="render_mode"):
        AgainstOpponent("uniform", render_mode="video")
