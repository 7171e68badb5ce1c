"""Staging folder of SkillOpt's nightly mode: one gate decision over one report."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evalkit.records.importers.base import Imported
from evalkit.records.importers.files import Place, jsonable, peek_json, read_json
from evalkit.records.importers.tables import Decision, history_row

__all__ = ["is_sleep_report", "load_sleep"]

_KEYS = frozenset({"baseline_score", "candidate_score", "gate_action"})


def is_sleep_report(root: Path) -> bool:
    """Whether a folder holds a nightly report."""
    if not root.is_dir():
        return False
    document = peek_json(root / "report.json", limit=1 << 24)
    return isinstance(document, Mapping) and document.keys() >= _KEYS


def load_sleep(root: Path) -> Imported:
    """Read a nightly report as a run of one round."""
    path = root / "report.json"
    place = Place(path=str(path))
    report = place.mapping(read_json(path), "the document")
    action = place.text(report.get("gate_action"), "`gate_action`") or ""
    base = place.number(report.get("baseline_score"), "`baseline_score`")
    score = place.number(report.get("candidate_score"), "`candidate_score`")
    accepted = report.get("accepted")
    decision: Decision | None = None
    if accepted is not None:
        better = accepted is True and base is not None and score is not None and score > base
        decision = "new best" if better else ("flat" if accepted is True else "reject")
    notes = []
    if action == "reject_unverified":
        notes.append("the candidate was refused because it could not be verified, not by its score")
    if report.get("holdout_leaked"):
        notes.append("the report says that the held-out tasks leaked into the candidate")
    names = ("night", "n_tasks", "holdout_leaked", "gate_action", "tokens_used")
    facts: dict[str, Any] = {name: jsonable(report[name]) for name in names if name in report}
    rows = (
        history_row(0, score=base, decision=None, extra={"run": root.resolve().name}),
        history_row(
            1,
            score=score,
            decision=decision,
            extra={"run": root.resolve().name, "action": action},
        ),
    )
    return Imported(
        format="skillopt",
        sources=(str(path),),
        tables={"history": rows},
        notes=tuple(notes),
        facts=facts,
    )
