"""One round as a game of OpenSpiel, `smbc_tictactoe_round`: player 0 moves first.

Two chance nodes draw the goals, the first mover's and then the other's; the moves follow. Actions 0 to 8 mark the
squares 1 to 9, outcomes 0, 1, 2 of chance are the goals win, lose, tie.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

import pyspiel

from ..games.board import SQUARES
from ..games.goals import SINGLE_ROUND, Goal, OutcomeValues, goal_name
from ..games.rules import DEFAULT_RULES, Rules
from .open_spiel_observer import Knowledge, Pieces, round_shapes, round_words, set_round, squares_text
from .round_play import RoundPlay, RoundVariant

NUM_ACTIONS = len(SQUARES)
VARIANT_PARAMETERS = {"rules": DEFAULT_RULES, "merge_symmetric": True, "cut_forced": True}
"""The parameters of both rounds and matches, with their defaults; see RoundVariant."""


def values_text(values: OutcomeValues) -> str:
    """Outcome values as text for the parameter outcome_values, without loss: both:first:second:neither.

    >>> values_text(OutcomeValues(both=0.25, first=1.0, second=-1.0, neither=-0.1))
    '0.25:1.0:-1.0:-0.1'
    """
    return ":".join(repr(float(value)) for value in values)


def parse_values(text: str) -> OutcomeValues:
    """Read the text of `values_text`. Raises ValueError for any other text."""
    try:
        values = OutcomeValues(*map(float, text.split(":")))
    except (ValueError, TypeError) as error:
        wanted = "four numbers both:first:second:neither, such as 0:1:-1:0"
        raise ValueError(f"outcome_values: {text[:60]!r} is not {wanted}") from error
    if not any(values) or not all(map(isfinite, values)):
        raise ValueError(f"outcome_values: {text[:60]!r} are all 0, or not all finite")
    return values


def variant_of(parameters: Mapping[str, Any]) -> RoundVariant:
    """The variant for the parameters of a game; start and outcome_values may be missing. Raises ValueError."""
    start = parameters.get("start", 0)
    if start < 0:
        raise ValueError(f"start: {start} are not squares from 1 to 9")
    return RoundVariant(
        Rules.parse(parameters["rules"]),
        parameters["merge_symmetric"],
        parameters["cut_forced"],
        tuple(map(int, str(start))) if start else (),
        parse_values(parameters["outcome_values"]) if "outcome_values" in parameters else SINGLE_ROUND,
    )


def goal_outcomes(rules: Rules) -> list[tuple[int, float]]:
    """The goals that can be drawn, with their probabilities, as chance outcomes."""
    return [(int(goal), odds) for goal, odds in zip(Goal, rules.goal_probabilities, strict=True) if odds > 0.0]


def play_action(play: RoundPlay, action: int) -> RoundPlay:
    """The round after an action of chance or of the player to move."""
    return play.mark(action + 1) if play.is_drawn else play.draw(Goal(action))


def action_text(play: RoundPlay, action: int) -> str:
    """An action in words: "X wants to win" for a drawn goal, "X5" for a mark."""
    if play.is_drawn:
        return f"{'XO'[play.mover]}{action + 1}"
    return f"{'XO'[len(play.goals)]} wants to {goal_name(action)}"


def play_text(play: RoundPlay) -> str:
    """Both goals and the moves, such as "w? 513"."""
    letters = "".join(goal_name(goal)[0] for goal in play.goals)
    return f"{letters:?<2} {squares_text(play.moves)}"


ROUND_TYPE = pyspiel.GameType(
    short_name="smbc_tictactoe_round",
    long_name="SMBC's imperfect-information tic-tac-toe: one round",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    provides_factored_observation_string=True,
    parameter_specification={**VARIANT_PARAMETERS, "outcome_values": values_text(SINGLE_ROUND), "start": 0},
)


class RoundGame(pyspiel.Game):
    """The game. Raises ValueError for parameters that make no round.

    Parameters:
    rules: with odds if these are not even, such as "filled" or "filled 2:1:1".
    merge_symmetric: whether symmetric moves are merged into one. The round has the same value.
    cut_forced: whether a round ends once its outcome is certain. The round has the same value.
    outcome_values: what the results are worth to the first mover, as text both:first:second:neither.
    start: the squares played before the round begins, as one number, such as 5193; 0 for none. The goals are still
        drawn by the odds, as nobody chose these moves.

    Attribute:
    variant: the parameters as a RoundVariant.
    """

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        given = {**ROUND_TYPE.parameter_specification, **(parameters or {})}
        self.variant = variant_of(given)
        largest = max(map(abs, self.variant.values))
        info = pyspiel.GameInfo(
            num_distinct_actions=NUM_ACTIONS,
            max_chance_outcomes=len(Goal),
            num_players=2,
            min_utility=-largest,
            max_utility=largest,
            utility_sum=0.0,
            max_game_length=NUM_ACTIONS - len(self.variant.start),
        )
        super().__init__(ROUND_TYPE, info, given)

    def max_chance_nodes_in_history(self) -> int:
        """Two goals are drawn."""
        return 2

    def new_initial_state(self, text: str | None = None) -> RoundState:
        """The state before any goal is drawn. Raises ValueError for a text, as no text says which player knows what."""
        if text is not None:
            raise ValueError("str: states are not read from text; use the parameter start, or deserialize_state")
        return RoundState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None) -> RoundReporter:
        """See RoundReporter."""
        return RoundReporter(Knowledge.of(iig_obs_type, params))


class RoundState(pyspiel.State):
    """A state of the game. play: the round so far."""

    def __init__(self, game: RoundGame) -> None:
        super().__init__(game)
        self.play = game.variant.play

    def current_player(self) -> int:
        """The player who acts."""
        if not self.play.is_drawn:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self.is_terminal() else int(self.play.mover)

    def is_terminal(self) -> bool:
        """Whether the round has ended."""
        return self.play.is_drawn and self.play.outcome is not None

    def _legal_actions(self, player: int) -> list[int]:
        return [square - 1 for square in self.play.squares]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The goals, with their probabilities."""
        return goal_outcomes(self.play.variant.rules)

    def _apply_action(self, action: int) -> None:
        self.play = play_action(self.play, action)

    def _action_to_string(self, player: int, action: int) -> str:
        return action_text(self.play, action)

    def returns(self) -> list[float]:
        """The result's value to each player; 0 while the round goes on."""
        if not self.is_terminal():
            return [0.0, 0.0]
        worth = self.play.worth
        return [worth, -worth]

    def __str__(self) -> str:
        return play_text(self.play)


class RoundReporter(Pieces):
    """A player's knowledge of a round. Pieces: player, (2,), 1 for the observing player; and `round_shapes`."""

    def __init__(self, knowledge: Knowledge) -> None:
        super().__init__({"player": (2,), **round_shapes(knowledge)})
        self._knowledge = knowledge

    def set_from(self, state: RoundState, player: int) -> None:
        """Fill the tensor."""
        self.tensor.fill(0)
        self.dict["player"][player] = 1
        set_round(self.dict, state.play, player)

    def string_from(self, state: RoundState, player: int) -> str:
        """Such as "player:0 goal:win moves:5193"."""
        return " ".join([f"player:{player}", *round_words(self._knowledge, state.play, player)])


pyspiel.register_game(ROUND_TYPE, RoundGame)
