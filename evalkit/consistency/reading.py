"""Tables of a file, a folder of reported tables, a dataframe or rows, as they are printed."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from evalkit.consistency.grid import Grid, GridCell, make_grid
from evalkit.consistency.html import html_tables
from evalkit.consistency.latex import latex_cell, latex_tables
from evalkit.consistency.markdown import markdown_cell, markdown_tables
from evalkit.consistency.printed import parse_printed
from evalkit.errors import ArgumentError, FileMissingError, InputError

__all__ = ["read_grids"]

_LONG = ("row", "column", "reported")
_COMPRESSED = {".gz", ".zst", ".zstd"}
_READERS = {
    ".md": "markdown", ".markdown": "markdown", ".tex": "latex", ".ltx": "latex",
    ".html": "html", ".htm": "html", ".csv": "csv", ".tsv": "csv",
    ".jsonl": "rows", ".json": "rows", ".ndjson": "rows", ".parquet": "rows",
}  # fmt: skip


def read_grids(source: Any) -> tuple[Grid, ...]:
    """Read every table of a source.

    Parameters
    ----------
    source : path, dataframe or sequence of mappings
        CSV, TSV, Markdown, LaTeX, HTML, JSON Lines or Parquet, gzip or zstd; a folder of
        reported tables (``row,column,reported``); a dataframe; or rows.

    Returns
    -------
    tuple of Grid

    Raises
    ------
    FileMissingError
        There is no such file.
    InputError
        It holds no table.
    ArgumentError
        `source` is nothing that holds tables.
    """
    if isinstance(source, (str, os.PathLike)):
        return _of_path(Path(source))
    if isinstance(source, Sequence):
        if not all(isinstance(row, Mapping) for row in source):
            raise ArgumentError("`table` is a sequence; each row must be a mapping of column names")
        return (_of_rows("table", source),)
    from evalkit.records.frames import frame_columns

    columns = frame_columns(source)
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return (_of_rows("table", rows, names=list(columns)),)


def _of_path(path: Path) -> tuple[Grid, ...]:
    if path.is_dir():
        found = [g for p in sorted(path.glob("*.csv"), key=_natural) for g in _reported(p)]
        if not found:
            raise FileMissingError(
                f"{path} holds no file with the header {','.join(_LONG)}; name a table instead"
            )
        return tuple(found)
    suffixes = [s.lower() for s in path.suffixes if s.lower() not in _COMPRESSED]
    kind = _READERS.get(suffixes[-1] if suffixes else "")
    if kind == "rows":
        from evalkit.records.raw import read_rows

        return (_of_rows(path.name, read_rows(path).rows),)
    text = _text(path)
    if kind is None:
        kind = _kind_of(text)
    grids = _parsed(text, kind, path)
    if not grids:
        raise InputError(
            "no table was found; allowed are CSV, TSV, Markdown pipe tables, LaTeX tabulars "
            "and HTML tables",
            path=str(path),
        )
    return grids


def _natural(path: Path) -> list[tuple[int, str]]:
    parts = re.findall(r"\d+|\D+", path.stem)
    return [(int(p), "") if p.isdecimal() else (-1, p) for p in parts]


def _text(path: Path) -> str:
    from evalkit.records.compression import blocks

    data = b"".join(blocks(path))
    encoding = "utf-16" if data[:2] in {b"\xff\xfe", b"\xfe\xff"} else "utf-8-sig"
    if encoding != "utf-16" and b"\0" in data:
        raise InputError(
            f"this is not a text file: it begins with {data[:16]!r}; name a CSV, Markdown, LaTeX "
            "or HTML table",
            path=str(path),
        )
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as cause:
        raise InputError(
            f"the file is not {encoding.removesuffix('-sig')} text ({cause}); convert it",
            path=str(path),
        ) from cause


def _kind_of(text: str) -> str:
    if re.search(r"\\begin\{(tabular|longtable)", text):
        return "latex"
    if re.search(r"<table\b", text, re.IGNORECASE):
        return "html"
    return "markdown" if re.search(r"^\s*\|?[\s:|-]*-[\s:|-]*\|", text, re.MULTILINE) else "csv"


def _parsed(text: str, kind: str, path: Path) -> tuple[Grid, ...]:
    if kind == "markdown":
        return tuple(_renamed([*markdown_tables(text), *html_tables(text)]))
    if kind == "latex":
        return tuple(_renamed(latex_tables(text)))
    if kind == "html":
        return tuple(_renamed(html_tables(text)))
    return tuple(_of_csv(text, path))


def _renamed(grids: Iterable[Grid]) -> Iterator[Grid]:
    """Give tables of one name their numbers, so that a cell has one address."""
    from dataclasses import replace

    seen: dict[str, int] = {}
    for grid in grids:
        seen[grid.name] = seen.get(grid.name, 0) + 1
        again = seen[grid.name]
        yield grid if again == 1 else replace(grid, name=f"{grid.name} ({again})")


def _fields(text: str, path: Path) -> list[tuple[int, list[str]]]:
    from evalkit.records.csv_rows import long_fields

    first = next((line for line in text.splitlines() if line.strip()), "")
    separator = max(",\t;", key=first.count)
    out = []
    with long_fields():
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        try:
            out = [(reader.line_num, row) for row in reader if any(map(str.strip, row))]
        except csv.Error as cause:
            raise InputError(
                f"the row is not valid CSV ({cause})", path=str(path), line=reader.line_num
            ) from cause
    return out


def _of_csv(text: str, path: Path) -> Iterator[Grid]:
    lines = _fields(text, path)
    if not lines:
        raise InputError("the file is empty; a table needs a header", path=str(path))
    header = [name.strip() for name in lines[0][1]]
    if tuple(header) == _LONG:
        yield _pivot(path.stem, [row for _, row in lines[1:]])
        return
    rows = []
    for line, row in lines[1:]:
        if len(row) > len(header) and any(field.strip() for field in row[len(header) :]):
            raise InputError(
                f"{len(row)} fields under {len(header)} headings; quote fields with commas",
                path=str(path),
                line=line,
            )
        rows.append([_text_cell(field.strip()) for field in row[: len(header)]])
    yield make_grid(path.name, header, rows)


def _text_cell(text: str) -> GridCell:
    """Read a cell that may carry the marks of LaTeX or Markdown."""
    if re.search(r"\$.*\$|\\[a-zA-Z%]", text):
        return latex_cell(text)
    return markdown_cell(text) if "**" in text else GridCell(text=text)


def _reported(path: Path) -> Iterator[Grid]:
    """Yield a study's reported table; files with another header are left alone."""
    lines = _fields(_text(path), path)
    if lines and tuple(name.strip() for name in lines[0][1]) == _LONG:
        yield _pivot(path.stem, [row for _, row in lines[1:]])


def _pivot(name: str, triples: Sequence[Sequence[str]]) -> Grid:
    """Lay long rows out as the table they were taken from."""
    columns = list(dict.fromkeys(t[1] for t in triples if len(t) == len(_LONG)))
    rows: dict[str, dict[str, str]] = {}
    for row, column, text in (t for t in triples if len(t) == len(_LONG)):
        rows.setdefault(row, {})[column] = text
    cells = [
        [GridCell(text=label), *(GridCell(text=found.get(c, "")) for c in columns)]
        for label, found in rows.items()
    ]
    return make_grid(name, ["row", *columns], cells)


def _of_rows(
    name: str, rows: Sequence[Mapping[str, Any]], *, names: Sequence[str] | None = None
) -> Grid:
    """Lay out rows of values; floats of one column are shown to its most decimals."""
    columns = list(names or dict.fromkeys(str(key) for row in rows for key in row))
    if not columns:
        raise InputError("the table has no columns")
    texts = {c: _column_texts([row.get(c) for row in rows]) for c in columns}
    floats = [
        c
        for c in columns
        if any(isinstance(row.get(c), float) for row in rows) and any("." in t for t in texts[c])
    ]
    notes = []
    if floats:
        notes.append(
            "numbers came as floats, so trailing zeros are lost: each column is read to the most "
            f"decimals it shows ({', '.join(floats)}); pass text to keep the printed digits"
        )
    cells = [[GridCell(text=texts[c][i]) for c in columns] for i in range(len(rows))]
    return make_grid(name, columns, cells, notes=notes)


def _column_texts(values: Sequence[Any]) -> list[str]:
    texts = []
    for value in values:
        missing = value is None or value != value  # noqa: PLR0124
        texts.append("" if missing else str(value))
    if not any(isinstance(value, float) for value in values):
        return texts
    # A column with missing cells turns counts into floats; whole numbers are counts again.
    kept = [v for v, t in zip(values, texts, strict=True) if t]
    if all(isinstance(v, (int, float)) and float(v).is_integer() for v in kept):
        return [str(int(v)) if t else "" for v, t in zip(values, texts, strict=True)]
    numbers = [parse_printed(text) for text in texts]
    most = max((p.digits for p in numbers if p is not None and not p.double), default=0)
    return [
        text
        if p is None or p.double
        else f"{text}{'' if '.' in text else '.'}" + "0" * (most - p.digits)
        for text, p in zip(texts, numbers, strict=True)
    ]
