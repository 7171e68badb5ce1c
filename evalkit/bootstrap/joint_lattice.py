"""The law of a ratio of sums whose numerators and denominators both lie on lattices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalkit.bootstrap.lattice import find_lattice
from evalkit.bootstrap.law import DiscreteLaw
from evalkit.bootstrap.ratio import ratio_acceleration

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MAX_CELLS", "joint_ratio"]

MAX_CELLS = 1 << 18
"""Cells of the joint law of both sums up to which it is computed: about 100 clusters of 1-5."""
_NOTHING = 1e-16  # mass below the rounding of the transform


def joint_ratio(
    numerators: NDArray[np.float64], denominators: NDArray[np.float64], counts: NDArray[np.float64]
) -> DiscreteLaw | None:
    """Return the law of a ratio of sums from the joint law of its two sums.

    Parameters
    ----------
    numerators, denominators, counts : ndarray of float, shape (V,)
        Distinct pairs and how often each occurs; denominators are positive.

    Returns
    -------
    DiscreteLaw or None
        ``None`` when a coordinate has no lattice or the joint law has too many cells.

    Notes
    -----
    The joint law of (sum s*, sum m*) is the G-fold convolution of the law of the pairs, taken by a
    two-dimensional FFT over its whole support, so nothing wraps around. Each point of it has a
    ratio; equal ratios are added up. Its error is that of the transform, below 1e-13.

    Examples
    --------
    >>> law = joint_ratio(np.array([0.0, 1.0]), np.array([1.0, 2.0]), np.array([1.0, 1.0]))
    >>> law.points.round(3).tolist(), law.probabilities.round(12).tolist()
    ([0.0, 0.333, 0.5], [0.25, 0.5, 0.25])
    """
    first, second = find_lattice(numerators), find_lattice(denominators)
    number = int(counts.sum())
    if first is None or second is None:
        return None
    shape = tuple(number * int(axis.steps.max()) + 1 for axis in (first, second))
    if shape[0] * shape[1] > MAX_CELLS:
        return None
    base = np.zeros((int(first.steps.max()) + 1, int(second.steps.max()) + 1))
    np.add.at(base, (first.steps.astype(int), second.steps.astype(int)), counts / number)
    joint = np.fft.irfft2(np.fft.rfft2(base, shape) ** number, shape)
    k, j = np.nonzero(joint > _NOTHING)
    ratios = (number * first.origin + first.step * k) / (number * second.origin + second.step * j)
    return DiscreteLaw.of(
        ratios,
        joint[k, j],
        mean=float(counts @ numerators / (counts @ denominators)),
        acceleration=ratio_acceleration(numerators, denominators, counts),
        exactness="inversion error <= 1e-11",
    )
