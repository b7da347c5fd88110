"""The PettingZoo environment, by PettingZoo's own tests and by ours."""

import contextlib
import io
import pickle
import random
from typing import Any

import numpy as np
import pytest

from tictactoe.errors import IllegalMoveError

pytest.importorskip("pettingzoo", reason="pettingzoo is not installed: pip install '.[rl]'")
from pettingzoo.test import api_test, render_test, seed_test

from tictactoe.environments import pettingzoo_match

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
    with pytest.raises(ValueError, match="'video' is not None or one of human, ansi"):
        pettingzoo_match.env(render_mode="video")
