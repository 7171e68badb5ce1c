"""The bootstrap-t interval of a mean, by resampling counts of distinct values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from evalkit.bootstrap.engines import check_count
from evalkit.bootstrap.seeds import streams
from evalkit.bootstrap.weights import value_counts
from evalkit.errors import ArgumentError
from evalkit.results import Interval, check_level
from evalkit.tally import Tally

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BootstrapT", "bootstrap_t_interval"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BootstrapT:
    """A bootstrap-t interval with what it was made from.

    Attributes
    ----------
    point : float or None
        Mean of the sample.
    interval : Interval or None
        ``None`` where it is undefined; `note` says why.
    se : float or None
        Standard error of the mean.
    resamples, seed : int
        Number of resamples, and the seed that repeats them.
    degenerate : int
        Resamples without spread; their t is infinite, or 0 at the sample's own mean.
    """

    point: float | None
    interval: Interval | None
    se: float | None
    resamples: int
    seed: int
    degenerate: int
    level: float
    note: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        bounds = self.interval
        return {
            "point": self.point,
            "low": None if bounds is None else bounds.low,
            "high": None if bounds is None else bounds.high,
            "level": self.level,
            "method": "bootstrap-t",
            "se": self.se,
            "resamples": self.resamples,
            "seed": self.seed,
            "degenerate": self.degenerate,
            "note": self.note,
        }


def bootstrap_t_interval(
    tally: Tally,
    *,
    level: float = 0.95,
    resamples: int = 9999,
    rng: int | np.random.Generator | None = None,
) -> BootstrapT:
    """Compute a bootstrap-t interval of a mean of independent outcomes.

    Parameters
    ----------
    tally : Tally
        Outcomes without clusters.
    level : float
        Nominal coverage.
    resamples : int
        Replicates; each draws counts of the distinct values, so cost does not grow with n.
    rng : int, Generator or None
        Seed; ``None`` draws one and reports it.

    Returns
    -------
    BootstrapT

    Raises
    ------
    ArgumentError
        If the tally has clusters or a setting is not allowed.

    Notes
    -----
    ``[m - t_(1 - a/2) s, m - t_(a/2) s]`` with t the quantiles of ``(m* - m) / s*`` (Efron 1981;
    Hall 1988). The law of that ratio is two-dimensional, so it is simulated. A resample without
    spread has an infinite t; when that reaches the limits the interval is undefined.

    Examples
    --------
    >>> from evalkit.tally import tally_values
    >>> result = bootstrap_t_interval(tally_values([0, 0.5, 1, 1, 0.5, 1, 0, 1] * 5), rng=0)
    >>> round(result.interval.low, 2), round(result.interval.high, 2), result.seed
    (0.49, 0.75, 0)
    """
    check_level(level)
    if tally.clusters is not None:
        raise ArgumentError("`tally` has clusters; use `monte_carlo` with `clusters`")
    check_count("resamples", resamples)
    source, n = streams(rng), tally.n
    if n < 2 or tally.sum_of_squares <= 0.0:
        reason = "all outcomes equal" if n > 1 else "fewer than two outcomes"
        return BootstrapT(
            point=tally.mean,
            interval=None,
            se=None,
            resamples=0,
            seed=source.seed,
            degenerate=0,
            level=level,
            note=f"{reason}: no standard error to studentise by (degenerate)",
        )
    mean, se = tally.total / n, math.sqrt(tally.sum_of_squares / (n - 1) / n)
    ratios = [
        _student(drawn, tally.values - mean, n)
        for drawn in value_counts(source, tally.counts, resamples=resamples)
    ]
    t = np.sort(np.concatenate([r[0] for r in ratios]))
    degenerate = sum(r[1] for r in ratios)
    tail = (1.0 - level) / 2.0
    below = t[max(1, math.ceil(tail * t.size - 1e-9)) - 1]
    above = t[max(1, math.ceil((1.0 - tail) * t.size - 1e-9)) - 1]
    low, high = float(mean - above * se), float(mean - below * se)
    defined = math.isfinite(low) and math.isfinite(high)
    name = f"bootstrap-t ({resamples} resamples, seed {source.seed})"
    note = f"{degenerate} of {resamples} resamples have no spread" if degenerate else None
    return BootstrapT(
        point=mean,
        interval=Interval(low=low, high=high, level=level, method=name) if defined else None,
        se=se,
        resamples=resamples,
        seed=source.seed,
        degenerate=degenerate,
        level=level,
        note=note if defined else f"{note}, and a limit is infinite",
    )


def _student(
    drawn: NDArray[np.float64], deviations: NDArray[np.float64], n: int
) -> tuple[NDArray[np.float64], int]:
    """Return t of each resample, and how many have no spread."""
    mean = drawn @ deviations / n
    square = np.maximum(drawn @ deviations**2 / n - mean**2, 0.0)
    flat = (drawn > 0).sum(axis=1) < 2
    se = np.sqrt(square / (n - 1))
    t = np.where(flat, np.inf * np.sign(np.where(mean == 0.0, np.nan, mean)), 0.0)
    np.divide(mean, se, out=t, where=~flat)
    return np.nan_to_num(t, nan=0.0, posinf=np.inf, neginf=-np.inf), int(flat.sum())
