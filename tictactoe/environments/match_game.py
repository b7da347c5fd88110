"""A match, or a single round, for environments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from pathlib import Path
from typing import Any, Protocol, Self

from ..algorithms.game import Game
from ..algorithms.game_builder import build_game
from ..checked_numbers import whole_number
from ..errors import IllegalMoveError
from ..games.board import SQUARES, Board
from ..games.payoffs import tic_tac_toe_round
from ..games.rules import DEFAULT_RULES, RESULTS, SINGLE_ROUND, Goal, Outcome, OutcomeValues, Rules, Seat
from ..games.tic_tac_toe_tree import BoardFacts, GameTree, boards_of
from ..match.head_to_head import MatchStrategy
from ..match.scores import Score
from ..play.bot import RoundBot, draw_first
from ..play.referee import Match, Round
from .observations import Masks, Observations, action_mask, observation

PLAYERS = ("player_0", "player_1")
DEFAULT_MAX_ROUNDS = 100
"""The default limit of rounds. Between perfect players, one in 10^23 matches to 5 is longer."""

REWARDS = ("match", "points")


@dataclass(frozen=True)
class MatchGameOptions:
    """The options of a game. Raises ValueError for a value that is unknown or out of range."""

    winning_score: int | None = 5
    """The points that win a match; None for a single round."""
    rules: str = DEFAULT_RULES
    """The rules as text, such as "filled" or "filled 2:1:1"."""
    first: int | None = None
    """The player who moves first in the first round, 0 or 1; None to draw that player for every match."""
    max_rounds: int = DEFAULT_MAX_ROUNDS
    """The number of rounds after which a match without a winner is truncated."""
    rewards: str | None = None
    """Either "match": 1 to the winner and -1 to the loser at the end of the match; or "points": after every round, the
    player's points minus the opponent's. None is "match" for a match and "points" for a single round, which has no
    other rewards.
    """
    merge_symmetric: bool = False
    """Whether only the lowest square is allowed among moves that lead to images of the same board."""

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
            raise ValueError("rewards: a single round has no winner; its rewards are 'points'")


class MatchGame:
    """A match or a round in progress between players 0 and 1.

    mover: the player to move; None when the game is over or truncated.
    squares: the squares that may be marked, in increasing order; empty when the game is over.

    >>> game = MatchGame(MatchGameOptions(winning_score=None, first=0))
    >>> game.reset(seed=5)
    >>> for square in (1, 4, 2, 5):
    ...     _ = game.play(square)
    >>> [goal.name for goal in game.round.goals], game.mover
    (['WIN', 'WIN'], 0)
    >>> game.play(3), game.mover
    ((1.0, -1.0), None)
    """

    def __init__(self, options: MatchGameOptions) -> None:
        self.options = options
        self.tree = GameTree.build(options.rules)

    def reset(self, seed: int) -> None:
        """Begin a match. The seed decides the goals, and the first mover if that player is drawn."""
        options = self.options
        seat = None if options.first is None else Seat(options.first)
        self.match = Match(self.tree, options.winning_score or 1, PLAYERS, draw_first(seat, seed), seed)
        self.round: Round = self.match.deal()
        self.previous: Round | None = None
        self._look()

    def _look(self) -> None:
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
        """Whether the match was cut off without a winner."""
        return self.mover is None and self.options.winning_score is not None and self.match.winner is None

    def play(self, square: int) -> tuple[float, float]:
        """Make the mover's move and return the rewards for it, by player. Raises IllegalMoveError."""
        if square not in self.squares:
            raise IllegalMoveError(f"square {square} may not be marked; these may: {self.squares}")
        self.round.play(square)
        reward = 0.0 if self.round.outcome is None else self._finish()
        self._look()
        return reward, -reward

    def _finish(self) -> float:
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
        """A player's observation of the current or last round."""
        own, other = self.match.points[player], self.match.points[1 - player]
        goal, seat, moves = self.round.goals[player], self.round.seat(player), self.round.cursor.moves
        return observation(moves, goal, seat, (own, other), self.options.winning_score)

    def mask(self, player: int) -> Masks:
        """A player's action mask; all 0 if it is the opponent's turn."""
        return action_mask(self.squares if player == self.mover else ())

    def info(self, player: int) -> dict[str, Any]:
        """Further information for a player.

        action_mask: see `mask`.
        round: the number of the current round, from 1.
        previous_round: its moves, its goals and who scored, with the player's own first; None in the first round.
        """
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
        """The game for a spectator, without hidden goals."""
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
    marks = {square: f"{'XO'[number % 2]}{number + 1}" for number, square in enumerate(moves)}
    rows = (" | ".join(f"{marks.get(square, f'{square} '):>2}" for square in SQUARES[i : i + 3]) for i in (0, 3, 6))
    return [f" {row}".rstrip() for row in rows]


def _end_in_words(played: Round) -> list[str]:
    return [
        f"Round {played.number}: {name} wanted to {goal.name}: {'a point' if scored else 'nothing'}."
        for name, goal, scored in zip(PLAYERS, played.goals, played.scored, strict=True)
    ]


class _Shared:
    """A value that never changes and is its own copy."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


@dataclass(frozen=True)
class RoundVariant(_Shared):
    """A variant of the round. Raises ValueError for a start that is not a sequence of moves or decides the round.

    >>> variant = RoundVariant(start=(5, 1, 9, 3))
    >>> variant.play.squares, len(RoundVariant(merge_symmetric=False).play.squares)
    ((2, 4, 6, 7, 8), 9)
    """

    rules: Rules = field(default_factory=Rules)
    merge_symmetric: bool = True
    """Whether symmetric moves are left out, as in `GameTree.build`."""
    cut_forced: bool = True
    """Whether rounds end when their outcome is certain, as in `GameTree.build`."""
    start: tuple[int, ...] = ()
    """The squares that are played, in order, before goals are drawn."""
    values: OutcomeValues = SINGLE_ROUND
    """The values of the results to the first mover."""

    def __post_init__(self) -> None:
        board, text, boards = Board(), "".join(map(str, self.start)), boards_of(self.rules.of_round)
        for square in self.start:
            if boards.facts(board).outcome is not None:
                raise ValueError(f"start: the round is decided before the last move of {text}")
            if square not in board.free_squares:
                raise ValueError(f"start: {text} are not different squares from 1 to 9")
            board = board.play(square)
        if boards.facts(board).outcome is not None:  # certain, with or without `cut_forced`
            raise ValueError(f"start: the round is decided after {text}")

    def facts(self, board: Board) -> BoardFacts:
        return boards_of(self.rules.of_round, self.merge_symmetric, self.cut_forced).facts(board)

    @property
    def play(self) -> RoundPlay:
        return RoundPlay(self, (), self.start, reduce(Board.play, self.start, Board()))

    def game(self) -> Game:
        """The round as a game for the algorithms of this package: types are goals, moves are squares.

        Without a start, its tree is that of `GameTree.build`.

        >>> from tictactoe import exploitability, uniform_strategy
        >>> game = RoundVariant(start=(5, 1, 9, 3)).game()
        >>> game.tree.num_nodes, round(exploitability(game, uniform_strategy(game.tree)).total, 6)
        (115, 0.883333)
        """
        if self.start:
            return build_game(_Description(self))
        tree = GameTree.build(self.rules, merge_symmetric=self.merge_symmetric, cut_forced=self.cut_forced)
        return tic_tac_toe_round(tree, self.values)


@dataclass(frozen=True)
class RoundPlay(_Shared):
    """The draws and moves of a round, as a value that never changes.

    >>> play = RoundVariant().play.draw(Goal.WIN).draw(Goal.TIE)
    >>> for square in (1, 2, 5, 3, 9):
    ...     play = play.mark(square)
    >>> play.outcome.name, play.scored
    ('WIN', (True, False))
    """

    variant: RoundVariant
    goals: tuple[Goal, ...]
    """The goals drawn so far, the first mover's first."""
    moves: tuple[int, ...]
    """The squares played, in order, beginning with the start."""
    board: Board
    """The marks on the board."""

    @property
    def is_drawn(self) -> bool:
        return len(self.goals) == 2

    @property
    def outcome(self) -> Outcome | None:
        """The outcome; None while the round continues."""
        return self.variant.facts(self.board).outcome

    @property
    def mover(self) -> Seat:
        return Seat(len(self.moves) % 2)

    @property
    def squares(self) -> tuple[int, ...]:
        """The squares that can be marked, in increasing order; empty when the round has ended."""
        return tuple(square for square, _ in self.variant.facts(self.board).moves)

    def draw(self, goal: Goal) -> RoundPlay:
        """The round after the draw of the next goal. Raises ValueError if both are drawn."""
        if self.is_drawn:
            raise ValueError("goal: both have been drawn")
        return RoundPlay(self.variant, (*self.goals, goal), self.moves, self.board)

    def mark(self, square: int) -> RoundPlay:
        """The round after the mover's next move. Raises IllegalMoveError."""
        for move, after in self.variant.facts(self.board).moves:
            if move == square:
                return RoundPlay(self.variant, self.goals, (*self.moves, square), after)
        raise IllegalMoveError(f"square {square} is not one of {self.squares}")

    @property
    def scored(self) -> tuple[bool, bool]:
        """Whether the first and whether the second mover scores. Raises ValueError before the end."""
        if self.outcome is None or not self.is_drawn:
            raise ValueError("the round goes on")
        return self.variant.rules.scores(self.outcome, *self.goals)

    @property
    def worth(self) -> float:
        """The result's value to the first mover. Raises ValueError before the end."""
        return self.variant.values[RESULTS.index(self.scored)]


@dataclass(frozen=True)
class _Description:
    variant: RoundVariant
    types: tuple[tuple[Goal, ...], tuple[Goal, ...]] = (tuple(Goal), tuple(Goal))

    def prior(self, first: Goal, second: Goal) -> float:
        probabilities = self.variant.rules.goal_probabilities
        return probabilities[first] * probabilities[second]

    def root(self) -> RoundPlay:
        return self.variant.play

    def owner(self, state: RoundPlay) -> int | None:
        return int(state.mover) if state.outcome is None else None

    def moves(self, state: RoundPlay) -> list[tuple[int, RoundPlay]]:
        return [(square, state.mark(square)) for square in state.squares]

    def payoff(self, state: RoundPlay, first: Goal, second: Goal) -> float:
        return replace(state, goals=(first, second)).worth


class RoundBots(Protocol):
    """Bots for every score of a match, with the interface of MatchBot."""

    def round_bot(self, score: Score) -> RoundBot:
        """The bot for a score, as in MatchBot."""


def opponent_to_meet(
    opponent: str | Path | RoundBot | RoundBots, rules: str, winning_score: int | None
) -> Callable[[Score], RoundBot]:
    """The agent's opponent at every score of the match, or in a single round.

    opponent: an agent of `parse_agent` that is not a program; in a single round, a name of `round_opponent`; a
    RoundBot, which plays the same at every score; or any object with the method round_bot(score).
    winning_score: None for a single round.

    Raises ValueError for an opponent by other rules, and for a match that is longer than the solution's. Raises
    FormatError for unusable files, for a solved match in a single round, and for a saved round in a match.

    >>> bot_at = opponent_to_meet("learner-10", "three-in-a-row", winning_score=None)
    >>> bot_at(Score(0, 0)).strategy.shape
    (37538, 3)
    """
    from ..agents.named import parse_agent, round_opponent  # loads the compiler, which other games do without

    tree = GameTree.build(rules)
    if isinstance(opponent, str | Path):
        if winning_score is None:
            strategies: MatchStrategy = {Score(0, 0): round_opponent(str(opponent), tree, SINGLE_ROUND)}
        else:
            strategies = parse_agent(str(opponent)).policy(tree, winning_score)
        return partial(_bot_at, tree, strategies)
    bot_at = partial(_same, opponent) if isinstance(opponent, RoundBot) else opponent.round_bot
    plays = bot_at(Score(0, 0)).tree
    if plays.fingerprint != tree.fingerprint:
        raise ValueError(f"opponent: it plays by {plays.rules}, not by {rules}")
    return bot_at


def _bot_at(tree: GameTree, strategies: MatchStrategy, score: Score) -> RoundBot:
    return RoundBot(tree, strategies[score], SINGLE_ROUND)


def _same(bot: RoundBot, score: Score) -> RoundBot:
    return bot
