"""A source of rows on its way to the canonical columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from evalkit.errors import DuplicateRowError, InputError, MissingColumnError
from evalkit.records.values import Number

__all__ = ["Row", "RowStream", "planned_rows"]

_PLANNED = ("planned", "n_planned", "num_planned", "planned_rows", "planned_items")

Row = tuple[int, Mapping[str, Any]]
"""A row with its physical line, or its data row number."""


@dataclass(slots=True, kw_only=True)
class RowStream:
    """Numbered rows of one source, and what its reader found out about them.

    Attributes
    ----------
    name : str
        File or frame, as messages name it.
    rows : iterator of (int, mapping)
        The rows; reading them may add to `notes`, `partial` and `planned`.
    unit : {"line", "row"}
        What the number of a row counts.
    columns : tuple of str, optional
        All columns, where the source states them up front.
    unread : tuple of str
        Columns that the reader left out.
    empty_is_missing : bool
        Whether an empty text stands for no value (CSV has no other way to write one).
    open_end : bool
        Whether the text read so far ends within a line.
    planned : int, optional
        Rows that a run header announced.
    """

    name: str
    rows: Iterator[Row]
    unit: Literal["line", "row"] = "line"
    columns: tuple[str, ...] | None = None
    unread: tuple[str, ...] = ()
    empty_is_missing: bool = False
    notes: list[str] = field(default_factory=list)
    partial: bool = False
    open_end: bool = False
    planned: int | None = None

    def fault(
        self,
        message: str,
        *,
        number: int | None = None,
        item: str | None = None,
        kind: type[InputError | DuplicateRowError | MissingColumnError] = InputError,
    ) -> InputError:
        """Return the error that names this source, the row and the item."""
        if number is not None and self.unit == "row":
            return kind(f"row {number}: {message}", path=self.name, item=item)
        return kind(message, path=self.name, line=number, item=item)


def planned_rows(header: Mapping[str, Any]) -> int | None:
    """Return the number of rows that a run header announces, one level of nesting included."""
    for level in (header, *(each for each in header.values() if isinstance(each, Mapping))):
        for key in _PLANNED:
            planned = level.get(key)
            if isinstance(planned, Number) and planned.isdecimal() and len(planned) < 19:
                return int(planned)
    return None
