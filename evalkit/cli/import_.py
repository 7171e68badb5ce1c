"""``evalkit import``: any known log as rows that every other verb reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evalkit.cli.guard import guarded, say
from evalkit.cli.options import Columns, Format, FormatChoice, Partial, column_map
from evalkit.cli.output import emit
from evalkit.cli.sources import run_tables, split_label
from evalkit.errors import ArgumentError, InputError

if TYPE_CHECKING:
    from evalkit.records.importers import Imported, Row
    from evalkit.tables import Table

__all__ = ["import_"]


class Kind(StrEnum):
    """Tables that a log can hold."""

    verdicts = "verdicts"
    history = "history"
    judgments = "judgments"
    pairs = "pairs"


def choose_table(imported: Imported, wanted: Kind | None) -> tuple[Kind, tuple[Row, ...]]:
    """Return the table that was asked for, or the first that has rows."""
    tables = {Kind(name): rows for name, rows in imported.tables.items()}
    there = ", ".join(f"{kind.value} ({len(rows)} rows)" for kind, rows in tables.items())
    if wanted is not None and wanted not in tables:
        raise ArgumentError(
            f"`--table` is {wanted.value!r}; this log of {imported.format} holds "
            f"{there or 'no rows'}"
        )
    for kind in Kind if wanted is None else (wanted,):
        if tables.get(kind):
            return kind, tables[kind]
    raise InputError(
        f"the log of {imported.format} holds no rows"
        + (f" (dropped: {imported.dropped[0].reason})" if imported.dropped else ""),
        path=imported.sources[0] if imported.sources else None,
    )


def name_system(rows: tuple[Row, ...], label: str | None) -> tuple[Row, ...]:
    """Give the one system of the rows another name."""
    if label is None:
        return rows
    systems = {row.get("system") for row in rows}
    if len(systems) > 1:
        raise ArgumentError(
            f"label {label!r} cannot name {len(systems)} systems "
            f"({', '.join(sorted(map(str, systems))[:5])}); drop the label"
        )
    return tuple({**row, "system": label} for row in rows)


def _conditions(values: list[str] | None) -> dict[str, str]:
    """Parse ``COLUMN=VALUE`` options."""
    found: dict[str, str] = {}
    for text in values or []:
        name, sign, value = text.partition("=")
        if not sign or not name:
            raise ArgumentError(f"`--where` is {text!r}; write COLUMN=VALUE, as split=test")
        found[name] = value
    return found


def keep_where(rows: tuple[Row, ...], where: Mapping[str, str]) -> tuple[Row, ...]:
    """Keep the rows that hold these values; refuse a column or value that none has."""
    for name, value in where.items():
        if not any(name in row for row in rows):
            names = ", ".join(dict.fromkeys(n for row in rows for n in row))
            raise ArgumentError(f"`--where` names {name!r}; the columns are {names}")
        kept = tuple(row for row in rows if str(row.get(name)) == value)
        if not kept:
            seen = ", ".join(list(dict.fromkeys(repr(str(row.get(name))) for row in rows))[:12])
            raise ArgumentError(f"`--where {name}={value}` keeps no row; there are {seen}")
        rows = kept
    return rows


def _statuses(rows: tuple[Row, ...]) -> Counter[str]:
    """Count what became of each row: the first of its statuses that is not scored."""
    names = [name for name in dict.fromkeys(n for row in rows for n in row) if "status" in name]
    counts: Counter[str] = Counter()
    for row in rows:
        found = [str(row[name]) for name in names if row.get(name) is not None]
        if found:
            counts[next((each for each in found if each != "scored"), "scored")] += 1
    return counts


def _distinct(rows: tuple[Row, ...], *names: str) -> int | None:
    """Count the values of the first of some columns that is there."""
    there = {name for row in rows for name in row}
    name = next((each for each in names if each in there), None)
    return None if name is None else len({str(row.get(name)) for row in rows})


def summary(kind: Kind, rows: tuple[Row, ...], imported: Imported) -> dict[str, Any]:
    """Return the fields of ``evalkit import``."""
    by_status = {} if kind is Kind.history else _statuses(rows)
    return {
        "format": imported.format,
        "table": kind.value,
        "rows": len(rows),
        "systems": _distinct(rows, "system"),
        "items": _distinct(rows, "item", "pair_id", "id"),
        "errored": sum(n for s, n in by_status.items() if s not in {"scored", "skipped"}),
        "by_status": dict(by_status),
        "dropped": [
            {"reason": each.reason, "count": each.count, "examples": list(each.examples)}
            for each in imported.dropped
        ],
        "other_tables": {
            name: len(other) for name, other in imported.tables.items() if name != kind.value
        },
        "sources": list(imported.sources),
        "facts": dict(imported.facts),
    }


def import_table(found: Mapping[str, Any], target: Path) -> Table:
    """One row: what was written where, and what was dropped."""
    from evalkit import tables

    numbers = ("rows", "systems", "items", "errored")
    dropped = sum(each["count"] for each in found["dropped"])
    columns = (
        *(tables.Column(key=name, header=name) for name in ("format", "table")),
        *(tables.Column(key=name, header=name, align="right") for name in (*numbers, "dropped")),
        tables.Column(key="file", header="written to"),
    )
    cells = (
        tables.text(found["format"]),
        tables.text(found["table"]),
        *(tables.number(found[name], 0) for name in numbers),
        tables.number(dropped, 0),
        tables.text(str(target)),
    )
    return tables.Table(columns=columns, rows=(tables.Row(cells=cells),))


def told(imported: Imported, kind: Kind) -> list[str]:
    """Return the notes: what the importer says, what was dropped, what else the log holds."""
    notes = list(imported.notes)
    for each in imported.dropped:
        examples = f": {', '.join(each.examples)}" if each.examples else ""
        more = ", ..." if each.count > len(each.examples) > 0 else ""
        notes.append(f"{each.count} dropped ({each.reason}){examples}{more}")
    for name, rows in imported.tables.items():
        if name != kind.value and rows:
            notes.append(f"the log also holds {name} ({len(rows)} rows): --table {name}")
    return notes


@guarded
def import_(
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="File or folder of a known log, or NAME=PATH.")
    ],
    *,
    output: Annotated[
        Path,
        typer.Option("-o", "--output", help="JSONL, CSV or Parquet by suffix, .gz or .zst too."),
    ],
    form: Annotated[
        str | None, typer.Option("--from", help="Name of the format, in place of detection.")
    ] = None,
    table: Annotated[
        Kind | None, typer.Option("--table", help="Which table of the log; the first with rows.")
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option("--where", metavar="COLUMN=VALUE", help="Keep the rows that hold this."),
    ] = None,
    column: Columns = None,
    partial: Partial = False,
    fmt: FormatChoice = Format.table,
) -> None:
    """Turn the log of another tool into rows, and say what was dropped and why."""
    from evalkit.records.importers import frame, load
    from evalkit.records.write import write

    label, path = split_label(source)
    own = run_tables(path) if form is None else None
    imported = own or load(path, form, columns=column_map(column) or None, partial=partial)
    kind, rows = choose_table(imported, table)
    rows = keep_where(rows, _conditions(where))
    if kind is Kind.verdicts:
        rows = name_system(rows, label)
    elif label is not None:
        raise ArgumentError(f"a label names a system; the table {kind.value} has none")
    write(frame(rows), output)
    found = summary(kind, rows, imported)
    if found["facts"].get("partial"):
        say("note: the source is partial")
    emit(
        "import",
        table=import_table(found, output),
        results=[found],
        settings={
            "source": source,
            "output": str(output),
            "from": form,
            "table": table,
            "where": _conditions(where),
            "columns": column_map(column),
        },
        notes=told(imported, kind),
        fmt=fmt,
        output=None,
    )
