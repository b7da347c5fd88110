"""The state from which a run of counterfactual regret minimization continues, in numpy arrays that files can hold."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..arrays import FloatArray
from ..public_tree import PublicTree
from ..rounding import rounded_strategy

SINGLE_PRECISION_BITS = 24

NOT_JUDGED = -1.0
"""Stands for an exploitability that was not measured; files hold no nan."""


@dataclass(frozen=True, eq=False, kw_only=True)
class CFRState:
    """Everything that the rest of a run depends on, apart from the game and the options.

    A row of an array with num_nodes rows is about the move into a node, by the mover's type. Nobody moves into the
    root: its row is 0 in regrets and sums, 1 in the strategy.

    >>> from tictactoe import CFRSolver, kuhn_poker, update_rule
    >>> solver, other = (CFRSolver(kuhn_poker(), update_rule("dcfr")) for _ in range(2))
    >>> solver.run(20)
    >>> other.set_state(solver.state())
    >>> other.iteration, bool((other.average_strategy() == solver.average_strategy()).all())
    (20, True)
    """

    iteration: int
    """Iterations run so far."""
    started_at: int
    """The iteration after which regrets and averages were last forgotten; 0 if never. Negative after a warm start,
    which counts as that many earlier iterations."""
    regrets: FloatArray
    """float64 (num_nodes, k), in the payoffs' unit, weighted with the prior and the opponent's reach."""
    strategy_sums: FloatArray
    """float64 (num_nodes, k): the sums that the average strategy is made of."""
    current_strategy: FloatArray
    """float64 (num_nodes, k): the strategy of the next iteration."""
    skippable: NDArray[np.int8]
    """int8 (2, num_decision_nodes), by player: 1 where a sweep that does not reach a decision node may skip its
    subtree, because nothing in it would change."""
    recent_sums: FloatArray | None = None
    """float64 (num_nodes, k), only for a rule that averages twice: the sums since the last restart. strategy_sums are
    their running sum."""


def in_single_precision(tree: PublicTree, state: CFRState) -> CFRState:
    """The state in numbers that float32 holds exactly, still in float64 arrays: half the bytes, for looking at.

    The current strategy is rounded to multiples of 2^-24 that sum to 1. Regrets or sums with a number too large for
    float32 stay unchanged.
    """
    with np.errstate(over="ignore", under="ignore"):
        rounded = {name: getattr(state, name).astype(np.float32).astype(float) for name in ("regrets", "strategy_sums")}
    kept = {name: array for name, array in rounded.items() if np.isfinite(array).all()}
    strategy = rounded_strategy(tree, state.current_strategy, 0.0, SINGLE_PRECISION_BITS)
    return replace(state, current_strategy=strategy, **kept)
