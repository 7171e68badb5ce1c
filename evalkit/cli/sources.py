"""Files on the command line: ``PATH`` or ``NAME=PATH``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalkit.errors import InputError
from evalkit.records.schema import KEY_COLUMNS

if TYPE_CHECKING:
    from evalkit.records import Records
    from evalkit.records.importers.base import Imported, TableKind
    from evalkit.records.raw import RawRows

__all__ = ["distinct_names", "log_rows", "read_source", "run_tables", "split_label"]


def split_label(argument: str) -> tuple[str | None, str]:
    """Split ``NAME=PATH``; a path that exists as written is never split.

    Examples
    --------
    >>> split_label("base=runs/a.jsonl"), split_label("a.jsonl")
    (('base', 'runs/a.jsonl'), (None, 'a.jsonl'))
    """
    label, sign, path = argument.partition("=")
    if not sign or not label or not path or Path(argument).exists():
        return None, argument
    return label, path


def read_source(
    argument: str,
    *,
    columns: dict[str, str],
    keep: Sequence[str] = (),
    optional: Sequence[str] = (),
    score_range: tuple[float, float] | None,
    partial: bool,
    log: str | None = None,
) -> Records:
    """Read one file or log; a label names its system, `log` the format to read it as."""
    from evalkit._design import read_path
    from evalkit.records.values import utf8_text

    label, path = split_label(argument)
    if log is not None:
        rows = _forced(path, log, system=label, score_range=score_range)
    else:
        rows = _of_a_run(path, score_range=score_range) or read_path(
            path,
            columns=columns,
            keep=keep,
            optional=optional,
            score_range=score_range,
            system=label,
            partial=partial,
        )
    if label is None:
        return rows
    label = utf8_text(label)
    systems = sorted(set(rows.frame["system"]))
    if len(systems) > 1:
        raise InputError(
            f"label {label!r} cannot name {len(systems)} systems ({', '.join(systems[:5])}); "
            "drop the label, or split the file",
            path=path,
        )
    # The label names every row, so the reader's remark that it may not is moot.
    notes = tuple(note for note in rows.notes if not note.startswith("`system`"))
    return replace(rows, frame=rows.frame.assign(system=label), notes=notes)


def _of_a_run(path: str, *, score_range: tuple[float, float] | None) -> Records | None:
    """Verdicts of a run of `evalkit run`; ``None`` where the path is none."""
    from evalkit.evolve.reading import is_run_folder, record_rows, run_folders

    if not is_run_folder(path):
        return None
    rows = record_rows(path)
    keys = {tuple(row[name] for name in KEY_COLUMNS) for row in rows}
    if len(keys) == len(rows):
        return _records(rows, path, score_range=score_range)
    # Seeds of one arm deploy again: each is a system of its own.
    apart = [
        {**row, "system": f"{row['system']}/{folder.name}"}
        for folder in run_folders(path)
        for row in record_rows(folder)
    ]
    found = _records(apart, path, score_range=score_range)
    note = "several runs hold the same verdicts: a system is named with its run"
    return replace(found, notes=(note, *found.notes))


def _forced(
    path: str, log: str, *, system: str | None, score_range: tuple[float, float] | None
) -> Records:
    found = log_rows(path, "verdicts", log)
    records = _records(found.rows, path, score_range=score_range, system=system)
    return replace(records, notes=(*found.notes, *records.notes))


def _records(
    rows: Sequence[Mapping[str, Any]],
    path: str,
    *,
    score_range: tuple[float, float] | None,
    system: str | None = None,
) -> Records:
    from evalkit import records
    from evalkit.records.importers import frame

    if not rows:
        raise InputError("it holds no verdicts", path=path)
    found = records.read(frame(tuple(rows)), score_range=score_range, system=system)
    return replace(found, sources=(path,))


def run_tables(path: str) -> Imported | None:
    """Return the tables of a run of `evalkit run`; ``None`` where the path is none."""
    from evalkit.evolve.reading import history_rows, is_run_folder, record_rows
    from evalkit.records.importers import Imported
    from evalkit.records.importers.base import filled

    if not is_run_folder(path):
        return None
    tables = filled({"verdicts": record_rows(path), "history": history_rows(path)})
    return Imported(format="evalkit", sources=(path,), tables=tables)


def log_rows(path: str, kind: TableKind, log: str) -> RawRows:
    """Rows of a log that is to be read as one format.

    Raises
    ------
    InputError
        If the log holds no such table.
    """
    from evalkit.records.importers import load
    from evalkit.records.raw import RawRows

    imported = load(path, format=log)
    rows = imported.tables.get(kind)
    if rows is None:
        there = ", ".join(imported.tables) or "no table"
        raise InputError(f"as {log} it holds {there} and no {kind}", path=path)
    dropped = [f"{each.count} dropped: {each.reason}" for each in imported.dropped]
    return RawRows(rows=rows, notes=(*imported.notes, *dropped))


def distinct_names(sources: Sequence[Records], arguments: Sequence[str]) -> tuple[str, str] | None:
    """Names for two files of one system each; the paths where both hold the same system."""
    systems = [sorted(set(rows.frame["system"])) for rows in sources]
    if any(len(names) != 1 for names in systems) or systems[0] != systems[1]:
        return None
    return arguments[0], arguments[1]
