"""Two proportions: independent samples (Newcombe) and matched pairs (Tango)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from evalkit.errors import ArgumentError
from evalkit.intervals._student import normal_quantile
from evalkit.intervals.binomial import wilson_at
from evalkit.results import Interval

__all__ = [
    "DifferenceInterval",
    "newcombe_bounds",
    "paired_proportions",
    "tango_bounds",
    "two_proportions",
]

Bounds = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceInterval:
    """A difference of proportions, its interval and the p-value that the interval inverts.

    Attributes
    ----------
    difference : float or None
        Second proportion minus the first.
    interval : Interval or None
        ``None`` when a sample is empty.
    p_value : float or None
        One minus the largest level at which the interval excludes 0.
    """

    difference: float | None
    interval: Interval | None
    p_value: float | None


def newcombe_bounds(k1: int, n1: int, k2: int, n2: int, *, level: float) -> Bounds:
    """Hybrid score bounds of ``k2/n2 - k1/n1`` (Newcombe 1998, method 10).

    Notes
    -----
    With Wilson bounds ``l_i, u_i`` of each proportion,
    ``low = d - sqrt((p2 - l2)² + (u1 - p1)²)`` and ``high = d + sqrt((u2 - p2)² + (p1 - l1)²)``.

    Examples
    --------
    >>> [round(x, 4) for x in newcombe_bounds(48, 80, 56, 70, level=0.95)]
    [0.0524, 0.3339]
    """
    return _newcombe_at(k1, n1, k2, n2, z=normal_quantile(level))


def _newcombe_at(k1: int, n1: int, k2: int, n2: int, *, z: float) -> Bounds:
    p1, p2 = k1 / n1, k2 / n2
    l1, u1 = wilson_at(k1, n1, z=z)
    l2, u2 = wilson_at(k2, n2, z=z)
    d = p2 - p1
    low = d - math.hypot(p2 - l2, u1 - p1)
    high = d + math.hypot(u2 - p2, p1 - l1)
    return max(-1.0, low), min(1.0, high)


def _p_by_inversion(bounds: Callable[[float], Bounds], difference: float) -> float:
    """One minus the level at which a bound of the interval meets 0."""
    from scipy.optimize import brentq
    from scipy.special import ndtr

    if difference == 0:
        return 1.0
    side = 0 if difference > 0 else 1

    def bound(z: float) -> float:
        return bounds(z)[side]

    top = 37.0  # beyond it the normal tail underflows
    if bound(1e-9) * bound(top) > 0:
        return float(2 * ndtr(-top))
    return float(2 * ndtr(-brentq(bound, 1e-9, top, xtol=1e-12)))


def two_proportions(
    k1: int, n1: int, k2: int, n2: int, *, level: float = 0.95
) -> DifferenceInterval:
    """Compare two independent proportions.

    Parameters
    ----------
    k1, n1 : int
        Successes and trials of the base.
    k2, n2 : int
        Successes and trials of the candidate.
    level : float
        Nominal coverage.

    Returns
    -------
    DifferenceInterval
        Newcombe's hybrid score interval of ``k2/n2 - k1/n1``.

    Raises
    ------
    ArgumentError
        If ``0 <= k <= n`` does not hold.

    Notes
    -----
    The samples must be independent: two runs over the same items are paired, and treating them
    as independent is usually too cautious.

    Examples
    --------
    >>> result = two_proportions(1059, 1400, 1091, 1400)
    >>> round(result.difference, 4), round(result.interval.low, 4), round(result.p_value, 3)
    (0.0229, -0.0084, 0.152)
    """
    for k, n in ((k1, n1), (k2, n2)):
        if not 0 <= k <= n:
            raise ArgumentError(f"{k} successes of {n} trials; successes must lie in 0..n")
    if n1 == 0 or n2 == 0:
        return DifferenceInterval(difference=None, interval=None, p_value=None)
    low, high = newcombe_bounds(k1, n1, k2, n2, level=level)
    return DifferenceInterval(
        difference=k2 / n2 - k1 / n1,
        interval=Interval(low=low, high=high, level=level, method="newcombe"),
        p_value=_p_by_inversion(
            lambda z: _newcombe_at(k1, n1, k2, n2, z=z), float(k2 * n1 - k1 * n2)
        ),
    )


def _phi(both: int, wins: int, losses: int, neither: int) -> float:
    """Correlation of the two systems' outcomes, corrected for continuity when positive."""
    margins = (both + wins) * (losses + neither) * (both + losses) * (wins + neither)
    if margins == 0:
        return 0.0
    product = float(both * neither - wins * losses)
    if product > 0:
        product = max(product - (both + wins + losses + neither) / 2, 0.0)
    return product / math.sqrt(margins)


def paired_proportions(
    both: int, wins: int, losses: int, neither: int, *, level: float = 0.95
) -> DifferenceInterval:
    """Compare two proportions of the same items by Newcombe's square-and-add method.

    Parameters
    ----------
    both, wins, losses, neither : int
        Items right for both systems, for the candidate only, for the base only, for neither.
    level : float
        Nominal coverage.

    Returns
    -------
    DifferenceInterval
        Candidate minus base (method 10 of Newcombe 1998, paired).

    Notes
    -----
    With Wilson bounds ``l_i, u_i`` and the correlation φ of the 2 x 2 table,
    ``low = d - sqrt((p2-l2)² - 2φ(p2-l2)(u1-p1) + (u1-p1)²)`` and likewise above.

    Examples
    --------
    >>> found = paired_proportions(78, 48, 30, 44).interval
    >>> round(found.low, 4), round(found.high, 4)
    (0.0035, 0.1744)
    """
    n = both + wins + losses + neither
    if min(both, wins, losses, neither) < 0:
        raise ArgumentError(f"counts are {both}, {wins}, {losses}, {neither}; none can be negative")
    if n == 0:
        return DifferenceInterval(difference=None, interval=None, p_value=None)
    k1, k2 = both + losses, both + wins
    phi = _phi(both, wins, losses, neither)

    def bounds(z: float) -> Bounds:
        p1, p2, d = k1 / n, k2 / n, (wins - losses) / n
        l1, u1 = wilson_at(k1, n, z=z)
        l2, u2 = wilson_at(k2, n, z=z)
        down, up = (p2 - l2, u1 - p1), (u2 - p2, p1 - l1)
        below, above = (math.sqrt(max(a * a - 2 * phi * a * b + b * b, 0.0)) for a, b in (down, up))
        return max(-1.0, d - below), min(1.0, d + above)

    low, high = bounds(normal_quantile(level))
    return DifferenceInterval(
        difference=(wins - losses) / n,
        interval=Interval(low=low, high=high, level=level, method="newcombe (paired)"),
        p_value=_p_by_inversion(bounds, float(wins - losses)),
    )


def tango_bounds(wins: int, losses: int, n: int, *, level: float) -> Bounds:
    """Score bounds of the difference of paired proportions (Tango 1998).

    Parameters
    ----------
    wins, losses : int
        Discordant pairs in favour of the candidate, and of the base.
    n : int
        Pairs.
    level : float
        Nominal coverage.

    Notes
    -----
    Solves ``(wins - losses - n d)² = z² n (2 q + d (1 - d))`` in d, where q is the constrained
    maximum-likelihood estimate of the probability of a loss: the larger root of
    ``2n q² + (-wins - losses + (2n - wins + losses) d) q - losses d (1 - d) = 0``.

    Examples
    --------
    >>> [round(x, 4) for x in tango_bounds(48, 30, 200, level=0.95)]
    [0.0035, 0.1757]
    """
    from scipy.optimize import brentq

    z = normal_quantile(level)
    estimate = (wins - losses) / n

    def excess(d: float) -> float:
        """Signed score statistic less its critical value."""
        b = -wins - losses + (2 * n - wins + losses) * d
        root = math.sqrt(max(b * b + 8 * n * losses * d * (1 - d), 0.0))
        variance = n * (2 * (root - b) / (4 * n) + d * (1 - d))
        distance = abs(wins - losses - n * d)
        return distance - z * math.sqrt(max(variance, 0.0))

    inside, edge = 1e-10, 1e-12
    start_low, start_high = estimate - inside, estimate + inside
    low = max(estimate, -1.0)
    if estimate > -1 and excess(start_low) < 0:
        low = -1.0 if excess(-1 + edge) < 0 else brentq(excess, -1 + edge, start_low, xtol=1e-13)
    high = min(estimate, 1.0)
    if estimate < 1 and excess(start_high) < 0:
        high = 1.0 if excess(1 - edge) < 0 else brentq(excess, start_high, 1 - edge, xtol=1e-13)
    return float(low), float(high)
