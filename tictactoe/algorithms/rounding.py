"""Strategies rounded to few bits, so that they take less room in files."""

from __future__ import annotations

import numpy as np

from .arrays import FloatArray
from .public_tree import PublicTree
from .strategy import is_first_largest, with_root


def rounded_strategy(tree: PublicTree, strategy: FloatArray, smallest: float, bits: int) -> FloatArray:
    """float64 (num_nodes, 3): multiples of 2^-bits that sum to exactly 1, without probabilities below `smallest`.

    The remainder of rounding goes to the likeliest move, the first of equals.
    """
    weights = np.where(strategy < smallest, 0.0, strategy)[1:]
    weights /= tree.at_children(tree.sums_over_children(with_root(weights)))[1:]
    rounded = np.round(weights * 2.0**bits)
    left = 2.0**bits - tree.at_children(tree.sums_over_children(with_root(rounded)))[1:]
    result = np.ones_like(strategy)
    result[1:] = (rounded + left * is_first_largest(tree, rounded)) / 2.0**bits
    return result
