"""One turn of one agent: evidence, proposal, bounded adoption."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evalkit.environments.base import Component
from evalkit.environments.draws import Draw
from evalkit.evolve.duet.alternation import turns
from evalkit.evolve.duet.bounded_adoption import Adoption, Edits, Limit, bounded_adoption
from evalkit.evolve.duet.digest import history_digest
from evalkit.evolve.duet.edit_budget import edit_budget
from evalkit.evolve.duet.settings import DuetSettings
from evalkit.evolve.duet.state import AgentState, DuetState, Update, with_agent
from evalkit.evolve.evaluating import spend
from evalkit.evolve.parts import Parts, known_truth
from evalkit.evolve.protocols import Agent, Evidence, EvidenceRow, Proposal
from evalkit.evolve.round_log import RoundLog

__all__ = ["Turn", "limit_of", "take_turn"]

_CLIP = 400
"""Characters of a reason that the state keeps; the event has all of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What a turn brought.

    Attributes
    ----------
    update : Update
        For the history.
    candidate : Component or None
        What was decided on; ``None`` where the updater failed.
    """

    update: Update
    candidate: Component | None


def limit_of(
    agent: AgentState, name: Agent, *, settings: DuetSettings, rounds: int
) -> Limit | None:
    """Return the budget of the next update; ``None`` where it is exempt.

    The first update of an agent is exempt, so that it can write a whole component.
    """
    if settings.edits == "free" or agent.updates == 0:
        return None
    budget = edit_budget(
        agent.updates,
        total=turns(name, schedule=settings.schedule, rounds=rounds),
        high=settings.budget_max,
        low=settings.budget_min,
    )
    return Edits(prompt=budget, skills=budget if settings.target == "prompt+skills" else 0)


def take_turn(
    state: DuetState,
    name: Agent,
    rows: Sequence[EvidenceRow],
    log: RoundLog,
    *,
    parts: Parts,
    settings: DuetSettings,
    rounds: int,
) -> tuple[DuetState, Turn]:
    """Let one agent be revised; the components in `state` are those that made the evidence."""
    agent = state.agent(name)
    limit = limit_of(agent, name, settings=settings, rounds=rounds)
    evidence = Evidence(
        rows=tuple(rows),
        digest=history_digest(state.history, state.tasks, rounds=settings.digest_rounds),
        max_edits=None if limit is None else limit.prompt,
        skills=settings.target == "prompt+skills",
        max_skill_edits=None if limit is None else limit.skills,
    )
    draw = parts.draw.child("round", log.round, "propose", name)
    asked: list[Proposal] = []

    def ask(shown: Evidence, turn: Draw) -> Proposal:
        found = parts.propose(name, agent.component, shown, draw=turn)
        asked.append(_allowed(found, agent.component, settings))
        return asked[-1]

    first = ask(evidence, draw)
    if first.status != "ok":
        adoption = None
    else:
        adoption = bounded_adoption(
            agent.component,
            first.component or agent.component,
            limit=limit,
            tokenizer=settings.tokenizer,
            retry=lambda large: ask(replace(evidence, too_large=large), draw.child("again")),
        )
    ledger = spend(state.ledger, f"propose/{name}", [p.usage for p in asked])
    chosen = asked[-1] if adoption is not None and adoption.used_retry else first
    update = Update(
        round=log.round,
        agent=name,
        outcome=first.status if adoption is None else adoption.decision,  # type: ignore[arg-type]
        edits=0 if adoption is None else adoption.edits.total,
        rationale=" ".join(chosen.rationale.split())[:_CLIP],
    )
    _tell(log, name, asked, adoption, limit, parts)
    state = replace(state, ledger=ledger)
    if adoption is not None and adoption.decision == "accepted":
        state = with_agent(
            state,
            name,
            replace(agent, component=adoption.candidate, updates=agent.updates + 1),
        )
    return state, Turn(update=update, candidate=None if adoption is None else adoption.candidate)


def _allowed(found: Proposal, current: Component, settings: DuetSettings) -> Proposal:
    """Keep what may change, as text that can be written."""
    if found.component is None:
        return found
    skills = found.component.skills if settings.target == "prompt+skills" else current.skills
    component = Component(
        prompt=_writable(found.component.prompt),
        skills={_writable(name): _writable(text) for name, text in skills.items()},
    )
    return replace(found, component=component)


def _writable(text: str) -> str:
    """Replace lone surrogates, which no file can hold."""
    return text.encode("utf-8", "replace").decode()


def _tell(
    log: RoundLog,
    name: Agent,
    asked: Sequence[Proposal],
    adoption: Adoption | None,
    limit: Limit | None,
    parts: Parts,
) -> None:
    for attempt, proposal in enumerate(asked, start=1):
        log.event(
            "proposal",
            agent=name,
            attempt=attempt,
            status=proposal.status,
            declared_edits=proposal.edits,
            rationale=proposal.rationale,
            facts=dict(proposal.facts),
        )
    if adoption is not None:
        log.event(
            "adoption",
            agent=name,
            decision=adoption.decision,
            artifact=log.artifact(adoption.candidate.to_text()),
            budget=None if limit is None else limit,
            edits=adoption.edits,
            first_edits=adoption.first,
            retried=adoption.retried,
            used_retry=adoption.used_retry,
            truth=known_truth(parts, name, adoption.candidate),
        )
