"""Rows of judgments from whatever the user has, with the columns that hold what."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalkit.errors import ArgumentError, DuplicateRowError, InputError, MissingColumnError

__all__ = [
    "COLUMNS",
    "Table",
    "cell_text",
    "find_columns",
    "join_reference",
    "neighbour",
    "read_table",
]

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "pair": ("pair_id", "pair", "id", "item", "item_id", "question_id", "idx"),
    "grader": ("grader", "judge", "verifier", "evaluator", "rater", "judge_name"),
    "label": ("label", "reference", "gold", "gold_label", "reference_label", "human"),
    "order1": (
        "decision_order1",
        "verdict_order1",
        "verdict_ab",
        "winner_orig",
        "order1",
        "verdict",
        "decision",
        "preference",
        "prediction",
        "winner",
    ),
    "order2": (
        "decision_order2",
        "verdict_order2",
        "verdict_ba",
        "winner_swap",
        "verdict_swapped",
        "order2",
    ),
    "order": ("order", "presentation_order", "presentation", "position", "swapped", "is_swapped"),
    "score_a": ("score_a", "score_1", "score1", "chosen_score", "score_chosen", "chosen"),
    "score_b": ("score_b", "score_2", "score2", "rejected_score", "score_rejected", "rejected"),
    "reference_a": ("reference_a", "reference_score_a", "gold_a"),
    "reference_b": ("reference_b", "reference_score_b", "gold_b"),
}
"""What is looked for, and the names it is recognised by, best first."""
_FINER = {"judge_name": "judge_model"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows and their columns.

    Attributes
    ----------
    rows : tuple of mapping
        One for each judgment.
    columns : tuple of str
        Names, in the order they are first seen.
    notes : tuple of str
        What was left out while reading.
    """

    rows: tuple[Mapping[str, Any], ...]
    columns: tuple[str, ...]
    notes: tuple[str, ...] = ()


def _names(rows: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for row in rows for name in row))


def read_table(data: Any, *, partial: bool = False, logs: bool = True) -> Table:
    """Read rows from a path, a dataframe of any engine, or a sequence of mappings.

    A path may be a log of judgments of another tool, unless `logs` is off.

    Examples
    --------
    >>> read_table([{"pair_id": 1, "verdict": "A>B"}]).columns
    ('pair_id', 'verdict')
    """
    if isinstance(data, Table):
        return data
    if isinstance(data, (str, os.PathLike)):
        from evalkit.records.importers import rows_for
        from evalkit.records.raw import read_rows

        known = rows_for(data, "judgments") if logs and not partial else None
        found = known or read_rows(data, partial=partial)
        return Table(rows=found.rows, columns=_names(found.rows), notes=found.notes)
    if isinstance(data, Sequence) and all(isinstance(row, Mapping) for row in data):
        rows = tuple(dict(row) for row in data)
        return Table(rows=rows, columns=_names(rows))
    import narwhals as nw

    source: Any = data
    try:
        frame: Any = nw.from_native(source)
    except TypeError:
        raise InputError(
            f"{type(data).__name__} is not a table; give a path, a dataframe or a list of mappings"
        ) from None
    frame = frame.collect() if hasattr(frame, "collect") else frame
    return Table(rows=tuple(frame.iter_rows(named=True)), columns=tuple(frame.columns))


def cell_text(cell: Any) -> str:
    """Return an id as text: whole floats lose their ``.0``, missing cells are empty.

    Examples
    --------
    >>> cell_text(7.0), cell_text("007"), cell_text(None)
    ('7', '007', '')
    """
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def find_columns(table: Table, declared: Mapping[str, str] | None) -> dict[str, tuple[str, ...]]:
    """Return the columns of `table` that hold each thing; ids may span several columns.

    Parameters
    ----------
    table : Table
        Rows.
    declared : mapping of str to str, optional
        Keys of `COLUMNS` to names, where the guess would be wrong; ``a,b`` joins two.

    Raises
    ------
    ArgumentError
        If a key is unknown.
    MissingColumnError
        If a declared column is not there.

    Examples
    --------
    >>> table = Table(rows=(), columns=("pair_id", "judge_name", "judge_model", "verdict"))
    >>> find_columns(table, None)["grader"]
    ('judge_name', 'judge_model')
    """
    found: dict[str, tuple[str, ...]] = {}
    folded = {name.casefold(): name for name in reversed(table.columns)}
    for key, names in COLUMNS.items():
        first = next((folded[name] for name in names if name in folded), None)
        if first is not None:
            finer = folded.get(_FINER.get(first.casefold(), ""))
            found[key] = (first,) if finer is None else (first, finer)
    for key, text in (declared or {}).items():
        if key not in COLUMNS:
            raise ArgumentError(f"`columns` names {key!r}; allowed are {', '.join(COLUMNS)}")
        wanted = tuple(name.strip() for name in text.split(",") if name.strip())
        for name in wanted:
            if name not in table.columns:
                raise MissingColumnError(
                    f"column {name!r} is not there; the columns are "
                    f"{', '.join(map(repr, table.columns)) or 'none'}"
                )
        found[key] = wanted
    return {key: names for key, names in found.items() if names}


def neighbour(path: str | os.PathLike[str], pair: Sequence[str]) -> Path | None:
    """Return ``pairs.csv`` in the same folder where it holds labels by pair, if there is one."""
    beside = Path(path).parent / "pairs.csv"
    if not beside.is_file() or beside.resolve() == Path(path).resolve():
        return None
    columns = read_table(beside, logs=False).columns
    has_label = any(name.casefold() in COLUMNS["label"] for name in columns)
    return beside if has_label and set(pair) <= set(columns) else None


def join_reference(table: Table, reference: Table, pair: Sequence[str]) -> tuple[Table, int]:
    """Add the columns of `reference` that `table` lacks, by pair; count the pairs not in it.

    Labels and reference scores of `reference` take the place of those of `table`.

    Raises
    ------
    MissingColumnError
        If `reference` lacks the pair ids.
    DuplicateRowError
        If it holds a pair twice.

    Examples
    --------
    >>> rows = read_table([{"id": 1, "verdict": "A"}, {"id": 2, "verdict": "B"}])
    >>> joined, missing = join_reference(rows, read_table([{"id": "1", "label": "A"}]), ["id"])
    >>> [row.get("label") for row in joined.rows], missing
    (['A', None], 1)
    """
    for name in pair:
        if name not in reference.columns:
            raise MissingColumnError(
                f"the labels have no column {name!r} to find a pair by; their columns are "
                f"{', '.join(map(repr, reference.columns))}"
            )
    known: dict[tuple[str, ...], Mapping[str, Any]] = {}
    for row in reference.rows:
        key = tuple(cell_text(row.get(name)) for name in pair)
        if key in known:
            raise DuplicateRowError("the labels hold this pair twice", item="/".join(key))
        known[key] = row
    names = set(_reference_columns(reference))
    stale = set(_reference_columns(table)) if names else set()
    new = [name for name in reference.columns if name in names or name not in table.columns]
    rows = []
    missing = set()
    for row in table.rows:
        key = tuple(cell_text(row.get(name)) for name in pair)
        own = known.get(key, {})
        if not own:
            missing.add(key)
        kept = {name: cell for name, cell in row.items() if name not in stale}
        rows.append({**kept, **{name: own.get(name) for name in new}})
    unused = [f"the labels given take the place of {name!r}" for name in sorted(stale)]
    joined = Table(
        rows=tuple(rows),
        columns=(*(name for name in table.columns if name not in stale), *new),
        notes=(*table.notes, *reference.notes, *unused),
    )
    return joined, len(missing)


def _reference_columns(table: Table) -> list[str]:
    """Columns of a table that hold labels or reference scores."""
    kinds = ("label", "reference_a", "reference_b")
    known = {name for kind in kinds for name in COLUMNS[kind]}
    return [name for name in table.columns if name.casefold() in known]
