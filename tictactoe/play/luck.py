"""What a round's result was made of: goals, mistakes, luck with goals that were hidden. The parts add up exactly.

Everything is measured by the value that a position has when both players go on by the solution, for the goals that
they really have. A round is a walk through these values, from that of the score, before goals are dealt, to that of
its result. Every step is split into parts of which all but the mistakes are fair, as docs/analysis.md explains: on
average they are 0 against an opponent who plays by the solution, however the player plays.

The idea of taking away what is known to be 0 on average is that of control variates; N. Burch, M. Schmid, M. Moravcik,
D. Morrill and M. Bowling, "AIVAT: A New Variance Reduction Technique for Agent Evaluation in Imperfect Information
Games", AAAI 2018, do it for players whose strategy is known, as `expected_change` does.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..algorithms.arrays import FloatArray
from ..algorithms.expected_values import best_response_values
from ..games.goals import Goal, Seat
from ..games.tic_tac_toe import goal_prior, payoffs_by_outcome
from .advice import value_to
from .bot import RoundBot
from .referee import Round

_NEVER = 1e-9
"""What is less likely is left to rounding: one who plays by the solution does not come there."""


class MoveTerms(NamedTuple):
    """What a move changed, in the unit of the outcome values, to the player who made it: astray + hidden - cost.

    number: of the move in the round, from 1. node: before it. is_astray: whether the opponent has left what one who
    plays by the solution does, whatever its goal; then nothing tells its goal. cost: how much more the player could
    have got by the best move than after this one, by best play from there on against the solution, of which it knows
    all but the goal; never negative, 0 astray. astray: there, what the move is worth more than the solution's own play,
    the opponent's goal taken to be as it was drawn, and both going on by the solution; 0 elsewhere. hidden: the rest.
    """

    number: int
    square: int
    seat: Seat
    node: int
    is_astray: bool
    cost: float
    astray: float
    hidden: float


class RoundTerms(NamedTuple):
    """What a round's result was made of, in the unit of the outcome values, to the player who moved first.

    start: what the round is worth before goals are dealt, or the position that it started from with these goals.
    goals: what these goals are worth more. moves: see MoveTerms. end: what the result is worth: start + goals + what
    the first mover's moves changed - what the other one's did, up to rounding.
    """

    start: float
    goals: float
    moves: tuple[MoveTerms, ...]
    end: float


class RoundAccount:
    """Rounds at one score, taken apart. What a move costs is worked out once for everybody who comes there.

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
        """A round that is over. The first `given` moves, from which it started, are nobody's, and its goals were
        chosen for them."""
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
        """float64, by child of the node: what each move costs the mover, in `seat` with this goal; None astray."""
        best, weights = self._best[seat]
        if weights[node, goal] < _NEVER:
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
        """By seat of the mover, float64 (num_nodes, 3), by its goal: `best_response_values`, and how likely these goals
        are and one who plays by the solution in the other seat does its part of the way to a node."""
        tree, strategy, prior = self.bot.tree, self.bot.strategy, goal_prior(self.bot.tree.rules)
        payoffs = payoffs_by_outcome(tree.rules, self.bot.values)
        first, second = (best_response_values(tree, seat, strategy, payoffs, prior) for seat in Seat)
        by_first, by_second = (tree.own_reach_of_player(seat, strategy) for seat in Seat)
        return (first, by_second @ prior.T), (second, by_first @ prior)


def expected_change(bot: RoundBot, known: FloatArray, played: Round, player: int) -> float:
    """What a round changed for the other player, on average over the luck of `player`, who is known to play `known`.

    known: float64 (num_nodes, 3), the strategy of `player` at this score. Of the round only the moves and the other
    one's goal count: the goal and the choices of `player` are averaged over, as far as the moves leave them open, and
    the luck of the goals is left out. Its mean over rounds is what the other one gains over the value of the score,
    however that one plays. In the unit of the outcome values. Raises ValueError, naming the move, when `player` has
    done what one who plays `known` never does.
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
