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

from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..algorithms.arrays import FloatArray
from ..algorithms.expected_values import best_response_values
from ..games.goals import Goal, Seat
from ..games.payoffs import goal_prior, payoffs_by_outcome
from .bot import RoundBot
from .move_costs import value_to
from .referee import Round

_NEGLIGIBLE_REACH = 1e-9
"""A position with a smaller probability is one that a player of the solution never reaches; the rest is rounding."""


class MoveTerms(NamedTuple):
    """What a move changed to the player who made it, in the unit of the outcome values: astray + hidden - cost."""

    number: int
    """Of the move in the round, from 1."""
    square: int
    """1 to 9."""
    seat: Seat
    """Of the player who moved."""
    node: int
    """The node before the move."""
    is_astray: bool
    """Whether no goal would make a player of the solution play the opponent's moves. Such moves tell nothing about the
    opponent's goal."""
    cost: float
    """How much less the player can get after this move than after the best one, each followed by best play against the
    solution, whose goal the player does not see. Never negative; 0 if `is_astray`."""
    astray: float
    """If `is_astray`: how much more the move is worth than the solution's own play, when both players go on by the
    solution and the opponent's goal has the odds of the draw. Otherwise 0."""
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
    """Splits rounds at one score into their parts. The costs of moves are computed once for all rounds.

    >>> from tictactoe import Cursor, MatchBot, Score, load_solution
    >>> bot = MatchBot(load_solution("shipped")).round_bot(Score(4, 4))
    >>> cursor = Cursor(bot.tree, (4, 7))  # the first mover, who wants a tie, can move to 1 and to better squares
    >>> costs = RoundAccount(bot).costs(cursor.node, Seat.FIRST, Goal.TIE)
    >>> [squares[0] for squares in cursor.squares_by_child().values()], (50 * costs).round(2).tolist()
    ([1, 8, 5, 2, 9, 6, 3], [26.92, 0.0, 0.0, 26.92, 0.0, 26.92, 0.0])
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

    def costs(self, node: int, seat: Seat, goal: Goal) -> FloatArray | None:
        """float64 (number of children,): what each move from the node costs the mover, who has this goal and sits in
        `seat`. None if the opponent's moves fit no goal (`is_astray`)."""
        best, weights = self._best[seat]
        if weights[node, goal] < _NEGLIGIBLE_REACH:
            return None
        values = best[list(self.bot.tree.children(node)), goal]
        result: FloatArray = (values.max() - values) / weights[node, goal]
        return result

    def _move(self, number: int, square: int, node: int, child: int, goals: tuple[Goal, Goal]) -> MoveTerms:
        bot, seat = self.bot, Seat(int(self.bot.tree.owner[node]))
        change = float(bot.expected[child, goals[0], goals[1]] - bot.expected[node, goals[0], goals[1]])
        change = change if seat is Seat.FIRST else -change
        costs = self.costs(node, seat, goals[seat])
        if costs is not None:
            cost = float(costs[child - int(bot.tree.first_child[node])])
            return MoveTerms(number, square, seat, node, False, cost, 0.0, change + cost)
        after, before = value_to(bot, [child, node], seat, goals[seat], bot.tree.rules.goal_probabilities).tolist()
        return MoveTerms(number, square, seat, node, True, 0.0, after - before, change - (after - before))

    @cached_property
    def _best(self) -> tuple[tuple[FloatArray, FloatArray], ...]:
        """Two arrays for a mover in either seat, each float64 (num_nodes, 3), by node and the mover's goal. The first
        has the `best_response_values`. The second has the probability that the mover draws this goal and that a player
        of the solution in the other seat makes its moves on the way to the node."""
        tree, strategy, prior = self.bot.tree, self.bot.strategy, goal_prior(self.bot.tree.rules)
        payoffs = payoffs_by_outcome(tree.rules, self.bot.values)
        first, second = (best_response_values(tree, seat, strategy, payoffs, prior) for seat in Seat)
        by_first, by_second = (tree.own_reach_of_player(seat, strategy) for seat in Seat)
        return (first, by_second @ prior.T), (second, by_first @ prior)


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
