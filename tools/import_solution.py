"""import-solution: strategies of the published program, or of export-strategy, as a solution."""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from .common import EXIT_INTERRUPTED, CommandError, Count, run, stop_on_signals

if TYPE_CHECKING:
    from tictactoe.match import Score
    from tictactoe.published import ImportedStrategy
    from tictactoe.solution import Solution
    from tictactoe.tree import GameTree


@click.command(context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]})
@click.argument("source", metavar="INPUT", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), required=True, metavar="DIR",
    help="New or empty directory for the solution.",
)
@click.option(
    "--winning-score", type=Count(1, 1000), default=None, metavar="N",
    help="Points that win the match.  [default: 5, or what the export says]",
)
@click.option("--restart", is_flag=True, help="Replace a solution that the output directory holds.")
@click.option("--quiet", is_flag=True, help="No result: nothing but errors.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON on standard output.")
def command(
    source: Path, output: Path, winning_score: int | None, restart: bool, quiet: bool, as_json: bool
) -> int:  # fmt: skip
    """Make a solution of strategies that were computed elsewhere.

    INPUT is a directory of the published Rust program (subgame_A_B/strategy_N.bincode, gzipped or not; the highest N
    of every score that is there), or a table that export-strategy wrote (CSV or JSON lines, gzipped or not), or a
    directory with one. Everything is checked before anything is written.

    Values and exploitabilities are those of playing the imported strategy for ever. A score that leads to one that is
    missing has none: it can be explored and exported, and is named at the end.

    \b
    import-solution ../smbc-tictactoe-cfr/solution -o theirs/
    import-solution strategy.csv.gz -o copy/
    """
    result = _import(source, output, winning_score, restart)
    if result is None:
        print("import-solution: interrupted; nothing was written", file=sys.stderr)
        return EXIT_INTERRUPTED
    if as_json:
        print(json.dumps(_as_dict(result), indent=2))
    elif not quiet:
        _print_result(result)
    return 0


class _Result(NamedTuple):
    solution: Solution
    imported: dict[Score, ImportedStrategy]

    def without_value(self) -> dict[Score, list[Score]]:
        """The imported scores that have no value, and the missing scores that are the reason."""
        from tictactoe.published import missing_scores

        solution = self.solution
        scores = [score for score in sorted(self.imported, reverse=True) if score not in solution.results]
        return {score: missing_scores(score, self.imported, solution.winning_score) for score in scores}


def _import(source: Path, output: Path, winning_score: int | None, restart: bool) -> _Result | None:
    """None when interrupted."""
    if not source.exists():
        raise CommandError(f"{source}: no such file or directory")
    with stop_on_signals() as stop:
        from tictactoe.directory import Interrupted
        from tictactoe.published import check_output, find_published, save_solution
        from tictactoe.tree import GameTree

        check_output(output, restart=restart)
        tree = GameTree.build()
        published = find_published(source, winning_score or 5) if source.is_dir() else {}
        try:
            if published:
                origin, points = "published program", winning_score or 5
                imported = _read_published(published, tree, stop)
            else:
                origin = "export"
                points, imported = _read_table(_table_in(source), tree, winning_score, stop)
            try:
                solution = save_solution(output, tree, imported, points, origin, restart=restart, stop=stop)
            except ValueError as error:
                raise CommandError(f"{source}: {error}") from error
        except Interrupted:
            return None
        return _Result(solution, imported)


def _table_in(source: Path) -> Path:
    """The table that INPUT is, or that it holds."""
    from tictactoe.export import format_of_name

    if not source.is_dir():
        return source
    tables = [
        path for path in sorted(source.iterdir()) if format_of_name(path) and path.is_file() and not path.is_symlink()
    ]
    if not tables:
        raise CommandError(
            f"{source}: nothing to import: no subgame_A_B/strategy_N.bincode and no table (.csv or .jsonl, perhaps .gz)"
        )
    if len(tables) > 1:
        raise CommandError(f"{source}: several tables: {', '.join(path.name for path in tables[:5])}; name one of them")
    return tables[0]


def _read_published(
    published: dict[Score, tuple[int, Path]], tree: GameTree, stop: threading.Event
) -> dict[Score, ImportedStrategy]:
    from tictactoe.directory import Interrupted
    from tictactoe.published import ImportedStrategy, read_published

    result = {}
    for score, (iteration, path) in published.items():
        if stop.is_set():
            raise Interrupted
        result[score] = ImportedStrategy(iteration, read_published(path, tree))
    return result


def _read_table(
    path: Path, tree: GameTree, winning_score: int | None, stop: threading.Event
) -> tuple[int, dict[Score, ImportedStrategy]]:
    from tictactoe.directory import Interrupted
    from tictactoe.export import StrategyTable, read_table
    from tictactoe.published import ImportedStrategy

    points, result = 0, {}
    for item in read_table(path, StrategyTable(tree)):
        points = item.winning_score
        if winning_score not in (None, points):
            raise CommandError(f"{path}: of a match to {points}, but --winning-score is {winning_score}")
        if stop.is_set():
            raise Interrupted
        result[item.score] = ImportedStrategy(0, item.strategy)
    return points, result


def _as_dict(result: _Result) -> dict[str, Any]:
    from .report import percentage_points

    solution = result.solution
    return {
        "winning_score": solution.winning_score,
        "imported_from": solution.options["imported_from"],
        "subgames": [
            {
                "score": list(score),
                "value": found.value,
                "exploitability": found.exploitability,
                "exploitability_percentage_points": percentage_points(found.exploitability),
                "iterations": found.iteration,
            }
            for score, found in sorted(solution.results.items(), reverse=True)
        ],
        "without_value": [
            {"score": list(score), "missing": [list(item) for item in missing]}
            for score, missing in result.without_value().items()
        ],
    }


def _print_result(result: _Result) -> None:
    from .report import exploitability_text

    solution = result.solution
    scores = "score" if len(result.imported) == 1 else "scores"
    print(f"{len(result.imported)} {scores} of a match to {solution.winning_score} imported into {solution.directory}")
    for score, found in sorted(solution.results.items(), reverse=True):
        print(
            f"{score}: value to the first mover {found.value:+.9f}, exploitability in the round "
            f"{exploitability_text(found.exploitability)}"
        )
    for score, missing in result.without_value().items():
        shown = ", ".join(map(str, missing[:8])) + (f" and {len(missing) - 8} more" if len(missing) > 8 else "")
        print(f"{score}: imported without a value: it leads to {shown}, missing here")


def main() -> None:
    """The program."""
    run(command)
