"""The parts of a round's result: dealt goals, mistakes, luck with hidden goals. Their sum is exactly the result.

The measure is the value of a position when both players go on by the solution, for the goals that they really have.
A round walks through these values: from the value of the score, before goals are dealt, to the value of the result.
Each step is split into parts. All parts but the mistakes are fair, as docs/analysis.md explains: against an opponent
who plays by the solution their mean is 0, however the player plays.

Subtracting a term whose mean is known to be 0 is the method of control variates. For players whose strategy is known,
`expected_change` follows N. Burch, M. Schmid, M. Moravcik, D. Morrill and M. Bowling, "AIVAT: A New Variance Reduction
Technique for Agent Evaluation in Imperfect Information Games", AAAI 2018.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..algorithms.arrays import FloatArray
from ..games.goals import Goal, Seat
from .bot import RoundBot
from .referee import Round


class MoveTerms(NamedTuple):
    """What a move changed to the player who made it, in the unit of the outcome values: hidden - cost."""

    number: int
    """Of the move in the round, from 1."""
    square: int
    """1 to 9."""
    seat: Seat
    """Of the player who moved."""
    node: int
    """The node before the move."""
    cost: float
    """As in `BestPlay.costs`."""
    hidden: float
    """The rest of the change: luck with the opponent's goal, which the player could not see."""


class RoundTerms(NamedTuple):
    """The parts of a round's result, in the unit of the outcome values, to the player who moved first.

    Up to rounding, end = start + goals + the changes by the first mover's moves - those by the second mover's moves.
    """

    start: float
    """The value of the round before goals are dealt; for a round that began at a given position, that position's value
    with the goals of the round."""
    goals: float
    """How much the dealt goals change that value; 0 after a given position."""
    moves: tuple[MoveTerms, ...]
    end: float
    """The value of the result."""


class RoundAccount:
    """Splits rounds at one score into their parts.

    >>> from tictactoe import MatchBot, Score, load_solution
    >>> account = RoundAccount(MatchBot(load_solution("shipped")).round_bot(Score(4, 4)))
    >>> round(50 * account.value, 2)  # the first mover wins so many percent less than half of the matches
    -3.85
    """

    def __init__(self, bot: RoundBot) -> None:
        self.bot = bot
        goals = np.array(bot.tree.rules.goal_probabilities)
        self.value = float(goals @ bot.expected[0] @ goals)

    def terms(self, played: Round, given: int = 0) -> RoundTerms:
        """The parts of a round that is over. Its first `given` moves are the position that it began at: they are
        nobody's moves, and its goals were chosen for that position."""
        bot, goals = self.bot, played.goals_by_seat
        nodes, moves = played.cursor.nodes, []
        expected = bot.expected[:, goals[0], goals[1]]
        start, dealt = self.value, float(expected[0]) - self.value
        for number, (square, node, child) in enumerate(zip(played.cursor.moves, nodes, nodes[1:], strict=False), 1):
            if number == given:
                start, dealt = float(expected[child]), 0.0
            if number > given:
                moves.append(self._move(number, square, node, child, goals))
        return RoundTerms(start, dealt, tuple(moves), float(expected[nodes[-1]]))

    def _move(self, number: int, square: int, node: int, child: int, goals: tuple[Goal, Goal]) -> MoveTerms:
        bot, seat = self.bot, Seat(int(self.bot.tree.owner[node]))
        change = float(bot.expected[child, goals[0], goals[1]] - bot.expected[node, goals[0], goals[1]])
        cost = float(bot.costs(node, goals[seat])[child - int(bot.tree.first_child[node])])
        return MoveTerms(number, square, seat, node, cost, (change if seat is Seat.FIRST else -change) + cost)


def expected_change(bot: RoundBot, known: FloatArray, played: Round, player: int) -> float:
    """What a round changed for the other player, averaged over the luck of `player`, who plays the strategy `known`.

    known: float64 (num_nodes, 3), the strategy of `player` at this score. The result depends only on the moves and the
    other player's goal. It averages over the goals of `player` that fit the moves, and over the moves that `known`
    could have made instead, and it leaves out the luck of the dealt goals. Its mean over rounds is what the other
    player gains over the value of the score, however that player plays. The unit is that of the outcome values.
    Raises ValueError, which names the move, when `player` has made a move that `known` never makes.
    """
    tree, seat = bot.tree, played.seat(player)
    mine, theirs = played.goals[player], played.goals[1 - player]
    expected = bot.expected[:, :, theirs] if seat is Seat.FIRST else -bot.expected[:, theirs, :]  # [node, known's goal]
    nodes = played.cursor.nodes
    reach, total = np.array(tree.rules.goal_probabilities), 0.0
    for number, (node, child) in enumerate(pairwise(nodes), 1):
        weights = reach / reach.sum()
        after = expected[child]
        if tree.owner[node] == seat:
            children = list(tree.children(node))
            after = (known[children] * expected[children]).sum(axis=0)
            reach = reach * known[child]
            if reach[mine] <= 0.0:
                raise ValueError(f"move {number} is one that it never makes with this goal")
        total += float(weights @ (after - expected[node]))
    return -total
