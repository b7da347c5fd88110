"""The round and the match as games of OpenSpiel. Importing this module registers them:

    import pyspiel
    import tictactoe.environments.open_spiel

    game = pyspiel.load_game("smbc_tictactoe_round(rules=filled)")

Two chance nodes draw the goals, the first mover's first. Actions 0 to 8 mark the squares 1 to 9; outcomes 0, 1 and 2 of
chance are the goals win, lose and tie. In the match, `smbc_tictactoe_match`, player 0 moves first in the first round,
and both players learn both goals after a round. docs/openspiel.md says more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..algorithms.arrays import FloatArray
from ..algorithms.best_response import as_rows
from ..algorithms.public_tree import PublicTree
from ..algorithms.strategy import SUM_TOLERANCE, uniform_strategy
from ..errors import missing_library
from ..games.board import SQUARES
from ..games.cursor import Cursor
from ..games.rules import DEFAULT_RULES, SINGLE_ROUND, Goal, OutcomeValues, Rules, Seat, goal_name
from ..games.tic_tac_toe_tree import GameTree
from ..match.scores import Score, all_scores, points_after
from .match_game import RoundPlay, RoundVariant

try:
    import pyspiel as pyspiel
except ImportError as error:
    raise missing_library("open_spiel", "open_spiel") from error

from open_spiel.python import policy as open_spiel_policy  # isort: skip

__all__ = [
    "MatchGame",
    "MatchState",
    "RoundGame",
    "RoundState",
    "RoundVariant",
    "StrategyPolicy",
    "match_policy",
    "match_strategies_of",
    "round_policy",
    "strategy_of",
    "values_text",
]

NUM_SQUARES = len(SQUARES)


def values_text(values: OutcomeValues) -> str:
    """Outcome values as text for the parameter outcome_values: both:first:second:neither.

    >>> values_text(OutcomeValues(both=0.25, first=1.0, second=-1.0, neither=-0.1))
    '0.25:1.0:-1.0:-0.1'
    """
    return ":".join(repr(float(value)) for value in values)


def _parse_values(text: str) -> OutcomeValues:
    try:
        values = OutcomeValues(*map(float, text.split(":")))
    except (ValueError, TypeError) as error:
        wanted = "four numbers both:first:second:neither, such as 0:1:-1:0"
        raise ValueError(f"outcome_values: {text[:60]!r} is not {wanted}") from error
    if not any(values) or not all(map(isfinite, values)):
        raise ValueError(f"outcome_values: {text[:60]!r} are all 0, or not all finite")
    return values


def _game_type(short_name: str, what: str, parameters: Mapping[str, Any]) -> Any:
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
        parameter_specification={"rules": DEFAULT_RULES, "merge_symmetric": True, "cut_forced": True, **parameters},
    )


ROUND_TYPE = _game_type("smbc_tictactoe_round", "one round", {"outcome_values": values_text(SINGLE_ROUND), "start": 0})
MATCH_TYPE = _game_type(
    "smbc_tictactoe_match", "a match", {"winning_score": 5, "max_rounds": 60, "first_points": 0, "second_points": 0}
)


class _Game(pyspiel.Game):
    def __init__(self, kind: Any, given: Mapping[str, Any], largest: float, max_rounds: int, length: int) -> None:
        self.max_rounds = max_rounds
        info = pyspiel.GameInfo(
            num_distinct_actions=NUM_SQUARES,
            max_chance_outcomes=len(Goal),
            num_players=2,
            min_utility=-largest,
            max_utility=largest,
            utility_sum=0.0,
            max_game_length=length,
        )
        super().__init__(kind, info, given)

    @staticmethod
    def _variant(given: Mapping[str, Any]) -> RoundVariant:
        start = given.get("start", 0)
        if start < 0:
            raise ValueError(f"start: {start} are not squares from 1 to 9")
        return RoundVariant(
            Rules.parse(given["rules"]),
            given["merge_symmetric"],
            given["cut_forced"],
            tuple(map(int, str(start))) if start else (),
            _parse_values(given["outcome_values"]) if "outcome_values" in given else SINGLE_ROUND,
        )

    def max_chance_nodes_in_history(self) -> int:
        return 2 * self.max_rounds

    def _state(self) -> RoundState:
        raise NotImplementedError

    def new_initial_state(self, text: str | None = None) -> RoundState:
        """The state before any goal is drawn. Raises ValueError for a text."""
        if text is not None:
            raise ValueError("str: states are not read from text; use the parameters, or deserialize_state")
        return self._state()


class RoundGame(_Game):
    """One round. Raises ValueError for parameters that do not make a round.

    rules: with odds if these are not even, such as "filled" or "filled 2:1:1".
    merge_symmetric: whether symmetric moves are merged into one.
    cut_forced: whether a round ends once its outcome is certain.
    outcome_values: the results' values to the first mover, as text both:first:second:neither.
    start: the squares played before the round begins, as one number, such as 5193; 0 for none.

    The attribute `variant` has the parameters as a RoundVariant.
    """

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        given = {**ROUND_TYPE.parameter_specification, **(parameters or {})}
        self.variant = self._variant(given)
        super().__init__(
            ROUND_TYPE, given, max(map(abs, self.variant.values)), 1, NUM_SQUARES - len(self.variant.start)
        )

    def _state(self) -> RoundState:
        return RoundState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None) -> RoundObserver:
        return RoundObserver(iig_obs_type, params)


class MatchGame(_Game):
    """A match. Raises ValueError for parameters that do not make a match.

    rules, merge_symmetric, cut_forced: see RoundGame.
    winning_score: the points that win the match.
    max_rounds: the number of rounds after which an undecided match is a draw.
    first_points, second_points: the points of players 0 and 1 at the start.

    Attributes: `variant`, the variant of the rounds, and `score`, the score at the start.
    """

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        given = {**MATCH_TYPE.parameter_specification, **(parameters or {})}
        self.variant = self._variant(given)
        self.winning_score: int = given["winning_score"]
        self.score = Score(given["first_points"], given["second_points"])
        for name in ("winning_score", "max_rounds"):
            if given[name] < 1:
                raise ValueError(f"{name}: {given[name]} is not at least 1")
        for name in ("first_points", "second_points"):
            if not 0 <= given[name] < self.winning_score:
                raise ValueError(f"{name}: {given[name]} is not from 0 to {self.winning_score - 1}")
        super().__init__(MATCH_TYPE, given, 1.0, given["max_rounds"], NUM_SQUARES * given["max_rounds"])

    def _state(self) -> MatchState:
        return MatchState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None) -> MatchObserver:
        return MatchObserver(iig_obs_type, params, self.winning_score, self.max_rounds)


class RoundState(pyspiel.State):
    """A state of a round. play: the round so far. first: the player who moves first in it."""

    first = 0

    def __init__(self, game: RoundGame | MatchGame) -> None:
        super().__init__(game)
        self.play: RoundPlay = game.variant.play

    def current_player(self) -> int:
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        return (self.first + self.play.mover) % 2 if self.play.is_drawn else int(pyspiel.PlayerId.CHANCE)

    def is_terminal(self) -> bool:
        return self.play.is_drawn and self.play.outcome is not None

    def returns(self) -> list[float]:
        """The result's value to each player; 0 while the game continues."""
        worth = self.play.worth if self.is_terminal() else 0.0
        return [worth, -worth]

    def _legal_actions(self, player: int) -> list[int]:
        return [square - 1 for square in self.play.squares]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        rules = self.play.variant.rules
        return [(int(goal), odds) for goal, odds in zip(Goal, rules.goal_probabilities, strict=True) if odds > 0.0]

    def _apply_action(self, action: int) -> None:
        self.play = self.play.mark(action + 1) if self.play.is_drawn else self.play.draw(Goal(action))

    def _action_to_string(self, player: int, action: int) -> str:
        if self.play.is_drawn:
            return f"{'XO'[self.play.mover]}{action + 1}"
        return f"{'XO'[len(self.play.goals)]} wants to {goal_name(action)}"

    def __str__(self) -> str:
        return _play_text(self.play)


class MatchState(RoundState):
    """A state of a match.

    play: the current or last round.
    rounds: the finished rounds, in order.
    points: the points of players 0 and 1.
    winner: player 0 or 1; None if nobody has won.
    """

    def __init__(self, game: MatchGame) -> None:
        super().__init__(game)
        self.rounds: tuple[RoundPlay, ...] = ()
        self.points: tuple[int, int] = (game.score.first, game.score.second)
        self.winner: int | None = None
        self.winning_score: int = game.winning_score
        self.max_rounds: int = game.max_rounds

    @property
    def first(self) -> int:  # type: ignore[override]
        return (len(self.rounds) - self.is_terminal()) % 2

    @property
    def score(self) -> Score:
        """The points before the round `play`, of its first mover and of the other player.

        Raises ValueError when the match is over.
        """
        if self.is_terminal():
            raise ValueError("the match is over")
        return Score(self.points[self.first], self.points[1 - self.first])

    def is_terminal(self) -> bool:
        return self.winner is not None or len(self.rounds) == self.max_rounds

    def _apply_action(self, action: int) -> None:
        super()._apply_action(action)
        if not self.play.is_drawn or self.play.outcome is None:
            return
        scored = self.play.scored if self.first == 0 else self.play.scored[::-1]
        self.points = points_after(self.points, scored, self.winning_score)
        self.rounds = (*self.rounds, self.play)
        if max(self.points) >= self.winning_score:
            self.winner = self.points.index(max(self.points))
        elif len(self.rounds) < self.max_rounds:
            self.play = self.play.variant.play

    def returns(self) -> list[float]:
        """1 to the winner and -1 to the other; 0 while nobody has won."""
        if self.winner is None:
            return [0.0, 0.0]
        return [1.0, -1.0] if self.winner == 0 else [-1.0, 1.0]

    def __str__(self) -> str:
        words = map(_play_text, self.rounds if self.is_terminal() else (*self.rounds, self.play))
        return f"{self.points[0]}-{self.points[1]}: {', '.join(words)}"


def _play_text(play: RoundPlay) -> str:
    letters = "".join(goal_name(goal)[0] for goal in play.goals)
    return f"{letters:?<2} {_squares_text(play.moves)}"


def _squares_text(moves: tuple[int, ...]) -> str:
    return "".join(map(str, moves)) or "-"


class RoundObserver:
    """A player's knowledge of a round, as an observer of OpenSpiel: pieces of one flat tensor, and a string.

    Pieces, where "one of" means a 1 in one place:
    player: one of two.
    goal, if private information is asked for: one of three.
    moves, with perfect recall: [move, square], 1 if the move marked the square.
    board, without perfect recall: [free, first mover's or second mover's, square].

    kind: a pyspiel.IIGObservationType; None is OpenSpiel's default. Raises ValueError for parameters, and for a kind
    that asks for both players' goals. more: the shapes of further public pieces.
    """

    def __init__(
        self, kind: Any, parameters: Mapping[str, Any] | None, more: Mapping[str, tuple[int, ...]] | None = None
    ) -> None:
        if parameters:
            raise ValueError(f"params: {dict(parameters)}, but there are none")
        kind = kind or pyspiel.IIGObservationType(perfect_recall=False)
        if kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            raise ValueError("iig_obs_type: no observer gives both players' goals")
        self._own_goal = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        self._public, self._perfect_recall = bool(kind.public_info), bool(kind.perfect_recall)
        shapes: dict[str, tuple[int, ...]] = {"player": (2,)}
        if self._own_goal:
            shapes["goal"] = (len(Goal),)
        if self._public:
            shapes |= {"moves": (NUM_SQUARES, NUM_SQUARES)} if self._perfect_recall else {"board": (3, NUM_SQUARES)}
            shapes |= more or {}
        sizes = [int(np.prod(shape)) for shape in shapes.values()]
        self.tensor = np.zeros(sum(sizes), np.float32)
        parts = np.split(self.tensor, np.cumsum(sizes)[:-1])
        self.dict = {name: part.reshape(shape) for (name, shape), part in zip(shapes.items(), parts, strict=True)}

    def set_from(self, state: RoundState, player: int) -> None:
        self.tensor.fill(0)
        self.dict["player"][player] = 1
        play, seat = state.play, (player + state.first) % 2
        if self._own_goal and len(play.goals) > seat:
            self.dict["goal"][play.goals[seat]] = 1
        if "moves" in self.dict:
            _set_moves(self.dict["moves"], play.moves)
        if "board" in self.dict:
            self.dict["board"][0] = 1
            for number, square in enumerate(play.moves):
                self.dict["board"][:, square - 1] = (0, number % 2 == 0, number % 2 == 1)

    def string_from(self, state: RoundState, player: int) -> str:
        """Such as "player:0 goal:win moves:5193", or "player:0 goal:win board:O.X......"."""
        play, seat = state.play, (player + state.first) % 2
        words = [f"player:{player}", *self._words_before(state, player)]
        if self._own_goal and len(play.goals) > seat:
            words.append(f"goal:{goal_name(play.goals[seat])}")
        if self._public and self._perfect_recall:
            words.append(f"moves:{_squares_text(play.moves)}")
        elif self._public:
            marks = dict(zip(play.moves, "XOXOXOXOX", strict=False))
            words.append(f"board:{''.join(marks.get(square, '.') for square in SQUARES)}")
        return " ".join(words)

    def _words_before(self, state: Any, player: int) -> list[str]:
        return []


class MatchObserver(RoundObserver):
    """A player's knowledge of a match. Further pieces:

    seat: in the round, one of first and second.
    points: [own or the opponent's], one of 0 to winning_score.
    rounds: the finished rounds as a part of max_rounds, 0 to 1.
    earlier_goals, with perfect recall: [round, own or the opponent's], one of three.
    earlier_moves, with perfect recall: [round, move, square], 1 if the move marked the square.
    """

    def __init__(self, kind: Any, parameters: Mapping[str, Any] | None, winning_score: int, max_rounds: int) -> None:
        more: dict[str, tuple[int, ...]] = {"seat": (2,), "points": (2, winning_score + 1), "rounds": (1,)}
        if kind is not None and kind.perfect_recall:
            more["earlier_goals"] = (max_rounds, 2, len(Goal))
            more["earlier_moves"] = (max_rounds, NUM_SQUARES, NUM_SQUARES)
        super().__init__(kind, parameters, more)

    def set_from(self, state: MatchState, player: int) -> None:
        super().set_from(state, player)
        if not self._public:
            return
        self.dict["seat"][(player + state.first) % 2] = 1
        for row, whose in enumerate((player, 1 - player)):
            self.dict["points"][row, state.points[whose]] = 1
        self.dict["rounds"][0] = len(state.rounds) / state.max_rounds
        if self._perfect_recall:
            for number, played in enumerate(state.rounds):
                for row, goal in enumerate(_own_goal_first(played, (player + number) % 2)):
                    self.dict["earlier_goals"][number, row, goal] = 1
                _set_moves(self.dict["earlier_moves"][number], played.moves)

    def _words_before(self, state: MatchState, player: int) -> list[str]:
        words = [f"round:{len(state.rounds) + 1}", f"points:{state.points[player]}-{state.points[1 - player]}"]
        if self._perfect_recall:
            for number, played in enumerate(state.rounds):
                goals = map(goal_name, _own_goal_first(played, (player + number) % 2))
                words.append(f"earlier:{'/'.join([*goals, _squares_text(played.moves)])}")
        return words if self._public else []


def _own_goal_first(play: RoundPlay, seat: int) -> tuple[Goal, Goal]:
    return play.goals[seat], play.goals[1 - seat]


def _set_moves(piece: NDArray[np.float32], moves: tuple[int, ...]) -> None:
    for number, square in enumerate(moves):
        piece[number, square - 1] = 1


pyspiel.register_game(ROUND_TYPE, RoundGame)
pyspiel.register_game(MATCH_TYPE, MatchGame)


class StrategyPolicy(open_spiel_policy.Policy):
    """Strategies of a tree as a policy of a game of OpenSpiel; see `round_policy` and `match_policy`.

    A move that represents several squares divides its probability evenly among them. Where the tree has a leaf and the
    game continues, all moves are equally likely.
    """

    def __init__(self, game: RoundGame | MatchGame, tree: GameTree, strategy_at: Callable[[Any], FloatArray]) -> None:
        """Raises ValueError if game and tree differ in their rules."""
        super().__init__(game, list(range(game.num_players())))
        if tree.rules.name != game.variant.rules.name:
            raise ValueError(f"tree: its rules are {tree.rules.name}, but the game's are {game.variant.rules.name}")
        self._tree = tree
        self._strategy_at = strategy_at
        self._moves: dict[tuple[int, ...], dict[int, list[int]]] = {}  # by history, the actions that lead to a child

    def action_probabilities(self, state: RoundState, player_id: int | None = None) -> dict[int, float]:
        """The probability of every legal action.

        Raises ValueError for a player who is not to move, and for moves of the tree that the game merges.
        """
        if player_id not in (None, state.current_player()) or state.current_player() < 0:
            raise ValueError(f"player_id: {player_id} is not to move at {state}")
        play, actions = state.play, state.legal_actions()
        if play.moves not in self._moves:
            squares = Cursor(self._tree, play.moves).squares_by_child()
            self._moves[play.moves] = {
                child: [square - 1 for square in shared if square - 1 in actions] for child, shared in squares.items()
            }
        moves = self._moves[play.moves]
        if not moves:  # the tree has a leaf here
            return dict.fromkeys(actions, 1.0 / len(actions))
        strategy, goal = self._strategy_at(state), play.goals[play.mover]
        shares = ((shared, float(strategy[child, goal])) for child, shared in moves.items())
        result = {action: share / len(shared) for shared, share in shares for action in shared}
        if abs(sum(result.values()) - 1.0) > SUM_TOLERANCE:
            raise ValueError(f"strategy: its tree has moves after {play.moves} that the game does not have")
        return {action: result[action] for action in actions}


def round_policy(game: RoundGame, strategy: FloatArray, tree: GameTree | None = None) -> StrategyPolicy:
    """A strategy, float64 (num_nodes, 3), as a policy of a round of OpenSpiel.

    game: any variant by the same rules.
    tree: the strategy's tree; None for `GameTree.build` of the game's rules.

    Raises ValueError for an array that is not a strategy, or for a tree by other rules.

    >>> import pyspiel
    >>> from tictactoe import open_saved
    >>> game = pyspiel.load_game("smbc_tictactoe_round(merge_symmetric=false)")
    >>> policy = round_policy(game, open_saved("single_round").load().average_strategy)
    >>> state = game.new_initial_state()
    >>> for action in (0, 1, 4):  # X wants to win, O to lose; X marks 5
    ...     state.apply_action(action)
    >>> {state.action_to_string(action): round(p, 3) for action, p in policy.action_probabilities(state).items()}
    {'O1': 0.25, 'O2': 0.0, 'O3': 0.25, 'O4': 0.0, 'O6': 0.0, 'O7': 0.25, 'O8': 0.0, 'O9': 0.25}
    """
    tree = GameTree.build(game.variant.rules) if tree is None else tree
    as_rows(tree, strategy)  # raises for an array that is not a strategy
    return StrategyPolicy(game, tree, lambda state: strategy)


def match_policy(
    game: MatchGame, strategies: Mapping[Score, FloatArray], tree: GameTree | None = None
) -> StrategyPolicy:
    """Strategies by score, such as `Solution.average_strategy`, as a policy of a match of OpenSpiel.

    strategies: by score, float64 (num_nodes, 3); each is checked at its first use.
    tree: see `round_policy`.

    Raises ValueError for other rules, and for a missing score. `part_for_shorter_match` translates the scores of a
    longer match.

    >>> import pyspiel
    >>> from tictactoe import open_saved
    >>> game = pyspiel.load_game("smbc_tictactoe_match(winning_score=1)")
    >>> policy = match_policy(game, open_saved("match_to_1").solution.average_strategy)
    >>> state = game.new_initial_state()
    >>> for action in (0, 1):  # X wants to win, O to lose
    ...     state.apply_action(action)
    >>> policy.action_probabilities(state)
    {0: 0.0, 1: 0.0, 4: 1.0}
    """
    tree = GameTree.build(game.variant.rules) if tree is None else tree
    missing = [str(score) for score in all_scores(game.winning_score) if score not in strategies]
    if missing:
        raise ValueError(f"strategies: none for {len(missing)} scores, such as {missing[0]}")

    @cache
    def strategy_at(score: Score) -> FloatArray:
        strategy = strategies[score]
        as_rows(tree, strategy)  # raises for an array that is not a strategy
        return strategy

    return StrategyPolicy(game, tree, lambda state: strategy_at(state.score))


def strategy_of(game: RoundGame, policy: open_spiel_policy.Policy) -> FloatArray:
    """A policy of OpenSpiel as a strategy on the tree of `game.variant.game()`: float64 (num_nodes, 3).

    The policy must not see the opponent's goal. With a goal that is never drawn, all moves are equally likely.

    Raises ValueError if the policy does not give probabilities, and the policy's own errors.

    >>> import pyspiel
    >>> from open_spiel.python.policy import UniformRandomPolicy
    >>> from tictactoe import exploitability
    >>> game = pyspiel.load_game("smbc_tictactoe_round(start=5193)")
    >>> ours = game.variant.game()
    >>> round(exploitability(ours, strategy_of(game, UniformRandomPolicy(game))).total, 6)
    0.883333
    """
    return _read(game, game.variant.game().tree, policy)


def match_strategies_of(game: MatchGame, policy: open_spiel_policy.Policy) -> dict[Score, FloatArray]:
    """The strategy from `strategy_of` in the first round of a match that begins at a score, with player 0 as first
    mover, by score.

    The policy's use of earlier rounds is lost.
    """
    variant = game.variant
    tree = GameTree.build(variant.rules, merge_symmetric=variant.merge_symmetric, cut_forced=variant.cut_forced)
    result = {}
    for score in all_scores(game.winning_score):
        points = {"first_points": score.first, "second_points": score.second}
        at_score = pyspiel.load_game(MATCH_TYPE.short_name, {**game.get_parameters(), **points})
        result[score] = _read(at_score, tree, policy)
    return result


def _read(game: RoundGame | MatchGame, tree: PublicTree, policy: open_spiel_policy.Policy) -> FloatArray:
    result = uniform_strategy(tree)
    drawn = [goal for goal, odds in zip(Goal, game.variant.rules.goal_probabilities, strict=True) if odds > 0.0]
    for seat in Seat:
        for goal in drawn:
            state = game.new_initial_state()
            for draws in (goal, drawn[0]) if seat is Seat.FIRST else (drawn[0], goal):
                state.apply_action(int(draws))
            waiting = [(0, state)]
            while waiting:
                node, state = waiting.pop()
                children = tree.children(node)
                if tree.owner[node] == seat:
                    probabilities = policy.action_probabilities(state)
                    for child in children:
                        result[child, goal] = probabilities.get(tree.move(child) - 1, 0.0)
                waiting += [(child, state.child(tree.move(child) - 1)) for child in children if tree.owner[child] >= 0]
    as_rows(tree, result)
    return result
