"""Which law a tally has: a point, a lattice, an enumeration, a ratio or a smooth one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from evalkit.bootstrap.characteristic import Draws, sum_moments
from evalkit.bootstrap.continuous import ContinuousLaw
from evalkit.bootstrap.enumeration import can_enumerate, enumerated_mean, enumerated_ratio
from evalkit.bootstrap.inversion import MAX_PERIOD, invert_lattice, lattice_period
from evalkit.bootstrap.joint_lattice import joint_ratio
from evalkit.bootstrap.lattice import Lattice, common_lattice, find_lattice
from evalkit.bootstrap.law import BootstrapLaw, LatticeLaw, PointLaw
from evalkit.bootstrap.ratio import RatioLaw, distinct_pairs
from evalkit.errors import ArgumentError
from evalkit.tally import ClusterSums, Tally

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["bootstrap_law", "mean_law", "ratio_law", "two_sample_law"]

_NEVER = 1e-9  # probability below which a resample without a ratio is left out of account


def bootstrap_law(tally: Tally) -> BootstrapLaw:
    """Return the law that infinitely many resamples of a mean would draw.

    Parameters
    ----------
    tally : Tally
        Outcomes, or paired differences. With clusters, whole clusters are resampled and the mean
        is over outcomes, a ratio of sums when cluster sizes differ.

    Returns
    -------
    BootstrapLaw
        `PointLaw` without spread, `LatticeLaw` on a lattice, `DiscreteLaw` for a few values off
        it and for up to about 100 unequal clusters, `RatioLaw` for more, else `ContinuousLaw`.

    Raises
    ------
    ArgumentError
        If there are no outcomes.

    Examples
    --------
    >>> from evalkit.tally import tally_values
    >>> law = bootstrap_law(tally_values([1] * 27 + [0] * 7))
    >>> law.mean == 27 / 34, [round(x, 3) for x in law.quantiles([0.025, 0.975])]
    (True, [0.647, 0.912])
    """
    if tally.n == 0:
        raise ArgumentError("`tally` has no outcomes; the bootstrap of a mean needs at least one")
    if tally.clusters is None:
        return mean_law(tally.values, tally.counts.astype(float))
    return _cluster_law(tally.clusters)


def _cluster_law(clusters: ClusterSums) -> BootstrapLaw:
    sums, sizes = clusters.sums, clusters.sizes
    if clusters.number < 2:
        return PointLaw(
            mean=float(sums.sum() / sizes.sum()),
            reason="one cluster: resampling clusters has nothing to vary",
        )
    if float(np.ptp(sizes)) == 0.0:
        distinct, counts = np.unique(sums, return_counts=True)
        return mean_law(distinct / float(sizes[0]), counts.astype(float))
    return ratio_law(sums, sizes)


def mean_law(values: NDArray[np.float64], counts: NDArray[np.float64]) -> BootstrapLaw:
    """Return the law of the mean of values that occur `counts` times.

    Examples
    --------
    >>> mean_law(np.array([0.7]), np.array([10.0])).quantile(0.025)
    0.7
    """
    if counts.sum() < 2:
        return PointLaw(mean=float(values[0]), reason="one outcome: nothing to resample")
    lattice = find_lattice(values)
    if lattice is not None and float(lattice.steps.max()) == 0.0:
        return PointLaw(mean=float(values[0]), reason="all outcomes equal")
    if lattice is not None and _affordable(lattice, counts):
        return LatticeLaw.of(lattice, counts)
    number = int(counts.sum())
    if can_enumerate(number, values.size):
        return enumerated_mean(values, counts)
    mean = float(counts @ values) / number
    # In units of the largest deviation no cube can over- or underflow.
    unit = float(np.abs(values - mean).max())
    part = Draws.of((values - mean) / unit, counts)
    return ContinuousLaw.of((part,), mean=mean, scale=number / unit)


def _affordable(lattice: Lattice, counts: NDArray[np.float64]) -> bool:
    if float(counts.sum() * lattice.steps.max()) < MAX_PERIOD:
        return True
    moments = sum_moments((Draws.of(lattice.steps, counts),))
    return lattice_period(moments, (-math.inf, math.inf))[2] <= MAX_PERIOD


def ratio_law(numerators: NDArray[np.float64], denominators: NDArray[np.float64]) -> BootstrapLaw:
    """Return the law of a ratio of sums over resampled units.

    Parameters
    ----------
    numerators : ndarray of float, shape (G,)
        Per unit: correct outcomes of a cluster, true positives of an item.
    denominators : ndarray of float, shape (G,)
        Per unit, none negative: size of a cluster; predicted positives for precision; predicted
        plus actual positives for F1, with twice the true positives above.

    Returns
    -------
    BootstrapLaw

    Raises
    ------
    ArgumentError
        If lengths differ, a denominator is negative, or too many are 0.

    Notes
    -----
    A resample in which every denominator is 0 has no ratio. Its probability, the share of such
    units to the power G, must be below 1e-9.

    Examples
    --------
    >>> law = ratio_law(np.array([0.0, 1.0, 3.0]), np.array([1.0, 2.0, 3.0]))
    >>> law.exactness, round(law.quantile(0.5), 4)
    ('exact', 0.6667)
    """
    if numerators.shape != denominators.shape or numerators.size == 0:
        raise ArgumentError(
            f"`numerators` has {numerators.size} units and `denominators` {denominators.size}; "
            "they must match and hold at least one"
        )
    if float(denominators.min()) < 0.0 or float(denominators.sum()) <= 0.0:
        raise ArgumentError("`denominators` must be non-negative and not all 0")
    empty = float((denominators == 0.0).mean())
    if empty ** float(denominators.size) > _NEVER:
        raise ArgumentError(
            f"{empty:.0%} of {denominators.size} `denominators` are 0, so resamples without any "
            "denominator are not rare; drop the empty units or collect more"
        )
    mean = float(numerators.sum() / denominators.sum())
    residuals = numerators - mean * denominators
    scale = float(np.abs(numerators).max() + abs(mean) * denominators.max())
    if numerators.size < 2 or float(np.abs(residuals).max()) <= 1e-12 * scale:
        return PointLaw(mean=mean, reason="all units have the same ratio")
    s, m, counts = distinct_pairs(numerators, denominators)
    if float(m.min()) > 0.0:
        if can_enumerate(numerators.size, s.size):
            return enumerated_ratio(s, m, counts)
        joint = joint_ratio(s, m, counts)
        if joint is not None:
            return joint
    return RatioLaw.of(numerators, denominators)


def two_sample_law(base: Tally, candidate: Tally) -> BootstrapLaw:
    """Return the law of the difference of two independent means, candidate minus base.

    Parameters
    ----------
    base, candidate : Tally
        Independent samples without clusters; both are resampled.

    Returns
    -------
    BootstrapLaw

    Raises
    ------
    ArgumentError
        If a sample is empty or clustered.

    Notes
    -----
    The characteristic function is the product of the two. With a common step h and g the greatest
    common divisor of the sizes, the difference lies on a lattice of step ``h g / (n_b n_c)``.

    Examples
    --------
    >>> from evalkit.tally import tally_values
    >>> law = two_sample_law(tally_values([0, 1]), tally_values([1, 1, 1, 0]))
    >>> law.mean, law.quantile(0.5)
    (0.25, 0.25)
    """
    for name, sample in (("base", base), ("candidate", candidate)):
        if sample.n == 0:
            raise ArgumentError(f"`{name}` has no outcomes; two samples need at least one each")
        if sample.clusters is not None:
            raise ArgumentError(f"`{name}` has clusters; two-sample laws need independent outcomes")
    if base.values.size == 1 and candidate.values.size == 1:
        return PointLaw(
            mean=float(candidate.values[0] - base.values[0]),
            reason="all outcomes equal in both samples",
        )
    lattices = common_lattice(candidate.values, base.values)
    law = None if lattices is None else _lattice_difference(*lattices, candidate, base)
    if law is not None:
        return law
    c, b = candidate.counts.astype(float), base.counts.astype(float)
    unit = max(float(np.ptp(x.values)) / x.n for x in (base, candidate))
    parts = (
        Draws.of((candidate.values - candidate.values[0]) / (candidate.n * unit), c),
        Draws.of((base.values[0] - base.values) / (base.n * unit), b),
    )
    mean = candidate.total / candidate.n - base.total / base.n
    return ContinuousLaw.of(parts, mean=mean, scale=1.0 / unit)


def _lattice_difference(
    high: Lattice, low: Lattice, candidate: Tally, base: Tally
) -> LatticeLaw | None:
    common = math.gcd(candidate.n, base.n)
    up, down = base.n // common, candidate.n // common
    c, b = candidate.counts.astype(float), base.counts.astype(float)
    parts = (Draws.of(up * high.steps, c), Draws.of(-down * low.steps, b))
    total_up = int(np.rint(c @ high.steps)) * up
    total_down = int(np.rint(b @ low.steps)) * down
    total = total_up - total_down
    ends = (
        -float(base.n * down * low.steps.max()) - total,
        float(candidate.n * up * high.steps.max()) - total,
    )
    if lattice_period(sum_moments(parts), ends)[2] > MAX_PERIOD:
        return None
    return LatticeLaw(
        inversion=invert_lattice(parts, support=ends),
        total=total,
        origin=high.origin - low.origin,
        step=high.step,
        scale=candidate.n * base.n // common,
    )
