"""Learning by trial and error: methods, a learner that plays rounds and fills a table, and compiled play.

**Average reward** (Monte Carlo control, every visit; Sutton & Barto 2018, section 5.4): after a round with reward R, Q
+= (R - Q) / n for the n-th visit of every own move. **Q-learning** (Watkins 1989): Q += rate * (max Q' - Q), where Q'
are the values of the learner's next state, or R after its last move. The rate is (H + 1) / (H + n) with H = 5 (Jin,
Allen-Zhu, Bubeck & Jordan 2018), or constant. With probability epsilon, both choose any move, otherwise the move of the
highest value (the first of equals).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..checked_numbers import finite_number, positive_number, whole_number
from . import arrays, sampling, simd
from .arrays import (
    CHANCE,
    LARGEST_NUM_TYPES,
    NUM_TYPES,
    FloatArray,
    IntArray,
    Rows,
    SweepArrays,
    make_workspace,
    plain,
    rows_of,
    zero_rows,
)
from .best_response import as_rows, best_response_value, expected_value_of_rows, nash_conv_of_rows
from .compiling import compiled_with, inlined
from .game import Game
from .game_description import GameDescription
from .hidden_moves import HiddenMovesGame
from .public_tree import read_only
from .sampling import draw, draw_types
from .simd import get
from .single_player import best_play
from .strategy import both_seats, greedy_strategy

METHODS = ("average-reward", "q-learning")
RATE_HORIZON = 5
"""H in the rate of Q-learning, about the number of a player's moves in a round of tic-tac-toe."""
MOST_LEARNING_ROUNDS = 10**12
"""The limit that numbers of rounds stay below."""


@dataclass(frozen=True, kw_only=True)
class LearningMethod:
    """A way to learn values. Raises ValueError, which names the wrong field.

    >>> LearningMethod(method="q-learning", learning_rate=1).learning_rate
    1.0
    >>> LearningMethod(method="sarsa")
    Traceback (most recent call last):
    ValueError: method: 'sarsa' is not one of average-reward, q-learning
    """

    method: str = "average-reward"
    """The name of the method, one of METHODS."""
    learning_rate: float | None = None
    """A constant rate of Q-learning, above 0 and at most 1; None for the falling rate of the module, and for
    average-reward."""
    epsilon: float = 1.0
    """The probability of a random move in the first round."""
    epsilon_end: float = 0.1
    """The probability of a random move from round epsilon_episodes on."""
    epsilon_episodes: int = 100_000
    """The number of rounds in which the probability falls evenly from epsilon to epsilon_end."""

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ValueError(f"method: {self.method!r} is not one of {', '.join(METHODS)}")
        if self.learning_rate is not None:
            object.__setattr__(self, "learning_rate", positive_number("learning_rate", self.learning_rate, 1.0))
        if self.learning_rate is not None and self.method == "average-reward":
            raise ValueError("learning_rate: average-reward has none; it applies only to q-learning")
        for field in ("epsilon", "epsilon_end"):
            object.__setattr__(self, field, finite_number(field, getattr(self, field), 0.0, 1.0))
        rounds = whole_number("epsilon_episodes", self.epsilon_episodes, 0, MOST_LEARNING_ROUNDS - 1)
        object.__setattr__(self, "epsilon_episodes", rounds)


class LearningFigures(NamedTuple):
    """The exact quality of a learner's greedy policy, in payoff.

    The policy plays the learner's opponent, or itself if the learner plays itself.

    >>> LearningFigures(rounds=1000, nodes=7012, as_first=0.25, as_second=0.5, exploitability=1.25).value
    0.375
    """

    rounds: int
    """The number of rounds that the learner has played."""
    nodes: int
    """The number of decision nodes visited in these rounds."""
    as_first: float
    """The policy's expected payoff as player 0."""
    as_second: float
    """The policy's expected payoff as player 1."""
    exploitability: float
    """NashConv of the policy in both seats."""

    @property
    def value(self) -> float:
        """The policy's expected payoff, averaged over both seats."""
        return (self.as_first + self.as_second) / 2.0


_compiled = compiled_with(arrays, sampling, simd)
_KEY_STEP = 0xD1342543DE82EF95  # odd, so that keys of different rounds differ


class Lesson(NamedTuple):
    """The game and the opponent: N nodes, C leaf classes, k private types per player. Read-only except for `path`."""

    tree: SweepArrays
    payoffs: FloatArray
    """float64 (C, k, k), by leaf class and the types of players 0 and 1: the payoff to player 0."""
    prior: FloatArray
    """float64 (k, L), by the types of players 1 and 0; 0 from column k on."""
    row: IntArray
    """int32 (N,): the table's row of the move into a node."""
    opponent: Rows
    """(N,): the strategy of a fixed opponent. Length 0: the learner plays itself."""
    reach_of: IntArray
    """int32 (N,): the number in `reaches` of the node that a chance move leads to. Length 0 without chance moves."""
    reaches: FloatArray
    """float64 (R, k, k), by number and the types of players 0 and 1: the probability of all chance moves on the way to
    a node, as in ChanceReach, or of the last one alone (see `folded`)."""
    folded: bool
    """Whether `reaches` include all chance moves on the way, and `payoffs` their probabilities; false for a graph,
    where several ways lead to a node."""
    path: IntArray
    """int32 (longest round, 2): scratch for a round's decision nodes and the nodes that the moves lead to."""


class Table(NamedTuple):
    """The learnt values: R rows, one per state and move; the column is the mover's type."""

    values: FloatArray
    """float64 (R, k): estimates of the reward to the mover, in payoff; 0 before the first visit."""
    visits: NDArray[np.int64]
    """int64 (R, k): the number of updates of each value."""


class Method(NamedTuple):
    """A way to learn values. The n-th visit has the rate `rate`, or (offset + 1) / (offset + n) if `rate` is 0."""

    bootstraps: bool  # Q-learning: learn from the best value of the learner's next state; else from the reward
    rate: float
    offset: float
    epsilon: float  # of the first round
    epsilon_end: float  # of all rounds from epsilon_episodes on; in between it falls evenly
    epsilon_episodes: float


@inlined
def _best_child(lesson: Lesson, values: FloatArray, decision: int, own_type: int) -> int:
    first, end = lesson.tree.first_child[decision], lesson.tree.first_child[decision + 1]
    best: int = first
    for child in range(first + 1, end):
        if values[lesson.row[child], own_type] > values[lesson.row[best], own_type]:
            best = child
    return best


@inlined
def _drawn_child(lesson: Lesson, decision: int, own_type: int, left: float) -> int:
    chosen = -1
    for child in range(lesson.tree.first_child[decision], lesson.tree.first_child[decision + 1]):
        chance = get(lesson.opponent, child, own_type)
        if chance > 0.0 and left >= 0.0:
            chosen = child  # the last possible one, if rounding leaves a remainder
            left -= chance
    return chosen


@inlined
def _chance_child(lesson: Lesson, decision: int, types: tuple[int, int], left: float) -> int:
    chosen = -1
    for child in range(lesson.tree.first_child[decision], lesson.tree.first_child[decision + 1]):
        chance = lesson.reaches[lesson.reach_of[child], types[0], types[1]]
        if chance > 0.0 and left >= 0.0:
            chosen = child  # the last possible one, if rounding leaves a remainder
            left -= chance
    return chosen


@_compiled
def play_rounds(lesson: Lesson, method: Method, key: np.uint64, first_round: int, num_rounds: int, table: Table) -> int:
    """Play rounds and learn from each. Returns the number of visited decision nodes. Modifies `table` and lesson.path.

    Against a fixed opponent, the learner is player 0 in rounds of even number and player 1 in the others. Every round
    has a key of its own. Draw -1 chooses both types; draw 2i the move i of the opponent or of chance, or whether the
    learner's move i is random; draw 2i + 1 chooses that random move.
    """
    tree, values, visits, path = lesson.tree, table.values, table.visits, lesson.path
    self_play = len(lesson.opponent) == 0
    num_visited, met = 0, lesson.prior.sum(axis=1)
    for number in range(first_round, first_round + num_rounds):
        round_key = key + np.uint64(number) * np.uint64(_KEY_STEP)
        first_type, second_type = draw_types(lesson.prior, met, round_key)
        learner = number % 2
        epsilon = method.epsilon_end
        if number < method.epsilon_episodes:
            epsilon = method.epsilon + (method.epsilon_end - method.epsilon) * (number / method.epsilon_episodes)
        decision, length, reach = 0, 0, 1.0
        while decision < len(tree.owner):
            player = tree.owner[decision]
            own_type = first_type if player == 0 else second_type
            chance = draw(round_key, 2 * length)
            if player == CHANCE:
                child = _chance_child(lesson, decision, (first_type, second_type), chance * reach)
                if lesson.folded:
                    reach = lesson.reaches[lesson.reach_of[child], first_type, second_type]
            elif not (self_play or player == learner):
                child = _drawn_child(lesson, decision, own_type, chance)
            elif chance < epsilon:
                first, end = tree.first_child[decision], tree.first_child[decision + 1]
                child = first + int(draw(round_key, 2 * length + 1) * (end - first))
            else:
                child = _best_child(lesson, values, decision, own_type)
            path[length, 0] = decision
            path[length, 1] = child
            length += 1
            decision = tree.target[child]
        num_visited += length
        to_first = lesson.payoffs[decision - len(tree.owner), first_type, second_type] / reach
        for step in range(length):
            player = tree.owner[path[step, 0]]
            if player == CHANCE or not (self_play or player == learner):
                continue
            own_type, target = (first_type, to_first) if player == 0 else (second_type, -to_first)
            if method.bootstraps:
                later = step + 1
                while later < length and tree.owner[path[later, 0]] != player:
                    later += 1
                if later < length:
                    best = _best_child(lesson, values, path[later, 0], own_type)
                    target = values[lesson.row[best], own_type]
            row = lesson.row[path[step, 1]]
            visits[row, own_type] += 1
            rate = method.rate if method.rate > 0.0 else (method.offset + 1.0) / (method.offset + visits[row, own_type])
            values[row, own_type] += rate * (target - values[row, own_type])
    return num_visited


class TabularLearner:
    """A learner of a game by playing it. Its table is `values` and `visits`, (num_rows, k), by the mover's type.

    game: a game of two players, or a `StateGraph`, in which a row is a move and only column 0 is used.
    opponent: float64 (num_nodes, k), the strategy that it plays against; None to play alone or against itself, as an
        independent learner in each seat.
    row: int32 (num_nodes,), the table's row of the move into a node; None for a row for every move.
    seed: the seed of its draws.

    Raises ValueError for arrays that do not match, for chance moves of unknown probabilities, for more than 64 types,
    and for players who do not know their type.

    >>> from tictactoe import kuhn_poker, uniform_strategy, best_response_value
    >>> kuhn = kuhn_poker()
    >>> opponent = uniform_strategy(kuhn.tree)
    >>> learner = TabularLearner(kuhn, LearningMethod(epsilon_episodes=5000), opponent=opponent)
    >>> learner.run(50_000)
    >>> round(learner.figures().as_first, 6), best_response_value(kuhn, 0, opponent)
    (0.5, 0.5)
    >>> from tictactoe import named_game
    >>> learner = TabularLearner(state_graph(named_game("twenty-one").description), LearningMethod())
    >>> learner.run(200_000)
    >>> -0.09 < learner.figures().value < -0.046556
    True
    """

    def __init__(
        self,
        game: Game | StateGraph,
        method: LearningMethod,
        *,
        opponent: FloatArray | None = None,
        row: IntArray | None = None,
        seed: int = 0,
    ) -> None:
        self.game, self.method, self.opponent = game, method, opponent
        self.rounds = self.nodes = 0
        if isinstance(game, StateGraph):
            lesson = _lesson_of_states(game)
        elif isinstance(game, HiddenMovesGame):
            lesson = _lesson_of_histories(game, opponent)
        else:
            lesson = _lesson(game, opponent, row)
        # read-only, so that numba compiles one function for all games and none for writable arrays
        tree = SweepArrays._make(each if each is None else read_only(each.view()) for each in lesson.tree)
        self._lesson = lesson._replace(tree=tree, row=read_only(lesson.row.view()))
        size = int(lesson.row.max()) + 1, lesson.payoffs.shape[-1]
        self.values, self.visits = np.zeros(size), np.zeros(size, np.int64)
        bootstraps = method.method == "q-learning"
        schedule = method.epsilon, method.epsilon_end, float(method.epsilon_episodes)
        self._how = Method(bootstraps, method.learning_rate or 0.0, bootstraps * float(RATE_HORIZON), *schedule)
        self._key = np.random.SeedSequence(whole_number("seed", seed, 0)).generate_state(1, np.uint64)[0]

    def run(self, num_rounds: int) -> None:
        """Play `num_rounds` rounds and learn from them. Releases the interpreter lock.

        Raises ValueError unless the number is whole and not negative.
        """
        num_rounds = whole_number("num_rounds", num_rounds, 0)
        table = Table(self.values, self.visits)
        self.nodes += play_rounds(self._lesson, self._how, self._key, self.rounds, num_rounds, table)
        self.rounds += num_rounds

    def set_state(self, rounds: int, nodes: int, values: FloatArray, visits: NDArray[np.int64]) -> None:
        """Continue from an earlier table, bit for bit. Raises ValueError for arrays of another shape."""
        if not values.shape == visits.shape == self.values.shape:
            raise ValueError(f"values, visits: shapes {values.shape} and {visits.shape}, expected {self.values.shape}")
        self.rounds, self.nodes = rounds, nodes
        self.values[:], self.visits[:] = values, visits

    def greedy_strategy(self) -> FloatArray:
        """float64 (num_nodes, k): 1 for the move of the highest value (the first of equals), otherwise 0.

        Raises TypeError for a single player; see `StateGraph.greedy_moves`.
        """
        if isinstance(self.game, StateGraph):
            raise TypeError("a game of a single player has no strategy by nodes")
        values = self.values if isinstance(self.game, HiddenMovesGame) else self.values[self._lesson.row]
        return greedy_strategy(self.game.tree, values)

    def figures(self) -> LearningFigures:
        """The quality of the greedy policy now. A single player's exploitability is the loss compared with the best
        play."""
        if isinstance(self.game, StateGraph):
            value = self.game.value_of(self.game.greedy_moves(self.values[:, 0]))
            lost = max(0.0, self.game.best_value - value)
            return LearningFigures(self.rounds, self.nodes, value, value, lost)
        game, greedy = self.game, self.greedy_strategy()
        values = values_against(game, greedy, greedy if self.opponent is None else self.opponent)
        exploitability = nash_conv_of_rows(game, as_rows(game.tree, greedy), make_workspace(game.tree.sweep_arrays))
        return LearningFigures(self.rounds, self.nodes, *values, exploitability)


def _lesson(game: Game, opponent: FloatArray | None, row: IntArray | None) -> Lesson:
    tree, chance = game.tree, game.chance
    if game.is_wide:
        raise ValueError(f"game: a learner takes at most {LARGEST_NUM_TYPES} types")
    if tree.knowledge is not None:
        raise ValueError("game: its players do not always know their type, as a learner's table needs")
    if np.any(tree.owner == CHANCE) and chance is None:
        raise ValueError("game: the probabilities of its chance moves are unknown; see build_game")
    row = np.arange(tree.num_nodes, dtype=np.int32) if row is None else np.ascontiguousarray(row, np.int32)
    if row.shape != (tree.num_nodes,) or row.min() < 0:
        raise ValueError(f"row: shape {row.shape} or a negative number, expected ({tree.num_nodes},)")
    fixed = zero_rows(0, tree.num_types) if opponent is None else as_rows(tree, opponent)
    path = np.zeros((len(tree.nodes_by_depth), 2), np.int32)
    reach_of, reaches = chance or (np.zeros(0, np.int32), np.zeros((0, tree.num_types, tree.num_types)))
    arrays = tree.sweep_arrays, np.ascontiguousarray(game.payoffs), plain(game.arrays.prior)[0], row, fixed
    return Lesson(*arrays, reach_of, reaches, True, path)


def _lesson_of_histories(game: HiddenMovesGame, opponent: FloatArray | None) -> Lesson:
    told, num_histories = game.histories, len(game.histories.chance)
    row = np.maximum(told.move, 0)
    row[0] = game.tree.num_nodes - 1  # the root's row is meaningless, but gives the table a row for every node
    fixed = zero_rows(0, NUM_TYPES)
    if opponent is not None:
        as_rows(game.tree, opponent)  # raises ValueError for an array that is not a strategy
        fixed = rows_of(np.repeat(opponent[row], NUM_TYPES, axis=1))
    prior = np.zeros((NUM_TYPES, NUM_TYPES))
    prior[0, 0] = 1.0
    payoffs = told.payoff[told.tree.leaf_class >= 0][:, None, None]
    path = np.zeros((len(told.tree.nodes_by_depth), 2), np.int32)
    numbers = np.arange(num_histories, dtype=np.int32)
    chances = told.chance[:, None, None]
    return Lesson(told.tree.sweep_arrays, payoffs, prior, row, fixed, numbers, chances, False, path)


def _lesson_of_states(graph: StateGraph) -> Lesson:
    num_moves, nobody = len(graph.names), zero_rows(0, NUM_TYPES)
    empty: IntArray = np.zeros(len(graph.states), np.int32)
    tree = SweepArrays(graph.owner.copy(), graph.first_move, empty, graph.target, None, nobody)
    payoffs, reaches = (np.zeros((size, NUM_TYPES, NUM_TYPES)) for size in (len(graph.payoffs), num_moves))
    payoffs[:, 0, 0], reaches[:, 0, 0] = graph.payoffs, graph.chances
    prior = np.zeros((NUM_TYPES, NUM_TYPES))
    prior[0, 0] = 1.0
    moves = np.arange(num_moves, dtype=np.int32)
    lengths = np.zeros(len(graph.states) + len(graph.payoffs), np.int64)  # the longest round from each state on
    for state in reversed(range(len(graph.states))):
        lengths[state] = 1 + max(lengths[graph.target[move]] for move in graph.moves(state))
    path = np.zeros((int(lengths[0]), 2), np.int32)
    return Lesson(tree, payoffs, prior, moves, nobody, moves, reaches, False, path)


def values_against(game: Game, strategy: FloatArray, opponent: FloatArray) -> tuple[float, float]:
    """The value of a strategy against another, as player 0 and as player 1.

    >>> from tictactoe import kuhn_poker, uniform_strategy
    >>> kuhn = kuhn_poker()
    >>> uniform = uniform_strategy(kuhn.tree)
    >>> [round(value, 6) for value in values_against(kuhn, uniform, uniform)]
    [0.125, -0.125]
    """
    seated = (both_seats(game.tree, *pair) for pair in ((strategy, opponent), (opponent, strategy)))
    work = make_workspace(game.tree.sweep_arrays)
    first, second = (expected_value_of_rows(game, as_rows(game.tree, both), work) for both in seated)
    return first, -second


def best_values_against(game: Game, opponent: FloatArray) -> tuple[float, float]:
    """The value of a best response to a strategy, as player 0 and as player 1.

    >>> from tictactoe import kuhn_poker, uniform_strategy
    >>> kuhn = kuhn_poker()
    >>> [round(12 * value, 6) for value in best_values_against(kuhn, uniform_strategy(kuhn.tree))]
    [6.0, 5.0]
    """
    first, second = (best_response_value(game, player, opponent) for player in (0, 1))
    return first, second


@dataclass(frozen=True, eq=False)
class StateGraph:
    """The states of a single player's game, for a learner: D states at which somebody moves, N moves."""

    states: tuple[Any, ...]
    """The D states at which the player or chance moves, each before all that it leads to."""
    owner: NDArray[np.int8]
    """int8 (D,): 0, or CHANCE."""
    first_move: IntArray
    """int32 (D + 1,): the moves of state d are first_move[d] to first_move[d + 1] - 1."""
    names: tuple[Any, ...]
    """The name of each move."""
    target: IntArray
    """int32 (N,): the state that a move leads to, or D + a number in `payoffs`."""
    chances: FloatArray
    """float64 (N,): the probabilities of chance moves; 0 for the player's moves."""
    payoffs: FloatArray
    """float64 (P,): the player's payoffs at the ends."""
    best_value: float
    """The value of the best play."""
    best_moves: Mapping[Any, Any]
    """The best move at each state."""
    name: str = ""
    """The name of the game in files."""

    @cached_property
    def fingerprint(self) -> str:
        """The SHA-256 (hexadecimal) of everything that a table of values depends on."""
        digest = hashlib.sha256()
        for array in (self.owner, self.first_move, self.target, self.chances, self.payoffs):
            digest.update(array.tobytes())
        digest.update("\0".join(map(str, self.names)).encode())
        return digest.hexdigest()

    def moves(self, state: int) -> range:
        """The numbers of the moves at a state."""
        return range(int(self.first_move[state]), int(self.first_move[state + 1]))

    def greedy_moves(self, values: FloatArray) -> dict[Any, Any]:
        """The name of the move with the largest of `values`, (N,), or the first of equals, by state of the player."""
        return {
            self.states[state]: self.names[max(self.moves(state), key=lambda move: values[move])]
            for state in np.flatnonzero(self.owner == 0).tolist()
        }

    def value_of(self, moves: Mapping[Any, Any]) -> float:
        """The expected payoff of a policy, exactly. moves: the name of the move at each state of the player."""
        values = np.concatenate([np.zeros(len(self.states)), self.payoffs])
        for state in reversed(range(len(self.states))):
            at = self.moves(state)
            if self.owner[state] == CHANCE:
                values[state] = self.chances[at.start : at.stop] @ values[self.target[at.start : at.stop]]
            else:
                name = moves[self.states[state]]
                values[state] = values[self.target[next(move for move in at if self.names[move] == name)]]
        return float(values[0])


def state_graph(description: GameDescription[Any], name: str = "") -> StateGraph:
    """The states of a single player's game, with its exact solution. Raises the errors of `best_play`.

    >>> from tictactoe import named_game
    >>> graph = state_graph(named_game("twenty-one").description)
    >>> round(graph.best_value, 6), round(graph.value_of(graph.best_moves), 6)
    (-0.046556, -0.046556)
    """
    best = best_play(description)
    (first,), (second,) = description.types
    decided = [state for state in reversed(list(best.values)) if description.owner(state) is not None]
    number = {state: place for place, state in enumerate(decided)}
    ends: dict[float, int] = {}
    owner, starts, names, target, chances = [], [0], [], [], []
    for state in decided:
        owner.append(description.owner(state))
        for move, after in description.moves(state):
            chance = float(description.chance(state, move, first, second)) if owner[-1] == CHANCE else 0.0  # type: ignore[attr-defined]
            if owner[-1] != CHANCE or chance > 0.0:
                names.append(move)
                chances.append(chance)
                if after not in number:
                    number[after] = len(decided) + ends.setdefault(float(best.values[after]), len(ends))
                target.append(number[after])
        starts.append(len(names))
    return StateGraph(
        states=tuple(decided),
        owner=np.array(owner, np.int8),
        first_move=np.array(starts, np.int32),
        names=tuple(names),
        target=np.array(target, np.int32),
        chances=np.array(chances),
        payoffs=np.array(list(ends)),
        best_value=float(best.value),
        best_moves=best.moves,
        name=name,
    )
