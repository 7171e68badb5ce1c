"""Bias correction and acceleration: from a level to the level that BC and BCa read off."""

from __future__ import annotations

from evalkit.bootstrap.normal import normal_cdf, normal_quantile

__all__ = ["EDGE", "adjusted_level", "adjusted_levels", "bias_correction"]

EDGE = 1e-12
"""Adjusted levels are kept this far inside (0, 1)."""


def bias_correction(probability_below: float) -> float:
    """Return z0 from the mid-p probability that a resample falls below the estimate.

    Parameters
    ----------
    probability_below : float
        ``P(T* < t) + P(T* = t) / 2``.

    Notes
    -----
    Efron (1987) with the tie split in half. Counting only ``T* < t`` shifts every interval of
    a lattice statistic down: 27 right of 34 gives [.588, .882] instead of [.618, .912].

    Examples
    --------
    >>> bias_correction(0.5)
    0.0
    """
    return normal_quantile(min(max(probability_below, EDGE), 1.0 - EDGE))


def adjusted_level(level: float, *, bias: float, acceleration: float) -> float:
    """Return ``Phi(z0 + (z0 + z) / (1 - a (z0 + z)))``, Efron's BCa level; a = 0 gives BC.

    Notes
    -----
    Where ``1 - a (z0 + z) <= 0`` the formula has passed its pole and would come back from the
    other side; the level is then the end it was heading for, `EDGE` inside (0, 1).

    Examples
    --------
    >>> round(adjusted_level(0.025, bias=0.0, acceleration=0.0), 12)
    0.025
    >>> adjusted_level(0.999, bias=0.0, acceleration=0.5)
    0.999999999999
    """
    shifted = bias + normal_quantile(level)
    scale = 1.0 - acceleration * shifted
    if scale <= 0.0:
        return 1.0 - EDGE if shifted > 0.0 else EDGE
    return min(max(normal_cdf(bias + shifted / scale), EDGE), 1.0 - EDGE)


def adjusted_levels(
    level: float, *, bias: float = 0.0, acceleration: float = 0.0
) -> tuple[float, float]:
    """Return the two adjusted levels of a central interval of coverage `level`.

    Examples
    --------
    >>> [round(x, 12) for x in adjusted_levels(0.95)]
    [0.025, 0.975]
    """
    tail = (1.0 - level) / 2.0
    return (
        adjusted_level(tail, bias=bias, acceleration=acceleration),
        adjusted_level(1.0 - tail, bias=bias, acceleration=acceleration),
    )
