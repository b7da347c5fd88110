"""The environments of Gymnasium and PettingZoo, by their own checks and by ours."""

import contextlib
import io
import pickle
import random
from typing import Any

import numpy as np
import pytest

from tictactoe import SINGLE_ROUND, GameTree, Score, exploitability, tic_tac_toe_round, uniform_over_squares
from tictactoe.algorithms.strategy import both_seats
from tictactoe.environments.match_game import opponent_to_meet
from tictactoe.errors import IllegalMoveError

pytest.importorskip("gymnasium", reason="gymnasium is not installed: pip install '.[rl]'")
pytest.importorskip("pettingzoo", reason="pettingzoo is not installed: pip install '.[rl]'")
import gymnasium
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, render_test, seed_test

from tictactoe.environments import pettingzoo_match
from tictactoe.environments.gymnasium_match import AgainstOpponent


class AnyAction(gymnasium.Wrapper[Any, Any, Any, Any]):
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
    """The mean of 500 rounds, in either seat, is within four standard errors of the exact value."""
    tree, episodes = GameTree.build(), 500
    ours, theirs = uniform_over_squares(tree), opponent_to_meet("perfect", "three-in-a-row", None)
    strategies = (ours, theirs(Score(0, 0)).strategy)
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


VARIANTS: list[dict[str, Any]] = [
    {},
    {"winning_score": None},
    {"winning_score": 2, "rules": "filled 1:2:1", "merge_symmetric": True, "rewards": "points"},
    {"winning_score": 3, "max_rounds": 2, "first": 1},
]


@pytest.mark.parametrize("options", VARIANTS)
@pytest.mark.filterwarnings("ignore:Observation:UserWarning")  # said of all dictionaries but those of its own games
def test_pettingzoos_own_tests(options: dict[str, Any]) -> None:
    with contextlib.redirect_stdout(io.StringIO()):  # what "human" prints
        api_test(pettingzoo_match.env(**options), num_cycles=100)
        render_test(lambda **modes: pettingzoo_match.env(**options, **modes))
    seed_test(lambda: pettingzoo_match.env(**options), num_cycles=100)


def played(environment: Any, seed: int | None, chooser: random.Random) -> list[tuple[object, ...]]:
    environment.reset(seed=seed)
    result = []
    for agent in environment.agent_iter():
        seen, _, terminated, truncated, info = environment.last()
        assert np.array_equal(seen["action_mask"], info["action_mask"])
        over = terminated or truncated
        action = None if over else chooser.choice(np.flatnonzero(seen["action_mask"]).tolist())
        result.append((agent, tuple(environment.rewards.values()), action))
        environment.step(action)
    return result


def test_seeds() -> None:
    one, other = pettingzoo_match.env(winning_score=1), pettingzoo_match.env(winning_score=1)
    first = played(one, 7, random.Random(1))
    assert first == played(other, 7, random.Random(1))
    assert played(one, None, random.Random(1)) == played(other, None, random.Random(1))
    observed = set()
    for _ in range(20):
        one.reset()
        observed.add(tuple(one.observe("player_0")["observation"][99:104]))
    assert len(observed) > 3  # goals and seats are drawn anew
    copy = pickle.loads(pickle.dumps(pettingzoo_match.raw_env(winning_score=1)))  # as libraries do for their workers
    assert played(copy, 7, random.Random(1)) == first


def test_moves_that_are_refused() -> None:
    raw, wrapped = pettingzoo_match.raw_env(first=0), pettingzoo_match.env(first=0)
    for environment in (raw, wrapped):
        environment.reset(seed=1)
        assert environment.agent_selection == "player_0"
        assert environment.observe("player_0")["action_mask"].tolist() == [1] * 9
        assert environment.observe("player_1")["action_mask"].tolist() == [0] * 9
        environment.step(4)
    with pytest.raises(IllegalMoveError):
        raw.step(4)
    raw.step(0)
    assert raw.agent_selection == "player_0"
    wrapped.step(4)
    assert wrapped.terminations == {"player_0": True, "player_1": True}
    assert wrapped.rewards == {"player_0": 0, "player_1": -1}


def test_rendering() -> None:
    environment = pettingzoo_match.env(winning_score=2, first=0, render_mode="ansi")
    environment.reset(seed=1)
    environment.step(4)
    assert environment.render() == (
        "Match to 2, player_0 0 : player_1 0\nRound 1: player_0 is X, player_1 is O\n"
        " 1  | 2  | 3\n 4  | X1 | 6\n 7  | 8  | 9\nplayer_1 moves next.\n"
    )
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        human = pettingzoo_match.env(first=0, render_mode="human")
        human.reset(seed=1)
        human.step(4)
    assert "X1" in printed.getvalue()
    silent = pettingzoo_match.raw_env()
    silent.reset()
    with pytest.raises(ValueError, match="render_mode"):
        silent.render()
    with pytest.raises(ValueError, match="'video' is neither None nor one of human, ansi"):
        pettingzoo_match.env(render_mode="video")
