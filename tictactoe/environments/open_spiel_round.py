"""One round as a game of OpenSpiel, `smbc_tictactoe_round`: player 0 moves first.

Two chance nodes draw the goals, the first mover's and then the other's; the moves follow. Actions 0 to 8 mark the
squares 1 to 9, outcomes 0, 1, 2 of chance are the goals win, lose, tie. OpenSpiel copies its states all the time, once
for every branch of a search: a `RoundPlay` never changes, so it is shared instead.

`Knowledge` is what a player knows in the form of OpenSpiel's observers, `observation` the same as one row of numbers.

An observation is a float32 vector of 106 numbers from 0 to 1:

=========  =================================================================================================
0 to 8     1 where the player has marked square 1, 2, ..., 9
9 to 17    1 where the opponent has marked square 1, 2, ..., 9
18 to 98   the order of the moves: 18 + 9 k + s is 1 if move k (0 is the first) was on square s + 1. The board alone
           does not tell the order, and the order tells about the opponent's goal
99 to 101  the player's own goal: 1 in one place, for win, lose, tie
102, 103   its seat: 1 in one place, for moving first, moving second
104, 105   its own points and the opponent's, divided by the winning score; 0 in a single round
=========  =================================================================================================

Earlier rounds are left out: their goals were drawn independently, so that only the score counts. An action is the
square less 1, 0 to 8; an action mask is int8 (9,), 1 for the squares that may be marked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, TypeVar

import numpy as np
import pyspiel
from numpy.typing import NDArray

from ..algorithms.game import Game
from ..algorithms.game_builder import build_game
from ..checked_numbers import whole_number
from ..errors import IllegalMoveError
from ..games.board import SQUARES, Board
from ..games.payoffs import tic_tac_toe_round
from ..games.rules import DEFAULT_RULES, RESULTS, SINGLE_ROUND, Goal, Outcome, OutcomeValues, Rules, Seat, goal_name
from ..games.tic_tac_toe_tree import BoardFacts, GameTree, boards_of
from ..match.scores import checked_score

_Self = TypeVar("_Self", bound="_Shared")


class _Shared:
    """A value that never changes: its copy is the same object."""

    def __deepcopy__(self: _Self, memo: dict[int, Any]) -> _Self:
        return self


@dataclass(frozen=True)
class RoundVariant(_Shared):
    """A variant of the round. Raises ValueError for a start that is no sequence of moves, or that decides the round.

    >>> variant = RoundVariant(start=(5, 1, 9, 3))
    >>> variant.play.squares, len(RoundVariant(merge_symmetric=False).play.squares)
    ((2, 4, 6, 7, 8), 9)
    """

    rules: Rules = field(default_factory=Rules)
    merge_symmetric: bool = True
    """Which moves are left out: see `GameTree.build`."""
    cut_forced: bool = True
    """Where rounds end: see `GameTree.build`."""
    start: tuple[int, ...] = ()
    """The squares that are played, in order, before goals are drawn. They tell nothing about the goals."""
    values: OutcomeValues = SINGLE_ROUND
    """What the results are worth to the first mover."""

    def __post_init__(self) -> None:
        board = Board()
        for square in self.start:
            if self._outcome(board) is not None:
                raise ValueError(f"start: the round is decided before the last move of {self._start_text}")
            if square not in board.free_squares:
                raise ValueError(f"start: {self._start_text} are not different squares from 1 to 9")
            board = board.play(square)
        if self._outcome(board) is not None:
            raise ValueError(f"start: the round is decided after {self._start_text}")

    @property
    def _start_text(self) -> str:
        return "".join(map(str, self.start))

    def _outcome(self, board: Board) -> Outcome | None:
        """The outcome, as early as it is certain, with or without `cut_forced`."""
        return boards_of(self.rules.of_round).facts(board).outcome

    def facts(self, board: Board) -> BoardFacts:
        """The moves of a board, or how the round has ended."""
        return boards_of(self.rules.of_round, self.merge_symmetric, self.cut_forced).facts(board)

    @property
    def play(self) -> RoundPlay:
        """The round before anything has been drawn."""
        board = Board()
        for square in self.start:
            board = board.play(square)
        return RoundPlay(self, (), self.start, board)

    def game(self) -> Game:
        """The round as a game for the algorithms of this package: types are goals, moves are squares.

        Without a start its tree is that of `GameTree.build`.

        >>> from tictactoe import exploitability, uniform_strategy
        >>> game = RoundVariant(start=(5, 1, 9, 3)).game()
        >>> game.tree.num_nodes, round(exploitability(game, uniform_strategy(game.tree)).total, 6)
        (115, 0.883333)
        """
        if self.start:
            return build_game(_Description(self))
        tree = GameTree.build(self.rules, merge_symmetric=self.merge_symmetric, cut_forced=self.cut_forced)
        return tic_tac_toe_round(tree, self.values)


@dataclass(frozen=True)
class RoundPlay(_Shared):
    """What has happened in a round.

    >>> play = RoundVariant().play.draw(Goal.WIN).draw(Goal.TIE)
    >>> for square in (1, 2, 5, 3, 9):
    ...     play = play.mark(square)
    >>> play.outcome.name, play.scored
    ('WIN', (True, False))
    """

    variant: RoundVariant
    goals: tuple[Goal, ...]
    """The goals drawn so far, the first mover's first."""
    moves: tuple[int, ...]
    """The squares played, in order, beginning with the start."""
    board: Board
    """The marks."""

    @property
    def is_drawn(self) -> bool:
        """Whether both goals have been drawn, so that somebody can move."""
        return len(self.goals) == 2

    @property
    def outcome(self) -> Outcome | None:
        """How the round has ended, None while it goes on."""
        return self.variant.facts(self.board).outcome

    @property
    def mover(self) -> Seat:
        """The player to move, if the round goes on."""
        return Seat(len(self.moves) % 2)

    @property
    def squares(self) -> tuple[int, ...]:
        """The squares that can be marked, in increasing order; empty when the round has ended."""
        return tuple(square for square, _ in self.variant.facts(self.board).moves)

    def draw(self, goal: Goal) -> RoundPlay:
        """The round after the next player has drawn this goal. Raises ValueError if both have goals already."""
        if self.is_drawn:
            raise ValueError("goal: both have been drawn")
        return RoundPlay(self.variant, (*self.goals, goal), self.moves, self.board)

    def mark(self, square: int) -> RoundPlay:
        """The round after the mover's next move. Raises IllegalMoveError for a square that is not in `squares`."""
        for move, after in self.variant.facts(self.board).moves:
            if move == square:
                return RoundPlay(self.variant, self.goals, (*self.moves, square), after)
        raise IllegalMoveError(f"square {square} is not one of {self.squares}")

    @property
    def scored(self) -> tuple[bool, bool]:
        """Whether the first and whether the second mover scores; ValueError while the round goes on."""
        if self.outcome is None or not self.is_drawn:
            raise ValueError("the round goes on")
        return self.variant.rules.scores(self.outcome, *self.goals)

    @property
    def worth(self) -> float:
        """What the result is worth to the first mover; ValueError while the round goes on."""
        return self.variant.values[RESULTS.index(self.scored)]


@dataclass(frozen=True)
class _Description:
    """A `GameDescription`. Its states are rounds without goals."""

    variant: RoundVariant
    types: tuple[tuple[Goal, ...], tuple[Goal, ...]] = (tuple(Goal), tuple(Goal))

    def prior(self, first: Goal, second: Goal) -> float:
        probabilities = self.variant.rules.goal_probabilities
        return probabilities[first] * probabilities[second]

    def root(self) -> RoundPlay:
        return self.variant.play

    def owner(self, state: RoundPlay) -> int | None:
        return int(state.mover) if state.outcome is None else None

    def moves(self, state: RoundPlay) -> list[tuple[int, RoundPlay]]:
        after = self.variant.facts(state.board).moves
        return [(square, RoundPlay(self.variant, (), (*state.moves, square), board)) for square, board in after]

    def payoff(self, state: RoundPlay, first: Goal, second: Goal) -> float:
        return RoundPlay(self.variant, (first, second), state.moves, state.board).worth


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


Observations = NDArray[np.float32]
Masks = NDArray[np.int8]

OWN_MARKS = slice(0, 9)
OPPONENTS_MARKS = slice(9, 18)
MOVES = slice(18, 99)
GOAL = slice(99, 102)
SEAT = slice(102, 104)
POINTS = slice(104, 106)
OBSERVATION_SIZE = 106


def observation(
    moves: Sequence[int], goal: Goal, seat: Seat, points: tuple[int, int] = (0, 0), winning_score: int | None = None
) -> Observations:
    """The observation of a player, float32 (106,), laid out as the module says.

    moves: the squares (1-9) played in this round, in order.
    points: the player's own and the opponent's.
    winning_score: None for a single round.
    Raises ValueError for a move that is no square, and for points below 0.

    >>> from tictactoe import Goal, Seat, observation
    >>> seen = observation((5, 1), Goal.TIE, Seat.FIRST, (2, 4), winning_score=5)
    >>> seen[:9].tolist(), seen[9:18].tolist()
    ([0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    >>> seen[99:].round(1).tolist()
    [0.0, 0.0, 1.0, 1.0, 0.0, 0.4000000059604645, 0.800000011920929]
    """
    result = np.zeros(OBSERVATION_SIZE, np.float32)
    for number, square in enumerate(moves):
        if square not in SQUARES or isinstance(square, bool):
            raise ValueError(f"moves: {square!r} is not a square, 1 to 9")
        marks = OWN_MARKS if number % 2 == seat else OPPONENTS_MARKS
        result[marks.start + square - 1] = 1.0
        result[MOVES.start + NUM_SQUARES * number + square - 1] = 1.0
    result[GOAL.start + goal] = 1.0
    result[SEAT.start + seat] = 1.0
    if winning_score is not None:
        result[POINTS] = np.divide(checked_score("points", points), whole_number("winning_score", winning_score, 1))
    return result


def action_mask(squares: Iterable[int]) -> Masks:
    """The action mask that allows these squares (1-9)."""
    result = np.zeros(NUM_SQUARES, np.int8)
    result[[square - 1 for square in squares]] = 1
    return result
