"""Recorded rounds of a person (player 0) against the bot: matches, practice, and matches continued from a
transcript."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import structs

from ..errors import EndlessMatchError, FormatError, TicTacToeError
from ..games.cursor import Cursor
from ..games.rules import Goal, Seat
from ..match.scores import Score
from ..storage.shipped import with_names
from ..storage.solution import Solution, load_solution
from .bot import MatchBot, RoundBot, deal_goals, draw_first, generator_for, opponent_of, require_opponent, round_purpose
from .known_opponent import KnownOpponent
from .match_history import TranscriptFile, played_from, require_rules_of
from .move_costs import Mistake, mistakes
from .notation import Position
from .opponents import ADAPTIVE, DEFAULT_OPPONENT, OPPONENTS
from .referee import COMMITTED_PLAYER, Match, Round, new_commitment
from .transcript import Replayed, Setup, match_lines, practice_lines, read_transcript

if TYPE_CHECKING:
    from .adaptive import AdaptiveBot


@dataclass
class Practice:
    """What all rounds of practice have in common."""

    bot: RoundBot
    score: Score
    seat: Seat | None
    """The seat of player 0; None to draw it in each round."""
    seed: int | None
    """The seed of all draws; None for unpredictable ones."""
    goals: tuple[Goal | None, Goal | None] = (None, None)
    """The goal of each player; None to deal one in each round."""
    start: Position | None = None
    """The position where rounds begin. Its goals take precedence over `goals`. A goal that is unknown in both is drawn
    by the belief after the moves of the position."""
    known: KnownOpponent | None = None
    """Player 1, if its strategy is known and is not that of `bot`."""
    _drawn = 0  # the number of goals drawn by a belief

    def deal(self, number: int) -> Round:
        first = draw_first(self.seat, self.seed, number)
        dealt = deal_goals(self.bot.tree.rules, self.seed, number)
        goals = self._goal(0, first, dealt[0]), self._goal(1, first, dealt[1])
        commitment = new_commitment(self.seed, number, goals[COMMITTED_PLAYER])
        moves = () if self.start is None else self.start.moves
        return Round(number, self.score, first, goals, commitment, self.bot.tree, moves)

    def _goal(self, player: int, first: int, dealt: Goal) -> Goal:
        seat = Seat(int(player != first))
        wanted = None if self.start is None else self.start.goals[seat]
        wanted = self.goals[player] if wanted is None else wanted
        if wanted is not None or self.start is None:
            return dealt if wanted is None else wanted
        cursor = Cursor(self.bot.tree, self.start.moves)
        if player == COMMITTED_PLAYER and self.known is not None:
            belief = self.known.belief(cursor, seat, self.score)
        else:
            belief = self.bot.belief(cursor.node, seat)
        self._drawn += 1
        return generator_for(self.seed, f"unknown goal {self._drawn}").choices(list(Goal), weights=belief)[0]


def seat_at(start: Position) -> Seat:
    """The seat of the person who practises at a position: the seat whose goal is known, or else the first."""
    return Seat.SECOND if start.goals[0] is None and start.goals[1] is not None else Seat.FIRST


def continued_match(file: TranscriptFile, path: Path, solution: Path | None = None) -> RecordedMatch:
    """The match of a transcript, ready to be continued. solution: plays in place of the one that has played so far.

    Raises FormatError for anything but a transcript of an unfinished match, and for a solution that does not fit.
    """
    written = read_transcript(path)
    setup = written.setup()
    if setup.opponent not in (*OPPONENTS, ADAPTIVE):
        raise FormatError(path, f"line 1: opponent: there is no {setup.opponent[:40]!r}")
    if setup.winning_score is None:
        raise FormatError(path, "it has rounds of practice, not a match")
    directory = played_from(path, setup, solution)
    if solution is not None:
        setup = structs.replace(setup, solution=with_names(str(solution)))
    loaded = load_solution(directory)
    require_rules_of(path, setup, directory, loaded.tree)
    bot = match_bot(loaded, setup.winning_score, average=setup.average_strategy)
    try:
        require_opponent(DEFAULT_OPPONENT if setup.opponent == ADAPTIVE else setup.opponent, bot.tree)
    except ValueError as error:
        raise FormatError(path, str(error)) from error
    replayed = written.replay(bot.tree)
    assert replayed.match is not None
    if replayed.match.winner is not None:
        raise FormatError(path, f"the match is over; to see it: review {path}")
    if not (replayed.rounds or replayed.match.abandoned or replayed.current):
        replayed.match.first = draw_first(None, setup.seed)
    return RecordedMatch(setup, file, directory, bot, replayed.match, replayed.current)


def watched_rounds(record: RecordedMatch, most: int = 10_000) -> Iterator[tuple[Round, bool]]:
    """Let the perfect player (0) play the match against the opponent (1), and save it round by round.

    Yields each round, and whether both players reached the end of the match in it. Raises EndlessMatchError after
    `most` rounds.
    """
    while not record.is_over:
        if len(record.rounds) >= most:
            raise EndlessMatchError(f"stopped after {most:,} rounds: perhaps neither player ever takes the lead")
        played, generator = record.next_round()
        players = record.judge(played), record.opponent(played)
        while (mover := played.mover) is not None:
            played.play(players[mover].choose(played.cursor, played.goals[mover], generator))
        again = record.count(played)
        record.current = None
        record.save()
        yield played, again
    if record.file.ours:
        record.file.settle_over(record.lines())


def match_bot(solution: Solution, winning_score: int | None, *, average: bool) -> MatchBot:
    """The bot of a solution. Raises FormatError if it cannot play such a match."""
    try:
        return MatchBot(solution, winning_score, average=average)
    except ValueError as error:
        raise FormatError(solution.directory, str(error)) from error


class RecordedPlay(ABC):
    """Rounds that are played one after another, and the file of their transcript.

    rounds: the finished rounds.
    current: the dealt round whose commitment has not been opened yet.
    given: the number of moves with which each round begins.
    solved_score: a function from a round's score to the solution's score.
    """

    match: Match | None = None
    """The match; None for practice."""
    given = 0
    solved_score: Callable[[Score], Score] = staticmethod(lambda score: score)

    def __init__(self, setup: Setup, file: TranscriptFile, rounds: list[Round]) -> None:
        self.setup, self.file, self.rounds = setup, file, rounds
        self.current: Round | None = None
        self.known: KnownOpponent | None = None
        """The opponent, if its strategy is known and it is not the perfect player."""
        self.keeps_left = False
        """Whether a match without a file is saved to one at its first move, so that it can be continued however play
        ends."""
        self.not_kept = ""
        """The reason why the finished rounds could not be kept in the history; "" if they were kept."""

    @property
    @abstractmethod
    def is_over(self) -> bool:
        """Whether all rounds have been played."""

    @abstractmethod
    def next_round(self) -> tuple[Round, random.Random]:
        """Begin or continue a round. Returns the round and the generator of the opponent's moves."""

    @abstractmethod
    def count(self, played: Round) -> bool:
        """Count a finished round. Returns whether both players reached the winning score at once."""

    @abstractmethod
    def judge(self, played: Round) -> RoundBot:
        """The perfect player that judges the round."""

    def opponent(self, played: Round) -> RoundBot:
        """Player 1 in the round."""
        return opponent_of(self.setup.opponent, self.judge(played))

    def replayed(self) -> Replayed:
        return Replayed(self.setup, self.match, self.rounds)

    def lines(self) -> list[dict[str, Any]]:
        if self.match is not None:
            return match_lines(self.setup, self.match, self.going_on)
        return practice_lines(self.setup, [*self.rounds, *filter(None, [self.going_on])])

    @property
    def going_on(self) -> Round | None:
        """The current round, unless it has been counted or abandoned."""
        over = [*self.rounds, *([] if self.match is None else self.match.abandoned)]
        return None if self.current in over else self.current

    @property
    def stays_sealed(self) -> bool:
        """Whether the dealt round continues later, and its commitment must stay closed."""
        return False

    def settle(self, *, stopped: bool, keep_unbegun: bool = False) -> None:
        """End play: count a finished round, and save a match that was stopped.

        keep_unbegun: whether to save it even before its first move.

        Raises the errors of `save`.
        """
        if self.going_on is not None and self.going_on.outcome is not None:
            self.count(self.going_on)

    def save(self) -> None:
        """Write the transcript. Raises OSError and FormatError."""
        if self.file.path is not None:
            lines = self.lines()
            self.file.save(lines, finished=len(lines) - (self.going_on is not None))

    def adviser(self, played: Round) -> RoundBot:
        """The best responder to a known opponent, or else the perfect player."""
        if self.known is None or not self.known.can_answer:
            return self.judge(played)
        return self.known.responder(played.score, played.seat(0))

    def mistakes(self, rounds: Sequence[Round]) -> list[Mistake]:
        """The person's mistakes, worst first."""
        judged = [(played, self.adviser(played)) for played in rounds]
        return mistakes(judged, 0, self.solved_score, given=self.given)


class RecordedPractice(RecordedPlay):
    """Rounds of practice. wanted: the number of rounds."""

    def __init__(self, setup: Setup, practice: Practice, wanted: int, file: TranscriptFile) -> None:
        super().__init__(setup, file, [])
        self.practice, self.wanted, self.known = practice, wanted, practice.known
        self.given = 0 if practice.start is None else len(practice.start.moves)

    @property
    def is_over(self) -> bool:
        return len(self.rounds) >= self.wanted

    def next_round(self) -> tuple[Round, random.Random]:
        number = len(self.rounds) + 1
        self.current = self.practice.deal(number)
        return self.current, generator_for(self.practice.seed, round_purpose("moves", number))

    def count(self, played: Round) -> bool:
        self.rounds.append(played)
        return False

    def settle(self, *, stopped: bool, keep_unbegun: bool = False) -> None:
        super().settle(stopped=stopped)
        if self.rounds:
            self.not_kept = self.file.settle_over(self.lines())

    def judge(self, played: Round) -> RoundBot:
        return self.practice.bot


class RecordedMatch(RecordedPlay):
    """A match, or the rest of one.

    directory: the directory of the bot's solution.
    current: the round that has begun, if any.
    """

    match: Match

    def __init__(
        self,
        setup: Setup,
        file: TranscriptFile,
        directory: Path,
        bot: MatchBot,
        match: Match,
        current: Round | None = None,
    ) -> None:
        super().__init__(setup, file, match.rounds)
        self.directory, self.bot, self.match, self.solved_score = directory, bot, match, bot.solved_score
        self.adaptive: AdaptiveBot | None = None
        """Player 1, if it is the bot that adapts."""
        if setup.opponent == ADAPTIVE:
            self.adaptive = self._adaptive_so_far()
        elif setup.opponent != DEFAULT_OPPONENT:
            ships = setup.solution is None and setup.average_strategy
            self.known = KnownOpponent(setup.opponent, bot.round_bot, bot.winning_score, ships=ships)
        self.current = current or match.deal()
        self._without_file = False  # no file could be written

    @property
    def is_over(self) -> bool:
        return self.match.winner is not None

    def next_round(self) -> tuple[Round, random.Random]:
        match = self.match
        self.current = played = self.current or match.deal()
        return played, generator_for(match.seed, round_purpose("moves", played.number, match.dealt_again))

    def count(self, played: Round) -> bool:
        if self.adaptive is not None and self.adaptive.facts is not None:
            self.adaptive.end_round(played.cursor.nodes, played.goals[0], counts=played.hints == 0)
            played.account = self.adaptive.account
        return self.match.finish(played)

    def opponent(self, played: Round) -> RoundBot:
        if self.adaptive is None:
            return super().opponent(played)
        return self.adaptive.begin_round(played.score, played.seat(1))

    def _adaptive_so_far(self) -> AdaptiveBot:
        from .adaptive import AdaptiveBot

        bot = AdaptiveBot(self.bot)
        for earlier in map(Position.parse, self.setup.earlier_rounds):
            seat, nodes = seat_at(earlier), Cursor(self.bot.tree, earlier.moves).nodes
            goal = earlier.goals[seat]
            assert goal is not None
            bot.learn(self.bot.solved_bot(earlier.score), nodes, seat, goal)
        for played in self.match.rounds:
            nodes, goal = played.cursor.nodes, played.goals[0]
            bot.learn(self.judge(played), nodes, played.seat(0), goal, counts=played.hints == 0)
            bot.account = played.account or bot.account
        return bot

    def judge(self, played: Round) -> RoundBot:
        return self.bot.round_bot(played.score)

    @property
    def stays_sealed(self) -> bool:
        return self.file.holds and self.current is not None and self.current.outcome is None

    @property
    def _is_begun(self) -> bool:
        return bool(self.rounds or (self.going_on is not None and self.going_on.cursor.moves))

    def save(self) -> None:
        """Write the transcript. If the program cannot keep a file, the match continues without one."""
        if self.file.path is not None or not self.keeps_left or not self._is_begun or self._without_file:
            super().save()
            return
        try:
            self.file = TranscriptFile.of_a_new_match()
            super().save()
        except (OSError, RuntimeError, TicTacToeError):
            self.file, self._without_file = TranscriptFile(None), True

    def settle(self, *, stopped: bool, keep_unbegun: bool = False) -> None:
        going_on, wanted = self.going_on, self._is_begun or keep_unbegun
        super().settle(stopped=stopped)
        if not self.is_over and self.file.path is None and self.keeps_left and wanted:
            self.file = TranscriptFile.of_a_new_match()
        if going_on is not None and going_on.outcome is None and not self.file.is_file:
            self.match.abandon(going_on)  # its commitment is opened before its end, so it does not count
        if stopped:
            self.save()
        if self.is_over:
            self.not_kept = self.file.settle_over(self.lines())
