"""export-strategy: a saved strategy as CSV or JSON lines."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from .common import EXIT_INTERRUPTED, CommandError, Count, run, stop_on_signals

if TYPE_CHECKING:
    from tictactoe.match import Score
    from tictactoe.snapshot import Snapshot
    from tictactoe.solution import Solution
    from tictactoe.tree import GameTree


@click.command(context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]})
@click.option(
    "-s", "--solution", "directory", type=click.Path(path_type=Path), required=True, metavar="DIR",
    help="A solved match, or the directory of one subgame with its snapshots.",
)
@click.option(
    "--score", "chosen", type=Count(0), nargs=2, multiple=True, metavar="A B",
    help="Only this score: A points for the player who moves first, and B. May be given more than once.  "
    "[default: every score that is solved]",
)
@click.option(
    "--reachable-only", is_flag=True,
    help="Leave out the situations that never come up when both players use this strategy.",
)
@click.option(
    "--format", "file_format", type=click.Choice(["csv", "jsonl"]), default=None,
    help="CSV with a header, or one JSON object per line.  [default: as the output's name says, else csv]",
)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), default=None, metavar="FILE",
    help="Write to this file, gzipped if its name ends in .gz.  [default: standard output]",
)
@click.option(
    "--average-strategy", type=bool, default=True, show_default=True, metavar="true|false",
    help="The average strategy, which is the solution; false: the current strategy of the last iteration.",
)
@click.option(
    "--iteration", type=Count(0), default=None, metavar="N",
    help="Take the snapshot of this iteration.  [default: the one that the result is about, or the last]",
)
@click.option("--quiet", is_flag=True, help="Do not say what has been written.")
def command(
    directory: Path, chosen: tuple[tuple[int, int], ...], reachable_only: bool, file_format: str | None,
    output: Path | None, average_strategy: bool, iteration: int | None, quiet: bool,
) -> int:  # fmt: skip
    """Write a strategy as a table: one row per action of every information set.

    Columns: score (of the player who moves first, then of the other), history (the squares played so far), goal (of
    the player to move), move, probability, reach (the product of the mover's own earlier probabilities),
    winning_score, end_rule. import-solution reads the table back, number for number.

    \b
    export-strategy -s my_solution/ -o strategy.csv.gz
    export-strategy -s my_solution/ --score 4 4 --reachable-only | head
    export-strategy -s my_subgame/ --average-strategy false --format jsonl
    """
    from tictactoe.export import format_of_name

    file_format = file_format or (format_of_name(output) if output else None) or "csv"
    source = _source(directory, [*dict.fromkeys(chosen)], iteration)
    if output is None:
        _write_all(source, file_format, reachable_only, average_strategy)
        return 0
    num_rows = _write_file(source, output, file_format, reachable_only, average_strategy)
    if num_rows is None:
        print("export-strategy: interrupted; nothing was written", file=sys.stderr)
        return EXIT_INTERRUPTED
    if not quiet:
        print(f"{num_rows:,} rows written to {output}")
    return 0


class _Source(NamedTuple):
    """What to export: the snapshots are read one at a time, when it is their turn."""

    tree: GameTree
    paths: list[tuple[Path, Score | None, int | None]]
    """The snapshot's path, and the score and winning score that it must have."""

    def snapshots(self) -> Iterator[Snapshot]:
        from tictactoe.files import FormatError
        from tictactoe.snapshot import Snapshot

        for path, score, winning_score in self.paths:
            snapshot = Snapshot.load(path, self.tree)
            if winning_score is not None and (snapshot.score, snapshot.winning_score) != (score, winning_score):
                raise FormatError(path, f"not a snapshot of the score {score} of a match to {winning_score}")
            yield snapshot


def _source(directory: Path, chosen: list[tuple[int, int]], iteration: int | None) -> _Source:
    from tictactoe.snapshot import list_snapshots, snapshot_name
    from tictactoe.solution import SOLUTION_FILE, load_solution
    from tictactoe.tree import GameTree

    if not directory.is_dir():
        raise CommandError(f"{directory}: {'not a directory' if directory.exists() else 'no such directory'}")
    if (directory / SOLUTION_FILE).exists():
        return _source_of_match(load_solution(directory), chosen, iteration)
    saved = list_snapshots(directory)
    if not saved:
        raise CommandError(f"{directory}: neither a solution nor a subgame: no {SOLUTION_FILE} and no snapshots here")
    if chosen:
        raise click.UsageError(f"--score: {directory} holds one subgame, not a solution")
    number = saved[-1] if iteration is None else iteration
    _check_saved(directory, number, saved)
    return _Source(GameTree.build(), [(directory / snapshot_name(number), None, None)])


def _source_of_match(solution: Solution, chosen: list[tuple[int, int]], iteration: int | None) -> _Source:
    from tictactoe.match import Score, all_scores
    from tictactoe.snapshot import snapshot_name, subgame_name

    imported = "imported_from" in solution.options  # scores without a value are whole there, not work in progress
    scores = [Score(*item) for item in chosen] or [
        score
        for score in all_scores(solution.winning_score)
        if score in solution.results or (imported and solution.iterations(score))
    ]
    if not scores:
        raise CommandError(f"{solution.directory}: no score is solved yet; name one with --score")
    paths: list[tuple[Path, Score | None, int | None]] = []
    for score in scores:
        if max(score) >= solution.winning_score:
            raise click.UsageError(f"--score: {score} is no score of a match to {solution.winning_score}")
        saved = solution.iterations(score)
        if not saved:
            raise CommandError(f"{solution.directory}: nothing is saved of the score {score}")
        number = iteration
        if number is None:
            number = solution.results[score].iteration if score in solution.results else saved[-1]
        subgame = solution.directory / subgame_name(score)
        _check_saved(subgame, number, saved)
        paths.append((subgame / snapshot_name(number), score, solution.winning_score))
    return _Source(solution.tree, paths)


def _check_saved(subgame: Path, iteration: int, saved: list[int]) -> None:
    if iteration not in saved:
        shown = ", ".join(map(str, saved[:20])) + (", ..." if len(saved) > 20 else "")
        raise CommandError(f"{subgame}: no snapshot of iteration {iteration}; saved are {shown}")


def _texts(source: _Source, file_format: str, reachable_only: bool, average: bool) -> Iterator[str]:
    from tictactoe.export import StrategyTable

    table = StrategyTable(source.tree)
    if file_format == "csv":
        yield table.csv_header()
    for snapshot in source.snapshots():
        strategy = snapshot.average_strategy(source.tree) if average else snapshot.current_strategy
        yield from table.rows(
            strategy, snapshot.score, snapshot.winning_score, file_format=file_format, reachable_only=reachable_only
        )


def _write_all(source: _Source, file_format: str, reachable_only: bool, average: bool) -> None:
    """To standard output, past its buffer: what could not be written is not tried again when the program ends."""
    if sys.stdout is None:
        raise CommandError("standard output is closed; name a file with --output")
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    for text in _texts(source, file_format, reachable_only, average):
        if not isinstance(raw, io.RawIOBase):
            sys.stdout.write(text)
            continue
        rest = memoryview(text.encode("ascii"))
        while rest:
            rest = rest[raw.write(rest) or 0 :]


def _write_file(
    source: _Source, output: Path, file_format: str, reachable_only: bool, average: bool
) -> int | None:
    """The number of rows written; None when interrupted, with the file as it was before."""
    from tictactoe.directory import Interrupted
    from tictactoe.export import replacing_table

    num_lines = 0
    try:
        with stop_on_signals() as stop, replacing_table(output) as file:
            for text in _texts(source, file_format, reachable_only, average):
                if stop.is_set():
                    raise Interrupted
                file.write(text.encode("ascii"))
                num_lines += text.count("\n")
    except Interrupted:
        return None
    return num_lines - (file_format == "csv")


def main() -> None:
    """The program."""
    run(command)
