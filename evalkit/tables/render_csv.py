"""CSV with the exact printed text (RFC 4180, line feeds as line ends)."""

from __future__ import annotations

import csv
import io

from evalkit.tables.cells import cell_text
from evalkit.tables.plain import printable
from evalkit.tables.table import Table

__all__ = ["flat_headers", "to_csv"]


def flat_headers(table: Table) -> list[str]:
    """Return one heading a column, a spanner joined as ``Spanner: Header``."""
    return [
        column.header if column.spanner is None else f"{column.spanner}: {column.header}"
        for column in table.columns
    ]


def to_csv(table: Table) -> str:
    r"""Render a table as CSV.

    Parameters
    ----------
    table : Table
        Any table; caption, notes, footnotes and marks have no place in CSV and are left out.

    Returns
    -------
    str
        Header and one line a row; a first column ``group`` if any row has a group.

    Examples
    --------
    >>> from evalkit.tables import make_table
    >>> to_csv(make_table(["m", "x"], [["a,b", 1.25]]))
    'm,x\n"a,b",1.3\n'
    """
    grouped = any(row.group is not None for row in table.rows)
    lines = [["group"] * grouped + flat_headers(table)]
    lines += [
        [row.group or ""] * grouped + [cell_text(cell) for cell in row.cells] for row in table.rows
    ]
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerows([_field(value) for value in line] for line in lines)
    return buffer.getvalue()


def _field(value: str) -> str:
    # The writer leaves a lone carriage return unquoted, which readers take for a line end.
    return printable(value).replace("\r\n", "\n").replace("\r", "\n")
