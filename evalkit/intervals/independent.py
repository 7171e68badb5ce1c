"""Intervals of a mean of independent outcomes, from their tally.

For bounded scores the range is put to work: `wilson_neff` for one mean, `augmented_t` for a
mean difference. Both have width when every outcome is equal; Student's t has none.
"""

from __future__ import annotations

import math

from evalkit.intervals._wald_type import Pivot
from evalkit.intervals.binomial import Bounds, clopper_pearson, wilson
from evalkit.tally import Tally

__all__ = ["augmented_t", "effective_n", "korn_graubard", "student_t", "wald_mean", "wilson_neff"]


def student_t(tally: Tally) -> Pivot | None:
    """Student's t on n - 1 degrees of freedom; ``None`` when the outcomes have no spread.

    Examples
    --------
    >>> from evalkit.tally import tally_values
    >>> student_t(tally_values([1, 2, 3])).interval(level=0.95).low
    -0.484...
    """
    n = tally.n
    if n < 2 or tally.sum_of_squares <= 0:
        return None
    se = math.sqrt(tally.sum_of_squares / (n - 1) / n)
    return Pivot(centre=tally.total / n, se=se, df=n - 1, name="t")


def wald_mean(tally: Tally, *, ddof: int = 0) -> Pivot | None:
    """Return the normal interval with the plain standard error, for comparison only.

    Parameters
    ----------
    tally : Tally
        Outcomes.
    ddof : int
        0 for one mean, so that 0/1 scores give ``sqrt(p(1-p)/n)``; 1 for paired differences, as
        paired z tests have it.
    """
    n = tally.n
    if n < 2 or tally.sum_of_squares <= 0:
        return None
    se = math.sqrt(tally.sum_of_squares / (n - ddof) / n)
    return Pivot(centre=tally.total / n, se=se, df=math.inf, name="wald")


def effective_n(tally: Tally, *, low: float, high: float) -> float:
    """Return the number of 0/1 trials with the same mean and the same sampling variance.

    Notes
    -----
    With scores rescaled to [0, 1], mean m and maximum-likelihood variance s²,
    ``n_eff = n m (1 - m) / s²``: n itself for binary scores, more for half credits.
    Without spread the design effect is taken as 1.

    Examples
    --------
    >>> from evalkit.tally import tally_values
    >>> effective_n(tally_values([0, 0.5, 0.5, 1]), low=0, high=1)
    8.0
    """
    n = tally.n
    m = (tally.total / n - low) / (high - low)
    variance = tally.sum_of_squares / n / (high - low) ** 2
    # A mean within rounding of an end of the range has no spread to speak of.
    return n if variance <= 0 or not 0 < m < 1 else n * m * (1 - m) / variance


def _rescaled(tally: Tally, low: float, high: float) -> tuple[float, float]:
    size = effective_n(tally, low=low, high=high)
    m = min(1.0, max(0.0, (tally.total / tally.n - low) / (high - low)))
    return m * size, size


def wilson_neff(tally: Tally, *, low: float, high: float, level: float) -> Bounds:
    """Wilson's interval at the effective sample size, for one mean of scores in ``[low, high]``.

    Notes
    -----
    Coverage at n = 34 and means .5, .785, .96 of half-credit scores: .945, .942, .965.

    Examples
    --------
    >>> from evalkit.tally import tally_values
    >>> wilson_neff(tally_values([1.0] * 20), low=0, high=1, level=0.95)
    (0.838..., 1.0)
    """
    successes, size = _rescaled(tally, low, high)
    a, b = wilson(successes, size, level=level)
    return low + a * (high - low), low + b * (high - low)


def korn_graubard(
    tally: Tally, *, low: float, high: float, level: float, size: float | None = None
) -> Bounds:
    """Clopper-Pearson's interval at an effective sample size (Korn and Graubard 1998)."""
    successes, own = _rescaled(tally, low, high)
    if size is not None:
        successes, own = successes / own * size, size
    a, b = clopper_pearson(successes, own, level=level)
    return low + a * (high - low), low + b * (high - low)


def augmented_t(tally: Tally, *, low: float, high: float) -> Pivot:
    """Student's t after adding one pseudo-outcome at each end of the range.

    Parameters
    ----------
    tally : Tally
        At least one outcome, all in ``[low, high]``.
    low, high : float
        Ends of the range: -1 and 1 for differences of scores in [0, 1].

    Returns
    -------
    Pivot
        On n + 1 degrees of freedom; its standard error is never 0.

    Notes
    -----
    The t analogue of adding pseudo-pairs (Agresti and Min 2005; Bonett and Price 2012).
    On 2,000 held-out laws of paired differences at n = 20 and 34 its worst coverage is .955,
    where plain t, percentile and BCa bootstrap fall to .000 when disagreement is rare.

    Examples
    --------
    >>> from evalkit.tally import tally_values
    >>> pivot = augmented_t(tally_values([0.0] * 34), low=-1, high=1)
    >>> pivot.centre, round(pivot.se, 4)
    (0.0, 0.0398)
    """
    n = tally.n + 2
    centre = (tally.total + low + high) / n
    own = tally.total / tally.n
    squares = (
        tally.sum_of_squares
        + tally.n * (own - centre) ** 2
        + (low - centre) ** 2
        + (high - centre) ** 2
    )
    return Pivot(centre=centre, se=math.sqrt(squares / (n - 1) / n), df=n - 1, name="augmented-t")
