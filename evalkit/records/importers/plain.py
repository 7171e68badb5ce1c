"""Plain tables: CSV, JSON Lines or Parquet, with the columns guessed, printed and overridable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evalkit.errors import EvalkitError, InputError, MissingColumnError
from evalkit.records.columns import claim
from evalkit.records.importers.base import Imported, LogFormat, Row, TableKind
from evalkit.records.importers.files import head, jsonable
from evalkit.records.importers.tables import from_one, named
from evalkit.records.raw import read_rows
from evalkit.records.schema import KEY_COLUMNS, Records

__all__ = ["FORMAT", "load_plain", "wide_systems"]

_NAME = "plain"
_SUFFIXES = (".csv", ".tsv", ".tab", ".txt", ".jsonl", ".ndjson", ".json", ".parquet", ".pq")
_WIDE = ("_correct", "_is_correct", "_hard", "_passed", "_resolved", "_success", "_score")
_JOIN = ","


def detects(path: Path) -> bool:
    """Whether `path` is a file that could be a table of rows."""
    if not path.is_file():
        return False
    start = head(path, size=4096)
    if start.startswith((b"PAR1", b"{", b"[")):
        return True
    suffixes = [each.lower() for each in path.suffixes[-2:]]
    text = start.lstrip(b"\xef\xbb\xbf")
    return any(each in _SUFFIXES for each in suffixes) and b"\0" not in text[:1024]


def load(path: Path) -> Imported:
    """Read a table, with its columns guessed."""
    return load_plain(path)


FORMAT = LogFormat(
    name=_NAME,
    title="CSV, JSON Lines or Parquet with one row a verdict, or a column for each system",
    detects=detects,
    load=load,
)


def load_plain(
    path: Path, *, columns: Mapping[str, str] | None = None, partial: bool = False
) -> Imported:
    """Read a table.

    Parameters
    ----------
    path : Path
        CSV, JSON Lines or Parquet.
    columns : mapping of str to str, optional
        Canonical name -> column, in place of guessing; ``item`` may join several, as in
        ``{"item": "dataset,id"}``.
    partial : bool, default False
        Take the whole rows of a compressed file that is cut off.

    Returns
    -------
    Imported
        A history where the rows are rounds (``round`` and ``score``, no items), else verdicts.

    Notes
    -----
    Where no column holds the scores and several end alike (``base_correct``, ``new_correct``),
    the table has a column for each system and is turned into rows; `score` names the ending.
    """
    declared = dict(columns or {})
    rounds = None if declared else _rounds(path, partial=partial)
    if rounds is not None:
        return rounds
    joined = tuple(n.strip() for n in declared.get("item", "").split(_JOIN) if n.strip())
    if len(joined) < 2:
        try:
            return _verdicts(path, declared, partial=partial)
        except MissingColumnError as fault:
            wide = _wide(path, declared, joined, partial=partial)
            if wide is None:
                raise fault from None
            return wide
    wide = _wide(path, declared, joined, partial=partial)
    return wide if wide is not None else _joined(path, declared, joined, partial=partial)


def _rounds(path: Path, *, partial: bool) -> Imported | None:
    """Return a history, where the table has rounds and no items."""
    start = head(path)
    if b"round" not in start and not start.startswith(b"PAR1"):
        return None
    try:
        found = read_rows(path, partial=partial)
    except EvalkitError:
        return None
    names = {name for row in found.rows for name in row}
    claims = {known[0] for name in names if (known := claim(name)) is not None}
    if not {"round", "score"} <= names or "item" in claims:
        return None
    return Imported(
        format=_NAME,
        sources=(str(path),),
        tables={"history": tuple(jsonable(row) for row in found.rows)},
        notes=(*found.notes, "rows with `round` and `score` and no items: read as a history"),
    )


def _verdicts(path: Path, declared: Mapping[str, str], *, partial: bool) -> Imported:
    """Read through `evalkit.read`, which checks every row."""
    from evalkit.records.read import read

    return _imported(path, read(path, columns=declared or None, partial=partial), declared)


def _imported(
    path: Path, records: Records, declared: Mapping[str, str], extra: Sequence[str] = ()
) -> Imported:
    table = records.frame.astype(object).where(records.frame.notna(), None)
    names: list[str] = [str(name) for name in table.columns]
    shifted: list[str] = []
    cells = table.itertuples(index=False, name=None)
    rows = tuple(from_one([dict(zip(names, each, strict=True)) for each in cells], shifted))
    guessed = [
        f"{name} = {column}" + (" (declared)" if name in declared else "")
        for name, column in records.columns.items()
    ]
    filled = [name for name in KEY_COLUMNS if name not in records.columns and name != "item"]
    notes = [f"columns: {', '.join(guessed)}; change with --column NAME=SOURCE", *shifted]
    if "system" in filled and rows and not extra:
        notes.append(f"no column names the system: it is {rows[0]['system']!r}, after the file")
    if records.other_columns:
        notes.append(f"columns that were not kept: {named(list(records.other_columns), most=12)}")
    kinds: dict[TableKind, tuple[Row, ...]] = {"verdicts": rows}
    own = [note for note in records.notes if not note.startswith("`system`")]
    return Imported(
        format=_NAME,
        sources=(str(path),),
        tables=kinds,
        notes=(*notes, *extra, *own),
        facts={"columns": dict(records.columns), "partial": records.partial},
    )


def wide_systems(names: Sequence[str], ending: str | None = None) -> tuple[str, dict[str, str]]:
    """Return the ending that several columns share, and the system of each such column.

    Examples
    --------
    >>> wide_systems(["id", "base_correct", "new_correct"])
    ('_correct', {'base_correct': 'base', 'new_correct': 'new'})
    """
    for tail in _WIDE if ending is None else (ending,):
        found = {n: n.removesuffix(tail) for n in names if n.endswith(tail) and n != tail}
        if len(found) > 1:
            return tail, found
    return "", {}


def _ending(declared: Mapping[str, str]) -> str | None:
    score = declared.get("score")
    return score.lstrip("*") if score and score.startswith(("*", "_")) else None


def _wide(
    path: Path, declared: Mapping[str, str], joined: Sequence[str], *, partial: bool
) -> Imported | None:
    """Turn a column for each system into rows; ``None`` where there are no such columns."""
    found = read_rows(path, partial=partial)
    names = list(dict.fromkeys(name for row in found.rows for name in row))
    ending = _ending(declared)
    if "score" in declared and ending is None:
        return None
    tail, systems = wide_systems(names, ending)
    if not systems:
        return None
    from evalkit.records.importers.registry import frame
    from evalkit.records.read import read

    item = list(joined) or [declared.get("item") or _item_column(names, path)]
    whole = item if len(item) == 1 else ()
    rest = [n for n in names if n not in systems and n not in whole and not _own(n, systems)]
    rows = [
        {
            "system": system,
            "item": _ident(row, item, path, number),
            "score": row.get(column),
            **{name: row.get(name) for name in rest if claim(name) is None},
        }
        for number, row in enumerate(found.rows, 1)
        for column, system in systems.items()
    ]
    records = read(frame(tuple(rows)))
    note = (
        f"a column for each system: {named(list(systems.values()), most=12)}, by the columns "
        f"that end in {tail!r} (--column score=*{tail} to choose another ending)"
    )
    told = f"item = {' and '.join(item)}" + (", joined by a slash" if len(item) > 1 else "")
    return _imported(path, records, {}, (note, told, *found.notes))


def _own(name: str, systems: Mapping[str, str]) -> bool:
    """Whether a column belongs to one of the systems."""
    return any(name.startswith(f"{system}_") for system in systems.values())


def _item_column(names: Sequence[str], path: Path) -> str:
    claims = {name: found for name in names if (found := claim(name)) and found[0] == "item"}
    if not claims:
        raise MissingColumnError(
            f"no column holds the items; the columns are {', '.join(map(repr, names))}; name it "
            "with `columns` (--column item=NAME, or item=A,B to join two)",
            path=str(path),
        )
    return min(claims, key=lambda name: claims[name][1])


def _ident(row: Mapping[str, Any], item: Sequence[str], path: Path, number: int) -> Any:
    cells = [row.get(name) for name in item]
    if len(cells) == 1:
        return cells[0]
    if any(cell is None for cell in cells):
        raise InputError(f"row {number}: a column of the item id is empty", path=str(path))
    return "/".join(map(str, cells))


def _joined(
    path: Path, declared: Mapping[str, str], joined: Sequence[str], *, partial: bool
) -> Imported:
    """Read rows whose item id stands in several columns."""
    found = read_rows(path, partial=partial)
    names = list(dict.fromkeys(name for row in found.rows for name in row))
    absent = [name for name in joined if name not in names]
    if absent:
        raise MissingColumnError(
            f"column {absent[0]!r} is not there; the columns are {', '.join(map(repr, names))}",
            path=str(path),
        )
    from evalkit.records.importers.registry import frame
    from evalkit.records.read import read

    rows = tuple(
        {**row, "joined_item": _ident(row, joined, path, number)}
        for number, row in enumerate(found.rows, 1)
    )
    table: Any = frame(rows)
    records = read(
        table,
        columns={**declared, "item": "joined_item"},
        system=path.name.partition(".")[0],
    )
    note = f"item = {' and '.join(joined)}, joined by a slash"
    return _imported(path, records, declared, (note, *found.notes))
