"""``history.json`` of SkillOpt: one round a step, decided by what its action says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evalkit.records.importers.base import Row
from evalkit.records.importers.files import Place, read_json
from evalkit.records.importers.skillopt_results import item_scores
from evalkit.records.importers.tables import (
    Decision,
    artifact_hash,
    history_row,
    mean,
    named,
)

__all__ = ["History", "read_history"]

_SKIPS = frozenset({"skip_no_patches", "skip_no_rewrite"})
_ACTIONS = frozenset({"accept_new_best", "accept", "reject", "force_accept"}) | _SKIPS
_SLOW = re.compile(r"slow", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Rounds of one run.

    Attributes
    ----------
    rows : tuple of mapping
        Rows of the history table, the parent first.
    artifacts : mapping of str to str
        Hash of the skill of each system.
    gate_metric : str
        Score that the gate looked at.
    actions : mapping of str to int
        How often each action was taken.
    never_measured : tuple of str
        Skills that became current without a score of their own.
    best_unlisted : str or None
        Says that the best skill has no round.
    sources : tuple of str
        Files that were read.
    """

    rows: tuple[Row, ...] = ()
    artifacts: Mapping[str, str] = field(default_factory=dict)
    gate_metric: str = "hard"
    actions: Mapping[str, int] = field(default_factory=dict)
    never_measured: tuple[str, ...] = ()
    best_unlisted: str | None = None
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    number: int
    action: str
    score: float | None
    current: float | None
    artifact: str | None
    origin: str | None
    epoch: str | None


def _records(root: Path) -> tuple[list[Mapping[str, Any]], Place]:
    """Return the step records, from the history or, where it is not there, from the steps."""
    path = root / "history.json"
    place = Place(path=str(path))
    if path.is_file():
        listed = place.listing(read_json(path), "the document")
        return [place.mapping(each, f"record {i}") for i, each in enumerate(listed, 1)], place
    found = sorted(root.glob("steps/step_*/step_record.json"))
    place = Place(path=str(root / "steps"))
    return [
        Place(path=str(each)).mapping(read_json(each), "the document")
        for each in found
        if each.is_file()
    ], place


def _step(record: Mapping[str, Any], position: int, place: Place) -> _Step:
    number = place.whole(record.get("step"), f"`step` of record {position}")
    if number is None:
        raise place.fault(f"record {position} has no `step`")
    here = place.at(item=f"step {number}")
    action = here.text(record.get("action"), "`action`")
    if action not in _ACTIONS:
        raise here.fault(
            f"`action` is {action!r}; the known ones are {', '.join(sorted(_ACTIONS))}"
        )
    metric = here.text(record.get("gate_metric"), "`gate_metric`") or "hard"
    score = here.number(record.get("candidate_gate_score"), "`candidate_gate_score`")
    if score is None and metric in {"hard", "soft"}:
        score = here.number(record.get(f"selection_{metric}"), f"`selection_{metric}`")
    return _Step(
        number=number,
        action=action,
        score=None if action in _SKIPS else score,
        current=here.number(record.get("current_score"), "`current_score`"),
        artifact=here.text(record.get("candidate_hash"), "`candidate_hash`"),
        origin=here.text(record.get("current_origin"), "`current_origin`"),
        epoch=here.text(record.get("epoch"), "`epoch`"),
    )


def read_history(root: Path, summary: Mapping[str, Any], notes: list[str]) -> History:
    """Read the rounds of a run.

    Parameters
    ----------
    root : Path
        Output folder.
    summary : mapping
        ``summary.json``, empty where there is none.
    notes : list of str
        Takes what was odd or reconstructed.
    """
    records, place = _records(root)
    if not records:
        return History()
    metrics = {str(each.get("gate_metric")) for each in records if each.get("gate_metric")}
    metric = metrics.pop() if len(metrics) == 1 else "hard"
    if metrics:
        notes.append("the gate looked at several metrics during the run; scores are those it saw")
    steps = sorted(
        (_step(each, i, place) for i, each in enumerate(records, 1)), key=lambda s: s.number
    )
    steps, repeats = _last_of_each(steps)
    if repeats:
        notes.append(f"steps {named(repeats)} stand more than once; the last record counts")
    baseline = _baseline(root, summary, steps, metric, notes)
    parent = _skill_hash(root / "skills" / "skill_v0000.md")
    rows, odd = _rounds(steps, baseline, parent, root.resolve().name)
    notes += odd
    if metric != "hard":
        notes.append(
            f"the gate looked at the {metric} score, and `best_selection_hard` of summary.json "
            "holds that score, not the hard one"
        )
    notes += _resumed(steps)
    return History(
        rows=rows,
        artifacts=_artifacts(steps, parent, _skill_hash(root / "best_skill.md")),
        gate_metric=metric,
        actions=_counts(steps),
        never_measured=tuple(_never_measured(steps)),
        best_unlisted=_best_unlisted(summary, steps),
        sources=(place.path,),
    )


def _last_of_each(steps: list[_Step]) -> tuple[list[_Step], list[str]]:
    last = {step.number: step for step in steps}
    repeats = sorted(
        {step.number for step in steps if sum(s.number == step.number for s in steps) > 1}
    )
    return list(last.values()), list(map(str, repeats))


def _baseline(
    root: Path, summary: Mapping[str, Any], steps: list[_Step], metric: str, notes: list[str]
) -> float | None:
    """Return the parent's score in the metric of the gate; the history does not hold it."""
    if metric == "hard" and summary.get("baseline_selection_hard") is not None:
        place = Place(path=str(root / "summary.json"))
        return place.number(summary["baseline_selection_hard"], "`baseline_selection_hard`")
    results = root / "selection_eval_baseline" / "results.jsonl"
    if metric in {"hard", "soft"} and results.is_file():
        found = mean(item_scores(results, metric))
        if found is not None:
            return found
    first = steps[0] if steps else None
    if first is not None and first.action in {"reject", *_SKIPS} and first.current is not None:
        notes.append(
            "the parent's score was taken from `current_score` after the first step, which kept "
            "the parent"
        )
        return first.current
    notes.append("the parent's score is not in the log; give it as round 0 to replay the run")
    return None


def _skill_hash(path: Path) -> str | None:
    return artifact_hash(path.read_bytes()) if path.is_file() else None


def _rounds(
    steps: list[_Step], baseline: float | None, parent: str | None, run: str
) -> tuple[tuple[Row, ...], list[str]]:
    rows = [history_row(0, score=baseline, decision=None, artifact=parent, extra={"run": run})]
    best, current, notes = baseline, parent, list[str]()
    ties: list[str] = []
    shift = max(0, 1 - min(step.number for step in steps))  # round 0 is the parent
    for step in steps:
        decision = _decision(step, best)
        changed = None
        if step.action in _SKIPS:
            changed = False
        elif step.artifact is not None and current is not None:
            changed = step.artifact != current
        if step.action == "accept" and not _SLOW.search(step.origin or ""):
            ties.append(str(step.number))
        rows.append(
            history_row(
                step.number + shift,
                score=step.score,
                decision=decision,
                artifact=None if step.action in _SKIPS else step.artifact,
                changed=changed,
                extra={"run": run, "action": step.action, "epoch": step.epoch},
            )
        )
        if step.action in {"accept_new_best", "accept", "force_accept"}:
            current = step.artifact
        if step.score is not None and decision in {"new best", "flat"}:
            best = step.score if best is None else max(best, step.score)
    if ties:
        notes.append(
            f"steps {named(ties)} were accepted without a new best, which a strict gate does only "
            "after a forced slow update"
        )
    return tuple(rows), notes + _copies(steps)


def _decision(step: _Step, best: float | None) -> Decision:
    if step.action in _SKIPS:
        return "no-op"
    if step.action == "force_accept":
        better = step.score is not None and best is not None and step.score > best
        return "new best" if better else "flat"
    words: dict[str, Decision] = {
        "accept_new_best": "new best",
        "accept": "flat",
        "reject": "reject",
    }
    return words[step.action]


def _copies(steps: list[_Step]) -> list[str]:
    """Scores that were looked up by the hash of the skill, and so measure nothing anew."""
    seen: dict[str, int] = {}
    copies = []
    for step in steps:
        if step.artifact is None or step.action in _SKIPS:
            continue
        if step.artifact in seen:
            copies.append(f"{step.number} (of step {seen[step.artifact]})")
        seen.setdefault(step.artifact, step.number)
    if not copies:
        return []
    note = (
        f"the candidates of steps {named(copies)} are byte-identical to earlier ones: the tool "
        "copies the score from its cache, so they are no repeated measurement"
    )
    return [note]


def _resumed(steps: list[_Step]) -> list[str]:
    odd = [str(step.number) for step in steps if step.current is not None and step.current < 0]
    if not odd:
        return []
    note = (
        f"`current_score` is negative after steps {named(odd)}: a resumed run takes a stored score "
        "of 0 for -1"
    )
    return [note]


def _never_measured(steps: list[_Step]) -> list[str]:
    return [
        f"current skill after step {step.number} ({step.origin})"
        for step in steps
        if _SLOW.search(step.origin or "")
    ]


def _best_unlisted(summary: Mapping[str, Any], steps: list[_Step]) -> str | None:
    """Say that the best skill has no round, as after a slow update that was promoted at the end."""
    origin = str(summary.get("best_origin") or "")
    known = {str(step.number) for step in steps} | {"0", "None"}
    number = str(summary.get("best_step"))
    if not _SLOW.search(origin) and (number in known or "best_step" not in summary):
        return None
    return (
        f"the best skill comes from {origin or f'step {number}'}, which has no round in the "
        "history: it was scored in the final selection only"
    )


def _counts(steps: list[_Step]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for step in steps:
        counts[step.action] = counts.get(step.action, 0) + 1
    return counts


def _artifacts(steps: list[_Step], parent: str | None, best: str | None) -> dict[str, str]:
    """Return the hash of the skill of each system, where one is known."""
    found = {f"step {step.number}": step.artifact for step in steps}
    found |= {"baseline": parent, "best": best}
    return {system: artifact for system, artifact in found.items() if artifact}
