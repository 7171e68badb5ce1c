"""How much two categories agree: 1 for the same, 0 for the furthest apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from evalkit.errors import ArgumentError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CategoryWeights", "category_weights"]

CategoryWeights = Literal[
    "identity", "linear", "quadratic", "ordinal", "radical", "ratio", "circular", "bipolar"
]


def _ordinal(x: NDArray[np.float64]) -> NDArray[np.float64]:
    ranks = np.arange(x.size)
    apart = np.abs(ranks[:, None] - ranks)
    return np.asarray(apart * (apart + 1) / 2.0, dtype=float)


def _ratio(x: NDArray[np.float64]) -> NDArray[np.float64]:
    total = x[:, None] + x
    part = np.divide(x[:, None] - x, total, out=np.zeros_like(total), where=total != 0)
    return np.asarray(part**2, dtype=float)


def _circular(x: NDArray[np.float64]) -> NDArray[np.float64]:
    turn = np.pi * (x[:, None] - x) / (x[-1] - x[0] + 1.0)
    return np.asarray(np.sin(turn) ** 2, dtype=float)


def _bipolar(x: NDArray[np.float64]) -> NDArray[np.float64]:
    total = x[:, None] + x
    span = (total - 2 * x[0]) * (2 * x[-1] - total)
    part = np.divide((x[:, None] - x) ** 2, span, out=np.zeros_like(total), where=span > 0)
    return np.asarray(part, dtype=float)


_DISTANCES: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "identity": lambda x: (x[:, None] != x).astype(float),
    "linear": lambda x: np.abs(x[:, None] - x),
    "quadratic": lambda x: (x[:, None] - x) ** 2,
    "ordinal": _ordinal,
    "radical": lambda x: np.sqrt(np.abs(x[:, None] - x)),
    "ratio": _ratio,
    "circular": _circular,
    "bipolar": _bipolar,
}


def category_weights(values: NDArray[np.float64], kind: CategoryWeights) -> NDArray[np.float64]:
    """Return the matrix of agreement weights.

    Parameters
    ----------
    values : ndarray of float, shape (q,)
        Categories on their scale, ascending.
    kind : str
        ``identity`` (nominal), ``linear``, ``quadratic`` (interval), ``ordinal`` (ranks i and j
        are C(|i-j|+1, 2) apart), ``radical``, ``ratio``, ``circular`` or ``bipolar``.

    Returns
    -------
    ndarray, shape (q, q)
        One less the distance, scaled so that the largest is 1.

    Examples
    --------
    >>> category_weights(np.array([1.0, 2.0, 3.0]), "quadratic").tolist()
    [[1.0, 0.75, 0.0], [0.75, 1.0, 0.75], [0.0, 0.75, 1.0]]
    """
    if kind not in get_args(CategoryWeights):
        raise ArgumentError(
            f"`weights` is {kind!r}; it must be one of {', '.join(get_args(CategoryWeights))}"
        )
    if not values.size:
        return np.zeros((0, 0))
    distance = _DISTANCES[kind](values)
    largest = distance.max()
    return 1.0 - (distance / largest if largest > 0 else distance)
