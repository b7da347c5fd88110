"""analyse: what the moves of many matches cost, for both players, and how much was luck, from their transcripts."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

import tictactoe
from tictactoe.play.opponents import OPPONENTS

from ..lazy_imports import lazily
from ..options.parameters import Count, PathName, Reader, SolutionDirectory
from ..options_before.common import json_option
from ..options_before.declaring import argument, command_of, flag, option
from ..options_before.play_options import NEW_FILE, must_be_new
from ..program import EXIT_FAILURE, CommandError, note

with lazily():
    from tictactoe.play import analysts, luck_and_mistakes, tally, transcript

    from ..reports import analysis_report


def _known(text: str) -> tuple[str, str]:
    name, equals, player = text.rpartition("=")
    if not equals or not name or not player or "\0" in player:
        raise ValueError(f"{text[:60]!r} is not NAME=PLAYER, such as Bot=perfect")
    return name, player


@dataclass(frozen=True)
class Options:
    files: tuple[Path, ...] = argument(PathName(), nargs=-1, required=True)
    solution: Path | None = option(
        SolutionDirectory(),
        "Directory of the solution that judges.  [default: the one that comes with the program for the rules]",
        short="-s",
    )
    known: tuple[tuple[str, str], ...] = option(
        Reader("NAME=PLAYER", _known),
        "A player whose strategy is known: its luck is averaged over. PLAYER is the directory of a solution, or one "
        f"of {', '.join(OPPONENTS)}. May be repeated.",
        multiple=True,
    )
    worst: int = option(Count(0, 10**6), "How many of the worst moves to show.", default=10)
    table: Path | None = option(NEW_FILE, "Write a line for every move to this new file.", names="--csv")
    skip_damaged: bool = flag("Exit code 0 even if a transcript was left out because it cannot be read.")
    as_json: bool = json_option()


@command_of(Options)
def command(given: Options) -> int:
    """Price every move of matches or rounds that were played anywhere, for both players, and set luck apart.

    FILES are transcripts (docs/transcripts.md), gzipped or not, with any number of matches one after the other, or
    directories of them. A move costs what the best one would have won more, to somebody who does not see the
    opponent's goal: against a perfect opponent, or the one of fixed play that the transcript names. What a result was
    made of adds up exactly: seat, goals, hidden goals, both players' mistakes. docs/analysis.md explains the parts. A
    transcript that cannot be read is left out and named; the exit code is then 1.

    \b
    analyse match.jsonl
    analyse tournament/ --csv moves.csv
    analyse match.jsonl more.jsonl.gz --known Bot=perfect
    """
    must_be_new(given.table, "--csv")

    known = dict(given.known)
    if len(known) < len(given.known):
        raise click.UsageError("--known: the same name is given twice")
    judges = analysts.Analysts(given.solution, known)
    totals, collected = tally.Tally(given.worst), analysis_report.Collected()
    problems: list[tictactoe.FormatError] = []
    with tally.moves_table(given.table) as write:
        for path in transcript.transcript_paths(given.files):
            with _left_out(problems, path):
                for written in transcript.written_matches(path):
                    with _left_out(problems, path):
                        found = _judged(judges, written)
                        collected.transcripts += 1
                        for judged in found:
                            totals.add(str(written), judged, frozenset(known))
                            write(written, judged)
                            collected.count(judged)
                            if given.as_json:
                                collected.add(written, judged)
        collected.left_out, failed = len(problems), bool(problems) and not given.skip_damaged
        if failed and not collected.transcripts and len(problems) == 1:
            raise problems[0]
        for problem in problems:
            note(f"left out: {problem}")
        if failed and not collected.transcripts:
            raise click.exceptions.Exit(EXIT_FAILURE)
    for name in known:
        if name not in totals.names:
            raise click.UsageError(f"--known: nobody is called {name!r}; {', '.join(sorted(totals.names)[:10])} play")
    if given.as_json:
        collected.print(totals, judges.in_points, judges.sources)
    else:
        analysis_report.show(totals, collected, judges.in_points, judges.sources)
    return EXIT_FAILURE if failed else 0


@contextlib.contextmanager
def _left_out(problems: list[tictactoe.FormatError], path: Path) -> Iterator[None]:
    """Leave out a transcript of the file `path` that cannot be read, and note why. Errors of other files, such as a
    solution's, pass."""
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
