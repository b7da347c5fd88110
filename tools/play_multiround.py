"""play-multiround: a match against the bot."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click
from click.core import ParameterSource

from .shared.parameters import Count
from .shared.play_options import SEATS, must_be_new, playing_options, wanted_seat
from .shared.program import SETTINGS, CommandError, run, shown_path

if TYPE_CHECKING:
    from tictactoe.play.bot import MatchBot
    from tictactoe.play.referee import Match, Round
    from tictactoe.play.review import Mistake
    from tictactoe.play.transcript import Setup

    from .shared.play_screen import QuitPlaying, Screen
    from .shared.play_text import Speaker
    from .shared.review_screen import Explore
    from .shared.saved_match import TranscriptFile

_OF_A_NEW_MATCH = ("seed", "winning_score", "seat", "names", "opponent", "average_strategy", "auto")


@click.command(context_settings=SETTINGS)
@playing_options
@click.option(
    "--winning-score",
    type=Count(1),
    default=None,
    help="Points that win the match; at most the solution's.  [default: the solution's]",
)
@click.option(
    "--seat",
    type=click.Choice(SEATS),
    default="random",
    show_default=True,
    help="Whether you move first or second in the first round; then it alternates.",
)
@click.option(
    "--continue",
    "resume",
    is_flag=True,
    help="Go on with the match in --transcript, or else with the one that you left last.",
)
@click.option("--auto", is_flag=True, help="Watch the perfect player against --opponent; one line per round.")
@click.pass_context
def command(
    context: click.Context,
    solution: Path | None,
    opponent: str,
    average_strategy: bool,
    seed: int | None,
    names: tuple[str, str] | None,
    transcript: Path | None,
    keypad: str,
    plain: bool,
    winning_score: int | None,
    seat: str,
    resume: bool,
    auto: bool,
) -> None:
    """Play a match of imperfect-information tic-tac-toe against the bot.

    Each round, each of you has a secret goal: to win, to lose or to tie. You score a point when the round ends the
    way your goal says; whoever reaches the winning score first wins. If both reach it at once, the match goes on
    from one point below. Type ? while playing for help.

    Before each round the bot shows a commitment, the SHA-256 of a text with its goal; after the round it shows the
    text. Check one with: printf '%s' 'TEXT' | sha256sum

    \b
    play-multiround
    play-multiround --opponent learner-10 --winning-score 2
    play-multiround --seat first --names Ann,Bot --transcript match.jsonl
    play-multiround --continue
    play-multiround --auto --seed 1
    """
    if resume:
        given = [name for name in _OF_A_NEW_MATCH if context.get_parameter_source(name) is ParameterSource.COMMANDLINE]
        if given:
            option = given[0].replace("_", "-")
            raise click.UsageError(f"--continue goes on with a match as it was begun: leave out --{option}")
    else:
        must_be_new(transcript)
    from tictactoe.match.scores import Score
    from tictactoe.play.randomness import draw_first
    from tictactoe.play.referee import Match
    from tictactoe.play.transcript import Setup
    from tictactoe.storage.shipped import with_names

    from .shared.play_text import Speaker
    from .shared.saved_match import TranscriptFile

    if resume:
        begun = _begun(transcript, solution)
    else:
        bot = _bot(_directory(solution), winning_score, average_strategy)
        names = names or (("Bot A", "Bot B") if auto and opponent == "perfect" else ("You", "Bot"))
        if auto and names == ("You", "Bot"):
            names = ("Bot", opponent)
        setup = Setup(
            names=names,
            seed=seed,
            winning_score=bot.winning_score,
            solution=None if solution is None else with_names(str(solution)),
            solved_winning_score=bot.solved_score(Score(0, 0)).first + bot.winning_score,
            average_strategy=average_strategy,
            opponent=opponent,
        )
        match = Match(bot.tree, bot.winning_score, names, draw_first(wanted_seat(seat), seed), seed)
        begun = _Begun(setup, bot, match, None, TranscriptFile(transcript))
    begun.save()
    if auto:
        _watch(begun)
    else:
        speaker = Speaker(begun.setup.names[1], numpad=keypad == "numpad")
        _play(begun, speaker, plain, _directory(solution, begun.setup))


class _Begun(NamedTuple):
    """A match as far as it has been played. current: the round that goes on, if one has been begun."""

    setup: Setup
    bot: MatchBot
    match: Match
    current: Round | None
    file: TranscriptFile

    def save(self, current: Round | None = None) -> None:
        from tictactoe.play.transcript import match_lines

        lines = match_lines(self.setup, self.match, current)
        self.file.save(lines, finished=len(lines) - (current is not None))


def _directory(solution: Path | None, setup: Setup | None = None) -> Path:
    """Of the solution that is played from: the one that is named here, or was when the match began, or ours."""
    from tictactoe.storage.shipped import shipped_solution, solution_directory

    if solution is None and setup is not None and setup.solution is not None:
        return solution_directory(setup.solution)
    return solution or shipped_solution()


def _bot(directory: Path, winning_score: int | None, average_strategy: bool) -> MatchBot:
    from tictactoe.play.bot import MatchBot
    from tictactoe.storage.solution import load_solution

    loaded = load_solution(directory)
    if winning_score is not None and winning_score > loaded.winning_score:
        raise click.UsageError(f"--winning-score: {directory} is a match to {loaded.winning_score} points")
    try:
        return MatchBot(loaded, winning_score, average=average_strategy)
    except ValueError as error:
        raise CommandError(f"{directory}: {error}") from error


def _begun(transcript: Path | None, solution: Path | None) -> _Begun:
    """The match in the file, or the one that was left last."""
    from tictactoe.errors import FormatError
    from tictactoe.play.opponents import OPPONENTS
    from tictactoe.play.randomness import draw_first
    from tictactoe.play.transcript import read_transcript, replay

    from .shared.saved_match import TranscriptFile, left_match

    path = transcript or left_match()
    if not path.is_file():
        raise CommandError(f"--continue: {path} is not there" if transcript else "--continue: no match has been left")
    setup, lines = read_transcript(path)
    if setup.opponent not in OPPONENTS:
        raise FormatError(path, f"line 1: opponent: there is no {setup.opponent!r}")
    if setup.winning_score is None:
        raise FormatError(path, "rounds for practice, not a match")
    bot = _bot(_directory(solution, setup), setup.winning_score, setup.average_strategy)
    try:
        replayed = replay(lines, bot.tree)
    except ValueError as error:
        raise FormatError(path, str(error)) from error
    assert replayed.match is not None
    if replayed.match.winner is not None:
        raise FormatError(path, f"the match is over; look at it with: review {path}")
    if not (replayed.rounds or replayed.match.abandoned or replayed.current):
        replayed.match.first = draw_first(None, setup.seed)
    return _Begun(setup, bot, replayed.match, replayed.current, TranscriptFile(path, ours=transcript is None))


def _play(begun: _Begun, speaker: Speaker, plain: bool, directory: Path) -> None:
    """The rounds, the review of all, and a way to go on for somebody who leaves."""
    from .shared.line_reader import LineReader
    from .shared.play_round import commands
    from .shared.play_screen import QuitPlaying, Screen, quitting_on_signals
    from .shared.review_screen import explore_in, show_review

    match, reader = begun.match, LineReader(plain)
    screen = Screen(speaker, reader, commands("hbs?q" if begun.file.path or reader.is_terminal else "hb?q"))
    screen.solved_score = begun.bot.solved_score
    explore = explore_in(directory, average=begun.setup.average_strategy)
    rounds = _Rounds(begun, screen, explore)
    reason = None
    try:
        with quitting_on_signals():
            rounds.play()
    except QuitPlaying as quitting:
        reason = quitting
    if match.winner is None:
        assert reason is not None
        _leave(begun, rounds, reason)
        return
    begun.file.forget()
    screen.clear()
    print(f"{_victory(match)} Score: {_score_line(match)}.")
    show_review(reader, speaker, rounds.mistakes(match.rounds), explore, ask=reason is None)
    sys.exit(0 if reason is None else reason.code)


class _Rounds:
    """The rounds of a match, one after another. current: the one that is being played."""

    def __init__(self, begun: _Begun, screen: Screen, explore: Explore) -> None:
        self.begun = begun
        self.screen = screen
        self.explore = explore
        self.current = begun.current

    def play(self) -> None:
        """Until the match is over. Raises QuitPlaying."""
        from tictactoe.play.opponent_bot import opponent_of
        from tictactoe.play.randomness import generator_for, round_purpose

        from .shared.play_round import Conversation

        begun, match, screen = self.begun, self.begun.match, self.screen
        opponent = begun.setup.opponent
        against = "" if opponent == "perfect" else f" ({opponent})"
        screen.clear()
        while match.winner is None:
            played = self.current = self.current or match.deal()
            judge = begun.bot.round_bot(played.score)
            screen.heading = f"Round {played.number} of a match to {match.winning_score}{against}"
            screen.score_line = _score_line(match)
            generator = generator_for(match.seed, round_purpose("moves", played.number, match.dealt_again))
            talk = Conversation(screen, played, judge, opponent_of(opponent, judge))
            talk.play(generator, lambda: begun.save(self.current))
            again = match.finish(played)
            self.current = None
            begun.save()
            screen.score_line = _score_line(match)
            score = f"Score: {screen.score_line}."
            if again:
                score = f"Both reached {match.winning_score}: it goes on from one below. {score}"
            elif match.winner is not None:
                score += f" {_victory(match)}"
            pause = "for the next round" if match.winner is None else "for the review of the match"
            screen.finish(played, score, self.mistakes([played]), pause=pause, explore=self.explore)

    def mistakes(self, rounds: list[Round]) -> list[Mistake]:
        """The person's, worst first."""
        from tictactoe.play.review import mistakes

        from .shared.play_text import PERSON

        bot = self.begun.bot
        return mistakes([(played, bot.round_bot(played.score)) for played in rounds], PERSON, bot.solved_score)


def _leave(begun: _Begun, rounds: _Rounds, reason: QuitPlaying) -> None:
    """Save what there is to go on with, open the commitment unless the person comes back to it, and review."""
    from .shared.review_screen import show_review
    from .shared.saved_match import TranscriptFile, left_match

    match, screen, current = begun.match, rounds.screen, rounds.current
    begun_at_all = bool(match.rounds or (current is not None and current.cursor.moves))
    if current is not None and not reason.sealed:
        match.abandon(current)
    if begun.file.path is None and screen.reader.is_terminal and begun_at_all:
        begun = begun._replace(file=TranscriptFile(left_match(), ours=True))
    begun.save(current if reason.sealed else None)
    print(f"Stopped ({reason}); rounds played: {len(match.rounds)}. Score: {_score_line(match)}.")
    if current is not None and not reason.sealed:
        screen.open_commitment(current)
    if match.rounds:
        show_review(screen.reader, screen.speaker, rounds.mistakes(match.rounds), rounds.explore, ask=False)
    if begun.file.path is not None and not begun.file.is_device:
        named = "" if begun.file.ours else f" --transcript {shlex.quote(shown_path(begun.file.path))}"
        dealt = "" if reason.sealed or current is None else f" Round {current.number} is then dealt anew."
        print(f"To go on: play-multiround --continue{named}.{dealt}")
    sys.exit(reason.code)


def _watch(begun: _Begun) -> None:
    """The perfect player is 0, the opponent 1."""
    from tictactoe.play.opponent_bot import opponent_of
    from tictactoe.play.randomness import generator_for

    match = begun.match
    while match.winner is None:
        played = match.deal()
        generator = generator_for(match.seed, f"moves {played.number}")
        perfect = begun.bot.round_bot(played.score)
        players = perfect, opponent_of(begun.setup.opponent, perfect)
        while (mover := played.mover) is not None:
            played.play(players[mover].choose(played.cursor, played.goals[mover], generator))
        again = match.finish(played)
        begun.save()
        seats = (("X", played.first), ("O", 1 - played.first))
        goals = ", ".join(f"{mark} {match.names[player]} {played.goals[player].name}" for mark, player in seats)
        assert played.outcome is not None
        result = {"WIN": "X three", "LOSE": "O three", "TIE": "tie"}[played.outcome.name]
        moves = "".join(map(str, played.cursor.moves))
        print(f"{played.number:>3}. {goals}: {moves:<9} {result}; {_score_line(match)}{' (again)' * again}")
    print(_victory(match))


def _score_line(match: Match) -> str:
    names, points = match.names, match.points
    return f"{names[0]} {points[0]} : {points[1]} {names[1]}"


def _victory(match: Match) -> str:
    assert match.winner is not None
    name = match.names[match.winner]
    return "You win the match." if match.winner == 0 and name == "You" else f"{name} wins the match."


def main() -> None:
    """The program."""
    run(command)
