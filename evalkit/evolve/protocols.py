"""The decisions of a loop that more than one loop makes, each as one call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from evalkit.environments.base import Component, Execution, Item, Verdict
from evalkit.environments.draws import Draw
from evalkit.models.base import CallStatus, Usage

__all__ = ["Agent", "Evidence", "EvidenceRow", "Proposal", "Propose"]

Agent = Literal["solver", "grader"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceRow:
    """One judged execution that an updater is shown."""

    item: Item
    execution: Execution
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What an updater is shown, and all that it is shown.

    Attributes
    ----------
    rows : tuple of EvidenceRow
        Judged executions of this round.
    digest : str
        What earlier rounds tried and what became of it, in words.
    max_edits : int or None
        Edits that the proposal may make to the prompt; ``None`` where free.
    skills : bool
        Whether the proposal may write skills beside the prompt.
    max_skill_edits : int or None
        Edits that the proposal may make to the skills; ``None`` where free.
    too_large : Component or None
        The updater's own candidate of this round, which makes too many edits: a second try should
        keep its most important ones.
    """

    rows: tuple[EvidenceRow, ...]
    digest: str = ""
    max_edits: int | None = None
    skills: bool = False
    max_skill_edits: int | None = None
    too_large: Component | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A candidate revision.

    Attributes
    ----------
    component : Component or None
        The candidate; ``None`` where the updater leaves the component as it is, or failed.
    rationale : str
        Why, in the updater's words.
    status : {"ok", "infra", "timeout"}
        Whether the updater answered.
    edits : int or None
        Structured edits that were made, where the updater makes structured edits.
    usage : Usage
        What it cost.
    facts : mapping of str to str
        What an event should carry, such as the habits that were added.
    """

    component: Component | None
    rationale: str = ""
    status: CallStatus = "ok"
    edits: int | None = None
    usage: Usage = field(default_factory=Usage)
    facts: Mapping[str, str] = field(default_factory=dict)


class Propose(Protocol):
    """Revise one component from evidence."""

    def __call__(
        self, agent: Agent, current: Component, evidence: Evidence, /, *, draw: Draw
    ) -> Proposal:
        """Return a candidate."""
        ...
