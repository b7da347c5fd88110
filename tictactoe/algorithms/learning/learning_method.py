"""Methods that learn a table of move values by trial and error, as plain data for files.

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
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ...checked_numbers import finite_number, positive_number, whole_number

METHODS = ("average-reward", "q-learning")
RATE_HORIZON = 5
"""H in the rate of Q-learning: about the number of moves that a player makes in a round of tic-tac-toe."""
MOST_LEARNING_ROUNDS = 10**12
"""Numbers of rounds are below this."""


@dataclass(frozen=True, kw_only=True)
class LearningMethod:
    """How values are learnt. Raises ValueError naming the field that is wrong.

    >>> LearningMethod(name="q-learning", learning_rate=0.1).epsilon_at(50_000)
    0.55
    >>> LearningMethod(name="sarsa")
    Traceback (most recent call last):
    ValueError: name: 'sarsa' is not one of average-reward, q-learning
    """

    name: str = "average-reward"
    """One of METHODS."""
    learning_rate: float | None = None
    """A constant rate of Q-learning, above 0 and at most 1; None for the falling rate of the module. Average-reward has
    None."""
    epsilon: float = 1.0
    """The probability of a random move in the first round."""
    epsilon_end: float = 0.1
    """The same in round epsilon_rounds and later."""
    epsilon_rounds: int = 100_000
    """The rounds in which the probability falls evenly from epsilon to epsilon_end."""

    def __post_init__(self) -> None:
        if self.name not in METHODS:
            raise ValueError(f"name: {self.name!r} is not one of {', '.join(METHODS)}")
        if self.learning_rate is not None:
            object.__setattr__(self, "learning_rate", positive_number("learning_rate", self.learning_rate, 1.0))
        if self.learning_rate is not None and self.name == "average-reward":
            raise ValueError("learning_rate: average-reward has none; it is for q-learning")
        for field in ("epsilon", "epsilon_end"):
            object.__setattr__(self, field, finite_number(field, getattr(self, field), 0.0, 1.0))
        rounds = whole_number("epsilon_rounds", self.epsilon_rounds, 0, MOST_LEARNING_ROUNDS - 1)
        object.__setattr__(self, "epsilon_rounds", rounds)

    @property
    def bootstraps(self) -> bool:
        """Whether a move learns from the value of the learner's next state, and only the last one from the reward."""
        return self.name == "q-learning"

    def epsilon_at(self, number: int) -> float:
        """The probability of a random move in the round `number`, counted from 0."""
        if number >= self.epsilon_rounds:
            return self.epsilon_end
        return self.epsilon + (self.epsilon_end - self.epsilon) * (number / self.epsilon_rounds)


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
