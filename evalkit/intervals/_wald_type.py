"""The shape that every t-type interval shares: a centre, a standard error, degrees of freedom."""

from __future__ import annotations

import math
from dataclasses import dataclass

from evalkit.intervals._student import t_quantile, two_sided_p
from evalkit.results import Interval

__all__ = ["Pivot"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pivot:
    """Centre, standard error and degrees of freedom of a t-type statistic.

    The interval and the p-value come from the same pivot, so they cannot disagree.

    Attributes
    ----------
    centre, se : float
        The interval is ``centre ± t se``; `se` is positive.
    df : float
        Degrees of freedom; infinite for the normal law.
    name : str
        Method, without its degrees of freedom.
    """

    centre: float
    se: float
    df: float
    name: str

    @property
    def method(self) -> str:
        """Name of the method with its degrees of freedom."""
        if math.isinf(self.df):
            return f"{self.name} (normal)"
        return f"{self.name} (t, {self.df:.4g} df)"

    def interval(self, *, level: float, low: float = -math.inf, high: float = math.inf) -> Interval:
        """Return ``centre ± t se``, cut to the possible range ``[low, high]``."""
        half = t_quantile(level, self.df) * self.se
        return Interval(
            low=min(max(self.centre - half, low), high),
            high=max(min(self.centre + half, high), low),
            level=level,
            method=self.method,
        )

    def p_value(self, *, null: float = 0.0) -> float:
        """Return the two-sided p-value of ``mean = null``."""
        return two_sided_p((self.centre - null) / self.se, self.df)
