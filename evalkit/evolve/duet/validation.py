"""Validating both agents after a round, and the history rows that follow."""

from __future__ import annotations

from dataclasses import replace

from evalkit.evolve.duet.alternation import agents_of
from evalkit.evolve.duet.checkpoints import better_checkpoint
from evalkit.evolve.duet.settings import DuetSettings
from evalkit.evolve.duet.state import AgentState, Checkpoint, DuetState, with_agent
from evalkit.evolve.duet.turn import Turn
from evalkit.evolve.evaluating import Evaluation, evaluate
from evalkit.evolve.parts import Parts, known_truth
from evalkit.evolve.protocols import Agent
from evalkit.evolve.round_log import RoundLog
from evalkit.evolve.rows import evaluation_rows, history_row
from evalkit.trajectories.history import Decision

__all__ = ["finish_turn", "start_agents", "validate"]


def validate(
    state: DuetState, name: Agent, log: RoundLog, *, parts: Parts, split: str, role: str | None
) -> tuple[DuetState, Evaluation]:
    """Evaluate the current component of an agent; write its records and one event."""
    component = state.agent(name).component
    found, ledger = evaluate(
        parts,
        name,
        component,
        state.ledger,
        split=split,
        draw=parts.draw.child("round", log.round, split, name),
    )
    log.records += evaluation_rows(parts.labels, found, number=log.round, role=role)
    truth = known_truth(parts, name, component)
    log.event("validated", **found.facts(), truth=truth)
    return replace(state, ledger=ledger), found


def start_agents(
    state: DuetState, log: RoundLog, *, parts: Parts, settings: DuetSettings
) -> DuetState:
    """Round 0: validate the initial components."""
    for name in agents_of(settings.schedule):
        agent = state.agent(name)
        score = None
        if settings.checkpoints == "validation":
            state, found = validate(state, name, log, parts=parts, split="validation", role=None)
            score = found.score
        start = Checkpoint(component=agent.component, round=0, score=score)
        state = with_agent(state, name, replace(agent, initial=start, best=start))
        artifact = log.artifact(agent.component.to_text())
        truth = known_truth(parts, name, agent.component)
        log.event("start", agent=name, artifact=artifact, truth=truth)
        log.history.append(
            history_row(parts.labels, name, number=0, score=score, artifact=artifact)
        )
    return state


def finish_turn(
    state: DuetState,
    name: Agent,
    turn: Turn | None,
    log: RoundLog,
    *,
    parts: Parts,
    settings: DuetSettings,
) -> DuetState:
    """Validate an agent after a round; `turn` is what it did, ``None`` where it was not its turn.

    A candidate that was turned down, or is no other, has no validation score of its own: what is
    evaluated then is the component that stays.
    """
    accepted = turn is not None and turn.update.outcome == "accepted"
    score = None
    if settings.checkpoints == "validation" and (accepted or settings.revalidate == "both"):
        state, found = validate(state, name, log, parts=parts, split="validation", role=None)
        score = found.score
    if turn is None or turn.candidate is None:
        return state
    agent = state.agent(name)
    decision: Decision = "no-op" if turn.update.outcome == "no-op" else "reject"
    if accepted:
        best = better_checkpoint(agent.best, agent.component, score=score, number=log.round)
        decision = "flat" if best is agent.best else "new best"
        state = with_agent(state, name, replace(agent, best=best))
    log.history.append(
        history_row(
            parts.labels,
            name,
            number=log.round,
            # A run whose start has no score cannot be replayed from scores.
            score=score if accepted and _baseline(agent) is not None else None,
            artifact=log.artifact(turn.candidate.to_text()),
            changed=turn.update.outcome != "no-op",
            decision=decision,
        )
    )
    return state


def _baseline(agent: AgentState) -> float | None:
    return agent.initial.score
