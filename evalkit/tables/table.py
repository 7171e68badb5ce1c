"""The table value: columns, rows of cells, caption, label and notes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from evalkit.errors import ArgumentError
from evalkit.results import Comparison, Estimate, Interval
from evalkit.tables.cells import Cell, CellValue, Count, MeanSD

__all__ = ["Align", "Column", "Row", "Table", "column_index", "make_table"]

Align = Literal["left", "right", "center"]
_UNSAFE_LABEL = re.compile(r"[\\{}%#~\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A table column.

    Attributes
    ----------
    key : str
        Name that verbs use; unique within the table.
    header : str
        Printed heading.
    spanner : str or None
        Heading shared with the neighbouring columns that have the same one.
    align : {"left", "right", "center"}
        Alignment.
    footnotes : tuple of str
        Texts below the table that a mark on the heading points to.
    """

    key: str
    header: str
    spanner: str | None = None
    align: Align = "left"
    footnotes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A table row.

    Attributes
    ----------
    cells : tuple of Cell
        One cell a column.
    group : str or None
        Name of the block of rows it belongs to; neighbours with the same name form a block.
    """

    cells: tuple[Cell, ...]
    group: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    r"""An immutable table; verbs return changed copies.

    Attributes
    ----------
    columns : tuple of Column
        At least one; keys are unique.
    rows : tuple of Row
        Each with one cell a column.
    caption : str or None
        What the table shows.
    label : str or None
        Key for references; never escaped, so it may not hold ``\ { } % # ~`` or line breaks.
    notes : tuple of str
        Lines below the table; the method of the intervals belongs here.
    """

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    caption: str | None = None
    label: str | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        keys = [column.key for column in self.columns]
        if not keys:
            raise ArgumentError("`columns` is empty; a table needs at least one column")
        repeated = sorted({key for key in keys if keys.count(key) > 1})
        if repeated:
            raise ArgumentError(f"`columns` repeats the keys {repeated}; give each its own key")
        for position, row in enumerate(self.rows):
            if len(row.cells) != len(keys):
                raise ArgumentError(
                    f"`rows[{position}]` has {len(row.cells)} cells; "
                    f"it must have one for each of the {len(keys)} columns"
                )
        if self.label is not None and _UNSAFE_LABEL.search(self.label):
            raise ArgumentError(
                f"`label` is {self.label!r}; LaTeX reads it as it stands, so it must not hold "
                "backslashes, braces, % # ~ or line breaks"
            )


def column_index(table: Table, key: str) -> int:
    """Return the position of the column with this key.

    Raises
    ------
    ArgumentError
        If there is no such column; the message lists the keys.
    """
    keys = [column.key for column in table.columns]
    if key not in keys:
        raise ArgumentError(f"`column` is {key!r}; the table has the columns {keys}")
    return keys.index(key)


def make_table(
    columns: Sequence[str | Column],
    rows: Iterable[Sequence[Cell | CellValue]],
    *,
    groups: Sequence[str | None] | None = None,
    digits: int = 1,
    caption: str | None = None,
    label: str | None = None,
    notes: Sequence[str] = (),
) -> Table:
    """Make a table from rows of cells or plain values.

    Parameters
    ----------
    columns : sequence of str or Column
        A string is key and header at once; such a column is right-aligned if the first row
        holds a number there.
    rows : iterable of sequences
        Cells, or plain values: text and whole numbers print as they are.
    groups : sequence of str or None, optional
        Group of each row.
    digits : int
        Decimals of plain values that are not whole numbers.
    caption, label, notes
        As in :class:`Table`.

    Returns
    -------
    Table

    Raises
    ------
    ArgumentError
        If `groups` and `rows` differ in length, or a row and `columns` do.

    Examples
    --------
    >>> table = make_table(["model", "accuracy"], [["a", 77.25], ["b", None]])
    >>> [column.align for column in table.columns]
    ['left', 'right']
    """
    cells = [tuple(_as_cell(value, digits) for value in row) for row in rows]
    names = [None] * len(cells) if groups is None else list(groups)
    if len(names) != len(cells):
        raise ArgumentError(f"`groups` has {len(names)} names for {len(cells)} rows; give one each")
    first = cells[0] if cells else ()
    return Table(
        columns=tuple(
            column if isinstance(column, Column) else _as_column(column, first[i : i + 1])
            for i, column in enumerate(columns)
        ),
        rows=tuple(Row(cells=row, group=name) for row, name in zip(cells, names, strict=True)),
        caption=caption,
        label=label,
        notes=tuple(notes),
    )


def _as_column(name: str, first: tuple[Cell, ...]) -> Column:
    numeric = any(cell.kind != "text" for cell in first)
    return Column(key=name, header=name, align="right" if numeric else "left")


def _as_cell(value: Cell | CellValue, digits: int) -> Cell:
    if isinstance(value, Cell):
        return value
    if value is None or isinstance(value, (str, bool)):
        return Cell(value=value if value is None else str(value))
    if isinstance(value, Count):
        return Cell(value=value, kind="count")
    if isinstance(value, MeanSD):
        return Cell(value=value, digits=digits, kind="mean-sd")
    if isinstance(value, (Estimate, Interval, Comparison)):
        return Cell(value=value, digits=digits, kind="interval")
    if isinstance(value, (float, Fraction, Decimal)):
        return Cell(value=value, digits=digits, kind="number")
    return Cell(value=value, kind="number")
