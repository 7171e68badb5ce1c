"""Rows of JSON: one object a line, or one document that holds a list of objects."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from itertools import chain
from typing import Any

from evalkit.errors import InputError
from evalkit.records.columns import claim
from evalkit.records.stream import Row, RowStream, planned_rows
from evalkit.records.values import CellError, Number

__all__ = ["json_rows"]

_CONTAINERS = ("results", "rows", "data", "samples", "records")
_LITERALS = ("true", "false", "null", "NaN", "Infinity", "-Infinity")
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,4})?$")
_NUMBER_TAIL = re.compile(r"\.|[eE][+-]?")


class _SyntaxFaultError(Exception):
    """A line that is not one JSON object."""

    def __init__(self, message: str, *, cut: bool = False) -> None:
        super().__init__(message)
        self.cut = cut


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise CellError(f"the key {twice!r} stands twice in one object; remove one of them")
    return row


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_float=Number, parse_int=Number)


def json_rows(lines: Iterator[bytes], stream: RowStream) -> Iterator[Row]:
    """Yield the rows of JSON Lines, of a JSON array, or of a document with a list of rows.

    Parameters
    ----------
    lines : iterator of bytes
        Physical lines of UTF-8 without their line feed.
    stream : RowStream
        Takes notes, and is marked partial where the last line is cut off.
    """
    blank: list[bytes] = []
    for line in lines:
        if line.strip():
            if _is_document(line.strip()):
                stream.unit = "row"
                yield from _document(b"\n".join(chain(blank, (line,), lines)), stream)
            else:
                yield from _lines(chain(blank, (line,), lines), stream)
            return
        blank.append(b"")


def _is_document(first: bytes) -> bool:
    first = first.removeprefix(codecs.BOM_UTF8)
    if first.startswith(b"["):
        return True
    if not first.startswith(b"{"):
        return False
    try:
        row = _parse(first)
    except _SyntaxFaultError as fault:
        return fault.cut and first.endswith((b"{", b"[", b","))
    except CellError:
        return False
    return _container(row) is not None and not _is_row(row)


def _container(row: dict[str, Any]) -> str | None:
    for name in _CONTAINERS:
        rows = row.get(name)
        if isinstance(rows, list) and all(isinstance(each, dict) for each in rows):
            return name
    return None


def _is_row(row: dict[str, Any]) -> bool:
    return any(found[0] in {"item", "score"} for name in row if (found := claim(name)))


def _lines(lines: Iterator[bytes], stream: RowStream) -> Iterator[Row]:
    offset = 0
    numbered = enumerate(lines, 1)
    for number, line in numbered:
        text = line.strip()
        if text:
            try:
                yield number, _parse(text)
            except _SyntaxFaultError as fault:
                later = next((n for n, rest in numbered if rest.strip(b"\0 \t\r")), None)
                if not fault.cut or later is not None:
                    raise stream.fault(f"{fault}{_remedy(fault)}", number=number) from None
                stream.partial = True
                stream.notes.append(
                    f"line {number} is cut off and was left out (byte {offset} onwards)"
                )
            except CellError as fault:
                raise stream.fault(str(fault), number=number) from None
        offset += len(line) + 1


def _remedy(fault: _SyntaxFaultError) -> str:
    if not fault.cut:
        return ""
    return "; the line is cut off and others follow, as after a resumed crash: remove it"


def _parse(line: bytes) -> dict[str, Any]:
    """Return the object of one line that has no blanks around it."""
    try:
        text = line.decode()
        row, end = _DECODER.raw_decode(text)
    except json.JSONDecodeError as fault:
        return _retry(line, fault)
    except UnicodeDecodeError as fault:
        whole = line[: fault.start].decode()
        cut = fault.end == len(line) and fault.reason == "unexpected end of data"
        if cut and whole.startswith("{"):
            raise _SyntaxFaultError("the last character is cut off", cut=True) from None
        raise _SyntaxFaultError(
            f"byte 0x{line[fault.start]:02x} at column {len(whole) + 1} is not UTF-8; "
            "convert the file to UTF-8"
        ) from None
    except RecursionError:
        raise _SyntaxFaultError("the values are nested too deeply to be read") from None
    if end != len(text):
        rest = text[end:].strip()
        if rest.startswith("{"):
            raise _SyntaxFaultError("two objects stand on one line; put each on its own line")
        raise _SyntaxFaultError(f"column {end + 1}: {rest[:20]!r} follows the object; remove it")
    if type(row) is not dict:
        raise _SyntaxFaultError(
            f"the line is {_kind(row)}, not a JSON object; one row is one object"
        )
    return row


def _retry(line: bytes, fault: json.JSONDecodeError) -> dict[str, Any]:
    """Forgive a byte-order mark (files joined end to end) and NULs after a crash."""
    plain = line.removeprefix(codecs.BOM_UTF8).strip(b"\0").strip()
    if not plain:
        raise _SyntaxFaultError("the line holds NUL bytes only", cut=True) from None
    if plain.startswith(b"{") and len(plain) < len(line):
        return _parse(plain)
    raise _SyntaxFaultError(
        f"column {fault.pos + 1} is not valid JSON ({fault.msg})", cut=_is_cut(fault)
    ) from None


def _is_cut(fault: json.JSONDecodeError) -> bool:
    """Return whether the text could go on to become an object."""
    text, rest = fault.doc.rstrip(), fault.doc[fault.pos :].strip()
    if not text.startswith("{"):
        return False
    if fault.msg.startswith("Unterminated string") or not rest:
        return True
    if fault.msg.startswith("Invalid \\"):
        return _ESCAPE.search(text) is not None
    if _NUMBER_TAIL.fullmatch(rest):
        return text[: fault.pos][-1:].isdigit()
    return any(literal.startswith(rest) for literal in _LITERALS)


def _kind(value: object) -> str:
    if isinstance(value, Number):
        return "a number"
    if isinstance(value, list):
        return "a list"
    return "text" if isinstance(value, str) else repr(value)


def _document(data: bytes, stream: RowStream) -> Iterator[Row]:
    try:
        document = _DECODER.decode(data.decode().removeprefix("\ufeff"))
    except json.JSONDecodeError as fault:
        message = f"column {fault.colno} is not valid JSON ({fault.msg})"
        cut = fault.msg.startswith("Unterminated string") or not fault.doc[fault.pos :].strip()
        end = "; the JSON document is cut off" if cut else "; the file is read as one JSON document"
        raise _at_line(stream, message + end, fault.lineno) from None
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        message = f"byte 0x{data[fault.start]:02x} is not UTF-8; convert the file to UTF-8"
        raise _at_line(stream, message, line) from None
    except CellError as fault:
        raise stream.fault(str(fault)) from None
    except RecursionError:
        raise stream.fault("the values are nested too deeply to be read") from None
    for number, row in enumerate(_listed(document, stream), 1):
        if not isinstance(row, dict):
            raise stream.fault(f"this is {_kind(row)}, not a JSON object", number=number)
        yield number, row


def _at_line(stream: RowStream, message: str, line: int) -> InputError:
    return InputError(message, path=stream.name, line=line)


def _listed(document: Any, stream: RowStream) -> list[Any]:
    if isinstance(document, list):
        return document
    name = _container(document)
    if name is not None:
        left = [key for key in document if key != name]
        stream.notes.append(
            f"the rows were read from the list {name!r} of the JSON document"
            + (f"; not read: {', '.join(map(repr, left))}" if left else "")
        )
        stream.planned = planned_rows({key: document[key] for key in left})
        rows: list[Any] = document[name]
        return rows
    if _is_row(document):
        return [document]
    raise stream.fault(
        f"the JSON document holds no list of rows under {', '.join(_CONTAINERS)}; its keys are "
        f"{', '.join(map(repr, document)) or 'none'}; logs of other tools are brought in with "
        "`evalkit import`"
    )
