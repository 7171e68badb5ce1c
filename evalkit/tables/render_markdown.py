"""GitHub-flavoured Markdown: every row has the same number of cells."""

from __future__ import annotations

import re

from evalkit.tables.cells import Cell, cell_text
from evalkit.tables.plain import one_line
from evalkit.tables.render_csv import flat_headers
from evalkit.tables.table import Table

__all__ = ["escape_markdown", "to_markdown"]

_RULES = {"left": ":---", "right": "---:", "center": ":---:"}
_SPECIAL = re.compile(r"[\\|`*<]|&(?=#?\w+;)|(?<!\w)_|_(?!\w)")


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
    lines = [
        _line([escape_markdown(header) for header in flat_headers(table)]),
        _line([_RULES[column.align] for column in table.columns]),
    ]
    group: str | None = None
    for row in table.rows:
        if row.group != group and row.group is not None:
            name = escape_markdown(row.group)
            lines.append(_line([f"**{name}**" if name else "", *[""] * (len(table.columns) - 1)]))
        group = row.group
        lines.append(_line([_marked(cell) for cell in row.cells]))
    parts = [] if table.caption is None else [f"**{escape_markdown(table.caption)}**"]
    parts += ["\n".join(lines), *(escape_markdown(note) for note in table.notes)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _marked(cell: Cell) -> str:
    body = escape_markdown(cell_text(cell))
    if body and cell.underline:
        body = f"<ins>{body}</ins>"
    return f"**{body}**" if body and cell.bold else body
