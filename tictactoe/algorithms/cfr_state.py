"""What a run of counterfactual regret minimization goes on from. Plain numpy, so that files can hold it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .arrays import FloatArray
from .public_tree import PublicTree
from .strategy import rounded_strategy

SINGLE_PRECISION_BITS = 24

NOT_JUDGED = -1.0
"""Stands for an exploitability that was not measured; files hold no nan."""


@dataclass(frozen=True, eq=False, kw_only=True)
class CFRState:
    """Everything that a run depends on from here, apart from the game and the options.

    iteration: how many have been run. started_at: the iteration after which regrets and averages were last forgotten, 0
    if never; negative after a warm start, which is as if so many iterations had been run before. regrets,
    strategy_sums, current_strategy: float64 (num_nodes, 3), of the move into a node by the mover's type; nobody moves
    into the root, whose row is 0 in the first two and 1 in the last. Regrets are in the payoffs'
    unit, weighted with the prior and the opponent's reach. skippable: int8 (2, num_decision_nodes), by player, 1 where
    a sweep that does not reach the subtree of a decision node may skip it, because nothing in it would change.
    strategy_sums are what the average strategy is taken from. recent_sums: of a rule that averages twice, the sums
    since the last restart, float64 (num_nodes, 3), of which strategy_sums are the running sum; None for other rules.

    >>> from tictactoe import CFRSolver, kuhn_poker, update_rule
    >>> solver, other = (CFRSolver(kuhn_poker(), update_rule("dcfr")) for _ in range(2))
    >>> solver.run(20)
    >>> other.set_state(solver.state())
    >>> other.iteration, bool((other.average_strategy() == solver.average_strategy()).all())
    (20, True)
    """

    iteration: int
    started_at: int
    regrets: FloatArray
    strategy_sums: FloatArray
    current_strategy: FloatArray
    skippable: NDArray[np.int8]
    recent_sums: FloatArray | None = None


def in_single_precision(tree: PublicTree, state: CFRState) -> CFRState:
    """A state with numbers that float32 holds exactly, still float64 arrays: half the bytes, for looking at.

    The current strategy is rounded to multiples of 2^-24 that sum to 1. Regrets or sums too large for float32 stay.
    """
    with np.errstate(over="ignore", under="ignore"):
        rounded = {name: getattr(state, name).astype(np.float32).astype(float) for name in ("regrets", "strategy_sums")}
    kept = {name: array for name, array in rounded.items() if np.isfinite(array).all()}
    strategy = rounded_strategy(tree, state.current_strategy, 0.0, SINGLE_PRECISION_BITS)
    return replace(state, current_strategy=strategy, **kept)
