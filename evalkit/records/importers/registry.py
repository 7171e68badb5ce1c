"""Which formats there are, which of them a path holds, and reading it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalkit.errors import (
    ArgumentError,
    DuplicateRowError,
    EvalkitError,
    FileMissingError,
    InputError,
    TruncatedFileError,
)
from evalkit.records.importers.base import Imported, LogFormat, Row, TableKind
from evalkit.records.raw import RawRows
from evalkit.records.schema import KEY_COLUMNS

if TYPE_CHECKING:
    import pandas as pd

    from evalkit.records.schema import Records

__all__ = [
    "detect",
    "detect_all",
    "format_by_name",
    "formats",
    "frame",
    "load",
    "read_as",
    "records_for",
    "rows_for",
]

_MODULES = (
    "inspect_log",
    "gepa",
    "cap_evolve",
    "skillopt",
    "skillopt_lite",
    "tau_bench",
    "finance_benchmark",
    "lm_eval",
    "judgebench",
    "arena_hard",
    "alpaca_eval",
    "rewardbench",
    "llmbar",
    "arena_battles",
    "trl",
    "swebench",
    "spreadsheetbench",
    "plain",
)
"""From the most to the least specific; each module holds one `FORMAT`."""
_FALLBACK = "plain"
_OWN = (*KEY_COLUMNS, "score", "status")
_OWN_CSV = ",".join(_OWN).encode()
_MALFORMED = (
    KeyError,
    IndexError,
    TypeError,
    ValueError,
    AttributeError,
    ArithmeticError,
    RecursionError,
    OSError,
    EOFError,
)


@cache
def formats() -> tuple[LogFormat, ...]:
    """Return every format, from the most to the least specific.

    Examples
    --------
    >>> formats()[-1].name
    'plain'
    """
    found = []
    for name in _MODULES:
        module = f"evalkit.records.importers.{name}"
        if find_spec(module) is not None:
            found.append(import_module(module).FORMAT)
    return tuple(found)


def _fold(name: str) -> str:
    return name.strip().casefold().replace("_", "-").replace(" ", "-")


def format_by_name(name: str) -> LogFormat:
    """Return the format that ``--from`` names.

    Raises
    ------
    ArgumentError
        There is none of that name.

    Examples
    --------
    >>> format_by_name("tau_bench").name
    'tau-bench'
    """
    for each in formats():
        if _fold(each.name) == _fold(name):
            return each
    listed = ", ".join(each.name for each in formats())
    raise ArgumentError(f"`format` (--from) is {name!r}; the known formats are {listed}")


def detect_all(path: str | os.PathLike[str]) -> tuple[LogFormat, ...]:
    """Return all formats that a path looks like, the most specific first.

    Parameters
    ----------
    path : path
        File or folder.

    Returns
    -------
    tuple of LogFormat
        The plain tables are among them only where nothing else is.
    """
    source = Path(path)
    # A pipe can be read once, so nothing may look into it.
    if not (source.is_file() or source.is_dir()):
        return ()
    if _is_own(source):
        return (format_by_name(_FALLBACK),)
    found = tuple(each for each in formats() if _knows(each, source))
    known = tuple(each for each in found if each.name != _FALLBACK)
    return known or found


def _knows(form: LogFormat, source: Path) -> bool:
    """Whether a format knows a path; what cannot be looked at is not known."""
    try:
        return form.detects(source)
    except OSError:
        return False


def _is_own(source: Path) -> bool:
    """Whether a file begins with a row, or a header, of the canonical columns."""
    if not source.is_file():
        return False
    from evalkit.records.importers.files import head

    line = head(source, size=4096).lstrip(b"\xef\xbb\xbf").partition(b"\n")[0]
    if line.startswith(_OWN_CSV):
        return True
    return line.startswith(b"{") and all(f'"{name}": '.encode() in line for name in _OWN)


def detect(path: str | os.PathLike[str]) -> LogFormat | None:
    """Return the format of a path, ``None`` where no format knows it.

    Parameters
    ----------
    path : path
        File or folder.
    """
    return next(iter(detect_all(path)), None)


def load(
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002
    *,
    columns: Mapping[str, str] | None = None,
    partial: bool = False,
) -> Imported:
    """Read a log of any known format.

    Parameters
    ----------
    path : path
        File or folder.
    format : str, optional
        Name of the format, in place of detection.
    columns : mapping of str to str, optional
        Canonical name -> column, for plain tables; see `evalkit.read`.
    partial : bool, default False
        Take the whole rows of a compressed plain table that is cut off.

    Returns
    -------
    Imported

    Raises
    ------
    FileMissingError
        There is no such path.
    InputError
        No format knows it, or it is malformed.
    ArgumentError
        There is no format of that name, or `columns` or `partial` is given for a log that is no
        plain table.
    """
    source = Path(path)
    if not source.exists():
        raise FileMissingError(f"{source}: there is no such file or folder")
    notes: tuple[str, ...] = ()
    if format is not None:
        chosen = format_by_name(format)
    else:
        found = detect_all(source)
        if not found:
            raise InputError(_unknown(source), path=str(source))
        chosen = found[0]
        if len(found) > 1:
            others = ", ".join(each.name for each in found[1:])
            notes = (f"read as {chosen.name}; it looks like {others} too (--from to choose)",)
    if columns and chosen.name != _FALLBACK:
        raise ArgumentError(
            f"`columns` (--column) is for plain tables; {source} is read as {chosen.name}, which "
            f"has columns of its own; add --from {_FALLBACK} to read it as a table"
        )
    if partial and chosen.name != _FALLBACK:
        raise ArgumentError(
            f"`partial` (--partial) is for plain tables; {source} is read as {chosen.name}"
        )
    try:
        imported = read_as(chosen, source, columns=columns, partial=partial)
    except InputError as fault:
        if format is None and chosen.name == _FALLBACK and fault.line is None:
            raise _unrecognised(fault) from None
        raise
    return replace(imported, notes=(*notes, *imported.notes)) if notes else imported


def read_as(
    chosen: LogFormat,
    source: Path,
    *,
    columns: Mapping[str, str] | None = None,
    partial: bool = False,
) -> Imported:
    """Read a path as one format; what an importer did not foresee becomes an `InputError`.

    Notes
    -----
    Importers check what they read and name the place. This is the last net for a structure that
    none of the checks knows; the cause stays attached, and ``evalkit --debug`` prints it.
    """
    try:
        if columns or partial:
            from evalkit.records.importers.plain import load_plain

            return load_plain(source, columns=columns, partial=partial)
        return chosen.load(source)
    except EvalkitError:
        raise
    except _MALFORMED as cause:
        raise InputError(
            f"the log is not what {chosen.name} writes ({type(cause).__name__}: {cause}); "
            "if it is, this is a defect of the importer: `evalkit --debug` shows where",
            path=str(source),
        ) from cause


def _unrecognised(fault: InputError) -> InputError:
    """Add to a fault of a plain table that no format was recognised."""
    if isinstance(fault, (DuplicateRowError, TruncatedFileError)):
        return fault
    listed = ", ".join(each.name for each in formats() if each.name != _FALLBACK)
    message = f"{fault}; it was read as a plain table, since no other format knows it ({listed})"
    found = type(fault)(message)
    found.path, found.item = fault.path, fault.item
    return found


def _unknown(source: Path) -> str:
    listed = ", ".join(each.name for each in formats())
    if source.is_dir():
        seen = sorted(each.name + "/" * each.is_dir() for each in source.iterdir())
        looked = f"the folder holds {', '.join(seen[:8]) or 'nothing'}" + ", ..." * (len(seen) > 8)
    else:
        from evalkit.records.importers.files import head

        looked = f"the file begins with {head(source)[:24]!r}"
    return f"no known format: {looked}; known are {listed}; force one with `format` (--from)"


def frame(rows: tuple[Row, ...]) -> pd.DataFrame:
    """Return rows as a dataframe, a column for each name, ``None`` where a row has none."""
    import pandas as pd

    names = dict.fromkeys(name for row in rows for name in row)
    return pd.DataFrame(
        {name: pd.Series([row.get(name) for row in rows], dtype=object) for name in names}
    )


def rows_for(path: str | os.PathLike[str], kind: TableKind) -> RawRows | None:
    """Return one table of a log, so that a verb can be given the log itself.

    Parameters
    ----------
    path : path
        File or folder.
    kind : {"verdicts", "history", "judgments", "pairs"}
        The table.

    Returns
    -------
    RawRows or None
        With the notes of the importer and what it dropped. ``None`` where the path is a plain
        table (or unknown), which the verb reads by itself.

    Raises
    ------
    InputError
        The log is malformed, or holds no such table.
    """
    chosen = detect(path)
    if chosen is None or chosen.name == _FALLBACK:
        return None
    imported = load(path)
    rows = imported.tables.get(kind)
    if rows is None:
        there = ", ".join(imported.tables) or "no table"
        raise InputError(
            f"this is a log of {imported.format}, which holds {there} and no {kind}",
            path=str(path),
        )
    return RawRows(rows=rows, notes=(f"read as {imported.format}", *_told(imported)))


def records_for(
    path: str | os.PathLike[str],
    *,
    system: str | None = None,
    score_range: tuple[float, float] | None = None,
) -> Records | None:
    """Return the verdicts of a log as records; ``None`` where the path is a plain table.

    Parameters
    ----------
    path : path
        File or folder.
    system : str, optional
        System of rows that name none.
    score_range : (low, high), optional
        Scores outside are invalid.
    """
    from evalkit.records.read import read

    found = rows_for(path, "verdicts")
    if found is None:
        return None
    if not found.rows:
        raise InputError("the log holds no verdicts", path=str(path))
    table: Any = frame(tuple(found.rows))
    records = read(table, system=system, score_range=score_range)
    notes = tuple(note for note in records.notes if not note.startswith("`system`"))
    return replace(records, sources=(str(path),), notes=(*found.notes, *notes))


def _told(imported: Imported) -> list[str]:
    dropped = [
        f"{each.count} dropped: {each.reason}"
        + (f" ({', '.join(each.examples)})" if each.examples else "")
        for each in imported.dropped
    ]
    return [*imported.notes, *dropped]
