"""From rows in any dataframe engine to counts of distinct outcomes.

A tally is a sufficient statistic for every estimate of a mean: once rows are grouped and
counted, in the engine that holds them, the size of the data no longer matters.
pandas, Polars, PyArrow and DuckDB come in through narwhals and give identical tallies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from evalkit.errors import ArgumentError, InputError, MissingColumnError
from evalkit.results import RowCounts

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["ClusterSums", "Tally", "tally", "tally_values"]

FloatArray = "NDArray[np.float64]"
NOT_ATTEMPTED = "skipped"


@dataclass(frozen=True, kw_only=True)
class ClusterSums:
    """Per-cluster sums, all that a cluster-robust variance of a mean needs.

    Attributes
    ----------
    sums : ndarray of float, shape (G,)
        Sum of the outcomes in each cluster.
    sizes : ndarray of float, shape (G,)
        Number of outcomes in each cluster.
    """

    sums: NDArray[np.float64]
    sizes: NDArray[np.float64]

    @property
    def number(self) -> int:
        """Number of clusters, G."""
        return int(self.sums.size)


@dataclass(frozen=True, kw_only=True)
class Tally:
    """Counts of distinct outcome values in one group.

    Attributes
    ----------
    values : ndarray of float, shape (V,)
        Distinct outcomes, ascending.
    counts : ndarray of int, shape (V,)
        How often each occurs; all positive.
    by : mapping of str to str
        The group, column by column.
    clusters : ClusterSums or None
        Sums by cluster, when clusters were declared.
    rows : RowCounts
        Rows attempted, scored and errored in the group.
    """

    values: NDArray[np.float64]
    counts: NDArray[np.int64]
    by: Mapping[str, str] = field(default_factory=dict)
    clusters: ClusterSums | None = None
    rows: RowCounts

    @cached_property
    def n(self) -> int:
        """Number of outcomes."""
        return int(self.counts.sum())

    @cached_property
    def total(self) -> float:
        """Sum of the outcomes."""
        return float(self.values @ self.counts)

    @property
    def mean(self) -> float | None:
        """Mean outcome; ``None`` without outcomes."""
        return self.total / self.n if self.n else None

    @cached_property
    def sum_of_squares(self) -> float:
        """Sum of squared deviations from the mean, exactly 0 when all outcomes are equal."""
        if self.values.size < 2:
            return 0.0
        deviations = self.values - self.total / self.n
        return float(self.counts @ deviations**2)

    @property
    def is_binary(self) -> bool:
        """Whether every outcome is 0 or 1."""
        return bool(np.isin(self.values, (0.0, 1.0)).all())

    def within(self, low: float, high: float) -> bool:
        """Whether every outcome lies in ``[low, high]``."""
        return self.values.size == 0 or bool(low <= self.values[0] and self.values[-1] <= high)


def _row_counts(by_status: Mapping[str, int]) -> RowCounts:
    scored = by_status.get("scored", 0)
    left_out = {name: k for name, k in sorted(by_status.items()) if name != "scored" and k}
    attempted = scored + sum(k for name, k in left_out.items() if name != NOT_ATTEMPTED)
    return RowCounts(
        attempted=attempted, scored=scored, errored=attempted - scored, by_status=left_out
    )


def _group_sums(
    codes: NDArray[np.int64], values: NDArray[np.float64], counts: NDArray[np.float64]
) -> ClusterSums:
    number = int(codes.max()) + 1 if codes.size else 0
    # Summing in one order makes the last bit independent of the order of rows.
    order = np.lexsort((values, codes))
    codes, values, counts = codes[order], values[order], counts[order]
    return ClusterSums(
        sums=np.bincount(codes, weights=values * counts, minlength=number).astype(np.float64),
        sizes=np.bincount(codes, weights=counts, minlength=number).astype(np.float64),
    )


def tally_values(
    values: ArrayLike, *, clusters: Sequence[object] | None = None, errored: int = 0
) -> Tally:
    """Tally plain outcomes.

    Parameters
    ----------
    values : array_like, shape (n,)
        Outcomes; NaN and ``None`` are missing verdicts, counted as errored.
    clusters : sequence of length n, optional
        Cluster of each outcome.
    errored : int
        Further rows that were attempted and have no outcome.

    Returns
    -------
    Tally

    Raises
    ------
    ArgumentError
        If lengths differ or an outcome is infinite.

    Examples
    --------
    >>> t = tally_values([1, 0, 1, None])
    >>> t.n, t.mean == 2 / 3, t.rows.errored
    (3, True, 1)
    """
    array = np.asarray(values, dtype=float).ravel()
    if np.isinf(array).any():
        raise ArgumentError("`values` holds an infinity; score it as missing or drop it by name")
    if clusters is not None and len(clusters) != array.size:
        raise ArgumentError(
            f"`clusters` has length {len(clusters)} and `values` {array.size}; they must match"
        )
    kept = ~np.isnan(array)
    distinct, counts = np.unique(array[kept], return_counts=True)
    sums = None
    if clusters is not None:
        labels = np.asarray([str(c) for c in clusters], dtype=object)[kept]
        _, codes = np.unique(labels.astype(str), return_inverse=True)
        sums = _group_sums(codes.astype(np.int64), array[kept], np.ones(int(kept.sum())))
    missing = int(array.size - kept.sum())
    return Tally(
        values=distinct,
        counts=counts.astype(np.int64),
        clusters=sums,
        rows=_row_counts({"scored": int(kept.sum()), "missing": missing, "infra": errored}),
    )


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _check_columns(names: Sequence[str], needed: Sequence[str]) -> None:
    for column in needed:
        if column not in names:
            raise MissingColumnError(
                f"column {column!r} is not there; the columns are {', '.join(map(repr, names))}"
            )


def _collect(frame: Any) -> dict[str, list[Any]]:
    """Bring a small grouped frame of any engine into plain lists."""
    eager = frame.collect() if hasattr(frame, "collect") else frame
    return {name: eager[name].to_list() for name in eager.columns}


def tally(
    frame: Any,
    *,
    score: str = "score",
    by: Sequence[str] = (),
    cluster: str | None = None,
    status: str | None = None,
) -> tuple[Tally, ...]:
    """Tally the scores of a dataframe of any engine, group by group.

    Parameters
    ----------
    frame : dataframe
        pandas, Polars (lazy or not), PyArrow table, DuckDB relation, or whatever narwhals takes.
    score : str
        Column of outcomes; null and NaN are missing verdicts.
    by : sequence of str
        Columns that define the groups.
    cluster : str, optional
        Column of clusters, within groups.
    status : str, optional
        Column that says what became of a row; only ``"scored"`` rows carry an outcome.

    Returns
    -------
    tuple of Tally
        Sorted by group.

    Raises
    ------
    MissingColumnError
        If a named column is not there.
    InputError
        If a scored row has no cluster.

    Notes
    -----
    One grouped count is run in the frame's own engine, in one pass over the rows; only its
    result, one row for each distinct (group, cluster, status, outcome), is brought into memory.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"system": ["A", "A", "B"], "score": [1.0, 0.0, 1.0]})
    >>> [(t.by["system"], t.n, t.mean) for t in tally(frame, by=["system"])]
    [('A', 2, 0.5), ('B', 1, 1.0)]
    """
    import narwhals as nw

    table: Any = nw.from_native(frame)
    names = table.collect_schema().names()
    _check_columns(
        names, [score, *by, *([cluster] if cluster else []), *([status] if status else [])]
    )
    value = nw.col(score).cast(nw.Float64)
    table = table.with_columns(value.alias("_value"))
    present = ~nw.col("_value").is_null() & ~nw.col("_value").is_nan()
    scored = present if status is None else present & (nw.col(status) == "scored")
    state = nw.when(scored).then(nw.lit("scored")).otherwise(nw.lit("missing"))
    if status is not None:
        lost = (nw.col(status) == "scored") | nw.col(status).is_null()
        state = (
            nw.when(scored)
            .then(nw.lit("scored"))
            .otherwise(nw.when(lost).then(nw.lit("missing")).otherwise(nw.col(status)))
        )
    unscored = [*([cluster] if cluster else []), "_value"]
    table = table.with_columns(state.alias("_state"))
    table = table.with_columns(
        *(nw.when(nw.col("_state") == "scored").then(nw.col(name)).alias(name) for name in unscored)
    )
    keys = [*by, "_state", *unscored]
    return _assemble(
        _collect(table.select(*keys).group_by(keys).agg(nw.len().alias("_rows"))),
        by=by,
        cluster=cluster,
    )


def _assemble(
    cells: Mapping[str, list[Any]], *, by: Sequence[str], cluster: str | None
) -> tuple[Tally, ...]:
    counts = np.asarray(cells["_rows"], dtype=np.int64)
    status_of: dict[tuple[str, ...], dict[str, int]] = {}
    scored: dict[tuple[str, ...], list[int]] = {}
    for index, state in enumerate(cells["_state"]):
        key = tuple(_text(cells[c][index]) for c in by)
        group = status_of.setdefault(key, {})
        group[state] = group.get(state, 0) + int(counts[index])
        if state == "scored":
            scored.setdefault(key, []).append(index)
    values = np.asarray([np.nan if v is None else v for v in cells["_value"]], dtype=float)
    if np.isinf(values).any():
        raise InputError("a score is infinite; mark it as missing or correct it")
    out = []
    for key in sorted(status_of):
        chosen = np.asarray(scored.get(key, []), dtype=np.int64)
        sums = None
        if cluster is not None:
            sums = _clusters([cells[cluster][i] for i in chosen], values[chosen], counts[chosen])
        distinct, inverse = np.unique(values[chosen], return_inverse=True)
        totals = np.bincount(inverse, weights=counts[chosen], minlength=distinct.size)
        out.append(
            Tally(
                values=distinct,
                counts=totals.astype(np.int64),
                by=dict(zip(by, key, strict=True)),
                clusters=sums,
                rows=_row_counts(status_of[key]),
            )
        )
    return tuple(out)


def _clusters(
    labels: Sequence[object], values: NDArray[np.float64], counts: NDArray[np.int64]
) -> ClusterSums:
    if any(label is None or label != label for label in labels):  # noqa: PLR0124
        missing = int(sum(int(k) for x, k in zip(labels, counts, strict=True) if x is None))
        raise InputError(
            f"{missing or 'some'} scored rows have no cluster; give each its cluster, or a cluster "
            "of its own"
        )
    codes_of: dict[str, int] = {name: i for i, name in enumerate(sorted({str(x) for x in labels}))}
    codes = np.asarray([codes_of[str(x)] for x in labels], dtype=np.int64)
    return _group_sums(codes, values, counts.astype(float))
