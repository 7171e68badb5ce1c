"""The exact sign-flip law of a raw array on a lattice, in one compiled call.

The mathematics is that of `evalkit.comparisons.sign_flip_law`, one frequency at a time instead of
one array operation at a time.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from evalkit.bootstrap.kernels.counting import MANY, count_values, lattice_steps
from evalkit.bootstrap.kernels.jit import jit

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["UNDECIDED", "sign_flip_exact", "tilted_tail"]

UNDECIDED = -1.0
"""What stands for a p-value where the array is left to the general path."""
_NATS = 42.0
_SPREAD_LIMIT = 2e5


@jit
def _expit(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x)) if x >= 0.0 else math.exp(x) / (1.0 + math.exp(x))


@jit
def _tilt(k: NDArray[np.float64], c: NDArray[np.float64], target: float, total: float) -> float:
    """Solve ``Σ c k / (1 + exp(-λ k)) = target`` by Newton's method from below."""
    tilt = 0.0
    for _ in range(200):
        gap, slope = target, 0.0
        for v in range(k.size):
            share = _expit(tilt * k[v])
            gap -= c[v] * k[v] * share
            slope += c[v] * k[v] * k[v] * share * (1.0 - share)
        if gap <= 1e-13 * total or slope <= 0.0:
            break
        tilt += gap / slope
    return tilt


@jit
def _band(k: NDArray[np.float64], c: NDArray[np.float64], share: NDArray[np.float64]) -> float:
    """Return the angle beyond which the modulus is negligible: a unit of step 1 bounds it."""
    band = math.pi
    for v in range(k.size):
        if k[v] == 1.0:
            q = share[v]
            needed = -math.expm1(-2.0 * _NATS / c[v]) / (4.0 * q * (1.0 - q))
            if needed < 1.0:
                band = 2.0 * math.asin(math.sqrt(needed))
    return band


@jit
def _geometric(tilt: float, angle: float, above: float) -> tuple[float, float]:
    """Return the real and imaginary part of ``expm1(-z above) / expm1(-z)``, z = tilt + i angle."""
    if tilt == 0.0 and angle == 0.0:
        return above, 0.0
    half = math.sin(0.5 * angle)
    long_half = math.sin(0.5 * angle * above)
    a = math.expm1(-tilt) * math.cos(angle) - 2.0 * half * half
    b = -math.exp(-tilt) * math.sin(angle)
    c = math.expm1(-tilt * above) * math.cos(angle * above) - 2.0 * long_half * long_half
    d = -math.exp(-tilt * above) * math.sin(angle * above)
    norm = a * a + b * b
    return (c * a + d * b) / norm, (d * a - c * b) / norm


@jit
def _term(
    angle: float,
    bound: float,
    above: float,
    tilt: float,
    k: NDArray[np.float64],
    c: NDArray[np.float64],
    share: NDArray[np.float64],
) -> float:
    """Return the real part of ``φ_λ(θ) exp(-iθ bound) G(θ)``, 0 where the modulus is negligible."""
    modulus = 0.0
    for v in range(k.size):
        half = math.sin(0.5 * angle * k[v])
        drop = 4.0 * share[v] * (1.0 - share[v]) * half * half
        modulus += 0.5 * c[v] * math.log1p(max(-drop, -1.0 + 2.0**-53))
        if modulus <= -_NATS:
            return 0.0
    phase = -angle * bound
    for v in range(k.size):
        x, q = angle * k[v], share[v]
        phase += c[v] * math.atan2(q * math.sin(x), 1.0 - q + q * math.cos(x))
    real, imaginary = _geometric(tilt, angle, above)
    return math.exp(modulus) * (real * math.cos(phase) - imaginary * math.sin(phase))


@jit
def tilted_tail(k: NDArray[np.float64], c: NDArray[np.float64], bound: float) -> float:
    """Return ``P(Σ k ξ >= bound)`` for fair ξ, in the upper half of the law.

    Steps k come first that have the most spread: they rule out most frequencies.
    """
    total = units = 0.0
    for v in range(k.size):
        total += c[v] * k[v]
        units += c[v]
    if bound >= total:
        return math.exp(-units * math.log(2.0))
    tilt = _tilt(k, c, bound, total) if 2.0 * bound > total else 0.0
    share, largest = np.empty(k.size), 0.0
    mean = variance = partition = 0.0
    for v in range(k.size):
        y = tilt * k[v]
        q = share[v] = _expit(y)
        largest = max(largest, k[v])
        mean += c[v] * k[v] * q
        variance += c[v] * k[v] * k[v] * q * (1.0 - q)
        partition += c[v] * (y + math.log1p(math.exp(-y)) - math.log(2.0))
    linear = _NATS * largest / 3.0
    reach = math.ceil(linear + math.sqrt(linear * linear + 2.0 * _NATS * variance)) + 2.0
    above = max(1.0, min(total, math.ceil(mean) + reach) - bound + 1.0)
    size = 2.0 * reach + above
    last = int(min(size // 2.0, math.ceil(_band(k, c, share) * size / (2.0 * math.pi))))
    found = 0.0
    for m in range(last + 1):
        term = _term(2.0 * math.pi * m / size, bound, above, tilt, k, c, share)
        # Frequencies other than 0 and π stand for their conjugates too.
        found += term if m == 0 or 2.0 * m == size else 2.0 * term
    return math.exp(partition - tilt * bound) * found / size


@jit
def _fold(
    values: NDArray[np.float64],
    counts: NDArray[np.float64],
    magnitudes: NDArray[np.float64],
    folded: NDArray[np.float64],
    excess: NDArray[np.float64],
) -> int:
    """Fill magnitudes, from place 1, with their counts and wins less losses; return the places."""
    places = 1
    magnitudes[0] = folded[0] = excess[0] = 0.0
    for v in range(values.size):
        size, place = abs(values[v]), 0
        if size == 0.0:
            continue
        for w in range(1, places):
            if magnitudes[w] == size:
                place = w
        if place == 0:
            place, places = places, places + 1
            magnitudes[place], folded[place], excess[place] = size, 0.0, 0.0
        folded[place] += counts[v]
        excess[place] += counts[v] if values[v] > 0.0 else -counts[v]
    return places


@jit
def sign_flip_exact(d: NDArray[np.float64]) -> float:
    """Return the two-sided p-value, or `UNDECIDED`.

    An array is decided if its values are finite, at most 16, not all 0, and whole multiples of one
    step, up to 4096 of it.
    """
    values, counts = np.empty(MANY), np.zeros(MANY)
    distinct = count_values(d, values, counts)
    magnitudes, folded, excess = np.empty(MANY + 1), np.empty(MANY + 1), np.empty(MANY + 1)
    places = 0
    if distinct > 0:
        places = _fold(values[:distinct], counts[:distinct], magnitudes, folded, excess)
    steps = np.empty(MANY + 1)
    if places < 2 or not lattice_steps(magnitudes[:places], steps[:places])[1] > 0.0:
        return UNDECIDED
    observed = total = spread = 0.0
    for v in range(1, places):
        observed += steps[v] * excess[v]
        total += steps[v] * folded[v]
        spread += folded[v] * steps[v] * steps[v]
    if spread > _SPREAD_LIMIT * _SPREAD_LIMIT:
        return UNDECIDED
    observed = abs(observed)
    if observed == 0.0:
        return 1.0
    order = np.argsort(-folded[1:places] * steps[1:places] * steps[1:places]) + 1
    return min(1.0, 2.0 * tilted_tail(steps[order], folded[order], 0.5 * (total + observed)))
