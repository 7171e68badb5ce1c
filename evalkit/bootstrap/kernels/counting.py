"""Counting the distinct values of a raw array without sorting it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalkit.bootstrap.kernels.jit import jit

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MANY", "count_pairs", "count_values", "lattice_steps"]

MANY = 16
"""Distinct values beyond which an array is not counted."""
_FIRST, _BLOCK = 32, 1024


@jit
def count_values(
    x: NDArray[np.float64], values: NDArray[np.float64], counts: NDArray[np.float64]
) -> int:
    """Fill `values` and `counts`; return their number, or -1 when there are more than fit.

    Whole blocks are compared with each known value, a loop that the compiler vectorises. Only a
    block whose matches do not add up is read value by value.
    """
    known = stop = 0
    matches = np.empty(values.size, np.int64)
    while stop < x.size:
        # A short first block learns the values; branches cost more than comparisons.
        start, stop = stop, stop + (_FIRST if stop == 0 else _BLOCK)
        block = x[start:stop]
        found = 0
        for v in range(known):
            value, hits = values[v], 0
            for i in range(block.size):
                hits += 1 if block[i] == value else 0
            matches[v] = hits
            found += hits
            if found == block.size:
                known_here = v + 1
                break
        else:
            known_here = known
        if found == block.size:
            for v in range(known_here):
                counts[v] += matches[v]
            continue
        known = _read_block(block, values, counts, known)
        if known < 0:
            return -1
    return known


@jit
def _read_block(
    block: NDArray[np.float64],
    values: NDArray[np.float64],
    counts: NDArray[np.float64],
    known: int,
) -> int:
    for i in range(block.size):
        place = -1
        for v in range(known):
            if values[v] == block[i]:
                place = v
                break
        if place < 0:
            if known == values.size:
                return -1
            place, known = known, known + 1
            values[place] = block[i]
            counts[place] = 0.0
        counts[place] += 1.0
    return known


@jit
def count_pairs(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    pairs: NDArray[np.float64],
    counts: NDArray[np.float64],
) -> int:
    """Fill distinct (first, second) pairs, shape (2, V), and counts; return V, -1 if too many."""
    known = 0
    for i in range(first.size):
        place = -1
        for v in range(known):
            if pairs[0, v] == first[i] and pairs[1, v] == second[i]:
                place = v
                break
        if place < 0:
            if known == counts.size:
                return -1
            place, known = known, known + 1
            pairs[0, place], pairs[1, place] = first[i], second[i]
            counts[place] = 0.0
        counts[place] += 1.0
    return known


@jit
def lattice_steps(values: NDArray[np.float64], steps: NDArray[np.float64]) -> tuple[float, float]:
    """Fill `steps`; return origin and step, the step 0 where the values have no lattice."""
    origin, top = values.min(), values.max()
    if not (np.isfinite(origin) and np.isfinite(top) and top > origin):
        return origin, 0.0
    span = top - origin
    tolerance = span / 16384.0
    divisor = span
    for v in range(values.size):
        a, b = divisor, values[v] - origin
        while b > tolerance:
            a, b = b, abs(a - b * np.rint(a / b))
        divisor = a
    number = np.rint(span / divisor)
    if number > 4096.0:
        return origin, 0.0
    step = span / number
    for v in range(values.size):
        exact = (values[v] - origin) / step
        steps[v] = np.rint(exact)
        if abs(exact - steps[v]) > 1e-9:
            return origin, 0.0
    return origin, step
