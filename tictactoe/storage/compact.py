"""Compact copies of a solution, small enough to send around: probabilities of few bits, and no regrets."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

from ..algorithms.best_response import exploitability
from ..algorithms.strategy import rounded_strategy
from ..checked_numbers import finite_number, whole_number
from ..errors import Interrupted, StoreError
from ..games.tic_tac_toe import tic_tac_toe_round
from ..games.tic_tac_toe_tree import GameTree
from ..match.head_to_head import values_of_pair
from ..match.scores import Pair, Score, following_scores, outcome_values, pairs_in_solve_order
from .snapshot import Snapshot
from .solution import CONVERGED_EXPLOITABILITY, Solution, SubgameResult
from .solution_writer import SolutionWriter

STRATEGY_CHOICES = ("average", "current", "better")


def compact_solution(
    solution: Solution,
    directory: Path,
    *,
    smallest: float,
    bits: int,
    keep: Collection[Score] = (),
    strategy: str = "average",
    restart: bool = False,
    stop: Event | None = None,
    told: Callable[[int, int], None] | None = None,
) -> int:
    """Write a compact copy of `solution` into `directory`; return the size of all files there in bytes.

    The copy holds the last snapshot of every score, with rounded strategies and without regrets. A score's value is
    that of both players using the rounded strategies for ever. Its exploitability is measured again, and it counts as
    converged only if it is still within the target. The copy can be played, explored and judged, but not solved
    further.

    smallest: the smallest probability to keep; smaller ones become 0.
    bits: probabilities are rounded to multiples of 2^-bits.
    keep: scores whose earlier snapshots are copied, too, unchanged.
    strategy: "average", "current", or "better", which takes the less exploitable of the two at each score.
    restart: replace a solution in `directory`, once the copy is complete.
    told: called after each score with the number of scores done and the number of all scores.

    Raises StoreError when the directory cannot be used or `solution` has no strategy to copy, FormatError for a damaged
    snapshot, EndlessMatchError when a match with the rounded strategies never ends, OSError when a file cannot be
    written, and Interrupted when `stop` is set. After an error `directory` holds what it held before.

    >>> import tempfile
    >>> from tictactoe import load_solution, open_saved
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     size = compact_solution(open_saved("match_to_1").solution, Path(directory), smallest=0.0, bits=20)
    ...     size < 300_000, load_solution(directory).exploitability[Score(0, 0)] < 1e-5
    (True, True)
    """
    smallest, bits = finite_number("smallest", smallest, 0.0, 0.1), whole_number("bits", bits, 8, 52)
    if strategy not in STRATEGY_CHOICES:
        raise ValueError(f"strategy: {strategy!r} is not one of {', '.join(STRATEGY_CHOICES)}")
    tree, how = solution.tree, {"compact_smallest": smallest, "compact_bits": bits, "compact_strategy": strategy}
    options, scores = {**solution.options, **how}, solution.whole_scores
    if not scores:
        raise StoreError(f"{solution.directory}: no score is solved yet")
    for score in keep:
        if score not in scores:
            raise StoreError(f"{solution.directory}: has no score {score} to keep snapshots of")
    with SolutionWriter(directory, tree, solution.winning_score, options, restart=restart, record_last=True) as writer:
        copy, done = _Copy(solution, how), 0
        for pair in pairs_in_solve_order(solution.winning_score):
            if stop is not None and stop.is_set():
                raise Interrupted("nothing was written")
            for score, snapshot in copy.snapshots([score for score in pair if score in scores], pair).items():
                writer.save_snapshot(snapshot, compression=9)
                if score in keep:
                    writer.copy_earlier(solution, score)
                done += 1
                if told:
                    told(done, len(scores))
        writer.record(copy.results)
    return sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())


class _Copy:
    """Compacts snapshots pair by pair, in solving order: the values of a pair depend on those of the pairs before."""

    def __init__(self, solution: Solution, how: dict[str, Any]) -> None:
        self._solution = solution
        self._how = how
        self._values: dict[Score, float] = {}
        self.results: list[SubgameResult] = []
        """The new results, of scores that have a result in the original."""

    def snapshots(self, scores: Collection[Score], pair: Pair) -> dict[Score, Snapshot]:
        """The compact snapshots of `scores`: those scores of the pair that the original holds."""
        solution, tree = self._solution, self._solution.tree
        rounded = {score: _rounded(tree, self._saved(score), self._how) for score in scores}
        later = following_scores(pair, solution.winning_score)
        if set(rounded) == set(pair) and all(score in self._values for score in later):
            following = {score: self._values[score] for score in later}
            averages = {score: snapshot.average_strategy(tree) for score, snapshot in rounded.items()}
            self._values |= values_of_pair(tree, pair, averages, following, solution.winning_score)
        else:
            following = {}
        return {score: self._judged(snapshot, following) for score, snapshot in rounded.items()}

    def _saved(self, score: Score) -> Snapshot:
        iteration = None if score in self._solution.results else max(self._solution.iterations(score))
        return self._solution.snapshot(score, iteration)

    def _judged(self, snapshot: Snapshot, following: dict[Score, float]) -> Snapshot:
        """Judge a rounded strategy: append to `results`, and return the snapshot with its exploitability.

        The snapshot also gets its new value, unless later scores are missing. A score without a result stays unjudged.
        """
        score, tree = snapshot.score, self._solution.tree
        assert score is not None
        result = self._solution.results.get(score)
        if result is None:
            return snapshot
        if score in self._values:
            worth = outcome_values(score, self._values, self._solution.winning_score)
            snapshot = replace(snapshot, outcome_values=worth, value=self._values[score])
            result = replace(result, value=snapshot.value, following=following)
        game = tic_tac_toe_round(tree, snapshot.outcome_values)
        left = exploitability(game, snapshot.average_strategy(tree)).total
        target = self._solution.options.get("maximum_subgame_exploitability")
        allowed = max(target if isinstance(target, float) else CONVERGED_EXPLOITABILITY, result.exploitability)
        self.results.append(replace(result, exploitability=left, converged=result.converged and left <= allowed))
        return replace(snapshot, exploitability=left)


def _rounded(tree: GameTree, snapshot: Snapshot, how: dict[str, Any]) -> Snapshot:
    """The compact snapshot. how: the options that it adds, in order: smallest probability, bits, choice of strategy."""
    smallest, bits, strategy = how.values()
    saved = {"average": snapshot.average_strategy(tree), "current": snapshot.current_strategy}
    if strategy == "better":
        game = tic_tac_toe_round(tree, snapshot.outcome_values)
        strategy = min(saved, key=lambda name: exploitability(game, saved[name]).total)
    compact = replace(
        snapshot.without_regrets(),
        options={**snapshot.options, **how, "compact_strategy": strategy},
        strategy_sums=rounded_strategy(tree, saved[strategy], smallest, bits),
        current_strategy=rounded_strategy(tree, snapshot.current_strategy, smallest, bits),
    )
    compact.strategy_sums[0] = 0.0
    return compact
