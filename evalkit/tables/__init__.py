"""Tables: an immutable value, verbs that return copies, and four renderers of the same cells."""

from __future__ import annotations

from evalkit.tables.cells import (
    Cell,
    Count,
    cell_text,
    count,
    delta,
    estimate,
    number,
    text,
)
from evalkit.tables.render_csv import to_csv
from evalkit.tables.render_html import to_html
from evalkit.tables.render_latex import to_latex
from evalkit.tables.render_markdown import to_markdown
from evalkit.tables.table import Column, Row, Table, make_table
from evalkit.tables.verbs import (
    bold_max,
    bold_min,
    underline_max,
    with_caption,
    with_label,
    with_note,
)

__all__ = [
    "Cell",
    "Column",
    "Count",
    "Row",
    "Table",
    "bold_max",
    "bold_min",
    "cell_text",
    "count",
    "delta",
    "estimate",
    "make_table",
    "number",
    "text",
    "to_csv",
    "to_html",
    "to_latex",
    "to_markdown",
    "underline_max",
    "with_caption",
    "with_label",
    "with_note",
]
