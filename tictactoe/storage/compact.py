"""Compact copies of a solution, with probabilities of few bits and without regrets."""

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
from ..match.head_to_head import values_of_pair
from ..match.scores import Score, following_scores, outcome_values, pairs_in_solve_order
from ..run_control import DEFAULT_CONTROL, RunControl
from .snapshot import Snapshot
from .solution import CONVERGED_EXPLOITABILITY, Solution, SubgameResult
from .solution_writer import SolutionWriter

FINEST_BITS = 52
"""The most bits, with which probabilities of polished solutions are not rounded at all."""

STRATEGY_CHOICES = ("average", "current", "better")

CompactReporter = Callable[[int, int], None]
"""A function called after each score with the number of finished scores and the number of all scores."""


@dataclass(frozen=True, kw_only=True)
class CompactOptions:
    """The form of a compact copy. Raises ValueError for a value that is unknown or out of range.

    >>> from tictactoe import CompactOptions
    >>> CompactOptions(smallest=0.001, bits=16).strategy
    'average'
    """

    smallest: float
    """The smallest probability to keep. Smaller ones become 0."""
    bits: int
    """The bits of probabilities, which are rounded to multiples of 2^-bits."""
    strategy: str = "average"
    """"average", "current", or "better", which takes the less exploitable of the two at each score."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "smallest", finite_number("smallest", self.smallest, 0.0, 0.1))
        object.__setattr__(self, "bits", whole_number("bits", self.bits, 8, FINEST_BITS))
        if self.strategy not in STRATEGY_CHOICES:
            raise ValueError(f"strategy: {self.strategy!r} is not one of {', '.join(STRATEGY_CHOICES)}")

    @property
    def rounds_nothing(self) -> bool:
        """Whether polished strategies stay the same."""
        return self.smallest == 0.0 and self.bits == FINEST_BITS

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
    """Write a compact copy of `solution` into `directory` and return the size of its files in bytes.

    The copy has the last snapshot of every score, with a rounded strategy that is judged again, and without regrets.

    keep: scores whose earlier snapshots are copied unchanged.
    control: RESTART replaces a solution in `directory` when the copy is complete.

    Raises StoreError if the directory cannot be used or nothing can be copied, FormatError for a damaged snapshot,
    EndlessMatchError if a match with the rounded strategies never ends, OSError if a file cannot be written, and
    Interrupted for a stopped run. An error leaves `directory` unchanged.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from tictactoe import CompactOptions, load_solution, open_saved
    >>> options = CompactOptions(smallest=0.0, bits=20)
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     size = compact_solution(open_saved("match_to_1").solution, Path(directory), options)
    ...     size < 300_000, load_solution(directory).exploitability[Score(0, 0)] < 1e-5
    (True, True)
    """
    tree, scores = solution.tree, solution.whole_scores
    if not scores:
        raise StoreError(f"{solution.directory}: no score has been solved yet")
    for score in keep:
        if score not in scores:
            raise StoreError(f"{solution.directory}: has no score {score} to keep snapshots of")
    saved = {**_kept(solution.options, options), **options.as_dict()}
    with SolutionWriter(
        directory, tree, solution.winning_score, saved, existing=control.existing, record_last=True
    ) as writer:
        results: list[SubgameResult] = []
        values: dict[Score, float] = {}
        done = 0
        for pair in pairs_in_solve_order(solution.winning_score):
            control.check_stop("nothing was written")
            rounded = {score: _rounded(solution, score, options) for score in pair if score in scores}
            later = following_scores(pair, solution.winning_score)
            if rounded.keys() == set(pair) and all(score in values for score in later):
                following = {score: values[score] for score in later}
                averages = {score: snapshot.average_strategy(tree) for score, snapshot in rounded.items()}
                values |= values_of_pair(tree, pair, averages, following, solution.winning_score)
            for score, snapshot in rounded.items():
                if score in solution.results:  # others stay unjudged
                    snapshot, result = _judged(solution, score, snapshot, values)
                    results.append(result)
                writer.save_snapshot(snapshot, compression=9)
                if score in keep:
                    writer.copy_earlier(solution, score)
                done += 1
                if control.reporter:
                    control.reporter(done, len(scores))
        writer.record(results)
    return sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())


def _judged(
    solution: Solution, score: Score, snapshot: Snapshot, values: Mapping[Score, float]
) -> tuple[Snapshot, SubgameResult]:
    result = solution.results[score]
    if score in values:
        worth = outcome_values(score, values, solution.winning_score)
        following = {later: values[later] for later in result.following}
        snapshot = replace(snapshot, outcome_values=worth, value=values[score])
        result = replace(result, value=snapshot.value, following=following)
    game = tic_tac_toe_round(solution.tree, snapshot.round_values)
    left = exploitability(game, snapshot.average_strategy(solution.tree)).total
    target = solution.options.get("maximum_subgame_exploitability")
    allowed = max(target if isinstance(target, float) else CONVERGED_EXPLOITABILITY, result.exploitability)
    result = replace(result, exploitability=left, converged=result.converged and left <= allowed)
    return replace(snapshot, exploitability=left), result


def _rounded(solution: Solution, score: Score, chosen: CompactOptions) -> Snapshot:
    snapshot = solution.snapshot(score, None if score in solution.results else max(solution.iterations(score)))
    tree, smallest, bits, strategy = solution.tree, chosen.smallest, chosen.bits, chosen.strategy
    saved = {"average": snapshot.average_strategy(tree), "current": snapshot.current_strategy}
    if strategy == "better":
        game = tic_tac_toe_round(tree, snapshot.round_values)
        strategy = min(saved, key=lambda name: exploitability(game, saved[name]).total)
    compact = replace(
        snapshot.without_regrets(),
        beliefs=snapshot.beliefs if chosen.rounds_nothing else None,
        options={**_kept(snapshot.options, chosen), **replace(chosen, strategy=strategy).as_dict()},
        strategy_sums=rounded_strategy(tree, saved[strategy], smallest, bits),
        current_strategy=rounded_strategy(tree, snapshot.current_strategy, smallest, bits),
    )
    compact.strategy_sums[0] = 0.0
    return compact


def _kept(options: Mapping[str, Any], chosen: CompactOptions) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name != "refined" or chosen.rounds_nothing}
