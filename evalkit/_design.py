"""From whatever the user has to one frame of rows with known columns.

Paths and eager frames go through :func:`evalkit.records.read`, which checks every row.
Lazy frames (a DuckDB relation, a Polars LazyFrame) stay in their engine and must already
have the canonical column names.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from evalkit._clean_frame import clean_table
from evalkit.errors import ArgumentError, MissingColumnError
from evalkit.results import Range

if TYPE_CHECKING:
    from evalkit.records import Records

__all__ = [
    "Design",
    "ErrorPolicy",
    "count_errors_as",
    "design",
    "distinct_values",
    "read_path",
    "scored_rows",
]

ErrorPolicy = Literal["exclude", "fail"]
_CANONICAL = ("system", "item", "attempt", "verifier", "order", "score", "status")


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """Rows in one frame, and what is known about them.

    Attributes
    ----------
    frame : narwhals LazyFrame or DataFrame
        Rows, with the canonical columns that the source has.
    columns : tuple of str
        Columns of `frame`.
    other_columns : tuple of str
        Columns of the source that were not kept.
    score_range : (float, float) or None
        Declared range of the scores.
    notes : tuple of str
        What was left out or guessed while reading.
    """

    frame: Any
    columns: tuple[str, ...]
    other_columns: tuple[str, ...] = ()
    score_range: Range | None = None
    notes: tuple[str, ...] = ()

    def has(self, column: str) -> bool:
        """Whether the frame has this column."""
        return column in self.columns


def _is_lazy(data: Any) -> bool:
    module = type(data).__module__.partition(".")[0]
    return type(data).__name__ in ("LazyFrame", "DuckDBPyRelation") or module in ("dask", "pyspark")


def _lazy_design(data: Any, columns: Mapping[str, str], score_range: Range | None) -> Design:
    import narwhals as nw

    with warnings.catch_warnings():
        # Dask support is announced to move to a package of its own.
        warnings.filterwarnings("ignore", category=FutureWarning, module="narwhals")
        warnings.filterwarnings("ignore", message=".*narwhals-dask.*")
        frame: Any = nw.from_native(data)
    names = frame.collect_schema().names()
    missing = [source for source in columns.values() if source not in names]
    if missing:
        raise MissingColumnError(
            f"column {missing[0]!r} is not there; the columns are {', '.join(map(repr, names))}"
        )
    frame = frame.rename({source: name for name, source in columns.items() if source != name})
    names = frame.collect_schema().names()
    if "score" not in names:
        raise MissingColumnError(
            f"no column 'score' among {', '.join(map(repr, names))}; name it with `columns`"
        )
    return Design(frame=frame, columns=tuple(names), score_range=score_range)


def read_path(
    path: str | os.PathLike[str],
    *,
    columns: Mapping[str, str] | None,
    keep: Sequence[str] = (),
    optional: Sequence[str] = (),
    score_range: Range | None = None,
    system: str | None = None,
    partial: bool = False,
) -> Records:
    """Read a log of a known format, or a table with the columns needed and the optional ones."""
    from evalkit import records
    from evalkit.records.importers import records_for

    if not columns and not partial:
        known = records_for(path, system=system, score_range=score_range)
        if known is not None:
            return known
    needed = [name for name in keep if name not in _CANONICAL]
    wanted = [name for name in optional if name not in (*_CANONICAL, *needed)]

    def read(extra: Sequence[str]) -> Records:
        return records.read(
            path,
            columns=columns,
            keep=[*needed, *extra],
            score_range=score_range,
            system=system,
            partial=partial,
        )

    try:
        return read(wanted)
    except MissingColumnError:
        if not wanted:
            raise
    # One of the optional columns is not there: read again with those that are.
    seen = read(()).other_columns
    return read([name for name in wanted if name in seen])


def design(
    data: Any,
    *,
    columns: Mapping[str, str] | None = None,
    keep: Sequence[str] = (),
    optional: Sequence[str] = (),
    score_range: Range | None = None,
    system: str | None = None,
) -> Design:
    """Bring `data` into one frame of rows.

    Parameters
    ----------
    data : path, Records, or dataframe of any engine
        The verdicts.
    columns : mapping of str to str, optional
        Canonical name to name in the source, where they differ.
    keep : sequence of str
        Further columns that are needed (groups, clusters).
    optional : sequence of str
        Further columns that are kept where they are.
    score_range : (float, float), optional
        Declared range of the scores.
    system : str, optional
        Name of the system when the source has no such column.

    Returns
    -------
    Design
    """
    import narwhals as nw

    from evalkit import records

    if _is_lazy(data):
        found = _lazy_design(data, columns or {}, score_range)
        return _require(found, keep)
    if not isinstance(data, records.Records):
        if isinstance(data, (str, os.PathLike)):
            data = read_path(
                data,
                columns=columns,
                keep=keep,
                optional=optional,
                score_range=score_range,
                system=system,
            )
        else:
            table = None
            if not columns and system is None:
                table = clean_table(data, extra=(*keep, *optional), score_range=score_range)
            if table is not None:
                return _require(_clean_design(data, table, score_range), keep)
            data = records.read(data, columns=columns, score_range=score_range, system=system)
    rows: records.Records = data
    frame = nw.from_native(_arrow(rows.frame), eager_only=True)
    found = Design(
        frame=frame,
        columns=tuple(frame.columns),
        other_columns=rows.other_columns,
        score_range=score_range or rows.score_range,
        notes=rows.notes,
    )
    return _require(found, keep)


def _clean_design(data: Any, table: Any, score_range: Range | None) -> Design:
    """Rows that were checked column by column."""
    import narwhals as nw

    kept = tuple(table.column_names)
    names = [str(name) for name in nw.from_native(data, eager_only=True).columns]
    return Design(
        frame=nw.from_native(table, eager_only=True),
        columns=kept,
        other_columns=tuple(name for name in names if name not in kept),
        score_range=score_range,
    )


def _arrow(frame: Any) -> Any:
    """Move rows to Arrow, which groups and joins text several times faster than objects."""
    import pyarrow as pa

    columns = {}
    for name in frame.columns:
        values = frame[name]
        try:
            column = pa.array(values, from_pandas=True)
            if name == "score":
                columns[name] = column.cast(pa.float64())
            elif pa.types.is_string(column.type) or pa.types.is_null(column.type):
                columns[name] = column.cast(pa.large_string())
            else:
                columns[name] = column
        except (UnicodeEncodeError, pa.ArrowException, TypeError):
            columns[name] = pa.array([_escaped(value) for value in values], type=pa.large_string())
    return pa.table(columns)


def _escaped(value: object) -> str | None:
    """Escape halves of surrogate pairs, which Arrow cannot hold; distinct ids stay distinct."""
    if value is None or value != value:  # noqa: PLR0124 - NaN is the only value unlike itself
        return None
    return str(value).encode("utf-8", "backslashreplace").decode("utf-8")


def _require(found: Design, keep: Sequence[str]) -> Design:
    for name in keep:
        if not found.has(name):
            names = ", ".join(map(repr, (*found.columns, *found.other_columns)))
            raise MissingColumnError(f"column {name!r} is not there; the columns are {names}")
    return found


def distinct_values(found: Design, column: str) -> list[Any]:
    """Distinct values by grouping: `unique` is a window over every row on SQL engines."""
    import narwhals as nw

    frame = found.frame.group_by(column).agg(nw.len().alias("_evalkit_rows"))
    eager = frame.collect() if hasattr(frame, "collect") else frame
    return list(eager[column].to_list())


def scored_rows(found: Design) -> Any:
    """Rows that carry an outcome, as an expression of the frame's own engine."""
    import narwhals as nw

    score = nw.col("score").cast(nw.Float64)
    present = ~score.is_null() & ~score.is_nan()
    return present & (nw.col("status") == "scored") if found.has("status") else present


def count_errors_as(found: Design, policy: ErrorPolicy, fail_score: float) -> Design:
    """Apply the policy for rows that were attempted and have no score.

    Parameters
    ----------
    found : Design
        Rows.
    policy : {"exclude", "fail"}
        Leave them out of the estimate, or score them as failures.
    fail_score : float
        Low end of the range.

    Returns
    -------
    Design
    """
    import narwhals as nw

    if policy == "exclude":
        return found
    if policy != "fail":
        raise ArgumentError(f"`errors` is {policy!r}; it must be 'exclude' or 'fail'")
    ok = scored_rows(found)
    frame = found.frame
    if found.has("status"):
        counted = ok | (nw.col("status") != "skipped")
        frame = frame.with_columns(
            nw.when(ok)
            .then(nw.col("score").cast(nw.Float64))
            .otherwise(nw.lit(fail_score))
            .alias("score"),
            nw.when(counted).then(nw.lit("scored")).otherwise(nw.lit("skipped")).alias("status"),
        )
    else:
        frame = frame.with_columns(
            nw.when(ok)
            .then(nw.col("score").cast(nw.Float64))
            .otherwise(nw.lit(fail_score))
            .alias("score")
        )
    return Design(
        frame=frame,
        columns=found.columns,
        other_columns=found.other_columns,
        score_range=found.score_range,
        notes=found.notes,
    )
