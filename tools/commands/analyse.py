"""analyse: what the moves of many matches cost, for both players, and how much was luck, from their transcripts."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

import tictactoe
from tictactoe.errors import NotSavedError
from tictactoe.play.opponents import OPPONENTS

from ..lazy_imports import lazily
from ..options.common import json_option
from ..options.declaring import argument, command_of, flag, option
from ..options.parameters import Count, PathName, Reader, SolutionDirectory
from ..options.play_options import NEW_FILE, must_be_new
from ..program import CommandError, shown_path

with lazily():
    from tictactoe.play import analysis, opponent_bot, saved_match, tally, transcript_files

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
    skip_damaged: bool = flag("Leave out transcripts that cannot be read, and say which.")
    as_json: bool = json_option()


@command_of(Options)
def command(given: Options) -> None:
    """Price every move of matches or rounds that were played anywhere, for both players, and set luck apart.

    FILES are transcripts (docs/transcripts.md), gzipped or not, with any number of matches one after the other, or
    directories of them. A move costs what the best one would have won more against a perfect opponent, to somebody
    who does not see the opponent's goal. What a result was made of adds up exactly: seat, goals, hidden goals, both
    players' mistakes. docs/analysis.md explains the parts.

    \b
    analyse match.jsonl
    analyse tournament/ --csv moves.csv
    analyse match.jsonl more.jsonl.gz --known Bot=perfect
    """
    must_be_new(given.table, "--csv")

    judges = _Judges(given.solution, given.known)
    totals, collected = tally.Tally(given.worst), analysis_report.Collected()
    with analysis_report.moves_table(given.table) as write:
        for path in transcript_files.transcript_paths(given.files):
            with _left_out(collected, path, given.skip_damaged):
                for written in transcript_files.written_matches(path):
                    with _left_out(collected, path, given.skip_damaged):
                        found = judges.judged(written)
                        collected.transcripts += 1
                        for judged in found:
                            totals.add(str(written), judged, judges.known)
                            write(written, judged)
                            collected.count(judged)
                            if given.as_json:
                                collected.add(written, judged)
    judges.require_known_to_play(totals.names)
    if given.as_json:
        collected.print(totals, judges.unit, judges.sources)
    else:
        analysis_report.show(totals, collected, judges.in_points, judges.sources)


@contextlib.contextmanager
def _left_out(collected: Any, path: Path, skip_damaged: bool) -> Iterator[None]:
    """With `skip_damaged`, name and leave out a transcript of the file `path` that cannot be read. Errors of other
    files, such as a solution's, pass."""
    try:
        yield
    except tictactoe.FormatError as error:
        if not skip_damaged or error.args[0] != path:
            raise
        collected.left_out += 1
        print(f"left out: {error}", file=sys.stderr, flush=True)


class _Judges:
    """The solutions that judge: one for each rules of the transcripts."""

    def __init__(self, solution: Path | None, known: tuple[tuple[str, str], ...]) -> None:
        self._solution = solution
        self._known = dict(known)
        if len(self._known) < len(known):
            raise click.UsageError("--known: the same name is given twice")
        for player in self._known.values():
            if player not in OPPONENTS:
                tictactoe.open_saved(player)
        self._analysts: dict[str, tictactoe.Analyst] = {}
        self.sources: dict[str, str] = {}

    @property
    def known(self) -> frozenset[str]:
        return frozenset(self._known)

    @property
    def in_points(self) -> bool:
        return any(analyst.judge.in_points for analyst in self._analysts.values())

    @property
    def unit(self) -> str:
        return "points" if self.in_points else "percentage points of matches won"

    def judged(self, written: transcript_files.WrittenMatch) -> list[analysis.Judged]:
        """Judge a transcript. Raises FormatError if its claims do not agree, or the solution cannot judge it."""
        setup = written.setup()
        analyst = self._analyst(written, setup.rules)
        if setup.winning_score is not None:
            try:
                analyst.judge.match(setup.winning_score)
            except ValueError as error:
                source = f"{self.sources[setup.rules]} cannot judge it: {error}; name another solution with -s"
                raise tictactoe.FormatError(written.path, f"line {written.first_line}: {source}") from error
        replayed = written.replay(analyst.judge.tree)
        try:
            return analyst.judged(replayed)
        except (ValueError, NotSavedError) as error:
            raise tictactoe.FormatError(written.path, f"match at line {written.first_line}: {error}") from error

    def _analyst(self, written: transcript_files.WrittenMatch, rules: str) -> tictactoe.Analyst:
        if rules not in self._analysts:
            setup = written.setup().played_anywhere()
            directory = saved_match.played_from(written.path, setup, self._solution)
            saved = tictactoe.open_saved(directory)
            saved_match.require_rules_of(written.path, setup, directory, saved.tree)
            judge = tictactoe.Judge(saved)
            strategies = {name: _strategy_of(player, judge) for name, player in self._known.items()}
            self._analysts[rules], self.sources[rules] = tictactoe.Analyst(judge, strategies), shown_path(directory)
        return self._analysts[rules]

    def require_known_to_play(self, names: set[str]) -> None:
        """Raises click.UsageError for a name of --known that no player has."""
        for name in self._known:
            if name not in names:
                raise click.UsageError(f"--known: nobody is called {name!r}; {', '.join(sorted(names)[:10])} play")


def _strategy_of(player: str, judge: tictactoe.Judge) -> analysis.KnownStrategy:
    """The strategy of an opponent, or of a solution in a directory. Raises CommandError if it cannot play the game."""
    if player in OPPONENTS:
        try:
            opponent_bot.require_opponent(player, judge.tree)
        except ValueError as error:
            raise CommandError(str(error).removeprefix("opponent: ")) from error
        kept: dict[Any, Any] = {}

        def of_opponent(bot: Any, *_: Any) -> Any:
            if bot not in kept:
                kept[bot] = tictactoe.opponent_of(player, bot).strategy
            return kept[bot]

        return of_opponent

    other = tictactoe.Judge(tictactoe.open_saved(player))
    if other.tree.fingerprint != judge.tree.fingerprint:
        raise CommandError(f"--known: {player} is solved for {other.tree.rules}, not for {judge.tree.rules}")
    return lambda bot, score, winning_score: other.round_bot(score, winning_score).strategy
