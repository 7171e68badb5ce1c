"""Rows of Parquet files, batch by batch."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import IO, TYPE_CHECKING, Any

from evalkit.records.columns import claim
from evalkit.records.stream import Row, RowStream

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["open_parquet"]

_BATCH = 1 << 14


def open_parquet(
    source: Path | IO[bytes],
    name: str,
    *,
    wanted: Collection[str],
    keep: Collection[str] | None,
) -> RowStream:
    """Return the rows of a Parquet file.

    Parameters
    ----------
    source : Path or binary file
        The file.
    name : str
        What messages call it.
    wanted : collection of str
        Columns that were declared.
    keep : collection of str, optional
        Extra columns to read; all single-valued ones by default.

    Raises
    ------
    InputError
        The file is not valid Parquet, or names a column twice.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    stream = RowStream(name=name, rows=iter(()), unit="row")
    try:
        file = pq.ParquetFile(source)
        schema = file.schema_arrow
    except (pa.ArrowException, OSError, ValueError, UnicodeError) as cause:
        raise _damaged(stream, cause) from cause
    names = list(schema.names)
    twice = sorted({each for each in names if names.count(each) > 1})
    if twice:
        raise stream.fault(f"the columns {twice} stand more than once; rename them")
    chosen = [each for each in names if _is_wanted(each, schema.field(each).type, wanted, keep)]
    stream.columns = tuple(names)
    stream.unread = tuple(each for each in names if each not in chosen)
    stream.rows = _rows(file, chosen, stream)
    return stream


def _is_wanted(name: str, kind: Any, wanted: Collection[str], keep: Collection[str] | None) -> bool:
    from pyarrow import types

    if name in wanted or (keep is not None and name in keep):
        return True
    if types.is_nested(kind):
        return False
    return keep is None or claim(name) is not None


def _rows(file: Any, chosen: list[str], stream: RowStream) -> Iterator[Row]:
    import pyarrow as pa

    number = 0
    try:
        for batch in file.iter_batches(batch_size=_BATCH, columns=chosen):
            cells = [batch.column(each).to_pylist() for each in chosen]
            for values in zip(*cells, strict=True):
                number += 1
                yield number, dict(zip(chosen, values, strict=True))
    except (pa.ArrowException, OSError, ValueError, KeyError, OverflowError) as cause:
        raise _damaged(stream, cause) from cause


def _damaged(stream: RowStream, cause: Exception) -> Exception:
    reason = str(cause).splitlines()[0] if str(cause) else type(cause).__name__
    return stream.fault(f"the Parquet file is damaged or cut off ({reason}); write it again")
