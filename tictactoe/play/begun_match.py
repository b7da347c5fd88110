"""A match against the bot that has begun, and going on with one from its transcript."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from msgspec import structs

from ..errors import EndlessMatchError, FormatError
from ..storage.shipped import with_names
from ..storage.solution import Solution, load_solution
from .bot import MatchBot
from .opponent_bot import opponent_of, require_opponent
from .opponents import OPPONENTS
from .randomness import draw_first, generator_for, round_purpose
from .referee import Match, Round
from .saved_match import TranscriptFile, played_from, require_rules_of
from .transcript import Setup, match_lines, read_transcript, replay


@dataclass(frozen=True)
class BegunMatch:
    """A match that has been played so far."""

    setup: Setup
    directory: Path
    """Of the solution that the bot plays from."""
    bot: MatchBot
    match: Match
    current: Round | None
    """The round that has been begun, if any."""
    file: TranscriptFile


def continued_match(file: TranscriptFile, path: Path, solution: Path | None = None) -> BegunMatch:
    """The match in a transcript, to go on with it. solution: plays in place of the one that has played.

    Raises FormatError for a file that is no transcript of an unfinished match, and for a solution that cannot go on
    with it.
    """
    setup, lines = read_transcript(path)
    if setup.opponent not in OPPONENTS:
        raise FormatError(path, f"line 1: opponent: there is no {setup.opponent[:40]!r}")
    if setup.winning_score is None:
        raise FormatError(path, "rounds for practice, not a match")
    directory = played_from(path, setup, solution)
    if solution is not None:
        setup = structs.replace(setup, solution=with_names(str(solution)))
    loaded = load_solution(directory)
    require_rules_of(path, setup, directory, loaded.tree)
    bot = match_bot(loaded, setup.winning_score, average=setup.average_strategy)
    try:
        require_opponent(setup.opponent, bot.tree)
        replayed = replay(lines, bot.tree)
    except ValueError as error:
        raise FormatError(path, str(error)) from error
    assert replayed.match is not None
    if replayed.match.winner is not None:
        raise FormatError(path, f"the match is over; look at it with: review {path}")
    if not (replayed.rounds or replayed.match.abandoned or replayed.current):
        replayed.match.first = draw_first(None, setup.seed)
    return BegunMatch(setup, directory, bot, replayed.match, replayed.current, file)


def watched_rounds(begun: BegunMatch, most: int = 10_000) -> Iterator[tuple[Round, bool]]:
    """Let the perfect player (0) play the match against the opponent (1), and save it round by round.

    Yields each round, and whether both players got to the end of the match in it. Raises EndlessMatchError after
    `most` rounds: by some odds of the goals no player ever gets ahead.
    """
    begun.file.save(match_lines(begun.setup, begun.match))  # at once: a file that cannot be written to fails first
    return _watched_rounds(begun, most)


def _watched_rounds(begun: BegunMatch, most: int) -> Iterator[tuple[Round, bool]]:
    match = begun.match
    while match.winner is None:
        if len(match.rounds) >= most:
            raise EndlessMatchError(f"stopped after {most:,} rounds: such players may never get ahead of each other")
        played = match.deal()
        generator = generator_for(match.seed, round_purpose("moves", played.number))
        perfect = begun.bot.round_bot(played.score)
        players = perfect, opponent_of(begun.setup.opponent, perfect)
        while (mover := played.mover) is not None:
            played.play(players[mover].choose(played.cursor, played.goals[mover], generator))
        again = match.finish(played)
        begun.file.save(match_lines(begun.setup, match))
        yield played, again
    if begun.file.ours:
        begun.file.settle_over(match_lines(begun.setup, match))


def match_bot(solution: Solution, winning_score: int | None, *, average: bool) -> MatchBot:
    """The bot of a solution. Raises FormatError, which names its directory, if it cannot play such a match."""
    try:
        return MatchBot(solution, winning_score, average=average)
    except ValueError as error:
        raise FormatError(solution.directory, str(error)) from error
