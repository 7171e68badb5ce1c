"""Equivalence and non-inferiority of paired systems, from the pivot that compares them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

from evalkit._checks import check_one_sided_level
from evalkit.comparisons.paired import compare_pairs, paired_pivot
from evalkit.errors import ArgumentError
from evalkit.intervals._student import upper_tail
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


def _check(
    margin: float, level: float, method: str, bounds: Range | None, *, zero_allowed: bool
) -> float:
    """Return the width of the range, which bounds a difference."""
    smallest = "0 or above" if zero_allowed else "above 0"
    if not math.isfinite(margin) or margin < 0 or (margin == 0 and not zero_allowed):
        raise ArgumentError(f"`margin` is {margin}; it must be {smallest}")
    check_one_sided_level(level)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _OneSided:
    """Both one-sided tests against a margin, off one pivot; all ``None`` where there is none."""

    interval: Interval | None = None
    p_lower: float | None = None
    p_upper: float | None = None
    method: str | None = None
    note: str | None = None


def _one_sided(
    differences: Tally,
    margin: float,
    method: PivotMethod,
    level: float,
    bounds: Range | None,
    *,
    zero_allowed: bool,
) -> _OneSided:
    """Check the settings and test "at or beyond the margin" on each side."""
    width = _check(margin, level, method, bounds, zero_allowed=zero_allowed)
    notes = compare_pairs(differences, method=method, score_range=bounds).notes
    note = "; ".join(notes) or None
    pivot = paired_pivot(differences, method=method, score_range=bounds)
    if pivot is None:
        return _OneSided(note=note)

    def p_value(distance: float) -> float:
        return upper_tail(distance / pivot.se, pivot.df)

    return _OneSided(
        interval=pivot.interval(level=2 * level - 1, low=-width, high=width),
        p_lower=p_value(pivot.centre + margin),
        p_upper=p_value(margin - pivot.centre),
        method=pivot.method,
        note=note,
    )


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
    found = _one_sided(differences, margin, method, level, score_range, zero_allowed=False)
    verdict: Literal["equivalent", "not shown", "undefined"] = "undefined"
    if found.interval is not None:
        inside = -margin < found.interval.low and found.interval.high < margin
        verdict = "equivalent" if inside else "not shown"
    one_sided = [p for p in (found.p_lower, found.p_upper) if p is not None]
    return Equivalence(
        difference=differences.mean,
        margin=margin,
        p_lower=found.p_lower,
        p_upper=found.p_upper,
        p_value=max(one_sided, default=None),
        interval=found.interval,
        verdict=verdict,
        level=level,
        n_pairs=differences.n,
        note=found.note,
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
    found = _one_sided(differences, margin, method, level, score_range, zero_allowed=True)
    verdict: Literal["non-inferior", "not shown", "undefined"] = "undefined"
    if found.interval is not None:
        verdict = "non-inferior" if found.interval.low > -margin else "not shown"
    return NonInferiority(
        difference=differences.mean,
        margin=margin,
        p_value=found.p_lower,
        bound=None if found.interval is None else found.interval.low,
        verdict=verdict,
        level=level,
        method=found.method,
        n_pairs=differences.n,
        note=found.note,
    )
