"""SkillOpt output folders: rounds from ``history.json``, verdicts from every evaluation folder."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from evalkit.errors import InputError
from evalkit.records.importers.base import Imported, LogFormat, filled
from evalkit.records.importers.files import Place, jsonable, peek_json, read_json
from evalkit.records.importers.skillopt_history import History, read_history
from evalkit.records.importers.skillopt_results import (
    add_results,
    looks_like_results,
    read_summary,
)
from evalkit.records.importers.skillopt_sleep import is_sleep_report, load_sleep
from evalkit.records.importers.tables import VerdictRows, named, split_note

__all__ = ["FORMAT"]

_NAME = "skillopt"
_RESULTS, _SUMMARY = "results.jsonl", "eval_summary.json"
_WHOLE = frozenset({"history.json", "summary.json", _SUMMARY})
"""Files that stand for their folder."""
_FIXED = (
    ("selection_eval_baseline", "baseline", "selection"),
    ("final_selection_eval", "final", "selection"),
    ("test_eval_baseline", "baseline", "test"),
    ("test_eval", "best", "test"),
    ("test_eval_final", "final", "test"),
)
_STEP = re.compile(r"step_(\d{1,9})")
_EPOCH = re.compile(r"epoch_(\d{1,9})")
_REPORTED = (
    "version",
    "baseline_selection_hard",
    "final_selection_hard",
    "final_selection_soft",
    "best_step",
    "current_origin",
    "best_origin",
    "total_steps",
    "baseline_test_hard",
    "baseline_test_soft",
    "test_hard",
    "test_soft",
    "final_test_hard",
    "final_test_soft",
)


def _root(path: Path) -> Path:
    return path.parent if path.name in _WHOLE else path


def detects(path: Path) -> bool:
    """Whether `path` is an output folder, an evaluation folder, or one results file."""
    if path.is_file() and path.name not in _WHOLE:
        return looks_like_results(path)
    root = _root(path)
    if is_sleep_report(root) or looks_like_results(root / _RESULTS) or _is_summary(root):
        return True
    if (root / ".skillopt").is_dir():
        return False
    steps = root / "steps"
    if steps.is_dir() and any(_STEP.fullmatch(each.name) for each in steps.iterdir()):
        return True
    history = peek_json(root / "history.json")
    first = history[0] if isinstance(history, list) and history else None
    return isinstance(first, Mapping) and "step" in first and "action" in first


def _is_summary(folder: Path) -> bool:
    """Whether a folder holds the means of an evaluation, which may be all that was kept."""
    document = peek_json(folder / _SUMMARY, limit=1 << 20)
    return isinstance(document, Mapping) and {"skill", "n_items", "hard"} <= document.keys()


def load(path: Path) -> Imported:
    """Read a SkillOpt output folder, evaluation folder or results file."""
    if path.is_file() and path.name not in _WHOLE:
        return _one_evaluation(path)
    root = _root(path)
    if is_sleep_report(root):
        return load_sleep(root)
    alone = not (root / "steps").is_dir()
    if alone and ((root / _RESULTS).is_file() or (root / _SUMMARY).is_file()):
        return _one_evaluation(root / _RESULTS)
    return _run(root)


FORMAT = LogFormat(
    name=_NAME,
    title="SkillOpt output folder, evaluation folder, results.jsonl, or sleep report",
    detects=detects,
    load=load,
)


def _one_evaluation(path: Path) -> Imported:
    notes: list[str] = []
    rows = VerdictRows()
    summary_path = path.parent / _SUMMARY
    summary = read_summary(summary_path) if summary_path.is_file() else None
    skill = None if summary is None or summary.skill is None else Path(summary.skill).stem
    split = None if summary is None else summary.split
    added = []
    if path.is_file():
        folder = path.parent.name if path.name == _RESULTS else path.name.partition(".")[0]
        system = skill or folder or "skill"
        added = add_results(path, rows, notes, system=system, labels={"split": split})
    else:
        rows.drops.append(("only means are logged, no items", str(summary_path)))
    facts: dict[str, Any] = {}
    if summary is not None:
        facts = {
            "reported": {"hard": summary.hard, "soft": summary.soft, "n_items": summary.n_items}
        }
        if path.is_file() and summary.n_items not in {None, len(added)}:
            notes.append(
                f"eval_summary.json counts {summary.n_items} items and {path.name} holds "
                f"{len(added)}: the run is partial, or the rows were appended to"
            )
    verdicts, dropped = rows.finish(notes)
    notes += split_note(verdicts)
    return Imported(
        format=_NAME,
        sources=(str(path if path.is_file() else summary_path),),
        tables={"verdicts": verdicts},
        dropped=dropped,
        notes=tuple(notes),
        facts=facts,
    )


def _evaluations(root: Path) -> Iterator[tuple[Path, str, str, str]]:
    """Yield results file, system, split and phase of every evaluation of a run."""
    for folder, system, split in _FIXED:
        yield root / folder / _RESULTS, system, split, folder
    for number, step in _numbered(root / "steps", _STEP):
        yield step / "selection_eval" / _RESULTS, f"step {number}", "selection", "selection_eval"
        before = f"skill before step {number}"
        yield step / "rollout" / _RESULTS, before, "train", "rollout"
        for batch in sorted(step.glob("batch_*")):
            yield batch / "rollout" / _RESULTS, before, "train", f"rollout {batch.name}"
    for number, epoch in _numbered(root / "slow_update", _EPOCH):
        name = f"slow update {number}"
        yield epoch / "selection_eval" / _RESULTS, name, "selection", "slow_update"
        yield epoch / "rollout_prev" / _RESULTS, f"{name}, previous skill", "train", "slow_update"
        yield epoch / "rollout_curr" / _RESULTS, f"{name}, current skill", "train", "slow_update"


def _numbered(folder: Path, pattern: re.Pattern[str]) -> list[tuple[int, Path]]:
    if not folder.is_dir():
        return []
    found = ((pattern.fullmatch(each.name), each) for each in folder.iterdir())
    return sorted((int(match[1]), each) for match, each in found if match)


def _run(root: Path) -> Imported:
    notes: list[str] = []
    rows = VerdictRows()
    sources = []
    summary = _document(root / "summary.json")
    history = read_history(root, summary, notes)
    for path, system, split, phase in _evaluations(root):
        if not path.is_file():
            continue
        sources.append(str(path))
        artifact = history.artifacts.get(system)
        labels = {"split": split, "stage": phase, "artifact": artifact}
        add_results(path, rows, notes, system=system, labels=labels)
    verdicts, dropped = rows.finish(notes)
    notes += split_note(verdicts)
    notes += _slow_updates(root, history)
    if not verdicts and not history.rows:
        raise InputError(
            "the folder holds neither history.json nor any results.jsonl; "
            "name the output folder (out_root) of a run",
            path=str(root),
        )
    return Imported(
        format=_NAME,
        sources=(*history.sources, *sources),
        tables=filled({"verdicts": verdicts, "history": history.rows}),
        dropped=dropped,
        notes=tuple(notes),
        facts=_facts(summary, history),
    )


def _document(path: Path) -> Mapping[str, Any]:
    if not path.is_file():
        return {}
    return Place(path=str(path)).mapping(read_json(path), "the document")


def _slow_updates(root: Path, history: History) -> list[str]:
    """Say which skills came from a slow update and were never scored."""
    notes = []
    epochs = _numbered(root / "slow_update", _EPOCH)
    unscored = [
        f"epoch {number}"
        for number, epoch in epochs
        if not (epoch / "selection_eval" / _RESULTS).is_file()
    ]
    if unscored:
        notes.append(
            f"slow updates of {named(unscored)} changed the skill without an evaluation: "
            "`current_score` after them is that of the skill before"
        )
    if history.best_unlisted is not None:
        notes.append(history.best_unlisted)
    return notes


def _facts(summary: Mapping[str, Any], history: History) -> dict[str, Any]:
    reported = {name: jsonable(summary[name]) for name in _REPORTED if name in summary}
    if "best_selection_hard" in summary:
        # the log's name for it is wrong unless the gate looks at the hard score
        reported["best_gate_score"] = jsonable(summary["best_selection_hard"])
    return {
        "reported": reported,
        "gate_metric": history.gate_metric,
        "actions": dict(history.actions),
        "never_measured": list(history.never_measured),
    }
