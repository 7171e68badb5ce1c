"""Generators of outcomes with a known mean, and exact enumeration of small samples."""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.special import gammaln

CREDITS = np.array([-1.0, -0.5, 0.0, 0.5, 1.0])


def compositions(n: int, parts: int) -> np.ndarray:
    """All ways to write n as `parts` counts, one a row."""
    if parts == 1:
        return np.array([[n]])
    return np.vstack(
        [
            np.column_stack([np.full(len(rest), first), rest])
            for first in range(n + 1)
            for rest in [compositions(n - first, parts - 1)]
        ]
    )


def multinomial_weights(counts: np.ndarray, law: np.ndarray) -> np.ndarray:
    """Probability of each row of counts under a law."""
    n = counts[0].sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(counts > 0, counts * np.log(law), 0.0)
    return np.exp(gammaln(n + 1) - gammaln(counts + 1).sum(axis=1) + logs.sum(axis=1))


def clustered_differences(
    rng: np.random.Generator,
    *,
    clusters: int,
    size: int | None,
    icc: float,
    disagreement: float,
    effect: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw paired 0/1 differences with a Dirichlet effect of each cluster.

    `size` None draws cluster sizes from 1 to 7.
    """
    win, loss = (disagreement + effect) / 2, (disagreement - effect) / 2
    law = np.array([loss, 1 - disagreement, win]) + 1e-9
    gamma = rng.gamma(law * (1 - icc) / icc, size=(clusters, 3)) + 1e-300
    rates = gamma / gamma.sum(axis=1, keepdims=True)
    sizes = rng.integers(1, 8, clusters) if size is None else np.full(clusters, size)
    labels = np.repeat(np.arange(clusters), sizes)
    u = rng.random(labels.size)
    values = (u >= 1 - rates[labels, 2]).astype(float) - (u < rates[labels, 0])
    return values, labels


def held_out_cells() -> list[tuple[int, int | None, float, tuple[float, float]]]:
    """Return the grid of clustered designs: sizes, correlations, sparse to common disagreement."""
    disagreements = ((0.01, 0.0), (0.04, 0.02), (0.08, 0.06), (0.15, 0.1), (0.25, 0.05), (0.6, 0.0))
    return list(product((8, 15, 40, 80), (1, 2, 5, 20, None), (0.05, 0.4, 0.8), disagreements))
