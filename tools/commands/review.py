"""review: a match or practice on one screen, from its transcript: the last one, one of a list, or a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

import tictactoe
from tictactoe.games.rules import by_rules
from tictactoe.number_text import counted

from ..lazy_imports import lazily
from ..options.parameters import NAME, Reader, SolutionDirectory
from ..options_before.common import json_option
from ..options_before.declaring import argument, command_of, flag, is_given, option
from ..options_before.play_options import NEW_FILE, keypad_option, must_be_new, new_file, plain_option
from ..program import CommandError, print_json, say, shown_path

with lazily():
    from tictactoe.play import match_history, match_review, practice, round_text, transcript

    from .. import interruption
    from ..reports import report
    from ..screens import line_reader, session


def _file_or_number(text: str) -> Path | int:
    return int(text) if match_history.is_number(text) else new_file(text)


@dataclass(frozen=True)
class Options:
    transcript: Path | int | None = argument(Reader("file", _file_or_number), required=False)
    show_list: bool = flag("List the matches that are kept, the newest first.", names="--list")
    solution: Path | None = option(
        SolutionDirectory(),
        "Directory of the solution that judges.  [default: the one that was played from]",
        short="-s",
    )
    player: str | None = option(NAME, "Whose moves, by name.  [default: the first name of the transcript]")
    output: Path | None = option(NEW_FILE, "Write the transcript with the review in it to this new file.", short="-o")
    as_json: bool = json_option()
    keypad: str | None = keypad_option()
    plain: bool | None = plain_option()


@command_of(Options)
def command(given: Options) -> None:
    """Show a match or practice: its moves, the chances to win after each, what mistakes cost, luck and skill.

    Without a file: what you left or ended last. A number is that of review --list; a file with such a name is ./3.
    Each move is judged by what was known at the time, against the best one: the best answer to an opponent whose play
    is fixed, else a perfect player's move. On a terminal a mistake can be tried again, or looked at in explore.
    docs/transcripts.md has the format.

    \b
    review
    review --list
    review 3
    review match.jsonl --player Bot
    review match.jsonl -o reviewed.jsonl
    """
    must_be_new(given.output, "-o")
    if given.show_list:
        if name := next(filter(is_given, ("transcript", "solution", "player", "output")), None):
            raise click.UsageError(f"--list shows the list alone: leave out {_SPELT[name]}")
        _list(given.as_json)
        return
    path = _path(given.transcript)
    setup, lines = transcript.read_transcript(path)
    if given.player is not None and given.player not in setup.names:
        raise click.UsageError(f"--player: {given.player!r} does not play; {' and '.join(setup.names)} do")
    judge = match_review.TranscriptJudge(path, setup, given.solution)
    try:
        replayed = judge.replay(lines)
    except ValueError as error:
        raise tictactoe.FormatError(path, str(error)) from error
    number = 0 if given.player is None else setup.names.index(given.player)
    if given.as_json or given.output is not None:
        reviewed = judge.reviewed(replayed, lines, number)
        match_history.TranscriptFile(given.output).save(reviewed)
        if given.as_json:
            print_json({"player": setup.names[number], "transcript": reviewed}, indent=None)
    else:
        numpad = (given.keypad or setup.keypad) == "numpad"
        _show(judge, replayed, number, numpad, setup.plain if given.plain is None else given.plain)


_SPELT = {"transcript": "the file", "solution": "--solution", "player": "--player", "output": "--output"}


def _path(named: Path | int | None) -> Path:
    """The file of a transcript, by its name or by its number in the list; the newest of the list by default."""
    if isinstance(named, Path):
        return named
    try:
        return match_history.kept_match(1 if named is None else named)
    except ValueError as error:
        if named is not None:
            raise CommandError(f"{error}; review --list shows them") from error
        what = "no match has been left or ended"
        raise CommandError(f"{what}; name the transcript of one, such as review match.jsonl") from error


def _list(as_json: bool) -> None:
    kept = match_history.history()
    if as_json:
        print_json({"matches": [one.as_dict() for one in kept]})
        return
    if not kept:
        say("No match has been left or ended yet.")
        return
    rows = [one.facts() for one in kept]
    report.print_table(
        match_history.HEADINGS,
        rows,
        "Show one of them: review NUMBER. Go on with one that was left: play-multiround --continue NUMBER.",
        ("rules", "against"),
    )
    for one in kept:
        if one.problem:
            say(f"{one.number} is damaged: {shown_path(one.path)}: {one.problem}")


def _show(
    judge: match_review.TranscriptJudge, replayed: transcript.Replayed, player: int, numpad: bool, plain: bool
) -> None:
    names, rounds, match = judge.setup.names, replayed.rounds, replayed.match
    who = "you" if player == 0 and names[0] == "You" else names[player]
    speaker = round_text.Speaker(names[1 - player], numpad=numpad, in_points=judge.in_points, who=who)
    points = practice.points_of(rounds) if match is None else match.points
    what = "Practice" if match is None else f"A match to {match.winning_score}"
    state = "over" if match is not None and match.winner is not None else f"{counted(len(rounds), 'round')} played"
    title = f"{what}{by_rules(judge.setup.rules)}, {state}: {round_text.score_line(names, points)}."
    if not rounds:
        say(title)
        return
    signals = interruption.Signals()
    reader = line_reader.LineReader(plain, signals.waiting)
    session.ReviewTalk(judge, reader, speaker, signals, player).show(replayed, title)
