"""Rows of delimited text; every cell is text, whatever it looks like."""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain

from evalkit.records.stream import Row, RowStream

__all__ = ["csv_rows", "long_fields"]

_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}


@contextmanager
def long_fields() -> Iterator[None]:
    """Lift the length limit of the csv module, which cuts at 128 KiB, and put it back."""
    limit = csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    try:
        yield
    finally:
        csv.field_size_limit(limit)


def csv_rows(lines: Iterator[bytes], stream: RowStream) -> Iterator[Row]:
    """Yield the rows of delimited text with a header; quoted cells may hold line feeds.

    Parameters
    ----------
    lines : iterator of bytes
        Physical lines of UTF-8 without their line feed.
    stream : RowStream
        Takes the columns and notes. A stream that was cut off loses its last row, since nothing
        shows whether that row is whole. A last line that is cut off, which has neither all cells
        nor a line feed, is left out and said.
    """
    stream.empty_is_missing = True
    text = _Text(lines, stream)
    first = next((line for line in text if line.strip()), None)
    if first is None:
        return
    separator = _separator(first)
    if separator != ",":
        stream.notes.append(f"the columns are separated by {_SEPARATORS[separator]}")
    head = _records(first, text, separator, stream)
    begin, names = next(head, (text.number, []))
    _check_header(names, begin, stream)
    stream.columns = tuple(names)
    width = len(names)
    held: Row | None = None
    for number, cells in head:
        if held is not None:
            yield held
        if len(cells) != width:
            if stream.partial or (len(cells) < width and _cut(head, number, text)):
                return
            raise stream.fault(
                f"the row has {len(cells)} cells and the header has {width}; a cell that holds "
                f"{separator!r} or a line feed must stand in double quotes",
                number=number,
            )
        held = number, dict(zip(names, cells, strict=True))
    if held is not None and (text.cut or not stream.partial):
        yield held


class _Text:
    """Decoded lines, with the number of the last one, and whether it was cut off."""

    __slots__ = ("cut", "lines", "number", "stream")

    def __init__(self, lines: Iterator[bytes], stream: RowStream) -> None:
        self.lines, self.stream, self.number = lines, stream, 0
        self.cut = False

    def __iter__(self) -> Iterator[str]:
        return self

    def leave_out(self, number: int) -> None:
        """Leave out the last line, which is cut off, and say so."""
        if not self.stream.partial:
            self.stream.notes.append(f"line {number} is cut off and was left out")
        self.cut = self.stream.partial = True

    def __next__(self) -> str:
        line = next(self.lines)
        self.number += 1
        try:
            text = line.decode()
        except UnicodeDecodeError as fault:
            if self.stream.partial:
                raise StopIteration from None
            message = f"byte 0x{line[fault.start]:02x} is not UTF-8; convert the file to UTF-8"
            raise self.stream.fault(message, number=self.number) from None
        if "\0" in text:
            message = "the line holds a NUL, so this is not a text file"
            raise self.stream.fault(message, number=self.number)
        return text + "\n"


def _separator(header: str) -> str:
    """Return the separator that gives the header the most columns."""

    def columns(separator: str) -> int:
        try:
            return len(next(csv.reader([header], delimiter=separator), []))
        except csv.Error:
            return 0

    return max(_SEPARATORS, key=columns)


def _records(
    first: str, text: _Text, separator: str, stream: RowStream
) -> Iterator[tuple[int, list[str]]]:
    """Yield each row with the physical line it begins on."""
    begin, empty = text.number, 0
    try:
        for cells in csv.reader(chain((first,), text), delimiter=separator, strict=True):
            if any(map(str.strip, cells)):
                yield begin, cells
            elif len(cells) > 1:
                empty += 1
            begin = text.number + 1
    except csv.Error as fault:
        if stream.open_end and begin == text.number:
            text.leave_out(begin)
        elif not stream.partial:
            raise stream.fault(f"the row is not valid CSV ({fault})", number=begin) from None
    if empty:
        stream.notes.append(f"{empty} rows whose cells are all empty were left out")


def _cut(rest: Iterator[tuple[int, list[str]]], number: int, text: _Text) -> bool:
    """Whether a row is the last one and ends without a line feed; it is then left out."""
    if next(rest, None) is not None or not text.stream.open_end:
        return False
    text.leave_out(number)
    return True


def _check_header(names: list[str], begin: int, stream: RowStream) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise stream.fault(
            f"the header names {', '.join(map(repr, twice))} more than once; rename the columns",
            number=begin,
        )
