"""Two means over different items of the same clusters are not independent: their covariance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["shared_covariance"]


def _deviations(
    values: NDArray[np.float64], clusters: Sequence[object]
) -> tuple[dict[str, float], float]:
    """Sum of the deviations from the mean in each cluster, over the number of values."""
    out: dict[str, float] = {}
    for value, cluster in zip((values - values.mean()).tolist(), clusters, strict=True):
        name = str(cluster)
        out[name] = out.get(name, 0.0) + value
    return out, float(values.size)


def shared_covariance(
    first: NDArray[np.float64],
    first_clusters: Sequence[object] | None,
    second: NDArray[np.float64],
    second_clusters: Sequence[object] | None,
) -> tuple[int, float]:
    """Return the number of clusters that two samples share, and the covariance of their means.

    Parameters
    ----------
    first, second : ndarray of float
        Outcomes of different items.
    first_clusters, second_clusters : sequence, optional
        Their clusters; without both there is nothing to share.

    Returns
    -------
    int, float
        The covariance is 0 with fewer than two shared clusters.

    Notes
    -----
    ``G/(G-1) Σ_c a_c b_c`` over the G shared clusters, with a and b the sums of deviations of a
    cluster, each over the size of its sample: the cross term of the cluster-robust variance.

    Examples
    --------
    >>> import numpy as np
    >>> shared_covariance(np.array([1.0, 0.0]), "ab", np.array([1.0, 1.0, 0.0, 0.0]), "aabb")
    (2, 0.25)
    """
    if first_clusters is None or second_clusters is None or not first.size or not second.size:
        return 0, 0.0
    one, n = _deviations(first, first_clusters)
    two, m = _deviations(second, second_clusters)
    shared = sorted(set(one) & set(two))
    number = len(shared)
    if number < 2:
        return number, 0.0
    products = sum(one[name] * two[name] for name in shared)
    return number, products / (n * m) * number / (number - 1)
