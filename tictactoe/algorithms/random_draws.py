"""Random numbers in kernels: a draw depends on its key and its number alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from . import arrays
from .arrays import NUM_TYPES
from .compiling import compiled_with, inlined


@inlined
def mixed(bits: np.uint64) -> np.uint64:
    """A hash of 64 bits: the finaliser of SplitMix64 (Steele, Lea & Flood 2014)."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


@inlined
def draw(key: np.uint64, number: int) -> float:
    """Draw number `number` under a key: a float in 0 to 1, 1 excluded."""
    bits = mixed(key + np.uint64(number + 1) * np.uint64(0x9E3779B97F4A7C15))
    return float(bits >> np.uint64(11)) * 2.0**-53


@compiled_with(arrays)
def draw_types(prior: NDArray[np.float64], key: np.uint64) -> tuple[int, int]:
    """Own and opponent's type, drawn from `prior`, float64 (3, 4), [opponent's, own], with the key's first draw."""
    left = draw(key, -1) * prior.sum()
    own, other = 0, 0
    for row in range(NUM_TYPES):
        for lane in range(NUM_TYPES):
            if prior[row, lane] > 0.0:  # rounding must not end at an impossible pair
                own, other = lane, row
                if left < prior[row, lane]:
                    return own, other
                left -= prior[row, lane]
    return own, other
