"""The exact law of a sum of sign-flipped magnitudes, by tilted characteristic functions.

Let the magnitudes be whole multiples ``k_v`` of one step, with counts ``c_v``, and
``B = Σ k ξ`` with independent fair ``ξ`` in {0, 1}. The sign-flipped sum is ``2B - Σ k``, so a
tail of the permutation law is a tail ``P(B >= b)``.

*Tilting* (Esscher 1932; Daniels 1954). Give ``ξ`` of magnitude k the probability
``q = 1 / (1 + exp(-λ k))``, with λ chosen so that the tilted mean of B is b. Then

    P(B >= b) = exp(K(λ) - λ b) Σ_{j >= 0} exp(-λ j) P_λ(B = b + j)
    K(λ) = Σ c log((1 + e^{λk}) / 2)

and the sum is of order one: a tail of 1e-80 keeps its relative accuracy.

*Inversion*. With ``θ_m = 2π m / M`` and the sum over j cut to a window of M steps that holds all
but 1e-17 of the tilted mass (Bernstein's inequality), the sum is

    (1/M) Σ_m φ_λ(θ_m) exp(-i θ_m b) G(θ_m),   G(θ) = Σ_{j=0}^{J-1} exp(-(λ + iθ) j).

Frequencies with ``|φ_λ| < 1e-18`` are dropped, after a scan of the whole band: magnitudes with a
common divisor but for a few have a second peak near π.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["continuous_tail", "lattice_tail"]

_NATS = 42.0  # exp(-42) = 6e-19: mass and moduli below it are dropped
_BLOCK = 1 << 16
_NEARLY_ONE = -1 + 2.0**-53  # a modulus of exactly 0 would have no logarithm
_TINY = 1e-200  # an angle for which the geometric sum equals its number of terms


def _tilt(steps: NDArray[np.float64], counts: NDArray[np.float64], target: float) -> float:
    """Solve ``Σ c k / (1 + exp(-λ k)) = target`` in λ by Newton's method from below.

    In the upper half the left side is increasing and concave in λ > 0, so the steps never pass
    the root.
    """
    from scipy.special import expit

    total = float(counts @ steps)
    tilt, gap = 0.0, target - total / 2
    for _ in range(200):
        share = expit(tilt * steps)
        gap = target - float(counts @ (steps * share))
        slope = float(counts @ (steps**2 * share * (1 - share)))
        if gap <= 1e-13 * total or slope <= 0:
            break
        tilt += gap / slope
    return tilt


def _log_partition(steps: NDArray[np.float64], counts: NDArray[np.float64], tilt: float) -> float:
    """K(λ), the log of the moment generating function of B."""
    return float(counts @ (np.logaddexp(0.0, tilt * steps) - math.log(2)))


def _half_width(variance: float, largest: float) -> float:
    """Distance from the mean beyond which Bernstein's inequality leaves ``exp(-NATS)``."""
    linear = _NATS * largest / 3
    return linear + math.sqrt(linear * linear + 2 * _NATS * variance)


def _band(
    steps: NDArray[np.float64], counts: NDArray[np.float64], share: NDArray[np.float64]
) -> float:
    """Angle beyond which ``|φ_λ|`` is negligible; π where that is not certain.

    The factor of magnitude 1 falls all the way from 0 to π, so it bounds the rest. Without it
    there may be further peaks, and the whole band is scanned.
    """
    if steps[0] != 1:
        return math.pi
    q = float(share[0])
    needed = -math.expm1(-2 * _NATS / float(counts[0])) / (4 * q * (1 - q))
    return math.pi if needed >= 1 else 2 * math.asin(math.sqrt(needed))


def _log_modulus_and_phase(
    angles: NDArray[np.float64],
    steps: NDArray[np.float64],
    counts: NDArray[np.float64],
    share: NDArray[np.float64],
    centre: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Log |φ_λ| and phase of ``φ_λ e^{-iθ centre}`` at the angles that matter."""
    kept = np.arange(angles.size)
    modulus = np.zeros(angles.size)
    phase = -angles * centre
    # Magnitudes with the most spread first: they rule out most frequencies.
    for v in np.argsort(-(counts * steps**2 * share * (1 - share))):
        x = angles[kept] * steps[v]
        q = share[v]
        # 1 - |1 - q + q e^{ix}|² = 4 q (1 - q) sin²(x/2), without cancellation.
        drop = -4 * q * (1 - q) * np.sin(x / 2) ** 2
        modulus = modulus + counts[v] * 0.5 * np.log1p(np.maximum(drop, _NEARLY_ONE))
        phase = phase + counts[v] * np.arctan2(q * np.sin(x), 1 - q + q * np.cos(x))
        alive = modulus > -_NATS
        kept, modulus, phase = kept[alive], modulus[alive], phase[alive]
    return modulus, phase, kept


def lattice_tail(steps: NDArray[np.int64], counts: NDArray[np.int64], bound: int) -> float:
    """``P(Σ k ξ >= bound)`` for fair independent ξ, in the upper half of the law.

    Parameters
    ----------
    steps : ndarray of int, shape (V,)
        Distinct magnitudes, positive, in whole steps.
    counts : ndarray of int, shape (V,)
        How many units have each.
    bound : int
        At least half of ``Σ c k`` and at most ``Σ c k``.

    Returns
    -------
    float
        The tail; its relative error is about 1e-12.

    Examples
    --------
    >>> import numpy as np
    >>> round(lattice_tail(np.array([1]), np.array([10]), 9) * 2**10, 9)
    11.0
    """
    k, c = steps.astype(float), counts.astype(float)
    total = int((steps * counts).sum())
    units = int(counts.sum())
    if bound >= total:
        return math.ldexp(1.0, -units) if units < 1074 else math.exp(-units * math.log(2))
    if 2 * bound <= total:
        return _tail(k, c, bound, 0.0)
    tilt = _tilt(k, c, float(bound))
    return _tail(k, c, bound, tilt)


def _tail(k: NDArray[np.float64], c: NDArray[np.float64], bound: int, tilt: float) -> float:
    from scipy.special import expit

    share = expit(tilt * k)
    mean = float(c @ (k * share))
    variance = float(c @ (k**2 * share * (1 - share)))
    reach = math.ceil(_half_width(variance, float(k.max()))) + 2
    above = max(1, min(int(c @ k), math.ceil(mean) + reach) - bound + 1)
    size = 2 * reach + above
    scale = math.exp(_log_partition(k, c, tilt) - tilt * bound)
    total = 0.0
    last = min(size // 2, math.ceil(_band(k, c, share) * size / (2 * math.pi)))
    for start in range(0, last + 1, _BLOCK):
        m = np.arange(start, min(start + _BLOCK, last + 1))
        angles = 2 * np.pi * m / size
        modulus, phase, kept = _log_modulus_and_phase(angles, k, c, share, float(bound))
        if not kept.size:
            continue
        z = tilt + 1j * angles[kept]
        if z[0] == 0:
            z[0] = _TINY
        geometric = np.expm1(-z * above) / np.expm1(-z)
        terms = np.real(np.exp(modulus + 1j * phase) * geometric)
        # Frequencies other than 0 and π stand for their conjugates too.
        twice = np.where((m[kept] == 0) | (2 * m[kept] == size), 1.0, 2.0)
        total += float((twice * terms).sum())
    return scale * total / size


def continuous_tail(magnitudes: NDArray[np.float64], observed: float) -> float:
    """``P(Σ ± a >= observed)`` for magnitudes off any lattice, by tilted inversion.

    Parameters
    ----------
    magnitudes : ndarray of float, shape (units,)
        Positive magnitudes.
    observed : float
        Between 0 and the sum of the magnitudes.

    Returns
    -------
    float
        The tail of the law as if it were smooth.

    Notes
    -----
    With ``K(λ) = Σ log cosh(λ a)`` and λ > 0 at the saddle point ``K'(λ) = observed``,
    ``P = exp(K - λ s)/π ∫_0^∞ Re[φ_λ(t) e^{-its} / (λ + it)] dt`` (trapezoidal rule, whose error is
    the mass that wraps around a window holding all but 1e-17).
    The law has 2^units atoms; treating it as smooth is meant for more than 20 units.
    """
    from scipy.optimize import brentq

    a = magnitudes
    total = float(a.sum())
    if observed >= total * (1 - 1e-12):
        return math.exp(-a.size * math.log(2))

    def excess(tilt: float) -> float:
        return float((a * np.tanh(tilt * a)).sum()) - observed

    high = 1.0 / float(a.max())
    while excess(high) < 0:
        high *= 2
    spread = math.sqrt(float((a**2).sum()))
    # At the centre the tilt would vanish and the kernel with it; a small one serves as well.
    tilt = max(float(brentq(excess, 0.0, high, rtol=1e-14)), 0.25 / spread)
    variance = float((a**2 / np.cosh(np.minimum(tilt * a, 300)) ** 2).sum())
    mean = observed + excess(tilt)
    window = 2 * _half_width(variance, 2 * float(a.max())) + abs(mean - observed) + _NATS / tilt
    spacing = 2 * math.pi / window
    limit = math.sqrt(2 * _NATS / max(variance, 1e-300)) * 4
    t = (np.arange(min(math.ceil(limit / spacing), 1 << 18)) + 0.5) * spacing
    log_phi = np.zeros(t.size, dtype=complex)
    for value in a:
        x = t * value
        th = math.tanh(min(tilt * value, 300))
        log_phi += 0.5 * np.log1p(-(1 - th * th) * np.sin(x) ** 2)
        log_phi += 1j * np.arctan2(th * np.sin(x), np.cos(x))
    log_k = float((np.logaddexp(tilt * a, -tilt * a) - math.log(2)).sum())
    terms = np.real(np.exp(log_phi - 1j * t * observed) / (tilt + 1j * t))
    return math.exp(log_k - tilt * observed) * spacing / math.pi * float(terms.sum())
