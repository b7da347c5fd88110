"""The verb convert."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

import tictactoe
from tictactoe.number_text import counted, listed

from ..interruption import stop_on_signals
from ..options.common import (
    existing_of,
    json_option,
    one_value,
    quiet_option,
    refuse,
    restart_option,
    scores_option,
    strategy_option,
    winning_score_option,
)
from ..options.parameters import Count, Number, PathName
from ..options.rules_options import WantedRules, rules_option
from ..options.workers import followed
from ..program import CommandError, Program, print_json, shown_path
from ..progress import StatusLine

ONLY = {
    "a table": ("file_format", "scores", "reachable_only", "iteration"),
    "a copy": ("smallest", "bits", "keep"),
    "an import": ("winning_score", "rules"),
}
"""The parameters that only one kind of conversion takes, by kind."""


@dataclass(frozen=True)
class TableOptions:
    file_format: str | None
    scores: tuple[tictactoe.Score, ...]
    reachable_only: bool
    iteration: int | None


table_options = one_value(
    "table",
    TableOptions,
    click.option(
        "--format",
        "file_format",
        type=click.Choice(["csv", "jsonl"]),
        help="Format of a table, whatever the output's name: CSV with a header, or one JSON object per line.",
    ),
    scores_option("Include only this score in a table; may be repeated.  [default: every solved score]"),
    click.option(
        "--reachable-only",
        is_flag=True,
        help="Leave out of a table what never happens when both players use this strategy.",
    ),
    click.option(
        "--iteration",
        type=Count(0),
        help="Make the table of the snapshot of this iteration.  [default: that of the result, or the last]",
    ),
)


@click.command(cls=Program)
@click.argument("source", type=PathName(), metavar="SOURCE")
@click.option(
    "-o",
    "--output",
    type=PathName(),
    help="Name of a table, NAME.csv or NAME.jsonl, gzipped if .gz follows; otherwise a new or empty directory.  "
    "[default: a table on standard output]",
)
@table_options
@strategy_option("better", text="; better: copy at every score the one that is less exploitable in its round")
@click.option(
    "--smallest", type=Number(0.0, 0.1), default=1e-5, help="Leave moves that are rarer than this out of a copy."
)
@click.option("--bits", type=Count(8, 52), default=20, help="Binary digits of the probabilities in a copy.")
@scores_option("Copy the earlier snapshots of this score, too.", "--keep")
@winning_score_option("Winning score of the imported match.  [default: the table's, or 5]", None)
@rules_option("those of the table; three-in-a-row for the published program")
@restart_option
@quiet_option()
@json_option
def command(
    source: Path,
    output: Path | None,
    table: TableOptions,
    strategy: str,
    smallest: float,
    bits: int,
    keep: tuple[tictactoe.Score, ...],
    winning_score: int | None,
    rules: WantedRules,
    restart: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Turn a solution into a table or a small copy, or turn strategies from elsewhere into a solution.

    From a solution, or the directory of one round, to a table: the table has one row per action of every information
    set. Its columns are score (of the player who moves first, then of the other), history (the squares played so far),
    goal (of the player to move), move, probability, reach (the product of the mover's own earlier probabilities),
    winning_score, and rules (their name, followed by the odds of the goals unless these are even). Numbers read back
    unchanged.

    From a solution to a directory: this makes a copy, a tenth of its size, for playing, exploring and judging.
    Probabilities are rounded and regrets left out, which means that it cannot be solved further. The values and
    exploitabilities in it are those of the copy. Rounding costs a little; with --bits 52 --smallest 0 it costs nothing.

    From a table, a directory with one, or a directory of the published Rust program (subgame_A_B/strategy_N.bincode,
    gzipped or not; the highest N of every score) to a directory: this makes a solution. Everything is checked before
    anything is written. Values and exploitabilities are those of always playing the imported strategy. A score that
    leads to a missing score has neither; it can be explored and exported, and is named at the end. With --rules, a
    table of other rules is refused.

    From a file of train-agent to a directory: this writes the agent's play as a round, like those of solve-multiround
    --one-round, for best-response-multiround, explore and other verbs. From an agent that has learnt twenty-one to
    NAME.csv: this writes its table Q, by points and the dealer's card, which network join can play.

    \b
    tictactoe convert my_solution/ -o strategy.csv.gz
    tictactoe convert my_solution/ --score 4-4 --reachable-only | head
    tictactoe convert my_solution/ -o small/ --keep 4-4
    tictactoe convert ../smbc-tictactoe-cfr/solution -o theirs/
    tictactoe convert strategy.csv.gz -o copy/
    """
    from tictactoe.solving import learning_run
    from tictactoe.storage import directory_layout, locked_directory, shipped, strategy_tables

    directory = shipped.solution_directory(str(source))
    if not directory.exists():
        raise CommandError(f"{shown_path(source)}: no such file or directory")
    record, rounds = directory / directory_layout.SOLUTION_FILE, False
    if directory.is_dir():
        locked_directory.finish(directory)
        rounds = bool(directory_layout.list_snapshots(directory))
    if _is_agent(directory):
        _refuse_others("a round", "strategy", "restart")
        if output is not None and output.suffix == ".csv":
            rows = _write_q(directory, output)
            if as_json:
                print_json({"output": str(output), "rows": rows})
            elif not quiet:
                print(f"{counted(rows, 'row')} written to {shown_path(output)}")
            return
        if output is None:
            raise click.UsageError("--output: name a directory for the round")
        learning_run.export_agent(tictactoe.LearntTable.load(directory), output)
        if as_json:
            print_json({"output": str(output)})
        elif not quiet:
            print(f"the agent's play is a round in {shown_path(output)}")
        return
    if not (rounds or record.exists()):
        if table != TableOptions(None, (), False, None):
            raise CommandError(f"{shown_path(source)}: it contains no solution from which to make a table")
        _refuse_others("an import", "strategy")
        if output is None:
            raise click.UsageError("--output: name a directory for the solution")
        _import(source, output, winning_score, rules, restart=restart, quiet=quiet, as_json=as_json)
        return
    form = table.file_format or ("csv" if output is None else strategy_tables.format_of_name(output))
    if form is not None:
        if strategy == "better":
            raise click.UsageError("--strategy better applies only to a copy, and this makes a table")
        _refuse_others("a table")
        if as_json and output is None:
            raise click.UsageError("--json: standard output has the table; name an --output, or choose --format jsonl")
        rows = _write_table(directory, output, table, form, average=strategy == "average", restart=restart)
        if as_json:
            print_json({"output": str(output), "rows": rows})
        elif output is not None and not quiet:
            print(f"{counted(rows, 'row')} written to {shown_path(output)}")
        return
    _refuse_others("a copy")
    assert output is not None
    if not record.exists():
        raise click.UsageError(f"--output: {directory} holds one round, which can only become a table: NAME.csv")
    how = tictactoe.CompactOptions(smallest=smallest, bits=bits, strategy=strategy)
    _copy(directory, output, how, keep, restart=restart, quiet=quiet, as_json=as_json)


def _write_q(source: Path, output: Path) -> int:
    from tictactoe.agents import card_player
    from tictactoe.algorithms import learning
    from tictactoe.games import named_games
    from tictactoe.solving import learning_run
    from tictactoe.storage import atomic_files

    learnt = tictactoe.LearntTable.of_any_game(source)
    if learnt.rules.split("(")[0] != "twenty-one":
        raise CommandError(f"{shown_path(source)}: this agent has not learnt twenty-one, so no table Q can be made")
    if atomic_files.output_file(output).exists():
        raise CommandError(f"{output}: this file exists already; choose another output file")
    graph = learning_run.game_to_learn(named_games.named_game(learnt.rules))
    assert isinstance(graph, learning.StateGraph)
    table = card_player.QTable.of_learnt(tictactoe.LearntTable.load(source, graph), graph)
    table.save(output)
    return len(table.text().splitlines()) - 1


def _is_agent(path: Path) -> bool:
    from tictactoe.storage import file_format, learnt_table

    start = file_format.start_of(learnt_table.LEARNT_KIND)
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(start)) == start


def _refuse_others(kind: str, *others: str) -> None:
    refuse(
        [*others, *(name for other, own in ONLY.items() if other != kind for name in own)],
        f"does not apply: this makes {kind}",
    )


def _import(
    source: Path, output: Path, points: int | None, rules: WantedRules, *, restart: bool, quiet: bool, as_json: bool
) -> None:
    from tictactoe.solving import results_as_data
    from tictactoe.storage import import_strategies

    from ..reports import solution_report

    expected = None if rules == WantedRules() else rules.over()
    with stop_on_signals() as stop:
        control: tictactoe.RunControl[Any] = tictactoe.RunControl(existing=existing_of(restart), stop=stop)
        result = import_strategies.import_solution(source, output, points, rules=expected, control=control)
    if as_json:
        print_json(results_as_data.imported_solution(result))
    elif not quiet:
        solution_report.print_imported(result)


def _copy(
    source: Path,
    output: Path,
    how: tictactoe.CompactOptions,
    keep: Sequence[tictactoe.Score],
    *,
    restart: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    from ..reports import solution_report

    loaded = tictactoe.load_solution(source)
    if restart and output.exists() and output.samefile(source):
        raise click.UsageError("--output: this is the same directory as SOURCE")
    status = StatusLine("reading", quiet=quiet)

    def told(done: int, scores: int) -> None:
        status.set(f"{done} of {counted(scores, 'score')} copied, {{elapsed}} elapsed")

    with followed(status, tictactoe.RunControl(existing=existing_of(restart)), told) as control:
        num_bytes = tictactoe.compact_solution(loaded, output, how, keep=keep, control=control)
    if as_json:
        print_json({"output": str(output), "bytes": num_bytes})
    elif not quiet:
        solution_report.print_compacted(output, num_bytes)


def _write_table(
    directory: Path, output: Path | None, table: TableOptions, form: str, *, average: bool, restart: bool
) -> int:
    from tictactoe.storage import atomic_files, strategy_tables

    if output is not None and atomic_files.output_file(output).exists() and not restart:
        raise CommandError(f"{output}: this exists already; choose another output file, or restart to replace it")
    tree, snapshots = _chosen(directory, [*dict.fromkeys(table.scores)], table.iteration)
    texts = strategy_tables.table_texts(
        tree, snapshots, file_format=form, reachable_only=table.reachable_only, average=average
    )
    if output is None:
        _write_all(texts)
        return 0
    with stop_on_signals() as stop:
        num_lines = strategy_tables.write_table(output, texts, tictactoe.RunControl(stop=stop))
    return num_lines - (form == "csv")


def _chosen(
    directory: Path, scores: list[tictactoe.Score], iteration: int | None
) -> tuple[tictactoe.GameTree, Iterator[tictactoe.Snapshot]]:
    rounds = tictactoe.open_saved(directory)
    if rounds.solution is None:
        if scores:
            raise click.UsageError(f"--score: {directory} holds one subgame, not a solution")
        _check_saved(directory, iteration, rounds.iterations())
        return rounds.tree, iter([rounds.snapshot(None, iteration)])
    solution = rounds.solution
    scores = scores or solution.whole_scores
    if not scores:
        raise CommandError(f"{directory}: no score has been solved yet; name one with --score")
    for score in scores:
        if max(score) >= solution.winning_score:
            raise click.UsageError(f"--score: {score} is not a score of a match to {solution.winning_score}")
        saved = solution.iterations(score)
        if not saved:
            raise CommandError(f"{directory}: nothing is saved for the score {score}")
        _check_saved(solution.directory_of(score), iteration, saved)
    return rounds.tree, (rounds.snapshot(score, iteration) for score in scores)


def _check_saved(subgame: Path, iteration: int | None, saved: list[int]) -> None:
    if iteration is not None and iteration not in saved:
        raise CommandError(f"{subgame}: no snapshot of iteration {iteration}; saved are {listed(saved, 20)}")


def _write_all(texts: Iterator[str]) -> None:
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
