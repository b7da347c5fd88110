"""analyse: what the moves of many matches cost, for both players, and how much was luck, from their transcripts."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tictactoe.play.opponents import OPPONENTS

from ..options.parameters import Count, PathName, SolutionDirectory, json_option
from ..options.play_options import NewFile, must_be_new
from ..program import SETTINGS, CommandError, run, shown_path

if TYPE_CHECKING:
    from tictactoe.play.analysis import Analyst, Judged, KnownStrategy
    from tictactoe.play.judge import Judge
    from tictactoe.play.transcript_files import WrittenMatch


class Known(click.ParamType):
    """NAME=PLAYER: the player behind a name, an opponent or the directory of a solution."""

    name = "NAME=PLAYER"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        if isinstance(value, tuple):
            return value[0], value[1]
        name, equals, player = str(value).rpartition("=")
        if not equals or not name or not player or "\0" in player:
            self.fail(f"{str(value)[:60]!r} is not NAME=PLAYER, such as Bot=perfect", param, ctx)
        return name, player


@click.command(context_settings=SETTINGS)
@click.argument("files", type=PathName(), nargs=-1, required=True)
@click.option(
    "-s",
    "--solution",
    type=SolutionDirectory(),
    default=None,
    help="Directory of the solution that judges.  [default: the one that comes with the program for the rules]",
)
@click.option(
    "--known",
    type=Known(),
    multiple=True,
    help="A player whose strategy is known: its luck is averaged over. PLAYER is the directory of a solution, or one "
    f"of {', '.join(OPPONENTS)}. May be repeated.",
)
@click.option(
    "--worst", type=Count(0, 10**6), default=10, show_default=True, help="How many of the worst moves to show."
)
@click.option("--csv", "table", type=NewFile(), default=None, help="Write a line for every move to this new file.")
@click.option("--skip-damaged", is_flag=True, help="Leave out transcripts that cannot be read, and say which.")
@json_option
def command(
    files: tuple[Path, ...],
    solution: Path | None,
    known: tuple[tuple[str, str], ...],
    worst: int,
    table: Path | None,
    skip_damaged: bool,
    as_json: bool,
) -> None:
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
    must_be_new(table, "--csv")
    from tictactoe.play.tally import Tally
    from tictactoe.play.transcript_files import transcript_paths, written_matches

    from ..reports.analysis_report import Collected, moves_table, show

    judges = _Judges(solution, known)
    tally, collected = Tally(worst), Collected()
    with moves_table(table) as write:
        for path in transcript_paths(files):
            with _left_out(collected, path, skip_damaged):
                for written in written_matches(path):
                    with _left_out(collected, path, skip_damaged):
                        found = judges.judged(written)
                        collected.transcripts += 1
                        for judged in found:
                            tally.add(str(written), judged, judges.known)
                            write(written, judged)
                            collected.count(judged)
                            if as_json:
                                collected.add(written, judged)
    judges.require_known_to_play(tally.names)
    if as_json:
        collected.print(tally, judges.unit, judges.sources)
    else:
        show(tally, collected, judges.in_points, judges.sources)


@contextlib.contextmanager
def _left_out(collected: Any, path: Path, skip_damaged: bool) -> Iterator[None]:
    """With `skip_damaged`, name and leave out a transcript of the file `path` that cannot be read. Errors of other
    files, such as a solution's, pass."""
    from tictactoe.errors import FormatError

    try:
        yield
    except FormatError as error:
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
                from tictactoe.storage.open_saved import open_saved

                open_saved(player)
        self._analysts: dict[str, Analyst] = {}
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

    def judged(self, written: WrittenMatch) -> list[Judged]:
        """Judge a transcript. Raises FormatError if its claims do not agree, or the solution cannot judge it."""
        from tictactoe.errors import FormatError, NotSavedError

        setup = written.setup()
        analyst = self._analyst(written, setup.rules)
        if setup.winning_score is not None:
            try:
                analyst.judge.match(setup.winning_score)
            except ValueError as error:
                source = f"{self.sources[setup.rules]} cannot judge it: {error}; name another solution with -s"
                raise FormatError(written.path, f"line {written.first_line}: {source}") from error
        replayed = written.replay(analyst.judge.tree)
        try:
            return analyst.judged(replayed)
        except (ValueError, NotSavedError) as error:
            raise FormatError(written.path, f"match at line {written.first_line}: {error}") from error

    def _analyst(self, written: WrittenMatch, rules: str) -> Analyst:
        from tictactoe.play.analysis import Analyst
        from tictactoe.play.judge import Judge
        from tictactoe.play.saved_match import played_from, require_rules_of
        from tictactoe.storage.open_saved import open_saved

        if rules not in self._analysts:
            setup = written.setup().played_anywhere()
            directory = played_from(written.path, setup, self._solution)
            saved = open_saved(directory)
            require_rules_of(written.path, setup, directory, saved.tree)
            judge = Judge(saved)
            strategies = {name: _strategy_of(player, judge) for name, player in self._known.items()}
            self._analysts[rules], self.sources[rules] = Analyst(judge, strategies), shown_path(directory)
        return self._analysts[rules]

    def require_known_to_play(self, names: set[str]) -> None:
        """Raises click.UsageError for a name of --known that no player has."""
        for name in self._known:
            if name not in names:
                raise click.UsageError(f"--known: nobody is called {name!r}; {', '.join(sorted(names)[:10])} play")


def _strategy_of(player: str, judge: Judge) -> KnownStrategy:
    """The strategy of an opponent, or of a solution in a directory. Raises CommandError if it cannot play the game."""
    from tictactoe.play.opponent_bot import opponent_of, require_opponent

    if player in OPPONENTS:
        try:
            require_opponent(player, judge.tree)
        except ValueError as error:
            raise CommandError(str(error).removeprefix("opponent: ")) from error
        kept: dict[Any, Any] = {}

        def of_opponent(bot: Any, *_: Any) -> Any:
            if bot not in kept:
                kept[bot] = opponent_of(player, bot).strategy
            return kept[bot]

        return of_opponent
    from tictactoe.play.judge import Judge
    from tictactoe.storage.open_saved import open_saved

    other = Judge(open_saved(player))
    if other.tree.fingerprint != judge.tree.fingerprint:
        raise CommandError(f"--known: {player} is solved for {other.tree.rules}, not for {judge.tree.rules}")
    return lambda bot, score, winning_score: other.round_bot(score, winning_score).strategy


def main() -> None:
    """The program."""
    run(command)
