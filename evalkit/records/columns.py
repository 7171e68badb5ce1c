"""Which column of a source holds what: declared, or guessed by name in a fixed order."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from evalkit.errors import ArgumentError, MissingColumnError
from evalkit.records.cells import status_word
from evalkit.records.schema import ALIASES, KEY_COLUMNS
from evalkit.records.stream import Row, RowStream
from evalkit.records.values import CellError

__all__ = ["Resolution", "check_columns", "claim", "resolve_columns", "seen_columns"]

_CLAIMS = {
    name: (canonical, rank)
    for canonical, names in ALIASES.items()
    for rank, name in enumerate(names)
}
_REQUIRED = ("item", "score")
_LONGEST_NAME = 120  # characters; a model path has fewer, a judge's reply has more


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """Canonical name -> column, and what was guessed on the way.

    Attributes
    ----------
    columns : mapping of str to str
        Canonical name -> column that it is read from.
    declared : frozenset of str
        Canonical names that the caller decided, left-out ones included.
    notes : tuple of str
        Every guess that had a rival.
    """

    columns: Mapping[str, str]
    declared: frozenset[str]
    notes: tuple[str, ...]


def claim(name: str) -> tuple[str, tuple[int, int]] | None:
    """Return the canonical name that `name` claims, and how well (lower is better)."""
    if name in _CLAIMS:
        canonical, rank = _CLAIMS[name]
        return canonical, (0, rank)
    folded = name.strip().casefold()
    if folded in _CLAIMS:
        canonical, rank = _CLAIMS[folded]
        return canonical, (1, rank)
    return None


def check_columns(columns: Mapping[str, str] | None) -> dict[str, str]:
    """Return the declared columns; raise on a canonical name that does not exist."""
    declared = dict(columns or {})
    for canonical, name in declared.items():
        if canonical not in ALIASES:
            raise ArgumentError(
                f"`columns` names {canonical!r}; allowed are {', '.join(ALIASES)}; "
                "any other column is kept under its own name with `keep`"
            )
        if not isinstance(name, str) or (not name and canonical in _REQUIRED):
            raise ArgumentError(f"`columns` gives {name!r} for {canonical!r}; name a column")
    return declared


def seen_columns(names: Collection[str]) -> str:
    """Return the columns as a message lists them."""
    return ", ".join(map(repr, names)) or "none"


def resolve_columns(
    sample: Iterable[Row], names: Collection[str], declared: Mapping[str, str], stream: RowStream
) -> Resolution:
    """Decide which column holds what, from the first rows.

    Parameters
    ----------
    sample : iterable of rows
        The first rows.
    names : collection of str
        The columns seen in them.
    declared : mapping of str to str
        Columns that the caller named; an empty name leaves the canonical column out.
    stream : RowStream
        The source, for messages.

    Raises
    ------
    InputError
        No column can hold the items or the scores.
    """
    rows = [row for _, row in sample]
    taken = {name for name in declared.values() if name}
    ranked: dict[str, list[str]] = {}
    for name in sorted((n for n in names if n not in taken and claim(n)), key=_strength):
        ranked.setdefault(_canonical(name), []).append(name)
    columns = {canonical: name for canonical, name in declared.items() if name}
    notes: list[str] = []
    for canonical in ALIASES:
        rivals = ranked.get(canonical, [])
        if canonical in declared or not rivals:
            continue
        usable = [name for name in rivals if _usable(canonical, name, rows, notes)]
        if not usable and canonical not in _REQUIRED:
            continue
        columns[canonical] = (usable or rivals)[0]
        notes += _rival_note(canonical, columns[canonical], rivals)
    seen = seen_columns(stream.columns or names)
    for canonical in _REQUIRED:
        if canonical not in columns:
            raise stream.fault(
                f"no column holds the {canonical}s; the columns are {seen}; "
                f"name it with `columns` (--column {canonical}=NAME)",
                kind=MissingColumnError,
            )
    return Resolution(columns=columns, declared=frozenset(declared), notes=tuple(notes))


def _strength(name: str) -> tuple[int, int]:
    found = claim(name)
    return (2, 0) if found is None else found[1]


def _canonical(name: str) -> str:
    found = claim(name)
    return "" if found is None else found[0]


def _usable(canonical: str, name: str, rows: list[Mapping[str, Any]], notes: list[str]) -> bool:
    """Return whether a guessed column can hold what its name promises."""
    if canonical == "error":
        return True
    cells = [row.get(name) for row in rows]
    if any(isinstance(cell, (dict, list)) and cell for cell in cells):
        return False
    if canonical in KEY_COLUMNS and canonical not in (name.lower(), "item"):
        if any(isinstance(cell, str) and _is_prose(cell) for cell in cells):
            notes.append(
                f"the column {name!r} holds texts and was not read as the {canonical}; "
                f"--column {canonical}={name} to insist"
            )
            return False
        return True
    if canonical != "status":
        return True
    try:
        for cell in cells:
            status_word(cell)
    except CellError as fault:
        if any(map(_is_lost, cells)):
            return True  # and the reader names the row whose word is unknown
        notes.append(
            f"the column {name!r} was not read as a status, so no row was left out by it: {fault}; "
            f"--column status={name} to insist"
        )
        return False
    return True


def _is_lost(cell: object) -> bool:
    """Whether a cell is a status that leaves its row out, as ``timeout`` does."""
    try:
        return status_word(cell) not in {None, "scored"}
    except CellError:
        return False


def _is_prose(cell: str) -> bool:
    """Whether a cell is a reply or a sentence; names are short and on one line."""
    return len(cell) > _LONGEST_NAME or "\n" in cell.strip()


def _rival_note(canonical: str, chosen: str, rivals: list[str]) -> list[str]:
    others = [name for name in rivals if name != chosen]
    if not others:
        return []
    listed = ", ".join(f"`{name}`" for name in others)
    were = "was" if len(others) == 1 else "were"
    note = (
        f"`{canonical}` was read from `{chosen}`; {listed} {were} not used; "
        f"--column {canonical}={others[0]} to change"
    )
    return [note]
