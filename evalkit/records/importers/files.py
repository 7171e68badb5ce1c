"""Files of logs: JSON documents and JSON Lines, bounded, with faults that name their place."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from evalkit.errors import EvalkitError, InputError
from evalkit.records.compression import blocks, split_lines, utf8_blocks
from evalkit.records.jsonl import _DECODER, json_rows
from evalkit.records.stream import RowStream
from evalkit.records.values import CellError, Number, id_text, is_missing, plain_text, score_value

__all__ = [
    "LIMIT",
    "Ids",
    "Place",
    "decode_json",
    "head",
    "jsonable",
    "peek_json",
    "read_bytes",
    "read_json",
    "read_json_lines",
]

LIMIT = 1 << 29
"""Most decompressed bytes of one document; a larger one is refused rather than held in memory."""
_HEAD = 1 << 16
_CONTAINERS = (Mapping, list, tuple, set, frozenset)
_LONGEST_INT = 18


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where in a log something stands, and the checks that name it.

    Attributes
    ----------
    path : str
        File or folder.
    line : int, optional
        Physical line.
    item : str, optional
        Item id.
    """

    path: str
    line: int | None = None
    item: str | None = None

    def at(self, *, line: int | None = None, item: str | None = None) -> Place:
        """Return the same file at a line or item."""
        return replace(self, line=self.line if line is None else line, item=item or self.item)

    def fault(self, message: str) -> InputError:
        """Return the error that names this place."""
        return InputError(message, path=self.path, line=self.line, item=self.item)

    def mapping(self, value: Any, what: str) -> Mapping[str, Any]:
        """Return `value`, which must be an object."""
        if not isinstance(value, Mapping):
            raise self.fault(f"{what} is {_kind(value)}; it must be an object")
        return value

    def listing(self, value: Any, what: str) -> list[Any]:
        """Return `value`, which must be a list."""
        if not isinstance(value, list):
            raise self.fault(f"{what} is {_kind(value)}; it must be a list")
        return value

    def number(self, value: Any, what: str) -> float | None:
        """Return a number; ``None`` where it is missing, infinite or said to be unavailable."""
        found = self._score(value, what)
        return found if math.isfinite(found) else None

    def _single(self, value: Any, what: str) -> None:
        """Refuse a container, without printing what may be shared without end."""
        if isinstance(value, _CONTAINERS) and value:
            raise self.fault(f"{what} is {_kind(value)}; a single value belongs here")

    def _score(self, value: Any, what: str) -> float:
        self._single(value, what)
        try:
            return score_value(value)
        except CellError:
            raise self.fault(
                f"{what} is {_kind(value)}; it must be a number, or true, false, null"
            ) from None

    def whole(self, value: Any, what: str) -> int | None:
        """Return a whole number; ``None`` where it is missing."""
        if is_missing(value):
            return None
        self._single(value, what)
        text = str(value)
        if isinstance(value, bool) or len(text) > _LONGEST_INT:
            raise self.fault(f"{what} is {text[:40]!r}; it must be a whole number")
        try:
            found = float(text)
        except ValueError:
            raise self.fault(f"{what} is {text[:40]!r}; it must be a whole number") from None
        if not found.is_integer():
            raise self.fault(f"{what} is {text[:40]!r}; it must be a whole number")
        return int(found)

    def score(self, value: Any, what: str = "the score") -> tuple[float | None, str]:
        """Return a score with its status: scored, missing, or invalid where it is infinite."""
        found = self._score(value, what)
        if math.isnan(found):
            return None, "missing"
        return (found, "scored") if math.isfinite(found) else (None, "invalid")

    def ident(self, value: Any, what: str = "the id") -> str:
        """Return an id as text, exactly as written."""
        self._single(value, what)
        try:
            return id_text(value)
        except CellError as fault:
            raise self.fault(f"{what}: {fault}") from None

    def text(self, value: Any, what: str) -> str | None:
        """Return a single value as text; ``None`` where it is missing."""
        self._single(value, what)
        try:
            return plain_text(value)
        except CellError as fault:
            raise self.fault(f"{what}: {fault}") from None


@dataclass(slots=True)
class Ids:
    """Ids of one log as text; one that is a number here and a text there is refused."""

    numeric: dict[str, bool] = field(default_factory=dict)

    def take(self, value: Any, place: Place, what: str = "the id") -> str:
        """Return an id as text, exactly as written."""
        text = place.ident(value, what)
        number = isinstance(value, (int, Number))
        if self.numeric.setdefault(text, number) != number:
            raise place.at(item=text).fault(
                f"{what} stands as a number and as text; ids are compared as text, so it would be "
                "one item: rename one of the two"
            )
        return text


def _kind(value: Any) -> str:
    if value is None:
        return "missing"
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, _CONTAINERS):
        return f"a {type(value).__name__}"
    return f"{str(value)[:40]!r}"


def read_bytes(path: Path, *, limit: int = LIMIT) -> bytes:
    """Return the bytes of a file, decompressed.

    Parameters
    ----------
    path : Path
        Plain, gzip or zstd.
    limit : int
        Most bytes.

    Raises
    ------
    InputError
        The file cannot be read, or holds more.
    """
    found = bytearray()
    for block in blocks(path):
        found += block
        if len(found) > limit:
            raise InputError(
                f"the document has more than {limit:,} bytes and would not fit into memory; "
                "split the log",
                path=str(path),
            )
    return bytes(found)


def decode_json(data: bytes, name: str) -> Any:
    """Parse one JSON document; numbers keep the form they were written in.

    Raises
    ------
    InputError
        The text is not JSON, names a key twice, or is nested too deeply.
    """
    try:
        text = b"".join(utf8_blocks(iter((data,)))).decode()
        return _DECODER.decode(text.strip("\0"))
    except json.JSONDecodeError as fault:
        cut = fault.msg.startswith("Unterminated string") or not fault.doc[fault.pos :].strip()
        end = "; the document is cut off" if cut else ""
        message = f"column {fault.colno} is not valid JSON ({fault.msg}){end}"
        raise InputError(message, path=name, line=fault.lineno) from None
    except UnicodeDecodeError as fault:
        message = f"byte {fault.start} is not UTF-8; convert the file to UTF-8"
        raise InputError(message, path=name) from None
    except CellError as fault:
        raise InputError(str(fault), path=name) from None
    except RecursionError:
        raise InputError("the values are nested too deeply to be read", path=name) from None


def read_json(path: Path) -> Any:
    """Return the JSON document of a file.

    Raises
    ------
    InputError
        The file cannot be read as one.
    """
    return decode_json(read_bytes(path), str(path))


def read_json_lines(path: Path, notes: list[str]) -> list[tuple[int, Mapping[str, Any]]]:
    """Return the rows of a JSON Lines file with their lines; a last line cut off is noted."""
    stream = RowStream(name=str(path), rows=iter(()))
    try:
        rows = list(json_rows(split_lines(utf8_blocks(_bounded(path))), stream))
    except UnicodeError as fault:
        raise InputError(f"the text cannot be decoded ({fault})", path=str(path)) from None
    notes += [note if str(path) in note else f"{path}: {note}" for note in stream.notes]
    return rows


def _bounded(path: Path) -> Iterator[bytes]:
    size = 0
    for block in blocks(path):
        size += len(block)
        if size > LIMIT:
            raise InputError(f"the file has more than {LIMIT:,} bytes", path=str(path))
        yield block


def head(path: Path, *, size: int = _HEAD) -> bytes:
    """Return the first decompressed bytes of a file, empty where it cannot be read."""
    found = b""
    with suppress(EvalkitError, OSError):
        for block in blocks(path):
            found += block
            if len(found) >= size:
                break
    return found[:size]


def peek_json(path: Path, *, limit: int = 1 << 26) -> Any:
    """Return the JSON document of a small file, ``None`` where there is none; never raise."""
    with suppress(EvalkitError, OSError):
        if not _is_lines(head(path)):
            return decode_json(read_bytes(path, limit=limit), str(path))
    return None


def _is_lines(start: bytes) -> bool:
    """Whether bytes begin with one whole object and another line, as JSON Lines do."""
    line, newline, rest = start.lstrip(b"\xef\xbb\xbf \r\n\t").partition(b"\n")
    if not newline or not rest.strip() or not line.strip().endswith(b"}"):
        return False
    with suppress(EvalkitError):
        return isinstance(decode_json(line, "line"), Mapping)
    return False


def jsonable(value: Any) -> Any:
    """Return `value` with its numbers as numbers; those that are not finite are text.

    Examples
    --------
    >>> jsonable({"n": Number("3"), "scores": [Number("0.50"), float("nan")]})
    {'n': 3, 'scores': [0.5, None]}
    """
    if isinstance(value, Mapping):
        return {str(key): jsonable(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [jsonable(each) for each in value]
    if isinstance(value, Number):
        plain = value.lstrip("+-").isdecimal() and len(value) <= _LONGEST_INT
        number = int(value) if plain else float(value)
        return number if math.isfinite(number) else str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
