"""Read a file as what it is, and run every check on its tables."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evalkit.doctor.diagnosis import Diagnosis, Finding, by_severity, finding
from evalkit.doctor.graded import examine_graded, is_graded_columns
from evalkit.doctor.history_checks import check_history, check_judgments
from evalkit.doctor.support import count_verdicts, supported
from evalkit.doctor.verdict_checks import check_verdicts, duplicate_findings, overlap_findings
from evalkit.errors import DuplicateRowError, MissingColumnError
from evalkit.records.columns import claim
from evalkit.records.importers import Imported, detect_all, format_by_name, load
from evalkit.records.importers.plain import wide_systems
from evalkit.records.raw import read_rows
from evalkit.records.schema import KEY_DEFAULTS
from evalkit.records.values import CellError, score_value

__all__ = ["diagnose", "examine"]

_INCOMPLETE = re.compile(r"cut off|\d of \d+ planned|is partial|did not finish")


def examine(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002
    columns: Mapping[str, str] | None = None,
) -> Diagnosis:
    r"""Say what a file is, what it supports, and what is wrong with it.

    Parameters
    ----------
    path : path
        File or folder of any known format, or a table of verdicts, rounds or judgments.
    format : str, optional
        Name of the format, in place of detection.
    columns : mapping of str to str, optional
        Canonical name -> column, for plain tables.

    Returns
    -------
    Diagnosis

    Raises
    ------
    EvalkitError
        The path does not exist, or cannot be read at all.

    Notes
    -----
    A table that `evalkit.read` refuses for repeated verdicts is examined all the same: the
    repeats are a finding. Checks do not change anything.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "run.csv"
    >>> _ = path.write_text("item,score\n7,1\n007,0\n")
    >>> [(found.check, found.severity) for found in examine(path).findings]
    [('id collisions', 'warning')]
    """
    source = Path(path)
    name = str(path)
    if is_graded_columns(columns) and (graded := examine_graded(source, columns)) is not None:
        return graded
    try:
        imported = load(source, format, columns=columns)
    except DuplicateRowError as fault:
        return _repeated(source, name, str(fault), columns)
    except MissingColumnError as fault:
        graded = examine_graded(source)
        if graded is None:
            raise fault from None
        return graded
    title = format_by_name(imported.format).title
    return diagnose(imported, name, title=title, found=_several(source, format))


def diagnose(
    imported: Imported, path: str, *, title: str, found: Sequence[Finding] = ()
) -> Diagnosis:
    """Run every check on the tables of a log that was read already.

    Parameters
    ----------
    imported : Imported
        The log.
    path : str
        What the commands name.
    title : str
        What it is, in one line.
    found : sequence of Finding
        What is known of it beforehand.

    Examples
    --------
    >>> rows = ({"system": "a", "item": "1", "attempt": "1", "verifier": "", "score": 1.0,
    ...          "status": "scored"},)
    >>> log = Imported(format="mine", sources=("x",), tables={"verdicts": rows})
    >>> diagnose(log, "x", title="a log of mine").tables
    {'verdicts': 1}
    """
    found = [*_dropped(imported), *found, *_partial(imported)]
    verdicts = imported.tables.get("verdicts") or ()
    history = imported.tables.get("history") or ()
    judgments = imported.tables.get("judgments") or ()
    if verdicts:
        found += check_verdicts(verdicts)
    found += overlap_findings(imported.facts)
    if history:
        found += check_history(history, imported.facts)
    if judgments:
        found += check_judgments(judgments)
    if not any(imported.tables.values()):
        found.append(finding("empty", "error", "the file holds no rows", [], count=0))
    return Diagnosis(
        path=path,
        format=imported.format,
        title=title,
        tables={kind: len(rows) for kind, rows in imported.tables.items()},
        counts=_counts(imported),
        supports=supported(imported.tables, path),
        findings=by_severity(found),
        notes=imported.notes,
    )


def _counts(imported: Imported) -> dict[str, int]:
    counts: dict[str, int] = {}
    verdicts = imported.tables.get("verdicts")
    if verdicts:
        counts |= count_verdicts(verdicts)
    history = imported.tables.get("history")
    if history:
        counts["rounds"] = sum(str(row.get("round")) != "0" for row in history)
    return counts


def _dropped(imported: Imported) -> list[Finding]:
    return [
        finding(
            "dropped rows",
            "warning",
            f"rows of the source became no rows of a table: {each.reason}",
            list(each.examples),
            count=each.count,
        )
        for each in imported.dropped
    ]


def _partial(imported: Imported) -> list[Finding]:
    """Say that the source is known to be incomplete."""
    told = [note for note in imported.notes if _INCOMPLETE.search(note)]
    if not told and not imported.facts.get("partial"):
        return []
    message = "the source is incomplete: a run that did not finish, or a file that is cut off"
    return [finding("partial", "warning", message, told)]


def _several(source: Path, form: str | None) -> list[Finding]:
    if form is not None:
        return []
    names = [each.name for each in detect_all(source)]
    if len(names) < 2:
        return []
    message = f"it looks like several formats and was read as {names[0]}; --from chooses"
    return [finding("format", "warning", message, names)]


def _repeated(source: Path, name: str, fault: str, columns: Mapping[str, str] | None) -> Diagnosis:
    """Examine a table whose verdicts repeat."""
    rows = _raw_verdicts(source, columns or {})
    found = duplicate_findings(rows) or [finding("duplicates", "error", fault, [])]
    return Diagnosis(
        path=name,
        format="plain",
        title=format_by_name("plain").title,
        tables={"verdicts": len(rows)},
        counts=count_verdicts(rows),
        supports=(),
        findings=by_severity([*found, *check_verdicts(rows)]),
        notes=("no verb reads the file before the duplicates are dealt with",),
    )


def _raw_verdicts(source: Path, columns: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return rows under canonical names, unchecked."""
    raw = _long(read_rows(source).rows)
    chosen = {name: column for name, column in columns.items() if "," not in column}
    ranks: dict[str, tuple[int, int]] = {}
    for column in dict.fromkeys(column for row in raw for column in row):
        claimed = claim(column)
        if claimed is None or claimed[0] in columns:
            continue
        if claimed[0] not in ranks or claimed[1] < ranks[claimed[0]]:
            chosen[claimed[0]], ranks[claimed[0]] = column, claimed[1]
    rows = []
    for row in raw:
        cells = {name: row.get(column) for name, column in chosen.items()}
        score = _score(cells.get("score"))
        rest = {name: cell for name, cell in row.items() if name not in chosen.values()}
        rows.append(
            {
                **rest,
                "system": str(cells.get("system") or source.stem),
                "item": str(cells.get("item")),
                **{key: str(cells.get(key) or fill) for key, fill in KEY_DEFAULTS.items()},
                "score": score,
                "status": "missing" if score is None else "scored",
            }
        )
    return rows


def _long(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return one row for each system, where the table has a column for each."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    if any(found[0] == "score" for name in names if (found := claim(name))):
        return list(rows)
    _, systems = wide_systems(names)
    return [
        {
            **{
                name: cell
                for name, cell in row.items()
                if not any(name.startswith(f"{each}_") for each in systems.values())
            },
            "system": system,
            "score": row.get(column),
        }
        for row in rows
        for column, system in systems.items()
    ] or list(rows)


def _score(value: Any) -> float | None:
    try:
        found = score_value(value)
    except CellError:
        return None
    return found if abs(found) < float("inf") else None
