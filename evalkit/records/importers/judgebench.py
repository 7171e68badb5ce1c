"""JudgeBench: pairs with an objectively better answer, and judgments of them in both orders."""

from __future__ import annotations

import re
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
from evalkit.records.importers.benchmark_rows import first_names, flat, listed, table_rows
from evalkit.records.importers.files import Place
from evalkit.records.importers.tables import named

__all__ = ["FORMAT"]

_NAME = "judgebench"
_DECISIONS = ("A>B", "B>A", "A=B")
_GROUPS = (
    ("mmlu", "Knowledge"),
    ("livebench-reasoning", "Reasoning"),
    ("livebench-math", "Math"),
    ("livecodebench", "Coding"),
)
_TIES_HIDE_UNPARSED: Mapping[str, re.Pattern[str]] = {
    "judge_lm": re.compile(r"\s*(-?\d+(?:\.\d+)?)[\s,]+(-?\d+(?:\.\d+)?)\s*(?:\n|\Z)"),
    "panda_lm": re.compile(r"\s*(?:tie|0)\s*(?:\n|\Z)", re.IGNORECASE),
}
"""Judges for which the benchmark records a reply it cannot read as ``A=B``; what a real tie is."""


def detects(path: Path) -> bool:
    """Whether a file holds JudgeBench pairs or judgments."""
    names = first_names(path)
    return {"pair_id", "response_A", "response_B", "label"} <= names


def _category(source: str | None) -> str | None:
    return next((group for start, group in _GROUPS if (source or "").startswith(start)), None)


class _Reader:
    """Rows under way."""

    def __init__(self) -> None:
        self.pairs: list[Row] = []
        self.judgments: list[Row] = []
        self.drops: list[tuple[str, str]] = []
        self.absent: list[str] = []
        self.unparsed: list[str] = []
        self.hidden: list[str] = []

    def add(self, place: Place, row: Mapping[str, Any]) -> None:
        pair = place.ident(row.get("pair_id"), "`pair_id`")
        place = place.at(item=pair)
        source = place.text(row.get("source"), "`source`")
        base = {
            "pair_id": pair,
            "original_id": place.text(row.get("original_id"), "`original_id`"),
            "source": source,
            "category": _category(source),
            "response_model": place.text(row.get("response_model"), "`response_model`"),
            "label": place.text(row.get("label"), "`label`"),
        }
        texts = {
            "prompt": flat(row.get("question")),
            "response_a": flat(row.get("response_A")),
            "response_b": flat(row.get("response_B")),
        }
        if "judgments" not in row:
            self.pairs.append({**base, "cluster": source, **texts})
            return
        found = place.listing(row["judgments"], "`judgments`")
        name = place.text(row.get("judge_name"), "`judge_name`") or ""
        if len(found) > 2:
            self.drops.append(("a third judgment of one pair", f"pair {pair}"))
        fields: dict[str, Any] = {}
        for order in (1, 2):
            entry = found[order - 1] if len(found) >= order else None
            fields |= self._order(place, name, entry, order)
        self.judgments.append({**base, "judge_name": name, **_with_model(found), **fields})

    def _order(self, place: Place, name: str, entry: Any, order: int) -> dict[str, Any]:
        where = f"{place.item} (order {order})"
        columns = (f"decision_order{order}", f"status_order{order}")
        if entry is None:
            self.absent.append(where)
            return dict(zip(columns, (None, "missing"), strict=True))
        entry = place.mapping(entry, "the judgment")
        decision = place.text(entry.get("decision"), "`decision`")
        held = entry.get("judgment")
        detail = held if isinstance(held, Mapping) else {}
        if decision is not None and decision not in _DECISIONS:
            raise place.fault(f"`decision` is {decision!r}; allowed are {', '.join(_DECISIONS)}")
        if decision == "A=B" and _hides(name, detail):
            self.hidden.append(where)
            decision = None
        if decision is None:
            self.unparsed.append(where)
        status = "judge_error" if decision is None else "scored"
        return dict(zip(columns, (decision, status), strict=True)) | _scores(place, detail, order)


def _with_model(found: list[Any]) -> dict[str, Any]:
    for entry in found:
        held = entry.get("judgment") if isinstance(entry, Mapping) else None
        if isinstance(held, Mapping) and held.get("judge_model") is not None:
            return {"judge_model": flat(held["judge_model"])}
    return {"judge_model": None}


def _hides(name: str, detail: Mapping[str, Any]) -> bool:
    """Return whether a tie stands for a reply that could not be read."""
    real = _TIES_HIDE_UNPARSED.get(name)
    reply = detail.get("response")
    return real is not None and isinstance(reply, str) and real.match(reply) is None


def _scores(place: Place, detail: Mapping[str, Any], order: int) -> dict[str, Any]:
    """Return the scores of a reward model, of the answers as they were shown."""
    scores = detail.get("scores")
    if not isinstance(scores, list) or len(scores) != 2:
        return {}
    names = (f"first_score_order{order}", f"second_score_order{order}")
    return {n: place.number(s, "`scores`") for n, s in zip(names, scores, strict=True)}


def load(path: Path) -> Imported:
    """Read pairs, or judgments in both orders."""
    notes: list[str] = []
    reader = _Reader()
    files = listed(path, "*.jsonl")
    for file in files:
        for place, row in table_rows(file, notes):
            reader.add(place, row)
    if reader.judgments:
        notes.append(
            "order 2 shows the answers swapped and is kept as displayed (A is the answer shown "
            "first); `agreement` flips it"
        )
    for names, what in (
        (reader.unparsed, "judgments hold no decision: judge_error, not a tie"),
        (reader.hidden, "of these are recorded as A=B, though the reply is no tie"),
        (reader.absent, "judgments are absent: missing"),
    ):
        if names:
            notes.append(f"{len(names)} {what} ({named(names)})")
    return Imported(
        format=_NAME,
        sources=tuple(map(str, files)),
        tables=filled({"judgments": reader.judgments, "pairs": reader.pairs}),
        dropped=summarise_drops(reader.drops),
        notes=tuple(notes),
    )


FORMAT = LogFormat(
    name=_NAME,
    title="JudgeBench pairs, or judgments of them in both orders (JSON Lines)",
    detects=detects,
    load=load,
)
