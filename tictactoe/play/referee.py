"""The referee of rounds and matches. Players are numbered 0 and 1."""

from __future__ import annotations

import hashlib
import re
from dataclasses import InitVar, dataclass, field
from typing import NamedTuple

from ..checked_numbers import whole_number
from ..errors import IllegalMoveError
from ..games.cursor import Cursor
from ..games.rules import Goal, Outcome, Rules, Seat
from ..games.tic_tac_toe_tree import GameTree
from ..match.scores import Score, points_after
from .bot import deal_goals, generator_for, round_purpose
from .notation import Position


class Account(NamedTuple):
    """The account of a match with a bot that adapts, in match value; see `adaptive.py`."""

    given: float
    """What player 0 has given the bot minus what the bot has risked. Never negative."""
    gained: float
    """The gain of adapting over perfect play so far, if player 0 plays as in the bot's model."""


COMMITTED_PLAYER = 1
"""The player whose goal is committed to before each round."""

LONGEST_NAME = 20
"""The largest number of characters of a player's name."""


def check_names(names: tuple[str, str]) -> None:
    """Raise ValueError unless the players' names are short, printable and different."""
    for name in names:
        if not name:
            raise ValueError(f"a name has 1 to {LONGEST_NAME} characters, and this one has none")
        if len(name) > LONGEST_NAME or not name.isprintable():
            raise ValueError(f"{name[:40]!r} is longer than {LONGEST_NAME} characters, or unprintable")
        if name != " ".join(name.split()):
            raise ValueError(f"{name!r} begins or ends with a space, or has two spaces together")
    if names[0] == names[1]:
        raise ValueError(f"both players are called {names[0]!r}")


@dataclass(eq=False)
class Round:
    """One round being played.

    moves: the squares, 1 to 9, that have been played already.

    Raises IllegalMoveError for illegal moves, and ValueError for a commitment to another round or goal.

    >>> text = "smbc-tictactoe round 1 goal tie nonce 00"
    >>> played = Round(1, Score(4, 3), 0, (Goal.WIN, Goal.TIE), text, GameTree.build(), (1, 4, 2, 5))
    >>> print(played.position(hidden=1), played.mover)
    4-3 w? 1425 0
    >>> played.play(3)
    >>> played.outcome.name, played.scored
    ('WIN', (True, False))
    """

    number: int
    """The number of the round in the match, from 1."""
    score: Score
    """The points of the first mover, then of the other, before the round."""
    first: int
    """The player, 0 or 1, who moves first."""
    goals: tuple[Goal, Goal]
    """The goals of players 0 and 1."""
    commitment: str
    """The text that names the goal of player COMMITTED_PLAYER."""
    tree: InitVar[GameTree]
    moves: InitVar[tuple[int, ...]] = ()
    cursor: Cursor = field(init=False)
    hints: int = field(default=0, init=False)
    """The number of hints that player 0 has asked for."""
    account: Account | None = field(default=None, init=False)
    """The account of an adapting bot after the round."""

    def __post_init__(self, tree: GameTree, moves: tuple[int, ...]) -> None:
        self.cursor = Cursor(tree)
        if not is_commitment(self.commitment, self.number, self.goals[COMMITTED_PLAYER]):
            raise ValueError(f"commitment: {self.commitment[:100]!r} is not about this round and goal")
        for move in moves:
            self.play(move)

    def seat(self, player: int) -> Seat:
        return Seat.FIRST if player == self.first else Seat.SECOND

    @property
    def rules(self) -> Rules:
        return self.cursor.tree.rules

    @property
    def goals_by_seat(self) -> tuple[Goal, Goal]:
        return self.goals[self.first], self.goals[1 - self.first]

    @property
    def mover(self) -> int | None:
        """The player to move; None when the round is decided."""
        return None if self.outcome is not None else (self.first + len(self.cursor.moves)) % 2

    @property
    def outcome(self) -> Outcome | None:
        """The outcome of the round; None while moves can still change it."""
        return self.cursor.forced_outcome

    def play(self, square: int) -> None:
        """Mark a square for the player whose turn it is. Changes nothing if it raises IllegalMoveError."""
        if self.outcome is not None:
            raise IllegalMoveError("the round is decided")
        self.cursor.play(square)

    def take_back(self, player: int, given: int = 0) -> None:
        """Undo the last move of `player` after the first `given` moves, and every later move.

        Changes nothing if it raises IllegalMoveError because there is no such move.
        """
        own = [number for number in range(given, len(self.cursor.moves)) if (self.first + number) % 2 == player]
        if not own:
            raise IllegalMoveError("there is no move of yours to take back")
        while len(self.cursor.moves) > own[-1]:
            self.cursor.undo()

    @property
    def scored(self) -> tuple[bool, bool]:
        """Whether player 0 and whether player 1 scores. Raises ValueError while the round is undecided."""
        if self.outcome is None:
            raise ValueError("the round goes on")
        by_seat = self.rules.scores(self.outcome, *self.goals_by_seat)
        return by_seat[self.seat(0)], by_seat[self.seat(1)]

    def position(self, hidden: int | None = None, before: int | None = None, score: Score | None = None) -> Position:
        """The position of the round.

        hidden: the player whose goal stays secret, if any.
        before: the number of a move, to get the position before it.
        score: the solution's score, in place of the round's.
        """
        first, second = (None if player == hidden else self.goals[player] for player in (self.first, 1 - self.first))
        moves = self.cursor.moves if before is None else self.cursor.moves[: before - 1]
        return Position(self.score if score is None else score, (first, second), moves)


@dataclass(eq=False)
class Match:
    """A match between two players. Raises ValueError for a bad winning score or bad names.

    >>> match = Match(GameTree.build(), 1, ("Ann", "Bot"), first=0, seed=7)
    >>> played = match.deal()
    >>> for square in (1, 4, 2, 5, 3):
    ...     played.play(square)
    >>> match.finish(played), match.winner, match.points, [goal.name for goal in played.goals]
    (False, 0, (1, 0), ['WIN', 'WIN'])
    """

    tree: GameTree
    winning_score: int
    """Points that win the match, at least 1."""
    names: tuple[str, str]
    """The names of players 0 and 1."""
    first: int
    """The player, 0 or 1, who moves first in the next round."""
    seed: int | None = None
    """The seed of all draws; None for unpredictable ones."""
    score: Score = field(default=Score(0, 0), init=False)
    """The points of the player who moves first in the next round, then of the other."""
    rounds: list[Round] = field(default_factory=list, init=False)
    """The finished rounds."""
    abandoned: list[Round] = field(default_factory=list, init=False)
    """The rounds that were broken off after their goals had been shown. They do not count."""
    winner: int | None = field(default=None, init=False)
    """The winner, player 0 or 1; None while the match continues."""

    def __post_init__(self) -> None:
        self.winning_score = whole_number("winning_score", self.winning_score, 1)
        if self.seed is not None:
            self.seed = whole_number("seed", self.seed, 0)
        check_names(self.names)

    @property
    def points(self) -> tuple[int, int]:
        """The points of players 0 and 1."""
        return self.score[self.first], self.score[1 - self.first]

    def deal(self) -> Round:
        """The next round, to be played and passed to `finish`. Raises ValueError if the match is over."""
        number, again = len(self.rounds) + 1, self.dealt_again
        goals = deal_goals(self.tree.rules, self.seed, number, again)
        return self.next_round(goals, new_commitment(self.seed, number, goals[COMMITTED_PLAYER], again))

    @property
    def dealt_again(self) -> int:
        """How often the next round has been abandoned."""
        return sum(left.number == len(self.rounds) + 1 for left in self.abandoned)

    def abandon(self, played: Round) -> None:
        """Break off a round whose goals have been shown; `deal` deals it again.

        Raises ValueError for a round that is decided or is not the current one.
        """
        if played.number != len(self.rounds) + 1 or self.winner is not None or played.outcome is not None:
            raise ValueError(f"round {played.number} is not being played")
        self.abandoned.append(played)

    @property
    def victory(self) -> str:
        """A sentence about the winner. Raises ValueError while the match continues."""
        if self.winner is None:
            raise ValueError("the match goes on")
        name = self.names[self.winner]
        return "You win the match." if self.winner == 0 and name == "You" else f"{name} wins the match."

    def next_round(self, goals: tuple[Goal, Goal], commitment: str, moves: tuple[int, ...] = ()) -> Round:
        """The next round with these goals. Raises the errors of `deal` and `Round`."""
        if self.winner is not None:
            raise ValueError("the match is over")
        return Round(len(self.rounds) + 1, self.score, self.first, goals, commitment, self.tree, moves)

    def finish(self, played: Round) -> bool:
        """Count a finished round. Returns whether both players reached the winning score, in which case the match
        continues from one point below.

        Raises ValueError for a round that is not over or is not the current one.
        """
        if played.number != len(self.rounds) + 1 or self.winner is not None:
            raise ValueError(f"round {played.number} is not the one to be played")
        before, after = self.points, points_after(self.points, played.scored, self.winning_score)
        self.rounds.append(played)
        if max(after) >= self.winning_score:
            self.winner = after.index(max(after))
        else:
            self.first = 1 - self.first
        self.score = Score(after[self.first], after[1 - self.first])
        return after[0] < before[0] + played.scored[0]


def commitment_text(number: int, goal: Goal, nonce: str) -> str:
    """The text of a commitment. Its hash is shown before a round, the text itself afterwards."""
    return f"smbc-tictactoe round {number} goal {goal.name.lower()} nonce {nonce}"


def commitment_hash(text: str) -> str:
    """SHA-256, hexadecimal: what `python -c "import hashlib; print(hashlib.sha256(b'TEXT').hexdigest())"` prints."""
    return hashlib.sha256(text.encode()).hexdigest()


def is_commitment(text: str, number: int, goal: Goal) -> bool:
    """Whether the text commits to this goal in round `number`."""
    return re.fullmatch(f"{commitment_text(number, goal, '')}[0-9a-f]{{2,64}}", text) is not None


def new_commitment(seed: int | None, number: int, goal: Goal, again: int = 0) -> str:
    """The text for a goal, with a nonce of 32 hexadecimal digits from the seed. again: how often the round was dealt
    again."""
    generator = generator_for(seed, round_purpose("nonce", number, again))
    return commitment_text(number, goal, f"{generator.getrandbits(128):032x}")
