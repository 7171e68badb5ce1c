"""``evalkit doctor``: what a file is, what it supports, and what is wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from evalkit.cli.guard import CHECK_FAILED, guarded
from evalkit.cli.options import Columns, Format, FormatChoice, Output, column_map
from evalkit.cli.output import emit
from evalkit.cli.sources import run_tables

if TYPE_CHECKING:
    from evalkit.doctor import Diagnosis
    from evalkit.tables import Table

__all__ = ["doctor"]


def doctor_table(found: Diagnosis) -> Table:
    """Return a row for what it is, for each verb and for each finding."""
    from evalkit import tables

    names = ("about", "level", "count", "what", "examples")
    columns = tuple(
        tables.Column(key=name, header=name, align="right" if name == "count" else "left")
        for name in names
    )
    held = ", ".join(f"{count} {kind}" for kind, count in found.tables.items()) or "nothing"
    counts = ", ".join(f"{count} {name}" for name, count in found.counts.items())
    lines: list[tuple[str, str, int | None, str, str]] = [
        ("format", "", None, f"{found.format}: {found.title}", ""),
        ("holds", "", None, held, counts),
    ]
    lines += [
        ("supports", "yes" if each.possible else "no", None, each.command, each.reason)
        for each in found.supports
    ]
    lines += [
        (each.check, each.severity, each.count, each.message, "; ".join(each.examples))
        for each in found.findings
    ]
    rows = tuple(
        tables.Row(
            cells=(
                tables.text(about),
                tables.text(level),
                tables.text("") if count is None else tables.number(count, 0),
                tables.text(what),
                tables.text(examples),
            )
        )
        for about, level, count, what, examples in lines
    )
    return tables.Table(columns=columns, rows=rows)


@guarded
def doctor(
    file: Annotated[str, typer.Argument(metavar="FILE", help="File or folder of any known form.")],
    *,
    form: Annotated[
        str | None, typer.Option("--from", help="Name of the format, in place of detection.")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 where something is an error.")
    ] = False,
    column: Columns = None,
    fmt: FormatChoice = Format.table,
    output: Output = None,
) -> None:
    """Say what a file is, what it supports, and what is wrong with it."""
    from evalkit.doctor import diagnose, examine

    own = run_tables(file) if form is None else None
    if own is None:
        found = examine(file, format=form, columns=column_map(column) or None)
    else:
        found = diagnose(own, file, title="a run of `evalkit run`; see also `evalkit report`")
    emit(
        "doctor",
        table=doctor_table(found),
        results=[found.to_dict()],
        settings={"file": file, "from": form, "columns": column_map(column)},
        notes=found.notes,
        fmt=fmt,
        output=output,
    )
    if strict and found.errors:
        raise typer.Exit(CHECK_FAILED)
