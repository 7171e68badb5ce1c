"""What every form of a GEPA run tells: candidates with their scores, and the trace of proposals."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evalkit.records.importers.base import Row
from evalkit.records.importers.files import Place, jsonable
from evalkit.records.importers.tables import (
    Decision,
    VerdictRows,
    artifact_hash,
    history_row,
    mean,
    named,
)

__all__ = [
    "GepaCandidate",
    "GepaRun",
    "Proposal",
    "candidate_artifact",
    "identical_notes",
    "proposals_to_history",
    "scores_by_id",
    "steps_of",
    "to_verdicts",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class GepaCandidate:
    """One program that was accepted; number 0 is the seed.

    Attributes
    ----------
    index : int
        Number in the run.
    artifact : str or None
        Hash of its texts.
    parents : tuple of int
        Numbers of its parents.
    scores : mapping of str to (float or None, str)
        Score and status of each validation item that it was run on.
    average : float or None
        Mean validation score as logged, or over `scores`.
    """

    index: int
    artifact: str | None = None
    parents: tuple[int, ...] = ()
    scores: Mapping[str, tuple[float | None, str]] = field(default_factory=dict)
    average: float | None = None

    @property
    def value(self) -> float | None:
        """Mean validation score."""
        own = mean(score for score, _ in self.scores.values())
        return self.average if own is None else own


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """One attempt at a better candidate.

    Attributes
    ----------
    before, after : tuple of float
        Mini-batch scores of the parent and of the child.
    accepted : int or None
        Number of the candidate that it became.
    made : bool
        Whether a child was proposed at all.
    spent : int
        Mini-batch evaluations that were paid for.
    artifact : str or None
        Hash of the child, where the log has its texts.
    """

    before: tuple[float, ...] = ()
    after: tuple[float, ...] = ()
    accepted: int | None = None
    made: bool = True
    spent: int = 0
    artifact: str | None = None


@dataclass(slots=True, kw_only=True)
class GepaRun:
    """One run, from whichever files tell of it.

    Attributes
    ----------
    candidates : dict of int to GepaCandidate
        By number.
    proposals : list of Proposal or None
        In order; ``None`` where the log has no trace.
    total : int or None
        Metric calls that the run counted.
    facts : dict
        What the log says of itself.
    """

    candidates: dict[int, GepaCandidate] = field(default_factory=dict)
    proposals: list[Proposal] | None = None
    total: int | None = None
    facts: dict[str, Any] = field(default_factory=dict)


def candidate_artifact(texts: Any) -> str | None:
    """Return the hash of a candidate's texts, ``None`` where it is no mapping of texts."""
    if not isinstance(texts, Mapping) or not all(isinstance(v, str) for v in texts.values()):
        return None
    pairs = sorted((str(key), str(value)) for key, value in texts.items())
    return artifact_hash(json.dumps(pairs).encode())


def scores_by_id(value: Any, what: str, place: Place) -> dict[str, tuple[float | None, str]]:
    """Return scores by item id as text; a list is numbered from 0, as the oldest form does.

    Raises
    ------
    InputError
        Two ids are the same text, such as 7 and "7".
    """
    if isinstance(value, (list, tuple)):
        value = dict(enumerate(value))
    found: dict[str, tuple[float | None, str]] = {}
    keyed: Mapping[Any, Any] = place.mapping(value, what)
    for key, score in keyed.items():
        item = place.ident(str(key) if isinstance(key, (tuple, float, bool)) else key)
        if item in found:
            raise place.at(item=item).fault(f"{what} has the id as a number and as text")
        found[item] = place.at(item=item).score(score)
    return found


def to_verdicts(run: GepaRun, rows: VerdictRows, *, split: str = "val") -> None:
    """Add a row for each candidate and validation item that it was run on."""
    for candidate in run.candidates.values():
        parents = ",".join(map(str, candidate.parents)) or None
        for item, (score, status) in candidate.scores.items():
            rows.add(
                system=f"candidate {candidate.index}",
                item=item,
                score=score,
                status=status,
                extra={"split": split, "artifact": candidate.artifact, "parents": parents},
            )


def proposals_to_history(run: GepaRun, label: str, notes: list[str]) -> tuple[Row, ...]:
    """Return one row a proposal; without a trace one a candidate."""
    seed = run.candidates.get(0)
    if seed is None and run.proposals is None:
        return ()
    rows = [
        history_row(
            0,
            score=None if seed is None else seed.value,
            decision=None,
            artifact=None if seed is None else seed.artifact,
            extra={"run": label},
        )
    ]
    proposals = run.proposals
    if proposals is None:
        notes.append("the file lists accepted candidates only: rejected proposals are not in it")
        proposals = [Proposal(accepted=number) for number in sorted(run.candidates) if number > 0]
    best = None if seed is None else seed.value
    unscored = []
    for number, proposal in enumerate(proposals, 1):
        accepted = run.candidates.get(-1 if proposal.accepted is None else proposal.accepted)
        score = None if accepted is None else accepted.value
        decision = _decision(proposal, score, best)
        if proposal.accepted is not None and score is None:
            unscored.append(str(number))
        if score is not None and (best is None or score > best):
            best = score
        rows.append(
            history_row(
                number,
                score=score,
                decision=decision,
                artifact=proposal.artifact if accepted is None else accepted.artifact,
                changed=None if proposal.made else False,
                extra={
                    "run": label,
                    "candidate_number": proposal.accepted,
                    "minibatch_before": mean(proposal.before),
                    "minibatch_after": mean(proposal.after),
                },
            )
        )
    if unscored:
        notes.append(
            f"the validation scores of the candidates accepted in rounds {named(unscored)} are not "
            "in the log: whether they set a new best is not known"
        )
    return tuple(rows)


def _decision(proposal: Proposal, score: float | None, best: float | None) -> Decision:
    if proposal.accepted is None:
        return "reject" if proposal.made else "no-op"
    return "new best" if score is not None and best is not None and score > best else "flat"


def steps_of(run: GepaRun) -> list[dict[str, Any]]:
    """Return the steps that `evalkit.trajectories.evaluation_ledger` adds up."""
    seed = run.candidates.get(0)
    if seed is None or run.proposals is None or not seed.scores:
        return []
    first = {"step": 0, "kind": "seed", "evals": {"val": len(seed.scores)}, "val": seed.value}
    steps: list[dict[str, Any]] = [first]
    for number, proposal in enumerate(run.proposals, 1):
        child = run.candidates.get(-1 if proposal.accepted is None else proposal.accepted)
        evals = {"mini": proposal.spent}
        if child is not None and child.scores:
            evals["val"] = len(child.scores)
        step = {
            "step": number,
            "kind": "proposal",
            "evals": evals,
            "accepted": proposal.accepted is not None,
        }
        if child is not None and child.scores:
            step["val"] = child.value
        steps.append(step)
    return steps


def identical_notes(run: GepaRun) -> list[str]:
    """Say which candidates are byte-identical, and which were run on fewer items."""
    notes = []
    by_artifact: dict[str, list[GepaCandidate]] = {}
    for candidate in run.candidates.values():
        if candidate.artifact is not None:
            by_artifact.setdefault(candidate.artifact, []).append(candidate)
    for twins in (group for group in by_artifact.values() if len(group) > 1):
        numbers = named([str(each.index) for each in twins])
        same = all(each.scores == twins[0].scores for each in twins)
        notes.append(
            f"candidates {numbers} are byte-identical"
            + (
                " with identical scores: copies from a cache, or an evaluation without noise"
                if same
                else ": their scores are repeated measurements of one program (A/A data)"
            )
        )
    full = max((len(each.scores) for each in run.candidates.values()), default=0)
    short = [
        f"{c.index} ({len(c.scores)})" for c in run.candidates.values() if 0 < len(c.scores) < full
    ]
    if short:
        notes.append(
            f"candidates {named(short)} were run on fewer than {full} validation items: their "
            "means are not over the same items"
        )
    return notes


def numbers(value: Any, what: str, place: Place) -> tuple[float, ...]:
    """Return a list of scores without the missing ones."""
    if value is None:
        return ()
    if not isinstance(value, (list, tuple)):
        raise place.fault(f"{what} is not a list")
    found: Iterable[float | None] = (place.number(each, what) for each in value)
    return tuple(each for each in found if each is not None)


def parents_of(value: Any, place: Place) -> tuple[int, ...]:
    """Return the numbers of the parents; the seed has none."""
    if not isinstance(value, (list, tuple)):
        value = [value]
    found: Sequence[int | None] = [place.whole(each, "a parent") for each in value]
    return tuple(each for each in found if each is not None)


def reported(document: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return what a document says under some names, JSON-safe."""
    return {name: jsonable(document[name]) for name in names if name in document}
