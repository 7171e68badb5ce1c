"""Multinomial weights by drawing and counting in one loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalkit.bootstrap.kernels.jit import jit

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["fill_weights"]

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_A, _B, _C, _ALL = np.uint64(17), np.uint64(23), np.uint64(45), np.uint64(64)


@jit
def _next(state: NDArray[np.uint64]) -> np.uint64:
    """Advance the generator xoshiro256++ (Blackman and Vigna 2021) and return 64 random bits."""
    total = state[0] + state[3]
    result = ((total << _B) | (total >> (_ALL - _B))) + state[0]
    shifted = state[1] << _A
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = (state[3] << _C) | (state[3] >> (_ALL - _C))
    return np.uint64(result)


@jit
def fill_weights(state: NDArray[np.uint64], weights: NDArray[np.float64]) -> None:
    """Fill each row with the counts of n draws from n units.

    Two draws come from each 64 bits. A draw is the upper half of ``bits * n``; bits whose lower
    half falls below ``2^32 mod n`` are drawn again, so all units are exactly as likely
    (Lemire 2019).
    """
    local = state.copy()
    rows, units = weights.shape
    size = np.uint64(units)
    reject = np.uint64(2**32 % units)
    for row in range(rows):
        for unit in range(units):
            weights[row, unit] = 0.0
        drawn = 0
        while drawn < units:
            bits = _next(local)
            product = (bits & _LOW) * size
            if (product & _LOW) >= reject:
                weights[row, np.int64(product >> _HALF)] += 1.0
                drawn += 1
            product = (bits >> _HALF) * size
            if drawn < units and (product & _LOW) >= reject:
                weights[row, np.int64(product >> _HALF)] += 1.0
                drawn += 1
    for i in range(4):
        state[i] = local[i]
