"""Semantic HTML: caption, scopes, and ``data-value`` for sorting."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from itertools import groupby

from evalkit.tables.cells import Cell, cell_text, sort_value
from evalkit.tables.footnotes import footnote_marks, marks_of
from evalkit.tables.plain import printable
from evalkit.tables.table import Align, Column, Row, Table

__all__ = ["to_html"]


def to_html(table: Table) -> str:
    """Render a table as an HTML ``table`` element.

    Parameters
    ----------
    table : Table
        Any table. The first column is the row heading if its cells are text.

    Returns
    -------
    str
        One element, with a final line end. Classes ``left``, ``right``, ``center`` align;
        ``data-value`` on a cell is what it sorts by, empty when undefined.

    Examples
    --------
    >>> from evalkit.tables import make_table
    >>> html = to_html(make_table(["m", "x"], [["a", 1.25]]))
    >>> html.splitlines()[8].partition("</th>")[2]
    '<td class="right" data-value="1.25">1.3</td></tr>'
    """
    label = "" if table.label is None else f' id="{_attribute(table.label)}"'
    lines = [f'<table class="evalkit"{label}>']
    if table.caption is not None:
        lines.append(f"<caption>{_content(table.caption)}</caption>")
    lines += ["<thead>", *_spanner_lines(table), "<tr>"]
    marks = footnote_marks(table)
    lines += [_header(column, marks) for column in table.columns]
    lines += ["</tr>", "</thead>"]
    for group, rows in groupby(table.rows, key=lambda row: row.group):
        lines += ["<tbody>", *_group_lines(group, len(table.columns))]
        lines += [_row_line(row, table.columns, marks) for row in rows]
        lines.append("</tbody>")
    if table.notes or marks:
        width = len(table.columns)
        below = [f"<sup>{mark}</sup> {_content(note)}" for note, mark in marks.items()]
        below += [_content(note) for note in table.notes]
        lines.append("<tfoot>")
        lines += [f'<tr><td colspan="{width}">{line}</td></tr>' for line in below]
        lines.append("</tfoot>")
    return "\n".join([*lines, "</table>", ""])


def _content(value: str) -> str:
    return escape(printable(value), quote=False)


def _attribute(value: str) -> str:
    return escape(printable(value), quote=True)


def _class(align: Align) -> str:
    return f' class="{align}"'


def _raised(footnotes: tuple[str, ...], marks: Mapping[str, str]) -> str:
    return f"<sup>{marks_of(footnotes, marks)}</sup>" if footnotes else ""


def _header(column: Column, marks: Mapping[str, str]) -> str:
    return (
        f'<th scope="col"{_class(column.align)} data-key="{_attribute(column.key)}">'
        f"{_content(column.header)}{_raised(column.footnotes, marks)}</th>"
    )


def _spanner_lines(table: Table) -> list[str]:
    if all(column.spanner is None for column in table.columns):
        return []
    cells = []
    for spanner, columns in groupby(table.columns, key=lambda column: column.spanner):
        width = len(list(columns))
        if spanner is None:
            cells.append(f'<td colspan="{width}"></td>')
        else:
            cells.append(f'<th scope="colgroup" colspan="{width}">{_content(spanner)}</th>')
    return [f'<tr class="spanners">{"".join(cells)}</tr>']


def _group_lines(group: str | None, width: int) -> list[str]:
    if group is None:
        return []
    heading = f'<th scope="rowgroup" colspan="{width}">{_content(group)}</th>'
    return [f'<tr class="group">{heading}</tr>']


def _row_line(row: Row, columns: tuple[Column, ...], marks: Mapping[str, str]) -> str:
    cells = [
        _cell(cell, column, marks, heading=position == 0 and cell.kind == "text")
        for position, (cell, column) in enumerate(zip(row.cells, columns, strict=True))
    ]
    return f"<tr>{''.join(cells)}</tr>"


def _cell(cell: Cell, column: Column, marks: Mapping[str, str], *, heading: bool) -> str:
    body = _content(cell_text(cell))
    body = f"<u>{body}</u>" if cell.underline else body
    body = f"<strong>{body}</strong>" if cell.bold else body
    body += _raised(cell.footnotes, marks)
    value = sort_value(cell)
    # Nine digits sort as well as seventeen, and do not change with the last bit of a machine.
    key = f"{value:.9g}" if isinstance(value, float) else _attribute(str(value or ""))
    tag, scope = ("th", ' scope="row"') if heading else ("td", "")
    return f'<{tag}{scope}{_class(column.align)} data-value="{key}">{body}</{tag}>'
