"""Percentile, BC and BCa limits of a mean on a lattice."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from evalkit.bootstrap.kernels.jit import fast_jit, jit
from evalkit.bootstrap.kernels.scalar import adjusted_z, normal_cdf, probit, window

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["lattice_row"]

MAX_WORK = 4_000_000  # frequencies times values beyond which the general engine takes over
LOG_DROP = math.log(1e-16)


@jit
def _survivors(
    y: NDArray[np.float64], w: NDArray[np.float64], period: int, number: float, wide: bool
) -> NDArray[np.int64]:
    """Return the frequencies at which the power of |phi| is above 1e-17, by rotation.

    `wide` says that |phi| may rise again; with two values a step apart it only falls.
    """
    half = period // 2
    kept = np.empty(half, np.int64)
    base, floor = 2.0 * math.pi / period, math.exp(2.0 * (LOG_DROP - 1.0) / number)
    turn_cos, turn_sin = np.cos(base * y), np.sin(base * y)
    real, imaginary = w.copy(), np.zeros(y.size)
    size = 0
    for j in range(1, half + 1):
        re = im = 0.0
        for v in range(y.size):
            turned = real[v] * turn_cos[v] - imaginary[v] * turn_sin[v]
            imaginary[v] = real[v] * turn_sin[v] + imaginary[v] * turn_cos[v]
            real[v] = turned
            re += turned
            im += imaginary[v]
        if re * re + im * im > floor:
            kept[size] = j
            size += 1
        elif not wide:
            break
    return kept[:size]


@jit
def _coefficients(
    y: NDArray[np.float64],
    w: NDArray[np.float64],
    number: float,
    period: int,
    index: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return theta, sine and cosine coefficients, and the two of the point mass: shape (5, K)."""
    terms = np.empty((5, index.size))
    for k in range(index.size):
        theta = 2.0 * math.pi * index[k] / period
        q = p = 0.0
        for v in range(y.size):
            s, c = math.sin(0.5 * theta * y[v]), math.cos(0.5 * theta * y[v])
            q -= 2.0 * w[v] * s * s
            p += 2.0 * w[v] * s * c
        square = max(2.0 * q + q * q + p * p, -1.0 + 1e-16)
        height = math.exp(0.5 * number * math.log1p(square)) / period
        if 2 * index[k] == period:
            height *= 0.5
        phase = number * math.atan2(p, 1.0 + q)
        s, c = math.sin(0.5 * theta), math.cos(0.5 * theta)
        a, b = height * math.cos(phase), height * math.sin(phase)
        terms[0, k], terms[1, k], terms[2, k] = theta, a / s, -b / s
        # The mass at k has cos(t k - phase), written in t (k + 1/2) like the rest.
        terms[3, k], terms[4, k] = 2.0 * (a * c - b * s), 2.0 * (a * s + b * c)
    return terms


@fast_jit
def _evaluate(
    k: float, first: float, period: float, constant: float, terms: NDArray[np.float64]
) -> tuple[float, float]:
    """Return F(k) and the mass at k, relative to the mean of the sum."""
    cdf, mass = (k - first + 1.0) / period + constant, 1.0 / period
    for j in range(terms.shape[1]):
        angle = terms[0, j] * (k + 0.5)
        s, c = math.sin(angle), math.cos(angle)
        cdf += terms[1, j] * s + terms[2, j] * c
        mass += terms[3, j] * c + terms[4, j] * s
    return cdf, mass


@jit
def _quantile(
    z: float,
    start: float,
    first: float,
    last: float,
    period: float,
    constant: float,
    terms: NDArray[np.float64],
) -> float:
    """Return ``inf {k : F(k) >= Phi(z)}`` by integer Newton steps inside a bracket."""
    level = normal_cdf(z)
    target = level - min(1e-12, 1e-6 * min(level, 1.0 - level))
    low, high = first - 1.0, last
    k = min(max(math.floor(start + 0.5), first), last)
    while high - low > 1.0:
        cdf, mass = _evaluate(k, first, period, constant, terms)
        if cdf >= target:
            if cdf - mass < target:
                return k
            high = k
            move = -max(1.0, math.floor((cdf - mass - target) / max(mass, 1e-300)) + 1.0)
        else:
            low = k
            move = max(1.0, math.ceil((target - cdf) / max(mass, 1e-300)))
        k += move
        if not low < k < high:
            k = math.floor(0.5 * (low + high))
            if k <= low:
                k = low + 1.0
    return high


@jit
def lattice_row(
    steps: NDArray[np.float64],
    counts: NDArray[np.float64],
    origin: float,
    step: float,
    z: float,
    row: NDArray[np.float64],
) -> bool:
    """Fill a row: estimate, se, z0, acceleration, and the six limits; False if it is too much work.

    Values are ``origin + step * steps``; `z` is the normal quantile of the upper level.
    """
    number = total = 0.0
    for v in range(steps.size):
        number += counts[v]
        total += counts[v] * steps[v]
    y, w = steps - total / number, counts / number
    square = cube = 0.0
    for v in range(steps.size):
        square += w[v] * y[v] * y[v]
        cube += w[v] * y[v] * y[v] * y[v]
    variance, sd = number * square, math.sqrt(number * square)
    skewness = cube / (square * math.sqrt(square)) / math.sqrt(number)
    top = steps.max()
    first = max(-math.ceil(window(-y.min(), variance)), -total)
    last = min(math.ceil(window(y.max(), variance)), number * top - total)
    period = int(last - first) + 1
    if period * steps.size > MAX_WORK:
        return False
    wide = not (steps.size == 2 and top == 1.0)
    terms = _coefficients(y, w, number, period, _survivors(y, w, period, number, wide))
    constant = -_evaluate(first - 1.0, first, period, 0.0, terms)[0]
    cdf, mass = _evaluate(0.0, first, period, constant, terms)
    bias, acceleration = probit(cdf - 0.5 * mass), skewness / 6.0
    row[0] = origin + step * total / number
    row[1] = step * sd / number
    row[2], row[3] = bias, acceleration
    for side in range(2):
        tail = z if side else -z
        for kind in range(3):
            point = tail
            if kind:
                point = adjusted_z(tail, bias, acceleration if kind == 2 else 0.0)
            start = sd * (point + (point * point - 1.0) * skewness / 6.0)
            k = _quantile(point, start, first, last, period, constant, terms)
            row[4 + 2 * kind + side] = origin + step * (total + k) / number
    return True
