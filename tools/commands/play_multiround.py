"""play-multiround: a match against the bot."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import click

import tictactoe
from tictactoe.play.opponents import DEFAULT_OPPONENT

from ..lazy_imports import lazily
from ..options.parameters import Count, Reader
from ..options_before.declaring import command_of, flag, group, is_given, option
from ..options_before.play_options import SEATS, Playing, must_be_new, wanted_seat
from ..options_before.rules_options import WantedRules, require_rules, shipped_by
from ..options_before.solution_choice import note_if_not_refined
from ..program import CommandError, say

with lazily():
    from msgspec import structs

    from tictactoe.play import bot, match_history, recorded_play, referee, round_text, transcript
    from tictactoe.storage import shipped

    from .. import interruption
    from ..screens import line_reader, match_session, play_round, play_screen


_OF_A_NEW_MATCH = (
    *("seed", "winning_score", "seat", "names", "opponent", "average_strategy", "auto"),
    *("rules", "goal_odds"),
)


LAST = 0
"""In place of a number: the match that was left last."""
MOST_WATCHED = 10_000
"""Rounds of a watched match, at most: by some odds of the goals, no player ever gets ahead."""


@dataclass(frozen=True)
class Options:
    play: Playing = group(Playing)
    winning_score: int | None = option(
        Count(1), "Points that win the match; at most the solution's.  [default: the solution's]"
    )
    seat: str = option(
        click.Choice(SEATS),
        "Whether you move first or second in the first round; then it alternates.",
        default="random",
    )
    resume: int | None = option(
        Reader("number", lambda text: LAST if text == "last" else Count(1).convert(text, None, None)),
        "Go on with the match in --transcript, or with the one of that number in review --list, or else with the one "
        "that you left last: the same round, goals, moves.",
        names="--continue",
        is_flag=False,
        flag_value="last",
        metavar="[NUMBER]",
    )
    auto: bool = flag("Watch the perfect player against --opponent; one line per round.")
    rules: WantedRules = group(WantedRules, default="those of -s, else three-in-a-row")


@command_of(Options)
def command(given: Options) -> int:
    """Play a match of imperfect-information tic-tac-toe against the bot.

    Each round, each of you has a secret goal: to win, to lose or to tie. You score a point when the round ends the
    way your goal says; whoever reaches the winning score first wins. If both reach it at once, the match goes on
    from one point below. Type ? while playing for help.

    Before each round the bot shows a commitment, the SHA-256 of a text with its goal; after the round it shows the
    text. Check one with:

    python -c "import hashlib; print(hashlib.sha256(b'TEXT').hexdigest())"

    \b
    play-multiround
    play-multiround --opponent learner-10 --winning-score 2
    play-multiround --rules filled
    play-multiround --seat first --names Ann,Bot --transcript match.jsonl
    play-multiround --continue
    play-multiround --auto --seed 1
    """
    play = given.play
    if given.resume is not None:
        if name := next(filter(is_given, _OF_A_NEW_MATCH), None):
            option = name.replace("_", "-")
            raise click.UsageError(f"--continue goes on with a match as it was begun: leave out --{option}")
        begun = _continued(play, given.resume)
    else:
        must_be_new(play.transcript)
        begun = _new(given, play.solution or shipped_by(given.rules.over()))
    if given.auto:
        _watch(begun)
        return 0
    signals = interruption.Signals()
    reader = line_reader.LineReader(begun.setup.plain, signals.waiting)
    code = _play(begun, signals, reader, [] if given.resume is not None else match_session.waiting_text())
    while code == 0 and play.transcript is None and begun.match.winner is not None and _wants_another(reader):
        begun = _another(begun, given.seat)
        code = _play(begun, signals, reader, [])
    return code


def _names(given: Options) -> tuple[str, str]:
    if given.play.names is not None or not given.auto:
        return given.play.names or ("You", "Bot")
    opponent = given.play.opponent
    return ("Bot A", "Bot B") if opponent == DEFAULT_OPPONENT else ("Bot", opponent)


def _new(given: Options, directory: Path) -> recorded_play.BegunMatch:
    play = given.play
    loaded = tictactoe.load_solution(directory)
    require_rules(given.rules, loaded.tree, shipped.with_names(str(directory)))
    note_if_not_refined(loaded)
    try:
        bot.require_opponent(play.opponent, loaded.tree)
    except ValueError as error:
        raise click.UsageError(f"--{error}") from error
    if given.winning_score is not None and given.winning_score > loaded.winning_score:
        raise click.UsageError(f"--winning-score: {directory} is a match to {loaded.winning_score} points")
    our_bot = recorded_play.match_bot(loaded, given.winning_score, average=play.average_strategy)
    setup = transcript.Setup(
        names=_names(given),
        seed=play.seed,
        winning_score=our_bot.winning_score,
        solved_winning_score=loaded.winning_score,
        solution=None if play.solution is None else shipped.with_names(str(play.solution)),
        average_strategy=play.average_strategy,
        opponent=play.opponent,
        rules=str(our_bot.tree.rules),
        keypad=play.keypad or "phone",
        plain=bool(play.plain),
    )
    first = bot.draw_first(wanted_seat(given.seat), play.seed)
    match = referee.Match(our_bot.tree, our_bot.winning_score, setup.names, first, play.seed)
    file = match_history.TranscriptFile(play.transcript, keeps=not play.no_history)
    return recorded_play.BegunMatch(setup, directory, our_bot, match, None, file)


def _continued(play: Playing, number: int) -> recorded_play.BegunMatch:
    """The match in the file, of a number, or that was left last. Options that are given replace those of its
    beginning."""
    last = play.transcript or match_history.left_match()
    path = last if number == LAST else _numbered(number, play.transcript)
    if path is None or not path.is_file():
        raise CommandError(f"--continue: {path} is not there" if path else "--continue: no match has been left")
    file = match_history.TranscriptFile(path, ours=play.transcript is None, keeps=not play.no_history)
    begun = recorded_play.continued_match(file, path, play.solution)
    plain = begun.setup.plain if play.plain is None else play.plain
    return replace(begun, setup=structs.replace(begun.setup, keypad=play.keypad or begun.setup.keypad, plain=plain))


def _numbered(number: int, transcript: Path | None) -> Path:
    """The file of a left match, by its number in the list of all. Raises click.UsageError and CommandError."""
    if transcript is not None:
        raise click.UsageError("--continue: a number and --transcript exclude each other")
    left = match_history.left_matches()
    numbers = [at for at, path in enumerate(match_history.kept_matches(), 1) if path in left]
    if number not in numbers:
        which = f"these can: {', '.join(map(str, numbers))}" if numbers else "no match has been left"
        raise CommandError(f"--continue: match {number} of review --list is no left match; {which}")
    return match_history.kept_matches()[number - 1]


def _play(
    begun: recorded_play.BegunMatch, signals: interruption.Signals, reader: line_reader.LineReader, notices: list[str]
) -> int:
    """Play a match; the exit code. notices: lines for the first screen."""
    speaker = round_text.Speaker(begun.setup.names[1], numpad=begun.setup.keypad == "numpad")
    screen = play_screen.Screen(
        speaker,
        reader,
        play_round.commands("hbs?q" if begun.file.path or (reader.is_terminal and begun.file.keeps) else "hb?q"),
    )
    screen.notices = notices
    return match_session.MatchSession(recorded_play.RecordedMatch(begun), screen, begun.directory).run(signals)


def _wants_another(reader: line_reader.LineReader) -> bool:
    """Whether the person at the terminal, if there is one, wants another match."""
    answer = reader.read("Enter to leave (n another match): ") if reader.is_terminal else None
    return (answer or "").lower() in ("n", "another", "y", "yes")


def _another(begun: recorded_play.BegunMatch, seat: str) -> recorded_play.BegunMatch:
    """A new match like the one that is over, with new random draws."""
    setup = structs.replace(begun.setup, seed=None)
    first = bot.draw_first(wanted_seat(seat), None)
    match = referee.Match(begun.bot.tree, begun.bot.winning_score, setup.names, first, None)
    file = match_history.TranscriptFile(None, keeps=begun.file.keeps)
    return replace(begun, setup=setup, match=match, current=None, file=file)


def _watch(begun: recorded_play.BegunMatch) -> None:
    """Let the perfect player (0) play against the opponent (1), and print a line for each round."""
    match, rounds = begun.match, recorded_play.watched_rounds(begun, MOST_WATCHED)
    for line in round_text.rules_told(match.tree.rules):
        say(line)
    for played, again in rounds:
        seats = (("X", played.first), ("O", 1 - played.first))
        goals = ", ".join(f"{mark} {match.names[player]} {played.goals[player].name}" for mark, player in seats)
        assert played.outcome is not None
        result = played.rules.of_round.briefly[played.outcome]
        moves = "".join(map(str, played.cursor.moves))
        score = round_text.score_line(match.names, match.points)
        print(f"{played.number:>3}. {goals}: {moves:<9} {result}; {score}{' (again)' * again}")
    print(match.victory)
