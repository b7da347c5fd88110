"""export-strategy: a saved strategy as CSV or JSON lines."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..options.parameters import Count, PathName, SolutionDirectory, score_option, true_option
from ..program import SETTINGS, CommandError, run, shown_path, stop_on_signals
from ..words import counted

if TYPE_CHECKING:
    from tictactoe.games.tic_tac_toe_tree import GameTree
    from tictactoe.storage.snapshot import Snapshot


@click.command(context_settings=SETTINGS)
@click.option(
    "-s",
    "--solution",
    "directory",
    type=SolutionDirectory(),
    required=True,
    metavar="DIR",
    help="A solved match, or the directory of one subgame with its snapshots; shipped: what comes with the program.",
)
@score_option(
    "--score",
    "Only this score: A points for the player who moves first, and B. May be given more than once.  "
    "[default: every score that is solved]",
)
@click.option(
    "--reachable-only",
    is_flag=True,
    help="Leave out the situations that never come up when both players use this strategy.",
)
@click.option(
    "--format",
    "file_format",
    type=click.Choice(["csv", "jsonl"]),
    help="CSV with a header, or one JSON object per line.  [default: as the output's name says, else csv]",
)
@click.option(
    "-o",
    "--output",
    type=PathName(),
    metavar="FILE",
    help="Write to this file, gzipped if its name ends in .gz.  [default: standard output]",
)
@click.option("--restart", is_flag=True, help="Replace the file that the output names, once the new one is whole.")
@true_option(
    "--average-strategy",
    "The average strategy, which is the solution; false: the current strategy of the last iteration.",
)
@click.option(
    "--iteration",
    type=Count(0),
    metavar="N",
    help="Take the snapshot of this iteration.  [default: the one that the result is about, or the last]",
)
@click.option("--quiet", is_flag=True, help="Do not say what has been written.")
def command(
    directory: Path,
    score: tuple[tuple[int, int], ...],
    reachable_only: bool,
    file_format: str | None,
    output: Path | None,
    restart: bool,
    average_strategy: bool,
    iteration: int | None,
    quiet: bool,
) -> None:
    """Write a strategy as a table: one row per action of every information set.

    Columns: score (of the player who moves first, then of the other), history (the squares played so far), goal (of
    the player to move), move, probability, reach (the product of the mover's own earlier probabilities),
    winning_score, end_rule (the rules: their name, and the odds of the goals behind it where they are not even).
    import-solution reads the table back, number for number.

    \b
    export-strategy -s my_solution/ -o strategy.csv.gz
    export-strategy -s my_solution/ --score 4 4 --reachable-only | head
    export-strategy -s my_subgame/ --average-strategy false --format jsonl
    """
    from tictactoe.storage.safe_files import output_file
    from tictactoe.storage.strategy_tables import format_of_name

    if output is not None and output_file(output).exists() and not restart:
        raise CommandError(f"{output}: exists already; choose another output file, or use --restart")
    file_format = file_format or (format_of_name(output) if output else None) or "csv"
    tree, snapshots = _chosen(directory, [*dict.fromkeys(score)], iteration)
    texts = _texts(tree, snapshots, file_format, reachable_only, average_strategy)
    if output is None:
        _write_all(texts)
        return
    num_rows = _write_file(texts, output) - (file_format == "csv")
    if not quiet:
        print(f"{counted(num_rows, 'row')} written to {shown_path(output)}")


def _chosen(
    directory: Path, chosen: list[tuple[int, int]], iteration: int | None
) -> tuple[GameTree, Iterator[Snapshot]]:
    """The tree, and the snapshots to export, which are read one at a time."""
    from tictactoe.match.scores import Score
    from tictactoe.storage.open_saved import open_saved

    rounds = open_saved(directory)
    if rounds.solution is None:
        if chosen:
            raise click.UsageError(f"--score: {directory} holds one subgame, not a solution")
        _check_saved(directory, iteration, rounds.iterations())
        return rounds.tree, iter([rounds.snapshot(None, iteration)])
    solution = rounds.solution
    scores = [Score(*item) for item in chosen] or solution.whole_scores
    if not scores:
        raise CommandError(f"{directory}: no score is solved yet; name one with --score")
    for score in scores:
        if max(score) >= solution.winning_score:
            raise click.UsageError(f"--score: {score} is no score of a match to {solution.winning_score}")
        saved = solution.iterations(score)
        if not saved:
            raise CommandError(f"{directory}: nothing is saved of the score {score}")
        _check_saved(solution.directory_of(score), iteration, saved)
    return rounds.tree, (rounds.snapshot(score, iteration) for score in scores)


def _check_saved(subgame: Path, iteration: int | None, saved: list[int]) -> None:
    if iteration is not None and iteration not in saved:
        shown = ", ".join(map(str, saved[:20])) + (", ..." if len(saved) > 20 else "")
        raise CommandError(f"{subgame}: no snapshot of iteration {iteration}; saved are {shown}")


def _texts(
    tree: GameTree, snapshots: Iterator[Snapshot], file_format: str, reachable_only: bool, average: bool
) -> Iterator[str]:
    from tictactoe.storage.strategy_tables import StrategyTable

    table = StrategyTable(tree)
    if file_format == "csv":
        yield table.csv_header()
    for snapshot in snapshots:
        strategy = snapshot.average_strategy(tree) if average else snapshot.current_strategy
        yield from table.rows(
            strategy, snapshot.score, snapshot.winning_score, file_format=file_format, reachable_only=reachable_only
        )


def _write_all(texts: Iterator[str]) -> None:
    """Write to standard output without its buffer. Otherwise Python would retry failed output when the program ends."""
    if sys.stdout is None:
        raise CommandError("standard output is closed; name a file with --output")
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    for text in texts:
        if not isinstance(raw, io.RawIOBase):
            sys.stdout.write(text)
            continue
        rest = memoryview(text.encode("ascii"))
        while rest:
            rest = rest[raw.write(rest) or 0 :]


def _write_file(texts: Iterator[str], output: Path) -> int:
    """Write the file. Returns the number of lines. An interruption leaves an earlier file unchanged."""
    from tictactoe.errors import Interrupted
    from tictactoe.storage.strategy_tables import replacing_table

    num_lines = 0
    with stop_on_signals() as stop, replacing_table(output) as file:
        for text in texts:
            if stop.is_set():
                raise Interrupted("nothing was written")
            file.write(text.encode("ascii"))
            num_lines += text.count("\n")
    return num_lines


main = partial(run, command)
