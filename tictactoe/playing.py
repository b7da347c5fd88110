"""Playing rounds and matches against a solution: the bot, who may move, who scores, what a move cost, fair play.

Nothing is printed here. Players are told apart by `Player`, whoever moves first; a match knows who that is.

A transcript is JSON lines: a header (format, version, seed, winning_score, names: the person's, the bot's), one line
per round (round, score, first_mover, goals, moves as phone-keypad squares, outcome, scored, commitment), and at the end
of the match a line with winner and points. score, goals and outcome are those of the round's first mover (and second).
"""

from __future__ import annotations

import hashlib
import json
import random
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import __version__
from .analysis import beliefs, expected_values
from .board import Outcome
from .cursor import Cursor, IllegalMoveError, Position
from .match import Goal, OutcomeValues, Score, Seat, all_scores, continuation, scores
from .solution import Solution
from .tree import GameTree

FloatArray = NDArray[np.float64]

TRANSCRIPT_FORMAT = "smbc-tictactoe transcript 1"


class Player(IntEnum):
    """The two players of a match."""

    PERSON = 0
    BOT = 1

    @property
    def other(self) -> Player:
        return Player(1 - self)


class Choice(NamedTuple):
    """A move as the solution sees it: the squares that are symmetric here, and the probability of all of them."""

    squares: tuple[int, ...]
    probability: float


class MoveCost(NamedTuple):
    """What a move gave away, in the unit of the outcome values, against the best move at its position."""

    number: int  # of the move in the round, from 1
    square: int
    cost: float
    best: tuple[int, ...]  # the squares that cost nothing


@dataclass(frozen=True, eq=False)
class RoundBook:
    """What the bot knows about a round: strategy, float64 (num_nodes, 3), and the worth of the round's results."""

    tree: GameTree
    strategy: FloatArray
    values: OutcomeValues

    @cached_property
    def expected(self) -> FloatArray:
        """float64 (num_nodes, 3, 3): see `analysis.expected_values`."""
        return expected_values(self.tree, self.strategy, self.values)

    def choices(self, cursor: Cursor, goal: Goal) -> list[Choice]:
        """The moves of a player with this goal whose turn it is, by their lowest square; none at a leaf."""
        return sorted(
            Choice(squares, float(self.strategy[child, goal])) for child, squares in cursor.squares_by_child().items()
        )

    def choose(self, cursor: Cursor, goal: Goal, generator: random.Random) -> int:
        """A square by the strategy; of symmetric ones any with the same probability. ValueError at a leaf."""
        choices = self.choices(cursor, goal)
        if not choices:
            raise ValueError("cursor: the round is decided")
        sums = list(accumulate(choice.probability for choice in choices))
        point = generator.random() * sums[-1]
        likeliest = max(choices, key=lambda choice: choice.probability)  # if rounding leaves none
        chosen = next((choice for choice, limit in zip(choices, sums, strict=True) if point < limit), likeliest)
        return chosen.squares[int(generator.random() * len(chosen.squares))]

    def belief(self, node: int, seat: Seat) -> tuple[float, ...] | None:
        """How likely each goal of the player in `seat` is to someone who knows the strategy and saw the moves.

        None when a player of this strategy would never have played so.
        """
        belief = beliefs(self.tree, self.strategy, node)[seat]
        return None if belief is None else tuple(belief.tolist())

    def costs(self, moves: tuple[int, ...], seat: Seat, goal: Goal) -> list[MoveCost]:
        """The cost of every move of the player in `seat` that could still change the outcome of the round.

        The opponent's goal is weighed by what its moves so far have told, each goal the same if they fit none.
        """
        result = []
        cursor = Cursor(self.tree)
        for number, square in enumerate(moves, 1):
            if cursor.mover is seat and cursor.forced_outcome is None:
                groups = cursor.squares_by_child()
                weights = np.array(self.belief(cursor.node, _other(seat)) or (1 / 3, 1 / 3, 1 / 3))
                children = self.expected[list(groups)]
                worth = children[:, goal, :] @ weights if seat is Seat.FIRST else -(children[:, :, goal] @ weights)
                best = float(worth.max())
                played = next(worth[i] for i, squares in enumerate(groups.values()) if square in squares)
                good = [sq for i, squares in enumerate(groups.values()) if worth[i] == best for sq in squares]
                result.append(MoveCost(number, square, best - float(played), tuple(sorted(good))))
            cursor.play(square)
        return result


class MatchBook:
    """The bot's knowledge for a match; the strategy of a score is read when it is asked for.

    A match to fewer points than the solution's is the last part of it: what counts is how many points are missing.
    """

    def __init__(self, solution: Solution, winning_score: int | None = None, *, average: bool = True) -> None:
        """Raises ValueError when the solution does not contain such a match, or not all of it."""
        self.winning_score = solution.winning_score if winning_score is None else winning_score
        if not 1 <= self.winning_score <= solution.winning_score:
            raise ValueError(f"winning_score: {winning_score} is not in 1 to {solution.winning_score}")
        self._solution = solution
        self._strategies = solution.strategies(average=average)
        missing = {self.solved_score(score) for score in all_scores(self.winning_score)} - solution.results.keys()
        if missing:
            raise ValueError(f"not solved yet: {len(missing)} scores, such as {min(missing)}; finish solving first")
        self._books: dict[Score, RoundBook] = {}

    @property
    def tree(self) -> GameTree:
        return self._solution.tree

    def solved_score(self, score: Score) -> Score:
        """The score of the solution at which the same points are missing as at `score` of this match."""
        offset = self._solution.winning_score - self.winning_score
        return Score(score.first + offset, score.second + offset)

    def book(self, score: Score) -> RoundBook:
        """Raises FormatError when the strategy's file is missing or damaged."""
        if score not in self._books:
            solved = self.solved_score(score)
            self._books[score] = RoundBook(self.tree, self._strategies[solved], self._solution.outcome_values(solved))
        return self._books[score]


def generator_for(seed: int | None, purpose: str) -> random.Random:
    """Random numbers for one purpose: the same ones for the same seed, unpredictable ones without."""
    return random.SystemRandom() if seed is None else random.Random(f"smbc-tictactoe {seed} {purpose}")


def deal_goals(seed: int | None, number: int) -> tuple[Goal, Goal]:
    """The goals of round `number`, by Player: they depend on the seed and not on how the rounds before were played."""
    generator = generator_for(seed, f"goals {number}")
    person, bot = (Goal(int(generator.random() * 3)) for _ in Player)
    return person, bot


def commitment_text(number: int, goal: Goal, nonce: str) -> str:
    """What is hashed before a round and shown after it."""
    return f"smbc-tictactoe round {number} goal {goal.name.lower()} nonce {nonce}"


def commitment_hash(text: str) -> str:
    """SHA-256, hexadecimal: what `printf '%s' 'TEXT' | sha256sum` prints."""
    return hashlib.sha256(text.encode()).hexdigest()


def new_nonce(seed: int | None, number: int) -> str:
    """32 hexadecimal digits that keep a commitment from being guessed; those of a seed are for repeating a match."""
    return secrets.token_hex(16) if seed is None else f"{generator_for(seed, f'nonce {number}').getrandbits(128):032x}"


class Round:
    """One round being played. Goals are by Player; the score is that of the first mover, then the other."""

    def __init__(
        self, number: int, score: Score, first: Player, goals: tuple[Goal, Goal], commitment: str, tree: GameTree,
        moves: tuple[int, ...] = (),
    ) -> None:  # fmt: skip
        """`moves` have been played already; raises IllegalMoveError when they cannot have been, ValueError for a
        commitment to another round or goal."""
        self.number = number
        self.score = score
        self.first = first
        self.goals = goals
        self.commitment = commitment
        self.cursor = Cursor(tree)
        if not commitment.startswith(commitment_text(number, goals[Player.BOT], "")):
            raise ValueError(f"commitment: {commitment!r} is not about round {number} and the bot's goal")
        for move in moves:
            self.play(move)

    def seat(self, player: Player) -> Seat:
        return Seat.FIRST if player is self.first else Seat.SECOND

    def player(self, seat: Seat) -> Player:
        return self.first if seat is Seat.FIRST else self.first.other

    @property
    def mover(self) -> Player | None:
        """Whose turn it is; None when the round is decided."""
        return None if self.outcome is not None else self.player(Seat(len(self.cursor.moves) % 2))

    @property
    def outcome(self) -> Outcome | None:
        """How the round ends, as its first mover sees it, as soon as nothing can change that any more."""
        return self.cursor.forced_outcome

    @property
    def is_cut(self) -> bool:
        """Whether the round was decided before the board itself was finished."""
        return self.outcome is not None and self.cursor.outcome is None

    def play(self, square: int) -> None:
        """A move of the player whose turn it is. Raises IllegalMoveError, and changes nothing then."""
        if self.outcome is not None:
            raise IllegalMoveError("the round is decided")
        self.cursor.play(square)

    @property
    def scored(self) -> tuple[bool, bool]:
        """Who scores, by Player; ValueError while the round goes on."""
        if self.outcome is None:
            raise ValueError("the round goes on")
        by_seat = scores(self.outcome, *(self.goals[self.player(seat)] for seat in Seat))
        return by_seat[self.seat(Player.PERSON)], by_seat[self.seat(Player.BOT)]

    def position(self, *, hide_bot: bool, score: Score | None = None) -> str:
        """The position as text that can be sent, with "?" for the bot's goal if that is to stay secret.

        score: under which it is to be found in the solution, if that is not the score of the match.
        """
        goal = {seat: self.goals[self.player(seat)] for seat in Seat}
        text = str(Position(score or self.score, goal[Seat.FIRST], goal[Seat.SECOND], self.cursor.moves))
        if not hide_bot:
            return text
        points, letters, moves = text.split()
        return " ".join((points, "".join("?" if self.player(s) is Player.BOT else letters[s] for s in Seat), moves))

    def as_dict(self, names: tuple[str, str]) -> dict[str, Any]:
        """The line of a transcript; ValueError while the round goes on."""
        scored, outcome = self.scored, self.outcome
        assert outcome is not None
        return {
            "round": self.number,
            "score": list(self.score),
            "first_mover": names[self.first],
            "goals": [self.goals[self.player(seat)].name.lower() for seat in Seat],
            "moves": list(self.cursor.moves),
            "outcome": outcome.name.lower(),
            "scored": [names[player] for player in Player if scored[player]],
            "commitment": {"text": self.commitment, "sha256": commitment_hash(self.commitment)},
        }


class Match:
    """A match between the person and the bot, or the bot in both seats: score, rounds played, winner."""

    def __init__(
        self, tree: GameTree, winning_score: int, names: tuple[str, str], first: Player, seed: int | None = None
    ) -> None:
        """first: who moves first in the first round. Raises ValueError for a bad winning score or equal names."""
        if winning_score < 1:
            raise ValueError(f"winning_score: {winning_score} is not at least 1")
        if names[0] == names[1]:
            raise ValueError(f"names: both players are called {names[0]!r}")
        self.tree = tree
        self.winning_score = winning_score
        self.names = names
        self.first = first
        self.seed = seed
        self.score = Score(0, 0)
        self.rounds: list[Round] = []
        self.winner: Player | None = None

    @property
    def points(self) -> tuple[int, int]:
        """By Player."""
        return (self.score[0], self.score[1]) if self.first is Player.PERSON else (self.score[1], self.score[0])

    def deal(self) -> Round:
        """The next round, to be played and given to `finish`. ValueError when the match is over."""
        number = len(self.rounds) + 1
        goals = deal_goals(self.seed, number)
        return self._round(number, goals, commitment_text(number, goals[Player.BOT], new_nonce(self.seed, number)))

    def _round(self, number: int, goals: tuple[Goal, Goal], text: str, moves: tuple[int, ...] = ()) -> Round:
        if self.winner is not None:
            raise ValueError("the match is over")
        return Round(number, self.score, self.first, goals, text, self.tree, moves)

    def finish(self, played: Round) -> bool:
        """Count a round that was played to its end; whether both reached the winning score, which goes on from one
        below. Raises ValueError for a round that is not over or not the one to be played."""
        if played.number != len(self.rounds) + 1 or self.winner is not None:
            raise ValueError(f"round {played.number} is not the one to be played")
        first_scores, second_scores = (played.scored[played.player(seat)] for seat in Seat)
        after = continuation(self.score, first_scores, second_scores, self.winning_score)
        self.rounds.append(played)
        total = self.score.first + first_scores, self.score.second + second_scores
        if after.score is None:
            self.winner = self.first if after.sign > 0 else self.first.other
            self.score = Score(*total)
            return False
        self.score = after.score
        self.first = self.first if after.sign > 0 else self.first.other
        return min(total) >= self.winning_score

    def header(self) -> dict[str, Any]:
        """The first line of a transcript."""
        return {
            "format": TRANSCRIPT_FORMAT, "version": __version__, "seed": self.seed,
            "winning_score": self.winning_score, "names": list(self.names),
        }  # fmt: skip

    def footer(self) -> dict[str, Any]:
        """The last line of the transcript of a finished match. ValueError while the match goes on."""
        if self.winner is None:
            raise ValueError("the match goes on")
        return {"winner": self.names[self.winner], "points": list(self.points)}


class RoundReview(NamedTuple):
    """The moves of one player in one round, each with its cost."""

    played: Round
    costs: list[MoveCost]


def review(rounds: Iterable[Round], books: Mapping[int, RoundBook], player: Player) -> list[RoundReview]:
    """What every move of `player` cost, round by round; books: by the round's number."""
    return [
        RoundReview(played, books[played.number].costs(played.cursor.moves, played.seat(player), played.goals[player]))
        for played in rounds
    ]


def replay(lines: Iterable[str], tree: GameTree) -> Match:
    """Play a transcript again and check all that it says; the match as far as it goes.

    Raises ValueError naming the line for anything that does not fit: moves, scores, goals, hashes, the winner.
    """
    match: Match | None = None
    number, ended = 0, False
    for number, line in enumerate(lines, 1):
        if ended:
            raise ValueError(f"line {number}: stands after the end of the match")
        try:
            content = json.loads(line)
            if type(content) is not dict:
                raise ValueError("not a JSON object")
            if match is None:
                match = _match_from(content, tree)
            elif "winner" in content:
                ended = True
                _compare(content, match.footer())
            else:
                _replay_round(match, content)
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            raise ValueError(f"line {number}: {what}") from error
    if match is None:
        raise ValueError(f"line {number + 1}: the header is missing")
    return match


def _match_from(content: dict[str, Any], tree: GameTree) -> Match:
    if content["format"] != TRANSCRIPT_FORMAT:
        raise ValueError(f"format: {content['format']!r} is not {TRANSCRIPT_FORMAT!r}")
    if not _is_list(content["names"], str) or not _is_list([content["winning_score"]], int):
        raise ValueError("names or winning_score are not two texts and a number")
    if content["seed"] is not None and type(content["seed"]) is not int:
        raise ValueError("seed: neither a number nor null")
    person, bot = content["names"]
    return Match(tree, content["winning_score"], (person, bot), Player.PERSON, content["seed"])


def _replay_round(match: Match, content: dict[str, Any]) -> None:
    if content["first_mover"] not in match.names:
        raise ValueError(f"first_mover: {content['first_mover']!r} does not play")
    if not match.rounds:
        match.first = Player(match.names.index(content["first_mover"]))
    if not _is_list(content["goals"], str) or not _is_list(content["moves"], int):
        raise ValueError("goals or moves are not a list of texts and one of numbers")
    goals = [Goal[name.upper()] for name in content["goals"]]
    if len(goals) != 2 or type(content["commitment"]) is not dict or type(content["commitment"]["text"]) is not str:
        raise ValueError("goals are not two, or the commitment is no text and hash")
    by_player = (goals[0], goals[1]) if match.first is Player.PERSON else (goals[1], goals[0])
    played = match._round(len(match.rounds) + 1, by_player, content["commitment"]["text"], tuple(content["moves"]))
    _compare(content, played.as_dict(match.names))
    match.finish(played)


def _is_list(value: Any, of: type) -> bool:
    return type(value) is list and all(type(item) is of for item in value)


def _compare(found: dict[str, Any], expected: dict[str, Any]) -> None:
    for name in sorted(found.keys() | expected.keys()):
        if name not in found or name not in expected or found[name] != expected[name]:
            raise ValueError(f"{name}: {found.get(name)!r} where {expected.get(name)!r} is right")


def _other(seat: Seat) -> Seat:
    return Seat.SECOND if seat is Seat.FIRST else Seat.FIRST
