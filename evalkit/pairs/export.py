"""Write pairs as JudgeBench, RewardBench or TRL rows, or as a folder for ``datasets``."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from evalkit import __version__
from evalkit.errors import ArgumentError, InputError
from evalkit.pairs.card import dataset_card
from evalkit.pairs.formats import PairFormat, to_row
from evalkit.pairs.pair import Pair
from evalkit.pairs.report import PairSet
from evalkit.records.compression import SUFFIXES, compressed
from evalkit.records.values import utf8_text
from evalkit.records.write import _atomic

__all__ = ["export_pairs"]

_LINES = (".jsonl", ".ndjson")
_NUMBERS = ("reference_a", "reference_b", "cue_a", "cue_b")


def _by_split(pairs: Sequence[Pair]) -> dict[str, list[Pair]]:
    found: dict[str, list[Pair]] = {}
    for pair in pairs:
        found.setdefault(pair.split or "pairs", []).append(pair)
    return found


def _write_lines(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    suffix = path.suffix.lower()
    with (
        _atomic(path) as handle,
        compressed(handle, suffix if suffix in SUFFIXES else None) as out,
    ):
        for row in rows:
            out.write(json.dumps(row, allow_nan=False).encode() + b"\n")


def _write_parquet(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    for row in rows:
        for name, cell in row.items():
            if isinstance(cell, str) and utf8_text(cell) != cell:
                raise InputError(
                    f"column {name!r} holds half a surrogate pair, which Parquet cannot; export to "
                    "'judgebench', or clean the text",
                    item=row["pair_id"],
                )
    schema = pa.schema(
        [(name, pa.float64() if name in _NUMBERS else pa.string()) for name in rows[0]]
    )
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(list(rows), schema=schema), buffer)
    with _atomic(path) as handle:
        handle.write(buffer.getbuffer())


def _clear_for(folder: Path, names: Sequence[str]) -> None:
    """Make a folder; refuse one with pairs in it that would not be replaced."""
    folder.mkdir(parents=True, exist_ok=True)
    inside = [*folder.glob("*.jsonl"), *folder.glob("data/*.parquet")]
    others = sorted(p.name for p in inside if p.name not in names)
    if others:
        raise ArgumentError(
            f"the folder {str(folder)!r} holds other pairs ({', '.join(others[:5])}); name an "
            "empty one, or remove them"
        )


def export_pairs(
    pairs: PairSet,
    path: str | os.PathLike[str],
    *,
    format: PairFormat,  # noqa: A002
) -> tuple[Path, ...]:
    r"""Write pairs in a format of other tools.

    Parameters
    ----------
    pairs : PairSet
        The pairs.
    path : path
        A file that ends in ``.jsonl`` (and ``.gz`` or ``.zst``) for all pairs, or a folder for a
        file for each split; always a folder for ``datasets``.
    format : {"judgebench", "rewardbench", "trl", "datasets"}
        JSON Lines with the columns of JudgeBench, RewardBench or TRL (prompt, chosen, rejected),
        or Parquet with a card for ``datasets.load_dataset``.

    Returns
    -------
    tuple of Path
        The files, the data first.

    Raises
    ------
    ArgumentError
        If the format is unknown, needs texts that are not there, or the folder holds other pairs.
    InputError
        If a text cannot be held.

    Notes
    -----
    What a format has no column for (`LOSSES`) stands in the column ``evalkit`` as JSON text, so
    that :func:`read_pairs` returns equal pairs. JSON is ASCII with escapes and holds any text.

    Examples
    --------
    >>> import tempfile
    >>> from evalkit.pairs import make_candidate, read_pairs
    >>> rows = [make_candidate(id=i, task="t", reference=r, output=o)
    ...         for i, r, o in [("x", 1, "Yes."), ("y", 0, "A longer answer.\n")]]
    >>> from evalkit.pairs.build import build_pairs
    >>> found = build_pairs(rows, cue="length")
    >>> folder = tempfile.mkdtemp()
    >>> [file.name for file in export_pairs(found, folder, format="trl")]
    ['pairs.jsonl']
    >>> read_pairs(folder).pairs == found.pairs
    True
    """
    if format not in get_args(PairFormat):
        allowed = ", ".join(get_args(PairFormat))
        raise ArgumentError(f"`format` is {format!r}; it must be one of {allowed}")
    target = Path(os.fsdecode(path))
    bare = Path(target.stem).suffix if target.suffix.lower() in SUFFIXES else target.suffix
    if format != "datasets" and bare.lower() in _LINES:
        _write_lines([to_row(pair, format) for pair in pairs], target)
        return (target,)
    if target.is_file() or bare.lower() in (*_LINES, ".parquet", ".json", ".csv"):
        what = "datasets needs a folder" if format == "datasets" else "write .jsonl, or a folder"
        raise ArgumentError(f"`path` is {str(target)!r}; {what}")
    parts = {
        split: [to_row(pair, format) for pair in members]
        for split, members in _by_split(pairs.pairs).items()
    }
    if format != "datasets":
        parts = parts or {"pairs": []}
        _clear_for(target, [f"{split}.jsonl" for split in parts])
        for split, rows in parts.items():
            _write_lines(rows, target / f"{split}.jsonl")
        return tuple(target / f"{split}.jsonl" for split in parts)
    return _export_folder(pairs, target, parts)


def _export_folder(
    pairs: PairSet, target: Path, parts: Mapping[str, Sequence[Mapping[str, Any]]]
) -> tuple[Path, ...]:
    names = {split: f"data/{split}.parquet" for split in parts}
    _clear_for(target, [f"{split}.parquet" for split in parts])
    (target / "data").mkdir(exist_ok=True)
    for split, rows in parts.items():
        _write_parquet(rows, target / names[split])
    with _atomic(target / "README.md") as handle:
        handle.write(dataset_card(pairs, names).encode("utf-8", "backslashreplace"))
    provenance = {
        "evalkit": __version__,
        "report": None if pairs.report is None else pairs.report.to_dict(),
    }
    with _atomic(target / "provenance.json") as handle:
        handle.write(json.dumps(provenance, indent=2, allow_nan=False).encode() + b"\n")
    files = [target / name for name in names.values()]
    return (*files, target / "README.md", target / "provenance.json")
