"""SkillOpt-Lite workspaces: rounds reconstructed from snapshots and the time windows of runs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evalkit.errors import InputError
from evalkit.records.importers.base import Imported, LogFormat, Row, filled
from evalkit.records.importers.files import Place, head, read_json_lines
from evalkit.records.importers.lite_rounds import (
    EvalRun,
    Round,
    assign_runs,
    judge_rounds,
    read_snapshots,
)
from evalkit.records.importers.skillopt_results import add_results, item_scores, read_summary
from evalkit.records.importers.tables import VerdictRows, history_row, mean, named, split_note

__all__ = ["FORMAT"]

_NAME = "skillopt-lite"
_STAMP = re.compile(r"(\d{8})_(\d{6})")
_METRICS = ("round_metrics.jsonl", "round_metrics.csv")


def _store(path: Path) -> Path:
    """Return the ``.skillopt`` folder of a workspace."""
    if path.name == ".skillopt":
        return path
    direct = path / ".skillopt"
    return direct if direct.is_dir() else path / "workspace" / ".skillopt"


def _stores(path: Path) -> list[Path]:
    """Return the stores of a workspace, or of each model's where there are several."""
    store = _store(path)
    if store.is_dir():
        return [store]
    several = path if path.name == "workspaces" else path / "workspaces"
    return sorted(several.glob("*/.skillopt")) if several.is_dir() else []


def detects(path: Path) -> bool:
    """Whether `path` is a workspace, or the round metrics collected from one."""
    if path.is_file():
        first = head(path, size=4096).partition(b"\n")[0]
        return path.name in _METRICS and b"round" in first and b"window_start" in first
    return any(
        (store / "history").is_dir() or (store / "_eval_run").is_dir() for store in _stores(path)
    )


def load(path: Path) -> Imported:
    """Read a workspace."""
    if path.is_file():
        return _metrics(path)
    stores = _stores(path)
    if not stores:
        raise InputError("the folder holds no .skillopt; name a workspace", path=str(path))
    notes: list[str] = []
    rows = VerdictRows()
    history: list[Row] = []
    sources: list[str] = []
    for store in stores:
        label = store.parent.name if len(stores) > 1 else store.resolve().parent.name
        prefix = f"{label}: " if len(stores) > 1 else ""
        found: list[str] = []
        history += _workspace(store, label, len(stores) > 1, rows, sources, found)
        notes += [prefix + note for note in found]
    verdicts, dropped = rows.finish(notes)
    notes += split_note(verdicts)
    return Imported(
        format=_NAME,
        sources=tuple(sources),
        tables=filled({"verdicts": verdicts, "history": history}),
        dropped=dropped,
        notes=tuple(notes),
    )


FORMAT = LogFormat(
    name=_NAME,
    title="SkillOpt-Lite or rethinkskill workspace (.skillopt), or its round_metrics",
    detects=detects,
    load=load,
)


def _workspace(
    store: Path, label: str, several: bool, rows: VerdictRows, sources: list[str], notes: list[str]
) -> list[Row]:
    rounds = read_snapshots(store / "history", notes)
    runs = _runs(store / "_eval_run", notes)
    assign_runs(rounds, runs, notes)
    skill = store.parent / "skill.md"
    judge_rounds(rounds, skill.read_bytes() if skill.is_file() else None, notes)
    sources += [str(store / name) for name in ("history", "_eval_run") if (store / name).is_dir()]
    for run in runs:
        results = run.folder / "results.jsonl"
        name = f"{label}, {run.system}" if several else run.system
        if results.is_file():
            labels = {"split": run.split, "eval_run": run.stamp, "artifact": run.artifact}
            added = add_results(results, rows, notes, system=name, labels=labels)
            if run.n_items is not None and run.n_items != len(added):
                notes.append(
                    f"run {run.stamp}: {run.n_items} items by its summary, {len(added)} in its "
                    "results"
                )
        elif run.hard is not None:
            rows.drops.append(("only its mean is logged, no items", f"run {run.stamp}"))
    return _history(rounds, runs, label)


def _runs(folder: Path, notes: list[str]) -> list[EvalRun]:
    """Return the evaluation runs in order of their time stamps."""
    if not folder.is_dir():
        return []
    found, unnamed = [], []
    for each in sorted(folder.iterdir()):
        if not each.is_dir():
            continue
        stamp = _STAMP.search(each.name)
        if stamp is None:
            unnamed.append(each.name)
            continue
        summary = each / "eval_summary.json"
        said = read_summary(summary) if summary.is_file() else None
        results = each / "results.jsonl"
        hard = None if said is None else said.hard
        if hard is None and results.is_file():
            hard = mean(item_scores(results, "hard"))
        found.append(
            EvalRun(
                folder=each,
                stamp="_".join(stamp.groups()),
                split="unknown" if said is None or said.split is None else said.split,
                hard=hard,
                n_items=None if said is None else said.n_items,
                system=f"run {each.name}",
            )
        )
        if said is None:
            notes.append(f"run {each.name} has no eval_summary.json: unfinished, or its split lost")
    if unnamed:
        notes.append(f"evaluation folders without a time stamp were left out: {named(unnamed)}")
    return sorted(found, key=lambda run: run.stamp)


def _history(rounds: list[Round], runs: list[EvalRun], label: str) -> list[Row]:
    if not rounds:
        return []
    baseline = next((run for run in runs if run.role == "baseline" and _is_val(run.split)), None)
    tested = next((run for run in runs if run.role == "baseline" and run.split == "test"), None)
    rows = [
        history_row(
            0,
            score=None if baseline is None else baseline.hard,
            decision=None,
            artifact=rounds[0].before,
            extra={"run": label, "test": None if tested is None else tested.hard},
        )
    ]
    shift = max(0, 1 - rounds[0].number)
    for entry in rounds:
        test = entry.counted.get("test")
        val = next((run for split, run in entry.counted.items() if _is_val(split)), None)
        score = None if val is None else val.hard
        rows.append(
            history_row(
                entry.number + shift,
                score=score,
                # a null round that was scored is a re-evaluation, which the replay judges by score
                decision=None if entry.changed is False and score is not None else entry.decision,
                artifact=entry.after,
                changed=entry.changed,
                extra={"run": label, "test": None if test is None else test.hard},
            )
        )
    return rows


def _is_val(split: str) -> bool:
    return split.casefold() in {"val", "valid", "validation", "valid_seen", "selection", "dev"}


def _metrics(path: Path) -> Imported:
    """Read the collector's table: scores of rounds, without decisions."""
    notes = ["the table holds scores only: decisions are those of the replay"]
    rows = []
    for line, row in _metric_rows(path, notes):
        place = Place(path=str(path), line=line)
        number = place.whole(row.get("round"), "`round`")
        if number is None or number < 0:
            raise place.fault("`round` must be a whole number, 0 for the parent")
        rows.append(
            history_row(
                number,
                score=place.number(row.get("val_hard"), "`val_hard`"),
                decision=None,
                extra={"test": place.number(row.get("test_hard"), "`test_hard`")},
            )
        )
    return Imported(
        format=_NAME, sources=(str(path),), tables={"history": tuple(rows)}, notes=tuple(notes)
    )


def _metric_rows(path: Path, notes: list[str]) -> list[tuple[int, Mapping[str, Any]]]:
    if path.suffix != ".csv":
        return read_json_lines(path, notes)
    from evalkit.records.raw import read_rows

    found = read_rows(path)
    notes += found.notes
    return list(enumerate(found.rows, 2))
