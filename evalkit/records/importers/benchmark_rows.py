"""Rows of benchmark files, in whatever container they come: JSON, JSON Lines, CSV or Parquet."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from evalkit.errors import EvalkitError, InputError
from evalkit.records.importers.files import Place, head, jsonable, read_json_lines
from evalkit.records.jsonl import _DECODER
from evalkit.records.raw import read_rows
from evalkit.records.values import CellError

__all__ = ["first_names", "flat", "listed", "stem", "table_rows"]

_SUFFIXES = frozenset({".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet", ".gz", ".zst"})
_KEY = re.compile(rb'"((?:[^"\\]|\\.){1,60})"\s*:')


def stem(path: Path) -> str:
    """Return the name of a file without its suffixes; dots inside the name stay.

    Examples
    --------
    >>> stem(Path("a/gpt-4.1.jsonl.gz"))
    'gpt-4.1'
    """
    name = path
    while name.suffix.lower() in _SUFFIXES:
        name = Path(name.stem)
    return name.name


def first_names(path: Path) -> frozenset[str]:
    """Return the columns of a table, or the keys of its first row; empty where there is none.

    Notes
    -----
    It reads the beginning of the file only and never raises. Of a first row that is longer than
    the beginning, all keys that are seen count, nested ones too.
    """
    if not path.is_file():
        return frozenset()
    start = head(path).removeprefix(b"\xef\xbb\xbf").lstrip()
    with suppress(EvalkitError, OSError, ValueError, CellError, RecursionError):
        if start.startswith(b"PAR1"):
            import pyarrow.parquet as pq

            return frozenset(map(str, pq.read_schema(path).names))
        if start.startswith((b"{", b"[")):
            return _json_names(start)
        line = start.partition(b"\n")[0].decode().strip("\r")
        return frozenset(name.strip('"') for name in re.split("[,;\t]", line))
    return frozenset()


def _json_names(start: bytes) -> frozenset[str]:
    text = start.decode(errors="ignore")
    at = text.find("{")
    if text.startswith("[") and text[1:].lstrip()[:1] != "{":
        return frozenset()
    try:
        row, _ = _DECODER.raw_decode(text, at)
    except json.JSONDecodeError:
        return frozenset(key.decode(errors="replace") for key in _KEY.findall(start))
    return frozenset(row) if isinstance(row, dict) else frozenset()


def table_rows(path: Path, notes: list[str]) -> Iterator[tuple[Place, Mapping[str, Any]]]:
    """Yield the rows of a file with their places, adding what was left out to `notes`.

    Raises
    ------
    InputError
        The file cannot be read.
    """
    place = Place(path=str(path))
    start = head(path, size=64).removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith((b"{", b"[")):
        for number, row in read_json_lines(path, notes):
            yield place.at(line=number), row
        return
    found = read_rows(path)
    notes += found.notes
    for number, row in enumerate(found.rows, 1):
        yield place.at(line=number), row


def listed(path: Path, *patterns: str) -> list[Path]:
    """Return the files of a folder that match, or the file itself.

    Raises
    ------
    InputError
        The folder holds none.
    """
    if not path.is_dir():
        return [path]
    found = sorted({each for pattern in patterns for each in path.rglob(pattern)})
    found = [each for each in found if each.is_file()]
    if not found:
        raise InputError(f"the folder holds no {' or '.join(patterns)}", path=str(path))
    return found


def flat(value: Any) -> str | None:
    """Return a text as it is, and anything else as JSON text; ``None`` where it is missing.

    Examples
    --------
    >>> flat("a"), flat([{"role": "user"}]), flat(None)
    ('a', '[{"role": "user"}]', None)
    """
    if value is None or type(value) is str:
        return value
    plain = jsonable(value.tolist() if hasattr(value, "tolist") else value)
    return plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)
