"""Writing a match into a directory from closed forms: values by formula, strategies from tables, no learning."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ..algorithms.arrays import FloatArray
from ..algorithms.best_response import exploitability
from ..checked_numbers import whole_number
from ..formulas.form_strategies import strategy_of_form
from ..formulas.match_values import FormulaTable, formula_table
from ..games.payoffs import tic_tac_toe_round
from ..games.rules import DEFAULT_RULES, Rules
from ..games.tic_tac_toe_tree import GameTree
from ..match.scores import Pair, Score, following_scores, outcome_values, pairs_in_solve_order
from ..run_control import DEFAULT_CONTROL, RunControl
from ..storage.snapshot import Snapshot
from ..storage.solution import Solution, SubgameResult
from ..storage.solution_writer import SolutionWriter, checked_winning_score

SNAPSHOT_COMPRESSION = 6
"""zlib's level for the snapshots."""
EXACT_EXPLOITABILITY = 1e-10
"""The largest NashConv, in match value, of the round of a score that counts as converged."""

FormulaReporter = Callable[[int, int, float], None]
"""Called after every pair of scores with the number of pairs done, the number of all pairs, and the largest
exploitability so far, in match value."""


def solve_by_formula(
    directory: Path,
    winning_score: int = 5,
    rules: Rules | str = DEFAULT_RULES,
    *,
    control: RunControl[FormulaReporter] = DEFAULT_CONTROL,
) -> Solution:
    """Write the match to `winning_score` from the closed forms of docs/closed-forms.md into `directory`.

    The run measures the exploitability of every round.

    control: its workers are threads. A stopped run leaves the directory as it was.

    Raises ValueError for a winning score out of range, NoFormulaError where no closed form is known, StoreError for a
    directory that cannot be used, and OSError when a file cannot be written.

    >>> from tempfile import TemporaryDirectory
    >>> from tictactoe import Score, solve_by_formula
    >>> with TemporaryDirectory() as directory:
    ...     solution = solve_by_formula(Path(directory, "new"), 2)
    >>> print(f"{solution.value[Score(1, 0)]:.12f}", max(solution.exploitability.values()) < 1e-14)
    0.654312197083 True
    """
    winning_score, threads = checked_winning_score(winning_score), whole_number("workers", control.workers, 1)
    table = formula_table(winning_score, rules)
    run = _FormulaRun(GameTree.build(rules), table, control)
    options = {"made_by": "solve-by-formula"}
    with SolutionWriter(
        directory, run.tree, winning_score, options, existing=control.existing, record_last=True
    ) as writer:
        results: list[SubgameResult] = []
        pairs = pairs_in_solve_order(winning_score)
        with ThreadPoolExecutor(threads) as pool:
            most = 0.0
            for done, found in enumerate(pool.map(lambda pair: run.write(writer, pair), pairs), 1):
                results += found
                most = max(most, *(result.exploitability for result in found))
                if control.reporter:
                    control.reporter(done, len(pairs), most)
        writer.record(results)
    return writer.solution()


class _FormulaRun:
    """The tree, table and values of a match, from which it writes the snapshots of every score."""

    def __init__(self, tree: GameTree, table: FormulaTable, control: RunControl[FormulaReporter]) -> None:
        self.tree = tree
        self._table = table
        self._control = control
        values = table.values()
        points = range(table.winning_score)
        self._values: Mapping[Score, float] = {Score(a, b): float(values[a, b]) for a in points for b in points}

    def write(self, writer: SolutionWriter, pair: Pair) -> list[SubgameResult]:
        """Write the snapshots of a pair of scores. Raises Interrupted for a stopped run."""
        following = {score: self._values[score] for score in following_scores(pair, self._table.winning_score)}
        results = []
        for score in pair:
            self._control.check_stop("nothing was written")
            snapshot = self._snapshot(score)
            writer.save_snapshot(snapshot, compression=SNAPSHOT_COMPRESSION, single_precision=True)
            gained = snapshot.exploitability
            results.append(
                SubgameResult(score, self._values[score], gained, 0, gained <= EXACT_EXPLOITABILITY, following)
            )
        return results

    def _snapshot(self, score: Score) -> Snapshot:
        strategy = self.strategy(score)
        worth = outcome_values(score, self._values, self._table.winning_score)
        return Snapshot.of_strategy(
            self.tree,
            strategy,
            score=score,
            winning_score=self._table.winning_score,
            outcome_values=worth,
            options={"made_by": "solve-by-formula"},
            exploitability=exploitability(tic_tac_toe_round(self.tree, worth), strategy).total,
            value=self._values[score],
        )

    def strategy(self, score: Score) -> FloatArray:
        """float64 (num_nodes, 3): the strategy of both seats at a score."""
        form = self._table.form_at(score)
        chances = self._table.plan_chances(score) if form.three_plans else (1.0, 0.0, 0.0)
        return strategy_of_form(self.tree, form, chances)
