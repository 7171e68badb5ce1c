"""AlpacaEval: preferences of an annotator between a baseline and a system."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evalkit.records.importers.base import Imported, LogFormat, Row
from evalkit.records.importers.benchmark_rows import first_names, listed, stem, table_rows
from evalkit.records.importers.files import Place
from evalkit.records.importers.tables import VerdictRows, named, status_note

__all__ = ["FORMAT"]

_NAME = "alpaca-eval"
_DRAWS = (0.0, 1.5)
_HASH = 16


def detects(path: Path) -> bool:
    """Whether a path holds AlpacaEval annotations."""
    if path.is_dir():
        first = next(iter(sorted(path.rglob("annotations.json"))), None)
        return first is not None and detects(first)
    names = first_names(path)
    return {"generator_1", "generator_2", "preference"} <= names


def _item(place: Place, row: Mapping[str, Any], seen: dict[str, int]) -> str:
    """Return an id that is the same in every file: a hash of the instruction."""
    text = place.text(row.get("instruction"), "`instruction`")
    if text is None:
        raise place.fault("the annotation has no `instruction` to know the item by")
    data = place.text(row.get("dataset"), "`dataset`") or ""
    key = hashlib.sha256(f"{data}\0{text}".encode("utf-8", "replace")).hexdigest()[:_HASH]
    seen[key] = seen.get(key, 0) + 1
    return key if seen[key] == 1 else f"{key}#{seen[key]}"


def _preference(place: Place, value: Any) -> tuple[float | None, str]:
    """Return the credit of the system and the status."""
    score, status = place.score(value, "`preference`")
    if score is None:
        return None, "judge_error" if status == "missing" else status
    if score in _DRAWS:
        return 0.5, "scored"
    if not 1 <= score <= 2:
        return None, "invalid"
    return score - 1, "scored"


def load(path: Path) -> Imported:
    """Read annotations of one system, or of a folder of systems."""
    notes: list[str] = []
    rows = VerdictRows()
    judged: list[Row] = []
    files = listed(path, "annotations.json")
    repeated: list[str] = []
    odd: list[str] = []
    for file in files:
        seen: dict[tuple[str, str], dict[str, int]] = {}
        for place, row in table_rows(file, notes):
            base = place.text(row.get("generator_1"), "`generator_1`") or "baseline"
            system = place.text(row.get("generator_2"), "`generator_2`") or stem(file)
            judge = place.text(row.get("annotator"), "`annotator`") or ""
            item = _item(place, row, seen.setdefault((system, judge), {}))
            repeated += [item] if "#" in item else []
            credit, status = _preference(place.at(item=item), row.get("preference"))
            odd += [item] if status == "invalid" else []
            extra = {"baseline": base, "dataset": place.text(row.get("dataset"), "`dataset`")}
            rows.add(
                system=system, item=item, score=credit, status=status, verifier=judge, extra=extra
            )
            judged.append(
                {
                    "pair_id": item,
                    "grader": judge,
                    "model_a": base,
                    "model_b": system,
                    "winner": _word(credit),
                    "preference_b": credit,
                }
            )
    verdicts, dropped = rows.finish(notes)
    notes.append(
        "the score is the preference for the system against the baseline, 0 to 1; a draw is 1/2; "
        "items are named by a hash of dataset and instruction, since files number them differently"
    )
    notes += status_note(verdicts, counted_as="nothing: they are left out of its win rate")
    for names, what in (
        (repeated, "instructions occur again in one file and are named HASH#2"),
        (odd, "preferences lie outside 1 to 2 and are invalid"),
    ):
        if names:
            notes.append(f"{len(names)} {what} ({named(names)})")
    return Imported(
        format=_NAME,
        sources=tuple(map(str, files)),
        tables={"verdicts": verdicts, "judgments": tuple(judged)},
        dropped=dropped,
        notes=tuple(notes),
    )


def _word(credit: float | None) -> str | None:
    if credit is None:
        return None
    return "tie" if credit == 0.5 else "model_b" if credit > 0.5 else "model_a"


FORMAT = LogFormat(
    name=_NAME,
    title="AlpacaEval annotations.json, or a folder of them",
    detects=detects,
    load=load,
)
