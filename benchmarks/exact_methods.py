"""How long exact methods take, beside compare-algorithms: python benchmarks/exact_methods.py [A-B ... | all] [--json]

For rounds of the match to 5 that ships, by default at 4-3, 0-0 and 2-2, `all` for all 25, seconds and exploitability of
- the linear program in sequence form (Koller, Megiddo & von Stengel 1996) of the whole round, one for both players, by
  the simplex method of HiGHS from nothing;
- the double oracle (algorithms/punishing_double_oracle.py), from uniform strategies, and from what dcfr has after
  300 iterations, whose seconds count. The double oracle does more than the program: it finds strategies that punish
  mistakes.
Needs the extra `exact`. Building the tree, loading HiGHS and compiling do not count.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

from tictactoe.algorithms.arrays import FloatArray
from tictactoe.algorithms.best_response import exploitability
from tictactoe.algorithms.cfr import CFRSolver
from tictactoe.algorithms.game import Game
from tictactoe.algorithms.linear_program import require_solver, solve_program
from tictactoe.algorithms.punishing_double_oracle import DoubleOracle
from tictactoe.algorithms.sequence_form import SequenceForm, behaviour
from tictactoe.algorithms.strategy import both_seats, uniform_strategy
from tictactoe.algorithms.update_rules import update_rule
from tictactoe.errors import ProgramError
from tictactoe.games.payoffs import tic_tac_toe_round
from tictactoe.match.scores import Score, all_scores
from tictactoe.storage.shipped import shipped_solution
from tictactoe.storage.solution import load_solution

ITERATIONS = 300
"""Of dcfr, for a reference."""


def whole_program(game: Game) -> FloatArray:
    """An equilibrium by one linear program that has all moves of both players."""
    tree = game.tree
    form = SequenceForm(tree, 0)
    kept = form.kept(np.ones((tree.num_nodes, 3), np.bool_))
    solution = solve_program(form.program(game, kept, form.worst_case(game)))
    uniform = uniform_strategy(tree)
    plans = form.plan(solution, kept), form.answers(solution, kept)
    return both_seats(tree, *(behaviour(tree, player, plan, uniform) for player, plan in enumerate(plans)))


def oracle_from_nothing(game: Game) -> FloatArray:
    """An equilibrium by the double oracle, from uniform strategies."""
    return DoubleOracle(game.tree, uniform_strategy(game.tree)).solve(game).strategy


def oracle_after_dcfr(game: Game) -> FloatArray:
    """An equilibrium by the double oracle, from what discounted CFR has come to."""
    solver = CFRSolver(game, update_rule("dcfr"))
    solver.run(ITERATIONS)
    return DoubleOracle(game.tree, solver.average_strategy()).solve(game).strategy


METHODS: dict[str, Callable[[Game], FloatArray]] = {
    f"double oracle after {ITERATIONS} iterations of dcfr": oracle_after_dcfr,
    "double oracle from uniform strategies": oracle_from_nothing,
    "whole linear program": whole_program,
}


def measure(score: Score, method: Callable[[Game], FloatArray]) -> tuple[float, float, float | None]:
    """Seconds, seconds of a processor, and NashConv in match value; None when the method finds nothing."""
    solution = load_solution(shipped_solution())
    game = tic_tac_toe_round(solution.tree, solution.outcome_values(score))
    compiling = CFRSolver(game, update_rule("dcfr"))
    compiling.run(10)
    compiling.evaluate()
    exploitability(game, uniform_strategy(game.tree))
    require_solver()
    start, processor_start = time.perf_counter(), time.process_time()
    strategy: FloatArray | None = None
    with contextlib.suppress(ProgramError):
        strategy = method(game)
    seconds, processor = time.perf_counter() - start, time.process_time() - processor_start
    return seconds, processor, None if strategy is None else exploitability(game, strategy).total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scores", nargs="*", default=["4-3", "0-0", "2-2"])
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    found: list[dict[str, Any]] = []
    scores = [Score(*map(int, text.split("-"))) for text in arguments.scores if text != "all"] or all_scores(5)
    for score in scores:
        for name, method in METHODS.items():
            seconds, processor, total = measure(score, method)
            entry = {"score": str(score), "method": name, "seconds": seconds, "processor_seconds": processor}
            found.append(entry | {"exploitability": total})
            if not arguments.json:
                reached = "no equilibrium found" if total is None else f"exploitability {total:.1e}"
                print(f"{score}  {name}: {seconds:.1f} seconds ({processor:.1f} of a processor), {reached}", flush=True)
    if arguments.json:
        print(json.dumps(found, indent=2))
    elif len(scores) > 1:
        for name in METHODS:
            times = [entry["processor_seconds"] for entry in found if entry["method"] == name]
            ends = [entry["exploitability"] for entry in found if entry["method"] == name]
            worst = "none" if None in ends else f"{max(ends):.1e}"
            print(
                f"{name}, of a processor: {min(times):.1f} to {max(times):.1f} seconds, median {median(times):.1f}; "
                f"largest exploitability {worst}"
            )


if __name__ == "__main__":
    main()
