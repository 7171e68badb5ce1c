"""Means and ratios of sums by Monte Carlo: resampled sums, and a jackknife in closed form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from evalkit.bootstrap.engines import Engine
from evalkit.bootstrap.seeds import BLOCK, PIECE, Streams
from evalkit.bootstrap.weights import weight_batches
from evalkit.errors import ArgumentError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LinearName", "Ratios", "acceleration", "ratios", "resampled_sums"]

LinearName = Literal["mean", "ratio"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratios:
    """Columns whose sums are divided: numerators, shape (k, units), and denominators.

    Attributes
    ----------
    numerators : ndarray of float, shape (k, units)
        Sum of each unit.
    denominators : ndarray of float, shape (k, units) or (1, units)
        What each unit counts for; one row serves all columns of a mean.
    """

    numerators: NDArray[np.float64]
    denominators: NDArray[np.float64]

    def estimate(self) -> NDArray[np.float64]:
        """Return the ratios of the sample."""
        return _divide(self.numerators.sum(axis=1), self.denominators.sum(axis=1))

    def resample(
        self, source: Streams, *, resamples: int, batch: int | None, threads: int, engine: Engine
    ) -> NDArray[np.float64]:
        """Return the ratios of each resample, shape (resamples, k), a column in one piece."""
        size = self.denominators
        constant = bool((size == size[:, :1]).all())
        # Units that all count the same are not worth a column: every resample has as many.
        columns = self.numerators if constant else np.vstack([self.numerators, size])
        sums = resampled_sums(
            source, columns, resamples=resamples, batch=batch, threads=threads, engine=engine
        )
        over = size.sum(axis=1, keepdims=True) if constant else sums[len(self.numerators) :]
        return _divide(sums[: len(self.numerators)], over).T

    def accelerations(self) -> NDArray[np.float64]:
        """Return the jackknife's accelerations, from the sums without each unit."""
        above = self.numerators.sum(axis=1, keepdims=True) - self.numerators
        below = self.denominators.sum(axis=1, keepdims=True) - self.denominators
        return acceleration(_divide(above, below).T)


def _divide(above: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(above / below)


def ratios(
    statistic: LinearName, arrays: Sequence[NDArray[Any]], codes: NDArray[np.int64] | None
) -> Ratios:
    """Arrange the arrays of a mean, or the two of a ratio, as sums of units.

    Parameters
    ----------
    statistic : {"mean", "ratio"}
        Means of all columns of all arrays; or the sum of each column of the first array over that
        of the second.
    arrays : sequence of ndarray, shape (n,) or (n, k)
        Finite numbers.
    codes : ndarray of int, optional
        Cluster number of each item.

    Raises
    ------
    ArgumentError
        If a number is not finite, or a ratio has not two arrays of one shape.

    Examples
    --------
    >>> ratios("mean", [np.array([1.0, 0.0, 1.0])], np.array([0, 0, 1])).numerators.tolist()
    [[1.0, 1.0]]
    """
    if statistic not in ("mean", "ratio"):
        raise ArgumentError(
            f"`statistic` is {statistic!r}; it must be 'mean', 'ratio' or a function of weights"
        )
    columns = [a.astype(float).reshape(len(a), -1).T for a in arrays]
    if not all(np.isfinite(c).all() for c in columns):
        raise ArgumentError("`arrays` hold NaN or an infinity; leave out unscored items")
    if statistic == "mean":
        above, below = np.vstack(columns), np.ones((1, columns[0].shape[1]))
    elif len(columns) == 2 and columns[0].shape == columns[1].shape:
        above, below = columns
    else:
        raise ArgumentError(
            f"`arrays` have shapes {[a.shape for a in arrays]}; a ratio needs numerators and "
            "denominators of one shape"
        )
    if codes is not None:
        above, below = (_cluster_sums(rows, codes) for rows in (above, below))
    return Ratios(numerators=np.ascontiguousarray(above), denominators=np.ascontiguousarray(below))


def _cluster_sums(rows: NDArray[np.float64], codes: NDArray[np.int64]) -> NDArray[np.float64]:
    sums = np.empty((len(rows), int(codes.max()) + 1))
    for place, row in enumerate(rows):
        sums[place] = np.bincount(codes, weights=row)
    return sums


def resampled_sums(
    source: Streams,
    columns: NDArray[np.float64],
    *,
    resamples: int,
    batch: int | None = None,
    threads: int = 1,
    engine: Engine = "numpy",
) -> NDArray[np.float64]:
    """Return ``Σ w x`` of each column and resample, shape (k, resamples).

    Parameters
    ----------
    source : Streams
        Where weights come from; those of an engine are what `weight_batches` yields.
    columns : ndarray of float, shape (k, units)
        Finite numbers; all columns share their resamples.
    resamples : int
        Replicates.
    batch : int, optional
        Replicates at once, in numpy; the compiled loop holds the weights of four.
    threads : int
        Threads. The compiled sums are the same bits for any number of them.
    engine : {"numpy", "numba"}
        The law is the same; the resamples of a seed differ.

    Examples
    --------
    >>> from evalkit.bootstrap.seeds import streams
    >>> sums = resampled_sums(streams(0), np.ones((2, 5)), resamples=3)
    >>> sums.tolist()
    [[5.0, 5.0, 5.0], [5.0, 5.0, 5.0]]
    """
    sums = np.empty((columns.shape[0], resamples))
    if engine == "numba":
        work, order = _compiled(source, columns, sums)
    else:
        work, order = _plain(source, columns, sums, batch), None
    if threads == 1:
        work(0, resamples)
    else:
        starts = range(0, resamples, PIECE)
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(work, starts, [min(s + PIECE, resamples) for s in starts]))
    return sums if order is None else sums[order]


def _plain(
    source: Streams, columns: NDArray[np.float64], sums: NDArray[np.float64], batch: int | None
) -> Callable[[int, int], None]:
    """Return what fills a range of replicates by matrix products."""

    def work(start: int, stop: int) -> None:
        place = start
        for weights in weight_batches(
            source,
            units=columns.shape[1],
            resamples=stop - start,
            batch=batch,
            first_block=start // BLOCK,
        ):
            sums[:, place : place + len(weights)] = columns @ weights.T
            place += len(weights)

    return work


def _compiled(
    source: Streams, columns: NDArray[np.float64], sums: NDArray[np.float64]
) -> tuple[Callable[[int, int], None], NDArray[np.intp] | None]:
    """Return the same by a compiled loop, and the order that puts its columns back in place."""
    from evalkit.bootstrap.kernels.draws import poisson_tails
    from evalkit.bootstrap.kernels.sums import fill_sums

    units = columns.shape[1]
    key, tails = source.key(), poisson_tails(units)
    short = _is_short(columns)
    exact, rest = columns[short].astype(np.float32), np.ascontiguousarray(columns[~short])

    def work(start: int, stop: int) -> None:
        fill_sums(key, start, stop, tails, exact, rest, sums)

    order = np.concatenate([np.flatnonzero(short), np.flatnonzero(~short)])
    sorted_already = bool((np.diff(order) > 0).all())
    return work, None if sorted_already else np.argsort(order)


def _is_short(columns: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Say which columns hold quarters so few that all their sums are exact in 24 bits."""
    steps = columns * 4.0
    small = np.abs(steps).max(axis=1) * columns.shape[1] <= 2.0**24
    return np.asarray(small & (steps == np.rint(steps)).all(axis=1))


def acceleration(left_out: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``Σ d³ / (6 (Σ d²)^1.5)`` for each column of leave-one-out values.

    d is the mean of the values less each of them. A statistic that does not move, or is undefined
    without some unit, has no acceleration: 0.

    Examples
    --------
    >>> acceleration(np.array([[1.0, 2.0], [2.0, 2.0], [6.0, 2.0]])).round(3).tolist()
    [-0.057, 0.0]
    """
    values = np.where(np.isfinite(left_out), left_out, np.nan)
    defined = np.isfinite(values).all(axis=0)
    deviations = np.where(defined, values.mean(axis=0) - values, 0.0)
    square = (deviations**2).sum(axis=0)
    cube = (deviations**3).sum(axis=0)
    scale = np.where(square > 0.0, 6.0 * square**1.5, 1.0)
    return np.asarray(np.where(square > 0.0, cube / scale, 0.0))
