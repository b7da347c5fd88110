"""Making a solution small enough to send around: fewer digits, and no regrets but where they are asked for."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from .directory import DirectoryLock, check_no_leftovers, is_solution_part, remove_solution
from .game import FloatArray, tic_tac_toe_round
from .match import Score
from .response import exploitability
from .snapshot import Snapshot, snapshot_name, subgame_name
from .solution import Solution, write_record
from .tree import GameTree

STRATEGIES = ("average", "current", "better")


def compact_solution(
    solution: Solution, directory: Path, *, smallest: float, bits: int, keep: Collection[Score] = (),
    strategy: str = "average", restart: bool = False,
) -> None:  # fmt: skip
    """Write a compact copy of `solution` into `directory`.

    strategy: "average" or "current", or "better": at every score the one of them that is less exploitable there.
    smallest: probabilities below it become 0. bits: the others are rounded to multiples of 2^-bits. Of every score
    the last snapshot is kept, with rounded strategies and without regrets, and its exploitability is measured again;
    the scores in `keep` keep all their earlier snapshots, as they are. What is left can be played, explored and
    judged, but not solved further. Raises StoreError when the directory cannot be used, FormatError for a damaged
    snapshot, OSError when something cannot be written.
    """
    if strategy not in STRATEGIES:
        raise ValueError(f"strategy: {strategy!r} is not one of {', '.join(STRATEGIES)}")
    lock = DirectoryLock()
    if directory.is_dir():
        check_no_leftovers(directory, is_solution_part, restart, "a solution")
    lock.acquire(directory)
    try:
        remove_solution(directory)
        results = {}
        for score, result in solution.results.items():
            target = directory / subgame_name(score)
            target.mkdir(exist_ok=True)
            snapshot = _compact(solution, solution.snapshot(score), smallest, bits, strategy)
            results[score] = replace(result, exploitability=snapshot.exploitability)
            snapshot.save(target / snapshot_name(snapshot.iteration), compression=9)
            for iteration in solution.iterations(score) if score in keep else ():
                if iteration != snapshot.iteration:
                    earlier = solution.snapshot(score, iteration)
                    earlier.save(target / snapshot_name(iteration), compression=9)
        options = {**solution.options, **_options(smallest, bits, strategy)}
        write_record(
            Solution(
                directory, solution.winning_score, options, solution.end_rule, solution.tree_fingerprint, results
            )
        )
    finally:
        lock.release()


def _options(smallest: float, bits: int, strategy: str) -> dict[str, Any]:
    return {"compact_smallest": smallest, "compact_bits": bits, "compact_strategy": strategy}


def _compact(solution: Solution, snapshot: Snapshot, smallest: float, bits: int, strategy: str) -> Snapshot:
    tree = solution.tree
    game = tic_tac_toe_round(tree, snapshot.outcome_values)
    saved = {"average": snapshot.average_strategy(tree), "current": snapshot.current_strategy}
    if strategy == "better":
        strategy = min(saved, key=lambda name: exploitability(game, saved[name]).total)
    compact = replace(
        snapshot,
        options={**snapshot.options, **_options(smallest, bits, strategy)},
        regrets=np.zeros_like(snapshot.regrets),
        strategy_sums=rounded(tree, saved[strategy], smallest, bits),
        current_strategy=rounded(tree, snapshot.current_strategy, smallest, bits),
        settled=np.zeros_like(snapshot.settled),
    )
    compact.strategy_sums[0] = 0.0
    return replace(compact, exploitability=exploitability(game, compact.average_strategy(tree)).total)


def rounded(tree: GameTree, strategy: FloatArray, smallest: float, bits: int) -> FloatArray:
    """float64 (num_nodes, 3): multiples of 2^-bits that sum to exactly 1, without small probabilities.

    What rounding leaves over goes to the likeliest move.
    """
    starts, counts = tree.first_child[tree.decision_nodes] - 1, tree.num_children[tree.decision_nodes]
    weights = np.where(strategy < smallest, 0.0, strategy)[1:]
    weights /= np.repeat(np.add.reduceat(weights, starts, axis=0), counts, axis=0)
    rounded = np.round(weights * 2.0**bits)
    left = np.repeat(2.0**bits - np.add.reduceat(rounded, starts, axis=0), counts, axis=0)
    likeliest = rounded == np.repeat(np.maximum.reduceat(rounded, starts, axis=0), counts, axis=0)
    earlier = np.cumsum(likeliest, axis=0) - likeliest
    first = likeliest & (earlier == np.repeat(earlier[starts], counts, axis=0))
    result = np.ones_like(strategy)
    result[1:] = (rounded + left * first) / 2.0**bits
    return result
