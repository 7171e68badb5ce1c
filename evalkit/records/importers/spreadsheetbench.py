"""SpreadsheetBench: one result for each instruction."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evalkit.records.importers.base import Imported, LogFormat
from evalkit.records.importers.benchmark_rows import first_names, flat, stem, table_rows
from evalkit.records.importers.files import Place
from evalkit.records.importers.tables import VerdictRows, mean, named, status_note

__all__ = ["FORMAT"]

_NAME = "spreadsheetbench"
_TIMEOUT = ("timeout", "timed out", "time out")
_CASES = ("test_case_results", "soft_restriction", "hard_restriction")


def detects(path: Path) -> bool:
    """Whether a file holds results of SpreadsheetBench."""
    names = first_names(path)
    scored = {"id", "instruction_type"} <= names
    return scored and bool({"result", *_CASES} & names)


def _result(place: Place, row: Mapping[str, Any]) -> tuple[float | None, str, float | None]:
    """Return the hard score, its status, and the share of test cases that passed."""
    cases = row.get("test_case_results")
    soft = None
    if isinstance(cases, list) and cases:
        soft = mean(place.number(each, "`test_case_results`") for each in cases)
    key = "result" if "result" in row else "hard_restriction"
    score, status = place.score(row.get(key), f"`{key}`")
    if score is None and soft is not None and key not in row:
        return float(soft == 1), "scored", soft
    if score is None and status == "missing" and row.get("error_msg"):
        text = str(flat(row["error_msg"])).casefold()
        status = "timeout" if any(word in text for word in _TIMEOUT) else "infra"
    if score is not None and not 0 <= score <= 1:
        return None, "invalid", soft
    return score, status, soft


def load(path: Path) -> Imported:
    """Read results."""
    notes: list[str] = []
    rows = VerdictRows()
    crashed: list[str] = []
    for place, row in table_rows(path, notes):
        if row.get("id") is None:
            rows.drops.append(("has no id", f"row {place.line}"))
            continue
        item = place.ident(row["id"], "`id`")
        here = place.at(item=item)
        score, status, soft = _result(here, row)
        success = here.text(row.get("success"), "`success`")
        if status == "scored" and not score and (success or "").casefold() in {"false", "0"}:
            crashed.append(item)
        rows.add(
            system=here.text(row.get("model"), "`model`") or stem(path),
            item=item,
            score=score,
            status=status,
            extra={
                "instruction_type": here.text(row.get("instruction_type"), "`instruction_type`"),
                "success": success,
                "error_msg": flat(row.get("error_msg")),
                "soft": soft,
            },
        )
    verdicts, dropped = rows.finish(notes)
    if crashed:
        notes.append(
            f"{len(crashed)} results are 0 with success false: whether the code or the machine "
            f"failed is not recorded, and the log counts them as failures ({named(crashed)})"
        )
    notes += status_note(verdicts, counted_as="")
    return Imported(
        format=_NAME,
        sources=(str(path),),
        tables={"verdicts": verdicts},
        dropped=dropped,
        notes=tuple(notes),
    )


FORMAT = LogFormat(
    name=_NAME,
    title="SpreadsheetBench results (id, instruction_type, result)",
    detects=detects,
    load=load,
)
