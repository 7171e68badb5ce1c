"""An updater that is a model: it reads evidence and revises a component."""

from __future__ import annotations

from dataclasses import replace

from evalkit.environments.base import Component
from evalkit.environments.draws import Draw
from evalkit.errors import ArgumentError
from evalkit.evolve.prompted.evidence_text import show_rows
from evalkit.evolve.prompted.revision import Revision, read_revision
from evalkit.evolve.prompted.wording import instructions, material, repair
from evalkit.evolve.protocols import Agent, Evidence, Proposal
from evalkit.models.base import Message, Model, Reply, Request

__all__ = ["PromptedUpdater"]


class PromptedUpdater:
    """Ask a model for a revision.

    Parameters
    ----------
    model : Model
        Who revises.
    evidence_tokens : int
        Tokens of judged work that it is shown, estimated at four bytes each.
    temperature, max_tokens : optional
        Generation settings; the provider's default where ``None``.
    seeded : bool
        Send a seed with each request.

    Notes
    -----
    A reply that cannot be used is shown to the model once more with the reason. If the second
    cannot be used either, the component stays as it is and the rationale says why; that is a
    proposal without a candidate, not an error. A call without an answer is one: ``infra`` or
    ``timeout``. Edits beyond ``max_edits`` are a reply that cannot be used.

    Examples
    --------
    >>> from evalkit.models import MockModel
    >>> reply = '{"edits": [{"target": "prompt", "find": "", "replace": "x"}]}'
    >>> propose = PromptedUpdater(MockModel([reply]))
    >>> evidence = Evidence(rows=(), max_edits=1)
    >>> propose("solver", Component(prompt=""), evidence, draw=Draw.of(0)).component.prompt
    'x'
    """

    def __init__(
        self,
        model: Model,
        *,
        evidence_tokens: int = 8000,
        temperature: float | None = None,
        max_tokens: int | None = None,
        seeded: bool = False,
    ) -> None:
        if evidence_tokens < 1000:
            raise ArgumentError(f"`evidence_tokens` is {evidence_tokens}; give 1000 or more")
        self._model = model
        self._evidence_tokens = evidence_tokens
        self._temperature, self._max_tokens = temperature, max_tokens
        self._seeded = seeded

    def __call__(
        self, agent: Agent, current: Component, evidence: Evidence, /, *, draw: Draw
    ) -> Proposal:
        """Return a candidate."""
        shown = show_rows(evidence.rows, tokens=self._evidence_tokens)
        talk: tuple[Message, ...] = (
            Message(role="system", content=instructions(agent, evidence)),
            Message(role="user", content=material(current, evidence, shown)),
        )
        reply = self._ask(talk, draw)
        usage = reply.usage
        revision = _read(reply, current, evidence)
        repaired = reply.text is not None and revision.fault is not None
        if repaired:
            talk += (
                Message(role="assistant", content=reply.text or ""),
                Message(role="user", content=repair(revision.fault or "")),
            )
            reply = self._ask(talk, draw)
            usage += reply.usage
            revision = _read(reply, current, evidence)
        facts = {"rows_shown": str(shown.rows), "rows_left_out": str(shown.left_out)}
        if repaired:
            facts["repaired"] = "yes"
        if reply.text is None:
            return Proposal(
                component=None,
                rationale=reply.error or "",
                status=reply.status,
                usage=usage,
                facts=facts,
            )
        return replace(_proposal(revision, current), usage=usage, facts=facts)

    def _ask(self, talk: tuple[Message, ...], draw: Draw) -> Reply:
        number = draw.integer() >> 33
        return self._model(
            Request(
                messages=talk,
                purpose="propose",
                sample=number,
                temperature=self._temperature,
                max_tokens=self._max_tokens,
                seed=number if self._seeded else None,
            )
        )


def _read(reply: Reply, current: Component, evidence: Evidence) -> Revision:
    if reply.text is None:
        return Revision(fault=reply.error or "no answer")
    revision = read_revision(reply.text, current, evidence)
    if revision.fault is not None and reply.truncated:
        return replace(revision, fault=f"it is cut off, since the tokens ran out; {revision.fault}")
    return revision


def _proposal(revision: Revision, current: Component) -> Proposal:
    if revision.component is None:
        return Proposal(component=None, rationale=f"no usable revision: {revision.fault}")
    if revision.component.digest == current.digest:
        return Proposal(component=None, rationale=revision.rationale or "no change", edits=0)
    return Proposal(
        component=revision.component, rationale=revision.rationale, edits=revision.edits
    )
