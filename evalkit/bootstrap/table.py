"""Many bootstrap intervals from raw arrays: percentile, BC and BCa of each column in one call."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Literal

import numpy as np

from evalkit.bootstrap.adjust import adjusted_levels, bias_correction
from evalkit.bootstrap.characteristic import Draws
from evalkit.bootstrap.choose import bootstrap_law, mean_law, ratio_law
from evalkit.bootstrap.continuous import ContinuousLaw
from evalkit.bootstrap.counting import count_few
from evalkit.bootstrap.engines import Engine, check_engine
from evalkit.bootstrap.intervals import probability_below_mean
from evalkit.bootstrap.law import BootstrapLaw, PointLaw
from evalkit.bootstrap.normal import normal_quantile
from evalkit.errors import ArgumentError
from evalkit.results import Interval, check_level
from evalkit.tally import Tally

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["BootstrapTable", "bootstrap_intervals", "cluster_bootstrap_intervals"]

Kind = Literal["point", "lattice", "smooth"]
TableMethod = Literal["percentile", "bc", "bca"]
_KINDS: tuple[Kind, ...] = ("point", "lattice", "smooth")
_LIMITS: dict[str, int] = {"percentile": 4, "bc": 6, "bca": 8}
_WIDTH = 10  # estimate, se, z0, acceleration and three pairs of limits
_SMALL = 200  # outcomes up to which more than 16 distinct values are looked at one by one


@dataclass(frozen=True, slots=True, kw_only=True)
class BootstrapTable:
    """Percentile, BC and BCa intervals of several columns.

    Attributes
    ----------
    rows : ndarray of float, shape (columns, 10)
        Estimate, standard error, z0, acceleration, then low and high of percentile, BC and BCa.
        All but the estimate are NaN in memory where the law is a point; `interval` gives ``None``.
    kinds : ndarray of int, shape (columns,)
        0 point, 1 lattice or enumeration, 2 smooth.
    level : float
        Nominal coverage.
    """

    rows: NDArray[np.float64]
    kinds: NDArray[np.int64]
    level: float

    def __len__(self) -> int:
        return int(self.kinds.size)

    def kind(self, column: int) -> Kind:
        """Say what the law of a column is: a point, on a lattice, or smooth."""
        return _KINDS[int(self.kinds[column])]

    def estimate(self, column: int) -> float:
        """Return the mean of a column."""
        return float(self.rows[column, 0])

    def se(self, column: int) -> float | None:
        """Return the standard deviation of the law; ``None`` where it is a point."""
        return None if self.kinds[column] == 0 else float(self.rows[column, 1])

    def interval(self, column: int, *, method: TableMethod = "bca") -> Interval | None:
        """Return the interval of a column; ``None`` where its outcomes are all equal."""
        if method not in _LIMITS:
            allowed = ", ".join(map(repr, _LIMITS))
            raise ArgumentError(f"`method` is {method!r}; it must be one of {allowed}")
        if self.kinds[column] == 0:
            return None
        low, high = self.rows[column, _LIMITS[method] : _LIMITS[method] + 2].tolist()
        return Interval(
            low=low, high=high, level=self.level, method=f"bootstrap {method} (no resampling)"
        )


def bootstrap_intervals(
    columns: Sequence[ArrayLike | Tally], *, level: float = 0.95, engine: Engine = "numpy"
) -> BootstrapTable:
    """Compute percentile, BC and BCa intervals of the mean of each column.

    Parameters
    ----------
    columns : sequence of array_like or Tally
        Outcomes without missing values, one array or tally a column; lengths may differ.
    level : float
        Nominal coverage.
    engine : {"numpy", "numba"}
        ``"numba"`` pays off for thousands of intervals: its first call ever compiles for some
        seconds, the first in a process loads for a quarter of a second. Tallies always use numpy.

    Returns
    -------
    BootstrapTable

    Raises
    ------
    ArgumentError
        If a column is empty or holds NaN or an infinity, or a setting is not allowed.
    MissingPackageError
        If numba is asked for and not installed.

    Notes
    -----
    The same laws as `bootstrap_interval`, with one shortcut: more than 200 outcomes of more than
    16 distinct values take the smooth law without a search for a lattice.

    Examples
    --------
    >>> table = bootstrap_intervals([[1.0] * 27 + [0.0] * 7, [0.7] * 10])
    >>> round(table.interval(0).low, 3), round(table.interval(0, method="percentile").low, 3)
    (0.618, 0.647)
    >>> table.kind(1), table.interval(1)
    ('point', None)
    """
    check_level(level)
    check_engine(engine)
    arrays = [c if isinstance(c, Tally) else np.asarray(c, dtype=np.float64) for c in columns]
    for index, array in enumerate(arrays):
        if isinstance(array, np.ndarray) and (array.ndim != 1 or not array.size):
            raise ArgumentError(
                f"`columns[{index}]` has shape {array.shape}; each column is one non-empty row of "
                "outcomes"
            )
    rows, kinds = np.empty((len(arrays), _WIDTH)), np.empty(len(arrays), dtype=np.int64)
    if engine == "numba":
        _compiled_rows(arrays, level, rows, kinds)
    else:
        kinds.fill(-1)
    for index, array in enumerate(arrays):
        if kinds[index] < 0:
            law = bootstrap_law(array) if isinstance(array, Tally) else _column_law(array, index)
            kinds[index] = _law_row(law, level, rows[index])
    return BootstrapTable(rows=rows, kinds=kinds, level=level)


def cluster_bootstrap_intervals(
    sums: ArrayLike, sizes: ArrayLike, *, level: float = 0.95, engine: Engine = "numpy"
) -> BootstrapTable:
    """Compute the intervals of a mean over clusters, or of any ratio of sums, in one call.

    Parameters
    ----------
    sums : array_like, shape (G,)
        Sum of the outcomes of each cluster.
    sizes : array_like, shape (G,)
        Number of outcomes of each cluster; positive.
    level, engine
        As in `bootstrap_intervals`; up to about 100 unequal clusters always take numpy.

    Returns
    -------
    BootstrapTable
        With one row.

    Examples
    --------
    >>> table = cluster_bootstrap_intervals([0, 2, 3, 1, 3, 3] * 5, [3] * 30)
    >>> table.estimate(0) == 2 / 3, round(table.interval(0).low, 4)
    (True, 0.5111)
    """
    check_level(level)
    check_engine(engine)
    s, m = np.asarray(sums, dtype=np.float64), np.asarray(sizes, dtype=np.float64)
    if s.shape != m.shape or s.ndim != 1 or s.size < 2:
        raise ArgumentError(
            f"`sums` has shape {s.shape} and `sizes` {m.shape}; they must match and hold at least "
            "two clusters"
        )
    if not (np.isfinite(s).all() and np.isfinite(m).all() and m.min() > 0):
        raise ArgumentError("`sums` must be finite and `sizes` finite and positive")
    rows, kinds = np.full((1, _WIDTH), np.nan), np.full(1, -1, dtype=np.int64)
    if engine == "numba":
        from evalkit.bootstrap.kernels.rows import cluster_row

        kinds[0] = cluster_row(s, m, normal_quantile(0.5 + level / 2.0), rows[0])
    if kinds[0] < 0:
        kinds[0] = _law_row(_clusters_law(s, m), level, rows[0])
    return BootstrapTable(rows=rows, kinds=kinds, level=level)


def _compiled_rows(
    arrays: Sequence[NDArray[np.float64] | Tally],
    level: float,
    rows: NDArray[np.float64],
    kinds: NDArray[np.int64],
) -> None:
    from evalkit.bootstrap.kernels.rows import fill_rows

    raw = [np.zeros(0) if isinstance(a, Tally) else a for a in arrays]
    flat = np.ascontiguousarray(raw[0]) if len(raw) == 1 else np.concatenate(raw or [np.zeros(0)])
    ends = np.array([0, *accumulate(a.size for a in raw)], dtype=np.int64)
    fill_rows(flat, ends, normal_quantile(0.5 + level / 2.0), _SMALL, rows, kinds)


def _column_law(x: NDArray[np.float64], index: int) -> BootstrapLaw:
    counted = count_few(x)
    if counted is None and x.size <= _SMALL:
        values, counts = np.unique(x, return_counts=True)
        counted = values, counts.astype(float)
    if not (_finite_sum(x) if counted is None else all(map(math.isfinite, counted[0].tolist()))):
        raise ArgumentError(
            f"`columns[{index}]` holds NaN or an infinity; drop missing outcomes and say so"
        )
    if counted is not None:
        return mean_law(*counted)
    mean = float(x.sum()) / x.size
    deviations = x - mean
    # In units of the largest deviation no cube can over- or underflow.
    unit = max(float(deviations.max()), -float(deviations.min()))
    deviations /= unit
    part = Draws(values=deviations, weights=np.full(x.size, 1.0 / x.size), number=x.size)
    return ContinuousLaw.of((part,), mean=mean, scale=x.size / unit)


def _finite_sum(x: NDArray[np.float64]) -> bool:
    # An infinity minus another is NaN: either way the sum is not finite.
    with np.errstate(invalid="ignore"):
        return math.isfinite(float(x.sum()))


def _clusters_law(sums: NDArray[np.float64], sizes: NDArray[np.float64]) -> BootstrapLaw:
    if float(np.ptp(sizes)) > 0.0:
        return ratio_law(sums, sizes)
    values, counts = np.unique(sums, return_counts=True)
    return mean_law(values / float(sizes[0]), counts.astype(float))


def _law_row(law: BootstrapLaw, level: float, row: NDArray[np.float64]) -> int:
    """Fill a row from a law; return its kind."""
    row[0] = law.mean
    if isinstance(law, PointLaw) or law.se is None:
        row[1:] = np.nan
        return 0
    bias, acceleration = bias_correction(probability_below_mean(law)), law.acceleration
    levels = (
        *adjusted_levels(level),
        *adjusted_levels(level, bias=bias),
        *adjusted_levels(level, bias=bias, acceleration=acceleration),
    )
    row[1:4] = law.se, bias, acceleration
    row[4:] = law.quantiles(levels)
    return 2 if law.exactness == "lattice smoothing" else 1
