"""Cluster-robust standard errors of a mean, in closed form from cluster sums and sizes.

Notation: G clusters with sums S_g and sizes m_g, ``N = Σ m_g``, mean ``x = Σ S_g / N``,
leverage ``h_g = m_g / N`` and residuals ``e_g = S_g - m_g x``.
All three estimators divide ``Σ w_g e_g²`` by N²:
CR0 has ``w = 1``; CR1 ``w = G/(G-1)``; CR2 ``w_g = 1/(1-h_g)`` (Bell and McCaffrey 2002).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from evalkit.intervals._wald_type import Pivot
from evalkit.tally import ClusterSums, Tally

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["augmented_cluster_t", "cluster_pivot", "design_effect", "satterthwaite_df"]

Estimator = Literal["cr0", "cr1", "cr2"]


def _variance(sums: NDArray[np.float64], sizes: NDArray[np.float64], estimator: str) -> float:
    total = sizes.sum()
    residuals = sums - sizes * (sums.sum() / total)
    squares = residuals**2
    if estimator == "cr2":
        squares = squares / (1 - sizes / total)
    elif estimator == "cr1":
        squares = squares * (sizes.size / (sizes.size - 1))
    return float(squares.sum()) / float(total) ** 2


def satterthwaite_df(sizes: NDArray[np.float64], *, within: Literal[0, 1] = 0) -> float:
    """Degrees of freedom of the CR2 variance of a mean.

    Parameters
    ----------
    sizes : ndarray, shape (G,)
        Cluster sizes, at least two clusters.
    within : {0, 1}
        Correlation inside a cluster under the working model: 0 (independent outcomes, the
        usual choice) or 1 (a cluster is one observation, the cautious choice).

    Returns
    -------
    float
        ``tr(Q)² / tr(Q²)`` with ``V = y'Qy`` under the working model; G - 1 for equal sizes.

    Notes
    -----
    Write ``c_g = 1/(1-h_g)``. For independent outcomes
    ``N²Q_gk = √(c_g c_k) (m_g δ_gk - m_g m_k / N)``; for perfect correlation
    ``N²Q_gk = √(c_g c_k) (m_g² δ_gk - m_g m_k (m_g + m_k)/N + m_g m_k Σm²/N²)``.
    Both traces are sums over clusters, so the cost is O(G) (Pustejovsky and Tipton 2018
    give the general matrix form).

    Examples
    --------
    >>> import numpy as np
    >>> round(satterthwaite_df(np.full(50, 4.0)), 9)
    49.0
    """
    total = float(sizes.sum())
    h = sizes / total
    if within == 0:
        a = sizes * h / (1 - h)
        spread = (sizes**2).sum() + a.sum() ** 2 - (a**2).sum()
        return total**2 / float(spread)
    w = sizes**2 / (1 - h)
    kappa = float((h**2).sum())
    w0, w1, w2 = (float((w * h**k).sum()) for k in range(3))
    trace = float((w * (1 - 2 * h + kappa)).sum())
    everywhere = kappa**2 * w0**2 - 4 * kappa * w1 * w0 + 2 * w2 * w0 + 2 * w1**2
    diagonal = float((w**2 * ((1 - 2 * h + kappa) ** 2 - (kappa - 2 * h) ** 2)).sum())
    return trace**2 / (everywhere + diagonal)


def cluster_pivot(clusters: ClusterSums, *, estimator: Estimator = "cr2") -> Pivot | None:
    """Return the cluster-robust t-type statistic of a mean.

    Parameters
    ----------
    clusters : ClusterSums
        Sums and sizes.
    estimator : {"cr0", "cr1", "cr2"}
        CR0 refers to the normal law, CR1 to t on G - 1, CR2 to t with Satterthwaite's degrees
        of freedom.

    Returns
    -------
    Pivot or None
        ``None`` with fewer than two clusters or no spread between them.

    Examples
    --------
    >>> from evalkit.tally import tally_values
    >>> t = tally_values([1, 1, 1, 0, 0, 0, 1, 0], clusters="aabbccdd")
    >>> [round(cluster_pivot(t.clusters, estimator=e).se, 10) for e in ("cr0", "cr1", "cr2")]
    [0.1767766953, 0.2041241452, 0.2041241452]
    """
    if clusters.number < 2:
        return None
    variance = _variance(clusters.sums, clusters.sizes, estimator)
    scale = float((clusters.sums**2).sum()) / float(clusters.sizes.sum()) ** 2
    if variance <= 1e-28 * max(scale, 1e-300):
        return None
    df = {"cr0": math.inf, "cr1": float(clusters.number - 1)}.get(estimator)
    return Pivot(
        centre=float(clusters.sums.sum() / clusters.sizes.sum()),
        se=math.sqrt(variance),
        df=satterthwaite_df(clusters.sizes) if df is None else df,
        name=estimator,
    )


def design_effect(tally: Tally) -> float | None:
    """Ratio of the CR2 variance of the mean to its variance under independence.

    Returns
    -------
    float or None
        ``None`` without clusters, with one cluster, or without spread.

    Examples
    --------
    >>> from evalkit.tally import tally_values
    >>> design_effect(tally_values([1, 1, 0, 0], clusters="aabb"))
    3.0
    """
    clusters = tally.clusters
    if clusters is None or clusters.number < 2 or tally.n < 2 or tally.sum_of_squares <= 0:
        return None
    independent = tally.sum_of_squares / (tally.n - 1) / tally.n
    return _variance(clusters.sums, clusters.sizes, "cr2") / independent


def augmented_cluster_t(tally: Tally, *, low: float, high: float) -> Pivot | None:
    """CR2 and t after adding one pseudo-cluster at each end of the range.

    Parameters
    ----------
    tally : Tally
        With clusters; outcomes in ``[low, high]``.
    low, high : float
        Ends of the range: -1 and 1 for differences of scores in [0, 1].

    Returns
    -------
    Pivot or None
        ``None`` with fewer than two clusters.

    Notes
    -----
    The pseudo-clusters have size ``clip(max(D, m/2), 1, m)``, with D the estimated design effect
    (m when there is no spread) and ``m = Σ m_g² / Σ m_g`` the size of the cluster that an outcome
    is in on average, which is the design effect of perfectly correlated clusters. Degrees of
    freedom are Satterthwaite's with clusters as the units (``within=1``).
    With clusters of size 1 it is exactly :func:`evalkit.intervals.independent.augmented_t`.

    Examples
    --------
    >>> from evalkit.tally import tally_values
    >>> t = tally_values([0, 0, 0, 0], clusters="aabb")
    >>> augmented_cluster_t(t, low=-1, high=1).se > 0
    True
    """
    clusters = tally.clusters
    if clusters is None or clusters.number < 2:
        return None
    largest = max(float((clusters.sizes**2).sum() / clusters.sizes.sum()), 1.0)
    effect = design_effect(tally)
    size = min(max(largest if effect is None else effect, largest / 2, 1.0), largest)
    sums = np.concatenate([clusters.sums, [size * low, size * high]])
    sizes = np.concatenate([clusters.sizes, [size, size]])
    return Pivot(
        centre=float(sums.sum() / sizes.sum()),
        se=math.sqrt(_variance(sums, sizes, "cr2")),
        df=satterthwaite_df(sizes, within=1),
        name="augmented-cluster-t",
    )
