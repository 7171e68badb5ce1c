"""Seeded data of the workloads: many distinct arrays, so that no method works on a warm copy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["binary", "clusters", "continuous", "credit_pairs", "flips", "paper"]

Floats = NDArray[np.float64]
ARRAYS = 32


def binary(n: int, *, arrays: int = ARRAYS, seed: int = 1) -> list[Floats]:
    """0/1 outcomes with rates around .78."""
    rng = np.random.default_rng(seed)
    rates = rng.uniform(0.7, 0.86, arrays)
    return [(rng.random(n) < p).astype(np.float64) for p in rates]


def credit_pairs(n: int, *, arrays: int = ARRAYS, seed: int = 3) -> list[tuple[Floats, Floats]]:
    """Credits 0, 1/2 and 1 of two systems on the same items; they agree on two thirds."""
    rng = np.random.default_rng(seed)
    pairs = []
    for _ in range(arrays):
        a = rng.choice([0.0, 0.5, 1.0], size=n, p=[0.2, 0.15, 0.65])
        redrawn = rng.choice([0.0, 0.5, 1.0], size=n, p=[0.3, 0.15, 0.55])
        pairs.append((a, np.where(rng.random(n) < 2 / 3, a, redrawn)))
    return pairs


def clusters(
    number: int, *, unequal: bool, arrays: int = ARRAYS, seed: int = 4
) -> list[tuple[Floats, Floats]]:
    """Return sums and sizes of clusters of 3, or of 1 to 5; the intraclass correlation is .6."""
    rng = np.random.default_rng(seed)
    out = []
    for _ in range(arrays):
        sizes = rng.integers(1, 6, number) if unequal else np.full(number, 3)
        rates = rng.beta(0.5, 0.17, number)
        out.append((rng.binomial(sizes, rates).astype(np.float64), sizes.astype(np.float64)))
    return out


def continuous(n: int, *, arrays: int = ARRAYS, seed: int = 5) -> list[Floats]:
    """Skewed scores in 0..1 that share no lattice."""
    rng = np.random.default_rng(seed)
    return [rng.beta(2.0, 0.8, n) for _ in range(arrays)]


def flips(n: int, *, arrays: int = ARRAYS, seed: int = 7) -> list[Floats]:
    """Paired differences in half credits with a small effect, so that p-values are not tiny."""
    rng = np.random.default_rng(seed)
    law = [0.05, 0.06, 0.76, 0.07, 0.06]
    return [rng.choice([-1.0, -0.5, 0.0, 0.5, 1.0], size=n, p=law) for _ in range(arrays)]


def paper(
    settings: int = 14, views: tuple[int, ...] = (1400, 700, 258), *, seed: int = 6
) -> list[Floats]:
    """Cells of a paper: for each setting and view, items by 12 metrics.

    Six metrics are 0/1, three are in half credits, and three are continuous.
    """
    rng = np.random.default_rng(seed)
    cells = []
    for _ in range(settings):
        for n in views:
            rates = rng.uniform(0.55, 0.9, 6)
            right = (rng.random((n, 6)) < rates).astype(np.float64)
            credit = rng.choice([0.0, 0.5, 1.0], size=(n, 3), p=[0.2, 0.15, 0.65])
            cells.append(np.hstack([right, credit, rng.beta(2.0, 0.8, (n, 3))]))
    return cells
