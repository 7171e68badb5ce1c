"""The characteristic function at many frequencies from a few power sums."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from evalkit.bootstrap.characteristic import Draws, characteristic_minus_one

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["central_power_sums", "series_degree", "series_minus_one"]

_REACH = 6.0  # largest |theta y| for which the series is used
_CHUNK = 1 << 14  # values that stay in the cache while their powers are taken


def central_power_sums(
    ratios: NDArray[np.float64], weights: NDArray[np.float64], *, degree: int
) -> NDArray[np.float64]:
    """Return ``sum w u^p`` for p = 0..degree, in one pass.

    Power sums about a common centre add up across shards, so a law can be computed from parts
    of the data that are never in one place.

    Examples
    --------
    >>> central_power_sums(np.array([-1.0, 0.5]), np.array([0.25, 0.75]), degree=3).tolist()
    [1.0, 0.125, 0.4375, -0.15625]
    """
    sums = np.zeros(degree + 1)
    for start in range(0, ratios.size, _CHUNK):
        u = ratios[start : start + _CHUNK]
        term = weights[start : start + _CHUNK].copy()
        sums[0] += float(term.sum())
        for p in range(1, degree + 1):
            term *= u
            sums[p] += float(term.sum())
    return sums


def series_degree(reach: float, number: int) -> int:
    """Return the degree at which ``number reach^p / p!`` falls below 1e-16.

    Examples
    --------
    >>> series_degree(1.0, 10_000)
    22
    """
    degree, term = 1, number * reach
    while term > 1e-16 and degree < 64:
        degree += 1
        term *= reach / degree
    return degree


def series_minus_one(
    theta: NDArray[np.float64], part: Draws
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the real and imaginary parts of ``phi(theta) - 1``.

    Notes
    -----
    ``phi(t) = sum_p (i t)^p m_p / p!`` with m_p the central power sums, cut where the remainder
    times the number of draws is below 1e-16. Values with ``|t y| > 6`` at the
    highest frequency would need too many terms; they are few, and are added up directly.

    Examples
    --------
    >>> part = Draws.of(np.linspace(0.0, 1.0, 101), np.ones(101))
    >>> theta = np.array([0.5, 1.0])
    >>> series = series_minus_one(theta, part)
    >>> direct = characteristic_minus_one(theta, part.values, part.weights)
    >>> bool(np.allclose(series, direct, atol=1e-15))
    True
    """
    top = float(theta[-1])
    far = np.abs(part.values) * top > _REACH
    values, weights = part.values, part.weights
    real, imaginary = np.zeros(theta.size), np.zeros(theta.size)
    if far.any():
        real, imaginary = characteristic_minus_one(theta, values[far], weights[far])
        values, weights = values[~far], weights[~far]
    radius = float(np.abs(values).max(initial=0.0))
    if radius == 0.0:
        return real, imaginary
    sums = central_power_sums(
        values / radius, weights, degree=series_degree(top * radius, part.number)
    )
    scaled = theta * radius
    powers = scaled[:, None] ** np.arange(sums.size)
    coefficients = sums / np.array([math.factorial(p) for p in range(sums.size)], dtype=float)
    even, odd = slice(2, None, 2), slice(1, None, 2)
    signs = np.where(np.arange(sums.size) % 4 < 2, 1.0, -1.0)
    coefficients *= signs
    return (
        real + powers[:, even] @ coefficients[even],
        imaginary + powers[:, odd] @ coefficients[odd],
    )
