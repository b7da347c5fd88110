"""The match, and the single round, for one learning agent against a fixed opponent: a Gymnasium environment.

    from tictactoe.environments.gymnasium_match import AgainstOpponent
    env = AgainstOpponent("learner-10", winning_score=None)

Importing this module registers gymnasium.make("SMBCTicTacToe-v0", opponent="learner-10"), too.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import missing_library
from ..games.rules import Goal
from ..play.bot import RoundBot, generator_for
from ..play.referee import Round
from .match_game import MatchGame, MatchGameOptions, RoundBots, opponent_to_meet
from .observations import NUM_SQUARES, OBSERVATION_SIZE, Observations

try:
    import gymnasium
    from gymnasium import spaces
except ModuleNotFoundError as error:
    raise missing_library(error.name or "gymnasium", "pettingzoo", "gymnasium") from error

__all__ = ["AgainstOpponent"]

AGENT, OPPONENT = 0, 1
RENDER_MODES = ("human", "ansi")


class AgainstOpponent(gymnasium.Env[Observations, np.int64]):
    """One agent, player 0, against an opponent that does not learn.

    opponent: a name such as "perfect", "learner-10" or "uniform", a solution, or a bot; see `opponent_to_meet`.
    render_mode: None; "human" to print after every step; or "ansi", for which `render` returns text.
    winning_score, rules, first, max_rounds, rewards, merge_symmetric: see MatchGameOptions.

    Observation: float32 (106,), see docs/environments.md. Action: the square minus 1, 0 to 8. info["action_mask"], int8
    (9,), has the allowed actions; `step` raises IllegalMoveError for others.

    >>> env = AgainstOpponent("learner-10", winning_score=None)
    >>> observation, info = env.reset(seed=1)
    >>> observation.shape, int(info["action_mask"].sum())
    ((106,), 9)
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # noqa: RUF012 - Gymnasium reads it so

    def __init__(
        self,
        opponent: str | Path | RoundBot | RoundBots = "perfect",
        *,
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        if render_mode not in (None, *RENDER_MODES):
            raise ValueError(f"render_mode: {render_mode!r} is neither None nor one of {', '.join(RENDER_MODES)}")
        self.render_mode = render_mode
        options = MatchGameOptions(**settings)
        self._game = MatchGame(options)
        self._bot_at = opponent_to_meet(opponent, options.rules, options.winning_score)
        self.observation_space = spaces.Box(0.0, 1.0, (OBSERVATION_SIZE,), np.float32)
        self.action_space = spaces.Discrete(NUM_SQUARES)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Begin a match, up to the agent's turn. Without a seed, the last generator continues."""
        super().reset(seed=seed)
        drawn = int(self.np_random.integers(2**63))
        self._game.reset(drawn)
        self._generator = generator_for(drawn, "opponent")
        self._let_opponent_move()
        return self._game.observation(AGENT), self._game.info(AGENT)

    def step(self, action: Any) -> tuple[Observations, float, bool, bool, dict[str, Any]]:
        """Mark square `action` + 1 and let the opponent move until the agent's next turn."""
        game = self._game
        reward = game.play(int(action) + 1)[AGENT] + self._let_opponent_move()
        if self.render_mode == "human":
            self.render()
        terminated = game.mover is None and not game.truncated
        return game.observation(AGENT), reward, terminated, game.truncated, game.info(AGENT)

    def action_masks(self) -> NDArray[np.bool_]:
        """bool (9,): the allowed actions, for MaskablePPO of sb3-contrib."""
        return self._game.mask(AGENT).astype(bool)

    def render(self) -> str | None:
        """The game as text: printed for "human", returned for "ansi"; nothing without a render mode."""
        if self.render_mode == "human":
            print(self._game.text())
        return self._game.text() if self.render_mode == "ansi" else None

    def _let_opponent_move(self) -> float:
        reward = 0.0
        while self._game.mover == OPPONENT:
            reward += self._game.play(self._opponents_square(self._game.round))[AGENT]
        return reward

    def _opponents_square(self, played: Round) -> int:
        square = self._bot_at(played.score).choose(played.cursor, Goal(played.goals[OPPONENT]), self._generator)
        if self._game.options.merge_symmetric:  # only one of several symmetric squares is allowed
            alike = next(squares for squares in played.cursor.squares_by_child().values() if square in squares)
            (square,) = set(alike) & set(self._game.squares)
        return square


gymnasium.register("SMBCTicTacToe-v0", entry_point=AgainstOpponent)
