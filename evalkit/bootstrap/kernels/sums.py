"""Resampled sums of many columns, the weights of a few replicates at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from evalkit.bootstrap.kernels.draws import WORDS, fill_row, widen
from evalkit.bootstrap.kernels.jit import fast_jit, jit

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["fill_sums"]

_ROWS = 4


@fast_jit
def _four_by_one(w: NDArray[Any], x: NDArray[Any], column: int, out: NDArray[np.float64]) -> None:
    w0, w1, w2, w3, y = w[0], w[1], w[2], w[3], x[column]
    a = b = c = d = y.dtype.type(0)
    for i in range(y.size):
        a += w0[i] * y[i]
        b += w1[i] * y[i]
        c += w2[i] * y[i]
        d += w3[i] * y[i]
    out[column, 0], out[column, 1], out[column, 2], out[column, 3] = a, b, c, d


@fast_jit
def _four_by_two(w: NDArray[Any], x: NDArray[Any], column: int, out: NDArray[np.float64]) -> None:
    """Sum two columns under four weightings: a value that is loaded is used more than once."""
    w0, w1, w2, w3, y, z = w[0], w[1], w[2], w[3], x[column], x[column + 1]
    a = b = c = d = e = f = g = h = y.dtype.type(0)
    for i in range(y.size):
        u, v = y[i], z[i]
        p, q, r, s = w0[i], w1[i], w2[i], w3[i]
        a += p * u
        b += q * u
        c += r * u
        d += s * u
        e += p * v
        f += q * v
        g += r * v
        h += s * v
    out[column, 0], out[column, 1], out[column, 2], out[column, 3] = a, b, c, d
    out[column + 1, 0], out[column + 1, 1], out[column + 1, 2], out[column + 1, 3] = e, f, g, h


@jit
def _sum_four(w: NDArray[Any], x: NDArray[Any], out: NDArray[np.float64]) -> None:
    columns = x.shape[0]
    for column in range(0, columns - 1, 2):
        _four_by_two(w, x, column, out)
    if columns % 2:
        _four_by_one(w, x, columns - 1, out)


@jit
def fill_sums(
    key: np.uint64,
    first: int,
    last: int,
    tails: NDArray[np.uint32],
    short: NDArray[np.float32],
    long: NDArray[np.float64],
    sums: NDArray[np.float64],
) -> None:
    """Fill ``sums[c, r] = Σ w x`` for replicates r in first..last - 1, columns of `short` first.

    `short` holds columns whose sums are exact in single precision, which is twice as fast.
    Replicates are taken in fours from a multiple of four, so a sum is added up in the same order
    whatever range it is part of.
    """
    units, split = short.shape[1], short.shape[0]
    words = np.empty(WORDS, np.uint64)
    weights = np.zeros((_ROWS, units), np.float32)
    wide = np.zeros((_ROWS, units if long.shape[0] else 0))
    out = np.empty((split + long.shape[0], _ROWS))
    for start in range(first, last, _ROWS):
        number = min(_ROWS, last - start)
        for r in range(number):
            fill_row(key, start + r, tails, words, weights[r])
        _sum_four(weights, short, out[:split])
        if long.shape[0]:
            for r in range(_ROWS):
                widen(weights[r], wide[r])
            _sum_four(wide, long, out[split:])
        for column in range(out.shape[0]):
            for r in range(number):
                sums[column, start + r] = out[column, r]
