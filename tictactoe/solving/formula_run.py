"""The writing of a match's solution from closed forms."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ..algorithms.best_response import exploitability
from ..checked_numbers import whole_number
from ..formulas.answer_tables import strategy_of_form
from ..formulas.match_values import formula_table
from ..games.payoffs import tic_tac_toe_round
from ..games.rules import DEFAULT_RULES, Rules
from ..games.tic_tac_toe_tree import GameTree
from ..match.scores import Pair, Score, all_scores, following_scores, outcome_values, pairs_in_solve_order
from ..run_control import DEFAULT_CONTROL, RunControl
from ..storage.snapshot import Snapshot
from ..storage.solution import Solution, SubgameResult
from ..storage.solution_writer import SolutionWriter, checked_winning_score
from .polish import EXACT_EXPLOITABILITY, SNAPSHOT_COMPRESSION

FormulaReporter = Callable[[int, int, float], None]
"""A function called after every pair of scores with the numbers of finished pairs and of all pairs, and the largest
exploitability so far, in match value."""


def solve_by_formula(
    directory: Path,
    winning_score: int = 5,
    rules: Rules | str = DEFAULT_RULES,
    *,
    control: RunControl[FormulaReporter] = DEFAULT_CONTROL,
) -> Solution:
    """Write the match to `winning_score` from the closed forms of docs/closed-forms.md into `directory`.

    control: its workers are threads. A stopped run leaves the directory unchanged.

    Raises ValueError for a winning score out of range, NoFormulaError if no closed form is known, StoreError for an
    unusable directory, and OSError if writing fails.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from tictactoe import Score, solve_by_formula
    >>> with TemporaryDirectory() as directory:
    ...     solution = solve_by_formula(Path(directory, "new"), 2)
    >>> print(f"{solution.value[Score(1, 0)]:.12f}", max(solution.exploitability.values()) < 1e-14)
    0.654312197083 True
    """
    winning_score, threads = checked_winning_score(winning_score), whole_number("workers", control.workers, 1)
    table, tree, options = formula_table(winning_score, rules), GameTree.build(rules), {"made_by": "solve-by-formula"}
    found = table.values()
    values = {score: float(found[score]) for score in all_scores(winning_score)}

    def snapshot(score: Score) -> Snapshot:
        form = table.form_at(score)
        strategy = strategy_of_form(tree, form, table.plan_chances(score) if form.three_plans else (1.0, 0.0, 0.0))
        worth = outcome_values(score, values, winning_score)
        return Snapshot.of_strategy(
            tree,
            strategy,
            score=score,
            winning_score=winning_score,
            outcome_values=worth,
            options=options,
            exploitability=exploitability(tic_tac_toe_round(tree, worth), strategy).total,
            value=values[score],
        )

    def write(pair: Pair) -> list[SubgameResult]:
        following = {score: values[score] for score in following_scores(pair, winning_score)}
        results = []
        for score in pair:
            control.check_stop("nothing was written")
            made = snapshot(score)
            writer.save_snapshot(made, compression=SNAPSHOT_COMPRESSION, single_precision=True)
            gained = made.exploitability
            results.append(SubgameResult(score, made.value, gained, 0, gained <= EXACT_EXPLOITABILITY, following))
        return results

    pairs, results, most = pairs_in_solve_order(winning_score), list[SubgameResult](), 0.0
    with (
        SolutionWriter(directory, tree, winning_score, options, existing=control.existing, record_last=True) as writer,
        ThreadPoolExecutor(threads) as pool,
    ):
        for done, written in enumerate(pool.map(write, pairs), 1):
            results += written
            most = max(most, *(result.exploitability for result in written))
            if control.reporter:
                control.reporter(done, len(pairs), most)
        writer.record(results)
    return writer.solution()
