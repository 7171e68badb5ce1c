"""The bootstrap of any statistic by resampling: weights, not copies of the data."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from evalkit.bootstrap.adjust import adjusted_levels, bias_correction
from evalkit.bootstrap.engines import Engine, check_count, check_engine
from evalkit.bootstrap.seeds import BLOCK, PIECE, streams
from evalkit.bootstrap.sums import LinearName, acceleration, ratios
from evalkit.bootstrap.weights import batch_size, weight_batches
from evalkit.errors import ArgumentError
from evalkit.results import Interval, check_level

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["MonteCarlo", "WeightedStatistic", "monte_carlo"]

MonteCarloMethod = Literal["percentile", "bc", "bca", "basic"]
_METHODS = ("percentile", "bc", "bca", "basic")


class WeightedStatistic(Protocol):
    """A statistic of weighted data, for many weightings at once."""

    def __call__(
        self, weights: NDArray[np.float64], /, *arrays: NDArray[Any]
    ) -> NDArray[np.float64]:
        """Return one value, or k of them, for each row of `weights`, shape (b, n)."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class MonteCarlo:
    """A simulated bootstrap law of one or several statistics.

    Attributes
    ----------
    estimate : ndarray of float, shape (k,)
        The statistics of the sample.
    distribution : ndarray of float, shape (resamples, k)
        The statistics of each resample; columns share resamples, so they can be compared.
    seed : int
        Seed that repeats the run.
    units : int
        Items or clusters that were resampled.
    undefined : tuple of int, length k
        Resamples in which a statistic was not a finite number; intervals leave them out.
    jackknife : callable
        Returns `accelerations`; only BCa intervals need them.
    """

    estimate: NDArray[np.float64]
    distribution: NDArray[np.float64]
    seed: int
    units: int
    undefined: tuple[int, ...]
    jackknife: Callable[[], NDArray[np.float64]] = field(repr=False, compare=False)

    @property
    def accelerations(self) -> NDArray[np.float64]:
        """Jackknife accelerations, shape (k,), computed when they are first asked for."""
        return self.jackknife()

    @property
    def resamples(self) -> int:
        """Number of resamples."""
        return int(self.distribution.shape[0])

    def se(self, index: int = 0) -> float | None:
        """Return the standard deviation over resamples; ``None`` when it is 0 or undefined."""
        values = self._finite(index)
        if values.size < 2 or float(np.ptp(values)) == 0.0:
            return None
        return float(values.std(ddof=1))

    def note(self, index: int = 0) -> str | None:
        """Say what an interval leaves out, or why there is none."""
        if not math.isfinite(float(self.estimate[index])):
            return "the statistic of the sample is not a finite number"
        if self.se(index) is None:
            return "all resamples give the same value: the bootstrap law is a point (degenerate)"
        if self.undefined[index]:
            return (
                f"{self.undefined[index]} of {self.resamples} resamples have no finite value and "
                "are left out"
            )
        return None

    def interval(
        self, index: int = 0, *, method: MonteCarloMethod = "bca", level: float = 0.95
    ) -> Interval | None:
        """Return an interval of one statistic; ``None`` where the law is a point.

        Raises
        ------
        ArgumentError
            If `method` or `level` is not allowed.
        """
        check_level(level)
        if method not in _METHODS:
            allowed = ", ".join(map(repr, _METHODS))
            raise ArgumentError(f"`method` is {method!r}; it must be one of {allowed}")
        point = float(self.estimate[index])
        values = np.sort(self._finite(index))
        if values.size < 2 or not math.isfinite(point) or values[0] == values[-1]:
            return None
        levels = adjusted_levels(level)
        if method in ("bc", "bca"):
            bias = bias_correction(_mid_p(values, point))
            acceleration = float(self.accelerations[index]) if method == "bca" else 0.0
            levels = adjusted_levels(level, bias=bias, acceleration=acceleration)
        low, high = (_order_statistic(values, a) for a in levels)
        if method == "basic":
            low, high = 2.0 * point - high, 2.0 * point - low
        name = f"bootstrap {method} ({self.resamples} resamples, seed {self.seed})"
        return Interval(low=low, high=high, level=level, method=name)

    def _finite(self, index: int) -> NDArray[np.float64]:
        values = self.distribution[:, index]
        return values[np.isfinite(values)] if self.undefined[index] else values


def _mid_p(values: NDArray[np.float64], point: float) -> float:
    slack = 1e-12 * max(abs(point), float(np.abs(values[[0, -1]]).max()))
    below = int(np.searchsorted(values, point - slack, side="left"))
    upto = int(np.searchsorted(values, point + slack, side="right"))
    return (below + upto) / 2.0 / values.size


def _order_statistic(values: NDArray[np.float64], level: float) -> float:
    """Return the smallest resample whose share of resamples at or below it reaches the level."""
    rank = math.ceil(level * values.size - 1e-9)
    return float(values[min(max(rank, 1), values.size) - 1])


def monte_carlo(
    arrays: Sequence[ArrayLike],
    statistic: WeightedStatistic | LinearName,
    *,
    resamples: int = 9999,
    rng: int | np.random.Generator | None = None,
    clusters: Sequence[object] | None = None,
    batch: int | None = None,
    threads: int = 1,
    engine: Engine = "numpy",
) -> MonteCarlo:
    """Bootstrap any statistic that can be written in terms of weights.

    Parameters
    ----------
    arrays : sequence of array_like
        Data whose first axis has one entry an item.
    statistic : callable, "mean" or "ratio"
        ``statistic(weights, *arrays)``, with weights of shape (b, n), returns shape (b,) or
        (b, k). A weight of 2 means that the item was drawn twice. ``"mean"`` is the mean of each
        column of the arrays, and ``"ratio"`` the sums of the first array over those of the second:
        both are faster than a function, and take finite numbers only.
    resamples : int
        Replicates.
    rng : int, Generator or None
        Seed; ``None`` draws one and reports it.
    clusters : sequence of length n, optional
        Cluster of each item; whole clusters are resampled.
    batch : int, optional
        Replicates handed to `statistic` at once; never more than 64 MB of weights.
    threads : int
        Threads, 256 replicates at a time. Results depend neither on them nor on `batch`.
    engine : {"numpy", "numba"}
        What draws the weights. Numba is several times as fast, and with a name of a statistic sums
        the columns in the same loop; the law is the same, the resamples of a seed are not.

    Returns
    -------
    MonteCarlo

    Raises
    ------
    ArgumentError
        If lengths differ, a setting is not allowed, or `statistic` returns a wrong shape.

    Notes
    -----
    All statistics share the same resamples, so differences and maxima over them are valid.
    The acceleration is the jackknife's, by setting one weight at a time to 0: n evaluations, made
    when a BCa interval is asked for.
    Exact laws of means, ratios and quantiles need no resampling: see `bootstrap_law`.

    Examples
    --------
    >>> def mean(weights, x):
    ...     return weights @ x / weights.sum(axis=1)
    >>> result = monte_carlo([[0.1, 0.9, 0.4, 0.4, 0.8]], mean, resamples=500, rng=0)
    >>> round(float(result.estimate[0]), 2), result.distribution.shape, result.seed
    (0.52, (500, 1), 0)
    >>> monte_carlo([[0.1, 0.9, 0.4, 0.4, 0.8]], "mean", resamples=500, rng=0).estimate.round(2)
    array([0.52])
    """
    data, codes, units = _check_data(arrays, clusters)
    for name, value in (("resamples", resamples), ("threads", threads)):
        check_count(name, value)
    if batch is not None:
        check_count("batch", batch)
    check_engine(engine)
    source = streams(rng)
    if isinstance(statistic, str):
        linear = ratios(statistic, data, codes)
        estimate = linear.estimate()
        values = linear.resample(
            source, resamples=resamples, batch=batch, threads=threads, engine=engine
        )
        jackknife = linear.accelerations
    else:
        size = batch_size(len(data[0]), batch)
        draw = partial(weight_batches, source, units=units, engine=engine)
        evaluate = partial(_evaluate, statistic, data=data, codes=codes)
        estimate = evaluate(np.ones((1, units)))[0]
        pieces = list(_replicates(draw, evaluate, resamples, size, threads))
        values = np.asfortranarray(np.vstack(pieces))
        jackknife = partial(_accelerations, evaluate, units, size)
    return MonteCarlo(
        estimate=estimate,
        distribution=values,
        seed=source.seed,
        units=units,
        undefined=tuple(int(k) for k in (~np.isfinite(values)).sum(axis=0)),
        jackknife=cache(jackknife),
    )


class _Evaluate(Protocol):
    def __call__(self, weights: NDArray[np.float64], /) -> NDArray[np.float64]: ...


def _check_data(
    arrays: Sequence[ArrayLike], clusters: Sequence[object] | None
) -> tuple[list[NDArray[Any]], NDArray[np.int64] | None, int]:
    data = [np.asarray(a) for a in arrays]
    lengths = [a.shape[0] if a.ndim else 0 for a in data]
    if not data or len(set(lengths)) != 1 or lengths[0] < 1:
        raise ArgumentError(f"`arrays` have lengths {lengths}; they must match and be at least 1")
    if clusters is None:
        return data, None, lengths[0]
    if len(clusters) != lengths[0]:
        raise ArgumentError(
            f"`clusters` has length {len(clusters)} and the arrays {lengths[0]}; they must match"
        )
    _, codes = np.unique(np.array([str(c) for c in clusters]), return_inverse=True)
    return data, codes.astype(np.int64), int(codes.max()) + 1


def _evaluate(
    statistic: WeightedStatistic,
    weights: NDArray[np.float64],
    data: Sequence[NDArray[Any]],
    codes: NDArray[np.int64] | None,
) -> NDArray[np.float64]:
    if codes is not None:
        weights = weights[:, codes]
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.asarray(statistic(weights, *data), dtype=float)
    if values.ndim not in (1, 2) or values.shape[0] != weights.shape[0]:
        raise ArgumentError(
            f"`statistic` returned shape {values.shape} for {weights.shape[0]} rows of weights; "
            "it must return one value, or one row of values, for each"
        )
    return values.reshape(values.shape[0], -1)


def _replicates(
    draw: Callable[..., Iterator[NDArray[np.float64]]],
    evaluate: _Evaluate,
    resamples: int,
    size: int,
    threads: int,
) -> Iterator[NDArray[np.float64]]:
    if threads == 1:
        for weights in draw(resamples=resamples, batch=size):
            yield evaluate(weights)
        return

    def work(start: int) -> NDArray[np.float64]:
        own = draw(
            resamples=min(PIECE, resamples - start),
            batch=max(1, size // threads),
            first_block=start // BLOCK,
        )
        return np.vstack([evaluate(weights) for weights in own])

    with ThreadPoolExecutor(threads) as pool:
        yield from pool.map(work, range(0, resamples, PIECE))


def _accelerations(evaluate: _Evaluate, units: int, size: int) -> NDArray[np.float64]:
    """Return the jackknife's accelerations, one evaluation a unit."""
    left = []
    for start in range(0, units, size):
        stop = min(start + size, units)
        weights = np.ones((stop - start, units))
        weights[np.arange(stop - start), np.arange(start, stop)] = 0.0
        left.append(evaluate(weights))
    return acceleration(np.vstack(left))
