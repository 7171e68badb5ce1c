"""The standard normal law for scalars, from the standard library: no import of scipy."""

from __future__ import annotations

import math
from statistics import NormalDist

__all__ = ["normal_cdf", "normal_quantile"]

_STANDARD = NormalDist()
_ROOT_HALF = math.sqrt(0.5)


def normal_cdf(z: float) -> float:
    """Return P(Z <= z), accurate in the lower tail.

    Examples
    --------
    >>> normal_cdf(0.0), normal_cdf(-math.inf)
    (0.5, 0.0)
    """
    return 0.5 * math.erfc(-z * _ROOT_HALF)


def normal_quantile(p: float) -> float:
    """Return the z with P(Z <= z) = p; infinite at 0 and 1.

    Notes
    -----
    Algorithm AS 241 (Wichura 1988), relative error about 1e-16.

    Examples
    --------
    >>> round(normal_quantile(0.975), 6), normal_quantile(0.0)
    (1.959964, -inf)
    """
    if p <= 0.0:
        return -math.inf
    if p >= 1.0:
        return math.inf
    return _STANDARD.inv_cdf(p)
