"""Verbs: free functions that take a table and return a changed copy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from evalkit.rounding import round_number
from evalkit.tables.cells import Cell, sort_value
from evalkit.tables.table import Row, Table, column_index

__all__ = ["bold_max", "bold_min", "underline_max", "with_caption", "with_label", "with_note"]

Mark = Literal["bold", "underline"]


def bold_max(
    table: Table, columns: str | Sequence[str], *, by_group: bool = False, printed: bool = True
) -> Table:
    """Set the largest value of each column in bold, ties included.

    Parameters
    ----------
    table : Table
        Not changed.
    columns : str or sequence of str
        Keys of the columns.
    by_group : bool
        Take the maximum within each row group instead of over the column.
    printed : bool
        Values that print alike tie; otherwise exact values are compared.

    Returns
    -------
    Table
        A copy; undefined and text cells are never marked.

    Raises
    ------
    ArgumentError
        If a column does not exist.

    Examples
    --------
    >>> from evalkit.tables import make_table
    >>> table = bold_max(make_table(["m", "x"], [["a", 1.0], ["b", 2.0], ["c", 2.01]]), "x")
    >>> [row.cells[1].bold for row in table.rows]
    [False, True, True]
    """
    return _mark_best(table, columns, mark="bold", best=max, by_group=by_group, printed=printed)


def bold_min(
    table: Table, columns: str | Sequence[str], *, by_group: bool = False, printed: bool = True
) -> Table:
    """Set the smallest value of each column in bold; otherwise as :func:`bold_max`."""
    return _mark_best(table, columns, mark="bold", best=min, by_group=by_group, printed=printed)


def underline_max(
    table: Table, columns: str | Sequence[str], *, by_group: bool = False, printed: bool = True
) -> Table:
    """Underline the largest value of each column; otherwise as :func:`bold_max`."""
    return _mark_best(
        table, columns, mark="underline", best=max, by_group=by_group, printed=printed
    )


def with_note(table: Table, note: str) -> Table:
    """Return the table with one more note."""
    return replace(table, notes=(*table.notes, note))


def with_caption(table: Table, caption: str | None) -> Table:
    """Return the table with another caption."""
    return replace(table, caption=caption)


def with_label(table: Table, label: str | None) -> Table:
    """Return the table with another reference key."""
    return replace(table, label=label)


def _mark_best(
    table: Table,
    columns: str | Sequence[str],
    *,
    mark: Mark,
    best: Callable[[list[Decimal | float]], Decimal | float],
    by_group: bool,
    printed: bool,
) -> Table:
    keys = [columns] if isinstance(columns, str) else list(columns)
    positions = {column_index(table, key) for key in keys}
    rows = [list(row.cells) for row in table.rows]
    groups = [row.group if by_group else None for row in table.rows]
    for position in positions:
        ranks = [_rank(cells[position], printed=printed) for cells in rows]
        for group in set(groups):
            inside = [i for i, g in enumerate(groups) if g == group and ranks[i] is not None]
            values = [rank for i in inside if (rank := ranks[i]) is not None]
            top = best(values) if values else None
            for i in inside:
                if ranks[i] == top:
                    rows[i][position] = _marked(rows[i][position], mark)
    changed = (
        Row(cells=tuple(cells), group=row.group)
        for cells, row in zip(rows, table.rows, strict=True)
    )
    return replace(table, rows=tuple(changed))


def _marked(cell: Cell, mark: Mark) -> Cell:
    return replace(cell, bold=True) if mark == "bold" else replace(cell, underline=True)


def _rank(cell: Cell, *, printed: bool) -> Decimal | float | None:
    value = sort_value(cell)
    if value is None or isinstance(value, str):
        return None
    if not printed or cell.digits is None:
        return value
    exact = cell.value
    if cell.scale == 1 and isinstance(exact, (int, float, Fraction, Decimal, str)):
        return round_number(exact, cell.digits)
    # A percentage of a proportion: shift the decimals instead of multiplying.
    shift = 2 if cell.scale == 100 or cell.kind == "count" else 0
    return round_number(value, cell.digits + shift)
