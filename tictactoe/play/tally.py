"""What many matches come to, player by player: counts, prices, and means with intervals."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from ..games.cursor import Cursor
from ..games.goals import Goal, Seat
from .advice import NOTHING, WORTH_MENTIONING
from .analysis import Judged, JudgedRound, Terms
from .luck import MoveTerms
from .review import Mistake, review

_NORMAL = 1.959963984540054  # 95 % of a normal distribution lie within so many standard deviations


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
        """Of the numbers, as a sample; None for fewer than two."""
        return self._squares / (self.count - 1) if self.count > 1 else None

    @property
    def half_width(self) -> float | None:
        """Of a 95 % interval around the mean, by the normal distribution; None for fewer than two numbers."""
        return None if self.variance is None else _NORMAL * math.sqrt(self.variance / self.count)


@dataclass
class MoveTally:
    """Rounds of a player and the moves in them. cost: added up, in the unit of the values. astray: moves without a
    price."""

    rounds: int = 0
    points: int = 0
    moves: int = 0
    mistakes: int = 0
    astray: int = 0
    cost: float = 0.0

    def add(self, one: JudgedRound, player: int) -> None:
        moves = one.moves_of(player)
        self.rounds += 1
        self.points += one.played.scored[player]
        self.moves += len(moves)
        self.mistakes += sum(move.cost >= WORTH_MENTIONING for move in moves)
        self.astray += sum(move.is_astray for move in moves)
        self.cost += sum(move.cost for move in moves)

    def __add__(self, other: MoveTally) -> MoveTally:
        return MoveTally(
            self.rounds + other.rounds,
            self.points + other.points,
            self.moves + other.moves,
            self.mistakes + other.mistakes,
            self.astray + other.astray,
            self.cost + other.cost,
        )


def _samples() -> dict[str, Sample]:
    return {name: Sample() for name in (*Terms._fields, "result", "without_goals")}


@dataclass
class Games:
    """Matches of a player, or its rounds of practice: how many, and what the ones that are over were made of.

    terms: by the names of Terms, and "result" and "without_goals", the result less the luck of the goals; values.
    adjusted, adjusted_from: where the other player's strategy is known, the results by moves alone, and the results
    themselves of the same matches.
    """

    count: Counter[str] = field(default_factory=Counter)  # "all", "over", "won", "abandoned" rounds
    moves: dict[tuple[Seat, Goal], MoveTally] = field(
        default_factory=lambda: {(seat, goal): MoveTally() for seat in Seat for goal in Goal}
    )
    terms: dict[str, Sample] = field(default_factory=_samples)
    adjusted: Sample = field(default_factory=Sample)
    adjusted_from: Sample = field(default_factory=Sample)
    cost: Sample = field(default_factory=Sample)  # of a match that is over

    @property
    def total(self) -> MoveTally:
        return sum(self.moves.values(), MoveTally())

    def add(self, judged: Judged, player: int, known_opponent: bool) -> None:
        self.count.update(all=1, over=judged.is_over, won=judged.winner == player, abandoned=judged.num_abandoned)
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
    """A move that cost something: where the transcript stands, and who made it."""

    where: str
    judged: Judged
    round: JudgedRound
    player: int
    move: MoveTerms

    @property
    def mistake(self) -> Mistake:
        """The same in words that `review` has, with the price that it has here."""
        played, account = self.round.played, self.round.account
        seat, goal = played.seat(self.player), played.goals[self.player]
        (told,) = (
            move for move in review(account.bot, played.cursor.moves, seat, goal) if move.number == self.move.number
        )
        before = Cursor(played.cursor.tree, played.cursor.moves[: self.move.number - 1])
        costs = account.costs(before.node, seat, goal)
        assert costs is not None
        groups = before.squares_by_child().items()
        first = min(child for child, _ in groups)
        best = tuple(
            sorted(square for child, squares in groups if costs[child - first] < NOTHING for square in squares)
        )
        missed = told.missed_row and best == told.best
        told = told._replace(cost=self.move.cost, best=best, missed_row=missed, off_equilibrium=False)
        return Mistake(played, told, goal, self.round.position(self.player, self.move.number))


class Tally:
    """All that is judged, added up. most: how many of the worst moves of all players are kept."""

    def __init__(self, most: int = 10) -> None:
        self.matches: dict[str, Games] = {}
        self.practice: dict[str, Games] = {}
        self.worst: list[Worst] = []
        self._most = most

    @property
    def names(self) -> set[str]:
        """Of all players."""
        return {*self.matches, *self.practice}

    def add(self, where: str, judged: Judged, known: frozenset[str] = frozenset()) -> None:
        """known: the players whose strategies are known."""
        games = self.practice if judged.winning_score is None else self.matches
        for player, name in enumerate(judged.names):
            games.setdefault(name, Games()).add(judged, player, judged.names[1 - player] in known)
        found = [
            Worst(where, judged, one, player, move)
            for one in judged.rounds
            for player in (0, 1)
            for move in one.moves_of(player)
            if move.cost >= max(WORTH_MENTIONING, self._least)
        ]
        if found:
            self.worst = sorted([*self.worst, *found], key=lambda worst: -worst.move.cost)[: self._most]

    @property
    def _least(self) -> float:
        """What a move must cost to be among the worst."""
        return self.worst[-1].move.cost if self.worst and len(self.worst) == self._most else 0.0
