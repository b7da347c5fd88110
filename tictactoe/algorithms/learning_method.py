"""How a table of values of moves is learnt by trial and error. Plain data, so that files can hold it.

A *state* is what the mover of a position may know, and keeps in mind: its own type, and the row that the move has in
the table. By default a row is a move of the tree, so that states are information sets; moves that share a row are one
to the learner, which then forgets how it came there.

**Average reward** (Monte Carlo control, every visit; Sutton & Barto 2018, section 5.4): after a round every move that
the learner made in it gets the reward R of the round, Q += (R - Q) / n at its n-th visit: Q is the average. The reward
counts the mistakes that were made later in the round, tried out or not.

**Q-learning** (Watkins 1989): Q += rate * (max Q' - Q), where Q' are the values of the learner's next state in the
round, and R after its last move. At the n-th visit rate = (H + 1) / (H + n) (Jin, Allen-Zhu, Bubeck & Jordan 2018),
H = 5, or a constant. Moves of a round are updated in the order in which they were made.

Both choose the move of the highest value, the first of equals, and with probability epsilon any move of the tree. No
discount: the reward comes at the end. A learner that plays itself is two independent learners, one in each seat.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from .checked_numbers import finite_number, positive_number, whole_number

METHODS = ("average-reward", "q-learning")
HORIZON = 5
"""Of the rate of Q-learning: about as many moves as a player makes in a round of tic-tac-toe."""
MOST_ROUNDS = 10**12


@dataclass(frozen=True, kw_only=True)
class LearningMethod:
    """How values are learnt. Raises ValueError naming the field that is wrong.

    name: of METHODS. learning_rate: constant; None for the one that falls, as the module says; always None for
    average-reward. epsilon, epsilon_end, epsilon_rounds: in the first round, in all from the one of that number on;
    in between it falls evenly.

    >>> LearningMethod(name="q-learning", learning_rate=0.1).epsilon_at(50_000)
    0.55
    >>> LearningMethod(name="sarsa")
    Traceback (most recent call last):
    ValueError: name: 'sarsa' is not one of average-reward, q-learning
    """

    name: str = "average-reward"
    learning_rate: float | None = None
    epsilon: float = 1.0
    epsilon_end: float = 0.1
    epsilon_rounds: int = 100_000

    def __post_init__(self) -> None:
        if self.name not in METHODS:
            raise ValueError(f"name: {self.name!r} is not one of {', '.join(METHODS)}")
        if self.learning_rate is not None:
            object.__setattr__(self, "learning_rate", positive_number("learning_rate", self.learning_rate, 1.0))
        if self.learning_rate is not None and self.name == "average-reward":
            raise ValueError("learning_rate: average-reward has none; it is for q-learning")
        for field in ("epsilon", "epsilon_end"):
            object.__setattr__(self, field, finite_number(field, getattr(self, field), 0.0, 1.0))
        rounds = whole_number("epsilon_rounds", self.epsilon_rounds, 0, MOST_ROUNDS - 1)
        object.__setattr__(self, "epsilon_rounds", rounds)

    @property
    def bootstraps(self) -> bool:
        """Whether a move is judged by what the learner believes of its next state."""
        return self.name == "q-learning"

    def epsilon_at(self, number: int) -> float:
        """How often a move is tried at random in the round of that number, from 0."""
        if number >= self.epsilon_rounds:
            return self.epsilon_end
        return self.epsilon + (self.epsilon_end - self.epsilon) * (number / self.epsilon_rounds)


class LearningFigures(NamedTuple):
    """How good the greedy policy is, exactly, in the payoffs' unit.

    rounds, nodes: that were played and visited to learn it. as_first, as_second: what it gets against its opponent
    in either seat, to itself; of a learner that plays itself, the policy against itself. exploitability: NashConv of
    the policy in both seats.

    >>> LearningFigures(rounds=1000, nodes=7012, as_first=0.25, as_second=0.5, exploitability=1.25).value
    0.375
    """

    rounds: int
    nodes: int
    as_first: float
    as_second: float
    exploitability: float

    @property
    def value(self) -> float:
        """What it gets against its opponent, the average over both seats."""
        return (self.as_first + self.as_second) / 2.0
