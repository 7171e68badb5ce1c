"""Tables: an immutable value, verbs that return copies, and four renderers of the same cells."""

from __future__ import annotations

from evalkit.tables.cells import (
    Cell,
    Count,
    MeanSD,
    cell_text,
    count,
    delta,
    estimate,
    mean_sd,
    number,
    p_value,
    text,
)
from evalkit.tables.footnotes import with_footnote
from evalkit.tables.render_csv import to_csv
from evalkit.tables.render_html import to_html
from evalkit.tables.render_latex import to_latex
from evalkit.tables.render_markdown import to_markdown
from evalkit.tables.separated import bold_separated
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
    "MeanSD",
    "Row",
    "Table",
    "bold_max",
    "bold_min",
    "bold_separated",
    "cell_text",
    "count",
    "delta",
    "estimate",
    "make_table",
    "mean_sd",
    "number",
    "p_value",
    "text",
    "to_csv",
    "to_html",
    "to_latex",
    "to_markdown",
    "underline_max",
    "with_caption",
    "with_footnote",
    "with_label",
    "with_note",
]
