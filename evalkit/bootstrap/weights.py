"""Multinomial resampling weights in blocks: how often each unit is drawn in each replicate."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from evalkit.bootstrap.engines import Engine
from evalkit.bootstrap.seeds import BLOCK, Streams

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BYTES", "batch_size", "value_counts", "weight_batches"]

BYTES = 64 * 2**20
"""Memory that one batch of weights may take."""
_CACHED = 2 * 2**20
_DRAWS = 1 << 16  # indices drawn at a time; depends on the number of units only


def batch_size(units: int, batch: int | None) -> int:
    """Return the replicates handled at once: never more than 64 MB of weights, at least one.

    Without a wish it is what stays in a processor's cache, in whole blocks where they fit.

    Examples
    --------
    >>> batch_size(1_000_000, None), batch_size(1000, None), batch_size(1000, 50)
    (1, 256, 50)
    """
    if batch is not None:
        return max(1, min(batch, BYTES // (8 * units)))
    cached = max(1, _CACHED // (8 * units))
    return cached // BLOCK * BLOCK if cached > BLOCK else cached


def _block_rows(
    source: Streams, block: int, units: int, replicates: int
) -> Iterator[NDArray[np.float64]]:
    """Yield the weights of one block, a few replicates at a time."""
    generator = source.generator(block)
    rows = max(1, _DRAWS // units)
    for start in range(0, replicates, rows):
        number = min(rows, replicates - start)
        drawn = generator.integers(0, units, size=(number, units))
        drawn += np.arange(number)[:, None] * units
        counts = np.bincount(drawn.ravel(), minlength=number * units)
        yield counts.reshape(number, units).astype(float)


def _compiled_batches(
    source: Streams, first: int, units: int, resamples: int, size: int
) -> Iterator[NDArray[np.float64]]:
    """Yield the weights of replicates from `first` on; each depends on its number alone."""
    from evalkit.bootstrap.kernels.draws import fill_weights, poisson_tails

    key, tails = source.key(), poisson_tails(units)
    for start in range(0, resamples, size):
        weights = np.empty((min(size, resamples - start), units))
        fill_weights(key, first + start, tails, weights)
        yield weights


def weight_batches(
    source: Streams,
    *,
    units: int,
    resamples: int,
    batch: int | None = None,
    first_block: int = 0,
    engine: Engine = "numpy",
) -> Iterator[NDArray[np.float64]]:
    """Yield multinomial weights, shape (b, units), until there are `resamples` of them.

    Parameters
    ----------
    source : Streams
        One generator for each block of 64 replicates.
    units : int
        Items, or clusters.
    resamples : int
        Replicates in total.
    batch : int, optional
        Replicates a batch; the weights themselves do not depend on it.
    first_block : int
        Block of 64 replicates to start from.
    engine : {"numpy", "numba"}
        Each has streams of its own, so that the weights of a seed differ between them.

    Notes
    -----
    Drawing n indices and counting them is exact and, in numpy, faster than Poisson counts topped
    up to n or `Generator.multinomial` over n cells: 3 ns a draw against 20 and more. The compiled
    engine does draw Poisson counts, by comparisons that the processor does side by side: 1 ns.

    Examples
    --------
    >>> from evalkit.bootstrap.seeds import streams
    >>> batches = list(weight_batches(streams(0), units=5, resamples=100, batch=30))
    >>> [len(b) for b in batches], set(np.vstack(batches).sum(axis=1).tolist())
    ([30, 30, 30, 10], {5.0})
    """
    size = batch_size(units, batch)
    if engine == "numba":
        yield from _compiled_batches(source, first_block * BLOCK, units, resamples, size)
        return
    held: list[NDArray[np.float64]] = []
    number = 0
    for block in range(-(-resamples // BLOCK)):
        replicates = min(BLOCK, resamples - block * BLOCK)
        for rows in _block_rows(source, first_block + block, units, replicates):
            start = 0
            while start < len(rows):
                part = rows[start : start + size - number]
                held.append(part)
                number += len(part)
                start += len(part)
                if number == size:
                    yield _joined(held)
                    held, number = [], 0
    if held:
        yield _joined(held)


def _joined(parts: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    return parts[0] if len(parts) == 1 else np.vstack(parts)


def value_counts(
    source: Streams, counts: NDArray[np.int64], *, resamples: int
) -> Iterator[NDArray[np.float64]]:
    """Yield resampled counts of distinct values, shape (b, V): the same law at V's cost, not n's.

    Examples
    --------
    >>> from evalkit.bootstrap.seeds import streams
    >>> first = next(value_counts(streams(0), np.array([7, 27]), resamples=10))
    >>> first.shape, set(first.sum(axis=1).tolist())
    ((10, 2), {34.0})
    """
    number = int(counts.sum())
    rows = max(1, min(BLOCK, BYTES // (8 * counts.size)))
    for block in range(-(-resamples // BLOCK)):
        generator = source.generator(block)
        replicates = min(BLOCK, resamples - block * BLOCK)
        for start in range(0, replicates, rows):
            size = min(rows, replicates - start)
            yield generator.multinomial(number, counts / number, size=size).astype(float)
