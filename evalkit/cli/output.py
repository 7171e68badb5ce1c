"""Print results: strict JSON as one object, or a table in the format that was asked for."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from evalkit import __version__
from evalkit.cli.guard import say
from evalkit.cli.options import Format
from evalkit.results import json_value

if TYPE_CHECKING:
    from evalkit.tables import Table

__all__ = ["emit", "json_document"]


def json_document(
    command: str,
    settings: Mapping[str, Any],
    results: Sequence[Mapping[str, Any]],
    notes: Sequence[str],
    extra: Mapping[str, Any] | None = None,
) -> str:
    """Return the one JSON object that every verb prints; NaN cannot occur in it."""
    document = {
        "evalkit": __version__,
        "command": command,
        "settings": json_value(dict(settings)),
        "results": [json_value(row) for row in results],
        **json_value(dict(extra or {})),
        "notes": list(notes),
    }
    return json.dumps(document, indent=2, allow_nan=False, ensure_ascii=True)


def _terminal(table: Table) -> str:
    """Return a table as aligned text, notes beneath."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    from evalkit.tables import cell_text
    from evalkit.tables.footnotes import footnote_marks, marks_of
    from evalkit.tables.render_csv import flat_headers

    def marked(text: str, footnotes: Sequence[str]) -> Text:
        return Text(f"{text} ({marks_of(footnotes, marks)})" if footnotes else text)

    marks = footnote_marks(table)
    grouped = any(row.group is not None for row in table.rows)
    grid = RichTable(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    if grouped:
        grid.add_column("group", overflow="fold")
    for column, header in zip(table.columns, flat_headers(table), strict=True):
        side: Literal["left", "right"] = "right" if column.align == "right" else "left"
        grid.add_column(marked(header, column.footnotes), justify=side, overflow="fold")
    for row in table.rows:
        cells = [marked(cell_text(cell), cell.footnotes) for cell in row.cells]
        grid.add_row(*([Text(row.group or "")] if grouped else []), *cells)
    terminal = sys.stdout is not None and sys.stdout.isatty()
    width = None if terminal else 400
    console = Console(width=width, no_color=not terminal, highlight=False)
    with console.capture() as capture:
        console.print(grid)
    lines = [line.rstrip() for line in capture.get().splitlines()]
    footnotes = [f"({mark}) {text}" for text, mark in marks.items()]
    return "\n".join([*lines, *footnotes, *table.notes])


def _render(table: Table, fmt: Format) -> str:
    from evalkit import tables

    renderers = {
        Format.csv: tables.to_csv,
        Format.markdown: tables.to_markdown,
        Format.latex: tables.to_latex,
        Format.html: tables.to_html,
    }
    return renderers[fmt](table) if fmt in renderers else _terminal(table)


def emit(
    command: str,
    *,
    table: Table,
    results: Sequence[Mapping[str, Any]],
    settings: Mapping[str, Any],
    notes: Sequence[str],
    fmt: Format,
    output: Path | None,
    extra: Mapping[str, Any] | None = None,
) -> None:
    """Write results to stdout or a file; notes go with JSON, and to stderr otherwise."""
    if fmt is Format.json:
        text = json_document(command, settings, results, notes, extra)
    else:
        text = _render(table, fmt)
        for note in notes:
            say(f"note: {note}")
    text = text if text.endswith("\n") else text + "\n"
    data = text.encode("utf-8", "backslashreplace")
    if output is not None:
        from evalkit.records.write import _atomic

        with _atomic(output) as handle:
            handle.write(data)
        return
    stream = typer.get_binary_stream("stdout")
    stream.write(data)
    stream.flush()
