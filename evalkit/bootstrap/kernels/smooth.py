"""A smooth sum: coefficients from power sums or directly, and its distribution function."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from evalkit.bootstrap.kernels.jit import fast_jit, jit
from evalkit.bootstrap.kernels.scalar import adjusted_z, normal_cdf, probit, window

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["direct_terms", "evaluate_smooth", "power_sum_row"]

REACH = 6.0  # largest |theta y| for which the power series is used
SPREAD = 8.6  # standard deviations of frequency after which a normal |phi| is below 1e-16
_BLOCK = 128
_MAX_DEGREE = 64


@fast_jit
def _moments(x: NDArray[np.float64]) -> tuple[float, float, float, float, float]:
    """Return mean, second and third central moment, minimum and maximum."""
    total, low, high = 0.0, x[0], x[0]
    for i in range(x.size):
        total += x[i]
        low = min(low, x[i])
        high = max(high, x[i])
    mean = total / x.size
    square = cube = 0.0
    for i in range(x.size):
        d = x[i] - mean
        square += d * d
        cube += d * d * d
    return mean, square / x.size, cube / x.size, low, high


@fast_jit
def _power_sums(
    x: NDArray[np.float64], mean: float, radius: float, degree: int
) -> NDArray[np.float64]:
    """Return the mean of ``((x - mean) / radius)^p`` for p = 0..degree."""
    sums = np.zeros(degree + 1)
    ratio, power = np.zeros(_BLOCK), np.zeros(_BLOCK)
    for start in range(0, x.size, _BLOCK):
        block = x[start : start + _BLOCK]
        for i in range(block.size):
            ratio[i] = (block[i] - mean) / radius
        for i in range(block.size, _BLOCK):
            ratio[i] = 0.0
        for i in range(_BLOCK):
            power[i] = ratio[i]
        for p in range(1, degree + 1):
            total = 0.0
            for i in range(_BLOCK):
                total += power[i]
                power[i] *= ratio[i]
            sums[p] += total
    sums /= x.size
    sums[0] = 1.0
    return sums


@jit
def _power(q: float, p: float, number: float) -> tuple[float, float, float]:
    """Return modulus, real and imaginary part of ``(1 + q + i p)^number``."""
    square = max(2.0 * q + q * q + p * p, -1.0 + 1e-16)
    height = math.exp(0.5 * number * math.log1p(square))
    phase = number * math.atan2(p, 1.0 + q)
    return height, height * math.cos(phase), height * math.sin(phase)


@jit
def _series_terms(
    sums: NDArray[np.float64], reach: float, number: float, terms: NDArray[np.float64]
) -> float:
    """Fill the powers of phi at multiples of a frequency; return the last modulus.

    `reach` is the frequency times the radius that the power sums are in units of.
    """
    last = 0.0
    for j in range(terms.shape[1]):
        z, q, p, factor = reach * (j + 1), 0.0, 0.0, 1.0
        for degree in range(1, sums.size):
            factor *= z / degree
            part = factor * sums[degree]
            turn = degree % 4
            if turn == 0:
                q += part
            elif turn == 1:
                p += part
            elif turn == 2:
                q -= part
            else:
                p -= part
        last, terms[0, j], terms[1, j] = _power(q, p, number)
    return last


@fast_jit
def direct_terms(
    y: NDArray[np.float64],
    w: NDArray[np.float64],
    number: float,
    base: float,
    terms: NDArray[np.float64],
) -> float:
    """Fill the powers of phi by rotating ``e^(i t y) - 1``; return the last modulus."""
    turn_q, turn_p = np.empty(y.size), np.empty(y.size)
    for v in range(y.size):
        s, c = math.sin(0.5 * base * y[v]), math.cos(0.5 * base * y[v])
        turn_q[v], turn_p[v] = -2.0 * s * s, 2.0 * s * c
    real, imaginary = np.zeros(y.size), np.zeros(y.size)
    last = 0.0
    for j in range(terms.shape[1]):
        q = p = 0.0
        for v in range(y.size):
            # (1 + a)(1 + b) - 1 keeps the digits that 1 would swallow.
            a, b = real[v], imaginary[v]
            real[v] = a + turn_q[v] + a * turn_q[v] - b * turn_p[v]
            imaginary[v] = b + turn_p[v] + a * turn_p[v] + b * turn_q[v]
            q += w[v] * real[v]
            p += w[v] * imaginary[v]
        last, terms[0, j], terms[1, j] = _power(q, p, number)
    return last


@fast_jit
def evaluate_smooth(
    x: float, low: float, width: float, terms: NDArray[np.float64]
) -> tuple[float, float]:
    """Return F(x) and the density at x, by rotation over the frequencies."""
    base = 2.0 * math.pi / width
    turn_c, turn_s = math.cos(base * x), math.sin(base * x)
    edge_c, edge_s = math.cos(base * low), math.sin(base * low)
    c, s, d, t = 1.0, 0.0, 1.0, 0.0
    cdf, density = 0.0, 0.5
    for j in range(terms.shape[1]):
        c, s = c * turn_c - s * turn_s, s * turn_c + c * turn_s
        d, t = d * edge_c - t * edge_s, t * edge_c + d * edge_s
        density += terms[0, j] * c + terms[1, j] * s
        cdf += (terms[0, j] * (s - t) - terms[1, j] * (c - d)) / (j + 1)
    return (x - low) / width + cdf / math.pi, 2.0 * density / width


@jit
def _quantile(
    z: float, start: float, low: float, width: float, sd: float, terms: NDArray[np.float64]
) -> float:
    """Solve F(x) = Phi(z) by Newton's method inside a bracket."""
    target, a, b = normal_cdf(z), low, low + width
    x = start if a < start < b else 0.5 * (a + b)
    for _ in range(100):
        cdf, density = evaluate_smooth(x, low, width, terms)
        if cdf >= target:
            b = x
        else:
            a = x
        following = x - (cdf - target) / max(density, 1e-300)
        if not a < following < b:
            following = 0.5 * (a + b)
        if abs(following - x) < 1e-11 * sd:
            return following
        x = following
    return x


@jit
def power_sum_row(x: NDArray[np.float64], z: float, row: NDArray[np.float64]) -> bool:
    """Fill a row for a continuous array; False when tails are too heavy for power sums."""
    number = float(x.size)
    mean, square, cube, smallest, largest = _moments(x)
    if not square > 0.0:
        return False
    variance, sd = number * square, math.sqrt(number * square)
    below, above = window(mean - smallest, variance), window(largest - mean, variance)
    width, radius = below + above, max(largest - mean, mean - smallest)
    base = 2.0 * math.pi / width
    frequencies = math.ceil(SPREAD / sd / base) + 2
    reach = frequencies * base * radius
    if reach > REACH or frequencies > 400:
        return False
    degree, term = 1, number * reach
    while term > 1e-16 and degree < _MAX_DEGREE:
        degree += 1
        term *= reach / degree
    terms = np.empty((2, frequencies))
    last = _series_terms(_power_sums(x, mean, radius, degree), base * radius, number, terms)
    if last > 1e-13:
        return False
    skewness = cube / (square * math.sqrt(square)) / math.sqrt(number)
    bias, acceleration = probit(evaluate_smooth(0.0, -below, width, terms)[0]), skewness / 6.0
    row[0], row[1], row[2], row[3] = mean, sd / number, bias, acceleration
    for side in range(2):
        tail = z if side else -z
        for kind in range(3):
            point = tail
            if kind:
                point = adjusted_z(tail, bias, acceleration if kind == 2 else 0.0)
            start = sd * (point + (point * point - 1.0) * skewness / 6.0)
            shift = _quantile(point, start, -below, width, sd, terms)
            row[4 + 2 * kind + side] = mean + shift / number
    return True
