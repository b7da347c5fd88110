"""The match, and the single round, as a PettingZoo environment in which agents act in turns (AEC).

from tictactoe.environments import pettingzoo_match
env = pettingzoo_match.env(winning_score=5, render_mode="ansi")
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import missing_library
from .match_game import PLAYERS, MatchGame, MatchGameOptions
from .observations import NUM_SQUARES, OBSERVATION_SIZE

try:
    from gymnasium import spaces
    from gymnasium.utils import EzPickle
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ModuleNotFoundError as error:
    raise missing_library(error.name or "pettingzoo", "pettingzoo", "gymnasium") from error

__all__ = ["ILLEGAL_REWARD", "env", "raw_env"]

ILLEGAL_REWARD = -1.0
"""The reward of an agent that makes an illegal move."""
RENDER_MODES = ("human", "ansi")


def env(**options: Any) -> AECEnv:
    """`raw_env` with PettingZoo's usual wrappers, and the same parameters.

    An illegal move ends the game, with ILLEGAL_REWARD to the agent that made it and 0 to the other agent.

    >>> round_of_two = env(winning_score=None)
    >>> round_of_two.reset(seed=1)
    >>> round_of_two.last()[0]["action_mask"].tolist()
    [1, 1, 1, 1, 1, 1, 1, 1, 1]
    """
    wrapped = wrappers.TerminateIllegalWrapper(raw_env(**options), illegal_reward=ILLEGAL_REWARD)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


class raw_env(AECEnv, EzPickle):
    """The environment without wrappers, for the agents "player_0" and "player_1".

    render_mode: None; "human" to print after every step; or "ansi", for which `render` returns text.
    The other parameters: see MatchGameOptions.

    An observation is a dictionary: "observation", float32 (106,), see docs/environments.md, and "action_mask", int8
    (9,). An action is the square minus 1, 0 to 8. A match without a winner after `max_rounds` rounds is truncated.

    Raises ValueError for a value that is unknown or out of range; `step` raises IllegalMoveError for a masked action.
    """

    metadata = {  # noqa: RUF012 - PettingZoo reads it so
        "render_modes": list(RENDER_MODES),
        "name": "smbc_tictactoe_match_v0",
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(self, *, render_mode: str | None = None, **settings: Any) -> None:
        EzPickle.__init__(self, render_mode=render_mode, **settings)
        super().__init__()
        if render_mode not in (None, *RENDER_MODES):
            raise ValueError(f"render_mode: {render_mode!r} is neither None nor one of {', '.join(RENDER_MODES)}")
        self.render_mode = render_mode
        self._game = MatchGame(MatchGameOptions(**settings))
        self._random: np.random.Generator | None = None
        self.possible_agents = list(PLAYERS)
        self.agents: list[str] = []
        shown = {
            "observation": spaces.Box(0.0, 1.0, (OBSERVATION_SIZE,), np.float32),
            "action_mask": spaces.Box(0, 1, (NUM_SQUARES,), np.int8),
        }
        self.observation_spaces = {agent: spaces.Dict(shown) for agent in PLAYERS}
        self.action_spaces = {agent: spaces.Discrete(NUM_SQUARES) for agent in PLAYERS}

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a match. Without a seed, the last generator continues; the first is unpredictable."""
        if seed is not None or self._random is None:
            self._random = np.random.default_rng(seed)
        self._game.reset(int(self._random.integers(2**63)))
        self.agents = list(PLAYERS)
        self.rewards = dict.fromkeys(PLAYERS, 0.0)
        self._cumulative_rewards = dict.fromkeys(PLAYERS, 0.0)
        self.terminations = dict.fromkeys(PLAYERS, False)
        self.truncations = dict.fromkeys(PLAYERS, False)
        self._after_move()

    def observe(self, agent: str) -> dict[str, Any]:
        player = PLAYERS.index(agent)
        return {"observation": self._game.observation(player), "action_mask": self._game.mask(player)}

    def step(self, action: Any) -> None:
        """Mark square `action` + 1 for the agent whose turn it is. After the game, an agent takes the action None."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        rewards = self._game.play(int(action) + 1)
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict(zip(PLAYERS, rewards, strict=True))
        self._accumulate_rewards()
        self._after_move()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """The game as text: printed for "human", returned for "ansi". Raises ValueError without a render mode."""
        if self.render_mode is None:
            raise ValueError('render_mode: nothing is rendered without one; give "human" or "ansi"')
        text = self._game.text()
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def close(self) -> None: ...

    def _after_move(self) -> None:
        game = self._game
        if game.mover is None:
            ended = self.truncations if game.truncated else self.terminations
            ended.update(dict.fromkeys(PLAYERS, True))
        self.agent_selection = PLAYERS[game.mover or 0]
        self.infos = {agent: game.info(player) for player, agent in enumerate(PLAYERS)}
