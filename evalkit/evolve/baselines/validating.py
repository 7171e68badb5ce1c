"""Validation by the metric a baseline selects on, and the final evaluation that all share."""

from __future__ import annotations

from dataclasses import replace

from evalkit.environments.base import Component
from evalkit.evolve.baselines.grading import FixedGrader, run_and_grade
from evalkit.evolve.baselines.state import BaselineState, Validation
from evalkit.evolve.evaluating import Evaluation, evaluate_solver
from evalkit.evolve.parts import Parts, known_truth
from evalkit.evolve.round_log import RoundLog
from evalkit.evolve.rows import evaluation_rows, history_row

__all__ = ["evaluate_finally", "start", "tell_start", "validate"]


def validate(
    state: BaselineState,
    component: Component,
    log: RoundLog,
    *,
    parts: Parts,
    grader: FixedGrader,
    judge: Component,
    role: str | None = None,
) -> tuple[BaselineState, Evaluation]:
    """Run and grade a component on the validation split; write its records and one event."""
    place = ("final",) if role else ("round", log.round)
    found, ledger = run_and_grade(
        parts,
        component,
        parts.environment.items("validation"),
        state.ledger,
        split="validation",
        grader=grader,
        judge=judge,
        draw=parts.draw.child(*place, "validation", component.digest),
    )
    name = next(iter(found.verdicts))
    evaluation = found.evaluation(name)
    rows = evaluation_rows(parts.labels, evaluation, number=log.round, role=role)
    log.records += [{**row, "verifier": name} for row in rows]
    log.event(
        "final" if role else "validated",
        **({"role": role} if role else {}),
        **evaluation.facts(),
        verifier=name,
        truth=known_truth(parts, "solver", component),
    )
    return replace(state, ledger=ledger), evaluation


def start(
    state: BaselineState, log: RoundLog, *, parts: Parts, grader: FixedGrader, judge: Component
) -> BaselineState:
    """Round 0: validate the initial component."""
    component = state.solver.component
    state, found = validate(state, component, log, parts=parts, grader=grader, judge=judge)
    items = tuple((o.item, o.score) for o in found.outcomes if o.score is not None)
    known = {component.digest: Validation(score=found.score, items=items)}
    first = replace(state.solver.initial, score=found.score)
    tell_start(component, log, parts=parts, score=found.score)
    return replace(
        state, validations=known, solver=replace(state.solver, initial=first, best=first)
    )


def tell_start(component: Component, log: RoundLog, *, parts: Parts, score: float | None) -> None:
    """Write the first event and history row."""
    artifact = log.artifact(component.to_text())
    truth = known_truth(parts, "solver", component)
    log.event("start", agent="solver", artifact=artifact, truth=truth)
    log.history.append(
        history_row(parts.labels, "solver", number=0, score=score, artifact=artifact)
    )


def evaluate_finally(
    state: BaselineState, log: RoundLog, *, parts: Parts, grader: FixedGrader, judge: Component
) -> BaselineState:
    """Evaluate the initial, last and best components on test by the reference.

    The best is graded once more on validation by the metric that selected it. Byte-identical
    components share one evaluation.
    """
    solver = state.solver
    roles = {
        "initial": solver.initial.component,
        "last": solver.component,
        "best": solver.best.component,
    }
    known: dict[str, Evaluation] = {}
    for role, component in roles.items():
        digest = component.digest
        if digest not in known:
            draw = parts.draw.child("final", "test", "solver", digest)
            known[digest], ledger = evaluate_solver(
                parts, component, state.ledger, split="test", draw=draw
            )
            state = replace(state, ledger=ledger)
            log.artifact(component.to_text())
        log.records += evaluation_rows(parts.labels, known[digest], number=log.round, role=role)
        truth = known_truth(parts, "solver", component)
        log.event("final", role=role, **known[digest].facts(), truth=truth)
    best = solver.best.component
    state, _ = validate(state, best, log, parts=parts, grader=grader, judge=judge, role="best")
    return state
