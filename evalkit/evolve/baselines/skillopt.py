"""SkillOpt: bounded structured edits from scored rollouts, adopted by a gate on validation."""

from __future__ import annotations

from dataclasses import dataclass, replace

from evalkit.environments.base import Component, Item
from evalkit.environments.draws import Draw
from evalkit.evolve.baselines.edits import apply_edits, structured_edits
from evalkit.evolve.baselines.grading import run_and_grade
from evalkit.evolve.baselines.settings import SkillOptSettings
from evalkit.evolve.baselines.state import BaselineState, Validation, with_best
from evalkit.evolve.baselines.validating import evaluate_finally, start, validate
from evalkit.evolve.duet.edit_budget import edit_budget
from evalkit.evolve.evaluating import spend
from evalkit.evolve.parts import Parts, known_truth
from evalkit.evolve.protocols import Evidence, EvidenceRow, Proposal
from evalkit.evolve.round_log import RoundLog
from evalkit.evolve.rows import history_row
from evalkit.evolve.skills.gating import accepts, parse_gate
from evalkit.evolve.skills.measuring import record_rows_of
from evalkit.evolve.skills.revising import writable
from evalkit.trajectories.history import Decision
from evalkit.trajectories.scores import compare_scores

__all__ = ["SkillOptStep", "epoch_batch"]


def epoch_batch(
    items: tuple[Item, ...], *, number: int, batch: int, draw: Draw
) -> tuple[Item, ...]:
    """Return the minibatch of a round: every epoch goes through the items in an order of its own.

    The last batch of an epoch is smaller where the sizes do not divide.
    """
    steps = -(-len(items) // batch)
    epoch, step = divmod(number - 1, steps)
    ranks = draw.child("epoch", epoch)
    ordered = sorted(items, key=lambda item: (ranks.child(item.id).integer(), item.id))
    return tuple(ordered[step * batch : (step + 1) * batch])


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillOptStep:
    """A round of SkillOpt as one call.

    Attributes
    ----------
    parts : Parts
        What the round works with.
    settings : SkillOptSettings
        The settings.
    judge : Component
        The fixed grader.
    rounds : int
        Rounds that are allowed.
    """

    parts: Parts
    settings: SkillOptSettings
    judge: Component
    rounds: int

    def __call__(self, state: BaselineState, log: RoundLog, /) -> BaselineState:
        """Carry out round 0, a round of the search, or the final evaluation."""
        parts, grader, judge = self.parts, self.settings.grader, self.judge
        if state.round < 0:
            state = start(state, log, parts=parts, grader=grader, judge=judge)
            lost = state.solver.initial.score is None
            state = replace(state, ending="start not scored" if lost else None)
        elif state.ending is not None:
            state = evaluate_finally(state, log, parts=parts, grader=grader, judge=judge)
            log.event("stopped", reason=state.ending)
            state = replace(state, stopped=state.ending)
        else:
            state = self._search(state, log)
            state = replace(state, ending="rounds" if log.round >= self.rounds else None)
        log.event("ledger", entries=state.ledger.entries)
        return replace(state, round=log.round)

    def _search(self, state: BaselineState, log: RoundLog) -> BaselineState:
        rows, state = self._gather(state, log)
        budget = edit_budget(
            state.solver.updates,
            total=self.rounds,
            high=self.settings.budget_max,
            low=self.settings.budget_min,
        )
        current = state.solver.component
        proposal = self.parts.propose(
            "solver",
            current,
            Evidence(rows=rows, max_edits=budget),
            draw=self.parts.draw.child("round", log.round, "propose", "solver"),
        )
        state = replace(state, ledger=spend(state.ledger, "propose/solver", [proposal.usage]))
        log.event(
            "proposal",
            agent="solver",
            attempt=1,
            status=proposal.status,
            declared_edits=proposal.edits,
            rationale=proposal.rationale,
            facts=dict(proposal.facts),
        )
        if proposal.status != "ok":
            return state
        return self._decide(state, *_bounded(current, proposal, budget), budget, log)

    def _gather(
        self, state: BaselineState, log: RoundLog
    ) -> tuple[tuple[EvidenceRow, ...], BaselineState]:
        """Run and grade the minibatch."""
        parts = self.parts
        batch = epoch_batch(
            parts.environment.items("train"),
            number=log.round,
            batch=self.settings.batch,
            draw=parts.draw,
        )
        found, ledger = run_and_grade(
            parts,
            state.solver.component,
            batch,
            state.ledger,
            split="train",
            grader=self.settings.grader,
            judge=self.judge,
            draw=parts.draw.child("round", log.round, "train"),
        )
        name, verdicts = next(iter(found.verdicts.items()))
        rows = record_rows_of(
            parts.labels,
            list(zip(batch, verdicts, strict=True)),
            number=log.round,
            panel="train",
            role="train",
            attempt=f"{parts.labels.seed}:{log.round}",
            artifact=found.artifact,
            verifier=name,
        )
        log.records += [{**row, "system": f"{parts.labels.setting}/solver"} for row in rows]
        evidence = tuple(
            EvidenceRow(item=item, execution=execution, verdict=verdict)
            for (item, execution), verdict in zip(found.work, verdicts, strict=True)
        )
        return evidence, replace(state, ledger=ledger)

    def _decide(
        self,
        state: BaselineState,
        candidate: Component,
        edits: int,
        proposed: int,
        budget: int,
        log: RoundLog,
    ) -> BaselineState:
        """Validate a candidate that was not validated before, and let the gate decide."""
        solver = state.solver
        unchanged = candidate.digest == solver.component.digest
        found = state.validations.get(candidate.digest)
        if found is None:
            state, evaluation = validate(
                state,
                candidate,
                log,
                parts=self.parts,
                grader=self.settings.grader,
                judge=self.judge,
            )
            items = tuple((o.item, o.score) for o in evaluation.outcomes if o.score is not None)
            found = Validation(score=evaluation.score, items=items)
            state = replace(state, validations={**state.validations, candidate.digest: found})
        accepted = not unchanged and self._accepts(state, found)
        best = (
            not unchanged
            and found.score is not None
            and solver.best.score is not None
            and candidate.digest != solver.best.component.digest
            and compare_scores(found.score, solver.best.score) > 0
        )
        decision: Decision = "new best" if best else "flat" if accepted else "reject"
        self._tell(
            log,
            candidate,
            decision="no-op" if unchanged else decision,
            score=None if unchanged else found.score,
            accepted=accepted,
            edits=(edits, proposed, budget),
        )
        if best:
            state = with_best(state, candidate, number=log.round, score=found.score)
        if accepted:
            adopted = replace(state.solver, component=candidate, updates=solver.updates + 1)
            state = replace(state, solver=adopted)
        return state

    def _accepts(self, state: BaselineState, found: Validation) -> bool:
        current = state.validations[state.solver.component.digest].scored
        best = state.validations[state.solver.best.component.digest].scored
        if found.scored is None or current is None or best is None:
            return False
        return accepts(parse_gate(self.settings.gate), found.scored, current, best)

    def _tell(
        self,
        log: RoundLog,
        candidate: Component,
        *,
        decision: Decision,
        score: float | None,
        accepted: bool,
        edits: tuple[int, int, int],
    ) -> None:
        made, proposed, budget = edits
        artifact = log.artifact(candidate.to_text())
        word = "no-op" if decision == "no-op" else "accepted" if accepted else "rejected"
        log.event(
            "adoption",
            agent="solver",
            decision=word,
            artifact=artifact,
            budget={"prompt": budget, "skills": 0},
            edits={"prompt": made, "skills": 0},
            proposed_edits=proposed,
            retried=False,
            truth=known_truth(self.parts, "solver", candidate),
        )
        log.history.append(
            history_row(
                self.parts.labels,
                "solver",
                number=log.round,
                score=score,
                artifact=artifact,
                changed=decision != "no-op",
                decision=decision,
            )
        )


def _bounded(current: Component, proposal: Proposal, budget: int) -> tuple[Component, int, int]:
    """Keep the first edits of a proposal that its budget allows; return them and both counts."""
    if proposal.component is None:
        return current, 0, 0
    wanted = writable(proposal.component, current)
    edits = structured_edits(current.prompt, wanted.prompt)
    kept = edits[:budget]
    prompt = wanted.prompt if len(kept) == len(edits) else apply_edits(current.prompt, kept)
    return Component(prompt=prompt, skills=current.skills), len(kept), len(edits)
