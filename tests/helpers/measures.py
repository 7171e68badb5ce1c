"""Coverage of interval methods: exact enumeration for independent outcomes, else simulation."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from laws import CREDITS, clustered_differences, compositions, multinomial_weights
from scipy import stats

from evalkit.comparisons.paired import compare_pairs
from evalkit.intervals.mean import tally_interval
from evalkit.tally import Tally, tally_values

Bounds = tuple[np.ndarray, np.ndarray]
NO_ROWS = tally_values([]).rows
CLUSTERED_GRID = list(
    product((8, 15, 40), (2, 5, None), (0.05, 0.4, 0.8), ((0.04, 0.02), (0.15, 0.1), (0.6, 0.0)))
)


def sample_of(values: np.ndarray, counts: np.ndarray) -> Tally:
    """Tally of counts over known values."""
    used = counts > 0
    return Tally(values=values[used], counts=counts[used], rows=NO_ROWS)


def _bounds(found: Sequence[Any]) -> Bounds:
    low = np.array([np.nan if f is None else f.low for f in found])
    high = np.array([np.nan if f is None else f.high for f in found])
    return low, high


def _inside(bounds: Bounds, truth: np.ndarray | float) -> np.ndarray:
    """Whether each interval holds the truth; an undefined interval holds nothing."""
    low, high = bounds
    return (low <= np.asarray(truth) + 1e-12) & (np.asarray(truth) <= high + 1e-12)


def binary_coverage(n: int, method: str, rates: Any) -> np.ndarray:
    """Exact coverage of a mean of n 0/1 outcomes at each rate."""
    k = np.arange(n + 1)
    zero_one = np.array([0.0, 1.0])
    samples = [sample_of(zero_one, np.array([n - x, x])) for x in k]
    intervals = [tally_interval(s, method=method, score_range=(0.0, 1.0)).interval for s in samples]
    low, high = _bounds(intervals)
    rates = np.asarray(rates, dtype=float)
    inside = _inside((low[:, None], high[:, None]), rates)
    return (stats.binom.pmf(k[:, None], n, rates) * inside).sum(axis=0)


def credit_law(mean: float) -> np.ndarray:
    """Half-credit law on {0, ½, 1} with as many ties as the mean allows."""
    ties = min(mean, 1 - mean)
    return np.array([1 - mean - ties / 2, ties, mean - ties / 2])


def credit_coverage(n: int, method: str, means: Sequence[float]) -> np.ndarray:
    """Exact coverage of a mean of n half-credit outcomes at each mean."""
    states = compositions(n, 3)
    values = np.array([0.0, 0.5, 1.0])
    bounds = _bounds(
        [
            tally_interval(sample_of(values, c), method=method, score_range=(0.0, 1.0)).interval
            for c in states
        ]
    )
    return np.array(
        [multinomial_weights(states, credit_law(m))[_inside(bounds, m)].sum() for m in means]
    )


def sparse_laws(number: int, seed: int) -> np.ndarray:
    """Laws of differences on {-1, -½, 0, ½, 1}, from rare to common disagreement."""
    rng = np.random.default_rng(seed)
    disagreement = rng.uniform(0.01, 0.9, number)
    shares = rng.dirichlet(np.ones(4) * 0.5, number)
    laws = np.zeros((number, 5))
    laws[:, [0, 1, 3, 4]] = shares * disagreement[:, None]
    laws[:, 2] = 1 - disagreement
    return laws


def paired_coverage(n: int, laws: np.ndarray, method: str = "default") -> np.ndarray:
    """Exact coverage of a paired interval under each law."""
    states = compositions(n, 5)
    bounds = _bounds([compare_pairs(sample_of(CREDITS, c), method=method).interval for c in states])
    out = []
    for law in laws:
        inside = _inside(bounds, float(law @ CREDITS))
        out.append(multinomial_weights(states, law)[inside].sum())
    return np.array(out)


PAIRED_LAWS = ((0.10, 0.0), (0.30, 0.0), (0.30, 0.10), (0.15, 0.10), (0.40, 0.30))


def paired_binary_coverage(n: int, method: str) -> np.ndarray:
    """Exact coverage of a paired 0/1 difference under each (disagreement, effect)."""
    states = compositions(n, 3)
    values = np.array([-1.0, 0.0, 1.0])
    bounds = _bounds([compare_pairs(sample_of(values, c), method=method).interval for c in states])
    out = []
    for disagreement, effect in PAIRED_LAWS:
        law = np.array([(disagreement - effect) / 2, 1 - disagreement, (disagreement + effect) / 2])
        out.append(multinomial_weights(states, law)[_inside(bounds, effect)].sum())
    return np.array(out)


def clustered_mean_coverage(
    method: str, rates: Sequence[float], replications: int, *, clusters: int = 25, size: int = 3
) -> np.ndarray:
    """Simulate the coverage of a clustered mean, beta-binomial with ICC .6."""
    icc = 0.6
    concentration = (1 - icc) / icc
    labels = np.repeat(np.arange(clusters), size).tolist()
    out = []
    for index, rate in enumerate(rates):
        rng = np.random.default_rng(1000 + index)
        hits = 0
        for _ in range(replications):
            own = rng.beta(rate * concentration, (1 - rate) * concentration, clusters)
            values = (rng.random((clusters, size)) < own[:, None]).astype(float).ravel()
            found = tally_interval(tally_values(values, clusters=labels), method=method).interval
            hits += found is not None and found.low <= rate <= found.high
        out.append(hits / replications)
    return np.array(out)


def cluster_hits(cell: Any, replications: int, seed: int, method: str = "default") -> int:
    """How often a clustered interval of a paired difference covers the effect."""
    number, size, icc, (disagreement, effect) = cell
    rng = np.random.default_rng(seed)
    hits = 0
    for _ in range(replications):
        values, labels = clustered_differences(
            rng,
            clusters=number,
            size=size,
            icc=icc,
            disagreement=disagreement,
            effect=effect,
        )
        found = compare_pairs(tally_values(values, clusters=labels.tolist()), method=method)
        hits += found.interval is not None and effect in found.interval
    return hits


def clustered_difference_coverage(
    method: str, grid: Sequence[Any], replications: int
) -> np.ndarray:
    """Simulate the coverage of a clustered paired difference in each design."""
    return np.array(
        [
            cluster_hits(cell, replications, 100 + i, method) / replications
            for i, cell in enumerate(grid)
        ]
    )
