"""Compare the required cells of two workbooks."""

from __future__ import annotations

import io
import os
import re
import warnings
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args
from zipfile import BadZipFile

from evalkit.errors import ArgumentError, FileMissingError, InputError, MissingPackageError
from evalkit.verifiers.cell_values import CellMode, same_cell
from evalkit.verifiers.verdict import Verdict, abstain, decided

__all__ = ["workbook_cells"]

_AREA = re.compile(
    r"(?:(?:'((?:[^']|'')+)'|([^'!,]+))!)?\$?([A-Za-z]{1,3})\$?(\d+)"
    r"(?::\$?([A-Za-z]{1,3})\$?(\d+))?"
)
_MOST_CELLS = 1_000_000
_LISTED = 10
_UNREADABLE = (
    *(AttributeError, BadZipFile, EOFError, IndexError, KeyError, OSError, SyntaxError),
    *(TypeError, ValueError, zlib.error),
)
"""What openpyxl raises on bytes that are no workbook."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Area:
    sheet: str | None
    rows: tuple[int, int]
    columns: tuple[int, int]


def _openpyxl() -> Any:
    try:
        import openpyxl
    except ImportError as cause:
        raise MissingPackageError(
            "workbooks are read by openpyxl, which is not installed: pip install openpyxl"
        ) from cause
    return openpyxl


def _column_number(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = 26 * number + ord(letter) - 64
    return number


def _areas(cells: str | Sequence[str]) -> list[_Area]:
    parts = re.findall(r"(?:'(?:[^']|'')*'|[^,'])+", cells) if isinstance(cells, str) else cells
    areas = []
    for part in parts:
        found = _AREA.fullmatch(part.strip())
        if found is None:
            raise ArgumentError(
                f"`cells` holds {part!r}; write areas with both corners, such as "
                "A1, Sheet1!A1:B20 or 'My sheet'!C3"
            )
        quoted, plain, left, top, right, bottom = found.groups()
        columns = sorted((_column_number(left), _column_number(right or left)))
        rows = sorted((int(top), int(bottom or top)))
        sheet = quoted.replace("''", "'") if quoted else plain
        if rows[0] < 1:
            raise ArgumentError(f"`cells` holds {part!r}; rows are counted from 1")
        areas.append(_Area(sheet=sheet, rows=(rows[0], rows[1]), columns=(columns[0], columns[1])))
    size = sum((a.rows[1] - a.rows[0] + 1) * (a.columns[1] - a.columns[0] + 1) for a in areas)
    if not areas or size > _MOST_CELLS:
        raise ArgumentError(f"`cells` names {size} cells; name 1 to {_MOST_CELLS} of them")
    return areas


def _load(content: bytes, *, computed: bool) -> Any:
    """Open a workbook; ``None`` where the bytes are not one."""
    openpyxl = _openpyxl()
    with warnings.catch_warnings():
        # openpyxl warns of extensions it drops (validation, formats): values do not need them.
        warnings.simplefilter("ignore")
        try:
            return openpyxl.load_workbook(io.BytesIO(content), data_only=computed)
        except _UNREADABLE:
            return None


class _Workbook:
    """Cached values, and formulas where they are asked for."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        if not Path(path).is_file():
            raise FileMissingError(f"{os.fspath(path)}: there is no such workbook")
        self.path = path
        self._content = Path(path).read_bytes()
        self.book = _load(self._content, computed=True)
        self._formulas: Any = None

    def sheet(self, name: str | None) -> Any:
        """Return a sheet by name, or the first one; ``None`` where it is not there."""
        if name is None:
            return self.book.worksheets[0] if self.book.worksheets else None
        sheets = {sheet.title: sheet for sheet in self.book.worksheets}
        return sheets.get(name)

    def formula(self, sheet: str, row: int, column: int) -> str | None:
        """Return the formula of a cell whose value was never computed."""
        if self._formulas is None:
            self._formulas = _load(self._content, computed=False)
        value = self._formulas[sheet].cell(row, column).value
        text = getattr(value, "text", value)
        return text if isinstance(text, str) and text.startswith("=") else None


@dataclass(slots=True)
class _Outcome:
    cells: int = 0
    equal: int = 0
    different: list[str] = field(default_factory=list)
    uncomputed: list[str] = field(default_factory=list)


def _pairs(
    found: _Workbook, wanted: _Workbook, areas: Sequence[_Area]
) -> Iterator[tuple[Any, Any, int, int]]:
    for area in areas:
        gold = wanted.sheet(area.sheet)
        if gold is None:
            raise InputError(
                f"the reference has no sheet {area.sheet!r}; it has "
                f"{', '.join(repr(s.title) for s in wanted.book.worksheets)}",
                path=os.fspath(wanted.path),
            )
        own = found.sheet(area.sheet)
        for row in range(area.rows[0], area.rows[1] + 1):
            for column in range(area.columns[0], area.columns[1] + 1):
                yield own, gold, row, column


def _inspect(
    found: _Workbook, wanted: _Workbook, areas: Sequence[_Area], mode: CellMode, digits: int
) -> _Outcome:
    outcome = _Outcome()
    for own, gold, row, column in _pairs(found, wanted, areas):
        outcome.cells += 1
        place = f"{gold.title}!{_letters(column)}{row}"
        if own is None:
            outcome.different.append(f"{place}: the sheet is missing")
            continue
        values = own.cell(row, column).value, gold.cell(row, column).value
        never = [
            f"{who}{place} holds the formula {formula} without a cached value"
            for who, book, sheet, value in (
                ("", found, own, values[0]),
                ("reference ", wanted, gold, values[1]),
            )
            if value is None and (formula := book.formula(sheet.title, row, column))
        ]
        if never:
            outcome.uncomputed += never
        elif same_cell(*values, mode=mode, digits=digits):
            outcome.equal += 1
        else:
            outcome.different.append(f"{place}: {values[0]!r} where {values[1]!r} is required")
    return outcome


def _letters(column: int) -> str:
    text = ""
    while column:
        column, rest = divmod(column - 1, 26)
        text = chr(65 + rest) + text
    return text


def workbook_cells(
    output: str | os.PathLike[str] | None,
    reference: str | os.PathLike[str],
    *,
    cells: str | Sequence[str],
    mode: CellMode = "loose",
    digits: int = 2,
) -> Verdict:
    """Compare the required cells of an ``.xlsx`` file with those of the gold file.

    Parameters
    ----------
    output : path or None
        The workbook to judge; ``None`` is a missing output.
    reference : path
        The gold workbook.
    cells : str or sequence of str
        Required areas, as ``Sheet1!A1:B20,'My sheet'!C3``; without a sheet, of the first one.
    mode : {"loose", "strict"}
        How two cells are compared.
    digits : int
        Decimals that the loose mode keeps.

    Returns
    -------
    Verdict
        Passed when every required cell is the same; its score is 1 or 0, and ``detail`` counts
        the cells. Abstains on ``None``.

    Raises
    ------
    ArgumentError
        If `cells` or a setting cannot be read.
    FileMissingError
        If a file is not there.
    InputError
        If the reference is no workbook, or lacks a sheet that `cells` names.
    MissingPackageError
        If openpyxl is not installed.

    Notes
    -----
    Both modes read the values that the spreadsheet program last computed (``data_only``).
    *Loose*: numbers, booleans and texts that read as numbers are rounded half up to `digits`
    decimals, dates become day numbers, times lose their seconds, empty equals empty text; then
    the values must be equal. *Strict*: the same type (empty, boolean, number, date, time, error,
    text) and the equal value; integers and decimals are one type, as in the spreadsheet.
    A formula that was never computed has no value: when no other cell differs, the verdict
    abstains and the reason names the formula. An output that is no readable workbook fails.

    Examples
    --------
    >>> workbook_cells(None, "gold.xlsx", cells="A1").reason
    'no output'
    """
    if mode not in get_args(CellMode):
        raise ArgumentError(f"`mode` is {mode!r}; it must be 'loose' or 'strict'")
    if not isinstance(digits, int) or digits < 0:
        raise ArgumentError(f"`digits` is {digits!r}; it must be a whole number, 0 or above")
    areas = _areas(cells)
    if output is None:
        return abstain("no output")
    wanted = _Workbook(reference)
    if wanted.book is None:
        raise InputError("the reference is no readable workbook", path=os.fspath(reference))
    found = _Workbook(output)
    if found.book is None:
        return decided(False, "the output is no readable workbook")
    outcome = _inspect(found, wanted, areas, mode, digits)
    different, uncomputed = outcome.different, outcome.uncomputed
    detail = {
        "cells": outcome.cells,
        "equal": outcome.equal,
        "different": tuple(different[:_LISTED]),
        "uncomputed": tuple(uncomputed[:_LISTED]),
    }
    if different:
        return decided(False, "; ".join([different[0], *uncomputed[:1]]), detail)
    if uncomputed:
        return abstain(uncomputed[0], detail)
    return decided(True, f"all {outcome.cells} cells are the same", detail)
