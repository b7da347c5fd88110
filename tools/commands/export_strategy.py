"""export-strategy: a saved strategy as CSV or JSON lines."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

import tictactoe
from tictactoe.number_text import counted, listed

from ..lazy_imports import lazily
from ..options.common import quiet_option, scores_option, true_option
from ..options.declaring import command_of, flag, option
from ..options.parameters import Count, PathName, SolutionDirectory
from ..program import CommandError, shown_path, stop_on_signals

with lazily():
    from tictactoe.storage import atomic_files, strategy_tables


@dataclass(frozen=True)
class Options:
    directory: Path = option(
        SolutionDirectory(),
        "A solved match, or the directory of one subgame with its snapshots; shipped: what comes with the program.",
        names="-s --solution",
        required=True,
        metavar="DIR",
    )
    score: tuple[tuple[int, int], ...] = scores_option(
        "Only this score: A points for the player who moves first, and B. May be given more than once.  "
        "[default: every score that is solved]"
    )
    reachable_only: bool = flag("Leave out the situations that never come up when both players use this strategy.")
    file_format: str | None = option(
        click.Choice(["csv", "jsonl"]),
        "CSV with a header, or one JSON object per line.  [default: as the output's name says, else csv]",
        names="--format",
    )
    output: Path | None = option(
        PathName(),
        "Write to this file, gzipped if its name ends in .gz.  [default: standard output]",
        short="-o",
        metavar="FILE",
    )
    restart: bool = flag("Replace the file that the output names, once the new one is whole.")
    average_strategy: bool = true_option(
        "The average strategy, which is the solution; false: the current strategy of the last iteration."
    )
    iteration: int | None = option(
        Count(0),
        "Take the snapshot of this iteration.  [default: the one that the result is about, or the last]",
        metavar="N",
    )
    quiet: bool = quiet_option("Do not say what has been written.")


@command_of(Options)
def command(given: Options) -> None:
    """Write a strategy as a table: one row per action of every information set.

    Columns: score (of the player who moves first, then of the other), history (the squares played so far), goal (of
    the player to move), move, probability, reach (the product of the mover's own earlier probabilities),
    winning_score, rules (their name, and the odds of the goals behind it where they are not even).
    import-solution reads the table back, number for number.

    \b
    export-strategy -s my_solution/ -o strategy.csv.gz
    export-strategy -s my_solution/ --score 4 4 --reachable-only | head
    export-strategy -s my_subgame/ --average-strategy false --format jsonl
    """
    if given.output is not None and atomic_files.output_file(given.output).exists() and not given.restart:
        raise CommandError(f"{given.output}: exists already; choose another output file, or use --restart")
    file_format = given.file_format or (strategy_tables.format_of_name(given.output) if given.output else None) or "csv"
    tree, snapshots = _chosen(given.directory, [*dict.fromkeys(given.score)], given.iteration)
    texts = strategy_tables.table_texts(
        tree, snapshots, file_format=file_format, reachable_only=given.reachable_only, average=given.average_strategy
    )
    if given.output is None:
        _write_all(texts)
        return
    with stop_on_signals() as stop:
        num_lines = strategy_tables.write_table(given.output, texts, tictactoe.RunControl(stop=stop))
    num_rows = num_lines - (file_format == "csv")
    if not given.quiet:
        print(f"{counted(num_rows, 'row')} written to {shown_path(given.output)}")


def _chosen(
    directory: Path, chosen: list[tuple[int, int]], iteration: int | None
) -> tuple[tictactoe.GameTree, Iterator[tictactoe.Snapshot]]:
    """The tree, and the snapshots to export, which are read one at a time."""
    rounds = tictactoe.open_saved(directory)
    if rounds.solution is None:
        if chosen:
            raise click.UsageError(f"--score: {directory} holds one subgame, not a solution")
        _check_saved(directory, iteration, rounds.iterations())
        return rounds.tree, iter([rounds.snapshot(None, iteration)])
    solution = rounds.solution
    scores = [tictactoe.Score(*item) for item in chosen] or solution.whole_scores
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
        raise CommandError(f"{subgame}: no snapshot of iteration {iteration}; saved are {listed(saved, 20)}")


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
