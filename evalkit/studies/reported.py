"""Reported numbers: every number a paper prints, table by table, with its printed digits."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path

from evalkit.errors import DuplicateRowError, FileMissingError, InputError

__all__ = [
    "ReportedNumber",
    "ReportedTables",
    "load_reported",
    "natural_key",
    "number_of",
    "read_rows",
]

_HEADER = ["row", "column", "reported"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedNumber:
    """One printed number.

    Attributes
    ----------
    table : str
        Table of the paper, as it numbers it.
    row, column : str
        Where in the table; the pair is unique within it.
    text : str
        The number with its printed digits, sign and percent mark.
    """

    table: str
    row: str
    column: str
    text: str

    @property
    def key(self) -> tuple[str, str]:
        """Row and column."""
        return self.row, self.column

    @property
    def value(self) -> Fraction:
        """The printed number, exactly as printed."""
        return number_of(self.text)


ReportedTables = Mapping[str, tuple[ReportedNumber, ...]]


def number_of(text: str) -> Fraction:
    """Read a printed number exactly, without its plus sign or percent mark.

    Raises
    ------
    InputError
        If the text is not a number.

    Examples
    --------
    >>> number_of("+2.30"), number_of("14.2%")
    (Fraction(23, 10), Fraction(71, 5))
    """
    try:
        return Fraction(Decimal(text.strip().removesuffix("%")))
    except (InvalidOperation, ValueError) as error:
        raise InputError(
            f"{text!r} is not a printed number; give digits with an optional sign and `%`"
        ) from error


def natural_key(text: str) -> tuple[tuple[bool, int, str], ...]:
    """Sort key under which A2 comes before A10, and both after 3.

    Examples
    --------
    >>> sorted(["A10", "A2", "3"], key=natural_key)
    ['3', 'A2', 'A10']
    """
    parts = re.findall(r"\d+|\D+", text)
    return tuple((False, int(part), "") if part.isdecimal() else (True, 0, part) for part in parts)


def read_rows(path: Path) -> list[dict[str, str]]:
    """Read a CSV file as rows of text.

    Parameters
    ----------
    path : Path
        File with a header line.

    Returns
    -------
    list of dict
        Nothing is parsed as a number.

    Raises
    ------
    FileMissingError
        If the file does not exist.
    InputError
        If a row has another number of fields than the header.
    """
    if not path.is_file():
        raise FileMissingError(f"{path} does not exist; the study needs it as an input")
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.reader(file)
        header = next(reader, [])
        rows = []
        for fields in reader:
            if len(fields) != len(header):
                raise InputError(
                    f"{len(fields)} fields under {len(header)} headings; quote fields with commas",
                    path=path.name,
                    line=reader.line_num,
                )
            rows.append(dict(zip(header, fields, strict=True)))
    return rows


def load_reported(folder: Path) -> ReportedTables:
    """Load the reported tables of a study.

    Parameters
    ----------
    folder : Path
        ``fixtures/<slug>/reported``. Files whose header is not ``row,column,reported``
        (labels, claims) are left alone.

    Returns
    -------
    mapping of str to tuple of ReportedNumber
        By table, in natural order; numbers in file order.

    Raises
    ------
    FileMissingError
        If the folder does not exist or holds no such file.
    DuplicateRowError
        If a table has one row and column twice.
    InputError
        If a reported text is not a number.
    """
    tables = {}
    for path in sorted(folder.glob("*.csv"), key=lambda p: natural_key(p.stem)):
        with path.open(encoding="utf-8", newline="") as file:
            header = next(csv.reader(file), [])
        if header == _HEADER:
            tables[path.stem] = tuple(_numbers(path))
    if not tables:
        raise FileMissingError(
            f"{folder} holds no file with the header {','.join(_HEADER)}; "
            "put one there for each reported table"
        )
    return tables


def _numbers(path: Path) -> Iterator[ReportedNumber]:
    seen = set()
    for line, row in enumerate(read_rows(path), start=2):
        key = row["row"], row["column"]
        if key in seen:
            raise DuplicateRowError(
                f"row {key[0]!r}, column {key[1]!r} stands in two lines; keep one",
                path=path.name,
                line=line,
            )
        seen.add(key)
        number_of(row["reported"])
        yield ReportedNumber(table=path.stem, row=key[0], column=key[1], text=row["reported"])
