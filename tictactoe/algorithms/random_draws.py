"""Random numbers in kernels: a draw depends on its key and its number alone."""

from __future__ import annotations

import numpy as np

from . import arrays, simd
from .arrays import Rows
from .compiling import compiled_with, inlined
from .simd import get, num_types


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


@compiled_with(arrays, simd)
def draw_types(prior: Rows, key: np.uint64) -> tuple[int, int]:
    """Own and opponent's type, drawn from `prior`, (k,), [opponent's, own], with the key's first draw."""
    total = 0.0
    for row in range(len(prior)):
        for lane in range(num_types(prior)):
            total += get(prior, row, lane)
    left = draw(key, -1) * total
    own, other = 0, 0
    for row in range(len(prior)):
        for lane in range(num_types(prior)):
            if get(prior, row, lane) > 0.0:  # rounding must not end at an impossible pair
                own, other = lane, row
                if left < get(prior, row, lane):
                    return own, other
                left -= get(prior, row, lane)
    return own, other
