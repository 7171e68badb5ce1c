"""One entry for raw arrays: count, choose the law, and fill a row of results."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from evalkit.bootstrap.kernels.counting import MANY, count_pairs, count_values, lattice_steps
from evalkit.bootstrap.kernels.jit import jit
from evalkit.bootstrap.kernels.lattice import lattice_row
from evalkit.bootstrap.kernels.ratio import ratio_row
from evalkit.bootstrap.kernels.smooth import power_sum_row

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["cluster_row", "fill_rows"]

POINT, LATTICE, SMOOTH, UNDECIDED = 0, 1, 2, -1
MAX_PAIRS = 256
MAX_CELLS = 1 << 18


@jit
def _row(x: NDArray[np.float64], z: float, small: int, row: NDArray[np.float64]) -> int:
    """Fill a row for an array without NaN; return which law it was.

    An array of more than 16 distinct values may still lie on a lattice; where it has no more than
    `small` outcomes that matters, and it is left to the general engine.
    """
    values, counts = np.empty(MANY), np.zeros(MANY)
    distinct = count_values(x, values, counts)
    if distinct == 1 and math.isfinite(values[0]):
        row[0] = values[0]
        for i in range(1, row.size):
            row[i] = math.nan
        return POINT
    if distinct > 0:
        steps = np.empty(distinct)
        origin, step = lattice_steps(values[:distinct], steps)
        if step > 0.0 and lattice_row(steps, counts[:distinct], origin, step, z, row):
            return LATTICE
        return UNDECIDED
    if x.size > small and power_sum_row(x, z, row):
        return SMOOTH
    return UNDECIDED


@jit
def fill_rows(
    flat: NDArray[np.float64],
    ends: NDArray[np.int64],
    z: float,
    small: int,
    rows: NDArray[np.float64],
    kinds: NDArray[np.int64],
) -> None:
    """Fill one row for each stretch ``flat[ends[i]:ends[i + 1]]``."""
    for i in range(ends.size - 1):
        kinds[i] = _row(flat[ends[i] : ends[i + 1]], z, small, rows[i])


@jit
def _joint_cells(pairs: NDArray[np.float64], number: int) -> float:
    """Return the size of the joint law of both sums, infinite where they have no lattice.

    Small ones are left to the general engine, whose law is exact.
    """
    cells, steps = 1.0, np.empty(pairs.shape[1])
    for axis in range(2):
        step = lattice_steps(pairs[axis], steps)[1]
        if not step > 0.0:
            return math.inf
        cells *= number * steps.max() + 1.0
    return cells


@jit
def cluster_row(
    sums: NDArray[np.float64], sizes: NDArray[np.float64], z: float, row: NDArray[np.float64]
) -> int:
    """Fill a row for clusters given by their sums and sizes; return which law it was."""
    equal = True
    for i in range(sizes.size):
        equal = equal and sizes[i] == sizes[0]
    if equal:
        kind = _row(sums, z, sums.size, row)
        if kind >= 0:
            for i in range(row.size):
                row[i] /= 1.0 if i in (2, 3) else sizes[0]
        return kind
    pairs, counts = np.empty((2, MAX_PAIRS)), np.zeros(MAX_PAIRS)
    distinct = count_pairs(sums, sizes, pairs, counts)
    if distinct > 0 and _joint_cells(pairs[:, :distinct], sums.size) <= MAX_CELLS:
        return UNDECIDED
    if distinct > 0 and ratio_row(pairs[:, :distinct], counts[:distinct], z, row):
        return SMOOTH
    return UNDECIDED
