"""The verb play-multiround."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import tictactoe
from tictactoe.errors import IllegalMoveError, NotSavedError
from tictactoe.games.rules import GOAL_NAMES
from tictactoe.number_text import counted
from tictactoe.play.opponents import ADAPTIVE, DEFAULT_OPPONENT, title_of

from ..interruption import Signals
from ..options.common import is_given
from ..options.parameters import POSITION, Count, Reader, shortened
from ..options.play_options import SEATS, Playing, must_be_new, playing_options, wanted_seat
from ..options.rules_options import WantedRules, require_rules, rules_option, rules_with_position, shipped_by
from ..options.solution_choice import note_if_not_refined
from ..program import CommandError, Program, say

if TYPE_CHECKING:
    from tictactoe.play import recorded_play, transcript
    from tictactoe.storage.open_saved import SavedRound, SavedRounds

    from ..screens import line_reader

_OF_PRACTICE = ("rounds", "position", "goal")
_OF_A_MATCH = ("winning_score", "auto")
_OF_SOMETHING_NEW = (*_OF_PRACTICE, *_OF_A_MATCH, *("seed", "seat", "names", "opponent", "strategy", "rules"))

ANY = "any"
LAST = 0
"""In place of a number, the match that was left last."""
MOST_WATCHED = 10_000
"""The most rounds of a watched match. With some odds, no player ever takes the lead."""


def _goals(text: str) -> tuple[tictactoe.Goal | None, tictactoe.Goal | None]:
    names = text.split(",", 1)
    for name in names:
        if name not in (*GOAL_NAMES, ANY):
            raise ValueError(f"{shortened(name)} is not a goal; give win, lose, tie, or any for a drawn goal")
    mine, theirs = (None if name == ANY else tictactoe.Goal[name.upper()] for name in [*names, ANY][:2])
    return mine, theirs


@click.command(cls=Program)
@playing_options
@click.option(
    "--winning-score",
    type=Count(1),
    help="Points that win the match; at most the solution's.  [default: the solution's]",
)
@click.option(
    "--seat",
    type=click.Choice(SEATS),
    help="Whether you move first or second: in the first round of a match, after which it alternates, or in all "
    "rounds of practice.  [default: random; with --position the seat whose goal is known, or first]",
)
@click.option(
    "--resume",
    type=Reader("number", lambda text: LAST if text == "last" else Count(1).convert(text, None, None)),
    is_flag=False,
    flag_value="last",
    metavar="[NUMBER]",
    help="Continue an unfinished match with the same round, goals and moves: the one with this number in review "
    "--list, the one in --transcript, or the one that you left last.",
)
@click.option("--auto", is_flag=True, help="Watch the perfect player play --opponent, in one line per round.")
@click.option("--rounds", type=Count(1), help="Practise with this many single rounds.  [default: a match]")
@click.option(
    "--position",
    type=POSITION,
    help='Practise from this position with its goals, such as "4-3 wl 513", or at a score, "4-3". A goal written "?" '
    "is drawn according to the moves. If only one goal is known, it is yours.",
)
@click.option(
    "--goal",
    type=Reader("goal", _goals),
    metavar="YOURS[,ITS]",
    help="Practise with this goal (win, lose, tie or any), and optionally against another: win, or any,lose.  "
    "[default: drawn each round]",
)
@rules_option("those of -s or of the transcript in --position, or three-in-a-row")
def command(
    play: Playing,
    winning_score: int | None,
    seat: str | None,
    resume: int | None,
    auto: bool,
    rounds: int | None,
    position: tictactoe.Position | None,
    goal: tuple[tictactoe.Goal | None, tictactoe.Goal | None] | None,
    rules: WantedRules,
) -> int:
    """Play a match of imperfect-information tic-tac-toe against the bot, or single rounds for practice.

    In each round, both of you have a secret goal: to win, to lose or to tie. You score a point if the round ends as
    your goal says. Whoever reaches the winning score first wins the match. If both reach it at once, both are set back
    by a point and the match continues. Type ? while playing for help.

    With --rounds, --position or --goal, or with a single round as -s (such as my_solution/subgame_4_3), you practise:
    you play single rounds at one score of a match and may take back moves. The score is that of --position, or 0-0.

    Before each round, the bot shows a commitment: the SHA-256 of a text that contains its goal. After the round, it
    shows the text. You can check it with:

    python -c "import hashlib; print(hashlib.sha256(b'TEXT').hexdigest())"

    \b
    play-multiround
    play-multiround --opponent rookie --winning-score 3
    play-multiround --rules filled
    play-multiround --seat first --names Ann,Bot --transcript match.jsonl
    play-multiround --resume
    play-multiround --auto --seed 1
    play-multiround --goal lose --rounds 3
    play-multiround --position "4-3 w? 51"
    """
    if resume is not None:
        if name := next(filter(is_given, _OF_SOMETHING_NEW), None):
            option = name.replace("_", "-")
            raise click.UsageError(f"--resume continues a match as it was begun: leave out --{option}")
        return _play_matches(_continued(play, resume), None, resumed=True)
    must_be_new(play.transcript)
    opened = tictactoe.open_saved(play.solution or shipped_by(rules_with_position(rules, position)))
    require_rules(rules, opened.tree, _name_of(opened.directory), position)
    note_if_not_refined(opened.solution)
    _require_opponent(play, opened.tree)
    if opened.solution is None or any(map(is_given, _OF_PRACTICE)):
        if name := next(filter(is_given, _OF_A_MATCH), None):
            raise click.UsageError(f"--{name.replace('_', '-')} applies only to a match, and these are single rounds")
        if play.opponent == ADAPTIVE:
            raise click.UsageError("--opponent: adaptive learns during a match, and these are single rounds")
        return _practise(play, opened, position, seat, goal or (None, None), rounds or 1)
    begun = _new(play, opened.solution, winning_score, seat, auto=auto)
    if auto:
        _watch(begun)
        return 0
    return _play_matches(begun, seat)


def _name_of(directory: Path) -> str:
    from tictactoe.storage import shipped

    return shipped.with_names(str(directory))


def _require_opponent(play: Playing, tree: tictactoe.GameTree) -> None:
    from tictactoe.play import bot

    if play.opponent == ADAPTIVE:
        return
    try:
        bot.require_opponent(play.opponent, tree)
    except ValueError as error:
        raise click.UsageError(f"--{error}") from error


def _setup(play: Playing, tree: tictactoe.GameTree, names: tuple[str, str], **more: Any) -> transcript.Setup:
    from tictactoe.play import transcript

    return transcript.Setup(
        names=play.names or names,
        seed=play.seed,
        solution=None if play.solution is None else _name_of(play.solution),
        average_strategy=play.average,
        opponent=play.opponent,
        rules=str(tree.rules),
        keypad=play.keypad or "phone",
        plain=bool(play.plain),
        **more,
    )


def _new(
    play: Playing, loaded: tictactoe.Solution, winning_score: int | None, seat: str | None, *, auto: bool
) -> recorded_play.RecordedMatch:
    from tictactoe.play import bot, match_history, recorded_play, referee

    if winning_score is not None and winning_score > loaded.winning_score:
        what = f"is a match to {counted(loaded.winning_score, 'point')}"
        raise click.UsageError(f"--winning-score: {loaded.directory} {what}")
    names = ("You", "Bot")
    if auto:
        names = ("Bot A", "Bot B") if play.opponent == DEFAULT_OPPONENT else ("Bot", title_of(play.opponent))
    our_bot = recorded_play.match_bot(loaded, winning_score, average=play.average)
    points = {"winning_score": our_bot.winning_score, "solved_winning_score": loaded.winning_score}
    setup = _setup(play, our_bot.tree, names, **points)
    if not auto and play.seed is None:
        setup = _with_history(setup, our_bot.tree, keeps=not play.no_history)
    first = bot.draw_first(wanted_seat(seat or "random"), play.seed)
    match = referee.Match(our_bot.tree, our_bot.winning_score, setup.names, first, play.seed)
    file = match_history.TranscriptFile(play.transcript, keeps=not play.no_history)
    return recorded_play.RecordedMatch(setup, file, loaded.directory, our_bot, match)


def _with_history(setup: transcript.Setup, tree: tictactoe.GameTree, *, keeps: bool) -> transcript.Setup:
    from msgspec import structs

    from tictactoe.play import match_history

    learns = keeps and setup.opponent == ADAPTIVE
    rounds = match_history.earlier_rounds(tree, setup.solved_winning_score or 0) if learns else ()
    return structs.replace(setup, earlier_rounds=rounds)


def _continued(play: Playing, number: int) -> recorded_play.RecordedMatch:
    from msgspec import structs

    from tictactoe.play import match_history, recorded_play

    last = play.transcript or next(iter(match_history.left_matches()), None)
    path = last if number == LAST else _numbered(number, play.transcript)
    if path is None or not path.is_file():
        raise CommandError(f"--resume: {path} does not exist" if path else "--resume: no match has been left")
    file = match_history.TranscriptFile(path, ours=play.transcript is None, keeps=not play.no_history)
    begun = recorded_play.continued_match(file, path, play.solution)
    plain = begun.setup.plain if play.plain is None else play.plain
    begun.setup = structs.replace(begun.setup, keypad=play.keypad or begun.setup.keypad, plain=plain)
    return begun


def _numbered(number: int, transcript: Path | None) -> Path:
    from tictactoe.play import match_history

    if transcript is not None:
        raise click.UsageError("--resume: give a number or --transcript, not both")
    left = match_history.left_matches()
    numbers = [at for at, path in enumerate(match_history.kept_matches(), 1) if path in left]
    if number not in numbers:
        which = f"these can: {', '.join(map(str, numbers))}" if numbers else "no match has been left"
        raise CommandError(f"--resume: match {number} of review --list cannot be continued; {which}")
    return match_history.kept_matches()[number - 1]


def _play_matches(begun: recorded_play.RecordedMatch, seat: str | None, *, resumed: bool = False) -> int:
    from ..screens import line_reader, session

    signals, named = Signals(), begun.file.path is not None and not begun.file.ours
    reader = line_reader.LineReader(begun.setup.plain, signals.waiting)
    code = _play(begun, signals, reader, [] if resumed else [*_what_it_knows(begun), *session.waiting_text()])
    while code == 0 and not named and begun.match.winner is not None and _wants_another(reader):
        begun = _another(begun, seat)
        code = _play(begun, signals, reader, _what_it_knows(begun))
    return code


def _what_it_knows(begun: recorded_play.RecordedMatch) -> list[str]:
    from tictactoe.play import adaptive, round_text

    if begun.adaptive is None:
        return []
    speaker = round_text.Speaker(begun.setup.names[1])
    rounds = len(begun.setup.earlier_rounds)
    how = " With --no-history there is no limit." if rounds else ""
    return [adaptive.told_at_the_start(rounds, speaker.opponent) + how]


def _play(
    begun: recorded_play.RecordedMatch, signals: Signals, reader: line_reader.LineReader, notices: list[str]
) -> int:
    from tictactoe.play import round_text

    from ..screens import play_round, play_screen, session

    speaker = round_text.Speaker(begun.setup.names[1], numpad=begun.setup.keypad == "numpad")
    screen = play_screen.Screen(
        speaker,
        reader,
        play_round.commands("hbs?q" if begun.file.path or (reader.is_terminal and begun.file.keeps) else "hb?q"),
    )
    screen.notices = notices
    return session.MatchSession(begun, screen, begun.directory).run(signals)


def _wants_another(reader: line_reader.LineReader) -> bool:
    answer = reader.read("Enter to leave (n for another match): ") if reader.is_terminal else None
    return (answer or "").lower() in ("n", "another", "y", "yes")


def _another(begun: recorded_play.RecordedMatch, seat: str | None) -> recorded_play.RecordedMatch:
    from msgspec import structs

    from tictactoe.play import bot, match_history, recorded_play, referee

    setup = _with_history(structs.replace(begun.setup, seed=None), begun.bot.tree, keeps=begun.file.keeps)
    first = bot.draw_first(wanted_seat(seat or "random"), None)
    match = referee.Match(begun.bot.tree, begun.bot.winning_score, setup.names, first, None)
    file = match_history.TranscriptFile(None, keeps=begun.file.keeps)
    return recorded_play.RecordedMatch(setup, file, begun.directory, begun.bot, match)


def _watch(begun: recorded_play.RecordedMatch) -> None:
    from tictactoe.play import recorded_play, round_text

    match, begun.current = begun.match, None
    begun.save()  # an unwritable file fails now
    for line in round_text.rules_told(match.tree.rules):
        say(line)
    for played, again in recorded_play.watched_rounds(begun, MOST_WATCHED):
        seats = (("X", played.first), ("O", 1 - played.first))
        goals = ", ".join(f"{mark} {match.names[player]} {played.goals[player].name}" for mark, player in seats)
        assert played.outcome is not None
        result = played.rules.of_round.briefly[played.outcome]
        moves = "".join(map(str, played.cursor.moves))
        score = round_text.score_line(match.names, match.points)
        print(f"{played.number:>3}. {goals}: {moves:<9} {result}; {score}{' (again)' * again}")
    print(match.victory)


def _practise(
    play: Playing,
    opened: SavedRounds,
    start: tictactoe.Position | None,
    seat_name: str | None,
    goals: tuple[tictactoe.Goal | None, tictactoe.Goal | None],
    wanted: int,
) -> int:
    from tictactoe.play import bot as bots
    from tictactoe.play import judge, match_history, recorded_play, round_text

    from ..screens import line_reader, play_round, play_screen, session

    seat = wanted_seat(seat_name or "random") if seat_name or start is None else recorded_play.seat_at(start)
    if start is not None:
        of_position = start.goals if seat is not tictactoe.Seat.SECOND else start.goals[::-1]
        if any(goal is not None and known is not None for goal, known in zip(goals, of_position, strict=True)):
            raise click.UsageError("--goal: --position gives that goal already; leave it out")
    saved = _saved(opened, start)
    for option, given in (("--goal", goals), ("--position", () if start is None else start.goals)):
        for each in given:
            if each is not None and not saved.tree.rules.goal_odds[each]:  # the solver knows nothing about it
                what = f"by the rules {saved.tree.rules}, nobody draws the goal {each.name.lower()}"
                raise click.UsageError(f"{option}: {what}")
    bot = bots.saved_bot(saved, play.average)
    opponent = judge.Judge(opened, average=play.average).known_opponent(play.opponent, None)
    score = saved.score if start is None else start.score
    rounds = recorded_play.Practice(bot, score, seat, play.seed, goals, start, opponent)
    in_match = saved.snapshot.score is not None
    setup = _setup(play, saved.tree, ("You", "Bot"), position=None if start is None else str(start))
    where = f"at {rounds.score} of a match to {saved.snapshot.winning_score}" if in_match else "on its own"
    speaker = round_text.Speaker(setup.names[1], numpad=setup.keypad == "numpad", in_points=not in_match)
    signals, file = Signals(), match_history.TranscriptFile(play.transcript, keeps=not play.no_history)
    reader = line_reader.LineReader(setup.plain, signals.waiting)
    screen = play_screen.Screen(speaker, reader, play_round.commands("hbu?q"))
    record = recorded_play.RecordedPractice(setup, rounds, wanted, file)
    return session.PracticeSession(record, where, screen, opened.directory).run(signals)


def _saved(rounds: SavedRounds, start: tictactoe.Position | None) -> SavedRound:
    try:
        saved = rounds.load(None if start is None or rounds.solution is None else start.score)
    except NotSavedError as error:
        if start is None:
            raise tictactoe.FormatError(rounds.directory, str(error)) from error
        raise click.UsageError(f"--position: {error}") from error
    if start is not None:
        try:
            cursor = tictactoe.Cursor(saved.tree, start.moves)
        except IllegalMoveError as error:
            raise click.UsageError(f"--position: {error}") from error
        if cursor.forced_outcome is not None:
            moves = "".join(map(str, start.moves))
            raise click.UsageError(f"--position: the round is decided after {moves}; explore shows how it ends")
        if saved.snapshot.score not in (None, start.score):
            raise click.UsageError(f"--position: its score is {start.score}, but the round is the one at {saved.score}")
    return saved
