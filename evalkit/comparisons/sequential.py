"""A mean that is looked at while it grows: confidence sequences for bounded outcomes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from evalkit.errors import ArgumentError
from evalkit.results import Interval, Range, check_level, check_range, json_value

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["ConfidenceSequence", "confidence_sequence"]

_METHOD = "hedged betting (confidence sequence)"
_GRID = 1000
_CHUNK = 64
_BET_LIMIT = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceSequence:
    """Intervals after each outcome that hold at all times at once.

    Attributes
    ----------
    n : int
        Outcomes.
    mean : float or None
        Their mean.
    low, high : tuple of float or None
        Bounds after 1, 2, …, n outcomes, each the intersection of those so far; ``None`` from
        where the intersection is empty.
    level : float
        Chance that every interval holds the mean, at least.
    method : str
        Name of the method.
    note : str or None
        Why bounds are missing.
    """

    n: int
    mean: float | None
    low: tuple[float | None, ...]
    high: tuple[float | None, ...]
    level: float
    method: str = _METHOD
    note: str | None = None

    def at(self, n: int) -> Interval | None:
        """Return the interval after `n` outcomes; ``None`` where it is undefined."""
        if not 1 <= n <= self.n:
            raise ArgumentError(f"`n` is {n}; the sequence has looks 1..{self.n}")
        low, high = self.low[n - 1], self.high[n - 1]
        if low is None or high is None:
            return None
        return Interval(low=low, high=high, level=self.level, method=self.method)

    @property
    def interval(self) -> Interval | None:
        """Interval after the last outcome."""
        return self.at(self.n) if self.n else None

    def first_excluding(self, value: float) -> int | None:
        """Return the first look whose interval excludes `value`; ``None`` if there is none."""
        for look, (low, high) in enumerate(zip(self.low, self.high, strict=True), start=1):
            if low is not None and high is not None and not low <= value <= high:
                return look
        return None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        return {
            "n": self.n,
            "mean": json_value(self.mean),
            "low": json_value(self.low),
            "high": json_value(self.high),
            "level": self.level,
            "method": self.method,
            "note": self.note,
        }


def _bets(x: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
    """Bet on each outcome, from the outcomes before it only."""
    t = np.arange(1, x.size + 1)
    means = (0.5 + np.cumsum(x)) / (t + 1)
    variances = (0.25 + np.cumsum((x - means) ** 2)) / (t + 1)
    before = np.concatenate([[0.25], variances[:-1]])
    return np.sqrt(2 * math.log(2 / alpha) / (before * t * np.log1p(t)))


def _lower(x: NDArray[np.float64], bets: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
    """Lower bound after each outcome: the largest grid value below which all means are refuted.

    The wealth of betting on "more than m" falls in m, so the refuted means form an interval
    that starts at 0, and the last refuted grid point bounds it safely from inside.
    """
    grid = np.arange(1, _GRID) / _GRID
    limits = _BET_LIMIT / grid
    wealth = np.zeros(grid.size)
    threshold = math.log(2 / alpha)
    out = np.empty(x.size)
    for start in range(0, x.size, _CHUNK):
        part = x[start : start + _CHUNK, None]
        stakes = np.minimum(bets[start : start + _CHUNK, None], limits)
        paths = wealth + np.cumsum(np.log1p(stakes * (part - grid)), axis=0)
        refuted = (paths >= threshold).sum(axis=1)
        out[start : start + _CHUNK] = refuted / _GRID
        wealth = paths[-1]
    return np.maximum.accumulate(out)


def _check(values: ArrayLike, level: float, bounds: Range) -> NDArray[np.float64]:
    check_level(level)
    array = np.asarray(values, dtype=float).ravel()
    if not np.isfinite(array).all():
        raise ArgumentError("`values` holds NaN or an infinity; score or drop those rows first")
    low, high = bounds
    if array.size and not (low <= array.min() and array.max() <= high):
        worst = float(array.min() if array.min() < low else array.max())
        raise ArgumentError(
            f"a score of {worst:g} lies outside the range {low:g}..{high:g}, which the method "
            "relies on; declare `score_range`"
        )
    return (array - low) / (high - low)


def confidence_sequence(
    values: ArrayLike, *, level: float = 0.95, score_range: Range = (0.0, 1.0)
) -> ConfidenceSequence:
    """Bound a mean after every outcome, so that one may look and stop at any time.

    Parameters
    ----------
    values : array_like, shape (n,)
        Outcomes in the order in which they came (for paired systems: differences, with
        ``score_range=(-1, 1)``).
    level : float
        Chance that all intervals hold the mean, at least.
    score_range : (float, float)
        Range of the outcomes.

    Returns
    -------
    ConfidenceSequence

    Raises
    ------
    ArgumentError
        If an outcome is missing or lies outside the range.

    Notes
    -----
    The hedged capital process of Waudby-Smith and Ramdas (2024), chosen over their closed-form
    empirical-Bernstein sequence because that one is near the whole range at the few dozen
    outcomes of a gate. For each possible mean m, a gambler bets that outcomes are larger, another
    that they are smaller, with wealth ``Π (1 ± λ_t (x_t - m))``. Were m the mean, the chance that
    either wealth ever reached ``2/α`` would be at most ``α/2`` (Ville), so such m are refuted.
    With outcomes scaled to [0, 1], ``λ_t = sqrt(2 log(2/α) / (v_{t-1} t log(1+t)))``, cut at
    ``1/(2m)`` and ``1/(2(1-m))``, where v is the running variance that starts at 1/4.
    Simulated over 500 outcomes, all intervals at once hold the mean in .967 to .976 of 4,000 runs
    at a nominal .95.
    Bounds are rounded outwards to a grid of 1/1000 of the range.
    Needs a mean that does not change given the past: outcomes in random order, or independent.
    When it does change, the intersection may become empty, and the note says at which look.

    Examples
    --------
    >>> looks = confidence_sequence([1, 1, 0, 1] * 25)
    >>> looks.low[9], looks.low[99], looks.first_excluding(0.5)
    (0.36, 0.612, 29)
    """
    bounds = check_range(score_range)
    x = _check(values, level, bounds)
    if x.size == 0:
        return ConfidenceSequence(
            n=0, mean=None, low=(), high=(), level=level, note="no scored rows"
        )
    alpha = 1 - level
    bets = _bets(x, alpha)
    lows, highs = _lower(x, bets, alpha), 1 - _lower(1 - x, bets, alpha)
    width = bounds[1] - bounds[0]
    held = lows <= highs
    note = None
    if not held.all():
        look = int(np.argmin(held)) + 1
        note = f"no mean fits all looks from look {look} on: the mean changed along the sequence"
    return ConfidenceSequence(
        n=int(x.size),
        mean=bounds[0] + float(x.mean()) * width,
        low=tuple(
            bounds[0] + float(v) * width if ok else None for v, ok in zip(lows, held, strict=True)
        ),
        high=tuple(
            bounds[0] + float(v) * width if ok else None for v, ok in zip(highs, held, strict=True)
        ),
        level=level,
        note=note,
    )
