"""Outputs of GEPA's ``optimize_anything`` and gskill: one score a candidate, or one a task."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evalkit.records.importers.base import Imported, Row, TableKind
from evalkit.records.importers.files import (
    Ids,
    Place,
    decode_json,
    head,
    read_json,
    read_json_lines,
)
from evalkit.records.importers.tables import (
    Decision,
    VerdictRows,
    artifact_hash,
    history_row,
    named,
)

__all__ = ["is_gskill", "is_progress", "load_gskill", "load_progress"]

_PROGRESS = "progress_log.jsonl"


def _first_row(path: Path) -> Mapping[str, Any]:
    line = head(path).lstrip(b"\xef\xbb\xbf \r\n\t").partition(b"\n")[0]
    try:
        row = decode_json(line, str(path)) if line.startswith(b"{") else None
    except ValueError:
        return {}
    return row if isinstance(row, Mapping) else {}


def is_progress(path: Path) -> bool:
    """Whether a folder or file is the output of ``optimize_anything``."""
    file = path / _PROGRESS if path.is_dir() else path
    return file.name == _PROGRESS and {"val_score", "best_val_score"} <= _first_row(file).keys()


def is_gskill(path: Path) -> bool:
    """Whether a folder or file holds gskill's evaluations."""
    file = path / "iterations.jsonl" if path.is_dir() else path
    return (
        file.name == "iterations.jsonl" and {"eval_id", "task_metrics"} <= _first_row(file).keys()
    )


def load_progress(path: Path) -> Imported:
    """Read ``progress_log.jsonl`` as one run: the first candidate is the parent."""
    file = path / _PROGRESS if path.is_dir() else path
    notes: list[str] = []
    rows: list[Row] = []
    best: float | None = None
    skipped: list[tuple[str, str]] = []
    for line, row in read_json_lines(file, notes):
        here = Place(path=str(file), line=line)
        score, status = here.score(row.get("val_score"), "`val_score`")
        if status == "invalid":
            skipped.append(("the score is not a finite number", f"line {line}"))
        decision: Decision | None = None
        if rows and score is not None and best is not None:
            decision = "new best" if score > best else "reject"
        rows.append(
            history_row(
                len(rows),
                score=score,
                decision=decision,
                extra={
                    "run": file.resolve().parent.name,
                    "candidate_number": here.text(row.get("candidate_id"), "`candidate_id`"),
                },
            )
        )
        if score is not None:
            best = score if best is None else max(best, score)
    if rows:
        notes.append(
            "the log holds scores of candidates only: a candidate that is no new best is taken as "
            "rejected"
        )
    evals = sorted((file.parent / "evals").glob("*.json"))
    notes += _evals(evals)
    if skipped:
        notes.append(f"scores that are not finite numbers: {named([each for _, each in skipped])}")
    return Imported(
        format="gepa",
        sources=(str(file),),
        tables={"history": tuple(rows)},
        notes=tuple(notes),
        facts={"evaluations": len(evals)},
    )


def _evals(paths: list[Path]) -> list[str]:
    """Look for candidates that were evaluated more than once."""
    seen: dict[str, list[float | None]] = {}
    for path in paths:
        place = Place(path=str(path))
        document = place.mapping(read_json(path), "the document")
        text = document.get("candidate")
        if text is not None:
            key = artifact_hash(repr(text).encode("utf-8", "backslashreplace"))
            seen.setdefault(key, []).append(place.number(document.get("score"), "`score`"))
    twins = [scores for scores in seen.values() if len(scores) > 1]
    if not twins:
        return []
    spread = sum(len(set(scores)) > 1 for scores in twins)
    note = (
        f"{len(twins)} byte-identical candidates were evaluated more than once, {spread} of them "
        "with different scores (A/A data)"
    )
    return [note]


def load_gskill(path: Path) -> Imported:
    """Read gskill's ``iterations.jsonl``: tasks as items, prompts as systems."""
    file = path / "iterations.jsonl" if path.is_dir() else path
    notes: list[str] = []
    rows = VerdictRows()
    ids = Ids()
    for line, row in read_json_lines(file, notes):
        here = Place(path=str(file), line=line)
        prompt = here.ident(row.get("prompt_hash"), "`prompt_hash`")
        evaluation = here.text(row.get("eval_id"), "`eval_id`")
        for each in here.listing(row.get("task_metrics"), "`task_metrics`"):
            task = here.mapping(each, "a task")
            item = ids.take(task.get("instance_id"), here, "`instance_id`")
            value = task.get("score") if task.get("success") is None else task.get("success")
            score, status = here.at(item=item).score(value)
            rows.add(
                system=prompt,
                item=item,
                score=score,
                status=status,
                extra={"artifact": prompt, "evaluation": evaluation},
            )
    verdicts, dropped = rows.finish(notes)
    tables: dict[TableKind, tuple[Row, ...]] = {"verdicts": verdicts}
    return Imported(
        format="gepa", sources=(str(file),), tables=tables, dropped=dropped, notes=tuple(notes)
    )
