"""The verb review."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

import tictactoe
from tictactoe.games.rules import by_rules
from tictactoe.number_text import counted
from tictactoe.play.opponents import TYPED_NAMES

from ..interruption import Signals
from ..options.common import is_given, json_option
from ..options.parameters import NAME, Count, Reader, SolutionDirectory, checked_name
from ..options.play_options import NEW_FILE, keypad_option, must_be_new, plain_option
from ..program import EXIT_FAILURE, CommandError, Program, note, print_json, say, shown_path

if TYPE_CHECKING:
    from tictactoe.play import analysts, luck_and_mistakes, match_review, transcript

_OF_ONE = ("player", "keypad", "plain")
_OF_MANY = ("known", "worst", "skip_damaged")
_SPELT = {"files": "the file", "skip_damaged": "--skip-damaged"}


def _file_or_number(text: str) -> Path | int:
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else Path(checked_name(text))


def _known(text: str) -> tuple[str, str]:
    name, equals, player = text.rpartition("=")
    if not equals or not name or not player or "\0" in player:
        raise ValueError(f"{text[:60]!r} is not NAME=PLAYER, such as Bot=perfect")
    return name, player


@click.command(cls=Program)
@click.argument("files", type=Reader("file", _file_or_number), nargs=-1, metavar="[FILE...]")
@click.option("--list", "show_list", is_flag=True, help="List the kept matches, newest first.")
@click.option("--history", is_flag=True, help="Show what moves cost in all matches that are kept.")
@click.option(
    "-s",
    "--solution",
    type=SolutionDirectory(),
    help="Directory of the solution that judges.  [default: for one match the solution that it was played from, for "
    "many the one that comes with the program for their rules]",
)
@click.option("--player", type=NAME, help="Name of the player to judge.  [default: the first name in the transcript]")
@click.option(
    "-o",
    "--output",
    type=NEW_FILE,
    help="New file for the transcript with its review, or, for many matches, for a table of all moves: NAME.csv.",
)
@click.option(
    "--known",
    type=Reader("NAME=PLAYER", _known),
    multiple=True,
    help="For many matches: a player whose strategy is known, so that its luck can be averaged out. PLAYER is the "
    f"directory of a solution, or one of {', '.join(TYPED_NAMES)}. May be repeated.",
)
@click.option("--worst", type=Count(0, 10**6), default=10, help="For many matches: number of the worst moves to show.")
@click.option(
    "--skip-damaged", is_flag=True, help="For many matches: exit with 0 even if an unreadable transcript was left out."
)
@json_option
@keypad_option()
@plain_option
def command(
    files: tuple[Path | int, ...],
    show_list: bool,
    history: bool,
    solution: Path | None,
    player: str | None,
    output: Path | None,
    known: tuple[tuple[str, str], ...],
    worst: int,
    skip_damaged: bool,
    as_json: bool,
    keypad: str | None,
    plain: bool | None,
) -> int:
    """Show a match or practice: its moves, the chance to win after each, what mistakes cost, luck and skill.

    Without a file, this shows the match that you left or ended last. A number is one from --list; for a file named 3,
    write ./3. Each move is judged by what was known at the time, against the best one: the best response to an opponent
    whose play is fixed, or else a perfect player's move. On a terminal, you can try again after a mistake or look at it
    in explore. Accuracy, 0 to 100, is 100 x (1 - cost / the worst move's cost), averaged over the moves that make a
    difference. docs/transcripts.md has the format.

    For many matches, played anywhere, tables show what the moves of both players cost and set luck apart. Many
    matches are several files, gzipped or not, with any number of matches; directories of them; --history, for all
    that are kept; or one file with any option for many. Each result is the exact sum of its parts: seat, goals,
    hidden goals, both players' mistakes. docs/analysis.md explains the parts. An unreadable transcript is left out
    and named; the exit code is then 1.

    \b
    tictactoe review
    tictactoe review --list
    tictactoe review 3
    tictactoe review match.jsonl --player Bot
    tictactoe review match.jsonl -o reviewed.jsonl
    tictactoe review --history
    tictactoe review tournament/ -o moves.csv
    tictactoe review match.jsonl more.jsonl.gz --known Bot=perfect
    """
    must_be_new(output, "-o")
    if show_list:
        others = ("files", "history", "solution", "player", "output", *_OF_MANY)
        _leave_out(others, "--list shows only the list")
        _list(as_json)
        return 0
    if history:
        _leave_out(("files",), "--history includes all matches that are kept")
    named = _whole_history() if history else [_path(each) for each in files or (None,)]
    table = output if output is not None and output.suffix == ".csv" else None
    if history or len(named) > 1 or table or any(map(is_given, _OF_MANY)) or _holds_many(named[0]):
        _leave_out(_OF_ONE, "this judges many matches")
        if output != table:
            raise click.UsageError("-o: for many matches, the table must be named NAME.csv")
        if len(dict(known)) < len(known):
            raise click.UsageError("--known: a name is given twice")
        return _price(named, solution, dict(known), worst, table, skips=skip_damaged, as_json=as_json)
    _review(named[0], solution, player, output, keypad=keypad, plain=plain, as_json=as_json)
    return 0


def _leave_out(names: Sequence[str], why: str) -> None:
    if name := next(filter(is_given, names), None):
        raise click.UsageError(f"{why}: leave out {_SPELT.get(name, f'--{name}')}")


def _path(named: Path | int | None) -> Path:
    from tictactoe.play import match_history

    if isinstance(named, Path):
        return named
    try:
        return match_history.kept_match(1 if named is None else named)
    except ValueError as error:
        if named is not None:
            raise CommandError(f"{error}; review --list shows them") from error
        what = "no match has been played yet"
        raise CommandError(f"{what}; name a transcript: review match.jsonl") from error


def _whole_history() -> list[Path]:
    from tictactoe.play import match_history

    if paths := match_history.kept_matches():
        return paths
    raise CommandError("no match has been played yet")


def _holds_many(path: Path) -> bool:
    from tictactoe.play import transcript

    if path.is_dir():
        return True
    try:
        return path.is_file() and transcript.holds_many(path)
    except tictactoe.FormatError:
        return False


def _list(as_json: bool) -> None:
    from tictactoe.play import match_history

    from ..reports import report

    kept = match_history.history()
    if as_json:
        print_json({"matches": [one.as_dict() for one in kept]})
        return
    if not kept:
        say("No match has been played yet.")
        return
    rows = [one.facts() for one in kept]
    report.print_table(
        match_history.HEADINGS,
        rows,
        "To show one: tictactoe review NUMBER. To continue an unfinished one: play-multiround --resume NUMBER.",
        ("rules", "against"),
    )
    for one in kept:
        if one.problem:
            say(f"{one.number} is damaged: {shown_path(one.path)}: {one.problem}")


def _review(
    path: Path,
    solution: Path | None,
    player: str | None,
    output: Path | None,
    *,
    keypad: str | None,
    plain: bool | None,
    as_json: bool,
) -> None:
    from tictactoe.play import match_history, match_review, move_costs, transcript

    written = transcript.read_transcript(path)
    setup = written.setup()
    if player is not None and player not in setup.names:
        raise click.UsageError(f"--player: {player!r} did not play; {' and '.join(setup.names)} did")
    judge = match_review.TranscriptJudge(path, setup, solution)
    replayed = written.replay(judge.tree)
    number = 0 if player is None else setup.names.index(player)
    if as_json or output is not None:
        reviewed = judge.reviewed(replayed, written.lines, number)
        match_history.TranscriptFile(output).save(reviewed)
        if as_json:
            moves = [move["accuracy"] for line in reviewed for move in line.get("review", {}).get("moves", ())]
            about = {"player": setup.names[number], "accuracy": move_costs.mean_accuracy(moves)}
            print_json(about | {"transcript": reviewed}, indent=None)
    else:
        numpad = (keypad or setup.keypad) == "numpad"
        _show(judge, replayed, number, numpad, setup.plain if plain is None else plain)


def _show(
    judge: match_review.TranscriptJudge, replayed: transcript.Replayed, player: int, numpad: bool, plain: bool
) -> None:
    from tictactoe.play import round_text

    from ..screens import line_reader, session

    names, rounds, match = judge.setup.names, replayed.rounds, replayed.match
    who = "you" if player == 0 and names[0] == "You" else names[player]
    speaker = round_text.Speaker(names[1 - player], numpad=numpad, in_points=judge.in_points, who=who)
    what = "Practice" if match is None else f"A match to {match.winning_score}"
    state = "over" if match is not None and match.winner is not None else f"{counted(len(rounds), 'round')} played"
    title = f"{what}{by_rules(judge.setup.rules)}, {state}: {round_text.score_line(names, replayed.points)}."
    if not rounds:
        say(title)
        return
    signals = Signals()
    reader = line_reader.LineReader(plain, signals.waiting)
    session.ReviewTalk(judge, reader, speaker, signals, player).show(replayed, title)


def _price(
    files: Sequence[Path],
    solution: Path | None,
    known: dict[str, str],
    worst: int,
    table: Path | None,
    *,
    skips: bool,
    as_json: bool,
) -> int:
    from tictactoe.play import analysts, tally, transcript

    from ..reports import analysis_report

    judges = analysts.Analysts(solution, known)
    totals, collected = tally.Tally(worst), analysis_report.Collected()
    problems: list[tictactoe.FormatError] = []
    with tally.moves_table(table) as write:
        for path in transcript.transcript_paths(files):
            with _left_out(problems, path):
                for written in transcript.written_matches(path):
                    with _left_out(problems, path):
                        found = _judged(judges, written)
                        collected.transcripts += 1
                        for judged in found:
                            totals.add(str(written), judged, frozenset(known))
                            write(written, judged)
                            collected.add(written, judged, keep=as_json)
        collected.left_out, failed = len(problems), bool(problems) and not skips
        if failed and not collected.transcripts and len(problems) == 1:
            raise problems[0]
        for problem in problems:
            note(f"left out: {problem}")
        if failed and not collected.transcripts:
            raise click.exceptions.Exit(EXIT_FAILURE)
    for name in known:
        if name not in totals.names:
            raise click.UsageError(f"--known: nobody is called {name!r}; {', '.join(sorted(totals.names)[:10])} played")
    if as_json:
        collected.print(totals, judges.in_points, judges.sources)
    else:
        analysis_report.show(totals, collected, judges.in_points, judges.sources)
    return EXIT_FAILURE if failed else 0


@contextlib.contextmanager
def _left_out(problems: list[tictactoe.FormatError], path: Path) -> Iterator[None]:
    try:
        yield
    except tictactoe.FormatError as error:
        if error.args[0] != path:
            raise
        problems.append(error)


def _judged(judges: analysts.Analysts, written: transcript.WrittenMatch) -> list[luck_and_mistakes.Judged]:
    try:
        return judges.judged(written)
    except ValueError as error:
        problem = str(error).removeprefix("opponent: ")
        raise CommandError(f"--{problem}" if problem.startswith("known: ") else problem) from error
