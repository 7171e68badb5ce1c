"""Counting the distinct values of a raw array without sorting it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FEW", "count_few"]

FEW = 16
"""Distinct values beyond which an array is not counted."""
_PROBE = 64
_BLOCK = 1 << 15


def count_few(x: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return distinct values and counts of an array of at most 16 distinct values.

    Parameters
    ----------
    x : ndarray of float, shape (n,)
        At least one outcome.

    Returns
    -------
    tuple of ndarray, or None
        Values in ascending order and counts; ``None`` when there are more values, or NaN.

    Notes
    -----
    Values are learnt from a few outcomes and then counted by comparison: a comparison of a million
    floats takes a tenth of the time that sorting them takes. The counts must add up; where they
    do not, the outcomes left over are looked at in the same way.

    Examples
    --------
    >>> values, counts = count_few(np.array([1.0, 0.0, 1.0]))
    >>> values.tolist(), counts.tolist()
    ([0.0, 1.0], [1.0, 2.0])
    >>> count_few(np.arange(40.0)) is None
    True
    """
    found: dict[float, int] = {}
    rest = x
    while rest.size:
        fresh = sorted(set(rest[:_PROBE].tolist()))
        if len(found) + len(fresh) > FEW or fresh[0] != fresh[0]:
            return None
        counted = _counts(rest, fresh)
        found.update(zip(fresh, counted, strict=True))
        if sum(counted) == rest.size:
            break
        if not sum(counted):
            return None
        known = np.zeros(rest.size, dtype=bool)
        for value in fresh:
            known |= rest == value
        rest = rest[~known]
    values = sorted(found)
    return np.array(values), np.array([found[v] for v in values], dtype=float)


def _counts(x: NDArray[np.float64], values: list[float]) -> list[int]:
    """Count each value, block by block, so that a block is read from memory once."""
    totals = [0] * len(values)
    for start in range(0, x.size, _BLOCK):
        block = x[start : start + _BLOCK]
        for place, value in enumerate(values):
            totals[place] += int(np.count_nonzero(block == value))
    return totals
