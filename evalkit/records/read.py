"""Read records from a file or a dataframe."""

from __future__ import annotations

import csv
import os
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from evalkit.errors import (
    ArgumentError,
    EvalkitError,
    InputError,
    TruncatedFileError,
)
from evalkit.records.columns import check_columns
from evalkit.records.compression import SUFFIXES, blocks, split_lines, utf8_blocks
from evalkit.records.csv_rows import csv_rows, long_fields
from evalkit.records.duplicates import refuse_duplicates
from evalkit.records.frames import open_frame
from evalkit.records.jsonl import json_rows
from evalkit.records.outcomes import name_rows, settle
from evalkit.records.parquet import open_parquet
from evalkit.records.rows import Table
from evalkit.records.schema import KEY_COLUMNS, Records
from evalkit.records.stream import RowStream
from evalkit.results import check_range
from evalkit.rounding import round_number

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Format", "read"]

Format = Literal["jsonl", "csv", "parquet"]
_UNREADABLE = (
    UnicodeError,
    OSError,
    EOFError,
    OverflowError,
    RecursionError,
    csv.Error,
    zlib.error,
)
_FORMATS = ("jsonl", "csv", "parquet")
_CSV_SUFFIXES = (".csv", ".tsv", ".tab", ".txt", "")
_ARCHIVES = {
    b"PK\x03\x04": "a zip archive",
    b"\xfd7zXZ": "an xz file",
    b"BZh": "a bzip2 file",
    b"SQLite format 3": "an SQLite database",
    b"\x7fELF": "a program",
    b"%PDF": "a PDF",
    b"\x1f\x8b": "a gzip file inside a compressed file",
    b"\x28\xb5\x2f\xfd": "a zstd file inside a compressed file",
}


def read(
    source: Any,
    *,
    columns: Mapping[str, str] | None = None,
    keep: Collection[str] | None = None,
    score_range: tuple[float, float] | None = None,
    system: str | None = None,
    partial: bool = False,
    format: Format | None = None,  # noqa: A002
) -> Records:
    """Read verdicts into the canonical columns; refuse what cannot be read with certainty.

    Parameters
    ----------
    source : path or dataframe
        JSON Lines, a JSON array, CSV or Parquet, plain, gzip or zstd, told apart by content;
        or a dataframe of pandas, Polars, PyArrow, DuckDB or another engine narwhals takes.
    columns : mapping of str to str, optional
        Canonical name -> column of the source, in place of guessing by name.
        An empty column name leaves an optional one out, as in ``{"error": ""}``.
    keep : collection of str, optional
        Extra columns to keep, lists and objects as JSON text.
        Every single-valued one by default.
    score_range : (low, high), optional
        Scores outside are invalid; they are never clamped.
    system : str, optional
        System of the rows that name none; the file name without suffixes by default.
    partial : bool, default False
        Take the whole rows of a compressed file that is cut off.
    format : {"jsonl", "csv", "parquet"}, optional
        Format, in place of detection.

    Returns
    -------
    Records
        With a note for everything left out, guessed or odd.

    Raises
    ------
    FileMissingError
        There is no such file.
    TruncatedFileError
        A compressed file ends before its end mark and `partial` is off.
    MissingColumnError
        A column that was asked for, or every column that could hold items or scores, is absent.
    DuplicateRowError
        The same (system, item, attempt, verifier, order) stands in two rows.
    InputError
        Any other fault, naming line and item.

    Notes
    -----
    Ids are text exactly as written. A missing, failed or unusable score is never 0: the status
    says what became of the row. The last line of a JSON Lines file that is cut off is left out,
    the result is marked partial, and a note names the line.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"id": ["a", "b", "c"], "correct": [1, None, 0]})
    >>> records = read(frame, system="S")
    >>> records.frame["status"].tolist()
    ['scored', 'missing', 'scored']
    >>> dict(records.columns)
    {'item': 'id', 'score': 'correct'}
    """
    declared = check_columns(columns)
    bounds = None if score_range is None else check_range(score_range)
    if isinstance(keep, str):
        raise ArgumentError(f"`keep` is the text {keep!r}; give a collection, as in ({keep!r},)")
    if format is not None and format not in _FORMATS:
        raise ArgumentError(f"`format` is {format!r}; allowed are {', '.join(_FORMATS)}")
    path = Path(os.fsdecode(source)) if isinstance(source, (str, bytes, os.PathLike)) else None
    try:
        with long_fields():
            if path is None:
                stream = open_frame(source)
            else:
                stream = _open_file(path, declared.values(), keep, format, partial=partial)
            table = Table(
                stream,
                declared=declared,
                keep=keep,
                system=_stem(path) if system is None else system,
            )
            table.fill()
        return _records(table, bounds, system)
    except _UNREADABLE as cause:
        if isinstance(cause, EvalkitError):
            raise
        name = "dataframe" if path is None else str(path)
        raise InputError(f"the data cannot be read ({cause})", path=name) from cause


def _bare_suffix(path: Path) -> str:
    """Return the suffix of the format, under that of the compression."""
    suffix = path.suffix.lower()
    return Path(path.stem).suffix.lower() if suffix in SUFFIXES else suffix


def _stem(path: Path | None) -> str:
    if path is None:
        return "data"
    name = Path(path.stem) if path.suffix.lower() in SUFFIXES else path
    return name.stem


def _open_file(
    path: Path,
    wanted: Collection[str],
    keep: Collection[str] | None,
    form: Format | None,
    *,
    partial: bool,
) -> RowStream:
    stream = RowStream(name=str(path), rows=iter(()))
    source = _until_cut(blocks(path), stream, partial=partial)
    head = next(source, b"")
    if head.startswith(b"PAR1") or form == "parquet":
        return _open_parquet(path, head, source, stream, wanted, keep)
    if _bare_suffix(path) in {".parquet", ".pq"} and not head.lstrip()[:1] == b"{":
        raise stream.fault("the file is not Parquet, as its name says; write it again")
    text = utf8_blocks(chain((head,), source))
    start = next((block for block in text if block), b"")
    _refuse_binary(start, head, stream)
    text = chain((start,), text)
    if b"\r" in start and b"\n" not in start:  # lines that end in a carriage return alone
        text = (block.replace(b"\r", b"\n") for block in text)
    lines = split_lines(_seen_end(text, stream))
    if form == "csv" or (form is None and _looks_delimited(start, path)):
        stream.rows = csv_rows(lines, stream)
    else:
        stream.rows = json_rows(lines, stream)
    return stream


def _seen_end(text: Iterator[bytes], stream: RowStream) -> Iterator[bytes]:
    for block in text:
        if block:
            stream.open_end = not block.endswith(b"\n")
        yield block


def _until_cut(source: Iterator[bytes], stream: RowStream, *, partial: bool) -> Iterator[bytes]:
    try:
        yield from source
    except TruncatedFileError:
        if not partial:
            raise
        stream.partial = True
        stream.notes.append(
            f"{stream.name} is cut off before its end mark; the whole rows up to the cut were read"
        )


def _open_parquet(
    path: Path,
    head: bytes,
    source: Iterator[bytes],
    stream: RowStream,
    wanted: Collection[str],
    keep: Collection[str] | None,
) -> RowStream:
    if not head.startswith(b"PAR1"):
        raise stream.fault("the file does not start as Parquet does; check `format`")
    plain = False
    if path.is_file():  # a pipe cannot be opened twice
        with path.open("rb") as handle:
            plain = handle.read(4) == b"PAR1"
    data = path if plain else BytesIO(b"".join(chain((head,), source)))
    return open_parquet(data, str(path), wanted=wanted, keep=keep)


def _refuse_binary(start: bytes, head: bytes, stream: RowStream) -> None:
    kind = next((kind for magic, kind in _ARCHIVES.items() if head.startswith(magic)), None)
    if kind is not None:
        raise stream.fault(
            f"this is {kind}, not a text file; logs of other tools are brought in with "
            "`evalkit import`"
        )
    # a crash can leave NULs at the end, which are a cut and not a binary file
    first, _, rest = start.rstrip(b"\0 \t\r\n").partition(b"\0")
    if rest or start.startswith(b"\0"):
        raise stream.fault(
            f"this is not a text file: byte {len(first)} is NUL and the file begins with "
            f"{head[:16]!r}; allowed are JSON Lines, CSV and Parquet"
        )


def _looks_delimited(start: bytes, path: Path) -> bool:
    text = start.lstrip()
    if text[:1] in {b"{", b"["} or not text:
        return False
    return _bare_suffix(path) in _CSV_SUFFIXES


def _records(table: Table, bounds: tuple[float, float] | None, system: str | None) -> Records:
    stream, ids = table.stream, table.item.values
    notes = list(stream.notes)
    scores, statuses = settle(
        table.score.values,
        table.status.values,
        table.error.values,
        bounds,
        name=lambda positions: name_rows(positions, ids, table.lines, stream.unit),
        notes=notes,
    )
    table.drop_nested()
    frame = _frame(table, scores, statuses)
    varying = ["item", *table.keys]
    refuse_duplicates(frame, varying, lines=table.lines, numeric=table.item.numeric, stream=stream)
    if table.score.words:
        words = ", ".join(map(repr, sorted(table.score.words)))
        notes.append(f"the scores {words} were read as 1 (pass) or 0 (fail)")
    if system is not None and "system" in table.columns:
        notes.append(
            f"`system` {system!r} is used only where {table.columns['system']!r} names no system"
        )
    notes += _coverage(stream, len(table))
    if not len(table):
        notes.append(f"{stream.name} holds no rows")
    return Records(
        frame=frame,
        columns=dict(table.columns),
        other_columns=tuple(table.dropped),
        score_range=bounds,
        sources=(stream.name,),
        notes=tuple(notes),
        partial=stream.partial,
    )


def _coverage(stream: RowStream, rows: int) -> list[str]:
    if stream.planned is None:
        return []
    stream.partial = stream.partial or rows < stream.planned
    if not stream.planned:
        return [f"{rows} of 0 planned rows"]
    share = f"{round_number(Fraction(rows, stream.planned), 4).normalize():f}"
    return [f"{rows} of {stream.planned} planned rows (coverage {share})"]


def _frame(table: Table, scores: Any, statuses: Any) -> pd.DataFrame:
    import numpy as np
    import pandas as pd

    def text(values: Sequence[Any]) -> pd.Series[Any]:
        cells = np.empty(len(values), dtype=object)
        cells[:] = values
        return pd.Series(cells, dtype=object)

    columns: dict[str, pd.Series[Any]] = {}
    for name in KEY_COLUMNS:
        if name == "item":
            columns[name] = text(table.item.values)
        elif name in table.keys:
            columns[name] = text(table.keys[name].values)
        else:
            columns[name] = text([table.defaults[name]] * len(table))
    columns["score"] = pd.Series(scores, dtype="float64")
    columns["status"] = pd.Series(statuses, dtype=object)
    columns.update({name: text(cells.values) for name, cells in table.extras.items()})
    return pd.DataFrame(columns)
