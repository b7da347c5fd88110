"""play-multiround: a match against the bot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from tictactoe.play.opponents import DEFAULT_OPPONENT

from ..options.parameters import Count
from ..options.play_options import SEATS, must_be_new, playing_options, wanted_seat
from ..options.rules_options import WantedRules, require_rules, rules_options, shipped_by
from ..program import SETTINGS, CommandError, run, say

if TYPE_CHECKING:
    from tictactoe.play.bot import MatchBot
    from tictactoe.play.transcript import Keypad, Setup
    from tictactoe.storage.solution import Solution

    from ..screens.match_session import BegunMatch

_OF_A_NEW_MATCH = (
    *("seed", "winning_score", "seat", "names", "opponent", "average_strategy", "auto"),
    *("rules", "goal_odds"),
)


MOST_WATCHED = 10_000
"""Rounds of a watched match, at most: by some odds of the goals, no player ever gets ahead."""


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
    help="Go on with the match in --transcript, or else with the one that you left last: the same round, goals, moves.",
)
@click.option("--auto", is_flag=True, help="Watch the perfect player against --opponent; one line per round.")
@rules_options("those of -s, else three-in-a-row")
@click.pass_context
def command(
    context: click.Context,
    solution: Path | None,
    opponent: str,
    average_strategy: bool,
    seed: int | None,
    names: tuple[str, str] | None,
    transcript: Path | None,
    keypad: Keypad | None,
    plain: bool | None,
    winning_score: int | None,
    seat: str,
    resume: bool,
    auto: bool,
    rules: WantedRules,
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
    play-multiround --rules filled
    play-multiround --seat first --names Ann,Bot --transcript match.jsonl
    play-multiround --continue
    play-multiround --auto --seed 1
    """
    if resume:
        given = [name for name in _OF_A_NEW_MATCH if context.get_parameter_source(name) is ParameterSource.COMMANDLINE]
        if given:
            option = given[0].replace("_", "-")
            raise click.UsageError(f"--continue goes on with a match as it was begun: leave out --{option}")
        begun = _continued(transcript, solution, keypad, plain)
    else:
        must_be_new(transcript)
        from tictactoe.play.transcript import Setup
        from tictactoe.storage.shipped import with_names

        wanted = Setup(
            names=_names(names, opponent, auto),
            seed=seed,
            winning_score=winning_score,
            solution=None if solution is None else with_names(str(solution)),
            average_strategy=average_strategy,
            opponent=opponent,
            keypad=keypad or "phone",
            plain=bool(plain),
        )
        begun = _new(wanted, solution or shipped_by(rules.over()), rules, seat, transcript)
    if auto:
        _watch(begun)
    else:
        _play(begun)


def _names(given: tuple[str, str] | None, opponent: str, auto: bool) -> tuple[str, str]:
    if given is not None or not auto:
        return given or ("You", "Bot")
    return ("Bot A", "Bot B") if opponent == DEFAULT_OPPONENT else ("Bot", opponent)


def _bot(loaded: Solution, winning_score: int | None, average_strategy: bool) -> MatchBot:
    from tictactoe.play.bot import MatchBot

    try:
        return MatchBot(loaded, winning_score, average=average_strategy)
    except ValueError as error:
        raise CommandError(f"{loaded.directory}: {error}") from error


def _new(wanted: Setup, directory: Path, wanted_rules: WantedRules, seat: str, transcript: Path | None) -> BegunMatch:
    """A new match. wanted: its setup; None as the winning score stands for the solution's."""
    from msgspec.structs import replace

    from tictactoe.play.opponent_bot import require_opponent
    from tictactoe.play.randomness import draw_first
    from tictactoe.play.referee import Match
    from tictactoe.play.saved_match import TranscriptFile
    from tictactoe.storage.shipped import with_names
    from tictactoe.storage.solution import load_solution

    from ..screens.match_session import BegunMatch

    loaded = load_solution(directory)
    require_rules(wanted_rules, loaded.tree, with_names(str(directory)))
    try:
        require_opponent(wanted.opponent, loaded.tree)
    except ValueError as error:
        raise click.UsageError(f"--{error}") from error
    if wanted.winning_score is not None and wanted.winning_score > loaded.winning_score:
        raise click.UsageError(f"--winning-score: {directory} is a match to {loaded.winning_score} points")
    bot = _bot(loaded, wanted.winning_score, wanted.average_strategy)
    points, rules = bot.winning_score, str(bot.tree.rules)
    setup = replace(wanted, winning_score=points, solved_winning_score=loaded.winning_score, rules=rules)
    match = Match(bot.tree, bot.winning_score, setup.names, draw_first(wanted_seat(seat), setup.seed), setup.seed)
    return BegunMatch(setup, directory, bot, match, None, TranscriptFile(transcript))


def _continued(transcript: Path | None, solution: Path | None, keypad: Keypad | None, plain: bool | None) -> BegunMatch:
    """The match in the file, or the one that was left last; what is not None replaces what was begun with."""
    from msgspec.structs import replace

    from tictactoe.errors import FormatError
    from tictactoe.play.opponent_bot import require_opponent
    from tictactoe.play.opponents import OPPONENTS
    from tictactoe.play.randomness import draw_first
    from tictactoe.play.saved_match import TranscriptFile, left_match, played_from, require_rules_of
    from tictactoe.play.transcript import read_transcript, replay
    from tictactoe.storage.shipped import with_names
    from tictactoe.storage.solution import load_solution

    from ..screens.match_session import BegunMatch

    path = transcript or left_match()
    if path is None or not path.is_file():
        raise CommandError(f"--continue: {path} is not there" if path else "--continue: no match has been left")
    file = TranscriptFile(path, ours=transcript is None)
    setup, lines = read_transcript(path)
    if setup.opponent not in OPPONENTS:
        raise FormatError(path, f"line 1: opponent: there is no {setup.opponent[:40]!r}")
    if setup.winning_score is None:
        raise FormatError(path, "rounds for practice, not a match")
    directory = played_from(path, setup, solution)
    if solution is not None:
        setup = replace(setup, solution=with_names(str(solution)))
    setup = replace(setup, keypad=keypad or setup.keypad, plain=setup.plain if plain is None else plain)
    loaded = load_solution(directory)
    require_rules_of(path, setup, directory, loaded.tree)
    bot = _bot(loaded, setup.winning_score, setup.average_strategy)
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


def _play(begun: BegunMatch) -> None:
    from ..reports.play_text import Speaker
    from ..screens.line_reader import LineReader
    from ..screens.match_session import MatchSession
    from ..screens.play_round import commands
    from ..screens.play_screen import Screen
    from ..screens.quitting import Signals
    from ..screens.review_screen import explore_in

    setup, signals, numpad = begun.setup, Signals(), begun.setup.keypad == "numpad"
    speaker, reader = Speaker(setup.names[1], numpad=numpad), LineReader(setup.plain, signals.waiting)
    screen = Screen(speaker, reader, commands("hbs?q" if begun.file.path or reader.is_terminal else "hb?q"))
    explore = explore_in(begun.directory, average=setup.average_strategy, numpad=numpad)
    MatchSession(begun, screen, explore).run(signals)


def _watch(begun: BegunMatch) -> None:
    """Play a match of the perfect player (0) against the opponent (1), and print a line for each round."""
    from tictactoe.play.opponent_bot import opponent_of
    from tictactoe.play.randomness import generator_for, round_purpose
    from tictactoe.play.transcript import match_lines

    from ..reports.ending_text import rules_told
    from ..reports.play_text import score_line
    from ..screens.match_session import victory

    match = begun.match
    begun.file.save(match_lines(begun.setup, match))
    for line in rules_told(match.tree.rules):
        say(line)
    while match.winner is None:
        if len(match.rounds) >= MOST_WATCHED:
            raise CommandError(f"stopped after {MOST_WATCHED:,} rounds: such players may never get ahead of each other")
        played = match.deal()
        generator = generator_for(match.seed, round_purpose("moves", played.number))
        perfect = begun.bot.round_bot(played.score)
        players = perfect, opponent_of(begun.setup.opponent, perfect)
        while (mover := played.mover) is not None:
            played.play(players[mover].choose(played.cursor, played.goals[mover], generator))
        again = match.finish(played)
        begun.file.save(match_lines(begun.setup, match))
        seats = (("X", played.first), ("O", 1 - played.first))
        goals = ", ".join(f"{mark} {match.names[player]} {played.goals[player].name}" for mark, player in seats)
        assert played.outcome is not None
        result = played.rules.of_round.briefly[played.outcome]
        moves = "".join(map(str, played.cursor.moves))
        score = score_line(match.names, match.points)
        print(f"{played.number:>3}. {goals}: {moves:<9} {result}; {score}{' (again)' * again}")
    print(victory(match))


def main() -> None:
    """The program."""
    run(command)
