"""cap-evolve run folders: gate decisions from the events, verdicts from rollouts and reports."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

from evalkit.errors import InputError
from evalkit.records.importers.base import Imported, LogFormat, Row, filled
from evalkit.records.importers.cap_reports import (
    CapReport,
    add_report,
    final_names,
    read_reports,
)
from evalkit.records.importers.files import (
    Place,
    head,
    jsonable,
    peek_json,
    read_json,
    read_json_lines,
)
from evalkit.records.importers.tables import (
    Decision,
    VerdictRows,
    history_row,
    named,
    split_note,
    status_note,
)

__all__ = ["FORMAT"]

_NAME = "cap-evolve"
_ROLLOUT = re.compile(r"(?P<task>.+)__(?P<candidate>.+?)__t(?P<trial>\d{1,9})\.json")
_SPLITS = ("train", "val", "test")
_INDECISIVE = "indecisive"


def detects(path: Path) -> bool:
    """Whether `path` is a run folder."""
    if not path.is_dir():
        return False
    if b'"kind"' in head(path / "events.jsonl", size=4096) and (
        (path / "baseline.json").is_file()
        or (path / "state.json").is_file()
        or (path / "rollouts").is_dir()
    ):
        return True
    state = peek_json(path / "state.json", limit=1 << 22)
    if isinstance(state, Mapping) and {"best_id", "spent"} <= state.keys():
        return True
    report = peek_json(path / "baseline.json")
    if not isinstance(report, Mapping):
        return False
    parts = [report, *report.values()]
    return any(isinstance(part, Mapping) and "per_task" in part for part in parts)


def load(path: Path) -> Imported:
    """Read a run folder."""
    notes: list[str] = []
    rows = VerdictRows()
    sources: list[str] = []
    history = _history(path, notes, sources)
    seen = _rollouts(path, rows, notes, sources)
    reports = read_reports(path)
    for report in reports:
        add_report(report, rows, seen)
    sources += dict.fromkeys(report.place.path for report in reports)
    overlaps = _overlaps(path / "splits.json", notes, sources)
    if not rows.rows and not history:
        raise InputError(
            "the folder holds no rollouts, baseline.json, final.json or events.jsonl of a run",
            path=str(path),
        )
    verdicts, dropped = rows.finish(notes)
    notes += split_note(verdicts)
    notes += status_note(verdicts, counted_as="")
    return Imported(
        format=_NAME,
        sources=tuple(sources),
        tables=filled({"verdicts": verdicts, "history": history}),
        dropped=dropped,
        notes=tuple(notes),
        facts={**_facts(path, reports), **({"split_overlap": overlaps} if overlaps else {})},
    )


FORMAT = LogFormat(name=_NAME, title="cap-evolve run folder", detects=detects, load=load)


def _facts(root: Path, reports: list[CapReport]) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    state = peek_json(root / "state.json", limit=1 << 22)
    if isinstance(state, Mapping):
        names = ("best_id", "budget", "spent")
        facts = {name: jsonable(state[name]) for name in names if name in state}
    return facts | {report.name: report.facts for report in reports}


def _rollouts(
    root: Path, rows: VerdictRows, notes: list[str], sources: list[str]
) -> set[tuple[str, str, str, str]]:
    """Add a row a rollout; return which trials they are."""
    folder = root / "rollouts"
    seen: set[tuple[str, str, str, str]] = set()
    if not folder.is_dir():
        return seen
    sources.append(str(folder))
    names = final_names(root)
    strange, other = [], dict[str, None]()
    for path in sorted(folder.glob("*/*.json")):
        match, split = _ROLLOUT.fullmatch(path.name), path.parent.name
        if match is None or split not in _SPLITS:
            strange += [] if match else [path.name]
            other.update({} if split in _SPLITS else {split: None})
            continue
        place = Place(path=str(path), item=match["task"])
        document = place.mapping(read_json(path), "the document")
        score = document.get("score")
        part = place.mapping({} if score is None else score, "`score`")
        item = place.ident(part.get("task_id", match["task"]), "`task_id`")
        reward, status = place.score(part.get("reward"), "`reward`")
        system = names.get(match["candidate"], match["candidate"])
        seen.add((system, split, item, match["trial"]))
        rows.add(
            system=system,
            item=item,
            attempt=match["trial"],
            score=reward,
            status=_status(part, document.get("rollout"), status),
            extra={"split": split},
        )
    if strange:
        notes.append(
            f"rollouts whose names are not TASK__CANDIDATE__tN.json were left out: {named(strange)}"
        )
    if other:
        notes.append(f"folders of rollouts that are no split were left out: {named(list(other))}")
    return seen


def _status(part: Mapping[str, Any], rollout: Any, status: str) -> str:
    raw = part.get("raw")
    errored = isinstance(raw, Mapping) and bool(raw.get("errored"))
    error = rollout.get("error") if isinstance(rollout, Mapping) else None
    if not errored and not error:
        return status
    return (
        "timeout" if re.search(r"time.?out|timed out", str(error or ""), re.IGNORECASE) else "infra"
    )


def _overlaps(path: Path, notes: list[str], sources: list[str]) -> dict[str, list[str]]:
    """Return the tasks that stand in two splits, by the pair of splits."""
    if not path.is_file():
        return {}
    sources.append(str(path))
    place = Place(path=str(path))
    document = place.mapping(read_json(path), "the document")
    members = {
        name: {str(each) for each in document[name]}
        for name in _SPLITS
        if isinstance(document.get(name), list)
    }
    found = {}
    for first, second in combinations(members, 2):
        both = sorted(members[first] & members[second])
        if both:
            found[f"{first} and {second}"] = both
            notes.append(f"splits {first} and {second} share {len(both)} tasks: {named(both)}")
    return found


def _history(root: Path, notes: list[str], sources: list[str]) -> tuple[Row, ...]:
    """Return the parent and every step that the gate decided."""
    path = root / "events.jsonl"
    if not path.is_file():
        return _short_history(root, notes, sources)
    sources.append(str(path))
    place = Place(path=str(path))
    events = [(place.at(line=line), event) for line, event in read_json_lines(path, notes)]
    said = [here.number(e.get("val"), "`val`") for here, e in events if e.get("kind") == "baseline"]
    baseline = said[-1] if said else _baseline(root)
    label = root.resolve().name
    rows = _steps([(h, e) for h, e in events if e.get("kind") == "step"], baseline, label)
    undecided = [str(row["round"]) for row in rows if row["decision"] is None]
    if undecided:
        notes.append(
            f"the gate was indecisive in rounds {named(undecided)}: neither accepted nor rejected"
        )
    warnings = sum(event.get("kind") == "gate_warning" for _, event in events)
    if warnings:
        notes.append(f"the gate warned {warnings} times that it was near its resolution")
    replaced = sum(event.get("kind") == "rollout_overwrite_warning" for _, event in events)
    if replaced:
        notes.append(f"{replaced} evaluations replaced earlier rollouts of the same name")
    if not rows and baseline is None:
        return ()
    parent = history_row(0, score=baseline, decision=None, artifact="seed", extra={"run": label})
    return (parent, *rows)


def _steps(
    events: list[tuple[Place, Mapping[str, Any]]], baseline: float | None, label: str
) -> list[Row]:
    """Return a row for each step."""
    rows: list[Row] = []
    best = baseline
    for here, event in events:
        score = here.number(event.get("val"), "`val`")
        reason = here.text(event.get("reason"), "`reason`") or ""
        decision = _decision(event.get("accept"), score, best, reason)
        if decision in {"new best", "flat"} and score is not None:
            best = score if best is None else max(best, score)
        rows.append(
            history_row(
                len(rows) + 1,
                score=score,
                decision=decision,
                artifact=here.text(event.get("candidate"), "`candidate`"),
                extra={"run": label, "reason": reason},
            )
        )
    return rows


def _decision(accept: Any, score: float | None, best: float | None, reason: str) -> Decision | None:
    if accept is True:
        better = score is not None and best is not None and score > best
        return "new best" if better else "flat"
    if accept is False:
        return None if reason.casefold().startswith(_INDECISIVE) else "reject"
    return None


def _baseline(root: Path) -> float | None:
    """Return the parent's validation mean from ``baseline.json``."""
    found = [r.reward for r in read_reports(root) if r.place.path.endswith("baseline.json")]
    return found[0] if found else None


def _short_history(root: Path, notes: list[str], sources: list[str]) -> tuple[Row, ...]:
    """Return the accepted candidates of ``history.jsonl``, where no events were kept."""
    path = root / "history.jsonl"
    if not path.is_file():
        return ()
    sources.append(str(path))
    label = root.resolve().name
    rows: list[Row] = [
        history_row(0, score=_baseline(root), decision=None, artifact="seed", extra={"run": label})
    ]
    for line, row in read_json_lines(path, notes):
        here = Place(path=str(path), line=line)
        rows.append(
            history_row(
                len(rows),
                score=here.number(row.get("val"), "`val`"),
                decision=None,
                artifact=here.text(row.get("candidate_id"), "`candidate_id`"),
                extra={"run": label},
            )
        )
    notes.append("events.jsonl is not there: rejected candidates are not in the history")
    return tuple(rows)
