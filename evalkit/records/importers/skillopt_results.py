"""``results.jsonl`` of SkillOpt and SkillOpt-Lite: one row an item, lost tasks told apart."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalkit.records.importers.files import (
    Ids,
    Place,
    decode_json,
    head,
    read_json,
    read_json_lines,
)
from evalkit.records.importers.tables import VerdictRows
from evalkit.records.values import json_text

__all__ = [
    "EvalSummary",
    "add_results",
    "item_scores",
    "looks_like_results",
    "read_summary",
    "row_status",
]

_RIG = re.compile(
    r"rate.?limit|too many requests|\b429\b|\b503\b|overloaded|service unavailable"
    r"|connection (?:error|reset|refused|aborted)|quota",
    re.IGNORECASE,
)
_EXTRAS = ("task_type", "fail_reason", "phase", "n_turns", "instruction_type")


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalSummary:
    """``eval_summary.json``.

    Attributes
    ----------
    skill, split : str or None
        As logged.
    n_items : int or None
        Items that the run says it evaluated.
    hard, soft : float or None
        Reported means.
    """

    skill: str | None
    split: str | None
    n_items: int | None
    hard: float | None
    soft: float | None


def read_summary(path: Path) -> EvalSummary:
    """Read ``eval_summary.json``."""
    place = Place(path=str(path))
    document = place.mapping(read_json(path), "the document")
    return EvalSummary(
        skill=place.text(document.get("skill"), "`skill`"),
        split=place.text(document.get("split"), "`split`"),
        n_items=place.whole(document.get("n_items"), "`n_items`"),
        hard=place.number(document.get("hard"), "`hard`"),
        soft=place.number(document.get("soft"), "`soft`"),
    )


def looks_like_results(path: Path) -> bool:
    """Whether a file begins with a row that has an id and a hard score."""
    first = head(path).lstrip(b"\xef\xbb\xbf \r\n\t").partition(b"\n")[0]
    if not first.startswith(b"{"):
        return False
    try:
        row = decode_json(first, str(path))
    except ValueError:
        return False
    return isinstance(row, Mapping) and "hard" in row and ("id" in row or "task_id" in row)


def row_status(row: Mapping[str, Any], score: float | None) -> str:
    """Return what became of an item.

    Notes
    -----
    The tool writes a task that timed out, or raised, as an ordinary row with ``hard`` 0; its
    phase and the beginning of its reason tell. A positive score is a score whatever the phase.
    """
    if score is not None and score > 0:
        return "scored"
    phase = str(row.get("phase") or "").strip().casefold()
    reason = str(row.get("fail_reason") or row.get("error") or "").strip().casefold()
    if phase == "timeout" or reason.startswith("task-timeout"):
        return "timeout"
    if phase in {"error", "setup"} or reason.startswith("unexpected:") or _RIG.search(reason):
        return "infra"
    if phase == "llm" and row.get("llm_ok") is False:
        return "infra"
    return "scored" if score is not None else "missing"


def item_scores(path: Path, metric: str) -> list[float | None]:
    """Return the scores of a results file as logged, those of failed tasks included."""
    place = Place(path=str(path))
    return [
        place.at(line=line).number(row.get(metric), f"`{metric}`")
        for line, row in read_json_lines(path, [])
    ]


def add_results(
    path: Path,
    rows: VerdictRows,
    notes: list[str],
    *,
    system: str,
    labels: Mapping[str, Any],
) -> list[dict[str, Any]]:
    """Add the rows of one results file, and return them.

    Parameters
    ----------
    path : Path
        ``results.jsonl``.
    rows : VerdictRows
        Takes the verdicts; a row without an id is dropped.
    notes : list of str
        Takes what was cut off, or was a failure of the rig that the log counts as 0.
    system : str
        Who was evaluated.
    labels : mapping
        Extra columns of every row.
    """
    place = Place(path=str(path))
    before = len(rows.rows)
    ids = Ids()
    lost = 0.0
    for line, row in read_json_lines(path, notes):
        here = place.at(line=line)
        ident = row.get("id", row.get("task_id"))
        if ident is None:
            rows.drops.append(("has no id", f"{path.name} line {line}"))
            continue
        item = ids.take(ident, here)
        here = here.at(item=item)
        score, status = here.score(row.get("hard"), "`hard`")
        if status != "invalid":
            status = row_status(row, score)
            lost += status in {"timeout", "infra"} and score is not None
        extra = {name: json_text(row.get(name)) for name in _EXTRAS if name in row}
        soft = here.number(row.get("soft"), "`soft`")
        rows.add(
            system=system,
            item=item,
            score=score,
            status=status,
            extra={**labels, "soft": soft, **extra},
        )
    added = rows.rows[before:]
    if lost:
        notes.append(
            f"{path.parent.name}: {int(lost)} of {len(added)} items timed out or failed for "
            "reasons of infrastructure; the log counts them as 0, here they hold no score"
        )
    return added
