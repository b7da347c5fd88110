"""Statistics of many judged matches, by player: counts, costs, and means with confidence intervals."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from ..games.goals import Goal, Seat
from .analysis import Judged, JudgedRound, Terms
from .luck import MoveTerms
from .review import Mistake, review

_DEVIATIONS_OF_95_PERCENT = 1.959963984540054
"""Standard deviations around the mean that hold 95 % of a normal distribution."""


class Sample:
    """The mean and the variance of numbers that come one by one.

    >>> sample = Sample()
    >>> for number in (1.0, 2.0, 6.0):
    ...     sample.add(number)
    >>> sample.count, sample.mean, sample.variance, round(sample.half_width, 3)
    (3, 3.0, 7.0, 2.994)
    """

    def __init__(self) -> None:
        self.count, self.mean, self._squares = 0, 0.0, 0.0

    def add(self, number: float) -> None:
        self.count += 1
        off = number - self.mean
        self.mean += off / self.count
        self._squares += off * (number - self.mean)

    @property
    def variance(self) -> float | None:
        """The sample variance; None for fewer than two numbers."""
        return self._squares / (self.count - 1) if self.count > 1 else None

    @property
    def half_width(self) -> float | None:
        """Half the width of the 95 % interval around the mean, by the normal distribution; None for fewer than two
        numbers."""
        return None if self.variance is None else _DEVIATIONS_OF_95_PERCENT * math.sqrt(self.variance / self.count)


@dataclass
class MoveTally:
    """Counts of a player's rounds and of the moves in them."""

    rounds: int = 0
    points: int = 0
    """Rounds in which the player scored."""
    moves: int = 0
    mistakes: int = 0
    """Moves that cost something."""
    cost: float = 0.0
    """Of all moves together, in the unit of the values."""

    def add(self, one: JudgedRound, player: int) -> None:
        moves = one.moves_of(player)
        self.rounds += 1
        self.points += one.played.scored[player]
        self.moves += len(moves)
        self.mistakes += sum(move.cost > 0.0 for move in moves)
        self.cost += sum(move.cost for move in moves)

    def __add__(self, other: MoveTally) -> MoveTally:
        return MoveTally(
            self.rounds + other.rounds,
            self.points + other.points,
            self.moves + other.moves,
            self.mistakes + other.mistakes,
            self.cost + other.cost,
        )


def _samples() -> dict[str, Sample]:
    return {name: Sample() for name in (*Terms._fields, "result", "without_goals")}


@dataclass
class Games:
    """Statistics of a player's matches, or of its rounds of practice. Only finished ones go into the samples."""

    count: Counter[str] = field(default_factory=Counter)
    """By "all", "over" and "won"; "abandoned" counts rounds."""
    moves: dict[tuple[Seat, Goal], MoveTally] = field(
        default_factory=lambda: {(seat, goal): MoveTally() for seat in Seat for goal in Goal}
    )
    terms: dict[str, Sample] = field(default_factory=_samples)
    """By the names of Terms, "result", and "without_goals": the result less the luck of the dealt goals."""
    adjusted: Sample = field(default_factory=Sample)
    """Results with the luck of the other player, whose strategy is known, averaged out."""
    adjusted_from: Sample = field(default_factory=Sample)
    """The results of the same matches, as they were played."""
    cost: Sample = field(default_factory=Sample)
    """Of a match."""

    @property
    def total(self) -> MoveTally:
        return sum(self.moves.values(), MoveTally())

    def add(self, judged: Judged, player: int, known_opponent: bool) -> None:
        over, won = int(judged.is_over), int(judged.winner == player)  # an empty Counter would keep what is given
        self.count.update(all=1, over=over, won=won, abandoned=judged.num_abandoned)
        for one in judged.rounds:
            self.moves[one.played.seat(player), one.played.goals[player]].add(one, player)
        if not judged.is_over:
            return
        sign = 1.0 if player == 0 else -1.0
        terms = judged.terms if player == 0 else judged.terms.of_the_other()
        result = sign * judged.result
        for name, term in zip(Terms._fields, terms, strict=True):
            self.terms[name].add(term)
        self.terms["result"].add(result)
        self.terms["without_goals"].add(result - terms.goals)
        self.cost.add(-terms.own_mistakes)
        if judged.adjusted is not None and known_opponent:
            self.adjusted.add(sign * judged.adjusted)
            self.adjusted_from.add(result)


class Worst(NamedTuple):
    """One of the costliest moves."""

    where: str
    """The place of the transcript, for messages."""
    judged: Judged
    """The match or practice that it belongs to."""
    round: JudgedRound
    player: int
    """Who made it: 0 or 1."""
    move: MoveTerms

    @property
    def mistake(self) -> Mistake:
        """The move in the form of `review`."""
        played, number = self.round.played, self.move.number
        seat, goal = played.seat(self.player), played.goals[self.player]
        moves = review(self.round.account.bot, played.cursor.moves, seat, goal)
        (told,) = (move for move in moves if move.number == number)
        return Mistake(played, told, goal, self.round.position(self.player, number))


class Tally:
    """Statistics of everything that was judged. most: how many of the costliest moves of all players to keep."""

    def __init__(self, most: int = 10) -> None:
        self.matches: dict[str, Games] = {}
        self.practice: dict[str, Games] = {}
        self.worst: list[Worst] = []
        self._most = most

    @property
    def names(self) -> set[str]:
        """The names of all players."""
        return {*self.matches, *self.practice}

    def add(self, where: str, judged: Judged, known: frozenset[str] = frozenset()) -> None:
        """Count a match or a round of practice. where: its transcript. known: players whose strategies are known."""
        games = self.practice if judged.winning_score is None else self.matches
        for player, name in enumerate(judged.names):
            games.setdefault(name, Games()).add(judged, player, judged.names[1 - player] in known)
        found = [
            Worst(where, judged, one, player, move)
            for one in judged.rounds
            for player in (0, 1)
            for move in one.moves_of(player)
            if move.cost and move.cost >= self._least
        ]
        if found:
            self.worst = sorted([*self.worst, *found], key=lambda worst: -worst.move.cost)[: self._most]

    @property
    def _least(self) -> float:
        """The cost that a move must have to be kept among the worst."""
        return self.worst[-1].move.cost if self.worst and len(self.worst) == self._most else 0.0
