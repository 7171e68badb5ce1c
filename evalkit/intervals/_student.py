"""Student's t and normal tails from scipy.special (scipy.stats takes 0.7 s to import)."""

from __future__ import annotations

import math

__all__ = ["normal_quantile", "t_quantile", "two_sided_p"]


def normal_quantile(level: float) -> float:
    """Two-sided normal quantile: 1.96 for a level of 0.95."""
    from scipy.special import ndtri

    return float(ndtri(0.5 + level / 2))


def t_quantile(level: float, df: float) -> float:
    """Two-sided quantile of Student's t; the normal one for infinite `df`."""
    from scipy.special import stdtrit

    return normal_quantile(level) if math.isinf(df) else float(stdtrit(df, 0.5 + level / 2))


def two_sided_p(statistic: float, df: float) -> float:
    """Two-sided tail probability of Student's t, of the normal law for infinite `df`."""
    from scipy.special import ndtr, stdtr

    x = -abs(statistic)
    return float(2 * (ndtr(x) if math.isinf(df) else stdtr(df, x)))
