"""Logs of other tools, read into tables: one file a format.

A format is detected from content or forced by name. Each importer keeps apart what was scored,
what failed for reasons of infrastructure, what timed out and what is missing, keeps ids as text,
and returns what it dropped and why.
"""

from __future__ import annotations

from evalkit.records.importers.base import Dropped, Imported, LogFormat, Row, TableKind
from evalkit.records.importers.registry import (
    detect,
    detect_all,
    format_by_name,
    formats,
    frame,
    load,
    read_as,
    records_for,
    rows_for,
)

__all__ = [
    "Dropped",
    "Imported",
    "LogFormat",
    "Row",
    "TableKind",
    "detect",
    "detect_all",
    "format_by_name",
    "formats",
    "frame",
    "load",
    "read_as",
    "records_for",
    "rows_for",
]
