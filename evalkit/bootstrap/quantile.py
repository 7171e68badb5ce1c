"""Quantiles of a lattice law: the smallest point whose distribution function reaches a level."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from evalkit.bootstrap.inversion import LatticeInversion
from evalkit.bootstrap.normal import normal_quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["cornish_fisher", "lattice_quantiles", "level_tolerance"]

_REACH = np.arange(-1.0, 2.0)


def cornish_fisher(level: float, *, sd: float, skewness: float) -> float:
    """Return the second-order Cornish-Fisher quantile of a centred sum.

    Notes
    -----
    ``sd (z + (z² - 1) skewness / 6)`` (Cornish and Fisher 1938).

    Examples
    --------
    >>> round(cornish_fisher(0.975, sd=2.0, skewness=0.0), 4)
    3.9199
    """
    z = normal_quantile(level)
    return sd * (z + (z * z - 1.0) * skewness / 6.0)


def level_tolerance(level: float) -> float:
    """Return how far below a level still counts as reaching it: the rounding of F."""
    return min(1e-12, 1e-6 * min(level, 1.0 - level))


def lattice_quantiles(law: LatticeInversion, levels: Sequence[float]) -> list[int]:
    """Return ``inf {k : F(k) >= level}`` for each level, relative to the mean of the sum.

    Parameters
    ----------
    law : LatticeInversion
        Law of the sum.
    levels : sequence of float
        At or below 0 the first point of the window is returned, at or above 1 the last.

    Returns
    -------
    list of int

    Notes
    -----
    Three points around the Cornish-Fisher start are evaluated for all levels at once, which
    settles 97 % of the cases at n = 34 and all of them at n = 1,400. Otherwise F is monotone, so
    galloping and bisection finish.

    Examples
    --------
    >>> from evalkit.bootstrap.characteristic import Draws
    >>> from evalkit.bootstrap.inversion import invert_lattice
    >>> coin = Draws.of(np.array([0.0, 1.0]), np.array([2.0, 2.0]))
    >>> lattice_quantiles(invert_lattice([coin], support=(-2.0, 2.0)), [0.0, 0.3125, 0.32, 1.0])
    [-2, -1, 0, 2]
    """
    sd, skewness = math.sqrt(law.moments.variance), law.moments.skewness
    starts = [_start(law, level, sd, skewness) for level in levels]
    grid = np.add.outer(np.asarray(starts), _REACH)
    values = law.cdf(grid)
    return [
        _settle(law, level, grid[row], values[row].tolist()) for row, level in enumerate(levels)
    ]


def _start(law: LatticeInversion, level: float, sd: float, skewness: float) -> float:
    if not 0.0 < level < 1.0:
        return float(law.first if level <= 0.0 else law.last)
    guess = math.floor(cornish_fisher(level, sd=sd, skewness=skewness) + 0.5)
    return float(min(max(guess, law.first), law.last))


def _settle(
    law: LatticeInversion, level: float, points: NDArray[np.float64], values: list[float]
) -> int:
    if level <= 0.0:
        return law.first
    if level >= 1.0:
        return law.last
    target = level - level_tolerance(level)
    if values[0] < target <= values[-1]:
        index = next(i for i, value in enumerate(values) if value >= target)
        return min(max(int(points[index]), law.first), law.last)
    return _search(law, target, int(points[1]))


def _search(law: LatticeInversion, target: float, start: int) -> int:
    """Gallop from the start until the level is bracketed, then bisect."""

    def reaches(k: int) -> bool:
        return k >= law.last or (k >= law.first and float(law.cdf(np.array(float(k)))) >= target)

    stride = 2
    low = high = start
    if reaches(start):
        while reaches(low):
            high, low = low, low - stride
            stride *= 2
    else:
        while not reaches(high):
            low, high = high, high + stride
            stride *= 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return min(max(high, law.first), law.last)
