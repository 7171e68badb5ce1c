"""From the rows of any source to columns of cells.

The first rows decide which column holds what; later rows may bring new columns, which are taken
in as long as that does not change what was decided.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import islice
from typing import Any

from evalkit.errors import InputError, MissingColumnError
from evalkit.records.cells import Cells, ErrorCells, ItemCells, ScoreCells, StatusCells, TextCells
from evalkit.records.columns import claim, resolve_columns, seen_columns
from evalkit.records.schema import ALIASES, KEY_COLUMNS, KEY_DEFAULTS
from evalkit.records.stream import Row, RowStream, planned_rows
from evalkit.records.values import CellError, NestedCellError, utf8_text

__all__ = ["Table"]

_SAMPLE = 1000
_FRAME_COLUMNS = (*KEY_COLUMNS, "score", "status")


class _ExtraCells(TextCells):
    """An extra column; lists and objects in it are noticed, not kept."""

    __slots__ = ("found_nested",)

    def __init__(self, *, empty_is_missing: bool, nested: bool) -> None:
        super().__init__(empty_is_missing=empty_is_missing, nested=nested)
        self.found_nested = False

    def add(self, value: Any, /) -> None:
        """Take a text, or any single value."""
        if isinstance(value, (dict, list)) and not self.nested:
            self.found_nested = self.found_nested or bool(value)
            self.values.append(None)
            return
        try:
            super().add(value)
        except NestedCellError:  # arrays of dataframe libraries
            self.found_nested = True
            self.values.append(None)


class Table:
    """Columns under way.

    Parameters
    ----------
    stream : RowStream
        The source.
    declared : mapping of str to str
        Canonical name -> column, as the caller named them.
    keep : collection of str, optional
        Extra columns to keep; every single-valued one by default.
    system : str
        System of the rows that name none.
    """

    def __init__(
        self,
        stream: RowStream,
        *,
        declared: Mapping[str, str],
        keep: Collection[str] | None,
        system: str,
    ) -> None:
        self.stream = stream
        self.declared = dict(declared)
        self.keep = None if keep is None else frozenset(keep)
        self.defaults = {**KEY_DEFAULTS, "system": system}
        self.item, self.score = ItemCells(), ScoreCells()
        self.status, self.error = StatusCells(), ErrorCells()
        self.keys: dict[str, TextCells] = {}
        self.extras: dict[str, _ExtraCells] = {}
        self.columns: dict[str, str] = {}
        self.known: set[str] = set()
        self.dropped: dict[str, None] = dict.fromkeys(stream.unread)
        self.lines = array("q")
        self._readers: list[tuple[str, Callable[[Any], None]]] = []

    def __len__(self) -> int:
        return len(self.lines)

    def fill(self) -> None:
        """Read every row of the stream."""
        sample = list(islice(self.stream.rows, _SAMPLE))
        complete = len(sample) < _SAMPLE
        if self.stream.columns is None and sample and _is_header(sample):
            self._announce(*sample.pop(0))
        stated = self.stream.columns
        names = dict.fromkeys(n for _, row in sample for n in row) if stated is None else stated
        if names:
            self.known = set(names)
            self._check_declared(complete=complete or stated is not None)
            self._begin(sample, [name for name in names if name not in self.dropped])
            self._extend(sample)
            self._extend(self.stream.rows)
            self._check_present(self.declared.values(), "columns")
            self._check_present(self.keep or (), "keep")

    def _check_declared(self, *, complete: bool) -> None:
        """Refuse a declared column that is absent; an optional one may appear in later rows."""
        needed = self.declared if complete else {"item", "score"} & set(self.declared)
        self._check_present([self.declared[canonical] for canonical in needed], "columns")

    def _announce(self, number: int, header: Mapping[str, Any]) -> None:
        self.stream.planned = planned_rows(header)
        self.stream.notes.append(
            f"{self.stream.unit} {number} is a run header and no row; "
            f"its fields are {seen_columns(header)}"
        )

    def _begin(self, sample: list[Row], names: list[str]) -> None:
        found = resolve_columns(sample, names, self.declared, self.stream)
        self.stream.notes += found.notes
        for canonical in ALIASES:  # the item first, so that messages can name it
            if canonical in found.columns:
                self._adopt(canonical, found.columns[canonical])
        nested = {name for _, row in sample for name, cell in row.items() if _is_nested(cell)}
        for name in names:
            self._take_extra(name, nested=name in nested)

    def _adopt(self, canonical: str, name: str) -> None:
        """Read a canonical column from `name` from here on."""
        cells: Cells
        if canonical in KEY_COLUMNS and canonical != "item":
            cells = self.keys[canonical] = TextCells(default=self.defaults[canonical])
        else:
            named: dict[str, Cells] = {
                "item": self.item,
                "score": self.score,
                "status": self.status,
                "error": self.error,
            }
            cells = named[canonical]
        cells.pad(len(self))
        self.columns[canonical] = name
        self._readers.append((name, cells.add))

    def _take_extra(self, name: str, *, nested: bool) -> None:
        wanted = self.keep is None or name in self.keep
        used = {column for key, column in self.columns.items() if key != "error"}
        if name in used and (self.keep is None or not wanted or name in _FRAME_COLUMNS):
            return
        if not wanted and name == self.columns.get("error"):
            return
        if not wanted or not name or (nested and self.keep is None):
            self.dropped[name] = None
            return
        cells = _ExtraCells(
            empty_is_missing=self.stream.empty_is_missing, nested=self.keep is not None
        )
        cells.pad(len(self))
        self.extras[self._free_name(name)] = cells
        self._readers.append((name, cells.add))

    def _free_name(self, name: str) -> str:
        free = utf8_text(name)
        while free in _FRAME_COLUMNS or free in self.extras:
            free = f"source_{free}"
        if free != name:
            self.stream.notes.append(f"the column {name!r} was kept as {free!r}")
        return free

    def _extend(self, rows: Iterable[Row]) -> None:
        readers, known, done = self._readers, self.known, self.lines.append
        for number, row in rows:
            try:
                if not known.issuperset(row):
                    self._discover(row, number)
                for name, add in readers:
                    add(row.get(name))
            except CellError as fault:
                raise self._fault(str(fault), number) from None
            done(number)

    def _fault(self, message: str, number: int) -> InputError:
        ids = self.item.values
        item = ids[-1] if len(ids) > len(self) else None
        return self.stream.fault(message, number=number, item=item)

    def _discover(self, row: Mapping[str, Any], number: int) -> None:
        """Take in columns that earlier rows did not have."""
        new = [name for name in row if name not in self.known]
        for name in sorted(new, key=lambda name: (claim(name) or ("", (2, 0)))[1]):
            self.known.add(name)
            pending = [key for key, column in self.declared.items() if column == name]
            found = claim(name)
            if pending:
                pass  # the readers look for a declared column in every row
            elif found is not None and found[0] not in self.declared:
                self._weigh(found[0], found[1], name, row, number)
            self._take_extra(name, nested=_is_nested(row[name]))

    def _weigh(
        self,
        canonical: str,
        strength: tuple[int, int],
        name: str,
        row: Mapping[str, Any],
        number: int,
    ) -> None:
        current = self.columns.get(canonical)
        if current is None:
            if canonical == "error" or not _is_nested(row[name]):
                self._adopt(canonical, name)
            return
        held = claim(current)
        if held is not None and strength < held[1]:
            raise self.stream.fault(
                f"the column {name!r} appears here for the first time, after {current!r} was read "
                f"as the {canonical}; say which one holds it with `columns` "
                f"(--column {canonical}={name} or --column {canonical}={current})",
                number=number,
            )
        self.stream.notes.append(
            f"`{canonical}` was read from `{current}`; `{name}`, which appears from "
            f"{self.stream.unit} {number} on, was not used; --column {canonical}={name} to change"
        )

    def _check_present(self, names: Iterable[str], setting: str) -> None:
        absent = sorted({name for name in names if name} - self.known - self._named_here(setting))
        if absent:
            raise self.stream.fault(
                f"`{setting}` asks for the column {seen_columns(absent)}, which is not there; "
                f"the columns are {seen_columns(sorted(self.known))}",
                kind=MissingColumnError,
            )

    def _named_here(self, setting: str) -> frozenset[str]:
        return frozenset(_FRAME_COLUMNS if setting == "keep" else ())

    def drop_nested(self) -> None:
        """Move the extra columns that turned out to hold lists or objects to the dropped ones."""
        for name in [name for name, cells in self.extras.items() if cells.found_nested]:
            del self.extras[name]
            self.dropped[name] = None


def _is_nested(cell: object) -> bool:
    return isinstance(cell, (dict, list)) and bool(cell)


def _is_header(sample: list[Row]) -> bool:
    header = sample[0][1]
    if planned_rows(header) is None:
        return False
    claims = {found[0] for name in header if (found := claim(name))}
    if "score" in claims:
        return False
    return "item" not in claims or (len(sample) > 1 and planned_rows(sample[1][1]) is None)
