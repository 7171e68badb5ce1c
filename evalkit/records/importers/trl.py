"""Preference data as TRL and the Hugging Face hub hold them: prompt, chosen, rejected."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evalkit.records.importers.base import (
    Imported,
    LogFormat,
    Row,
    filled,
    summarise_drops,
)
from evalkit.records.importers.benchmark_rows import first_names, flat, table_rows
from evalkit.records.importers.files import Place
from evalkit.records.importers.tables import named

__all__ = ["FORMAT"]

_NAME = "trl"
_IDS = ("pair_id", "id", "prompt_id", "uid")
_REWARDBENCH = {"subset", "chosen_model", "rejected_model", "scores_chosen", "num_correct"}
_SCORES = (("score_chosen", "score_rejected"), ("chosen_score", "rejected_score"))


def detects(path: Path) -> bool:
    """Whether a file holds chosen and rejected answers."""
    names = first_names(path)
    return {"chosen", "rejected"} <= names and not names & _REWARDBENCH


def _ident(place: Place, row: Mapping[str, Any], seen: set[str], repeats: list[str]) -> str:
    key = next((name for name in _IDS if row.get(name) is not None), None)
    if key is not None:
        item = place.ident(row[key], f"`{key}`")
    else:
        text = "\0".join(str(flat(row.get(name))) for name in ("prompt", "chosen", "rejected"))
        item = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
    name, number = item, 2
    while name in seen:
        name, number = f"{item}#{number}", number + 1
    if name != item:
        repeats.append(item)
    seen.add(name)
    return name


def load(path: Path) -> Imported:
    """Read preference pairs."""
    notes: list[str] = []
    drops: list[tuple[str, str]] = []
    repeats: list[str] = []
    seen: set[str] = set()
    pairs: list[Row] = []
    judged: list[Row] = []
    for place, row in table_rows(path, notes):
        chosen, rejected = flat(row.get("chosen")), flat(row.get("rejected"))
        if chosen is None or rejected is None:
            drops.append(("lacks the chosen or the rejected answer", f"line {place.line}"))
            continue
        if chosen == rejected:
            drops.append(("has one text as chosen and as rejected", f"line {place.line}"))
            continue
        item = _ident(place, row, seen, repeats)
        here = place.at(item=item)
        pairs.append(
            {
                "pair_id": item,
                "cluster": here.text(row.get("source"), "`source`"),
                "prompt": flat(row.get("prompt")),
                "response_a": chosen,
                "response_b": rejected,
                "label": "A>B",
            }
        )
        names = next((pair for pair in _SCORES if set(pair) <= set(row)), None)
        if names is not None:
            a, b = (here.number(row[name], f"`{name}`") for name in names)
            judged.append({"pair_id": item, "label": "A>B", "score_a": a, "score_b": b})
    notes.append("A is the chosen answer in every pair; shuffle the sides before a judge sees them")
    if repeats:
        notes.append(f"{len(repeats)} pairs repeat an id and are named ID#2 ({named(repeats)})")
    return Imported(
        format=_NAME,
        sources=(str(path),),
        tables=filled({"judgments": judged, "pairs": pairs}),
        dropped=summarise_drops(drops),
        notes=tuple(notes),
    )


FORMAT = LogFormat(
    name=_NAME,
    title="preference pairs with prompt, chosen and rejected (TRL, Hugging Face)",
    detects=detects,
    load=load,
)
