"""Rows as a file holds them, for tables that are not verdicts (histories, ledgers)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalkit.records.csv_rows import long_fields
from evalkit.records.read import _open_file

__all__ = ["RawRows", "read_rows"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RawRows:
    """Rows of one file, column by column name.

    Attributes
    ----------
    rows : tuple of mapping
        One mapping for each row; CSV cells are text, and empty ones are ``None``.
    notes : tuple of str
        What was left out.
    """

    rows: tuple[Mapping[str, Any], ...]
    notes: tuple[str, ...]


def read_rows(source: str | os.PathLike[str], *, partial: bool = False) -> RawRows:
    """Read the rows of a JSONL, CSV or Parquet file without giving them a meaning.

    Parameters
    ----------
    source : path
        Plain, gzip or zstd.
    partial : bool
        Take the whole rows of a compressed file that is cut off.

    Returns
    -------
    RawRows

    Raises
    ------
    InputError
        If the file cannot be read.
    """
    path = Path(source)
    with long_fields():
        stream = _open_file(path, (), None, None, partial=partial)
        rows = tuple(dict(row) for _, row in stream.rows)
    if stream.empty_is_missing:
        rows = tuple({k: None if v == "" else v for k, v in row.items()} for row in rows)
    return RawRows(rows=rows, notes=tuple(stream.notes))
