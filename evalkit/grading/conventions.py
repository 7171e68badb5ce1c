"""One set of verdicts under the five conventions that benchmarks use, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from evalkit.grading.rates import Rate, rate

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["convention_table"]

_ONE_ORDER = "one order only"


def convention_table(
    first: NDArray[np.float64],
    second: NDArray[np.float64] | None,
    reference: NDArray[np.float64],
    *,
    clusters: Sequence[str] | None,
    level: float,
) -> tuple[Rate, ...]:
    """Agreement under each convention, each with its interval.

    Parameters
    ----------
    first, second : ndarray of float
        Verdicts with A, and with B, shown first; 1 (A), 0 (tie), -1 (B), NaN (missing).
    reference : ndarray of float
        The better answer, 1 (A) or -1 (B).
    clusters : sequence of str, optional
        Cluster of each pair.
    level : float
        Nominal coverage.

    Returns
    -------
    tuple of Rate
        A verdict is a vote for the better answer, against it, or for neither; a missing one is no
        vote. ``half_credit``: 1, 1/2 or 0 as more, as many or fewer orders vote for it than
        against it, over pairs with a verdict; ``ties_wrong``: as many is wrong too (the official
        rule of JudgeBench); ``both_right``: right in both orders; ``order_1`` and ``order_2``:
        right in that order. All but the first are over all pairs.

    Examples
    --------
    >>> table = convention_table(np.array([1.0, 1.0]), np.array([1.0, -1.0]), np.ones(2),
    ...                          clusters=None, level=0.95)
    >>> [(line.name, line.value) for line in table]  # doctest: +NORMALIZE_WHITESPACE
    [('half_credit', 0.75), ('ties_wrong', 0.5), ('both_right', 0.5), ('order_1', 1.0),
     ('order_2', 0.5)]
    """
    one = np.nan_to_num(first * reference)
    two = None if second is None else np.nan_to_num(second * reference)
    net = one if two is None else one + two
    silent = np.isnan(first) if second is None else np.isnan(first) & np.isnan(second)
    lines: dict[str, NDArray[np.float64] | None] = {
        "half_credit": np.where(silent, np.nan, (1.0 + np.sign(net)) / 2.0),
        "ties_wrong": (net > 0).astype(float),
        "both_right": None if two is None else ((one > 0) & (two > 0)).astype(float),
        "order_1": (one > 0).astype(float),
        "order_2": None if two is None else (two > 0).astype(float),
    }
    return tuple(
        Rate(name=name, value=None, interval=None, n=0, note=_ONE_ORDER)
        if values is None
        else rate(name, values, clusters=clusters, level=level)
        for name, values in lines.items()
    )
