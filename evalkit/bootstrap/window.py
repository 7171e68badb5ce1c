"""How far from its mean a sum of bounded draws can be: Bernstein's inequality."""

from __future__ import annotations

import math

from evalkit.bootstrap.characteristic import Moments

__all__ = ["LOG_MASS", "bernstein_window"]

LOG_MASS = math.log(2e16)
"""Minus the logarithm of the mass left outside on each side: 1e-16 on both together."""


def bernstein_window(moments: Moments) -> tuple[float, float]:
    """Return distances below and above the mean that hold all but 1e-16 of the mass.

    Parameters
    ----------
    moments : Moments
        Of the sum.

    Returns
    -------
    tuple of float
        Distance below and distance above, both positive.

    Notes
    -----
    Bernstein's inequality (Boucheron, Lugosi and Massart 2013, corollary 2.11): for independent
    centred X_i <= b with sum of variances v, ``P(sum X_i >= t) <= exp(-t² / (2 (v + b t / 3)))``.
    The right-hand side is ``exp(-L)`` when ``t² - (2 b L / 3) t - 2 v L = 0``, whose positive
    root is ``t = b L / 3 + sqrt((b L / 3)² + 2 v L)``; a larger t only lowers it.
    With L = log(2e16) each side leaves at most 5e-17 outside, whatever the law. The lower side
    is the same statement for the negated draws. This is a proof for every sample, where a number of
    standard deviations would be a guess.

    Examples
    --------
    >>> below, above = bernstein_window(Moments(variance=8.5, third=0.0, below=0.5, above=0.5))
    >>> round(below, 1), below == above
    (32.3, True)
    """
    return _distance(moments.below, moments.variance), _distance(moments.above, moments.variance)


def _distance(bound: float, variance: float) -> float:
    half = bound * LOG_MASS / 3.0
    return half + math.sqrt(half * half + 2.0 * LOG_MASS * variance)
