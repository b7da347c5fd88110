"""A solution made of strategies that another program computed.

The solution holds one snapshot per score. A score also has a value, that of both players using the strategies for ever,
unless a round at this score can lead to a missing score. A snapshot's current strategy and its strategy sums are the
strategy exactly as it was read. The average strategy, sums divided by their totals, is equal up to rounding.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from ..algorithms.arrays import FloatArray
from ..algorithms.best_response import exploitability
from ..errors import FormatError
from ..games.goals import OutcomeValues
from ..games.payoffs import tic_tac_toe_round
from ..games.rules import Rules
from ..games.tic_tac_toe_tree import GameTree
from ..match.head_to_head import match_self_play_values
from ..match.scores import Score, following_scores, missing_scores, outcome_values, pair_of
from ..run_control import DEFAULT_CONTROL, RunControl
from .rust_files import find_published, read_published
from .snapshot import Snapshot
from .solution import CONVERGED_EXPLOITABILITY, Solution, SubgameResult
from .solution_writer import SolutionWriter, check_output, checked_winning_score
from .strategy_tables import StrategyTable, format_of_name, read_table, rules_of_table


class ImportedStrategy(NamedTuple):
    """A strategy that another program computed."""

    iteration: int
    """From the name of its file; 0 when the name has none."""
    strategy: FloatArray
    """float64 (num_nodes, 3): probability of the move into the node, by the mover's goal; 1 at the root."""


class ImportedSolution(NamedTuple):
    """A solution that was made of other programs' strategies."""

    solution: Solution
    scores: Collection[Score]
    """The scores that have a strategy."""

    def without_value(self) -> dict[Score, list[Score]]:
        """The imported scores without a value, each with the missing scores that are the reason."""
        scores = [score for score in sorted(self.scores, reverse=True) if score not in self.solution.results]
        return {score: missing_scores(score, self.scores, self.solution.winning_score) for score in scores}


def import_solution(
    source: Path,
    directory: Path,
    winning_score: int | None = None,
    *,
    rules: Rules | None = None,
    control: RunControl[Any] = DEFAULT_CONTROL,
) -> ImportedSolution:
    """Make a solution in `directory` from `source`: a directory of published strategies, or an exported table.

    source: may also be a directory that holds one table.
    winning_score: None for the table's, or 5 for published strategies.
    rules: None for the table's. Published strategies have the default rules.

    Raises the errors of `save_solution`, and FormatError when `source` cannot be used, or has other rules or another
    winning score.
    """
    if not source.exists():
        raise FormatError(source, "no such file or directory")
    check_output(directory, control.existing)
    points, origin = winning_score or 5, "published program"
    published = find_published(source, points) if source.is_dir() else {}
    imported: dict[Score, ImportedStrategy] = {}
    tree = GameTree.build()
    if published:
        _check_rules(source, tree.rules, rules)
        for score, (iteration, path) in published.items():
            control.check_stop("nothing was written")
            imported[score] = ImportedStrategy(iteration, read_published(path, tree))
    else:
        origin, path = "export", _table_in(source)
        tree = GameTree.build(rules_of_table(path))
        _check_rules(path, tree.rules, rules)
        for points, score, strategy in read_table(path, StrategyTable(tree)):
            control.check_stop("nothing was written")
            if winning_score not in (None, points):
                raise FormatError(path, f"of a match to {points}, not to {winning_score}")
            imported[score] = ImportedStrategy(0, strategy)
    try:
        solution = save_solution(directory, tree, imported, points, origin, control=control)
    except ValueError as error:
        raise FormatError(source, str(error)) from error
    return ImportedSolution(solution, imported.keys())


def _check_rules(path: Path, found: Rules, wanted: Rules | None) -> None:
    if wanted not in (None, found):
        raise FormatError(path, f"strategies by the rules {str(found)!r}, not {str(wanted)!r}")


def _table_in(source: Path) -> Path:
    """The path of the table: `source` itself, or the only table in the directory `source`."""
    if not source.is_dir():
        return source
    files = (path for path in sorted(source.iterdir()) if path.is_file() and not path.is_symlink())
    tables = [path for path in files if format_of_name(path)]
    if len(tables) == 1:
        return tables[0]
    what = "nothing to import: no subgame_A_B/strategy_N.bincode and no table (.csv or .jsonl, perhaps .gz)"
    if tables:
        what = f"several tables: {', '.join(path.name for path in tables[:5])}; name one of them"
    raise FormatError(source, what)


def save_solution(
    directory: Path,
    tree: GameTree,
    imported: Mapping[Score, ImportedStrategy],
    winning_score: int,
    source: str,
    *,
    control: RunControl[Any] = DEFAULT_CONTROL,
) -> Solution:
    """Make a solution from strategies in `directory`, which must be new or empty; RESTART replaces a solution there.

    source: where the strategies come from, for the options of the solution.

    Raises StoreError for another directory, ValueError for a winning score above 100 or an endless match, OSError when
    a file cannot be written, and Interrupted for a stopped run. After an error no part of the new solution is left.

    >>> import tempfile
    >>> from tictactoe import uniform_strategy
    >>> tree, score = GameTree.build(), Score(0, 0)
    >>> uniform = {score: ImportedStrategy(0, uniform_strategy(tree))}
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     print(f"{save_solution(Path(directory), tree, uniform, 1, 'nobody').exploitability[score]:.4f}")
    1.0347
    """
    winning_score = checked_winning_score(winning_score)
    options = {"imported_from": source, "winning_score": winning_score}
    averages = {score: _snapshot(score, item, tree, options).average_strategy(tree) for score, item in imported.items()}
    values = match_self_play_values(tree, averages, winning_score)
    with SolutionWriter(directory, tree, winning_score, options, existing=control.existing, record_last=True) as writer:
        results = []
        for score, item in imported.items():
            control.check_stop("nothing was written")
            snapshot = _snapshot(score, item, tree, options)
            if score in values:
                played_for = outcome_values(score, values, winning_score)
                nash_conv = exploitability(tic_tac_toe_round(tree, played_for), averages[score]).total
                following = {later: values[later] for later in following_scores(pair_of(score), winning_score)}
                value, converged = values[score], nash_conv <= CONVERGED_EXPLOITABILITY
                results.append(SubgameResult(score, value, nash_conv, item.iteration, converged, following))
                known = {**options, "values_known": True}
                snapshot = replace(
                    snapshot, outcome_values=played_for, value=value, exploitability=nash_conv, options=known
                )
            writer.save_snapshot(snapshot)
        writer.record(results)
    return writer.solution()


def _snapshot(score: Score, item: ImportedStrategy, tree: GameTree, options: dict[str, Any]) -> Snapshot:
    """The snapshot of a strategy before its value is known: outcome values, value and exploitability are 0."""
    return Snapshot.of_strategy(
        tree,
        item.strategy,
        score=score,
        winning_score=options["winning_score"],
        iteration=item.iteration,
        outcome_values=OutcomeValues(0.0, 0.0, 0.0, 0.0),
        options={**options, "values_known": False},
        exploitability=0.0,
        value=0.0,
    )
