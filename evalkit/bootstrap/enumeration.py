"""The exact law of a small sample: every distinct resample with its multinomial probability."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from evalkit.bootstrap.characteristic import Draws, sum_moments
from evalkit.bootstrap.law import DiscreteLaw
from evalkit.bootstrap.ratio import ratio_acceleration

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MAX_RESAMPLES", "can_enumerate", "enumerated_mean", "enumerated_ratio", "resamples"]

MAX_RESAMPLES = 20_000
"""Distinct resamples up to which a law off the lattice is enumerated."""


def can_enumerate(number: int, distinct: int) -> bool:
    """Say whether a sample has few enough distinct resamples: C(n + V - 1, V - 1) of them.

    Examples
    --------
    >>> can_enumerate(8, 8), can_enumerate(9, 9)
    (True, False)
    """
    return math.comb(number + distinct - 1, distinct - 1) <= MAX_RESAMPLES


def resamples(counts: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return all ways to draw the sample anew, as counts, and their probabilities.

    Parameters
    ----------
    counts : ndarray of float, shape (V,)
        How often each distinct value occurs; n in total.

    Returns
    -------
    tuple of ndarray
        Counts, shape (R, V), and probabilities, shape (R,).

    Notes
    -----
    Stars and bars: V - 1 bars among n + V - 1 places. Probabilities are multinomial with
    the observed proportions.

    Examples
    --------
    >>> drawn, probability = resamples(np.array([1.0, 1.0]))
    >>> drawn.tolist(), probability.round(12).tolist()
    ([[0.0, 2.0], [1.0, 1.0], [2.0, 0.0]], [0.25, 0.5, 0.25])
    """
    number, parts = int(counts.sum()), counts.size
    places = number + parts - 1
    bars = np.array(list(combinations(range(places), parts - 1)), dtype=float)
    edges = np.hstack(
        [
            np.full((len(bars), 1), -1.0),
            bars.reshape(len(bars), -1),
            np.full((len(bars), 1), places),
        ]
    )
    drawn = np.diff(edges, axis=1) - 1.0
    table = np.array([math.lgamma(k + 1.0) for k in range(number + 1)])
    logs = table[number] - table[drawn.astype(int)].sum(axis=1) + drawn @ np.log(counts / number)
    return drawn, np.exp(logs)


def enumerated_mean(values: NDArray[np.float64], counts: NDArray[np.float64]) -> DiscreteLaw:
    """Return the exact law of a mean.

    Examples
    --------
    >>> enumerated_mean(np.array([0.0, 1.0]), np.array([1.0, 1.0])).points.tolist()
    [0.0, 0.5, 1.0]
    """
    drawn, probability = resamples(counts)
    number = counts.sum()
    mean = float(counts @ values / number)
    # Skewness has no unit; dividing by the largest deviation keeps its cubes in range.
    deviations = (values - mean) / np.abs(values - mean).max()
    return DiscreteLaw.of(
        drawn @ values / number,
        probability,
        mean=mean,
        acceleration=sum_moments([Draws.of(deviations, counts)]).skewness / 6.0,
    )


def enumerated_ratio(
    numerators: NDArray[np.float64], denominators: NDArray[np.float64], counts: NDArray[np.float64]
) -> DiscreteLaw:
    """Return the exact law of a ratio of sums over resampled units.

    Examples
    --------
    >>> law = enumerated_ratio(np.array([0.0, 1.0]), np.array([1.0, 2.0]), np.array([1.0, 1.0]))
    >>> law.points.round(3).tolist()
    [0.0, 0.333, 0.5]
    """
    drawn, probability = resamples(counts)
    return DiscreteLaw.of(
        (drawn @ numerators) / (drawn @ denominators),
        probability,
        mean=float(counts @ numerators / (counts @ denominators)),
        acceleration=ratio_acceleration(numerators, denominators, counts),
    )
