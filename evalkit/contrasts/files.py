"""The files of a contrast set: a private key, and what graders see."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from evalkit.contrasts.blinding import Blinded, Key, key_row
from evalkit.contrasts.building import ContrastSet
from evalkit.errors import FileMissingError, InputError
from evalkit.grading.grading_rows import read_table

__all__ = [
    "KEY_FILE",
    "PAIRS_FILE",
    "RESPONSES_FILE",
    "SUMMARY_FILE",
    "read_key",
    "write_contrasts",
]

KEY_FILE = "contrasts.jsonl"
PAIRS_FILE = "blinded.jsonl"
RESPONSES_FILE = "blinded_responses.jsonl"
SUMMARY_FILE = "families.json"


def _write(path: Path, text: str) -> None:
    """Write a file under its name as a whole."""
    draft = path.with_name(f".{path.name}.part")
    draft.write_bytes(text.encode("ascii"))
    draft.replace(path)


def _lines(rows: Iterable[dict[str, Any]]) -> str:
    return "".join(f"{json.dumps(row, ensure_ascii=True, allow_nan=False)}\n" for row in rows)


def write_contrasts(
    contrast_set: ContrastSet, blinded: Blinded, folder: str | os.PathLike[str]
) -> tuple[Path, ...]:
    """Write a contrast set.

    Parameters
    ----------
    contrast_set : ContrastSet
        The set.
    blinded : Blinded
        Its presentation.
    folder : path
        Made where it is missing.

    Returns
    -------
    tuple of Path
        ``contrasts.jsonl`` (the private key), ``blinded.jsonl`` (pairs),
        ``blinded_responses.jsonl`` (responses one by one), ``families.json`` (counts, and what
        was not applicable and why).

    Notes
    -----
    Equal sets give equal bytes: ASCII with escapes, so every text survives.
    """
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise FileMissingError(f"{target}: is a file; name a folder to write to") from None
    summary = {
        "seed": contrast_set.seed,
        "families": contrast_set.to_dicts(),
        "notes": list(contrast_set.notes),
    }
    texts = {
        KEY_FILE: _lines(row.to_dict() for row in blinded.key.rows),
        PAIRS_FILE: _lines(pair.to_dict() for pair in blinded.pairs),
        RESPONSES_FILE: _lines(response.to_dict() for response in blinded.responses),
        SUMMARY_FILE: json.dumps(summary, indent=2, allow_nan=False) + "\n",
    }
    for name, text in texts.items():
        _write(target / name, text)
    return tuple(target / name for name in texts)


def read_key(path: str | os.PathLike[str]) -> Key:
    """Read the private key of a contrast set.

    Parameters
    ----------
    path : path
        ``contrasts.jsonl``, or the folder that holds it. Families without a contrast are known
        from ``families.json`` beside it.

    Raises
    ------
    FileMissingError
        If there is no such file.
    InputError
        If it is no key.
    """
    target = Path(path)
    target = target / KEY_FILE if target.is_dir() else target
    if not target.is_file():
        raise FileMissingError(
            f"{target}: there is no such key; `evalkit contrasts build` writes it"
        )
    rows = []
    for number, cells in enumerate(read_table(target).rows, start=1):
        try:
            rows.append(key_row(cells))
        except InputError as error:
            raise InputError(str(error), path=str(target), line=number) from None
    return Key(rows=tuple(rows), families=_families(target, [r.contrast.family for r in rows]))


def _families(target: Path, found: list[str]) -> tuple[str, ...]:
    beside = target.with_name(SUMMARY_FILE)
    asked: list[str] = []
    if beside.is_file():
        try:
            document = json.loads(beside.read_text(encoding="utf-8"))
            asked = [str(row["family"]) for row in document["families"]]
        except (ValueError, KeyError, TypeError):
            raise InputError("is not the summary that was written", path=str(beside)) from None
    return tuple(dict.fromkeys([*asked, *found]))
