"""A match, or a single round, as environments need it: reset, play, rewards, and what each player is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..algorithms.checked_numbers import whole_number
from ..errors import IllegalMoveError
from ..games.board import SQUARES
from ..games.goals import Seat
from ..games.rules import DEFAULT_RULES, Rules
from ..games.tic_tac_toe_tree import GameTree
from ..play.randomness import draw_first
from ..play.referee import Match, Round
from .observations import Masks, Observations, action_mask, observation

PLAYERS = ("player_0", "player_1")
MOST_ROUNDS = 100
"""Of a match, unless something else is asked for. Between perfect players, one in 10^23 matches to 5 is longer."""

REWARDS = ("match", "points")


@dataclass(frozen=True)
class GameOptions:
    """What is played. Raises ValueError for what there is not.

    winning_score: of a match; None for a single round. rules: as str(Rules) writes them, such as "filled" or
    "filled 2:1:1". first: who moves first in the first round, player 0 or 1; None to draw it for every match.
    max_rounds: a match without a winner after so many rounds is truncated. rewards: "match": 1 to the winner and -1
    to the loser of the match, at its end; "points": after every round the own points in it less the opponent's; None:
    "match" for a match, "points" for a single round, which has no other. merge_symmetric: of moves that lead to boards
    that are images of each other allow only the lowest square, as GameTree.build does; the game is the same, and has
    an eighth as many positions.
    """

    winning_score: int | None = 5
    rules: str = DEFAULT_RULES
    first: int | None = None
    max_rounds: int = MOST_ROUNDS
    rewards: str | None = None
    merge_symmetric: bool = False

    def __post_init__(self) -> None:
        Rules.parse(self.rules)
        if self.winning_score is not None:
            object.__setattr__(self, "winning_score", whole_number("winning_score", self.winning_score, 1))
        if self.first not in (None, 0, 1):
            raise ValueError(f"first: {self.first!r} is not 0, 1 or None")
        object.__setattr__(self, "max_rounds", whole_number("max_rounds", self.max_rounds, 1))
        if self.rewards is None:
            object.__setattr__(self, "rewards", "points" if self.winning_score is None else "match")
        if self.rewards not in REWARDS:
            raise ValueError(f"rewards: {self.rewards!r} is not one of {', '.join(REWARDS)}")
        if self.winning_score is None and self.rewards == "match":
            raise ValueError("rewards: a single round has no winner of the match; its rewards are 'points'")


class MatchGame:
    """A match or a round being played between players 0 and 1.

    A round ends as soon as nothing can change how it will end. After a round the seats are swapped, and the next round
    is dealt at once. If both reach the winning score together, the match goes on from one point below.

    >>> game = MatchGame(GameOptions(winning_score=None, first=0))
    >>> game.reset(seed=3)
    >>> for square in (1, 4, 2, 5):
    ...     _ = game.play(square)
    >>> [goal.name for goal in game.round.goals], game.mover
    (['TIE', 'LOSE'], 0)
    >>> game.play(3), game.mover
    ((-1.0, 1.0), None)
    """

    def __init__(self, options: GameOptions) -> None:
        self.options = options
        self.tree = GameTree.build(options.rules)

    def reset(self, seed: int) -> None:
        """Begin a match; goals, and who moves first where that is drawn, are those of the seed."""
        options = self.options
        seat = None if options.first is None else Seat(options.first)
        self.match = Match(self.tree, options.winning_score or 1, PLAYERS, draw_first(seat, seed), seed)
        self.round: Round = self.match.deal()
        self.previous: Round | None = None
        self._look()

    def _look(self) -> None:
        """After every change. mover: whose turn it is; None when the game is over or truncated. squares: which may be
        marked, in increasing order; none when the game is over."""
        self.mover = self.round.mover
        self.squares: tuple[int, ...] = ()
        if self.mover is not None:
            cursor = self.round.cursor
            if self.options.merge_symmetric:
                self.squares = tuple(sorted(map(self.tree.move, self.tree.children(cursor.node))))
            else:
                self.squares = cursor.board.free_squares

    @property
    def truncated(self) -> bool:
        """Whether the match has no winner, and is not gone on with."""
        return self.mover is None and self.options.winning_score is not None and self.match.winner is None

    def play(self, square: int) -> tuple[float, float]:
        """A move of the player whose turn it is; the rewards for it, by player. Raises IllegalMoveError, and changes
        nothing then, for a square that is not among `squares`."""
        if square not in self.squares:
            raise IllegalMoveError(f"square {square} may not be marked; these may: {self.squares}")
        self.round.play(square)
        reward = 0.0 if self.round.outcome is None else self._finish()
        self._look()
        return reward, -reward

    def _finish(self) -> float:
        """Count the round that is over, and deal the next one; the reward of player 0."""
        scored = self.round.scored
        self.previous = self.round
        if self.options.winning_score is not None:
            self.match.finish(self.round)
            if self.match.winner is None and len(self.match.rounds) < self.options.max_rounds:
                self.round = self.match.deal()
        if self.options.rewards == "points":
            return float(scored[0] - scored[1])
        return 0.0 if self.match.winner is None else 1.0 - 2.0 * self.match.winner

    def observation(self, player: int) -> Observations:
        """What a player is shown of the round being played, or of the last one when the game is over."""
        own, other = self.match.points[player], self.match.points[1 - player]
        played = self.round
        return observation(
            played.cursor.moves, played.goals[player], played.seat(player), (own, other), self.options.winning_score
        )

    def mask(self, player: int) -> Masks:
        """What a player may do: nothing when it is not its turn."""
        return action_mask(self.squares if player == self.mover else ())

    def info(self, player: int) -> dict[str, Any]:
        """What a player is told beside: action_mask; round: the number of the round being played, from 1;
        previous_round: None in the first round, else its moves, the goals and who scored, the player's own first."""
        previous = None
        if self.previous is not None:
            goals, scored = self.previous.goals, self.previous.scored
            previous = {
                "moves": self.previous.cursor.moves,
                "goals": (int(goals[player]), int(goals[1 - player])),
                "scored": (scored[player], scored[1 - player]),
            }
        return {"action_mask": self.mask(player), "round": self.round.number, "previous_round": previous}

    def text(self) -> str:
        """The game for somebody who watches: the last round's end, the score, and the board. Goals of a round that is
        being played are not in it."""
        played = self.round
        lines = []
        if self.previous is not None and played is not self.previous:
            lines = [*_end_in_words(self.previous), ""]
        if self.options.winning_score is not None:
            points = " : ".join(f"{name} {points}" for name, points in zip(PLAYERS, self.match.points, strict=True))
            lines.append(f"Match to {self.options.winning_score}, {points}")
        first, second = PLAYERS[played.first], PLAYERS[1 - played.first]
        lines += [f"Round {played.number}: {first} is X, {second} is O", *_board_lines(played.cursor.moves)]
        if self.mover is not None:
            lines.append(f"{PLAYERS[self.mover]} moves next.")
        else:
            lines += _end_in_words(played)
        if self.match.winner is not None and self.options.winning_score is not None:
            lines.append(f"{PLAYERS[self.match.winner]} wins the match.")
        if self.truncated:
            lines.append(f"Nobody has won after {len(self.match.rounds)} rounds.")
        return "\n".join(lines) + "\n"


def _board_lines(moves: tuple[int, ...]) -> list[str]:
    """Marks with the number of their move, as X1; a free square as its number."""
    marks = {square: f"{'XO'[number % 2]}{number + 1}" for number, square in enumerate(moves)}
    rows = (" | ".join(f"{marks.get(square, f'{square} '):>2}" for square in SQUARES[i : i + 3]) for i in (0, 3, 6))
    return [f" {row}".rstrip() for row in rows]


def _end_in_words(played: Round) -> list[str]:
    """Goals and points of a round that is over, a line a player."""
    return [
        f"Round {played.number}: {name} wanted to {goal.name}: {'a point' if scored else 'nothing'}."
        for name, goal, scored in zip(PLAYERS, played.goals, played.scored, strict=True)
    ]
