"""The last step: initial, last and best components on the test split."""

from __future__ import annotations

from dataclasses import replace

from evalkit.environments.base import Component
from evalkit.evolve.duet.alternation import agents_of
from evalkit.evolve.duet.settings import DuetSettings
from evalkit.evolve.duet.state import AgentState, DuetState
from evalkit.evolve.evaluating import Evaluation, evaluate
from evalkit.evolve.parts import Parts, known_truth
from evalkit.evolve.protocols import Agent
from evalkit.evolve.round_log import RoundLog
from evalkit.evolve.rows import evaluation_rows

__all__ = ["evaluate_finally", "roles"]


def roles(agent: AgentState, settings: DuetSettings) -> dict[str, Component]:
    """Return the components to test; without checkpoints the last one is what a run returns."""
    best = agent.best.component if settings.checkpoints == "validation" else agent.component
    return {
        "initial": agent.initial.component,
        "last": agent.component,
        "best": best,
    }


def evaluate_finally(
    state: DuetState, log: RoundLog, *, parts: Parts, settings: DuetSettings
) -> DuetState:
    """Evaluate every agent that evolved on ``test``, and its best once more on ``validation``.

    The second look at the best shows what its selection cost: its score was the largest of
    several noisy ones. Byte-identical components share one evaluation.
    """
    for name in agents_of(settings.schedule):
        chosen = roles(state.agent(name), settings)
        splits = ["test"] if settings.checkpoints == "last" else ["test", "validation"]
        for split in splits:
            shown = chosen if split == "test" else {"best": chosen["best"]}
            state = _evaluate_roles(state, name, shown, log, parts=parts, split=split)
    return state


def _evaluate_roles(
    state: DuetState,
    name: Agent,
    chosen: dict[str, Component],
    log: RoundLog,
    *,
    parts: Parts,
    split: str,
) -> DuetState:
    """Evaluate the components of some roles on a split."""
    known: dict[str, Evaluation] = {}
    for role, component in chosen.items():
        digest = component.digest
        if digest not in known:
            draw = parts.draw.child("final", split, name, digest)
            found, ledger = evaluate(parts, name, component, state.ledger, split=split, draw=draw)
            known[digest] = found
            state = replace(state, ledger=ledger)
            log.artifact(component.to_text())
        found = known[digest]
        log.records += evaluation_rows(parts.labels, found, number=log.round, role=role)
        truth = known_truth(parts, name, component)
        log.event("final", role=role, **found.facts(), truth=truth)
    return state
