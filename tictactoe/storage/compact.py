"""Making a solution small enough to send around: fewer digits, and no regrets but where they are asked for."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..algorithms.best_response import exploitability
from ..algorithms.strategy import rounded_strategy
from ..games.tic_tac_toe import tic_tac_toe_round
from ..games.tic_tac_toe_tree import GameTree
from ..match.scores import Score
from .snapshot import Snapshot
from .solution import Solution
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
) -> int:
    """Write a compact copy of `solution` into `directory`; the bytes of all that the directory holds then.

    strategy: "average" or "current", or "better": at every score the one of them that is less exploitable there.
    smallest: probabilities below it become 0. bits: the others are rounded to multiples of 2^-bits. Of every score
    the last snapshot is kept, with rounded strategies and without regrets, and its exploitability is measured again;
    the scores in `keep` keep all their earlier snapshots, as they are. What is left can be played, explored and
    judged, but not solved further. Raises StoreError when the directory cannot be used, FormatError for a damaged
    snapshot, OSError when something cannot be written.

    >>> import tempfile
    >>> from tictactoe import load_solution, open_saved
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     size = compact_solution(open_saved("match_to_1").solution, Path(directory), smallest=0.0, bits=20)
    ...     size < 300_000, load_solution(directory).exploitability[Score(0, 0)] < 1e-5
    (True, True)
    """
    if strategy not in STRATEGIES:
        raise ValueError(f"strategy: {strategy!r} is not one of {', '.join(STRATEGIES)}")
    tree, how = solution.tree, {"compact_smallest": smallest, "compact_bits": bits, "compact_strategy": strategy}
    options = {**solution.options, **how}
    with SolutionWriter(directory, tree, solution.winning_score, options, restart=restart, record_last=True) as writer:
        results = []
        for score, result in solution.results.items():
            snapshot = _compact(tree, solution.snapshot(score), how)
            results.append(replace(result, exploitability=snapshot.exploitability))
            writer.save_snapshot(snapshot, compression=9)
            if score in keep:
                writer.copy_earlier(solution, score)
        writer.record(results)
    return sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())


def _compact(tree: GameTree, snapshot: Snapshot, how: dict[str, Any]) -> Snapshot:
    """how: the options that a compact snapshot has beside those of the one that it is made from."""
    smallest, bits, strategy = how.values()
    game = tic_tac_toe_round(tree, snapshot.outcome_values)
    saved = {"average": snapshot.average_strategy(tree), "current": snapshot.current_strategy}
    if strategy == "better":
        strategy = min(saved, key=lambda name: exploitability(game, saved[name]).total)
    compact = replace(
        snapshot.without_regrets(),
        options={**snapshot.options, **how, "compact_strategy": strategy},
        strategy_sums=rounded_strategy(tree, saved[strategy], smallest, bits),
        current_strategy=rounded_strategy(tree, snapshot.current_strategy, smallest, bits),
    )
    compact.strategy_sums[0] = 0.0
    return replace(compact, exploitability=exploitability(game, compact.average_strategy(tree)).total)
