"""Intervals for one proportion, from a count of successes and a number of trials.

`wilson`, `clopper_pearson` and `jeffreys` also take a real-valued count and an effective n,
which is how the effective-sample-size methods of :mod:`evalkit.intervals.means` call them.
"""

from __future__ import annotations

import math
from typing import Literal, get_args

from evalkit.errors import ArgumentError
from evalkit.intervals._student import normal_quantile
from evalkit.results import Interval, check_level

__all__ = [
    "ProportionMethod",
    "agresti_coull",
    "clopper_pearson",
    "jeffreys",
    "mid_p",
    "proportion_interval",
    "wald",
    "wilson",
    "wilson_at",
]

ProportionMethod = Literal[
    "wilson", "clopper-pearson", "mid-p", "jeffreys", "agresti-coull", "wald"
]
Bounds = tuple[float, float]


def _clip(low: float, high: float) -> Bounds:
    return max(0.0, low), min(1.0, high)


def wilson(successes: float, n: float, *, level: float = 0.95) -> Bounds:
    """Invert the score test of a proportion.

    Parameters
    ----------
    successes : float
        Number of successes, ``0 <= successes <= n``.
    n : float
        Number of trials (or effective number), positive.
    level : float
        Nominal coverage.

    Returns
    -------
    tuple of float
        Bounds in [0, 1].

    Notes
    -----
    With ``p = successes / n``, the bounds are
    ``(p + z²/2n ± z sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n)`` (Wilson 1927).
    Coverage at n = 34 never falls below .919; it is the default for one binary rate.

    Examples
    --------
    >>> [round(x, 10) for x in wilson(0, 40)]
    [0.0, 0.0876216012]
    """
    return wilson_at(successes, n, z=normal_quantile(level))


def wilson_at(successes: float, n: float, *, z: float) -> Bounds:
    """Return Wilson's bounds at a normal quantile, which reaches levels that a double cannot."""
    p = successes / n
    shrink = 1 + z * z / n
    centre = (p + z * z / (2 * n)) / shrink
    half = z / shrink * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low = 0.0 if successes <= 0 else centre - half
    high = 1.0 if successes >= n else centre + half
    return _clip(low, high)


def agresti_coull(successes: float, n: float, *, level: float = 0.95) -> Bounds:
    """Wald interval after adding z²/2 successes and z²/2 failures (Agresti and Coull 1998).

    Examples
    --------
    >>> [round(x, 4) for x in agresti_coull(27, 34)]
    [0.629, 0.8995]
    """
    z = normal_quantile(level)
    total = n + z * z
    p = (successes + z * z / 2) / total
    half = z * math.sqrt(p * (1 - p) / total)
    return _clip(p - half, p + half)


def clopper_pearson(successes: float, n: float, *, level: float = 0.95) -> Bounds:
    """Invert two one-sided exact binomial tests; coverage is never below `level`.

    Notes
    -----
    Beta quantiles ``B(α/2; k, n-k+1)`` and ``B(1-α/2; k+1, n-k)`` (Clopper and Pearson 1934).

    Examples
    --------
    >>> [round(x, 10) for x in clopper_pearson(0, 40)]
    [0.0, 0.0880973029]
    """
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    low = 0.0 if successes <= 0 else float(betaincinv(successes, n - successes + 1, tail))
    high = 1.0 if successes >= n else float(betaincinv(successes + 1, n - successes, 1 - tail))
    return low, high


def jeffreys(successes: float, n: float, *, level: float = 0.95) -> Bounds:
    """Equal-tailed posterior interval under the Beta(1/2, 1/2) prior.

    Notes
    -----
    The bound is moved to 0 (or 1) when there are no successes (or no failures), after
    Brown, Cai and DasGupta (2001).

    Examples
    --------
    >>> [round(x, 4) for x in jeffreys(27, 34)]
    [0.6377, 0.9029]
    """
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    a, b = successes + 0.5, n - successes + 0.5
    low = 0.0 if successes <= 0 else float(betaincinv(a, b, tail))
    high = 1.0 if successes >= n else float(betaincinv(a, b, 1 - tail))
    return low, high


def mid_p(successes: int, n: int, *, level: float = 0.95) -> Bounds:
    """Invert the exact binomial test with mid-p tails.

    Notes
    -----
    The lower bound solves ``P(X > k) + P(X = k)/2 = α/2`` in p, the upper one
    ``P(X < k) + P(X = k)/2 = α/2`` (Berry and Armitage 1995).

    Examples
    --------
    >>> [round(x, 4) for x in mid_p(27, 34)]
    [0.6347, 0.9052]
    """
    from scipy.optimize import brentq
    from scipy.special import bdtr

    tail = (1 - level) / 2

    def lower_tail(p: float) -> float:
        """P(X < k) + P(X = k)/2."""
        below = float(bdtr(successes - 1, n, p)) if successes else 0.0
        return (below + float(bdtr(successes, n, p))) / 2

    low = 0.0 if successes == 0 else brentq(lambda p: lower_tail(p) - (1 - tail), 0.0, 1.0)
    high = 1.0 if successes == n else brentq(lambda p: lower_tail(p) - tail, 0.0, 1.0)
    return float(low), float(high)


def wald(successes: float, n: float, *, level: float = 0.95) -> Bounds:
    """Take the normal interval with the estimated standard error; for comparison only.

    Notes
    -----
    Its width is 0 at 0 and n successes, and its coverage falls to .49 at n = 34.

    Examples
    --------
    >>> [round(x, 4) for x in wald(27, 34)]
    [0.6582, 0.93]
    """
    p = successes / n
    half = normal_quantile(level) * math.sqrt(p * (1 - p) / n)
    return _clip(p - half, p + half)


_METHODS = {
    "wilson": wilson,
    "clopper-pearson": clopper_pearson,
    "mid-p": mid_p,
    "jeffreys": jeffreys,
    "agresti-coull": agresti_coull,
    "wald": wald,
}


def proportion_interval(
    successes: int, n: int, *, method: ProportionMethod = "wilson", level: float = 0.95
) -> Interval | None:
    """Interval of a binomial proportion.

    Parameters
    ----------
    successes, n : int
        Successes and trials.
    method : {"wilson", "clopper-pearson", "mid-p", "jeffreys", "agresti-coull", "wald"}
        By default the score interval.
    level : float
        Nominal coverage.

    Returns
    -------
    Interval or None
        ``None`` for ``n = 0``, and for ``wald`` where its width would be 0.

    Raises
    ------
    ArgumentError
        If ``0 <= successes <= n`` does not hold or the method is not known.

    Examples
    --------
    >>> proportion_interval(27, 34)
    Interval(low=0.632..., high=0.896..., level=0.95, method='wilson')
    """
    if not 0 <= successes <= n:
        raise ArgumentError(f"`successes` is {successes} of `n` {n}; it must lie in 0..n")
    check_level(level)
    if method not in _METHODS:
        allowed = ", ".join(get_args(ProportionMethod))
        raise ArgumentError(f"`method` is {method!r}; for one proportion use one of {allowed}")
    if n == 0 or (method == "wald" and successes in (0, n)):
        return None
    low, high = _METHODS[method](successes, n, level=level)
    return Interval(low=low, high=high, level=level, method=method)
