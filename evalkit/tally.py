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

__all__ = ["LARGEST_SCORE", "ClusterSums", "Tally", "tally", "tally_values"]

LARGEST_SCORE = 1e100
"""Squares of larger outcomes could overflow, and no metric has them."""

NOT_ATTEMPTED = "skipped"
_STATES = {"true": "scored", "false": "missing", "": "missing"}


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
        return self.values.size <= 2 and all(v in (0.0, 1.0) for v in self.values.tolist())

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
        If lengths differ, an outcome is infinite or no number, or one with a value has no cluster.

    Examples
    --------
    >>> t = tally_values([1, 0, 1, None])
    >>> t.n, t.mean == 2 / 3, t.rows.errored
    (3, True, 1)
    """
    from evalkit.records.plain_outcomes import outcome_array, refuse_gaps

    array = outcome_array(values)
    if (np.abs(array) > LARGEST_SCORE).any():
        raise ArgumentError(
            f"`values` holds an infinity, or a value beyond {LARGEST_SCORE:g} in size; score it as "
            "missing or drop it by name"
        )
    if clusters is not None and len(clusters) != array.size:
        raise ArgumentError(
            f"`clusters` has length {len(clusters)} and `values` {array.size}; they must match"
        )
    kept = ~np.isnan(array)
    distinct, counts = np.unique(array[kept], return_counts=True)
    sums = None
    if clusters is not None:
        refuse_gaps(clusters, kept)
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


def _text_codes(series: Any) -> tuple[NDArray[np.int64], list[str]]:
    """Code a column by the rank of its texts; missing values are the empty text."""
    import pyarrow as pa

    try:
        column = series.to_arrow()
    except (pa.ArrowException, TypeError):
        column = pa.array([None if v is None else str(v) for v in series.to_list()])
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if not isinstance(column, pa.DictionaryArray):
        column = column.dictionary_encode(null_encoding="encode")
    indices = column.indices.fill_null(len(column.dictionary)).to_numpy(zero_copy_only=False)
    labels = ["" if v is None else str(v) for v in (*column.dictionary.to_pylist(), None)]
    texts = sorted(set(labels))
    place = {text: rank for rank, text in enumerate(texts)}
    ranks = np.array([place[label] for label in labels], dtype=np.int64)
    return ranks[indices.astype(np.int64)], texts


def _check_columns(names: Sequence[str], needed: Sequence[str]) -> None:
    for column in needed:
        if column not in names:
            raise MissingColumnError(
                f"column {column!r} is not there; the columns are {', '.join(map(repr, names))}"
            )


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
        names,
        [
            score,
            *by,
            *([] if cluster is None else [cluster]),
            *([] if status is None else [status]),
        ],
    )
    value = nw.col(score).cast(nw.Float64)
    table = table.with_columns(value.alias("_evalkit_value"))
    present = ~nw.col("_evalkit_value").is_null() & ~nw.col("_evalkit_value").is_nan()
    scored = present if status is None else present & (nw.col(status) == "scored")
    # Two states are a boolean, which is grouped faster than the words.
    state = scored
    if status is not None:
        lost = (nw.col(status) == "scored") | nw.col(status).is_null()
        state = (
            nw.when(scored)
            .then(nw.lit("scored"))
            .otherwise(nw.when(lost).then(nw.lit("missing")).otherwise(nw.col(status)))
        )
    unscored = [*([cluster] if cluster else []), "_evalkit_value"]
    table = table.with_columns(state.alias("_evalkit_state"))
    known = nw.col("_evalkit_state") if status is None else nw.col("_evalkit_state") == "scored"
    table = table.with_columns(
        *(nw.when(known).then(nw.col(name)).alias(name) for name in unscored)
    )
    keys = [*by, "_evalkit_state", *unscored]
    cells = _coded(table.select(*keys)).group_by(keys).agg(nw.len().alias("_evalkit_rows"))
    if hasattr(cells, "collect"):
        cells = cells.collect()
    return _assemble(cells, by=by, cluster=cluster)


def _coded(table: Any) -> Any:
    """Code the text columns of an Arrow table, which groups codes nine times faster than text."""
    import narwhals as nw

    if not table.implementation.is_pyarrow():
        return table
    # One chunk has one dictionary; several would have to be unified first.
    table = nw.from_native(table.to_native().combine_chunks(), eager_only=True)
    texts = [name for name, kind in table.schema.items() if kind == nw.String]
    return table.with_columns(nw.col(*texts).cast(nw.Categorical)) if texts else table


def _assemble(cells: Any, *, by: Sequence[str], cluster: str | None) -> tuple[Tally, ...]:
    """Tallies from one row for each distinct (group, cluster, status, outcome)."""
    import narwhals as nw

    counts = np.asarray(cells["_evalkit_rows"].to_numpy(), dtype=np.int64)
    values = np.asarray(cells["_evalkit_value"].to_numpy(), dtype=float)
    if (np.abs(values) > LARGEST_SCORE).any():
        raise InputError(
            f"a score is infinite, or beyond {LARGEST_SCORE:g} in size; mark it as missing or "
            "correct it"
        )
    if not counts.size:
        return ()
    states, state_names = _text_codes(cells["_evalkit_state"])
    if cells["_evalkit_state"].dtype == nw.Boolean:
        state_names = [_STATES[name.lower()] for name in state_names]
    group = np.zeros(counts.size, dtype=np.int64)
    texts: list[list[str]] = []
    for name in by:
        codes, labels = _text_codes(cells[name])
        group = group * len(labels) + codes
        texts.append(labels)
    order = np.argsort(group, kind="stable")
    keys, starts = np.unique(group[order], return_index=True)
    out = []
    for key, rows in zip(keys.tolist(), np.split(order, starts[1:]), strict=True):
        by_status = np.bincount(states[rows], weights=counts[rows], minlength=len(state_names))
        status = {name: int(k) for name, k in zip(state_names, by_status, strict=True) if k}
        scored = rows[~np.isnan(values[rows])]
        distinct, totals = _merged(values[scored], counts[scored])
        out.append(
            Tally(
                values=distinct,
                counts=totals,
                by=_group_of(key, by, texts),
                clusters=None
                if cluster is None
                else _clusters(cells[cluster], scored, values, counts),
                rows=_row_counts(status),
            )
        )
    return tuple(out)


def _merged(
    values: NDArray[np.float64], counts: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Distinct values in order, and their counts; cells of clusters repeat a value, as do ±0."""
    order = np.argsort(values, kind="stable")
    values, counts = values[order], counts[order]
    first = np.ones(values.size, dtype=bool)
    np.not_equal(values[1:], values[:-1], out=first[1:])
    if first.all():
        return values, counts
    return values[first] + 0.0, np.add.reduceat(counts, np.flatnonzero(first))


def _group_of(key: int, by: Sequence[str], texts: Sequence[list[str]]) -> dict[str, str]:
    """Undo the mixed-radix code of a group."""
    found = []
    for labels in reversed(texts):
        key, place = divmod(key, len(labels))
        found.append(labels[place])
    return dict(zip(by, reversed(found), strict=True))


def _clusters(
    column: Any, scored: NDArray[np.int64], values: NDArray[np.float64], counts: NDArray[np.int64]
) -> ClusterSums:
    own = column[scored.tolist()]
    missing = np.asarray(own.is_null().to_numpy(), dtype=bool)
    if missing.any():
        raise InputError(
            f"{int(counts[scored][missing].sum())} scored rows have no cluster; give each its "
            "cluster, or a cluster of its own"
        )
    codes, _ = _text_codes(own)
    _, codes = np.unique(codes, return_inverse=True)
    return _group_sums(codes.astype(np.int64), values[scored], counts[scored].astype(float))
