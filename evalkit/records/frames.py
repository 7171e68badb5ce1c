"""Rows of dataframes: pandas, Polars, PyArrow, DuckDB relations, and what else narwhals takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evalkit.errors import ArgumentError, InputError
from evalkit.records.stream import Row, RowStream

__all__ = ["frame_columns", "open_frame"]


def frame_columns(source: object) -> dict[str, list[Any]]:
    """Return the columns of any dataframe as lists.

    Raises
    ------
    ArgumentError
        `source` is not a dataframe.
    InputError
        Its columns cannot be told apart or cannot be turned into values.
    """
    import narwhals as nw
    from narwhals.exceptions import NarwhalsError

    if type(source).__module__.startswith("datasets."):
        from evalkit.records.hub import arrow_table

        source = arrow_table(source)
    try:
        frame = nw.from_native(source)  # type: ignore[call-overload]
    except TypeError:
        raise ArgumentError(
            f"`source` is {type(source).__name__}; allowed are a path, or a dataframe of pandas, "
            "Polars, PyArrow, DuckDB or another engine that narwhals takes"
        ) from None
    except (NarwhalsError, ValueError) as cause:
        raise InputError(f"the dataframe cannot be read ({cause})") from cause
    try:
        if isinstance(frame, nw.LazyFrame):
            frame = frame.collect()
        names = list(frame.columns)
        if len({str(name) for name in names}) < len(names):
            raise InputError(f"the dataframe names a column twice: {names}; rename the columns")
        return {str(name): frame[name].to_list() for name in names}
    except (NarwhalsError, TypeError, OverflowError) as cause:
        raise InputError(f"the dataframe cannot be read ({cause})") from cause


def open_frame(source: object) -> RowStream:
    """Return the rows of a dataframe."""
    columns = frame_columns(source)
    return RowStream(name="dataframe", rows=_rows(columns), unit="row", columns=tuple(columns))


def _rows(columns: dict[str, list[Any]]) -> Iterator[Row]:
    names = list(columns)
    for number, values in enumerate(zip(*columns.values(), strict=True), 1):
        yield number, dict(zip(names, values, strict=True))
