"""Observed agreement and agreement by chance, for many resamples of the items at once.

Every coefficient is ``(po - pe) / (1 - pe)`` of two numbers that follow from sums over items, so
a resample is a vector of item weights and all resamples are one matrix product.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from evalkit.grading.rating_matrix import RatingMatrix

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "Parts",
    "brennan_prediger",
    "cohen",
    "conger",
    "corrected",
    "fleiss",
    "gwet",
    "item_agreement",
    "krippendorff",
    "krippendorff_ordinal",
    "raw_agreement",
]

Parts = Callable[["NDArray[np.float64]"], "tuple[NDArray[np.float64], NDArray[np.float64]]"]
_NEGLIGIBLE = 1e-12


def _ratio(top: NDArray[np.float64], bottom: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide; NaN where the denominator is 0."""
    return np.divide(top, bottom, out=np.full_like(top, np.nan), where=bottom > 0)


def corrected(po: NDArray[np.float64], pe: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``(po - pe) / (1 - pe)``, NaN where chance agreement is certain.

    Examples
    --------
    >>> corrected(np.array([0.75, 1.0]), np.array([5 / 16, 1.0])).tolist()
    [0.6363636363636364, nan]
    """
    room = 1.0 - pe
    room[room < _NEGLIGIBLE] = 0.0
    return _ratio(po - pe, room)


def item_agreement(
    counts: NDArray[np.float64], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Agreement among the pairs of ratings of each item, and whether it has a pair."""
    size = counts.sum(axis=1)
    paired = size >= 2
    top = (counts * (counts @ weights - 1.0)).sum(axis=1)
    return np.where(paired, _ratio(top, size * (size - 1)), 0.0), paired.astype(float)


def _observed(matrix: RatingMatrix, weights: NDArray[np.float64]) -> Parts:
    """Mean agreement of pairs of ratings, and (as the second part) no chance."""
    own, paired = item_agreement(matrix.counts, weights)

    def parts(b: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return _ratio(b @ own, b @ paired), np.zeros(len(b))

    return parts


def raw_agreement(matrix: RatingMatrix, weights: NDArray[np.float64]) -> Parts:
    """Share of pairs of ratings that agree, averaged over items; no correction for chance."""
    return _observed(matrix, weights)


def _shares(matrix: RatingMatrix) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Share of each category within each item, and whether the item has a rating."""
    size = matrix.counts.sum(axis=1)
    rated = size > 0
    return matrix.counts / np.where(rated, size, 1.0)[:, None], rated.astype(float)


def fleiss(matrix: RatingMatrix, weights: NDArray[np.float64]) -> Parts:
    """Fleiss' kappa: chance from the shares of the categories over all raters."""
    observed = _observed(matrix, weights)
    shares, rated = _shares(matrix)

    def parts(b: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        pi = _ratio(b @ shares, np.repeat((b @ rated)[:, None], shares.shape[1], axis=1))
        return observed(b)[0], ((pi @ weights) * pi).sum(axis=1)

    return parts


def gwet(matrix: RatingMatrix, weights: NDArray[np.float64]) -> Parts:
    """Gwet's AC1 (identity weights) and AC2: chance from how evenly categories are used."""
    observed = _observed(matrix, weights)
    shares, rated = _shares(matrix)
    q = shares.shape[1]
    factor = float(weights.sum()) / (q * (q - 1)) if q > 1 else np.nan

    def parts(b: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        pi = _ratio(b @ shares, np.repeat((b @ rated)[:, None], q, axis=1))
        return observed(b)[0], factor * (pi * (1.0 - pi)).sum(axis=1)

    return parts


def brennan_prediger(matrix: RatingMatrix, weights: NDArray[np.float64]) -> Parts:
    """Brennan and Prediger's coefficient: every category equally likely by chance."""
    observed = _observed(matrix, weights)
    q = max(len(matrix.categories), 1)
    chance = float(weights.sum()) / q**2

    def parts(b: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return observed(b)[0], np.full(len(b), chance)

    return parts


def conger(matrix: RatingMatrix, weights: NDArray[np.float64]) -> Parts:
    """Conger's kappa: Cohen's for any number of raters, each with shares of its own."""
    observed = _observed(matrix, weights)
    places = np.arange(len(matrix.categories))
    n, number = matrix.codes.shape
    hits = (matrix.codes[:, :, None] == places).astype(float)

    def parts(b: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        used = (b @ hits.reshape(n, -1)).reshape(len(b), number, places.size)
        own = _ratio(used, np.repeat(used.sum(axis=2, keepdims=True), places.size, axis=2))
        mean = own.mean(axis=1)
        square = ((own @ weights) * own).sum(axis=2).sum(axis=1)
        total = number**2 * ((mean @ weights) * mean).sum(axis=1)
        # Pairs of different raters only.
        chance = (total - square) / (number * (number - 1)) if number > 1 else mean.sum(axis=1)
        return observed(b)[0], chance

    return parts


def cohen(matrix: RatingMatrix, weights: NDArray[np.float64], pair: tuple[int, int]) -> Parts:
    """Cohen's kappa of two raters, over the items that both rated."""
    one, two = matrix.codes[:, pair[0]], matrix.codes[:, pair[1]]
    both = (one >= 0) & (two >= 0)
    places = np.arange(len(matrix.categories))
    first = ((one[:, None] == places) & both[:, None]).astype(float)
    second = ((two[:, None] == places) & both[:, None]).astype(float)
    own = np.where(both, weights[one, two], 0.0) if places.size else np.zeros(both.size)

    def parts(b: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        n = b @ both.astype(float)
        chance = (((b @ first) @ weights) * (b @ second)).sum(axis=1)
        return _ratio(b @ own, n), _ratio(chance, n**2)

    return parts


def krippendorff(matrix: RatingMatrix, weights: NDArray[np.float64]) -> Parts:
    """Krippendorff's alpha; the parts are one less the observed and expected disagreement."""
    counts = _paired_counts(matrix)
    size = counts.sum(axis=1)
    distance = 1.0 - weights
    own = _ratio((counts * (counts @ distance)).sum(axis=1), np.maximum(size - 1, 0))
    own = np.nan_to_num(own)

    def parts(b: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        used = b @ counts
        total = used.sum(axis=1)
        apart = ((used @ distance) * used).sum(axis=1)
        return 1.0 - _ratio(b @ own, total), 1.0 - _ratio(apart, total * (total - 1))

    return parts


def krippendorff_ordinal(matrix: RatingMatrix) -> Parts:
    """Krippendorff's alpha with his ordinal metric, which depends on how often ranks are used."""
    counts = _paired_counts(matrix)
    q = counts.shape[1]
    size = counts.sum(axis=1)
    scale = np.where(size >= 2, 1.0 / np.maximum(size - 1, 1), 0.0)
    pairs = counts[:, :, None] * counts[:, None, :]
    pairs[:, np.arange(q), np.arange(q)] -= counts
    pairs = (pairs * scale[:, None, None]).reshape(len(counts), -1)

    def parts(b: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        used = b @ counts
        total = used.sum(axis=1)
        # Mid-ranks: n_c + ... + n_k less half of both ends is the gap between two mid-ranks.
        middle = np.cumsum(used, axis=1) - used / 2.0
        distance = (middle[:, :, None] - middle[:, None, :]) ** 2
        largest = np.maximum(distance.max(axis=(1, 2), initial=0.0), _NEGLIGIBLE)
        observed = ((b @ pairs).reshape(len(b), q, q) * distance).sum(axis=(1, 2))
        expected = (used[:, :, None] * used[:, None, :] * distance).sum(axis=(1, 2))
        return (
            1.0 - _ratio(observed, total * largest),
            1.0 - _ratio(expected, total * (total - 1) * largest),
        )

    return parts


def _paired_counts(matrix: RatingMatrix) -> NDArray[np.float64]:
    """Return the counts of items with two ratings or more; others carry no pair."""
    counts = matrix.counts
    return np.where((counts.sum(axis=1) >= 2)[:, None], counts, 0.0)
