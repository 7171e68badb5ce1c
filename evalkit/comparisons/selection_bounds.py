"""The interval of whichever candidate wins: joint over all of them, from scores in clusters or not.

The tails are far (.05 over twice the number of candidates), and the winner is more often than not
one whose own spread came out small. So the spread is read off all candidates together, and the
bounds are Wilson's, whose distance grows with z² near an end of the range as exact bounds do, where
that of the augmented t grows with t.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalkit.estimation import estimate_values
from evalkit.intervals._student import t_quantile
from evalkit.intervals.binomial import wilson_at
from evalkit.intervals.clustered import cluster_pivot
from evalkit.intervals.independent import student_t
from evalkit.intervals.mean import infer_range
from evalkit.results import Interval, Range
from evalkit.tally import Tally, tally_values

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["winner_interval"]


def _variance(tally: Tally) -> float:
    """Variance of the mean: CR2 with clusters; 0 without spread."""
    found = student_t(tally) if tally.clusters is None else cluster_pivot(tally.clusters)
    return 0.0 if found is None else found.se**2


def _units(tally: Tally) -> float:
    """Effective number of outcomes when those of a cluster are all one."""
    if tally.clusters is None:
        return float(tally.n)
    sizes = tally.clusters.sizes
    return float(sizes.sum() ** 2 / (sizes**2).sum())


def _effective_n(winner: Tally, everyone: Sequence[Tally], bounds: Range) -> float:
    """Smaller of the winner's effective n and that of all candidates together."""
    low, high = bounds

    def largest_variance(tally: Tally) -> float:
        mean = tally.total / tally.n
        return (mean - low) * (high - mean)

    own, pooled = _variance(winner), sum(map(_variance, everyone))
    candidates = [_units(winner)] if own == 0 else [largest_variance(winner) / own]
    if pooled > 0:
        candidates.append(sum(map(largest_variance, everyone)) / pooled)
    return min(candidates)


def winner_interval(
    matrix: NDArray[np.float64],
    chosen: int,
    *,
    clusters: Sequence[object] | None,
    level: float,
    score_range: Range | None,
) -> Interval | None:
    """Interval of one candidate's mean that holds for whichever of them wins, at its level.

    Parameters
    ----------
    matrix : ndarray, shape (K, n)
        Scores of every candidate on the same items.
    chosen : int
        Candidate.
    clusters : sequence of length n, optional
        Cluster of each item.
    level : float
        Nominal coverage after Bonferroni's correction.
    score_range : (float, float), optional
        Range of the scores; (0, 1) is assumed when every score lies there.

    Returns
    -------
    Interval or None
        ``None`` where the default interval of the scores is.

    Notes
    -----
    Independent 0/1 scores: Wilson's. Otherwise the default interval of the scores, widened to
    Wilson's at ``n_eff = Σ (m - a)(b - m) / Σ se²`` (a, b the range), with Student's t on the
    number of units less one in place of z; both the sums over all candidates and the winner's own
    terms are tried, and the smaller n counts. A winner without spread counts each cluster once.
    Without a range there is nothing to widen by.
    """
    every = [tally_values(row, clusters=clusters) for row in matrix]
    winner = every[chosen]
    default = estimate_values(
        matrix[chosen], clusters=clusters, level=level, score_range=score_range
    ).interval
    bounds = infer_range(every, score_range=score_range)
    if default is None or bounds is None or default.method == "wilson":
        return default
    units = winner.n if winner.clusters is None else winner.clusters.number
    width = bounds[1] - bounds[0]
    size = _effective_n(winner, every, bounds)
    rate = (winner.total / winner.n - bounds[0]) / width
    low, high = wilson_at(size * rate, size, z=t_quantile(level, units - 1))
    return Interval(
        low=min(default.low, bounds[0] + width * low),
        high=max(default.high, bounds[0] + width * high),
        level=level,
        method=f"{default.method}, widened to wilson at n_eff {size:.4g}",
    )
