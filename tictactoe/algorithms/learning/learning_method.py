"""Methods that learn a table of move values by trial and error: as plain data for files, and as compiled functions.

A *state* is what the mover may know of a position, and remembers: its own type, and the rows of its moves in the table.
By default every move of the tree has a row of its own, so that states are information sets. The learner cannot tell
apart moves that share a row: it forgets the way there.

**Average reward** (Monte Carlo control, every visit; Sutton & Barto 2018, section 5.4): after a round every move that
the learner made in it gets the reward R of the round, Q += (R - Q) / n at its n-th visit: Q is the average. The reward
includes the cost of later mistakes in the round, whether the learner tried them at random or not.

**Q-learning** (Watkins 1989): Q += rate * (max Q' - Q), where Q' are the values of the learner's next state in the
round, and R after its last move. At the n-th visit rate = (H + 1) / (H + n) (Jin, Allen-Zhu, Bubeck & Jordan 2018),
H = 5, or a constant. Moves of a round are updated in the order in which they were made.

Both choose the move of the highest value, the first of equals, and with probability epsilon any move of the tree. No
discount: the reward comes at the end. A learner that plays itself is two independent learners, one in each seat.

The compiled functions follow one line of play at a time; those of kernels.py sweep the whole tree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...checked_numbers import finite_number, positive_number, whole_number
from .. import arrays, sampling, simd
from ..arrays import CHANCE, FloatArray, IntArray, Rows, SweepArrays
from ..compiling import compiled_with, inlined
from ..sampling import draw, draw_types
from ..simd import get

METHODS = ("average-reward", "q-learning")
RATE_HORIZON = 5
"""H in the rate of Q-learning: about the number of moves that a player makes in a round of tic-tac-toe."""
MOST_LEARNING_ROUNDS = 10**12
"""Numbers of rounds are below this."""


@dataclass(frozen=True, kw_only=True)
class LearningMethod:
    """How values are learnt. Raises ValueError naming the field that is wrong.

    >>> LearningMethod(method="q-learning", learning_rate=0.1).epsilon_at(50_000)
    0.55
    >>> LearningMethod(method="sarsa")
    Traceback (most recent call last):
    ValueError: method: 'sarsa' is not one of average-reward, q-learning
    """

    method: str = "average-reward"
    """One of METHODS."""
    learning_rate: float | None = None
    """A constant rate of Q-learning, above 0 and at most 1; None for the falling rate of the module. Average-reward has
    None."""
    epsilon: float = 1.0
    """The probability of a random move in the first round."""
    epsilon_end: float = 0.1
    """The same in round epsilon_episodes and later."""
    epsilon_episodes: int = 100_000
    """The rounds in which the probability falls evenly from epsilon to epsilon_end."""

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ValueError(f"method: {self.method!r} is not one of {', '.join(METHODS)}")
        if self.learning_rate is not None:
            object.__setattr__(self, "learning_rate", positive_number("learning_rate", self.learning_rate, 1.0))
        if self.learning_rate is not None and self.method == "average-reward":
            raise ValueError("learning_rate: average-reward has none; it is for q-learning")
        for field in ("epsilon", "epsilon_end"):
            object.__setattr__(self, field, finite_number(field, getattr(self, field), 0.0, 1.0))
        rounds = whole_number("epsilon_episodes", self.epsilon_episodes, 0, MOST_LEARNING_ROUNDS - 1)
        object.__setattr__(self, "epsilon_episodes", rounds)

    @property
    def bootstraps(self) -> bool:
        """Whether a move learns from the value of the learner's next state, and only the last one from the reward."""
        return self.method == "q-learning"

    def epsilon_at(self, number: int) -> float:
        """The probability of a random move in the round `number`, counted from 0."""
        if number >= self.epsilon_episodes:
            return self.epsilon_end
        return self.epsilon + (self.epsilon_end - self.epsilon) * (number / self.epsilon_episodes)


class LearningFigures(NamedTuple):
    """How good the greedy policy of a learner is, exactly. Values are in the payoffs' unit.

    The policy plays the learner's opponent. If the learner plays itself, the policy plays itself.

    >>> LearningFigures(rounds=1000, nodes=7012, as_first=0.25, as_second=0.5, exploitability=1.25).value
    0.375
    """

    rounds: int
    """Rounds that the learner has played."""
    nodes: int
    """Decision nodes visited in these rounds."""
    as_first: float
    """What the policy gets as player 0."""
    as_second: float
    """What the policy gets as player 1."""
    exploitability: float
    """NashConv of the policy in both seats."""

    @property
    def value(self) -> float:
        """What the policy gets, on average over both seats."""
        return (self.as_first + self.as_second) / 2.0


_compiled = compiled_with(arrays, sampling, simd)
_KEY_STEP = 0xD1342543DE82EF95  # odd: keys of different rounds differ


class Lesson(NamedTuple):
    """The game and the opponent: N nodes, C leaf classes, k private types per player. Read-only but for `path`."""

    tree: SweepArrays
    payoffs: FloatArray
    """float64 (C, k, k), [leaf class, type of player 0, type of player 1], to player 0."""
    prior: Rows
    """(k,), [type of player 1, type of player 0]."""
    row: IntArray
    """int32 (N,): the table's row of the move into a node."""
    opponent: Rows
    """(N,): the strategy of a fixed opponent. Length 0: the learner plays itself."""
    reach_of: IntArray
    """int32 (N,): by the node that a chance move leads to, a number in `reaches`. Length 0 without chance moves."""
    reaches: FloatArray
    """float64 (R, k, k), [number, type of player 0, type of player 1]: the probability of all chance moves on the way
    to a node, as ChanceReach has it; or of the last one alone, see `folded`."""
    folded: bool
    """Whether `reaches` are of all chance moves on the way, and `payoffs` are products with them; false for a graph
    whose nodes several ways lead to."""
    path: IntArray
    """int32 (longest round, 2): scratch for a round's decision nodes, and the nodes that the moves lead to."""


class Table(NamedTuple):
    """The learnt values: R rows, one per state and move; the column is the mover's type."""

    values: FloatArray
    """float64 (R, k): estimates of the reward to the mover, in the payoffs' unit; 0 before the first visit."""
    visits: NDArray[np.int64]
    """int64 (R, k): how often a value was updated."""


class Method(NamedTuple):
    """How values are learnt. The n-th visit has the rate `rate`, or (offset + 1) / (offset + n) if `rate` is 0."""

    bootstraps: bool  # Q-learning: learn from the best value of the learner's next state; else from the reward
    rate: float
    offset: float
    epsilon: float  # of the first round
    epsilon_end: float  # of all rounds from epsilon_episodes on; in between it falls evenly
    epsilon_episodes: float


@inlined
def _best_child(lesson: Lesson, values: FloatArray, decision: int, own_type: int) -> int:
    """The move of the highest value, the first of equals."""
    first, end = lesson.tree.first_child[decision], lesson.tree.first_child[decision + 1]
    best: int = first
    for child in range(first + 1, end):
        if values[lesson.row[child], own_type] > values[lesson.row[best], own_type]:
            best = child
    return best


@inlined
def _drawn_child(lesson: Lesson, decision: int, own_type: int, left: float) -> int:
    """The opponent's move for a draw, `left`, in 0 to 1: never one of probability 0."""
    chosen = -1
    for child in range(lesson.tree.first_child[decision], lesson.tree.first_child[decision + 1]):
        chance = get(lesson.opponent, child, own_type)
        if chance > 0.0 and left >= 0.0:
            chosen = child  # the last possible one, if rounding leaves something over
            left -= chance
    return chosen


@inlined
def _chance_child(lesson: Lesson, decision: int, types: tuple[int, int], left: float) -> int:
    """The chance move for a draw, `left`, in 0 to the sum of all that may come: never one of probability 0."""
    chosen = -1
    for child in range(lesson.tree.first_child[decision], lesson.tree.first_child[decision + 1]):
        chance = lesson.reaches[lesson.reach_of[child], types[0], types[1]]
        if chance > 0.0 and left >= 0.0:
            chosen = child  # the last possible one, if rounding leaves something over
            left -= chance
    return chosen


@inlined
def _epsilon(method: Method, number: int) -> float:
    """The probability of a random move in the round `number`, counted from 0."""
    if number >= method.epsilon_episodes:
        return method.epsilon_end
    return method.epsilon + (method.epsilon_end - method.epsilon) * (number / method.epsilon_episodes)


@_compiled
def play_rounds(lesson: Lesson, method: Method, key: np.uint64, first_round: int, num_rounds: int, table: Table) -> int:
    """Play rounds and learn from each. Returns the number of visited decision nodes. Modifies `table` and lesson.path.

    Against a fixed opponent the learner is player 0 in rounds of even number and player 1 in the others. Against itself
    it is both. Round r has a key of its own, key + r * an odd constant. Its draw -1 gives both types. Draw 2i says
    whether the learner's move i is random, or which move i the opponent or chance makes. Draw 2i + 1 says which random
    move. So the result depends on the arguments alone, and cutting rounds into calls changes no bit of it.
    """
    tree, values, visits, path = lesson.tree, table.values, table.visits, lesson.path
    self_play = len(lesson.opponent) == 0
    num_visited = 0
    for number in range(first_round, first_round + num_rounds):
        round_key = key + np.uint64(number) * np.uint64(_KEY_STEP)
        first_type, second_type = draw_types(lesson.prior, round_key)
        learner = number % 2
        epsilon = _epsilon(method, number)
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
