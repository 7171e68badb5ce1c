"""Checked cells as a table that reads like the paper's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evalkit.studies.cells import CheckedCell
from evalkit.tables import Cell, Column, Row, Table

__all__ = ["reproduced_table"]

_MARKS = {"transcribed": "†", "rounding": "‡", "mismatch": "§"}
_LEGEND = {
    "†": "† transcribed: nothing lower is printed.",
    "‡": "‡ the printed number is equal under another rounding only; see cells.csv.",
    "§": "§ contradicts the printed number; see cells.csv.",
}


def reproduced_table(cells: Sequence[CheckedCell], *, caption: str) -> Table:
    """Arrange the cells of one reported table by row and column.

    Parameters
    ----------
    cells : sequence of CheckedCell
        Of one reported table.
    caption : str
        What the table shows.

    Returns
    -------
    Table
        With the computed numbers; transcribed ones are shown as printed, and marked.
        The first part of a row name (before `` / ``) groups the rows.
    """
    rows = list(dict.fromkeys(cell.row for cell in cells))
    columns = list(dict.fromkeys(cell.column for cell in cells))
    by_key = {(cell.row, cell.column): cell for cell in cells}
    marks: set[str] = set()
    body = []
    for row in rows:
        group, _, rest = row.rpartition(" / ")
        shown = [_shown(by_key.get((row, column)), marks) for column in columns]
        body.append(Row(cells=(Cell(value=rest), *shown), group=group or None))
    return Table(
        columns=(
            Column(key="row", header="row"),
            *(Column(key=name, header=name, align="right") for name in columns),
        ),
        rows=tuple(body),
        caption=caption,
        notes=tuple(text for mark, text in _LEGEND.items() if mark in marks),
    )


def _shown(cell: CheckedCell | None, marks: set[str]) -> Cell:
    if cell is None:
        return Cell(value=None)
    mark = _MARKS.get(cell.level) or _MARKS.get(cell.status) or ""
    marks.add(mark)
    return replace(Cell(value=cell.computed or cell.reported), suffix=mark)
