"""Read pairs back: from a file, or from a folder with a file for each split."""

from __future__ import annotations

import os
from pathlib import Path

from evalkit.errors import FileMissingError, InputError
from evalkit.pairs.formats import EXTRA, PairFormat, detect_format, from_row
from evalkit.pairs.pair import Pair
from evalkit.pairs.report import PairSet
from evalkit.records.raw import read_rows

__all__ = ["read_pairs"]

_SUFFIXES = (".jsonl", ".ndjson", ".parquet", ".jsonl.gz", ".jsonl.zst")


def _files(path: Path) -> list[Path]:
    """Files of pairs behind a path."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise FileMissingError(f"{path}: there is no such file or folder")
    data = path / "data" if (path / "data").is_dir() else path
    found = sorted(p for p in data.iterdir() if p.is_file() and p.name.endswith(_SUFFIXES))
    if not found:
        raise InputError("the folder holds no .jsonl or .parquet file of pairs", path=str(path))
    return found


def read_pairs(
    path: str | os.PathLike[str],
    *,
    format: PairFormat | None = None,  # noqa: A002
) -> PairSet:
    """Read pairs from a file or folder that :func:`export_pairs` or the format's own tools wrote.

    Parameters
    ----------
    path : path
        A file, or a folder with one for each split.
    format : {"judgebench", "rewardbench", "trl", "datasets"}, optional
        Told by the columns where it is not given.

    Returns
    -------
    PairSet
        Without a report. Pairs of one file of a folder that do not name a split get the name of
        the file where there are several. `sided` is False where the file does not say which output
        is shown as A; the better one is then A in every pair.

    Raises
    ------
    FileMissingError
        If there is nothing there.
    InputError
        If it is not a file of pairs.
    """
    files = _files(Path(os.fsdecode(path)))
    pairs: list[Pair] = []
    notes: list[str] = []
    skipped = unsided = 0
    for file in files:
        table = read_rows(file)
        notes += table.notes
        split = file.name.split(".")[0] if len(files) > 1 else None
        for number, row in enumerate(table.rows, 1):
            try:
                form = format or detect_format(row)
                pair = from_row(row, form, number=number, split=split)
            except InputError as cause:
                raise InputError(str(cause), path=str(file), line=number) from cause
            if pair is None:
                skipped += 1
                continue
            unsided += form in ("rewardbench", "trl") and row.get(EXTRA) is None
            pairs.append(pair)
    if skipped:
        notes.append(f"left out: {skipped} rows whose label prefers neither output")
    if unsided:
        notes.append(
            f"{unsided} rows do not say which output is shown as A; the better one is taken as A"
        )
    pairs.sort(key=lambda p: p.id)
    return PairSet(pairs=tuple(pairs), notes=tuple(notes), sided=not unsided)
