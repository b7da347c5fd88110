"""Statistics of judged matches by player, as JSON and as CSV."""

from __future__ import annotations

import contextlib
import csv
import io
import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass, field
from operator import add
from pathlib import Path
from typing import Any, NamedTuple

from ..games.rules import Goal, Seat, goal_name
from ..match.percentages import percentage_points
from ..storage.atomic_files import replacing_output
from ..storage.texts import picked
from .luck_and_mistakes import Judged, JudgedRound, MoveTerms, Terms
from .move_costs import Mistake, mistakes
from .transcript import WrittenMatch

_DEVIATIONS_OF_95_PERCENT = 1.959963984540054
"""The number of standard deviations around the mean that contain 95 % of a normal distribution."""


class Sample:
    """The mean and the variance of numbers that are added one by one.

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
        """Half the width of the normal 95 % interval around the mean; None for fewer than two numbers."""
        return None if self.variance is None else _DEVIATIONS_OF_95_PERCENT * math.sqrt(self.variance / self.count)


@dataclass
class MoveTally:
    """The numbers of a player's rounds and moves."""

    rounds: int = 0
    points: int = 0
    """The number of rounds in which the player scored."""
    moves: int = 0
    mistakes: int = 0
    """The number of moves that cost something."""
    cost: float = 0.0
    """The total cost of all moves, in the unit of the values."""
    judged: int = 0
    """The number of moves that made a difference, which are those with an accuracy (`accuracy_of`)."""
    accurate: float = 0.0
    """The sum of the accuracies of these moves."""

    def add(self, one: JudgedRound, player: int) -> None:
        moves = one.moves_of(player)
        self.rounds += 1
        self.points += one.played.scored[player]
        self.moves += len(moves)
        self.mistakes += sum(move.cost > 0.0 for move in moves)
        self.cost += sum(move.cost for move in moves)
        accuracies = [move.accuracy for move in moves if move.accuracy is not None]
        self.judged += len(accuracies)
        self.accurate += sum(accuracies)

    @property
    def accuracy(self) -> float | None:
        """The mean accuracy of the moves that made a difference; None if there are none."""
        return self.accurate / self.judged if self.judged else None

    def __add__(self, other: MoveTally) -> MoveTally:
        return MoveTally(*map(add, astuple(self), astuple(other)))


@dataclass
class Games:
    """Statistics of a player's finished matches, or of its rounds of practice."""

    count: Counter[str] = field(default_factory=Counter)
    """The numbers of games, under "all", "over" and "won", and of "abandoned" rounds."""
    moves: dict[tuple[Seat, Goal], MoveTally] = field(
        default_factory=lambda: {(seat, goal): MoveTally() for seat in Seat for goal in Goal}
    )
    terms: dict[str, Sample] = field(
        default_factory=lambda: {name: Sample() for name in (*Terms._fields, "result", "without_goals")}
    )
    """Samples by the names of Terms, "result", and "without_goals", the result minus the luck of the dealt goals."""
    adjusted: Sample = field(default_factory=Sample)
    """Results with the luck of the other player, whose strategy is known, averaged out."""
    adjusted_from: Sample = field(default_factory=Sample)
    """The results of the same matches, as they were played."""
    cost: Sample = field(default_factory=Sample)
    """The cost of a match."""

    @property
    def total(self) -> MoveTally:
        return sum(self.moves.values(), MoveTally())

    def add(self, judged: Judged, player: int, known_opponent: bool) -> None:
        over, won = int(judged.is_over), int(judged.winner == player)  # an empty Counter would keep a bool
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
    """The match or practice that the move belongs to."""
    round: JudgedRound
    player: int
    """The player who made the move, 0 or 1."""
    move: MoveTerms

    @property
    def mistake(self) -> Mistake:
        found = mistakes([(self.round.played, self.round.bot)], self.player, lambda _: self.round.solved_score)
        return next(mistake for mistake in found if mistake.move.number == self.move.number)


class Tally:
    """Statistics of everything that was judged. most: the number of the costliest moves to keep."""

    def __init__(self, most: int = 10) -> None:
        self.matches: dict[str, Games] = {}
        self.practice: dict[str, Games] = {}
        self.worst: list[Worst] = []
        self._most = most

    @property
    def names(self) -> set[str]:
        return {*self.matches, *self.practice}

    def add(self, where: str, judged: Judged, known: frozenset[str] = frozenset()) -> None:
        """Count a match or a round of practice.

        where: the place of its transcript.
        known: the names of players whose strategies are known.
        """
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
        return self.worst[-1].move.cost if self.worst and len(self.worst) == self._most else 0.0


def judged_as_dict(written: WrittenMatch, judged: Judged) -> dict[str, Any]:
    scale = _scale(judged.in_points)
    costs = (sum(move.cost for one in judged.rounds for move in one.moves_of(player)) for player in (0, 1))
    return {
        "file": str(written.path),
        "line": written.first_line,
        **picked(judged, "winning_score", "names"),
        "winner": None if judged.winner is None else judged.names[judged.winner],
        "rounds": len(judged.rounds),
        "result": scale * judged.result,
        "terms": {name: scale * term for name, term in judged.terms._asdict().items()},
        "cost": [scale * cost for cost in costs],
        "adjusted": _times(scale, judged.adjusted),
    }


def tally_as_dict(tally: Tally, in_points: bool) -> dict[str, Any]:
    """The statistics of all players, and the worst moves. in_points: whether their unit is points."""
    scale = _scale(in_points)
    return {
        "matches": {name: _games(games, scale) for name, games in tally.matches.items()},
        "practice": {name: _games(games, scale) for name, games in tally.practice.items()},
        "worst": [_worst(worst, scale) for worst in tally.worst],
    }


def _scale(in_points: bool) -> float:
    return 1.0 if in_points else 50.0


def _times(scale: float, value: float | None) -> float | None:
    return None if value is None else scale * value


def _games(games: Games, scale: float) -> dict[str, Any]:
    keys = {"played": "all", "over": "over", "won": "won", "abandoned_rounds": "abandoned"}
    return {
        **{key: games.count[name] for key, name in keys.items()},
        "moves": _moves(games.total, scale),
        "by_seat_and_goal": [
            {"seat": seat.name.lower(), "goal": goal.name.lower()} | _moves(tally, scale)
            for (seat, goal), tally in games.moves.items()
        ],
        "cost": _sample(games.cost, scale),
        "terms": {name: _sample(sample, scale) for name, sample in games.terms.items()},
        "adjusted": _sample(games.adjusted, scale),
        "adjusted_from": _sample(games.adjusted_from, scale),
    }


def _moves(tally: MoveTally, scale: float) -> dict[str, Any]:
    cost = {"cost": scale * tally.cost, "accuracy": tally.accuracy}
    return picked(tally, "rounds", "points", "moves", "mistakes") | cost


def _sample(sample: Sample, scale: float) -> dict[str, Any]:
    mean = scale * sample.mean if sample.count else None
    variance, width = _times(scale * scale, sample.variance), _times(scale, sample.half_width)
    return {"count": sample.count, "mean": mean, "variance": variance, "half_width_95": width}


def _worst(worst: Worst, scale: float) -> dict[str, Any]:
    mistake, move = worst.mistake, worst.move
    about = {"player": worst.judged.names[worst.player], "round": worst.round.played.number, "move": move.number}
    cost = {"square": move.square, "cost": scale * move.cost, "best": mistake.move.best}
    return {"where": worst.where, **about, **cost, "position": str(mistake.position)}


MOVE_COLUMNS = (
    *("file", "line", "winning_score", "round", "score", "player", "opponent", "seat", "goal", "opponent_goal"),
    *("move", "square", "cost", "hidden", "position"),
)
"""The headings of the table of moves.

- file, line: where the transcript begins
- score: points of the first mover, then of the other
- cost, hidden: in points of winning chance (of 100 matches), or in points for a round on its own
- position: before the move, as the player saw it, with the solution's score
"""


@contextlib.contextmanager
def moves_table(path: Path | None) -> Iterator[Callable[[WrittenMatch, Judged], None]]:
    """A function that writes the moves of a match. The file appears when the block ends without an error."""
    if path is None:
        yield lambda written, judged: None
        return
    with replacing_output(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
        writer = csv.writer(text)
        writer.writerow(MOVE_COLUMNS)
        yield lambda written, judged: writer.writerows(_rows(written, judged))
        text.detach()


def _rows(written: WrittenMatch, judged: Judged) -> Iterator[tuple[Any, ...]]:
    of_match = written.path, written.first_line, "" if judged.winning_score is None else judged.winning_score
    for one in judged.rounds:
        played = one.played
        for move in one.terms.moves:
            player = played.first if move.seat == 0 else 1 - played.first
            values = move.cost, move.hidden
            in_unit = values if judged.in_points else map(percentage_points, values)
            yield (
                *(*of_match, played.number, played.score, judged.names[player], judged.names[1 - player]),
                *(move.seat.name.lower(), goal_name(played.goals[player]), goal_name(played.goals[1 - player])),
                *(move.number, move.square, *(repr(value + 0.0) for value in in_unit)),
                one.position(player, move.number),
            )
