"""Normal law and window for kernels."""

from __future__ import annotations

import math

from evalkit.bootstrap.kernels.jit import jit

__all__ = ["adjusted_z", "normal_cdf", "probit", "window"]

LOG_MASS = math.log(2e16)
_ROOT_HALF = math.sqrt(0.5)
_ROOT_TAU = math.sqrt(2.0 * math.pi)
EDGE_Z = 7.034483825301132  # the normal quantile of 1 - 1e-12: adjusted levels stop there


@jit
def normal_cdf(z: float) -> float:
    """Return P(Z <= z)."""
    return 0.5 * math.erfc(-z * _ROOT_HALF)


@jit
def probit(p: float) -> float:
    """Return the normal quantile: Hastings' rational start, then Halley's iteration on erfc."""
    tail = min(p, 1.0 - p)
    if tail <= 0.0:
        return -math.inf if p < 0.5 else math.inf
    # Abramowitz and Stegun 26.2.23, error below 4.5e-4; each Halley step triples the digits.
    t = math.sqrt(-2.0 * math.log(tail))
    top = 2.515517 + t * (0.802853 + t * 0.010328)
    bottom = 1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))
    z = top / bottom - t
    for _ in range(3):
        error = (normal_cdf(z) - tail) * _ROOT_TAU * math.exp(0.5 * z * z)
        z -= error / (1.0 + 0.5 * z * error)
    return z if p < 0.5 else -z


@jit
def adjusted_z(z: float, bias: float, acceleration: float) -> float:
    """Return the normal quantile of Efron's adjusted level, held at its pole."""
    shifted = bias + z
    scale = 1.0 - acceleration * shifted
    if scale <= 0.0:
        return EDGE_Z if shifted > 0.0 else -EDGE_Z
    return min(max(bias + shifted / scale, -EDGE_Z), EDGE_Z)


@jit
def window(bound: float, variance: float) -> float:
    """Return the distance that Bernstein's inequality leaves 5e-17 beyond."""
    half = bound * LOG_MASS / 3.0
    return half + math.sqrt(half * half + 2.0 * LOG_MASS * variance)
