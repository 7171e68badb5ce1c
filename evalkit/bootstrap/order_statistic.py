"""The exact bootstrap of a sample quantile: the law of an order statistic."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from evalkit.bootstrap.law import DiscreteLaw
from evalkit.errors import ArgumentError
from evalkit.tally import Tally

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["quantile_law"]


def quantile_law(tally: Tally, *, probability: float = 0.5) -> DiscreteLaw:
    """Return the exact bootstrap law of a sample quantile.

    Parameters
    ----------
    tally : Tally
        At least one outcome; clusters are not supported.
    probability : float
        Strictly between 0 and 1; 0.5 is the median.

    Returns
    -------
    DiscreteLaw
        On the distinct outcomes.

    Raises
    ------
    ArgumentError
        If the tally is empty or clustered, or `probability` out of range.

    Notes
    -----
    The sample quantile is the order statistic ``x_(k)``, ``k = ceil(n p)`` (the inverse of the
    empirical distribution, type 1). A resample has ``x*_(k) <= x`` when at least k of its n draws
    are at or below x, so ``P = P(Binomial(n, F(x)) >= k) = I_F(x)(k, n - k + 1)`` (Maritz and
    Jarrett 1978; Efron 1979). For an even n the median is thus the lower middle value, not the
    midpoint. Acceleration is 0: the jackknife is inconsistent for quantiles.

    Examples
    --------
    >>> from evalkit.tally import tally_values
    >>> law = quantile_law(tally_values([1, 2, 3, 4, 5]))
    >>> law.mean, round(law.cdf(2.0), 5)
    (3.0, 0.31744)
    """
    from scipy.special import betainc

    if tally.clusters is not None:
        raise ArgumentError("`tally` has clusters; a quantile law needs independent outcomes")
    if tally.n == 0:
        raise ArgumentError("`tally` has no outcomes; a quantile needs at least one")
    if not 0 < probability < 1:
        raise ArgumentError(f"`probability` is {probability}; it must lie strictly between 0 and 1")
    n = tally.n
    # A product such as 0.1 * 30 exceeds the whole number it stands for by rounding.
    rank = max(1, math.ceil(n * probability - 1e-9))
    below = np.cumsum(tally.counts)
    cumulative: NDArray[np.float64] = np.asarray(betainc(rank, n - rank + 1, below / n))
    points = np.asarray(tally.values, dtype=float)
    mass = np.diff(cumulative, prepend=0.0)
    centre = float(points @ mass)
    se = math.sqrt(float(mass @ (points - centre) ** 2))
    return DiscreteLaw(
        points=points,
        probabilities=mass,
        mean=float(points[int(np.searchsorted(below, rank))]),
        se=se or None,
        acceleration=0.0,
    )
