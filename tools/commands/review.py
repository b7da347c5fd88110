"""review: what the moves of a match or of practice cost, from its transcript."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

import tictactoe
from tictactoe.games.rules import by_rules
from tictactoe.number_text import counted

from ..lazy_imports import lazily
from ..options.common import json_option
from ..options.declaring import argument, command_of, option
from ..options.parameters import NAME, File, SolutionDirectory
from ..options.play_options import NEW_FILE, keypad_option, must_be_new, plain_option
from ..program import CommandError, print_json, say

with lazily():
    from tictactoe.play import practice, round_text, saved_match, transcript, transcript_review

    from ..screens import line_reader, review_screen


@dataclass(frozen=True)
class Options:
    transcript: Path | None = argument(File(), required=False)
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
    """Show what mistakes cost in a match or in practice that was played with --transcript FILE, worst first.

    Without a file: the match that you left last. Each move is judged by what was known at the time, against what a
    perfect player would have done. On a terminal a mistake can be looked at in explore. docs/transcripts.md has the
    format.

    \b
    review match.jsonl
    review match.jsonl --player Bot
    review match.jsonl -o reviewed.jsonl
    """
    must_be_new(given.output, "-o")

    path = given.transcript or saved_match.left_match()
    if path is None:
        raise CommandError("no match has been left; name the transcript of one, such as review match.jsonl")
    setup, lines = transcript.read_transcript(path)
    if given.player is not None and given.player not in setup.names:
        raise click.UsageError(f"--player: {given.player!r} does not play; {' and '.join(setup.names)} do")
    judge = transcript_review.TranscriptJudge(path, setup, given.solution)
    try:
        replayed = judge.replay(lines)
    except ValueError as error:
        raise tictactoe.FormatError(path, str(error)) from error
    number = 0 if given.player is None else setup.names.index(given.player)
    if given.as_json or given.output is not None:
        reviewed = judge.reviewed(replayed, lines, number)
        saved_match.TranscriptFile(given.output).save(reviewed)
        if given.as_json:
            print_json({"player": setup.names[number], "transcript": reviewed}, indent=None)
    else:
        numpad = (given.keypad or setup.keypad) == "numpad"
        _show(judge, replayed, number, numpad, setup.plain if given.plain is None else given.plain)


def _show(
    judge: transcript_review.TranscriptJudge, replayed: transcript.Replayed, player: int, numpad: bool, plain: bool
) -> None:
    names, rounds, match = judge.setup.names, replayed.rounds, replayed.match
    who = "you" if player == 0 and names[0] == "You" else names[player]
    speaker = round_text.Speaker(names[1 - player], numpad=numpad, in_points=judge.in_points, who=who)
    points = practice.points_of(rounds) if match is None else match.points
    what = "Practice" if match is None else f"A match to {match.winning_score}"
    state = "over" if match is not None and match.winner is not None else f"{counted(len(rounds), 'round')} played"
    found = judge.mistakes(rounds, player)
    say(f"{what}{by_rules(judge.setup.rules)}, {state}: {round_text.score_line(names, points)}.")
    explore = review_screen.explore_in(judge.directory, average=judge.setup.average_strategy, numpad=numpad)
    if rounds:
        review_screen.show_review(line_reader.LineReader(plain), speaker, found, explore)
