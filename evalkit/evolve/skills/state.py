"""States of the stages of skill evolution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from evalkit.environments.base import Component, Execution, Item, Verdict
from evalkit.evolve.ledger import Ledger
from evalkit.evolve.skills.gating import Scored
from evalkit.evolve.skills.stopping import Outcome
from evalkit.evolve.skills.views import View
from evalkit.models.base import CallStatus

__all__ = [
    "Held",
    "ParentState",
    "ScalingState",
    "SelectionState",
    "Validated",
    "VerifierState",
    "ViewState",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Validated:
    """A skill with its validation.

    Attributes
    ----------
    component : Component
        The skill.
    round : int
        Round that made it; 0 is the parent.
    score, auxiliary : float or None
        Validation scores; ``None`` where nothing was scored, or there is no auxiliary verifier.
    items : tuple of (str, float)
        Score of each item that has one.
    attempted : int
        Items that were run.
    """

    component: Component
    round: int = 0
    score: float | None = None
    auxiliary: float | None = None
    items: tuple[tuple[str, float], ...] = ()
    attempted: int = 0

    @property
    def scored(self) -> Scored | None:
        """What a gate reads; ``None`` where nothing was scored."""
        return None if self.score is None else Scored(score=self.score, items=dict(self.items))


@dataclass(frozen=True, slots=True, kw_only=True)
class ParentState:
    """State of the stage that validates the parent, once for all views."""

    round: int = -1
    stopped: str | None = None
    parent: Validated
    ledger: Ledger = field(default_factory=Ledger)


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewState:
    """State of the search under one view.

    Attributes
    ----------
    round : int
        Last round that is done; -1 before round 0. The re-evaluation of the best counts as one.
    stopped : str or None
        Why the run ended; ``None`` until the best is re-evaluated.
    ending : str or None
        Why no further round follows.
    view : str
        What the updater is shown.
    parent, incumbent, best : Validated
        Where it began, what the next round starts from, and what the run returns.
    outcomes : tuple of str
        What became of the rounds that asked for a proposal.
    ledger : Ledger
        What was spent.
    """

    round: int = -1
    stopped: str | None = None
    ending: str | None = None
    view: View
    parent: Validated
    incumbent: Validated
    best: Validated
    outcomes: tuple[Outcome, ...] = ()
    ledger: Ledger = field(default_factory=Ledger)


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """One test outcome that later stages use again.

    Attributes
    ----------
    item : str
        The item.
    output : str or None
        The answer, ``None`` where there is none.
    status : {"ok", "infra", "timeout"}
        Whether there is an answer.
    score : float or None
        The reference's verdict.
    verdict : str
        Status of that verdict.
    """

    item: str
    output: str | None
    status: CallStatus
    score: float | None
    verdict: str

    @classmethod
    def of(cls, item: Item, execution: Execution, verdict: Verdict) -> Held:
        """Keep an outcome."""
        return cls(
            item=item.id,
            output=execution.output,
            status=execution.status,
            score=verdict.score,
            verdict=verdict.status,
        )

    def execution(self) -> Execution:
        """Return the execution again; its cost was counted when it was made."""
        return Execution(item=self.item, output=self.output, status=self.status)


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionState:
    """State of the selection across views and the evaluation of frozen skills.

    Attributes
    ----------
    parent : Validated
        The common parent.
    views : mapping of str to Validated
        What each view returned.
    selected : str
        The view that validation selects, or ``Parent``.
    held : mapping of str to tuple of Held
        Test outcomes of the first deployment, of the parent and of the selected skill.
    """

    round: int = -1
    stopped: str | None = None
    parent: Validated
    views: Mapping[str, Validated]
    selected: str = ""
    held: Mapping[str, tuple[Held, ...]] = field(default_factory=dict)
    ledger: Ledger = field(default_factory=Ledger)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalingState:
    """State of the test-time controls.

    Attributes
    ----------
    component : Component
        The frozen parent.
    last : tuple of Held
        Latest outcome of each item under Sequential; at first the parent's, which both reuse.
    """

    round: int = -1
    stopped: str | None = None
    component: Component
    last: tuple[Held, ...]
    ledger: Ledger = field(default_factory=Ledger)


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifierState:
    """State of the output-locked verifier panel.

    Attributes
    ----------
    held : mapping of str to tuple of Held
        Test outcomes of the parent and of the selected skill, which are judged and never re-run.
    """

    round: int = -1
    stopped: str | None = None
    held: Mapping[str, tuple[Held, ...]]
    artifacts: Mapping[str, str]
    ledger: Ledger = field(default_factory=Ledger)
