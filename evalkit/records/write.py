"""Write records or dataframes as strict JSON Lines, CSV or Parquet, whole or not at all."""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from evalkit.errors import ArgumentError, FileMissingError, InputError
from evalkit.records.compression import SUFFIXES, compressed
from evalkit.records.frames import frame_columns
from evalkit.records.read import Format
from evalkit.records.schema import Records
from evalkit.records.values import is_missing, json_text, utf8_text
from evalkit.results import json_value

__all__ = ["write"]

_FORMATS: dict[str, Format] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
}
_BATCH = 1 << 14


def write(
    records: Any,
    path: str | os.PathLike[str],
    *,
    format: Format | None = None,  # noqa: A002
) -> None:
    r"""Write records to a file that any strict reader takes.

    Parameters
    ----------
    records : Records or dataframe
        What to write.
    path : path
        The suffix gives the format, and a last ``.gz`` or ``.zst`` the compression.
    format : {"jsonl", "csv", "parquet"}, optional
        Format, in place of the suffix.

    Raises
    ------
    ArgumentError
        The suffix names no format.
    FileMissingError
        The folder does not exist.

    Notes
    -----
    NaN and infinities are written as null (in CSV as an empty cell); the status column says why.
    JSON is ASCII with escapes, so half a surrogate pair survives; CSV and Parquet cannot hold one
    and get U+FFFD in its place. The file appears whole under its name or not at all, and equal
    records give equal bytes.

    Examples
    --------
    >>> import pandas as pd, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "out.jsonl"
    >>> write(pd.DataFrame({"item": ["a"], "score": [float("nan")]}), path)
    >>> path.read_text()
    '{"item": "a", "score": null}\n'
    """
    target = Path(os.fsdecode(path))
    suffix = target.suffix.lower()
    compression = suffix if suffix in SUFFIXES else None
    bare = Path(target.stem).suffix.lower() if compression else suffix
    form = _FORMATS.get(bare) if format is None else format
    if form not in _FORMATS.values():
        raise ArgumentError(
            f"`path` {str(target)!r} names no format; end it in {', '.join(_FORMATS)} "
            f"(then {' or '.join(SUFFIXES)} to compress), or give `format`"
        )
    columns = frame_columns(records.frame if isinstance(records, Records) else records)
    with _atomic(target) as handle, compressed(handle, compression) as out:
        if form == "jsonl":
            _write_jsonl(columns, out)
        elif form == "csv":
            _write_csv(columns, out, "\t" if bare == ".tsv" else ",")
        else:
            _write_parquet(columns, out)


@contextmanager
def _atomic(target: Path) -> Iterator[IO[bytes]]:
    """Yield a file that takes the name of `target` once it is whole."""
    real = Path(os.path.realpath(target))
    if not real.parent.is_dir():
        raise FileMissingError(f"{real.parent}: there is no such folder; make it first")
    if real.is_dir():
        raise ArgumentError(f"`path` {str(target)!r} is a folder; name a file in it")
    if real.exists() and not real.is_file():  # a pipe or device is written to, never replaced
        with target.open("wb") as handle:
            yield handle
        return
    temporary = real.with_name(f".{real.name[:200]}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as handle:
            yield handle
            handle.flush()
            os.fsync(handle.fileno())
        temporary.replace(real)
    except OSError as cause:
        raise InputError(f"the file cannot be written ({cause})", path=str(target)) from cause
    finally:
        temporary.unlink(missing_ok=True)


def _rows(columns: dict[str, list[Any]]) -> Iterator[tuple[Any, ...]]:
    return zip(*columns.values(), strict=True)


def _write_jsonl(columns: dict[str, list[Any]], out: IO[bytes]) -> None:
    names = list(columns)
    encode = json.JSONEncoder(ensure_ascii=True, allow_nan=False).encode
    for row in _rows(columns):
        cells = {name: _json_cell(cell) for name, cell in zip(names, row, strict=True)}
        out.write(encode(cells).encode() + b"\n")


def _json_cell(cell: Any) -> Any:
    if type(cell) is str or cell is None:
        return cell
    return None if is_missing(cell) else json_value(cell)


def _write_csv(columns: dict[str, list[Any]], out: IO[bytes], separator: str) -> None:
    buffer = io.StringIO(newline="")
    # RFC 4180 line ends; with these the writer also quotes a lone carriage return
    writer = csv.writer(buffer, delimiter=separator, lineterminator="\r\n")
    writer.writerow([utf8_text(name).replace("\0", "\ufffd") for name in columns])
    for number, row in enumerate(_rows(columns), 1):
        writer.writerow([_csv_cell(cell) for cell in row])
        if number % _BATCH == 0:
            _drain(buffer, out)
    _drain(buffer, out)


def _drain(buffer: io.StringIO, out: IO[bytes]) -> None:
    out.write(buffer.getvalue().encode())
    buffer.seek(0)
    buffer.truncate()


def _csv_cell(cell: Any) -> str:
    if isinstance(cell, float) and not math.isfinite(cell):
        return ""
    text = json_text(cell)
    return "" if text is None else utf8_text(text).replace("\0", "\ufffd")


def _write_parquet(columns: dict[str, list[Any]], out: IO[bytes]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pa.table({utf8_text(name): _arrow(cells) for name, cells in columns.items()})
        buffer = io.BytesIO()
        pq.write_table(table, buffer)
    except (pa.ArrowException, OverflowError) as cause:
        raise InputError(f"the records cannot be written as Parquet ({cause})") from cause
    out.write(buffer.getbuffer())


def _arrow(cells: Sequence[Any]) -> Any:
    import pyarrow as pa

    values = [None if is_missing(cell) else cell for cell in cells]
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {float}:
        finite = [value if value is None or math.isfinite(value) else None for value in values]
        return pa.array(finite, pa.float64() if kinds else pa.string())
    if len(kinds) == 1 and not kinds & {str, dict, list}:
        return pa.array(values)
    return pa.array(
        [None if (t := json_text(v)) is None else utf8_text(t) for v in values], pa.string()
    )
