"""An interval for the smallest of several rates: the accuracy on the worst family.

A minimum is not a regular statistic: its estimate is biased downwards where several families are
close, and a bootstrap of it does not have its level. The bounds here come from one-sided bounds of
the families instead, and hold however the families depend on each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from evalkit.errors import ArgumentError
from evalkit.intervals import clopper_pearson, design_effect, mid_p, satterthwaite_df
from evalkit.intervals._student import t_quantile
from evalkit.results import Interval, check_level
from evalkit.tally import Tally

__all__ = ["FamilyMethod", "joint_level", "rate_interval", "worst_family_interval"]

FamilyMethod = Literal["clopper-pearson", "mid-p"]
"""Interval of one family; contrasts that repeat a cluster take the first at an effective n."""


def joint_level(level: float, families: int) -> float:
    """Level of each two-sided interval such that all upper bounds hold at once.

    Examples
    --------
    >>> round(joint_level(0.95, 5), 12)
    0.99
    """
    return 1 - (1 - level) / families


def _repeats(tally: Tally) -> bool:
    return tally.clusters is not None and bool((tally.clusters.sizes > 1).any())


def _clustered(tally: Tally, level: float) -> Interval | None:
    """Clopper and Pearson's interval at the effective sample size of the clusters."""
    clusters = tally.clusters
    if clusters is None or clusters.number < 2 or tally.mean is None:
        return None
    units = float(clusters.sizes.sum()) ** 2 / float((clusters.sizes**2).sum())
    effect = design_effect(tally)
    effective = units
    if effect is not None:
        df = satterthwaite_df(clusters.sizes, within=1)
        loss = t_quantile(level, tally.n - 1) / t_quantile(level, df)
        raw = tally.n if effect <= 0 else (tally.n - 1) / effect * loss**2
        effective = min(max(raw, units), tally.n)
    low, high = clopper_pearson(tally.mean * effective, effective, level=level)
    method = f"clopper-pearson (effective n {effective:.4g} of {clusters.number} clusters)"
    return Interval(low=low, high=high, level=level, method=method)


def rate_interval(
    tally: Tally, *, level: float = 0.95, method: FamilyMethod = "clopper-pearson"
) -> Interval | None:
    """Interval of the success rate of one family.

    Parameters
    ----------
    tally : Tally
        Outcomes 0 and 1, with clusters where contrasts share tasks.
    level : float
        Nominal coverage.
    method : {"clopper-pearson", "mid-p"}
        Exact, or nearly and narrower. Ignored where a cluster holds several contrasts.

    Returns
    -------
    Interval or None
        ``None`` without outcomes, and where several contrasts are all of one cluster.

    Notes
    -----
    With one contrast a cluster the count is binomial. Otherwise the exact bounds are taken at an
    effective sample size, after Korn and Graubard (1998): ``(n - 1) / D`` times the squared ratio
    of the t quantiles at n - 1 and at the clusters' Satterthwaite degrees of freedom, kept between
    ``(Σm)² / Σm²`` and n; D is the CR2 design effect. Without spread it is ``(Σm)² / Σm²``.

    Examples
    --------
    >>> from evalkit.tally import tally_values
    >>> found = rate_interval(tally_values([1] * 11 + [0]))
    >>> round(found.low, 3), round(found.high, 3)
    (0.615, 0.998)
    """
    check_level(level)
    if method not in get_args(FamilyMethod):
        raise ArgumentError(
            f"`method` is {method!r}; for a family use one of {', '.join(get_args(FamilyMethod))}"
        )
    if not tally.is_binary:
        raise ArgumentError("`tally` holds outcomes other than 0 and 1; a success is either")
    if not tally.n:
        return None
    if _repeats(tally):
        return _clustered(tally, level)
    rule = clopper_pearson if method == "clopper-pearson" else mid_p
    low, high = rule(round(tally.total), tally.n, level=level)
    return Interval(low=low, high=high, level=level, method=method)


def worst_family_interval(
    tallies: Sequence[Tally], *, level: float = 0.95, method: FamilyMethod = "clopper-pearson"
) -> Interval | None:
    """Interval of the smallest success rate among families.

    Parameters
    ----------
    tallies : sequence of Tally
        Outcomes 0 and 1 of each family, as for :func:`rate_interval`.
    level : float
        Nominal coverage.
    method : {"clopper-pearson", "mid-p"}
        Interval of each family.

    Returns
    -------
    Interval or None
        ``None`` if there is no family, or one of them has no interval.

    Raises
    ------
    ArgumentError
        If an outcome is neither 0 nor 1, or a setting is not allowed.

    Notes
    -----
    With F families, rates p_f and ``α = 1 - level``, the interval is
    ``[min_f L_f(α/2), min_f U_f(α/2F)]`` of one-sided bounds with those error rates.

    Lower bound: if ``min_f L_f`` exceeds ``min_f p_f = p_w``, then L_w exceeds p_w, which happens
    with probability α/2 at most. No correction for the number of families is needed.
    Upper bound: if ``min_f U_f`` is below p_w, then some U_f is below ``p_w <= p_f``; by the union
    bound this has probability α/2 at most. (With Šidák's ``1 - (1 - α/2)^(1/F)`` in place of
    ``α/2F`` it would be narrower by less than .001 and assume independence.)

    Both hold whichever family is worst, also when several tie, and under any dependence between
    families; so exact bounds of the families give at least the nominal coverage. Within a family
    contrasts are independent, or share clusters.

    Examples
    --------
    >>> from evalkit.tally import tally_values
    >>> found = worst_family_interval([tally_values([1] * k + [0] * (12 - k)) for k in (11, 12)])
    >>> round(found.low, 3), round(found.high, 3)
    (0.615, 0.999)
    """
    check_level(level)
    if not tallies:
        return None
    alone = [rate_interval(t, level=level, method=method) for t in tallies]
    level_all = joint_level(level, len(tallies))
    jointly = [rate_interval(t, level=level_all, method=method) for t in tallies]
    lows = [i.low for i in alone if i is not None]
    highs = [i.high for i in jointly if i is not None]
    if len(lows) < len(tallies) or len(highs) < len(tallies):
        return None
    exact = "clopper-pearson, effective n" if any(map(_repeats, tallies)) else method
    return Interval(
        low=min(lows),
        high=min(highs),
        level=level,
        method=f"worst of {len(tallies)} families ({exact}; Bonferroni above)",
    )
