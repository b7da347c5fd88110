"""Making a solution small enough to send around: fewer digits, and no regrets but where they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

from ..algorithms.best_response import exploitability
from ..algorithms.checked_numbers import finite_number, whole_number
from ..algorithms.strategy import rounded_strategy
from ..errors import Interrupted, StoreError
from ..games.tic_tac_toe import tic_tac_toe_round
from ..games.tic_tac_toe_tree import GameTree
from ..match.head_to_head import values_of_pair
from ..match.scores import Pair, Score, following_scores, outcome_values, pairs_in_solve_order
from .snapshot import Snapshot
from .solution import CONVERGED_EXPLOITABILITY, Solution, SubgameResult
from .solution_writer import SolutionWriter

STRATEGIES = ("average", "current", "better")


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
    """Write a compact copy of `solution` into `directory`; the bytes of all that the directory holds then.

    strategy: "average" or "current", or "better": at every score the one of them that is less exploitable there.
    smallest: probabilities below it become 0. bits: the others are rounded to multiples of 2^-bits. Of every score
    the last snapshot is kept, with rounded strategies and without regrets; its value is that of playing these for ever,
    its exploitability is measured again, and it counts as converged only if it is still within the target. The scores
    in `keep` keep all their earlier snapshots, as they are. What is left can be played, explored and judged, but not
    solved further. told: is called with how many scores are done, of how many. restart: a solution that is there is
    replaced, once the copy is whole. Raises StoreError when the directory cannot be used, or there is nothing to copy,
    FormatError for a damaged snapshot, EndlessMatchError when nobody scores any more with what is left, OSError when
    something cannot be written, and Interrupted when `stop` is set; nothing is changed then.

    >>> import tempfile
    >>> from tictactoe import load_solution, open_saved
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     size = compact_solution(open_saved("match_to_1").solution, Path(directory), smallest=0.0, bits=20)
    ...     size < 300_000, load_solution(directory).exploitability[Score(0, 0)] < 1e-5
    (True, True)
    """
    smallest, bits = finite_number("smallest", smallest, 0.0, 0.1), whole_number("bits", bits, 8, 52)
    if strategy not in STRATEGIES:
        raise ValueError(f"strategy: {strategy!r} is not one of {', '.join(STRATEGIES)}")
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
    """The scores that are copied so far, which later pairs lead to. results: of those that had one."""

    def __init__(self, solution: Solution, how: dict[str, Any]) -> None:
        self._solution = solution
        self._how = how
        self._values: dict[Score, float] = {}
        self.results: list[SubgameResult] = []

    def snapshots(self, scores: Collection[Score], pair: Pair) -> dict[Score, Snapshot]:
        """Of the scores of a pair that there are, as they are saved."""
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
        """With the value and the exploitability of the strategy as it is now, where these can be known."""
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
    """how: the options that a compact snapshot has beside those of the one that it is made from."""
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
