"""Reported numbers looked up by table, row and column."""

from __future__ import annotations

from fractions import Fraction

from evalkit.studies.reported import ReportedTables, number_of

__all__ = ["Printed"]


class Printed:
    """Reported numbers, for cells that are derived from other cells and for notes.

    Parameters
    ----------
    tables : mapping of str to tuple of ReportedNumber
        From `load_reported`.
    """

    def __init__(self, tables: ReportedTables) -> None:
        self.tables = tables
        self._texts = {(n.table, *n.key): n.text for ns in tables.values() for n in ns}

    def text(self, table: str, row: str, column: str) -> str:
        """Return a number as printed."""
        return self._texts[table, row, column]

    def get(self, table: str, row: str, column: str) -> Fraction | None:
        """Return a printed number, ``None`` where the paper prints none."""
        text = self._texts.get((table, row, column))
        return None if text is None else number_of(text)

    def value(self, table: str, row: str, column: str) -> Fraction:
        """Return a printed number."""
        return number_of(self.text(table, row, column))

    def keys(self, table: str) -> tuple[tuple[str, str], ...]:
        """Return row and column of every number of a table."""
        return tuple(number.key for number in self.tables[table])
