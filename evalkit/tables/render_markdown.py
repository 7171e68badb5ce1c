"""GitHub-flavoured Markdown: every row has the same number of cells."""

from __future__ import annotations

import re
from collections.abc import Mapping

from evalkit.tables.cells import Cell, cell_text
from evalkit.tables.footnotes import footnote_marks, marks_of
from evalkit.tables.plain import one_line
from evalkit.tables.render_csv import flat_headers
from evalkit.tables.table import Table

__all__ = ["escape_markdown", "to_markdown"]

_RULES = {"left": ":---", "right": "---:", "center": ":---:"}
_SPECIAL = re.compile(r"[\\|`*<$~]|&(?=#?\w+;)|(?<!\w)_|_(?!\w)")
# A line of its own that starts like this would become a heading, a quotation or a list.
_BLOCK = re.compile(r"^([#>+=-]|\d{1,9}(?=[.)]))")


def escape_markdown(value: str) -> str:
    r"""Escape text for a Markdown table cell.

    Examples
    --------
    >>> print(escape_markdown("a|b *c* run_id"))
    a\|b \*c\* run_id
    """
    return _SPECIAL.sub(lambda match: "\\" + match[0], one_line(value)).strip()


def to_markdown(table: Table) -> str:
    r"""Render a table as GitHub-flavoured Markdown.

    Parameters
    ----------
    table : Table
        Any table. A spanner is joined to the header; a row group is a row with its name in bold.

    Returns
    -------
    str
        Caption, table and notes, separated by blank lines, with a final line end.

    Examples
    --------
    >>> from evalkit.tables import make_table
    >>> print(to_markdown(make_table(["m", "x"], [["a|b", 1.25]])), end="")
    | m | x |
    | :--- | ---: |
    | a\|b | 1.3 |
    """
    marks = footnote_marks(table)
    headers = zip(flat_headers(table), table.columns, strict=True)
    lines = [
        _line(
            [escape_markdown(name) + _raised(column.footnotes, marks) for name, column in headers]
        ),
        _line([_RULES[column.align] for column in table.columns]),
    ]
    group: str | None = None
    for row in table.rows:
        if row.group != group and row.group is not None:
            name = escape_markdown(row.group)
            lines.append(_line([f"**{name}**" if name else "", *[""] * (len(table.columns) - 1)]))
        group = row.group
        lines.append(_line([_marked(cell) + _raised(cell.footnotes, marks) for cell in row.cells]))
    parts = [] if table.caption is None else [f"**{escape_markdown(table.caption)}**"]
    below = [f"<sup>{mark}</sup> {escape_markdown(text)}" for text, mark in marks.items()]
    parts += ["\n".join(lines), *below, *(_paragraph(note) for note in table.notes)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _paragraph(value: str) -> str:
    escaped = escape_markdown(value)
    found = _BLOCK.match(escaped)
    if found is None:
        return escaped
    place = found.end() if found[0][0].isdigit() else 0
    return f"{escaped[:place]}\\{escaped[place:]}"


def _raised(footnotes: tuple[str, ...], marks: Mapping[str, str]) -> str:
    return f"<sup>{marks_of(footnotes, marks)}</sup>" if footnotes else ""


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _marked(cell: Cell) -> str:
    body = escape_markdown(cell_text(cell))
    if body and cell.underline:
        body = f"<ins>{body}</ins>"
    return f"**{body}**" if body and cell.bold else body
