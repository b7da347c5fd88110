"""How fast the sweep is: python benchmarks/sweep.py [--json]

One run reports, for the single round (outcome values 0 1 -1 0):
- milliseconds per full iteration (both players, averaging included) on one core: of the first iterations, in which
  nothing can be skipped, and later, when whole subtrees are;
- node updates per second: nodes of the tree times two players, over the time of an iteration;
- the same for the plain Python of tests/oracle/naive.py, for one iteration;
- the bytes of solver state that the sweep goes through per second, beside what a plain array copy moves;
- what a check of the exploitability costs, and how long it takes to compile and to load the compiled code.
Times are the best of several blocks: the machine may be busy with other things.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from tictactoe.algorithms.cfr import CFRSolver
    from tictactoe.games.tic_tac_toe_tree import GameTree

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

ROW_BYTES = 32


def best_seconds(function: Callable[[], object], repeats: int) -> float:
    """The shortest of `repeats` runs of a function."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def measure() -> dict[str, float]:
    """All figures, by name; times in milliseconds, rates per second."""
    start = time.perf_counter()
    from tictactoe.algorithms.cfr import CFRSolver
    from tictactoe.algorithms.update_rules import update_rule
    from tictactoe.games.payoffs import tic_tac_toe_round
    from tictactoe.games.rules import SINGLE_ROUND
    from tictactoe.games.tic_tac_toe_tree import GameTree

    figures = {"import_ms": 1e3 * (time.perf_counter() - start)}
    figures["tree_ms"] = 1e3 * best_seconds(GameTree.build, 1)  # later calls return the same tree
    tree = GameTree.build()
    game = tic_tac_toe_round(tree, SINGLE_ROUND)

    start = time.perf_counter()
    solver = CFRSolver(game, update_rule("dcfr"))
    solver.run(10)
    solver.evaluate()
    figures["compile_or_load_ms"] = 1e3 * (time.perf_counter() - start)

    for algorithm in ("dcfr", "pdcfr+"):
        figures |= _iterations(partial(CFRSolver, game, update_rule(algorithm)), algorithm, tree)
    solver.run(490)
    figures["check_ms"] = 1e3 * best_seconds(solver.evaluate, 20)

    from oracle import naive, small_games

    slow = naive.NaiveSolver(tree, small_games.round_payoffs(SINGLE_ROUND), small_games.uniform_prior(), "dcfr")
    figures["naive_ms"] = 1e3 * best_seconds(slow.iterate, 1)
    figures["naive_node_updates_per_second"] = 2 * tree.num_nodes / figures["naive_ms"] * 1e3

    source = np.random.default_rng(0).random((tree.num_nodes, 4))
    target = np.empty_like(source)
    figures["copy_bytes_per_second"] = 2 * source.nbytes / best_seconds(lambda: np.copyto(target, source), 200)
    return figures


def _iterations(make: Callable[[], CFRSolver], algorithm: str, tree: GameTree) -> dict[str, float]:
    """Milliseconds per iteration of the first ten and of later ones, and what follows from them."""
    from tictactoe.algorithms.cfr import FLUSH_EVERY

    solver = make()
    solver.run(FLUSH_EVERY)  # memory that is touched for the first time costs as much again
    first = []
    for _ in range(20):
        solver.restart()
        first.append(best_seconds(partial(solver.run, FLUSH_EVERY), 1) / FLUSH_EVERY)
    solver = make()
    figures = {f"{algorithm}_first_ms": 1e3 * min(first)}
    for label, until in (("500", 500), ("2000", 2000)):
        solver.run(until - solver.iteration)
        visits = solver.num_visits
        seconds = best_seconds(partial(solver.run, FLUSH_EVERY), 20) / FLUSH_EVERY
        visited = (solver.num_visits - visits) / (20 * FLUSH_EVERY * 2 * tree.num_decision_nodes)
        figures |= {
            f"{algorithm}_{label}_ms": 1e3 * seconds,
            f"{algorithm}_{label}_visited": visited,
            f"{algorithm}_{label}_node_updates_per_second": 2 * tree.num_nodes / seconds,
            f"{algorithm}_{label}_bytes_per_second": visited * sweep_bytes(tree) / seconds,
        }
    figures[f"{algorithm}_first_node_updates_per_second"] = 2 * tree.num_nodes / min(first)
    return figures


def sweep_bytes(tree: GameTree) -> float:
    """The bytes that an iteration that skips nothing reads and writes, each once per pass that needs it.

    Per edge: regrets, sums and strategy of the mover are read and written, and the strategy is read once more by the
    opponent's sweep. Per decision node and player: reach, mass and value are written and read.
    """
    return ROW_BYTES * (7.0 * (tree.num_nodes - 1) + 2 * 6.0 * tree.num_decision_nodes)


def print_figures(figures: dict[str, float]) -> None:
    """A table for people."""
    print(
        f"tree built in {figures['tree_ms']:.0f} ms without compiled code; library imported in "
        f"{figures['import_ms']:.0f} ms, kernels compiled or loaded in {figures['compile_or_load_ms'] / 1e3:.1f} s"
    )
    print(f"{'':24}{'ms/iteration':>14}{'visited':>10}{'node updates/s':>16}{'GB/s':>8}")
    for algorithm in ("dcfr", "pdcfr+"):
        print(
            f"{algorithm + ', first 10':24}{figures[f'{algorithm}_first_ms']:14.3f}{'':10}"
            f"{figures[f'{algorithm}_first_node_updates_per_second']:16.3g}"
        )
        for label in ("500", "2000"):
            name = f"{algorithm}_{label}"
            print(
                f"{algorithm + ', after ' + label:24}{figures[name + '_ms']:14.3f}{figures[name + '_visited']:10.0%}"
                f"{figures[name + '_node_updates_per_second']:16.3g}{figures[name + '_bytes_per_second'] / 1e9:8.1f}"
            )
    print(f"{'plain Python':24}{figures['naive_ms']:14.0f}{'100%':>10}{figures['naive_node_updates_per_second']:16.3g}")
    print(f"{'array copy':24}{'':40}{figures['copy_bytes_per_second'] / 1e9:8.1f}")
    print(f"a check of the exploitability of average and current strategy: {figures['check_ms']:.2f} ms")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="the figures as JSON")
    arguments = parser.parse_args()
    result = measure()
    print(json.dumps(result, indent=2)) if arguments.json else print_figures(result)
