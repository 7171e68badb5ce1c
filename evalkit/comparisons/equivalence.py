"""Equivalence and non-inferiority of paired systems, from the pivot that compares them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

from evalkit.comparisons.paired import compare_pairs, paired_pivot
from evalkit.errors import ArgumentError
from evalkit.intervals._wald_type import Pivot
from evalkit.results import Interval, Range, json_value
from evalkit.tally import Tally

__all__ = [
    "Equivalence",
    "NonInferiority",
    "PivotMethod",
    "equivalence_test",
    "non_inferiority_test",
]

PivotMethod = Literal[
    "default",
    "augmented-t",
    "augmented-cluster-t",
    "t",
    "wald",
    "bonett-price",
    "cr2",
    "cr1",
    "cr0",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Equivalence:
    """Whether a difference lies within a margin on both sides of 0.

    Attributes
    ----------
    difference : float or None
        Mean of the differences.
    margin : float
        The difference is of no consequence when it lies in ``(-margin, margin)``.
    p_lower, p_upper : float or None
        One-sided p-values of "at or below ``-margin``" and of "at or above ``margin``".
    p_value : float or None
        The larger of the two.
    interval : Interval or None
        Interval of the difference at level ``1 - 2 (1 - level)``.
    verdict : {"equivalent", "not shown", "undefined"}
        Whether that interval lies inside the margins.
    level : float
        One minus the size of each one-sided test.
    n_pairs : int
        Pairs.
    note : str or None
        What was assumed, or why the verdict is undefined.
    """

    difference: float | None
    margin: float
    p_lower: float | None
    p_upper: float | None
    p_value: float | None
    interval: Interval | None
    verdict: Literal["equivalent", "not shown", "undefined"]
    level: float
    n_pairs: int
    note: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        return {
            "difference": json_value(self.difference),
            "margin": self.margin,
            "p_lower": json_value(self.p_lower),
            "p_upper": json_value(self.p_upper),
            "p_value": json_value(self.p_value),
            "interval": json_value(self.interval),
            "verdict": self.verdict,
            "level": self.level,
            "n_pairs": self.n_pairs,
            "note": self.note,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class NonInferiority:
    """Whether the candidate is worse than the base by less than a margin.

    Attributes
    ----------
    difference : float or None
        Mean of the differences, candidate minus base.
    margin : float
        Loss that is of no consequence.
    p_value : float or None
        One-sided p-value of "at or below ``-margin``".
    bound : float or None
        One-sided lower bound of the difference at `level`.
    verdict : {"non-inferior", "not shown", "undefined"}
        Whether the bound lies above ``-margin``.
    level : float
        One minus the size of the one-sided test.
    method : str or None
        Statistic that the bound comes from.
    n_pairs : int
        Pairs.
    note : str or None
        What was assumed, or why the verdict is undefined.
    """

    difference: float | None
    margin: float
    p_value: float | None
    bound: float | None
    verdict: Literal["non-inferior", "not shown", "undefined"]
    level: float
    method: str | None
    n_pairs: int
    note: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        return {
            "difference": json_value(self.difference),
            "margin": self.margin,
            "p_value": json_value(self.p_value),
            "bound": json_value(self.bound),
            "verdict": self.verdict,
            "level": self.level,
            "method": self.method,
            "n_pairs": self.n_pairs,
            "note": self.note,
        }


def _upper_tail(statistic: float, df: float) -> float:
    from scipy.special import ndtr, stdtr

    return float(ndtr(-statistic) if math.isinf(df) else stdtr(df, -statistic))


def _check(margin: float, smallest: str, level: float, method: str, bounds: Range | None) -> float:
    """Return the width of the range, which bounds a difference."""
    if not math.isfinite(margin) or margin < 0 or (margin == 0 and smallest == "above 0"):
        raise ArgumentError(f"`margin` is {margin}; it must be {smallest}")
    if not 0.5 < level < 1:
        raise ArgumentError(f"`level` is {level}; a one-sided level lies between 0.5 and 1")
    if method not in get_args(PivotMethod):
        allowed = ", ".join(get_args(PivotMethod))
        raise ArgumentError(f"`method` is {method!r}; the t-type statistics are {allowed}")
    width = math.inf if bounds is None else bounds[1] - bounds[0]
    if margin >= width:
        raise ArgumentError(
            f"`margin` is {margin} and no difference can exceed {width:g}, the width of the range, "
            "so every result would pass; choose a smaller margin"
        )
    return width


def _statistic(
    differences: Tally, method: PivotMethod, bounds: Range | None
) -> tuple[Pivot | None, str | None]:
    """Pivot of the comparison, and what the comparison says about it."""
    pivot = paired_pivot(differences, method=method, score_range=bounds)
    notes = compare_pairs(differences, method=method, score_range=bounds).notes
    return pivot, "; ".join(notes) or None


def equivalence_test(
    differences: Tally,
    *,
    margin: float,
    method: PivotMethod = "default",
    level: float = 0.95,
    score_range: Range | None = (0.0, 1.0),
) -> Equivalence:
    """Test whether two systems differ by less than a margin, by two one-sided tests.

    Parameters
    ----------
    differences : Tally
        Candidate minus base, pair by pair; with clusters when pairs are not independent.
    margin : float
        Largest difference of no consequence, chosen before the data are seen.
    method : str
        Statistic by name, as in :func:`compare_pairs`; those of t type only.
    level : float
        One minus the size of each one-sided test.
    score_range : (float, float) or None
        Range of the scores.

    Returns
    -------
    Equivalence

    Raises
    ------
    ArgumentError
        If the margin or level is not allowed, or the method does not fit the data.

    Notes
    -----
    With centre c, standard error s and df degrees of freedom of the same pivot that
    :func:`compare_pairs` uses, ``p_lower = P(T >= (c + margin) / s)`` and
    ``p_upper = P(T >= (margin - c) / s)``. Both are below ``α = 1 - level`` exactly when the
    interval at level ``1 - 2α`` lies inside ``(-margin, margin)`` (Schuirmann 1987), and the
    test that uses the larger p-value has size α.
    "Not separated" is no evidence of equivalence, and a difference can be both separated from 0
    and equivalent. Undefined wherever the comparison is.

    Examples
    --------
    >>> from evalkit.tally import tally_values
    >>> found = equivalence_test(tally_values([1] * 12 + [-1] * 10 + [0] * 378), margin=0.05)
    >>> found.verdict, round(found.interval.low, 4), round(found.interval.high, 4)
    ('equivalent', -0.0151, 0.0251)
    """
    width = _check(margin, "above 0", level, method, score_range)
    pivot, note = _statistic(differences, method, score_range)
    interval = p_lower = p_upper = None
    verdict: Literal["equivalent", "not shown", "undefined"] = "undefined"
    if pivot is not None:
        interval = pivot.interval(level=2 * level - 1, low=-width, high=width)
        p_lower = _upper_tail((pivot.centre + margin) / pivot.se, pivot.df)
        p_upper = _upper_tail((margin - pivot.centre) / pivot.se, pivot.df)
        inside = -margin < interval.low and interval.high < margin
        verdict = "equivalent" if inside else "not shown"
    return Equivalence(
        difference=differences.mean,
        margin=margin,
        p_lower=p_lower,
        p_upper=p_upper,
        p_value=None if p_lower is None or p_upper is None else max(p_lower, p_upper),
        interval=interval,
        verdict=verdict,
        level=level,
        n_pairs=differences.n,
        note=note,
    )


def non_inferiority_test(
    differences: Tally,
    *,
    margin: float,
    method: PivotMethod = "default",
    level: float = 0.95,
    score_range: Range | None = (0.0, 1.0),
) -> NonInferiority:
    """Test whether the candidate loses less than a margin to the base.

    Parameters
    ----------
    differences, method, score_range
        As in :func:`equivalence_test`.
    margin : float
        Loss of no consequence; 0 asks for superiority.
    level : float
        One minus the size of the one-sided test: 0.975 matches a two-sided 95 % interval.

    Returns
    -------
    NonInferiority

    Raises
    ------
    ArgumentError
        If the margin or level is not allowed, or the method does not fit the data.

    Notes
    -----
    ``p = P(T >= (c + margin) / s)``, below ``1 - level`` exactly when the lower bound
    ``c - t s`` lies above ``-margin``. Undefined wherever the comparison is.

    Examples
    --------
    >>> from evalkit.tally import tally_values
    >>> found = non_inferiority_test(tally_values([1] * 12 + [-1] * 10 + [0] * 378), margin=0.05)
    >>> found.verdict, round(found.bound, 4)
    ('non-inferior', -0.0151)
    """
    width = _check(margin, "0 or above", level, method, score_range)
    pivot, note = _statistic(differences, method, score_range)
    bound = p_value = None
    verdict: Literal["non-inferior", "not shown", "undefined"] = "undefined"
    if pivot is not None:
        bound = pivot.interval(level=2 * level - 1, low=-width, high=width).low
        p_value = _upper_tail((pivot.centre + margin) / pivot.se, pivot.df)
        verdict = "non-inferior" if bound > -margin else "not shown"
    return NonInferiority(
        difference=differences.mean,
        margin=margin,
        p_value=p_value,
        bound=bound,
        verdict=verdict,
        level=level,
        method=None if pivot is None else pivot.method,
        n_pairs=differences.n,
        note=note,
    )
