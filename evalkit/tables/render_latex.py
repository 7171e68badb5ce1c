"""LaTeX with booktabs; every text position is escaped, the label stays raw."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby

from evalkit.tables.cells import Cell, cell_text
from evalkit.tables.footnotes import footnote_marks, marks_of
from evalkit.tables.latex_text import escape_latex
from evalkit.tables.table import Table

__all__ = ["to_latex"]


def to_latex(table: Table) -> str:
    r"""Render a table as a LaTeX ``table`` environment (needs the booktabs package).

    Parameters
    ----------
    table : Table
        Any table.

    Returns
    -------
    str
        ASCII, with a final line end.

    Examples
    --------
    >>> from evalkit.tables import make_table
    >>> print(to_latex(make_table(["run_id", "x"], [["m & n", 1.25]])), end="")
    \begin{table}[t]
    \centering
    \begin{tabular}{lr}
    \toprule
    run\_id & x \\
    \midrule
    m \& n & 1.3 \\
    \bottomrule
    \end{tabular}
    \end{table}
    """
    lines = [r"\begin{table}[t]", r"\centering"]
    if table.caption is not None:
        lines.append(rf"\caption{{{escape_latex(table.caption)}}}")
    if table.label is not None:
        lines.append(rf"\label{{{table.label}}}")
    aligns = "".join(column.align[0] for column in table.columns)
    lines += [rf"\begin{{tabular}}{{{aligns}}}", r"\toprule", *_spanner_lines(table)]
    marks = footnote_marks(table)
    headers = [
        _guarded(escape_latex(column.header)) + _raised(column.footnotes, marks)
        for column in table.columns
    ]
    lines.append(_line(headers))
    lines += [r"\midrule", *_body_lines(table, marks), r"\bottomrule", r"\end{tabular}"]
    below = [rf"\textsuperscript{{{mark}}} {escape_latex(text)}" for text, mark in marks.items()]
    below += [escape_latex(note) for note in table.notes]
    lines += [rf"\par\smallskip{{\footnotesize {line}\par}}" for line in below]
    return "\n".join([*lines, r"\end{table}", ""])


def _spanner_lines(table: Table) -> list[str]:
    if all(column.spanner is None for column in table.columns):
        return []
    cells: list[str] = []
    rules: list[str] = []
    start = 1
    for spanner, columns in groupby(table.columns, key=lambda column: column.spanner):
        width = len(list(columns))
        if spanner is None:
            cells += [""] * width
        else:
            cells.append(rf"\multicolumn{{{width}}}{{c}}{{{escape_latex(spanner)}}}")
            rules.append(rf"\cmidrule(lr){{{start}-{start + width - 1}}}")
        start += width
    return [_line(cells), "".join(rules)]


def _raised(footnotes: tuple[str, ...], marks: Mapping[str, str]) -> str:
    return rf"\textsuperscript{{{marks_of(footnotes, marks)}}}" if footnotes else ""


def _body_lines(table: Table, marks: Mapping[str, str]) -> list[str]:
    lines: list[str] = []
    group: str | None = None
    for row in table.rows:
        if row.group != group:
            lines += [r"\midrule"] if lines else []
            if row.group is not None:
                name = rf"\textit{{{escape_latex(row.group)}}}"
                lines.append(_line([rf"\multicolumn{{{len(table.columns)}}}{{l}}{{{name}}}"]))
        group = row.group
        lines.append(_line([_marked(cell) + _raised(cell.footnotes, marks) for cell in row.cells]))
    return lines


def _line(cells: list[str]) -> str:
    return " & ".join(cells).strip() + r" \\"


def _marked(cell: Cell) -> str:
    body = escape_latex(cell_text(cell))
    if cell.underline:
        body = rf"\underline{{{body}}}"
    if cell.bold:
        return rf"\textbf{{{body}}}"
    return _guarded(body)


def _guarded(body: str) -> str:
    # After a row end LaTeX would read a leading bracket or star as its argument.
    stripped = body.lstrip()
    return f"{{{stripped[0]}}}{stripped[1:]}" if stripped[:1] in {"[", "*"} else body
