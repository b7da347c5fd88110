"""Judgement of matches and rounds of practice: each result is a sum of luck and mistakes. docs/analysis.md defines the
parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..algorithms.arrays import FloatArray
from ..games.rules import Seat
from ..match.scores import Score
from .bot import RoundBot
from .judge import Judge
from .known_opponent import KnownOpponent
from .move_costs import accuracy_of
from .notation import Position
from .referee import Round
from .transcript import Replayed


class MoveTerms(NamedTuple):
    """The change of the value to the mover by a move, in payoff: hidden - cost."""

    number: int
    """The number of the move in the round, from 1."""
    square: int
    """The square that was marked, 1 to 9."""
    seat: Seat
    """The seat of the player who moved."""
    cost: float
    """The cost, as in `RoundBot.costs`."""
    hidden: float
    """The rest of the change: luck with the opponent's goal, which the player could not see."""
    accuracy: float | None
    """The accuracy, as in `accuracy_of`."""


class RoundTerms(NamedTuple):
    """The parts of a round's result to the first mover, in payoff.

    end = start + goals + the changes by the first mover's moves - those by the second mover's moves.
    """

    start: float
    """The value of the round before the goals are dealt. For a given position, its value with the goals of the
    round."""
    goals: float
    """The change of that value by the dealt goals; 0 for a given position."""
    moves: tuple[MoveTerms, ...]
    end: float
    """The value of the result."""


def round_terms(bot: RoundBot, played: Round, given: int = 0) -> RoundTerms:
    """The parts of a finished round, judged by `bot`.

    given: the number of moves that the round began with.

    >>> from tictactoe import Goal, MatchBot, load_solution
    >>> bot = MatchBot(load_solution("shipped")).round_bot(Score(4, 4))
    >>> text = "smbc-tictactoe round 1 goal win nonce 00"
    >>> played = Round(1, Score(4, 4), 0, (Goal.TIE, Goal.WIN), text, bot.tree, (4, 7, 1, 9, 2, 8))
    >>> round(50 * round_terms(bot, played).start, 2)  # the first mover wins so many percent less than half
    -3.85
    """
    tree, goals, nodes, moves = bot.tree, played.goals_by_seat, played.cursor.nodes, []
    expected = bot.expected[:, goals[0], goals[1]]
    start, dealt = bot.value, float(expected[0]) - bot.value
    for number, (square, node, child) in enumerate(zip(played.cursor.moves, nodes, nodes[1:], strict=False), 1):
        if number == given:
            start, dealt = float(expected[child]), 0.0
        if number > given:
            seat, change = Seat(int(tree.owner[node])), float(expected[child] - expected[node])
            costs = bot.costs(node, goals[seat])
            cost = float(costs[child - int(tree.first_child[node])])
            hidden = (change if seat is Seat.FIRST else -change) + cost
            accuracy = accuracy_of(cost, float(costs.max()))
            moves.append(MoveTerms(number, square, seat, cost, hidden, accuracy))
    return RoundTerms(start, dealt, tuple(moves), float(expected[nodes[-1]]))


def expected_change(bot: RoundBot, known: FloatArray, played: Round, player: int) -> float:
    """The change of the value to the other player by a round, averaged over the luck of `player`, in payoff.

    It averages over the goals of `player` that fit the moves and over its other moves, and leaves out the dealt goals.
    Source: Burch, Schmid, Moravcik, Morrill and Bowling, "AIVAT", AAAI 2018.

    known: float64 (num_nodes, 3), the strategy of `player` at this score.

    Raises ValueError, which names the move, if `known` never makes a move of `player`.
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
                raise ValueError(f"it never makes move {number} with this goal")
        total += float(weights @ (after - expected[node]))
    return -total


KnownStrategy = Callable[[RoundBot, Score, int | None], FloatArray]
"""A function from the bot that judges a round, its score and the match's winning score (None in practice) to a player's
strategy in that round, float64 (num_nodes, 3)."""


class Terms(NamedTuple):
    """The parts of a result from the view of one player, in the unit of the values."""

    start: float
    """The value of the seat before the first round."""
    goals: float
    """Luck with the goals that were dealt."""
    own_hidden: float
    """Luck of the player's own moves with the opponent's goals, which the player could not see."""
    other_hidden: float
    """Luck of the opponent's moves with the player's goals, which the opponent could not see."""
    own_mistakes: float
    """Losses by the player's mistakes, never positive."""
    other_mistakes: float
    """Gains by the opponent's mistakes, never negative."""
    inexact: float
    """The disagreement between the solution's values at successive scores; 0 for an exact solution."""

    @property
    def result(self) -> float:
        """The sum of all parts."""
        return sum(self)

    def of_the_other(self) -> Terms:
        """The parts from the view of the other player."""
        start, goals, own_hidden, other_hidden, own_mistakes, other_mistakes, inexact = (-term for term in self)
        return Terms(start, goals, other_hidden, own_hidden, other_mistakes, own_mistakes, inexact)


class JudgedRound(NamedTuple):
    """A finished round with its judgement."""

    played: Round
    bot: RoundBot
    """The judge of the round."""
    solved_score: Score
    """The solution's score that corresponds to the round's."""
    terms: RoundTerms
    """The parts of the result from the view of the first mover."""

    def position(self, player: int, number: int) -> Position:
        """The position before move `number`, as the player saw it."""
        return self.played.position(1 - player, number, self.solved_score)

    def moves_of(self, player: int) -> list[MoveTerms]:
        seat = self.played.seat(player)
        return [move for move in self.terms.moves if move.seat is seat]

    def to_first_player(self) -> Terms:
        """The parts of the result from the view of player 0."""
        sign = 1.0 if self.played.first == 0 else -1.0
        hidden, cost = (
            [sum(getattr(move, name) for move in self.moves_of(player)) for player in (0, 1)]
            for name in ("hidden", "cost")
        )
        return Terms(
            start=sign * self.terms.start,
            goals=sign * self.terms.goals,
            own_hidden=hidden[0],
            other_hidden=-hidden[1],
            own_mistakes=-cost[0],
            other_mistakes=cost[1],
            inexact=0.0,
        )


class Judged(NamedTuple):
    """A match or a round of practice with its judgement. Values are to player 0."""

    names: tuple[str, str]
    """The names of players 0 and 1."""
    winning_score: int | None
    """The points that win the match; None for practice."""
    winner: int | None
    """The winner, player 0 or 1; None for practice and for an unfinished match."""
    rounds: tuple[JudgedRound, ...]
    """The finished rounds."""
    num_abandoned: int
    """The number of abandoned rounds of the match."""
    in_points: bool
    """Whether values are points, as in a round on its own; otherwise they are match values (-1 to 1)."""
    given: int
    """The number of moves that the round of practice began with."""
    terms: Terms
    """The parts of the result."""
    result: float
    """The payoff to player 0; for an unfinished match, the value of its score after the finished rounds."""
    is_fixed: bool
    """Whether the play of player 1 is fixed and known (see `Analyst.judged`)."""
    adjusted: float | None
    """The result with the luck of the player whose strategy is known averaged out (`expected_change`). None unless the
    strategy of exactly one player is known, and None if moves were given."""

    @property
    def is_over(self) -> bool:
        return self.winning_score is None or self.winner is not None


class Analyst:
    """The judge of transcripts by one solution.

    known: by name, the strategies of players whose luck is averaged out.

    >>> from tictactoe import Goal, Setup, open_saved
    >>> judge = Judge(open_saved())
    >>> goals, text = (Goal.TIE, Goal.WIN), "smbc-tictactoe round 1 goal win nonce 00"
    >>> played = Round(1, Score(4, 4), 0, goals, text, judge.tree, (4, 7, 1, 9, 2, 8))
    >>> replayed = Replayed(Setup(names=("Ann", "Bot"), seed=None), None, [played], None)
    >>> (judged,) = Analyst(judge).judged(replayed)
    >>> {name: round(term, 3) for name, term in judged.terms._asdict().items() if abs(term) > 1e-9}, judged.result
    ({'start': -0.077, 'goals': 0.154, 'own_hidden': -0.538, 'own_mistakes': -0.538}, -1.0)
    """

    def __init__(self, judge: Judge, known: Mapping[str, KnownStrategy] | None = None) -> None:
        self.judge = judge
        self._known = dict(known or {})

    def judged(self, replayed: Replayed, opponent: KnownOpponent | None = None) -> list[Judged]:
        """The judgements of a match, or of each round of practice, without unfinished and abandoned rounds.

        opponent: player 1, if its strategy is known. Values are then those of its best responder, and its moves count
            as luck.

        Raises ValueError for a match that the solution cannot judge or that a known strategy did not play,
        NotSavedError for a missing score, FormatError for a damaged file.
        """
        setup, match = replayed.setup, replayed.match
        given = 0 if setup.position is None else len(Position.parse(setup.position).moves)
        if match is None:
            return [self._judged(replayed, [played], given, opponent) for played in replayed.rounds]
        return [self._judged(replayed, replayed.rounds, 0, opponent)]

    def _judged(self, replayed: Replayed, played: list[Round], given: int, opponent: KnownOpponent | None) -> Judged:
        winning_score, match = replayed.setup.winning_score, replayed.match
        rounds = []
        for one in played:
            bot = self._judge_of(one.score, winning_score, one.first, opponent)
            solved = self.judge.solved_score(one.score, winning_score)
            rounds.append(JudgedRound(one, bot, solved, round_terms(bot, one, given)))
        terms = [one.to_first_player() for one in rounds]
        ends = [one.terms.end if one.played.first == 0 else -one.terms.end for one in rounds]
        if match is None:
            start, result, winner = terms[0].start, ends[0], None
        else:
            first, winner = rounds[0].played.first if rounds else match.first, match.winner
            start = self._worth(Score(0, 0), winning_score, first, opponent)
            result = 1.0 if winner == 0 else -1.0
            if winner is None:
                result = self._worth(match.score, winning_score, match.first, opponent)
        worths = [*(one.start for one in terms[1:]), result]
        inexact = sum(after - end for end, after in zip(ends, worths, strict=False)) if rounds else 0.0
        parts = [sum(one[part] for one in terms) for part in range(1, len(Terms._fields) - 1)]
        adjusted = None if given else self._adjusted(replayed, rounds, start + inexact)
        return Judged(
            names=replayed.setup.names,
            winning_score=winning_score,
            winner=winner,
            rounds=tuple(rounds),
            num_abandoned=0 if match is None else len(match.abandoned),
            in_points=self.judge.in_points,
            given=given,
            terms=Terms._make([start, *parts, inexact]),
            result=result,
            is_fixed=opponent is not None,
            adjusted=adjusted,
        )

    def _adjusted(self, replayed: Replayed, rounds: list[JudgedRound], start: float) -> float | None:
        names = replayed.setup.names
        known = [player for player in (0, 1) if names[player] in self._known]
        if len(known) != 1:
            return None
        (player,) = known
        total, winning_score = 0.0, replayed.setup.winning_score
        for one in rounds:
            perfect = self.judge.round_bot(one.played.score, winning_score)
            strategy = self._known[names[player]](perfect, one.played.score, winning_score)
            try:
                total += expected_change(one.bot, strategy, one.played, player)
            except ValueError as error:
                what = f"{names[player]} does not play the strategy that was named: round {one.played.number}, {error}"
                raise ValueError(what) from error
        return start + (total if player == 1 else -total)

    def _worth(self, score: Score, winning_score: int | None, first: int, opponent: KnownOpponent | None) -> float:
        value = self._judge_of(score, winning_score, first, opponent).value
        return value if first == 0 else -value

    def _judge_of(
        self, score: Score, winning_score: int | None, first: int, opponent: KnownOpponent | None
    ) -> RoundBot:
        if opponent is not None:
            return opponent.responder(score, Seat(first))
        return self.judge.round_bot(score, winning_score)
