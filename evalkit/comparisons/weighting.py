"""One mean over several groups, with the standard error of the same weights."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from evalkit.errors import ArgumentError
from evalkit.intervals import clustered, independent
from evalkit.intervals._wald_type import Pivot
from evalkit.intervals.mean import infer_range
from evalkit.results import Interval, Range, check_level, json_value
from evalkit.tally import Tally

__all__ = ["PooledMean", "Weighting", "pooled_mean"]

Weighting = Literal["macro", "micro"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PooledMean:
    """A weighted mean of group means.

    Attributes
    ----------
    estimate : float or None
        ``Σ w_i m_i``.
    se : float or None
        ``sqrt(Σ w_i² se_i²)``; ``None`` when a group has no standard error.
    interval : Interval or None
        t interval on Welch and Satterthwaite's degrees of freedom.
    weighting : {"macro", "micro"}
        Equal weights, or weights by the number of outcomes.
    weights : tuple of float
        Weight of each group, in the order given; they sum to 1.
    n : int
        Outcomes over all groups.
    level : float
        Nominal coverage.
    note : str or None
        Why something is undefined.
    """

    estimate: float | None
    se: float | None
    interval: Interval | None
    weighting: Weighting
    weights: tuple[float, ...]
    n: int
    level: float
    note: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        bounds = self.interval
        return {
            "estimate": json_value(self.estimate),
            "low": None if bounds is None else bounds.low,
            "high": None if bounds is None else bounds.high,
            "level": self.level,
            "method": None if bounds is None else bounds.method,
            "se": json_value(self.se),
            "weighting": self.weighting,
            "weights": json_value(self.weights),
            "n": self.n,
            "note": self.note,
        }


def _name(group: Tally, index: int) -> str:
    return ", ".join(group.by.values()) or f"group {index + 1}"


def _pivot(group: Tally) -> Pivot | None:
    if group.clusters is None:
        return independent.student_t(group)
    return clustered.cluster_pivot(group.clusters)


def _reason(group: Tally) -> str:
    if group.n < 2:
        return f"{group.n} scored row{'s' if group.n != 1 else ''}"
    if group.clusters is not None and group.clusters.number < 2:
        return "one cluster"
    return "no spread"


def pooled_mean(
    tallies: Sequence[Tally],
    *,
    weights: Weighting,
    level: float = 0.95,
    score_range: Range | None = None,
) -> PooledMean:
    """Average the means of several groups, with a standard error of the same weights.

    Parameters
    ----------
    tallies : sequence of Tally
        One for each group: tasks, verifiers, domains. Groups are independent samples.
    weights : {"macro", "micro"}
        ``"macro"`` gives every group the weight 1/k: the mean over groups. ``"micro"`` gives it
        its share of the outcomes: the mean over items.
    level : float
        Nominal coverage.
    score_range : (float, float), optional
        Range of the scores, which cuts the interval; (0, 1) when every score lies there.

    Returns
    -------
    PooledMean

    Raises
    ------
    ArgumentError
        If the weighting is unknown, or a score lies outside the range.

    Notes
    -----
    ``se = sqrt(Σ w_i² se_i²)`` with ``se_i = s_i / sqrt(n_i)`` (n - 1 in the variance), CR2 with
    clusters; ``df = se⁴ / Σ (w_i⁴ se_i⁴ / df_i)`` (Satterthwaite 1946; Welch 1947).
    The groups are fixed: the error is that of new items in the same groups, also for the micro
    mean, whose shares are taken as given (a stratified mean).
    A group without a standard error (one row, one cluster, no spread) leaves that of the pooled
    mean undefined, and a group without rows the macro mean itself.

    Examples
    --------
    >>> from evalkit.tally import tally_values
    >>> tasks = [tally_values([1] * 300 + [0] * 100), tally_values([1] * 4 + [0] * 12)]
    >>> for weights in ("macro", "micro"):
    ...     found = pooled_mean(tasks, weights=weights)
    ...     print(round(found.estimate, 10), round(found.se, 10))
    0.5 0.0569427889
    0.7307692308 0.0212829281
    """
    if weights not in get_args(Weighting):
        raise ArgumentError(f"`weights` is {weights!r}; use 'macro' or 'micro'")
    check_level(level)
    low, high = infer_range(tallies, score_range=score_range) or (-math.inf, math.inf)
    n = sum(t.n for t in tallies)
    shares: tuple[float, ...] = ()
    if weights == "macro":
        shares = tuple(1 / len(tallies) for _ in tallies)
    elif n:
        shares = tuple(t.n / n for t in tallies)
    empty = [_name(t, i) for i, t in enumerate(tallies) if t.n == 0]
    if n == 0 or (empty and weights == "macro"):
        where = f" in {', '.join(empty)}" if n else ""
        return PooledMean(
            estimate=None,
            se=None,
            interval=None,
            weighting=weights,
            weights=shares,
            n=n,
            level=level,
            note=f"no scored rows{where}",
        )
    parts = [(w, t, _pivot(t), i) for i, (w, t) in enumerate(zip(shares, tallies, strict=True))]
    used = [part for part in parts if part[0] > 0]
    estimate = sum(w * (t.mean or 0.0) for w, t, _, _ in used)
    missing = [f"{_name(t, i)} ({_reason(t)})" for _, t, pivot, i in used if pivot is None]
    pivots = [(w, pivot) for w, _, pivot, _ in used if pivot is not None]
    notes = [f"no scored rows in {', '.join(empty)}"] if empty else []
    se = interval = None
    if missing:
        notes.append(f"no standard error, since these have none: {', '.join(missing)}")
    else:
        variance = sum(w**2 * p.se**2 for w, p in pivots)
        se = math.sqrt(variance)
        df = variance**2 / sum(w**4 * p.se**4 / p.df for w, p in pivots)
        pooled = Pivot(centre=estimate, se=se, df=df, name=f"{weights} mean, welch-t")
        interval = pooled.interval(level=level, low=low, high=high)
    return PooledMean(
        estimate=estimate,
        se=se,
        interval=interval,
        weighting=weights,
        weights=shares,
        n=n,
        level=level,
        note="; ".join(notes) or None,
    )
