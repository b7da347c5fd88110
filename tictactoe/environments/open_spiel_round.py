"""One round as a game of OpenSpiel, `smbc_tictactoe_round`: player 0 moves first.

Two chance nodes draw the goals, the first mover's and then the other's; the moves follow. Actions 0 to 8 mark the
squares 1 to 9, outcomes 0, 1, 2 of chance are the goals win, lose, tie. OpenSpiel copies its states all the time, once
for every branch of a search: a `RoundPlay` never changes, so it is shared instead.

`Knowledge` is what a player knows in the form of OpenSpiel's observers: named pieces of one flat tensor, and a string.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import missing_library
from ..games.board import SQUARES
from ..games.rules import DEFAULT_RULES, SINGLE_ROUND, Goal, OutcomeValues, Rules, goal_name
from .match_game import RoundPlay, RoundVariant

try:
    import pyspiel as pyspiel
except ImportError as error:
    raise missing_library("open_spiel", "open_spiel") from error

Piece = NDArray[np.float32]
NUM_SQUARES = len(SQUARES)


@dataclass(frozen=True)
class Knowledge:
    """The part of a state that an observer shows."""

    own_goal: bool
    """Whether it shows the observing player's goal."""
    public: bool
    """Whether it shows public information."""
    perfect_recall: bool
    """Whether it shows all moves so far, not only the present board."""

    @classmethod
    def of(cls, kind: Any, parameters: Mapping[str, Any] | None) -> Knowledge:
        """The knowledge that a pyspiel.IIGObservationType asks for; None is OpenSpiel's default.

        Raises ValueError for parameters, and for a type that asks for both players' goals.
        """
        if parameters:
            raise ValueError(f"params: {dict(parameters)} where there are none")
        kind = kind or pyspiel.IIGObservationType(perfect_recall=False)
        if kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            raise ValueError("iig_obs_type: no observer gives both players' goals")
        own_goal = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        return cls(own_goal, bool(kind.public_info), bool(kind.perfect_recall))


class Pieces:
    """The base of observers: a flat float32 tensor, and a dictionary of views of its parts, in the given shapes."""

    def __init__(self, shapes: Mapping[str, tuple[int, ...]]) -> None:
        sizes = [int(np.prod(shape)) for shape in shapes.values()]
        self.tensor = np.zeros(sum(sizes), np.float32)
        parts = np.split(self.tensor, np.cumsum(sizes)[:-1])
        self.dict = {name: part.reshape(shape) for (name, shape), part in zip(shapes.items(), parts, strict=True)}


def round_shapes(knowledge: Knowledge) -> dict[str, tuple[int, ...]]:
    """The shapes of the pieces that `set_round` fills.

    goal: (3,), 1 for the player's own goal: win, lose or tie.
    moves, with perfect recall: (9, 9), [move, square], 1 if the move marked the square.
    board, without perfect recall: (3, 9), [free, first mover's or second mover's, square].
    """
    shapes: dict[str, tuple[int, ...]] = {"goal": (len(Goal),)} if knowledge.own_goal else {}
    if knowledge.public:
        shapes |= {"moves": (NUM_SQUARES, NUM_SQUARES)} if knowledge.perfect_recall else {"board": (3, NUM_SQUARES)}
    return shapes


def set_round(pieces: Mapping[str, Piece], play: RoundPlay, seat: int) -> None:
    """Fill the pieces of `round_shapes` with the view of the player in `seat`. They must be 0 before."""
    if "goal" in pieces and len(play.goals) > seat:
        pieces["goal"][play.goals[seat]] = 1
    if "moves" in pieces:
        set_moves(pieces["moves"], play.moves)
    if "board" in pieces:
        pieces["board"][0] = 1
        for number, square in enumerate(play.moves):
            pieces["board"][:, square - 1] = (0, number % 2 == 0, number % 2 == 1)


def set_moves(piece: Piece, moves: tuple[int, ...]) -> None:
    """Fill a piece [move, square]. It must be 0 before."""
    for number, square in enumerate(moves):
        piece[number, square - 1] = 1


def round_words(knowledge: Knowledge, play: RoundPlay, seat: int) -> list[str]:
    """The pieces of `round_shapes` in words, such as "goal:win moves:5193", or "board:O.X......"."""
    words = [f"goal:{goal_name(play.goals[seat])}"] if knowledge.own_goal and len(play.goals) > seat else []
    if knowledge.public:
        words.append(f"moves:{squares_text(play.moves)}" if knowledge.perfect_recall else f"board:{board_text(play)}")
    return words


def squares_text(moves: tuple[int, ...]) -> str:
    """5193, "-" for no moves."""
    return "".join(map(str, moves)) or "-"


def board_text(play: RoundPlay) -> str:
    """The squares in order: X, O, or "." where nobody has marked."""
    marks = dict(zip(play.moves, "XOXOXOXOX", strict=False))
    return "".join(marks.get(square, ".") for square in SQUARES)


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


def play_text(play: RoundPlay) -> str:
    """Both goals and the moves, such as "w? 513"."""
    letters = "".join(goal_name(goal)[0] for goal in play.goals)
    return f"{letters:?<2} {squares_text(play.moves)}"


def game_type(short_name: str, what: str, parameters: Mapping[str, Any]) -> Any:
    """A type of game for OpenSpiel. what: a round or a match, for its long name. parameters: with their defaults."""
    return pyspiel.GameType(
        short_name=short_name,
        long_name=f"SMBC's imperfect-information tic-tac-toe: {what}",
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
        parameter_specification={**VARIANT_PARAMETERS, **parameters},
    )


class PlayState(pyspiel.State):
    """What the states of a round and of a match share. play: the round that goes on."""

    play: RoundPlay

    def _legal_actions(self, player: int) -> list[int]:
        return [square - 1 for square in self.play.squares]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The goals that can be drawn, with their probabilities."""
        rules = self.play.variant.rules
        return [(int(goal), odds) for goal, odds in zip(Goal, rules.goal_probabilities, strict=True) if odds > 0.0]

    def _apply_action(self, action: int) -> None:
        self.play = self.play.mark(action + 1) if self.play.is_drawn else self.play.draw(Goal(action))

    def _action_to_string(self, player: int, action: int) -> str:
        """Such as "X wants to win" for a drawn goal, "X5" for a mark."""
        if self.play.is_drawn:
            return f"{'XO'[self.play.mover]}{action + 1}"
        return f"{'XO'[len(self.play.goals)]} wants to {goal_name(action)}"


def refuse_text(text: str | None, instead: str) -> None:
    """Raises ValueError for a state as text, as no text says which player knows what."""
    if text is not None:
        raise ValueError(f"str: states are not read from text; use the {instead}, or deserialize_state")


ROUND_TYPE = game_type("smbc_tictactoe_round", "one round", {"outcome_values": values_text(SINGLE_ROUND), "start": 0})


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
        refuse_text(text, "parameter start")
        return RoundState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None) -> RoundReporter:
        """See RoundReporter."""
        return RoundReporter(Knowledge.of(iig_obs_type, params))


class RoundState(PlayState):
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
