"""Compact copies of a solution, small enough to send around: probabilities of few bits, and no regrets."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..algorithms.best_response import exploitability
from ..algorithms.strategy import rounded_strategy
from ..checked_numbers import finite_number, whole_number
from ..errors import StoreError
from ..games.payoffs import tic_tac_toe_round
from ..games.tic_tac_toe_tree import GameTree
from ..match.head_to_head import values_of_pair
from ..match.scores import Pair, Score, following_scores, outcome_values, pairs_in_solve_order
from ..run_control import DEFAULT_CONTROL, RunControl
from .snapshot import Snapshot
from .solution import CONVERGED_EXPLOITABILITY, Solution, SubgameResult
from .solution_writer import SolutionWriter

FINEST_BITS = 52
"""The most bits, with which the probabilities of polished solutions are not rounded at all."""

STRATEGY_CHOICES = ("average", "current", "better")

CompactReporter = Callable[[int, int], None]
"""Called after each score with the number of scores done and the number of all scores."""


@dataclass(frozen=True, kw_only=True)
class CompactOptions:
    """The form of a compact copy. Raises ValueError for a value that is unknown or out of range.

    >>> from tictactoe import CompactOptions
    >>> CompactOptions(smallest=0.001, bits=16).strategy
    'average'
    """

    smallest: float
    """The smallest probability to keep; smaller ones become 0."""
    bits: int
    """Probabilities are rounded to multiples of 2^-bits."""
    strategy: str = "average"
    """"average", "current", or "better", which takes the less exploitable of the two at each score."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "smallest", finite_number("smallest", self.smallest, 0.0, 0.1))
        object.__setattr__(self, "bits", whole_number("bits", self.bits, 8, FINEST_BITS))
        if self.strategy not in STRATEGY_CHOICES:
            raise ValueError(f"strategy: {self.strategy!r} is not one of {', '.join(STRATEGY_CHOICES)}")

    def as_dict(self) -> dict[str, Any]:
        """The options that a compact solution adds to those of the original."""
        return {f"compact_{name}": value for name, value in vars(self).items()}


def compact_solution(
    solution: Solution,
    directory: Path,
    options: CompactOptions,
    *,
    keep: Collection[Score] = (),
    control: RunControl[CompactReporter] = DEFAULT_CONTROL,
) -> int:
    """Write a compact copy of `solution` into `directory`; return the size of all files there in bytes.

    The copy holds the last snapshot of every score, with rounded strategies and without regrets. A score's value is
    that of both players using the rounded strategies for ever. Its exploitability is measured again, and it counts as
    converged only if it is still within the target. The copy can be played, explored and judged, but not solved
    further.

    keep: scores whose earlier snapshots are copied, too, unchanged.
    control: RESTART replaces a solution in `directory`, once the copy is complete. One thread does the work.

    Raises StoreError when the directory cannot be used or `solution` has no strategy to copy, FormatError for a damaged
    snapshot, EndlessMatchError when a match with the rounded strategies never ends, OSError when a file cannot be
    written, and Interrupted for a stopped run. After an error `directory` holds what it held before.

    >>> import tempfile
    >>> from tictactoe import CompactOptions, load_solution, open_saved
    >>> options = CompactOptions(smallest=0.0, bits=20)
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     size = compact_solution(open_saved("match_to_1").solution, Path(directory), options)
    ...     size < 300_000, load_solution(directory).exploitability[Score(0, 0)] < 1e-5
    (True, True)
    """
    tree, scores = solution.tree, solution.whole_scores
    if not scores:
        raise StoreError(f"{solution.directory}: no score is solved yet")
    for score in keep:
        if score not in scores:
            raise StoreError(f"{solution.directory}: has no score {score} to keep snapshots of")
    saved = {**_kept(solution.options, options), **options.as_dict()}
    with SolutionWriter(
        directory, tree, solution.winning_score, saved, existing=control.existing, record_last=True
    ) as writer:
        copy, done = _Copy(solution, options), 0
        for pair in pairs_in_solve_order(solution.winning_score):
            control.check_stop("nothing was written")
            for score, snapshot in copy.snapshots([score for score in pair if score in scores], pair).items():
                writer.save_snapshot(snapshot, compression=9)
                if score in keep:
                    writer.copy_earlier(solution, score)
                done += 1
                if control.reporter:
                    control.reporter(done, len(scores))
        writer.record(copy.results)
    return sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())


class _Copy:
    """Compacts snapshots pair by pair, in solving order: the values of a pair depend on those of the pairs before."""

    def __init__(self, solution: Solution, options: CompactOptions) -> None:
        self._solution = solution
        self._options = options
        self._values: dict[Score, float] = {}
        self.results: list[SubgameResult] = []
        """The new results, of scores that have a result in the original."""

    def snapshots(self, scores: Collection[Score], pair: Pair) -> dict[Score, Snapshot]:
        """The compact snapshots of `scores`: those scores of the pair that the original holds."""
        solution, tree = self._solution, self._solution.tree
        rounded = {score: _rounded(tree, self._saved(score), self._options) for score in scores}
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
        game = tic_tac_toe_round(tree, snapshot.round_values)
        left = exploitability(game, snapshot.average_strategy(tree)).total
        target = self._solution.options.get("maximum_subgame_exploitability")
        allowed = max(target if isinstance(target, float) else CONVERGED_EXPLOITABILITY, result.exploitability)
        self.results.append(replace(result, exploitability=left, converged=result.converged and left <= allowed))
        return replace(snapshot, exploitability=left)


def _rounded(tree: GameTree, snapshot: Snapshot, chosen: CompactOptions) -> Snapshot:
    """The compact snapshot."""
    smallest, bits, strategy = chosen.smallest, chosen.bits, chosen.strategy
    saved = {"average": snapshot.average_strategy(tree), "current": snapshot.current_strategy}
    if strategy == "better":
        game = tic_tac_toe_round(tree, snapshot.round_values)
        strategy = min(saved, key=lambda name: exploitability(game, saved[name]).total)
    compact = replace(
        snapshot.without_regrets(),
        beliefs=snapshot.beliefs if _rounds_nothing(chosen) else None,
        options={**_kept(snapshot.options, chosen), **replace(chosen, strategy=strategy).as_dict()},
        strategy_sums=rounded_strategy(tree, saved[strategy], smallest, bits),
        current_strategy=rounded_strategy(tree, snapshot.current_strategy, smallest, bits),
    )
    compact.strategy_sums[0] = 0.0
    return compact


def _kept(options: Mapping[str, Any], chosen: CompactOptions) -> dict[str, Any]:
    """The options without those that a rounded strategy does not keep."""
    return {name: value for name, value in options.items() if name != "refined" or _rounds_nothing(chosen)}


def _rounds_nothing(chosen: CompactOptions) -> bool:
    """Whether the copy of a polished solution has the same strategies."""
    return chosen.smallest == 0.0 and chosen.bits == FINEST_BITS
