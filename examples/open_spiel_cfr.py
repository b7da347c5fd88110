"""OpenSpiel's CFR and ours on one round: python examples/open_spiel_cfr.py [--start SQUARES] [--iterations N] [-o OUT]

The round is that of a match to one point (4-4 of a match to 5); --start begins it at a later position, such as 519,
with goals drawn anew. Both solvers run as many iterations, OpenSpiel's compiled one on a cached tree; the
exploitability (NashConv, in match value) of both average strategies is computed by this package, exactly. Seconds are
of the processor. -o, without --start, writes what OpenSpiel has learnt as a solution of a match to one point, which all
commands take: best-response-multiround -s OUT.

Needs open_spiel: pip install '.[openspiel]'
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyspiel

from tictactoe import (
    CFRSolver,
    FloatArray,
    GameTree,
    ImportedStrategy,
    Score,
    exploitability,
    load_solution,
    save_solution,
    update_rule,
)
from tictactoe.environments.open_spiel import strategy_of, values_text

SOLVERS = {"cfr": pyspiel.CFRSolver, "cfr+": pyspiel.CFRPlusSolver}


def round_at_4_4(start: int) -> Any:
    """The game of OpenSpiel."""
    values = load_solution("shipped").outcome_values(Score(4, 4))
    return pyspiel.load_game("smbc_tictactoe_round", {"outcome_values": values_text(values), "start": start})


def compared(game: Any, algorithm: str, iterations: int) -> tuple[str, FloatArray]:
    """A line of the table, in Markdown, and OpenSpiel's average strategy."""
    ours = game.variant.game()
    began = time.process_time()
    theirs = SOLVERS[algorithm](pyspiel.load_game(f"cached_tree(game={game})"))  # sixty times as fast
    for _ in range(iterations):
        theirs.evaluate_and_update_policy()
    seconds = time.process_time() - began
    learnt = strategy_of(game, theirs.average_policy())
    began = time.process_time()
    solver = CFRSolver(ours, update_rule(algorithm))
    solver.run(iterations)
    our_seconds = time.process_time() - began
    found, our_found = (exploitability(ours, each).total for each in (learnt, solver.average_strategy()))
    line = f"| `{algorithm}` | {iterations} | {found:.6f} | {seconds:.2f} s | {our_found:.6f} | {our_seconds:.4f} s |"
    return line, learnt


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--start", type=int, default=0, help="the squares that have been played; 0 (default): none")
    parser.add_argument("--iterations", type=int, default=10)
    parser.add_argument("-o", "--output", type=Path, help="write what OpenSpiel's CFR+ has learnt, as a solution")
    chosen = parser.parse_args(arguments)
    if chosen.output and chosen.start:
        parser.error("-o is for the whole round: leave out --start")
    game = round_at_4_4(chosen.start)
    CFRSolver(game.variant.game(), update_rule("cfr")).run(1)  # compiles, which is not to be measured
    print("| | iterations | OpenSpiel | in | ours | in |\n|---|---|---|---|---|---|")
    for algorithm in SOLVERS:
        line, learnt = compared(game, algorithm, chosen.iterations)
        print(line, flush=True)
    if chosen.output:
        strategies = {Score(0, 0): ImportedStrategy(chosen.iterations, learnt)}
        save_solution(chosen.output, GameTree.build(), strategies, 1, "open_spiel")


if __name__ == "__main__":
    main()
