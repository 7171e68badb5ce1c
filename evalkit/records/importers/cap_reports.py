"""``baseline.json`` and ``final.json`` of cap-evolve: rewards of every trial, task by task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalkit.records.importers.files import Place, jsonable, read_json
from evalkit.records.importers.tables import VerdictRows

__all__ = ["CapReport", "add_report", "final_names", "read_reports"]

Key = tuple[str, str, str, str]
_FILES = ("baseline.json", "final.json")
_FINAL, _FINAL_SEED = "FINAL", "FINAL_seed"
_MOST_LOST = 1000
_KEPT = ("split", "reward", "stderr", "pass_k")


@dataclass(frozen=True, slots=True, kw_only=True)
class CapReport:
    """One evaluation of one candidate.

    Attributes
    ----------
    place : Place
        Its file.
    name : str
        Under which name it stands there, for the facts.
    system, split : str
        Who was evaluated on what.
    reward : float or None
        Mean reward as logged.
    content : mapping
        The report.
    """

    place: Place
    name: str
    system: str
    split: str
    reward: float | None
    content: Mapping[str, Any]

    @property
    def facts(self) -> dict[str, Any]:
        """What the report says of itself; an undefined pass^k stays ``None``."""
        return {key: jsonable(self.content[key]) for key in _KEPT if key in self.content}


def final_names(root: Path) -> dict[str, str]:
    """Return which candidates stand behind the names of the final evaluation."""
    path = root / "final.json"
    if not path.is_file():
        return {}
    place = Place(path=str(path))
    document = place.mapping(read_json(path), "the document")
    best = place.text(document.get("best_id"), "`best_id`")
    base = place.text(document.get("baseline_id"), "`baseline_id`")
    return {**({_FINAL: best} if best else {}), _FINAL_SEED: base or "seed"}


def read_reports(root: Path) -> list[CapReport]:
    """Return the evaluations of both files, whether they stand there alone or under their split."""
    names = final_names(root)
    return [report for name in _FILES for report in _reports(root / name, names)]


def _reports(path: Path, names: Mapping[str, str]) -> Iterator[CapReport]:
    if not path.is_file():
        return
    place = Place(path=str(path))
    document = place.mapping(read_json(path), "the document")
    final = path.name == "final.json"
    found = {"": document} if "per_task" in document else document
    for key, value in found.items():
        if not isinstance(value, Mapping) or "per_task" not in value:
            continue
        tag = _FINAL if final and not key.endswith("baseline") else "seed"
        yield CapReport(
            place=place,
            name=path.stem + (f" {key}" if key else ""),
            system=names.get(tag, tag),
            split=place.text(value.get("split"), "`split`") or key or "unknown",
            reward=place.number(value.get("reward"), "`reward`"),
            content=value,
        )


def add_report(report: CapReport, rows: VerdictRows, seen: set[Key]) -> None:
    """Add the trials that no rollout stands for; trials that were lost are ``infra``."""
    for raw in report.place.listing(report.content.get("per_task") or [], "`per_task`"):
        task = report.place.mapping(raw, "a task")
        if task.get("task_id") is None:
            rows.drops.append(("has no task_id", report.name))
            continue
        item = report.place.ident(task["task_id"], "`task_id`")
        for number, (reward, status) in enumerate(_trials(task, report.place.at(item=item))):
            if (report.system, report.split, item, str(number)) not in seen:
                rows.add(
                    system=report.system,
                    item=item,
                    attempt=str(number),
                    score=reward,
                    status=status,
                    extra={"split": report.split},
                )


def _trials(task: Mapping[str, Any], here: Place) -> list[tuple[float | None, str]]:
    """Return score and status of each trial of a task, those without a reward last."""
    listed = task.get("trial_rewards")
    values = here.listing(listed, "`trial_rewards`") if listed else [task.get("reward")]
    part = task.get("raw")
    details: Mapping[str, Any] = part if isinstance(part, Mapping) else {}
    lost = here.whole(details.get("errored_trials"), "`errored_trials`") or 0
    whole = bool(details.get("errored")) and not lost
    lost_trial: tuple[float | None, str] = (None, "infra")
    found = [lost_trial if whole else here.score(value, "the reward") for value in values]
    total = here.whole(details.get("n_trials"), "`n_trials`")
    room = lost if total is None else min(lost, total - len(values))
    return found + [lost_trial] * min(max(room, 0), _MOST_LOST)
