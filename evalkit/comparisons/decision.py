"""From a difference to a verdict: one pivot gives the interval, the p-value and the mde."""

from __future__ import annotations

from dataclasses import dataclass

from evalkit.intervals._student import t_quantile
from evalkit.intervals._wald_type import Pivot
from evalkit.results import Interval, Verdict

__all__ = ["Decision", "decide", "detectable", "undefined"]

POWER = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """An interval of a difference and what it decides.

    Attributes
    ----------
    interval : Interval or None
        Interval of the difference.
    p_value : float or None
        p-value of the statistic that the interval inverts.
    test : str or None
        Name of that statistic.
    mde : float or None
        Smallest difference detected with 80 % power.
    notes : tuple of str
        Reasons and assumptions.
    """

    interval: Interval | None
    p_value: float | None
    test: str | None
    mde: float | None
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """Whether the interval excludes 0."""
        if self.interval is None:
            return "undefined"
        excluded = self.interval.low > 0 or self.interval.high < 0
        return "separated" if excluded else "not separated"


def detectable(se: float, df: float, *, level: float, power: float = POWER) -> float:
    """Smallest difference that a two-sided t test detects with the given power.

    Notes
    -----
    ``(t_{1-α/2} + t_{power}) se``, both quantiles on `df` degrees of freedom.

    Examples
    --------
    >>> import math
    >>> round(detectable(0.05, math.inf, level=0.95), 4)
    0.1401
    """
    return (t_quantile(level, df) + t_quantile(2 * power - 1, df)) * se


def decide(pivot: Pivot, *, level: float, low: float, high: float) -> Decision:
    """Turn a pivot of a difference into an interval, a p-value and an mde.

    Where no difference between `low` and `high` is large enough, there is no mde, and a note.
    """
    smallest = detectable(pivot.se, pivot.df, level=level)
    possible = smallest <= high
    return Decision(
        interval=pivot.interval(level=level, low=low, high=high),
        p_value=pivot.p_value(),
        test=pivot.method,
        mde=smallest if possible else None,
        notes=() if possible else (f"no possible difference has {POWER:.0%} power here: no mde",),
    )


def undefined(*notes: str) -> Decision:
    """Return the decision that cannot be taken, with its reasons."""
    return Decision(interval=None, p_value=None, test=None, mde=None, notes=notes)
