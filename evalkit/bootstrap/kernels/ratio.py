"""Percentile, BC and BCa limits of a ratio of sums over resampled units."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from evalkit.bootstrap.kernels.jit import jit
from evalkit.bootstrap.kernels.scalar import adjusted_z, probit, window
from evalkit.bootstrap.kernels.smooth import SPREAD, direct_terms, evaluate_smooth

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ratio_row"]

MAX_FREQUENCIES = 512


@jit
def _cdf(
    r: float, s: NDArray[np.float64], m: NDArray[np.float64], w: NDArray[np.float64], number: float
) -> tuple[float, float]:
    """Return P(R* <= r) and the last modulus: what the cut-off left out."""
    y = s - r * m
    mean = 0.0
    for v in range(y.size):
        mean += w[v] * y[v]
    square, low, high = 0.0, 0.0, 0.0
    for v in range(y.size):
        y[v] -= mean
        square += w[v] * y[v] * y[v]
        low = min(low, y[v])
        high = max(high, y[v])
    variance = number * square
    below = window(-low, variance)
    width = below + window(high, variance)
    zero = -number * mean
    if zero <= -below:
        return 0.0, 0.0
    if zero >= width - below:
        return 1.0, 0.0
    base = 2.0 * math.pi / width
    frequencies = min(MAX_FREQUENCIES, math.ceil(SPREAD / math.sqrt(variance) / base) + 2)
    while True:
        terms = np.empty((2, frequencies))
        last = direct_terms(y, w, number, base, terms)
        if last < 1e-13 or frequencies >= MAX_FREQUENCIES:
            return evaluate_smooth(zero, -below, width, terms)[0], last
        frequencies = min(MAX_FREQUENCIES, 2 * frequencies)


@jit
def _quantile(
    z: float,
    known_x: float,
    known_z: float,
    slope: float,
    se: float,
    s: NDArray[np.float64],
    m: NDArray[np.float64],
    w: NDArray[np.float64],
    number: float,
) -> float:
    """Solve for the ratio by the secant method on the probit, which is nearly a straight line.

    The line starts at a point that is known, with the slope that was last seen.
    """
    low, high = known_x - 40.0 * se, known_x + 40.0 * se
    x, last_x, last_probit = known_x + (z - known_z) / slope, known_x, known_z
    for _ in range(60):
        p = min(max(_cdf(x, s, m, w, number)[0], 1e-15), 1.0 - 1e-15)
        value = probit(p)
        excess = value - z
        if excess >= 0.0:
            high = x
        else:
            low = x
        if x != last_x:
            slope = max((value - last_probit) / (x - last_x), 0.05 / se)
        last_x, last_probit = x, value
        following = x - excess / slope
        if not low < following < high:
            following = 0.5 * (low + high)
        # The secant's next error is the product of the last two: 1e-7 leaves less than 1e-9.
        if abs(following - x) < 1e-7 * se:
            return following
        x = following
    return x


@jit
def _acceleration(
    s: NDArray[np.float64], m: NDArray[np.float64], counts: NDArray[np.float64]
) -> float:
    """Return the jackknife's acceleration, leaving out one unit at a time."""
    number = total = size = 0.0
    for v in range(s.size):
        number += counts[v]
        total += counts[v] * s[v]
        size += counts[v] * m[v]
    left = np.empty(s.size)
    centre = 0.0
    for v in range(s.size):
        if not size - m[v] > 0.0:
            return 0.0
        left[v] = (total - s[v]) / (size - m[v])
        centre += counts[v] * left[v] / number
    square = cube = 0.0
    for v in range(s.size):
        d = centre - left[v]
        square += counts[v] * d * d
        cube += counts[v] * d * d * d
    return cube / (6.0 * square * math.sqrt(square)) if square > 0.0 else 0.0


@jit
def ratio_row(
    pairs: NDArray[np.float64], counts: NDArray[np.float64], z: float, row: NDArray[np.float64]
) -> bool:
    """Fill a row for distinct (numerator, denominator) pairs; False when the law is rough."""
    s, m = pairs[0].copy(), pairs[1].copy()
    number = total = size = 0.0
    for v in range(s.size):
        number += counts[v]
        total += counts[v] * s[v]
        size += counts[v] * m[v]
    w, mean = counts / number, total / size
    spread = scale = 0.0
    for v in range(s.size):
        spread += counts[v] * (s[v] - mean * m[v]) ** 2
        scale = max(scale, abs(s[v]) + abs(mean) * m[v])
    if not spread > (1e-12 * scale) ** 2 * number:
        return False
    se = math.sqrt(spread) / size
    probability, last = _cdf(mean, s, m, w, number)
    if last > 1e-13:
        return False
    bias = probit(min(max(probability, 1e-12), 1.0 - 1e-12))
    acceleration = _acceleration(s, m, counts)
    row[0], row[1], row[2], row[3] = mean, se, bias, acceleration
    for side in range(2):
        tail = z if side else -z
        known_x, known_z, slope = mean, bias, 1.0 / se
        for kind in range(3):
            point = tail
            if kind:
                point = adjusted_z(tail, bias, acceleration if kind == 2 else 0.0)
            x = _quantile(point, known_x, known_z, slope, se, s, m, w, number)
            row[4 + 2 * kind + side] = x
            if kind == 0 and x != mean:
                slope = max((tail - bias) / (x - mean), 0.05 / se)
                known_x, known_z = x, tail
    return True
