"""``run_log.json`` of GEPA: what was proposed in each iteration, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from evalkit.records.importers.files import Place
from evalkit.records.importers.gepa_model import Proposal, candidate_artifact, numbers

__all__ = ["read_trace"]


def read_trace(entries: Any, place: Place, notes: list[str]) -> list[Proposal]:
    """Return the proposals of a trace in order.

    Parameters
    ----------
    entries : list of mappings
        ``run_log.json``, or ``full_program_trace`` of the state.
    place : Place
        For messages.
    notes : list of str
        Takes what was odd.

    Notes
    -----
    A number under ``new_program_idx`` or ``new_program_indices`` is there exactly where the
    proposal was accepted. A merge reuses the known scores of its two parents: only the scores of
    the merged program were paid for.
    """
    found: list[Proposal] = []
    several = 0
    for position, raw in enumerate(place.listing(entries, "the log"), 1):
        here = place.at(item=f"iteration {position}")
        made = _proposals(here.mapping(raw, "the entry"), here)
        several += len(made) > 1
        found += made
    if several:
        notes.append(
            f"{several} iterations made several proposals at once: each is a round of its own"
        )
    return found


def _proposals(entry: Mapping[str, Any], here: Place) -> list[Proposal]:
    accepted = _accepted(entry, here)
    if "new_program_subsample_scores" in entry:
        merged = numbers(entry["new_program_subsample_scores"], "the merged scores", here)
        parents = numbers(entry.get("id1_subsample_scores"), "the parent's scores", here)
        first = accepted[0] if accepted else None
        return [Proposal(before=parents, after=merged, accepted=first, spent=len(merged))]
    tasks = entry.get("tasks")
    parts = [entry]
    if isinstance(tasks, list) and (len(tasks) > 1 or (tasks and "subsample_scores" not in entry)):
        parts = [here.mapping(each, "a task") for each in tasks]
    text = candidate_artifact(entry.get("proposed_candidate")) if len(parts) == 1 else None
    found = [_one(part, here, text) for part in parts]
    return _with_numbers(found, accepted)


def _one(part: Mapping[str, Any], here: Place, artifact: str | None) -> Proposal:
    before = numbers(part.get("subsample_scores"), "`subsample_scores`", here)
    after = numbers(part.get("new_subsample_scores"), "`new_subsample_scores`", here)
    made = part.get("new_subsample_scores") is not None
    spent = len(before) + len(after)
    return Proposal(before=before, after=after, made=made, spent=spent, artifact=artifact)


def _accepted(entry: Mapping[str, Any], here: Place) -> list[int]:
    several = entry.get("new_program_indices")
    values = several if isinstance(several, list) else [entry.get("new_program_idx")]
    found = [here.whole(each, "`new_program_idx`") for each in values]
    return [each for each in found if each is not None]


def _with_numbers(found: list[Proposal], accepted: list[int]) -> list[Proposal]:
    """Hand the accepted numbers to the proposals that gained most; the log does not say to which.

    With one proposal, which is the rule, nothing is guessed.
    """
    order = sorted(range(len(found)), key=lambda i: (not found[i].made, -_gain(found[i]), i))
    numbered = list(found)
    for number, position in zip(sorted(accepted), order, strict=False):
        numbered[position] = replace(found[position], accepted=number, made=True)
    extra = sorted(accepted)[len(found) :]
    return numbered + [Proposal(accepted=number) for number in extra]


def _gain(proposal: Proposal) -> float:
    return sum(proposal.after) - sum(proposal.before)
