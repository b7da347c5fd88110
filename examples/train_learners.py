"""The opponents that are still learning: python examples/train_learners.py OUTPUT_DIR [RULES]

Writes learner-1, learner-10 and learner-100 into OUTPUT_DIR: what plain CFR plays after so many iterations on one round
on its own, by these rules, in which a point more than the opponent is worth 1. Takes some seconds. solutions/learners
has them by three-in-a-row, the default, and solutions/filled/learners by filled.

It differs from `solve-multiround --one-round --algorithm cfr` in two things. That one averages all strategies that it
has played, and begins with every move of the tree equally likely: after one iteration the average is still the
beginning, and nothing can be seen of what was learnt. A learner plays the average of the strategies that came out of
its N iterations, without the one that it began with. And moves that are worth exactly the same, of which there are many
in the first iterations, have a regret of exactly 0 here, where rounding leaves some 1e-17 that would decide between
them: so machines that round differently train the same learners."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from tictactoe import (
    SINGLE_ROUND,
    CFRSolver,
    FloatArray,
    GameOptions,
    GameTree,
    Rules,
    Snapshot,
    exploitability,
    rounded_strategy,
    snapshot_name,
    tic_tac_toe_round,
    update_rule,
)

ITERATIONS = (1, 10, 100)
BITS = 20
"""Probabilities are rounded to multiples of 2^-BITS."""
TIE = 1e-12
"""Smaller regrets count as 0."""


def learner(tree: GameTree, iterations: int) -> Snapshot:
    """The state after so many iterations, without regrets. Its average strategy, rounded, is the learner's."""
    game, rule = tic_tac_toe_round(tree, SINGLE_ROUND), update_rule("cfr")
    solver = CFRSolver(game, rule, alternate_updates=False)
    sums = np.zeros((tree.num_nodes, 3))
    for _ in range(iterations):
        for player in (0, 1):
            _update(tree, solver, player)
        reach = tree.own_reach(solver.state().current_strategy)
        sums += np.where((tree.mover == 1)[:, None], reach[1], reach[0])
    average = rounded_strategy(tree, _in_proportion(tree, sums), 0.0, BITS)
    current = rounded_strategy(tree, solver.state().current_strategy, 0.0, BITS)
    found = exploitability(game, average)
    average[0] = 0.0
    options = GameOptions(iterations=iterations, algorithm=rule, snapshot_at=()).as_dict()
    return Snapshot(
        score=None,
        winning_score=None,
        iteration=iterations,
        started_at=0,
        outcome_values=SINGLE_ROUND,
        options={**options, "averages_from": 2, "compact_bits": BITS},
        rules=str(tree.rules),
        tree_fingerprint=tree.fingerprint,
        regrets=np.zeros_like(sums),
        strategy_sums=average,
        current_strategy=current,
        skippable=np.zeros((2, tree.num_decision_nodes), np.int8),
        exploitability=found.total,
        value=found.value,
        convergence=np.empty((0, 4)),
    )


def _update(tree: GameTree, solver: CFRSolver, player: int) -> None:
    """One sweep in which only `player` learns."""
    before = solver.state()
    solver.run(1)
    learns = (tree.mover == player)[:, None]
    regrets = np.where(learns, solver.state().regrets, before.regrets)
    regrets[np.abs(regrets) < TIE] = 0.0
    strategy = _in_proportion(tree, np.maximum(regrets, 0.0))
    skippable = np.zeros_like(before.skippable)  # look at every position
    solver.set_state(replace(before, regrets=regrets, current_strategy=strategy, skippable=skippable))


def _in_proportion(tree: GameTree, weights: FloatArray) -> FloatArray:
    """float64 (num_nodes, 3): weights of moves as probabilities. If all weights are 0, the moves are equally likely."""
    totals = tree.sums_over_children(weights)
    none = totals == 0.0
    alike = none / tree.num_children[tree.decision_nodes, None]
    result = np.ones_like(weights)
    result[1:] = weights[1:] / tree.at_children(np.where(none, 1.0, totals))[1:] + tree.at_children(alike)[1:]
    return result


def main() -> None:
    """Train and write all learners."""
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    tree = GameTree.build(Rules.parse(sys.argv[2]) if len(sys.argv) == 3 else Rules())
    for iterations in ITERATIONS:
        directory = Path(sys.argv[1], f"learner-{iterations}")
        directory.mkdir(parents=True, exist_ok=True)
        path = directory / snapshot_name(iterations)
        learner(tree, iterations).save(path, compression=9, single_precision=True)
        print(f"{path}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
