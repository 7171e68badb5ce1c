"""Footnotes: texts tied to headings and cells, marked a, b, c in reading order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from evalkit.errors import ArgumentError
from evalkit.tables.table import Row, Table, column_index

__all__ = ["footnote_marks", "marks_of", "with_footnote"]


def with_footnote(table: Table, text: str, *, column: str, row: int | None = None) -> Table:
    """Return the table with a footnote on a heading or a cell.

    Parameters
    ----------
    table : Table
        Not changed.
    text : str
        The footnote. The same text on several places has one mark.
    column : str
        Key of the column.
    row : int, optional
        Position of the row; without it the footnote goes to the heading of the column.

    Returns
    -------
    Table

    Raises
    ------
    ArgumentError
        If `text` is blank, or the column or row does not exist.

    Examples
    --------
    >>> from evalkit.tables import make_table
    >>> table = with_footnote(make_table(["m", "x"], [["a", 1]]), "one run", column="x", row=0)
    >>> footnote_marks(table), table.rows[0].cells[1].footnotes
    ({'one run': 'a'}, ('one run',))
    """
    if not text.strip():
        raise ArgumentError(f"`text` is {text!r}; a footnote must say something")
    position = column_index(table, column)
    if row is None:
        columns = list(table.columns)
        held = columns[position]
        columns[position] = replace(held, footnotes=(*held.footnotes, text))
        return replace(table, columns=tuple(columns))
    if not 0 <= row < len(table.rows):
        raise ArgumentError(f"`row` is {row}; the table has {len(table.rows)} rows, from 0")
    rows = list(table.rows)
    cells = list(rows[row].cells)
    cells[position] = replace(cells[position], footnotes=(*cells[position].footnotes, text))
    rows[row] = Row(cells=tuple(cells), group=rows[row].group)
    return replace(table, rows=tuple(rows))


def footnote_marks(table: Table) -> dict[str, str]:
    """Return each distinct footnote with its mark, headings first, then row by row."""
    texts = [text for column in table.columns for text in column.footnotes]
    texts += [text for row in table.rows for cell in row.cells for text in cell.footnotes]
    return {text: _letters(i) for i, text in enumerate(dict.fromkeys(texts))}


def marks_of(footnotes: Iterable[str], marks: Mapping[str, str]) -> str:
    """Return the marks of some footnotes, joined by commas."""
    return ",".join(marks[text] for text in dict.fromkeys(footnotes))


def _letters(index: int) -> str:
    """Name marks a, b, ..., z, aa, ab, ...."""
    name, index = "", index + 1
    while index:
        index, digit = divmod(index - 1, 26)
        name = chr(ord("a") + digit) + name
    return name
