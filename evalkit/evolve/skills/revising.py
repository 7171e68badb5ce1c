"""One revision of a skill: the pool of the view, the proposal, and what may be adopted of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from evalkit.environments.base import Component
from evalkit.environments.draws import Draw
from evalkit.evolve.duet.edit_distance import changed_blocks, skill_edits
from evalkit.evolve.evaluating import execute, spend
from evalkit.evolve.ledger import Ledger
from evalkit.evolve.parts import Parts, known_truth
from evalkit.evolve.protocols import Evidence, EvidenceRow, Proposal
from evalkit.evolve.round_log import RoundLog
from evalkit.evolve.skills.measuring import record_rows_of, verify_outputs
from evalkit.evolve.skills.settings import SkillSettings
from evalkit.evolve.skills.stopping import Outcome
from evalkit.evolve.skills.views import View, is_success, training_draw, visible

__all__ = ["Revision", "count_line_edits", "gather", "revise", "tell_adoption", "writable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """A candidate before validation.

    Attributes
    ----------
    component : Component or None
        The candidate; ``None`` where the updater failed.
    outcome : str or None
        Decided already: ``no-op``, ``infra``, ``timeout``, or ``rejected`` for too many edits.
    edits : int
        Contiguous blocks of changed lines.
    """

    component: Component | None
    outcome: Outcome | None
    edits: int = 0


def count_line_edits(before: Component, after: Component) -> int:
    r"""Count contiguous blocks of changed lines, in the document and in the skills beside it.

    Examples
    --------
    >>> count_line_edits(Component(prompt="a\nb\nc"), Component(prompt="a\nB\nc\nd"))
    2
    """
    lines = changed_blocks(before.prompt.splitlines(), after.prompt.splitlines())
    if lines == 0 and before.prompt != after.prompt:
        lines = 1
    return lines + skill_edits(before.skills, after.skills)


def writable(component: Component, current: Component) -> Component:
    """Keep the document, as text that a file can hold, and the current skills beside it."""
    text = component.prompt.encode("utf-8", "replace").decode()
    return Component(prompt=text, skills=current.skills)


def gather(
    parts: Parts,
    skill: Component,
    ledger: Ledger,
    log: RoundLog,
    *,
    view: View,
    settings: SkillSettings,
) -> tuple[tuple[EvidenceRow, ...], Ledger]:
    """Run the training draw of a round and return the rows that the view shows."""
    draw = parts.draw.child("round", log.round, "train")
    items = training_draw(parts.environment.items("train"), count=settings.trajectories, draw=draw)
    executions = execute(parts, skill, items, draw=draw)
    ledger = spend(ledger, "solve/train", [e.usage for e in executions])
    work = tuple(zip(items, executions, strict=True))
    verdicts, ledger = verify_outputs(parts, work, ledger, panel="train")
    rows = tuple(
        EvidenceRow(item=item, execution=execution, verdict=verdict)
        for (item, execution), verdict in zip(work, verdicts, strict=True)
    )
    log.records += record_rows_of(
        parts.labels,
        list(zip(items, verdicts, strict=True)),
        number=log.round,
        panel="train",
        role=view,
        attempt=f"{parts.labels.seed}:{log.round}",
        artifact=skill.digest,
    )
    outcomes = [is_success(row, success=settings.success) for row in rows]
    shown = visible(rows, view=view, success=settings.success)
    log.event(
        "shown",
        view=view,
        executed=len(rows),
        successes=outcomes.count(True),
        failures=outcomes.count(False),
        errored=outcomes.count(None),
        shown=len(shown),
    )
    return shown, ledger


def revise(
    parts: Parts,
    current: Component,
    shown: tuple[EvidenceRow, ...],
    ledger: Ledger,
    log: RoundLog,
    *,
    max_edits: int,
    draw: Draw,
) -> tuple[Revision, Ledger]:
    """Ask for a candidate; the updater sees the rows and the current skill, and nothing else."""
    evidence = Evidence(rows=shown, max_edits=max_edits)
    proposal = parts.propose("solver", current, evidence, draw=draw)
    ledger = spend(ledger, "propose/solver", [proposal.usage])
    if proposal.component is not None:
        proposal = replace(proposal, component=writable(proposal.component, current))
    log.event(
        "proposal",
        agent="solver",
        attempt=1,
        status=proposal.status,
        declared_edits=proposal.edits,
        rationale=proposal.rationale,
        facts=dict(proposal.facts),
    )
    return _revision(current, proposal, max_edits), ledger


def _revision(current: Component, proposal: Proposal, max_edits: int) -> Revision:
    if proposal.status != "ok":
        return Revision(component=None, outcome=proposal.status)
    candidate = proposal.component or current
    edits = count_line_edits(current, candidate)
    outcome: Outcome | None = None
    if candidate.digest == current.digest:
        outcome = "no-op"
    elif edits > max_edits:
        outcome = "rejected"
    return Revision(component=candidate, outcome=outcome, edits=edits)


def tell_adoption(
    log: RoundLog, revision: Revision, outcome: Outcome, parts: Parts, *, max_edits: int
) -> None:
    """Write the event of a decision on a candidate."""
    if revision.component is None:
        return
    log.event(
        "adoption",
        agent="solver",
        decision=outcome,
        artifact=log.artifact(revision.component.to_text()),
        budget={"prompt": max_edits, "skills": 0},
        edits={"prompt": revision.edits, "skills": 0},
        retried=False,
        truth=known_truth(parts, "solver", revision.component),
    )
